"""All that an optimizer knows, as one value, and the JSON that `save` writes of it."""

from __future__ import annotations

import errno
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.atomic import write_whole
from spearmint_int.chooser import ChooserOptions, Constraint
from spearmint_int.errors import SpearmintError
from spearmint_int.library.evaluation import Evaluation, Pending
from spearmint_int.sampling import Prior
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Variable

FORMAT = 1
VARIABLE_TYPES: dict[str, type[Variable]] = {"FLOAT": Float, "INT": Int, "ENUM": Enum}


@dataclass(frozen=True)
class OptimizerState:
    """How it was made, and what has come since."""

    space: Space
    seed: int
    direction: str
    options: ChooserOptions
    constraints: tuple[Constraint, ...]
    evaluations: tuple[Evaluation, ...]
    pending: tuple[Pending, ...]
    guesses: tuple[Pending, ...]
    chain: Mapping[str, Any] | None

    def write(self, path: str | Path) -> None:
        """By an atomic replacement: a crash leaves the old file or the new."""
        file, text = Path(path), json.dumps(self.to_json(), indent=1, allow_nan=False)
        if not file.parent.is_dir():  # or the text would name the temporary file
            raise FileNotFoundError(errno.ENOENT, "no such folder", str(file.parent))
        write_whole(file, text + "\n")

    @classmethod
    def read(cls, path: str | Path) -> OptimizerState:
        """What `write` wrote; SpearmintError with the file's name where it is something else."""
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise SpearmintError(f"{path}: not a saved optimizer: {error}") from None
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise SpearmintError(f"{path}: not a saved optimizer of format {FORMAT}")
        try:
            return cls.from_json(stored)
        except SpearmintError:  # it is one, of a kernel that is not here for example
            raise
        except KeyError as missing:
            raise SpearmintError(f"{path}: not a saved optimizer: it has no {missing}") from None
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise SpearmintError(f"{path}: not a saved optimizer: {error}") from None

    def to_json(self) -> dict[str, Any]:
        constraints = [asdict(constraint) for constraint in self.constraints]
        return {
            "format": FORMAT,
            "seed": self.seed,
            "direction": self.direction,
            "options": _finite_json(asdict(self.options)),
            **({"constraints": constraints} if constraints else {}),
            "variables": {
                name: {"type": type(variable).__name__.upper(), **asdict(variable)}
                for name, variable in self.space.variables.items()
            },
            "evaluations": [_evaluation_to_json(e) for e in self.evaluations],
            "pending": [_pending_to_json(p) for p in self.pending],
            "guesses": [_pending_to_json(g) for g in self.guesses],
            "chain": self.chain,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> OptimizerState:
        space = Space({name: _variable(fields) for name, fields in stored["variables"].items()})
        return cls(
            space=space,
            seed=stored["seed"],
            direction=stored.get("direction", "minimize"),
            options=_options(stored["options"]),
            constraints=tuple(Constraint(**c) for c in stored.get("constraints", ())),
            evaluations=tuple(_evaluation(e, space) for e in stored["evaluations"]),
            pending=tuple(_pending(p, space) for p in stored["pending"]),
            guesses=tuple(_guess(g, space) for g in stored.get("guesses", ())),
            chain=stored["chain"],
        )


def _variable(fields: Mapping[str, Any]) -> Variable:
    return VARIABLE_TYPES[fields["type"]](**{k: v for k, v in fields.items() if k != "type"})


def _options(stored: Mapping[str, Any]) -> ChooserOptions:
    options = _read_json(stored)
    priors = {name: Prior(**prior) for name, prior in options["priors"].items()}
    return ChooserOptions(**{**options, "priors": priors})


def _evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    constraints = _finite_json(dict(evaluation.constraints))
    return {
        "params": evaluation.params,
        "value": _finite_json(evaluation.value),
        "point": evaluation.point.tolist(),
        "was_asked": evaluation.was_asked,
        **({"constraints": constraints} if constraints else {}),
    }


def _evaluation(stored: Mapping[str, Any], space: Space) -> Evaluation:
    return Evaluation(
        stored["params"],
        float(_read_json(stored["value"])),
        _point(stored["point"], space),
        stored.get("was_asked", True),  # an earlier release did not say
        # one by one: a constraint may be called "float"
        {name: _read_json(number) for name, number in stored.get("constraints", {}).items()},
    )


def _pending_to_json(pending: Pending) -> dict[str, Any]:
    return {"params": pending.params, "point": pending.point.tolist()}


def _pending(stored: Mapping[str, Any], space: Space) -> Pending:
    return Pending(stored["params"], _point(stored["point"], space))


def _point(stored: Any, space: Space) -> FloatArray:
    point = np.array(stored, dtype=np.float64)
    if point.shape != (space.dimensions,):
        raise ValueError(f"a point must have {space.dimensions} numbers, got {stored!r}")
    return point


def _guess(stored: Mapping[str, Any] | list[float], space: Space) -> Pending:
    if isinstance(stored, list):  # of an earlier release
        point = _point(stored, space)
        return Pending(space.decode(point), point)
    return _pending(stored, space)


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
