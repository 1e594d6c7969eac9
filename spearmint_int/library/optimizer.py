"""The library's ask-and-tell interface: ask for points, tell their results, save and load.

optimizer = Optimizer({"rate": Float(1e-4, 1, log=True), "depth": Int(1, 12)}, seed=0)
for params in optimizer.ask(4):
    optimizer.tell(params, train(**params))
print(optimizer.best(), optimizer.recommend())
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from html import escape
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int import value_text
from spearmint_int.arrays import point_key
from spearmint_int.best import best_of, fulfils
from spearmint_int.chooser import (
    OBJECTIVE,
    ChooserOptions,
    Constraint,
    Prediction,
    Problem,
    Recommendation,
    Suggestion,
)
from spearmint_int.errors import SpaceExhausted, SpearmintError, UnknownNameError
from spearmint_int.experiment.experiment import Experiment
from spearmint_int.experiment.history import MemoryHistory
from spearmint_int.library.arguments import (
    as_constraints,
    as_count,
    as_guesses,
    as_results,
    as_seed,
    as_several,
    options_with,
)
from spearmint_int.library.evaluation import Evaluation, Pending, Returned
from spearmint_int.library.saved_state import OptimizerState
from spearmint_int.library.tables import as_dataframe, as_html
from spearmint_int.space import Space
from spearmint_int.variables import Params, SomeVariable

if TYPE_CHECKING:
    import pandas as pd

DIRECTIONS = ("minimize", "maximize")


class Optimizer:
    """Suggestions for one function: ask for points, evaluate them wherever you like, tell results.

    Threads may share one: each asks, evaluates and tells.
    """

    def __init__(
        self,
        space: Space | Mapping[str, SomeVariable],
        *,
        seed: int | None = 0,
        direction: str = "minimize",
        initial: Iterable[Mapping[str, Any]] = (),
        constraints: Iterable[str | Constraint] = (),
        options: ChooserOptions | None = None,
        **settings: Any,
    ) -> None:
        """`space` has a `Float`, `Int` or `Enum` for each name.

        - `seed`: the same one gives the same points; None is another one each time.
        - `direction`: "minimize" or "maximize".
        - `initial`: guesses, which `ask` gives out first; known results go to `tell`.
        - `constraints`: the names of numbers that have to be at least 0, which `tell` gets beside
          the objective's.
        - `settings`: fields of `ChooserOptions`, which `options` has as a whole, such as
          `likelihood="NOISELESS"` where the same parameters always give the same result.
        """
        if direction not in DIRECTIONS:
            raise UnknownNameError("direction", direction, DIRECTIONS)
        guesses = as_guesses(initial)
        self.space = space if isinstance(space, Space) else Space(space)
        self.seed, self.direction = as_seed(seed), direction
        self.options = options_with(ChooserOptions() if options is None else options, settings)
        self.constraints = as_constraints(constraints, self.options)
        self._lock = threading.RLock()
        self._guesses = [
            Pending(self.space.plain(guess), self.space.encode(guess)) for guess in guesses
        ]
        self._evaluations: list[Evaluation] = []
        self._pending: list[Pending] = []
        self._history = MemoryHistory(
            tasks=[OBJECTIVE, *self._constraint_names], dimensions=self.space.dimensions
        )
        self._experiment = Experiment(
            self.space,
            self._history,
            options=self.options,
            seed=self.seed,
            maximize=direction == "maximize",
            constraints=self.constraints,
        )

    @property
    def _constraint_names(self) -> list[str]:
        return [constraint.task for constraint in self.constraints]

    @property
    def history(self) -> tuple[Evaluation, ...]:
        """The evaluations that were told, in that order."""
        return tuple(evaluation.copy() for evaluation in self._evaluations)

    @property
    def pending(self) -> tuple[Params, ...]:
        """The parameters that were asked for and not told yet."""
        return tuple(deepcopy(pending.params) for pending in self._pending)

    def ask(self, count: int = 1) -> list[Params]:
        """The parameters to evaluate next, `count` of them: guesses first, then what the chooser
        suggests, each with those before it pending.

        Fewer where a noiseless, all-integer space has fewer left; SpaceExhausted where it has none.
        """
        wanted = as_count(count)
        with self._lock:
            self._drop_needless_guesses()
            asked = [self._take_guess() for _ in self._guesses[:wanted]]
            if len(asked) == wanted:
                return asked
            try:
                return [*asked, *(s.params for s in self.suggestions(wanted - len(asked)))]
            except SpaceExhausted:
                if not asked:
                    raise
                return asked

    def suggestions(self, count: int = 1) -> list[Suggestion]:
        """As `ask`, but without the guesses, and with each point's provenance."""
        wanted = as_count(count)
        with self._lock:
            answer = self._experiment.suggest(wanted)
            self._experiment.go_on_from(answer)
            chosen = [Pending(deepcopy(s.params), s.point.copy()) for s in answer.suggestions]
            self._set_pending([*self._pending, *chosen])
            return list(answer.suggestions)

    def tell(self, params: Mapping[str, Any], value: Returned) -> None:
        """Add the result at these parameters, whether they were asked for or not. NaN says that the
        evaluation failed there. With constraints it is `{"main": value, "constraint": …}`."""
        numbers = as_results(value, self.constraints)
        with self._lock:
            told, was_asked = self._as_asked(params)
            self._keep(told.with_result(numbers, was_asked=was_asked))

    def forget(self, params: Mapping[str, Any]) -> None:
        """Take parameters that were asked for off the pending ones: no result of them will come."""
        with self._lock:
            if self._take_pending(params) is None:
                raise SpearmintError(f"forget: nobody has asked for {dict(params)}")

    def best(self) -> Evaluation | None:
        """The evaluation with the best value of those that fulfil every constraint, or None."""
        found = self._best()
        return None if found is None else found.copy()

    def _best(self) -> Evaluation | None:
        names = self._constraint_names
        usable = [e for e in self._evaluations if fulfils(e.value, e.constraints, names)]
        return best_of(
            usable,
            value=attrgetter("value"),
            maximize=self.direction == "maximize",
            within=self._are_within(usable),
        )

    def _are_within(self, evaluations: Sequence[Evaluation]) -> Sequence[bool]:
        """Whether each lies within the present bounds, which never change here."""
        return [True] * len(evaluations)

    def recommend(self) -> Recommendation | None:
        """The model's optimum, which under noise is a better answer than `best`. None until there
        are two finite results."""
        with self._lock:
            return self._experiment.recommend()

    def predict(self, params: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Prediction:
        """What the model expects at one or several parameters: `mean` and `sd`, arrays in the
        objective's units, without the noise of an evaluation."""
        if not any(math.isfinite(e.value) for e in self._evaluations):
            raise SpearmintError("there is nothing to predict from: tell a finite result first")
        with self._lock:
            return self._experiment.predict(as_several(params))

    def problem(self) -> Problem:
        """All that is known now, as the chooser gets it. Choosers minimise: where the objective is
        maximised, its values have the other sign here."""
        with self._lock:
            return self._experiment.problem()

    # --- for people -----------------------------------------------------------------------------

    def __repr__(self) -> str:
        found = self._best()
        best = "no result yet"
        if found is not None:
            best = f"best {value_text.number(found.value)} at {found.params}"
        return f"<Optimizer: {len(self._evaluations)} told, {len(self._pending)} pending, {best}>"

    def _repr_html_(self) -> str:
        """The evaluations as a table, the best one bold, for notebooks."""
        table = as_html(self._evaluations, self.space, self._constraint_names, best=self._best())
        return f"<p>{escape(repr(self))}</p>{table}"

    def to_dataframe(self) -> pd.DataFrame:
        """The evaluations as a pandas table: a column for each variable, `value`, and one for each
        constraint.

        A variable that is called so itself is `params.value`, as in files that `export` writes.
        """
        return as_dataframe(self.history, self.space, self._constraint_names)

    # --- on disk --------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write all state as JSON, replacing the file atomically: a crash leaves the old one or the
        new one."""
        self._state().write(path)

    @classmethod
    def load(cls, path: str | Path) -> Optimizer:
        """The optimizer that `save` wrote: it makes the same suggestions as that one would have."""
        return cls._from_state(OptimizerState.read(path))

    def _state(self) -> OptimizerState:
        with self._lock:
            return OptimizerState(
                space=self.space,
                seed=self.seed,
                direction=self.direction,
                options=self.options,
                constraints=self.constraints,
                evaluations=tuple(self._evaluations),
                pending=tuple(self._pending),
                guesses=tuple(self._guesses),
                chain=self._experiment.history.chain(),
            )

    @classmethod
    def _from_state(cls, state: OptimizerState) -> Optimizer:
        optimizer = cls(
            state.space,
            seed=state.seed,
            direction=state.direction,
            options=state.options,
            constraints=state.constraints,
        )
        optimizer._guesses = list(state.guesses)
        for evaluation in state.evaluations:
            optimizer._keep(evaluation)
        if state.chain is not None:
            optimizer._history.keep_chain(state.chain)
        optimizer._set_pending(list(state.pending))
        return optimizer

    @classmethod
    def _from_json(cls, stored: Mapping[str, Any]) -> Optimizer:
        """For pickles of an optimizer in a folder."""
        return cls._from_state(OptimizerState.from_json(stored))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies: without the lock, which neither can take."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __copy__(self) -> Optimizer:
        """A copy with a memory of its own."""
        return deepcopy(self)

    # --- what is kept ---------------------------------------------------------------------------

    def _keep(self, evaluation: Evaluation) -> None:
        self._evaluations.append(evaluation)
        self._history.add(evaluation.point, evaluation.numbers)

    def _set_pending(self, pending: list[Pending]) -> None:
        self._pending = pending
        self._history.set_pending(p.point for p in pending)

    def _drop_needless_guesses(self) -> None:
        """Without noise evaluating a known point again teaches nothing."""
        if not self.options.noiseless:
            return
        self._guesses = list({point_key(guess.point): guess for guess in self._guesses}.values())
        self._drop_known_guesses()

    def _drop_known_guesses(self) -> None:
        """Drop the guesses that were evaluated, or asked for, already."""
        if not self._guesses:
            return
        history = self._experiment.history
        points = np.vstack([history.observations().points, history.pending()])
        known = [self.space.decode(u) for u in points[self.space.inside(points)]]
        self._guesses = [g for g in self._guesses if self.space.decode(g.point) not in known]

    def _take_guess(self) -> Params:
        guess = self._guesses.pop(0)
        self._set_pending([*self._pending, guess])
        return deepcopy(guess.params)

    def _as_asked(self, params: Mapping[str, Any]) -> tuple[Pending, bool]:
        """The pending point of these parameters, or else a canonical one; and whether it was
        pending."""
        asked = self._take_pending(params)
        told = asked or Pending(self.space.plain(params), self.space.encode(params))
        return told, asked is not None

    def _take_pending(self, params: Mapping[str, Any]) -> Pending | None:
        """Take the point of these parameters off the pending ones; None where it is not one."""
        point = self.space.encode(params)
        for i, pending in enumerate(self._pending):
            if point_key(self.space.encode(pending.params)) == point_key(point):
                self._set_pending(self._pending[:i] + self._pending[i + 1 :])
                return pending
        return None
