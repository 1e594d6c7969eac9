"""The panels of Figures 3 and 4, and one repetition of one treatment in one of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from experiments.ours import Ours
from experiments.paper.digits import DIMENSIONS as DIGITS_DIMENSIONS
from experiments.paper.digits import EVALUATIONS as DIGITS_EVALUATIONS
from experiments.paper.digits import tabulated_loss
from experiments.pool import Failure
from experiments.synthetic import FOUR_D, TWO_D, Objective, Problem, draw, noise
from experiments.trial import run_trial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension
    from experiments.pool import Outcome
    from experiments.trial import Target, Trial

TREATMENTS = ("proposed", "basic", "naive")
KEY = ("panel", "treatment", "repetition", "seed")
COLUMNS = (*KEY, "status", "repeats", "seconds", "evaluated", "recommended", "error")
# Seeds of different base seeds must not meet.
SEED_STRIDE = 100_000


@dataclass(frozen=True)
class Panel:
    """One pair of axes: an objective for each repetition, with or without noise."""

    name: str
    title: str
    problem: Problem | None
    noisy: bool
    evaluations: int

    @property
    def dimensions(self) -> Sequence[Dimension]:
        return self.problem.dimensions if self.problem else DIGITS_DIMENSIONS

    @property
    def noise_variance(self) -> float:
        return self.problem.noise_variance if self.problem and self.noisy else 0.0

    @property
    def likelihood(self) -> str:
        """Digits has no noise, but its loss is rough, which a model has to take for noise."""
        return "NOISELESS" if self.problem and not self.noisy else "GAUSSIAN"

    @property
    def measure(self) -> str:
        """What the curve shows: under noise the model's answer, as the best point is not known."""
        return "recommended" if self.noisy else "evaluated"

    def target(self, seed: int) -> Target:
        return _draw(self.problem, seed) if self.problem else tabulated_loss()

    def errors(self, seed: int) -> list[float]:
        """The noise of each evaluation: zeros where there is none."""
        if not (self.problem and self.noisy):
            return [0.0] * self.evaluations
        return [float(error) for error in noise(self.problem, seed, self.evaluations)]


def _synthetic(problem: Problem, *, noisy: bool) -> Panel:
    title = f"{len(problem.names)} dimensions, " + (
        f"noise variance {problem.noise_variance:g}" if noisy else "noiseless"
    )
    name = problem.name + ("-noisy" if noisy else "")
    return Panel(name, title, problem, noisy, problem.evaluations)


PANELS = {
    panel.name: panel
    for panel in (
        _synthetic(TWO_D, noisy=False),
        _synthetic(FOUR_D, noisy=False),
        _synthetic(TWO_D, noisy=True),
        _synthetic(FOUR_D, noisy=True),
        Panel("digits", "gradient boosting on digits", None, False, DIGITS_EVALUATIONS),
    )
}
FIGURE_3 = ("2d", "4d", "2d-noisy", "4d-noisy")
FIGURE_4 = ("digits",)


@dataclass(frozen=True)
class PaperTask:
    """Which run."""

    panel: str
    treatment: str
    repetition: int
    seed: int

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(str(getattr(self, name)) for name in KEY)


@lru_cache(maxsize=4)
def _draw(problem: Problem, seed: int) -> Objective:
    return draw(problem, seed)


def run_repetition(task: PaperTask) -> Trial:
    """The treatments of a repetition share its objective, its noise and the seed of the chooser."""
    panel = PANELS[task.panel]
    seed = task.seed * SEED_STRIDE + task.repetition
    optimiser = Ours(
        panel.dimensions, seed=seed, treatment=task.treatment, likelihood=panel.likelihood
    )
    never = panel.evaluations + 1
    return run_trial(
        optimiser,
        panel.target(seed),
        noise=panel.errors(seed),
        recommend_from=1 if panel.noisy else never,
    )


def row_of(outcome: Outcome[PaperTask, Trial]) -> dict[str, object]:
    """The row of a finished or failed run; a curve is its distances, evaluation by evaluation."""
    row: dict[str, object] = dict(zip(KEY, outcome.task.key, strict=True))
    if isinstance(outcome.result, Failure):
        return {**row, "status": "failed", "error": outcome.result.error}
    trial = outcome.result
    return {
        **row,
        "status": "ok",
        "repeats": trial.repeats,
        "seconds": round(sum(trial.seconds), 3),
        "evaluated": _text(trial.best_so_far),
        "recommended": _text(trial.recommended),
    }


def _text(distances: Sequence[float]) -> str:
    return " ".join(f"{distance:.4g}" for distance in distances)
