"""The model of a problem: outputs scaled, hyperparameters sampled, predictions in the objective's
units.

There are two models of the objective, both of the results that are numbers:

- `fit` is the one that is shown: in recommendations, predictions and figures. It is stationary:
  away from the data it reverts to the mean, and says that it doesn't know.
- `fit_for_search` is the one that suggestions come from. It may have a trend, which extrapolates:
  that finds better points sooner, but makes it too sure. (On 80 functions the truth was within two
  standard deviations of 71 % of its recommendations; without the trend of 93 %.)

Where evaluations fail is learned by a model of its own, and so is each constraint
(`acquisition/feasibility.py`).

`fit` starts its chain anew. To go on from the chain of `fit_for_search`, whose posterior is
another, takes a long burn-in too: on the README's example ten sweeps from there left the
probability of the best integer anywhere between 4 and 91 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spearmint_int.acquisition import LOG_HALF, Feasibility
from spearmint_int.arrays import BoolArray, FloatArray, point_key
from spearmint_int.chooser.options import ChooserOptions
from spearmint_int.chooser.problem import Constraint, Problem
from spearmint_int.chooser.treatment import input_transform
from spearmint_int.kernels import Covariance, kernel_named
from spearmint_int.model import Ensemble, OutputScale, TrainingData, shares
from spearmint_int.sampling import Draws, Model, Priors, sample_posteriors
from spearmint_int.sampling.priors import LEAST_NOISE, MANY, horseshoe, mixture
from spearmint_int.space import Space

# In the model that is shown, the least unit of the outputs, as a share of their spread. The search
# polishes its best point to the last digit, and then more than half of the results are alike. In
# units of what tells those apart, a point that was not tried yet would often be taken for the best.
# (With 30 results of the template, 20 of them alike to 6e-8, the best integer got a probability of
# 10 to 44 %; with this 97 to 100 %.)
SHOWN_LEAST_UNIT = 0.1
# In the model that is shown, the prior of the noise. The search does well to allow for almost none,
# but a recommendation from ten results would then take the luckiest of them for the truth. (100
# functions, 6 to 20 results, noise of 0.05, 0.3 and 1 times the function's spread, see
# tests/chooser/test_calibration.py: the truth of the recommended point was within two standard
# deviations in 63 %, and with this prior in 86 %, at points that are as good. The scale was chosen
# on 120 others: 61 and 87 %.)
SHOWN_NOISE = horseshoe(0.3, lower=LEAST_NOISE, upper=1.0)
# In the model that is shown, the prior of many length scales: all are moderate, or all apart. The
# search does well to take an axis that it has hardly moved along for flat, but the least mean is
# then found where nobody has been. (12 axes, noise of 0.1 and 0.3, 80 results of a search, 96 runs:
# the recommended point is better than with the prior of the search in 62 and worse in 29, and the
# truth within two standard deviations in 94 % instead of 91. The prior was chosen on 156 others.)
SHOWN_LENGTH_SCALES = mixture(0.0, 0.7, 1.0, 2.0, upper=1000.0)
# Of the models of failures and of constraints, whose chains start anew at each suggestion.
SAMPLES_BESIDE, BURN_IN_BESIDE = 5, 40
# Beyond so many of their typical sizes, on both sides of 0, constraints are compressed to their
# logarithms: a penalty of 1e6 must not flatten what happens at the edge.
FAR = 3.0
# A constraint that was the same everywhere, up to a rounding of SHARE_OF_ROUNDING, has no scale: it
# is this share of the constant, so that it is not expected to change its sign elsewhere.
SHARE_OF_CONSTANT = 0.1
SHARE_OF_ROUNDING = 1e-6
LARGEST = 1e300


@dataclass(frozen=True)
class Prediction:
    """Mean and standard deviation [m] of the objective itself, in its own units."""

    mean: FloatArray
    sd: FloatArray


@dataclass(frozen=True)
class FittedModel:
    """A GP for each hyperparameter sample, and the way back to the objective's units.

    `feasibility` is the model of failures, None where nothing has failed; `constraints` has those
    of the constraints that have any number.
    """

    problem: Problem
    scale: OutputScale
    data: TrainingData
    draws: Draws
    feasibility: Feasibility | None
    constraints: Mapping[str, Feasibility] = field(default_factory=dict)

    @cached_property
    def ensemble(self) -> Ensemble:
        posteriors = self.draws.posteriors
        if self.constraints:
            posteriors = tuple(replace(p, usable=self.feasible_rows) for p in posteriors)
        return Ensemble(posteriors, input_transform(self.problem))

    @cached_property
    def feasible_rows(self) -> BoolArray:
        """Which of the rows [n] count as feasible: every constraint holds, and evaluations work."""
        feasible = _all_count(self.constraints, self.data.X)
        if not self.constraints or self.feasibility is None:
            return feasible
        return feasible & self.feasibility.is_likely(self.data.X)

    @property
    def seeks_feasible(self) -> bool:
        """Whether there are constraints, and no row within the bounds is feasible: the next point
        is sought where all constraints are likeliest to hold."""
        inside = self.problem.space.inside(self.data.X)
        return bool(self.constraints) and not np.any(self.feasible_rows & inside)

    @property
    def has_no_best(self) -> bool:
        """Whether there is no best result to be sure of: no row is feasible, or a constraint has no
        number yet, as when its name is misspelt."""
        return len(self.constraints) < len(self.problem.constraints) or self.seeks_feasible

    @property
    def anchors(self) -> FloatArray:
        """The evaluated rows within the bounds, best first, those that violate a constraint last;
        the centre of the cube where there are none."""
        rows = self.data.X[np.lexsort((self.data.row_means(self.data.y), ~self.feasible_rows))]
        inside = rows[self.problem.space.inside(rows)]
        return inside if len(inside) else np.full((1, rows.shape[1]), 0.5)

    def is_feasible(self, points: FloatArray, *, constraints_from: float = 0.5) -> BoolArray:
        """Whether each of the points [m, D] fulfils every constraint with at least this
        probability, and an evaluation there is likelier to work than to fail [m]."""
        feasible = _all_count(self.constraints, points, least=np.log(constraints_from))
        if self.feasibility is None:
            return feasible
        return feasible & self.feasibility.is_likely(points)

    def draw_feasible(self, points: FloatArray, rng: np.random.Generator, count: int) -> BoolArray:
        """Whether every constraint holds at points [m, D], in `count` joint draws [count, m]."""
        each = [constraint.draw(points, rng, count) for constraint in self.constraints.values()]
        return np.asarray(np.all(each, axis=0))

    def probabilities(self, point: FloatArray) -> dict[str, float]:
        """How likely each constraint holds at the point [D]."""
        here = point[np.newaxis, :]
        return {
            name: float(constraint.probability(here)[0])
            for name, constraint in self.constraints.items()
        }

    def predict(self, points: FloatArray) -> Prediction:
        """The objective at points [m, D] of the unit cube, without the noise of an evaluation."""
        mean, sd = self.ensemble.mixture(points)
        return Prediction(self.scale.undo(mean), self.scale.unit * sd)

    def predict_evaluation(self, points: FloatArray) -> Prediction:
        """One evaluation at points [m, D] of the unit cube, its noise included."""
        mean, sd = self.ensemble.mixture_of_evaluation(points)
        return Prediction(self.scale.undo(mean), self.scale.unit * sd)

    def draw(
        self, points: FloatArray, rng: np.random.Generator, count: int, *, noisy: bool = False
    ) -> FloatArray:
        """`count` joint draws [count, m] of the objective at the points [m, D], in its own units.

        Each hyperparameter sample gives its share of them. `noisy` draws are of evaluations: the
        noise of one is in each value.
        """
        Z = np.ascontiguousarray(self.ensemble.transform(points))
        posteriors = self.ensemble.posteriors
        rows = []
        for posterior, share in zip(posteriors, shares(count, len(posteriors)), strict=True):
            drawn = posterior.draw(Z, share, rng)
            if noisy:
                drawn = drawn + np.sqrt(posterior.theta.noise) * rng.standard_normal(drawn.shape)
            rows.append(posterior.outputs.undo(drawn))
        return self.scale.undo(np.concatenate(rows))


def fit(problem: Problem, rng: np.random.Generator) -> FittedModel:
    """The model that is shown. numpy's LinAlgError where no covariance can be factored."""
    shown = {"noise": SHOWN_NOISE}
    if len(problem.space.groups) >= MANY:
        shown["length_scale"] = SHOWN_LENGTH_SCALES
    options = replace(problem.options, priors={**shown, **problem.options.priors})
    model = model_of(problem.space, options, trend=False)
    return _fit(replace(problem, chain=None), model, rng, least_unit=SHOWN_LEAST_UNIT)


