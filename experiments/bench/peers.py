"""One steady-state suggestion of each peer on the same data, the peers that are installed."""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np

from experiments.bench import problem
from experiments.bench.timing import median_seconds
from experiments.peers.adapters import build
from experiments.peers.history import Assignment

MODULES = {
    "ours": "spearmint_int",
    "optuna-gp": "optuna",
    "bayesian-optimization": "bayes_opt",
    "scikit-optimize": "skopt",
}
ASKS = 5


def installed() -> list[str]:
    return [name for name, module in MODULES.items() if find_spec(module) is not None]


def suggestion_seconds(name: str, n: int) -> float:
    """The median of several asks, each with one more result; the first, cold one is left out."""
    rng = np.random.default_rng(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assignment = Assignment(problem.DIMENSIONS, problem.NOISE**2, n + ASKS + 1, seed=0)
        peer = build(name, assignment)
        for params, value in problem.results(n):
            peer.tell(params, value)

        def step() -> None:
            params = peer.ask()
            peer.tell(params, problem.objective(params, rng))

        step()
        return median_seconds(step, repeats=ASKS)
