"""A search over an estimator's parameters, with scikit-learn's own interface.

from spearmint_int import Float, Int
from spearmint_int.integrations.sklearn import IntegerSearchCV

space = {"max_depth": Int(1, 12), "learning_rate": Float(0.01, 1, log=True)}
search = IntegerSearchCV(GradientBoostingClassifier(), space, n_iter=30, cv=3)
search.fit(X, y)
print(search.best_params_, search.best_score_)
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state

from spearmint_int.errors import SpaceError, SpaceExhausted
from spearmint_int.library.optimizer import Optimizer
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, SomeVariable, Variable

MEAN_SCORE = "mean_test_"  # before the name of a metric in cv_results_


class IntegerSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Bayesian optimization of cross-validated scores, with the integers in the kernel.

    - `param_space`: an `Int`, `Float` or `Enum` for each parameter, or a list of choices, which
      may be anything.
    - `n_iter`: how many settings are tried, `n_points` at a time.
    - `options`: a dictionary of fields of `ChooserOptions`.

    Everything else is as in scikit-learn's own searches; `random_state` is the seed. After `fit`,
    `optimizer_` has the model, in which a choice of a list is its place in it, from 0 on.
    """

    def __init__(
        self,
        estimator: Any,
        param_space: Mapping[str, SomeVariable | Sequence[Any]],
        *,
        n_iter: int = 30,
        n_points: int = 1,
        options: Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        self.param_space = param_space
        self.n_iter = n_iter
        self.n_points = n_points
        self.options = options
        self.random_state = random_state
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _run_search(self, evaluate_candidates: Callable[..., Mapping[str, Any]]) -> None:
        """Ask, let scikit-learn cross-validate, tell; a score of NaN is a failure there."""
        self._check_arguments()
        choices = {name: _choices(spec) for name, spec in self.param_space.items()}
        space = Space({name: _variable(name, spec) for name, spec in self.param_space.items()})
        self.optimizer_ = Optimizer(
            space, seed=self._seed(), direction="maximize", **(self.options or {})
        )
        failure: ValueError | None = None
        while (left := self.n_iter - len(self.optimizer_.history)) > 0:
            try:
                asked = self.optimizer_.ask(min(self.n_points, left))
            except SpaceExhausted:
                break
            try:
                results = evaluate_candidates([_chosen(params, choices) for params in asked])
                scores = np.asarray(results[self._score_column(results)], dtype=float)[
                    -len(asked) :
                ]
            except ValueError as error:  # none of these can be fitted; others may
                if self.error_score == "raise" or "fits failed" not in str(error):
                    raise
                failure, scores = error, np.full(len(asked), np.nan)
            for params, score in zip(asked, scores, strict=True):
                self.optimizer_.tell(params, float(score))
        if failure is not None:
            self._tell_failure(failure)

    def _tell_failure(self, failure: ValueError) -> None:
        """Settings that can't be fitted are a warning while there are others, as elsewhere."""
        if self.optimizer_.best() is None:
            raise failure
        failed = sum(not np.isfinite(e.value) for e in self.optimizer_.history)
        warnings.warn(
            f"{failed} settings could not be fitted, and are not in cv_results_; "
            "error_score='raise' shows why",
            FitFailedWarning,
            stacklevel=3,
        )

    def _check_arguments(self) -> None:
        if not isinstance(self.param_space, Mapping):
            given = type(self.param_space).__name__
            raise TypeError(f"param_space must map parameters to what they may be, got a {given}")
        if "seed" in (self.options or {}):
            raise TypeError("options: the seed is random_state=… here")
        if "direction" in (self.options or {}):
            raise TypeError("options: there is no direction here: the score is maximised")
        for name in ("n_iter", "n_points"):
            count = getattr(self, name)
            if not isinstance(count, numbers.Integral) or count < 1:
                raise ValueError(f"{name} must be a whole number from 1 on, got {count!r}")

    def _seed(self) -> int:
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _score_column(self, results: Mapping[str, Any]) -> str:
        """Of several metrics the one that `refit` names; a callable tells of them by its scores."""
        columns = [column for column in results if column.startswith(MEAN_SCORE)]
        named = f"{MEAN_SCORE}{self.refit}"
        if named in columns or columns == [f"{MEAN_SCORE}score"]:
            return named if named in columns else columns[0]
        metrics = ", ".join(column.removeprefix(MEAN_SCORE) for column in columns)
        raise ValueError(
            "with several metrics, refit must name the one to optimise, "
            f"got {self.refit!r}; there are {metrics}"
        )


def _variable(name: str, spec: SomeVariable | Sequence[Any]) -> Variable:
    if _may_be_a_range(spec):
        raise SpaceError(
            f"param_space: {name}: {spec!r} may be a range or choices; "
            "write Int(…) or Float(…) for a range, and a list for choices"
        )
    choices = _choices(spec)
    if choices is not None and not choices:
        raise SpaceError(f"param_space: {name}: there must be at least one choice, got {spec!r}")
    if choices is not None:
        return Enum(range(len(choices)))
    if isinstance(spec, Int | Float | Enum):
        return spec
    what = "an Int, a Float, an Enum or a list of choices"
    raise SpaceError(f"param_space: {name}: must be {what}, got {spec!r}")


def _may_be_a_range(spec: object) -> bool:
    """A tuple of two numbers, and a prior's name perhaps, is one in other libraries."""
    if not isinstance(spec, tuple) or len(spec) not in (2, 3):
        return False
    bounds = all(isinstance(e, numbers.Real) and not isinstance(e, bool) for e in spec[:2])
    return bounds and all(isinstance(each, str) for each in spec[2:])


def _choices(spec: SomeVariable | Sequence[Any]) -> list[Any] | None:
    """A list of anything is searched by the numbers of its entries."""
    return list(spec) if isinstance(spec, list | tuple | range | np.ndarray) else None


def _chosen(params: Mapping[str, Any], choices: Mapping[str, list[Any] | None]) -> dict[str, Any]:
    return {
        name: value if (listed := choices[name]) is None else listed[value]
        for name, value in params.items()
    }
