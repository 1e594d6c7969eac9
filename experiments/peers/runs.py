"""One run of one peer on one draw, and the row that is kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from experiments.peers.adapters import build
from experiments.pool import Failure
from experiments.synthetic import PROBLEMS, Objective, draw, noise
from experiments.trial import Trial, log10_distance, run_trial

if TYPE_CHECKING:
    from experiments.pool import Outcome

KEY = ("problem", "noisy", "draw", "method", "evaluations")
COLUMNS = (
    *KEY,
    "status",
    "log10_best",
    "log10_recommended",
    "evaluations_until_close",
    "repeats",
    "seconds_per_suggestion",
    "distances",
    "error",
)
# Evaluations of a run: enough for the best of them to be within 1e-3 in most draws.
EVALUATIONS = {"2d": 30, "4d": 60}


@dataclass(frozen=True)
class PeerTask:
    """Which run."""

    problem: str
    noisy: bool
    draw: int
    method: str
    evaluations: int

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(str(getattr(self, name)) for name in KEY)


@lru_cache(maxsize=4)
def _objective(problem: str, seed: int) -> Objective:
    return draw(PROBLEMS[problem], seed)


def run_peer(task: PeerTask) -> Trial:
    """The same draw and the same noise for every method."""
    problem = PROBLEMS[task.problem]
    errors = noise(problem, task.draw, task.evaluations) * task.noisy
    variance = problem.noise_variance * task.noisy
    return run_trial(
        build(task.method, problem.dimensions, noise_variance=variance, seed=task.draw),
        _objective(task.problem, task.draw),
        noise=errors.tolist(),
        recommend_from=task.evaluations,
    )


def row_of(outcome: Outcome[PeerTask, Trial]) -> dict[str, object]:
    """The row of a finished or failed run."""
    row: dict[str, object] = dict(zip(KEY, outcome.task.key, strict=True))
    if isinstance(outcome.result, Failure):
        return {**row, "status": "failed", "error": outcome.result.error}
    return {**row, "status": "ok", **measures(outcome.result)}


def measures(trial: Trial) -> dict[str, object]:
    """Seconds are those of the later half of the run, where every method has left its start."""
    later = trial.seconds[len(trial.seconds) // 2 :]
    return {
        "log10_best": round(log10_distance(trial.best_so_far[-1]), 4),
        "log10_recommended": round(log10_distance(trial.recommended[-1]), 4),
        "evaluations_until_close": trial.evaluations_until_close or "",
        "repeats": trial.repeats,
        "seconds_per_suggestion": round(float(np.mean(later)), 5),
        "distances": " ".join(f"{distance:.3g}" for distance in trial.distances),
    }
