"""What an acquisition could win under noise if the model were known: little, beside noisy EI.

    python -m experiments.known_model

The paper's 4-D problem on the nodes of its draws, 3888 points, with its noise. The GP has the very
kernel, mean and noise that the draws come from, nothing is learnt and nothing is left to a search:
what is left of the distance to the minimum after 60 evaluations is the acquisition's own. The draws
are those that settings were chosen on, from 1000 on.

    Z [m]   the nodes, by their numbers;  f [m] a draw;  K [m, m] its covariance
    V [t, m]  rows v = k(x_t, ·) / s after each evaluation: the posterior covariance is K − Vᵀ V
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import click
import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import log_ndtr, ndtr

from experiments.markdown import markdown_table
from experiments.pool import Failure, default_workers, run_all
from experiments.statistics import estimate, paired_test
from experiments.synthetic import FOUR_D, draw, matern52, nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments.synthetic import FloatArray

EVALUATIONS = 60
RANDOM_POINTS = 2  # before the model, as the chooser has them
FIRST_DRAW = 1000
LATENT_DRAWS = 20
NUGGET = 1e-8
FOUND, FLOOR = 1e-2, 1e-3  # a node is the minimum or it is not: closer there is nothing to tell
HEADINGS = (
    "acquisition",
    "log10 recommended",
    "best evaluated",
    "found",
    "beside the first: better",
    "worse",
    "p",
)


@cache
def covariance() -> FloatArray:
    """K."""
    Z = nodes(FOUR_D)
    return matern52(Z, Z)


@dataclass
class KnownModel:
    """The posterior at every node, one evaluation after the other."""

    rng: np.random.Generator
    mean: FloatArray = field(default_factory=lambda: np.zeros(len(covariance())))
    V: FloatArray = field(default_factory=lambda: np.empty((0, len(covariance()))))
    rows: list[int] = field(default_factory=list)

    @property
    def sd(self) -> FloatArray:
        return np.asarray(np.sqrt(np.maximum(1.0 - np.sum(self.V**2, axis=0), 1e-12)))

    @property
    def incumbent(self) -> float:
        return float(np.min(self.mean[self.rows]))

    def add(self, row: int, value: float) -> None:
        """A result at a node: the factor grows by one row."""
        k = covariance()[row] - self.V.T @ self.V[:, row]
        s = np.sqrt(k[row] + FOUR_D.noise_variance)
        self.mean = self.mean + k / s * (value - self.mean[row]) / s
        self.V = np.vstack([self.V, k / s])
        self.rows.append(row)

    def latent_draws(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means [m, draws] and sd [m] given draws of the values at the evaluated nodes without
        their noise, and the least value of each [draws]."""
        X, K = np.unique(self.rows), covariance()
        prior, nugget = K[np.ix_(X, X)], NUGGET * np.eye(len(X))
        C = prior - self.V[:, X].T @ self.V[:, X]
        noise = self.rng.standard_normal((len(X), LATENT_DRAWS))
        f = self.mean[X][:, np.newaxis] + cholesky(C + nugget, lower=True) @ noise
        L = cholesky(prior + nugget, lower=True)
        W = solve_triangular(L, K[X], lower=True)
        variance = np.maximum(1.0 - np.sum(W**2, axis=0), 1e-12)
        variance[X] = 1e-12
        return K[:, X] @ cho_solve((L, True), f), np.sqrt(variance), np.min(f, axis=0)


Acquisition: TypeAlias = "Callable[[KnownModel], FloatArray]"


def improvement(gamma: FloatArray, power: int) -> FloatArray:
    """E[max(γ − ε, 0)^power] for a standard normal ε (Schonlau et al. 1998)."""
    before, value = ndtr(gamma), np.exp(-0.5 * gamma**2) / np.sqrt(2 * np.pi) + gamma * ndtr(gamma)
    for g in range(2, power + 1):
        before, value = value, gamma * value + (g - 1) * before
    return np.asarray(np.maximum(value, 0.0))


def expected_improvement(*, margin: float = 0.0, power: int = 1) -> Acquisition:
    """Over the least mean less a margin."""

    def score(model: KnownModel) -> FloatArray:
        sd = model.sd
        gamma = (model.incumbent - margin - model.mean) / sd
        return np.asarray(sd**power * improvement(gamma, power))

    return score