def fit_for_search(problem: Problem, rng: np.random.Generator) -> FittedModel:
    """The model that suggestions come from, its chain going on from the problem's where it can.

    numpy's LinAlgError where no covariance can be factored.
    """
    model = model_of(problem.space, problem.options, trend=problem.options.trend)
    return _fit(problem, model, rng)


def _fit(
    problem: Problem, model: Model, rng: np.random.Generator, *, least_unit: float = 0.0
) -> FittedModel:
    worked = np.isfinite(problem.values)
    X, values = _rows(problem)[worked], problem.values[worked]
    constraints = _fit_constraints(problem, rng)
    scale = OutputScale.of(values, at_least=least_unit)
    if constraints:
        feasible = _all_count(constraints, X) & problem.observations.worked[worked]
        scale = _with_knee_among(values[feasible], scale)
    y = scale.apply(values)
    data = TrainingData.collapse(X, y, reference=y)
    draws = sample_posteriors(data, model, problem.options.sampler, rng=rng, start=problem.chain)
    failed = ~worked | ~problem.observations.worked if constraints else ~worked
    feasibility = _fit_feasibility(problem, failed, rng) if np.any(failed) else None
    return FittedModel(problem, scale, data, draws, feasibility, constraints)


def _with_knee_among(feasible: FloatArray, scale: OutputScale) -> OutputScale:
    """With the knee no lower than the median of the feasible values: outputs are not warped below
    it, and the best of all values may be far below the feasible ones."""
    if len(feasible) == 0:
        return scale
    return replace(scale, knee=max(scale.knee, float(np.median(feasible))))


