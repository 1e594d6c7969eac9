"""The result of `minimize`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spearmint_int import value_text
from spearmint_int.chooser import Problem, Recommendation
from spearmint_int.errors import NO_FIGURES, SpearmintError
from spearmint_int.library.evaluation import Evaluation
from spearmint_int.library.tables import as_dataframe
from spearmint_int.variables import Params

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class MinimizeResult:
    """The best evaluation, what the model recommends, and everything that was evaluated.

    With constraints it is the best evaluation that fulfils all of them. Where none does, the value
    is NaN, the message says so, and the parameters are those that the model recommends.
    """

    params: Params
    value: float
    recommendation: Recommendation | None
    history: tuple[Evaluation, ...] = field(repr=False)
    message: str
    problem: Problem = field(repr=False, compare=False)
    """All that is known, as the chooser gets it: where `maximize` is set, with values of the other
    sign, since choosers minimise."""
    maximize: bool = field(default=False, repr=False)

    def plot(self, kind: str = "progress", *, theme: str = "light") -> Any:
        """A plotly figure of the results or the model (`spearmint_int.plots.PLOTS` has the kinds);
        it needs the extra `plots`."""
        try:
            from spearmint_int.plots import Snapshot, plot  # noqa: PLC0415 (an extra)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("plotly"):
                raise
            raise SpearmintError(NO_FIGURES) from None
        seen = Snapshot.of_evaluations(self.history, self.problem, maximize=self.maximize)
        return plot(seen, kind, theme=theme)

    def to_dataframe(self) -> pd.DataFrame:
        """The evaluations as a pandas table: a column for each variable, `value`, and one for each
        constraint."""
        evaluations = (evaluation.copy() for evaluation in self.history)
        constraints = [c.task for c in self.problem.constraints]
        return as_dataframe(evaluations, self.problem.space, constraints)

    def __str__(self) -> str:
        if not self.history:
            return f"no evaluation ({self.message})"
        where = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{value_text.number(self.value)} at {where} ({self.message})"
