"""Use as a library: ask for points, tell their results, save and load.

optimizer = Optimizer({"rate": Float(1e-4, 1, log=True), "depth": Int(1, 12)}, seed=0)
for params in optimizer.ask(4):
    optimizer.tell(params, train(**params))
print(optimizer.best(), optimizer.recommend())
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.chooser import OBJECTIVE, ChooserOptions, Prediction, Recommendation, Suggestion
from spearmint_int.errors import SpearmintError
from spearmint_int.experiment import Experiment
from spearmint_int.history import MemoryHistory
from spearmint_int.sampling import Prior
from spearmint_int.space import Enum, Float, Int, Params, Space, Variable

FORMAT = 1
VARIABLE_TYPES: dict[str, type[Variable]] = {"FLOAT": Float, "INT": Int, "ENUM": Enum}


@dataclass(frozen=True)
class Evaluation:
    """One result: the parameters, the value (NaN where it failed), and where the model has it."""

    params: Params
    value: float
    point: FloatArray


@dataclass(frozen=True)
class _Pending:
    """A point that was asked for and not told yet."""

    params: Params
    point: FloatArray


class Optimizer:
    """Suggestions for one function; all state is the evaluations, the pending points, the chain."""

    def __init__(
        self,
        space: Space | Mapping[str, Variable],
        *,
        seed: int = 0,
        options: ChooserOptions | None = None,
        **settings: Any,
    ) -> None:
        """`settings` are fields of ChooserOptions, such as `likelihood="NOISELESS"`."""
        self.space = space if isinstance(space, Space) else Space(space)
        self.seed = seed
        self.options = _with_settings(options or ChooserOptions(), settings)
        self._evaluations: list[Evaluation] = []
        self._pending: list[_Pending] = []
        self._history = MemoryHistory(task=OBJECTIVE, dimensions=self.space.dimensions)
        self._experiment = Experiment(
            self.space, self._history, options=self.options, seed=self.seed
        )

    @property
    def history(self) -> tuple[Evaluation, ...]:
        """What was told, in that order."""
        return tuple(self._evaluations)

    @property
    def pending(self) -> tuple[Params, ...]:
        """What was asked for and not told yet."""
        return tuple(suggestion.params for suggestion in self._pending)

    def ask(self, count: int = 1) -> list[Params]:
        """`count` different points, each chosen with those before it pending.

        Fewer where a noiseless, all-integer space has fewer left; SpaceExhausted where it has none.
        """
        return [suggestion.params for suggestion in self.suggestions(count)]

    def suggestions(self, count: int = 1) -> list[Suggestion]:
        """As `ask`, with where each came from and why."""
        answer = self._experiment.suggest(count)
        self._experiment.go_on_from(answer)
        self._pending += [_Pending(s.params, s.point) for s in answer.suggestions]
        self._history.set_pending(s.point for s in self._pending)
        return list(answer.suggestions)

    def tell(self, params: Mapping[str, Any], value: float) -> None:
        """The result at these parameters, asked for or not; NaN says that it failed there."""
        number = float(value)
        point = self._take_pending(params)
        self._keep(Evaluation(self.space.decode(point), number, point))

    def best(self) -> Evaluation | None:
        """The evaluation with the least value, or None."""
        finite = [e for e in self._evaluations if math.isfinite(e.value)]
        return min(finite, key=lambda e: e.value, default=None)

    def recommend(self) -> Recommendation | None:
        """The model's minimum: under noise a better answer than `best`."""
        return self._experiment.recommend()

    def predict(self, params: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Prediction:
        """What the model expects at one or several settings: `mean` and `sd`, arrays in the
        objective's units, without the noise of an evaluation."""
        rows = [params] if isinstance(params, Mapping) else list(params)
        if self.best() is None:
            raise SpearmintError("there is nothing to predict from: tell a finite result first")
        return self._experiment.predict(rows)

    # --- on disk --------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """All state as JSON, by an atomic replacement: a crash leaves the old file or the new."""
        target = Path(path)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        partial.write_text(json.dumps(self._to_json(), indent=1, allow_nan=False) + "\n")
        partial.replace(target)

    @classmethod
    def load(cls, path: str | Path) -> Optimizer:
        """What `save` wrote; it goes on with the very suggestions that it would have made."""
        try:
            stored = json.loads(Path(path).read_text())
        except json.JSONDecodeError as error:
            raise SpearmintError(f"{path}: not a saved optimizer: {error}") from None
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise SpearmintError(f"{path}: not a saved optimizer of format {FORMAT}")
        return cls._from_json(stored)

    def _to_json(self) -> dict[str, Any]:
        options = asdict(self.options)
        options["priors"] = {name: asdict(prior) for name, prior in self.options.priors.items()}
        return {
            "format": FORMAT,
            "seed": self.seed,
            "options": _finite_json(options),
            "variables": {
                name: {"type": type(variable).__name__.upper(), **asdict(variable)}
                for name, variable in self.space.variables.items()
            },
            "evaluations": [
                {"params": e.params, "value": _finite_json(e.value), "point": e.point.tolist()}
                for e in self._evaluations
            ],
            "pending": [{"params": p.params, "point": p.point.tolist()} for p in self._pending],
            "chain": self._history.chain(),
        }

    @classmethod
    def _from_json(cls, stored: Mapping[str, Any]) -> Optimizer:
        options = dict(_read_json(stored["options"]))
        options["priors"] = {name: Prior(**prior) for name, prior in options["priors"].items()}
        variables = {
            name: VARIABLE_TYPES[fields["type"]](**{k: v for k, v in fields.items() if k != "type"})
            for name, fields in stored["variables"].items()
        }
        optimizer = cls(variables, seed=stored["seed"], options=ChooserOptions(**options))
        for e in stored["evaluations"]:
            optimizer._keep(Evaluation(e["params"], _read_json(e["value"]), np.array(e["point"])))
        optimizer._pending = [
            _Pending(p["params"], np.array(p["point"])) for p in stored["pending"]
        ]
        optimizer._history.set_pending(p.point for p in optimizer._pending)
        if stored["chain"] is not None:
            optimizer._history.keep_chain(stored["chain"])
        return optimizer

    # --- what is kept ---------------------------------------------------------------------------

    def _keep(self, evaluation: Evaluation) -> None:
        self._evaluations.append(evaluation)
        self._history.add(evaluation.point, evaluation.value)

    def _take_pending(self, params: Mapping[str, Any]) -> FloatArray:
        """The exact point of a suggestion that is told, or the canonical one of any other."""
        told = point_key(self.space.encode(params))
        for i, suggestion in enumerate(self._pending):
            if point_key(self.space.encode(suggestion.params)) == told:
                point = self._pending.pop(i).point
                self._history.set_pending(p.point for p in self._pending)
                return point
        return self.space.encode(params)


def _with_settings(options: ChooserOptions, settings: Mapping[str, Any]) -> ChooserOptions:
    unknown = [name for name in settings if name not in options.__dataclass_fields__]
    if unknown:
        raise TypeError(
            f"no such setting: {', '.join(unknown)}; "
            f"choose from {', '.join(sorted(options.__dataclass_fields__))}"
        )
    return replace(options, **settings)


def _finite_json(value: Any) -> Any:
    """JSON has no NaN or infinity: they travel as the strings that `float` reads."""
    if isinstance(value, dict):
        return {key: _finite_json(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _read_json(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"float"}:
        return float(value["float"])
    if isinstance(value, dict):
        return {key: _read_json(item) for key, item in value.items()}
    return value