# --- failures and constraints ---------------------------------------------------------------------


def _all_count(
    constraints: Mapping[str, Feasibility], points: FloatArray, *, least: float = LOG_HALF
) -> BoolArray:
    """Where every constraint counts as feasible [m]."""
    each = [constraint.counts(points, least=least) for constraint in constraints.values()]
    return np.asarray(np.all([np.ones(len(points), dtype=np.bool_), *each], axis=0))


def _fit_feasibility(problem: Problem, failed: BoolArray, rng: np.random.Generator) -> Feasibility:
    """The model of the indicator of failures [n], standardised."""
    ones = failed.astype(np.float64)
    shift, scale = float(np.mean(ones)), float(np.std(ones)) or 1.0
    y, half = (ones - shift) / scale, (0.5 - shift) / scale
    ensemble, data = _fit_beside(problem, _rows(problem), y, rng)
    return Feasibility(ensemble, half, _keys(data.X[data.row_means(y) < half]))


def _fit_constraints(problem: Problem, rng: np.random.Generator) -> dict[str, Feasibility]:
    """A model for each constraint of which there is any number."""
    values = {c: problem.observations.values[c.task] for c in problem.constraints}
    return {
        constraint.task: _fit_constraint(problem, constraint, column, rng)
        for constraint, column in values.items()
        if np.any(np.isfinite(column))
    }


def _fit_constraint(
    problem: Problem, constraint: Constraint, values: FloatArray, rng: np.random.Generator
) -> Feasibility:
    """The model of the constraint's violation, standardised; its limit is the place of 0 then."""
    known = np.isfinite(values)
    values = np.clip(values[known], -LARGEST, LARGEST)  # or their sums may be infinite
    violations = -_compressed(values)
    shift = float(np.mean(violations))
    varies = np.ptp(violations) > SHARE_OF_ROUNDING * abs(shift)
    scale = float(np.std(violations)) if varies else SHARE_OF_CONSTANT * abs(shift)
    scale = scale or 1.0
    y, limit = (violations - shift) / scale, -shift / scale
    ensemble, data = _fit_beside(
        problem, _rows(problem)[known], y, rng, likelihood=constraint.likelihood
    )
    observed = _keys(data.X[data.row_means(values) >= 0.0])
    return Feasibility(ensemble, limit, observed, certain=constraint.noiseless)


def _compressed(values: FloatArray) -> FloatArray:
    """asinh of the values over FAR typical sizes: linear around 0, logarithmic far from it."""
    sizes = np.abs(values)
    unit = FAR * (float(np.median(sizes)) or float(np.max(sizes))) or 1.0
    with np.errstate(over="ignore"):
        return np.arcsinh(np.clip(values / unit, -LARGEST, LARGEST))


def _fit_beside(
    problem: Problem,
    X: FloatArray,
    y: FloatArray,
    rng: np.random.Generator,
    *,
    likelihood: str = "GAUSSIAN",
) -> tuple[Ensemble, TrainingData]:
    """A GP of other outputs than the objective's, with hyperparameters of its own."""
    data = TrainingData.collapse(X, y, reference=y)
    options = ChooserOptions(
        kernel=problem.options.kernel,
        likelihood=likelihood,
        output_warp=False,
        samples=SAMPLES_BESIDE,
        burn_in=BURN_IN_BESIDE,
    )
    model = model_of(problem.space, options, trend=False)
    draws = sample_posteriors(data, model, options.sampler, rng=rng)
    return Ensemble(draws.posteriors, input_transform(problem)), data


def _keys(rows: FloatArray) -> frozenset[bytes]:
    return frozenset(point_key(row) for row in rows)


def _rows(problem: Problem) -> FloatArray:
    """The observations' points as the model has them [n, D]."""
    return np.asarray(input_transform(problem)(problem.observations.points), dtype=np.float64)


def model_of(space: Space, options: ChooserOptions, *, trend: bool) -> Model:
    """The GP that the options ask for over a space, before it has any data."""
    priors = Priors.default(axes=len(space.groups), noiseless=options.noiseless)
    return Model(
        covariance=Covariance.over(space, kernel_named(options.kernel), trend=trend),
        priors=priors.with_(options.priors),
        noiseless=options.noiseless,
        warps_outputs=options.output_warp,
        warped_columns=_warped_columns(space, options),
    )


def _warped_columns(space: Space, options: ChooserOptions) -> tuple[int, ...]:
    if options.input_warp == "auto":
        return space.stretched_columns
    return space.warpable_columns if options.input_warp else ()