def noisy_improvement(*, margin: float = 0.0, power: int = 1) -> Acquisition:
    """Averaged over draws of the latent values, as the chooser has it under noise."""

    def score(model: KnownModel) -> FloatArray:
        means, sd, best = model.latent_draws()
        gamma = (best - margin - means) / sd[:, np.newaxis]
        return np.asarray(sd**power * np.mean(improvement(gamma, power), axis=1))

    return score


def lower_bound(kappa: float) -> Acquisition:
    return lambda model: np.asarray(kappa * model.sd - model.mean)


def probability(margin: float) -> Acquisition:
    """Of an improvement by more than a margin."""
    return lambda model: np.asarray(
        log_ndtr((model.incumbent - margin - model.mean) / model.sd),
    )


ACQUISITIONS: dict[str, Acquisition] = {
    "noisy EI": noisy_improvement(),
    "noisy EI, of an improvement by more than 0.1": noisy_improvement(margin=0.1),
    "noisy EI of the square of the improvement": noisy_improvement(power=2),
    "EI over the least mean": expected_improvement(),
    "EI of an improvement by more than 0.1": expected_improvement(margin=0.1),
    "EI of the square of the improvement": expected_improvement(power=2),
    "EI of its third power": expected_improvement(power=3),
    "probability of an improvement by more than 0.3": probability(0.3),
    "lower bound, κ = 2": lower_bound(2.0),
    "lower bound, κ = 3": lower_bound(3.0),
}


@dataclass(frozen=True)
class Ending:
    """Distances to the least node after the last evaluation."""

    recommended: float
    evaluated: float


def endings(seed: int) -> dict[str, Ending]:
    """Every acquisition on one draw, with the same noise and the same first points."""
    f = draw(FOUR_D, seed).node_values
    return {name: run(f, acquisition, seed) for name, acquisition in ACQUISITIONS.items()}


def run(f: FloatArray, acquisition: Acquisition, seed: int) -> Ending:
    rng = np.random.default_rng(seed)
    noise = rng.normal(0.0, np.sqrt(FOUR_D.noise_variance), EVALUATIONS)
    first = rng.integers(len(f), size=RANDOM_POINTS)
    model = KnownModel(rng)
    for t in range(EVALUATIONS):
        row = int(first[t]) if t < RANDOM_POINTS else int(np.argmax(acquisition(model)))
        model.add(row, float(f[row] + noise[t]))
    recommended = f[int(np.argmin(model.mean))]
    return Ending(float(recommended - np.min(f)), float(np.min(f[model.rows]) - np.min(f)))


def table(found: list[dict[str, Ending]]) -> str:
    def logarithms(name: str, measure: str) -> list[float]:
        distances = [getattr(endings[name], measure) for endings in found]
        return [float(np.log10(max(distance, FLOOR))) for distance in distances]

    reference = logarithms(next(iter(ACQUISITIONS)), "recommended")
    rows = []
    for i, name in enumerate(ACQUISITIONS):
        recommended = logarithms(name, "recommended")
        test = paired_test(recommended, reference)
        share = np.mean([endings[name].recommended < FOUND for endings in found])
        compared = (str(test.first_lower), str(test.second_lower), f"{test.p_value:.3f}")
        rows.append(
            (
                name,
                str(estimate(recommended)),
                str(estimate(logarithms(name, "evaluated"))),
                f"{share:.0%}",
                *(compared if i else ("", "", "")),
            )
        )
    return markdown_table(HEADINGS, rows)


@click.command(help=__doc__)
@click.option("--draws", type=int, default=200)
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
def main(draws: int, jobs: int) -> None:
    seeds = range(FIRST_DRAW, FIRST_DRAW + draws)
    found = []
    for outcome in run_all(endings, seeds, workers=jobs, description=f"{draws} draws"):
        if isinstance(outcome.result, Failure):
            raise SystemExit(outcome.result.error)
        found.append(outcome.result)
    click.echo(table(found))


if __name__ == "__main__":
    main()
