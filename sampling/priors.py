"""Priors of the GP's hyperparameters; their densities are in the compiled sampler.

| hyperparameter | of                     | default                              |
| mean           | the constant mean      | N(0, 1)                              |
| amplitude      | √amp2                  | log-normal(0, 1)                     |
| noise          | the noise variance     | log-normal(−7, 4) on [1e-10, 1]      |
| length_scale   | each length scale      | uniform on [0, 10] without noise,    |
|                |                        | log-normal(−1, 1) on (0, 10] with it |
|                | of MANY axes or more   | a mixture, see below                 |
| output_power   | λ of the outputs' warp | uniform on [−1, 1]                   |
| trend          | the trend's sd         | log-normal(0, 1)                     |

All are in units of the standardised outputs and of the unit cube. They are Spearmint's, but for
these changes:

- Where there is noise its standard deviation lies between a hundred-thousandth of the outputs' own
  and the whole of it. Without the lower limit exact repeats of a result would draw it towards zero
  without end; without the upper one a few results could be explained by noise alone. Its prior
  allows for almost none, since most objectives are exact, or nearly. Spearmint's horseshoe of scale
  0.1 expects a third of the outputs' spread, and takes the roughness of an exact function for
  noise. (The model whose predictions are shown expects more noise: `chooser/fitted.py`.)
- Where there is noise a length scale is short rather than anything up to 10, because noise around a
  nearly flat function explains few results too well.
- Of many axes most hardly matter, or all do. If each length scale were short on its own account, a
  dozen axes that don't matter would together look as if they did: the search goes on changing them
  beside its best point, and never leaves it. So either all length scales are log-normal(−1, 1), or
  all are log-normal(1, 2), in which any may be a thousand times as long as another; the data tell
  which. (Figures are in experiments/suite/README.md, 'Few of many'.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

import numpy as np

from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.registry import PRIORS
from spearmint_int.sampling._chain import prior_log_density

# The least noise variance: with exact repeats of a result the likelihood is unbounded towards 0.
LEAST_NOISE = 1e-10
# The hyperparameters that are sampled as logarithms, with the least that each may be.
POSITIVE = {
    "amplitude": 0.0,
    "noise": LEAST_NOISE,
    "length_scale": 0.0,
    "trend": 0.0,
    "input_warp": 0.0,
}


# Of these the model takes squares, and squares of their ratios: beyond, doubles have none.
SQUARED, SMALLEST, GREATEST = ("amplitude", "length_scale", "trend"), 1e-75, 1e75


class PriorError(SpearmintError, ValueError):
    """An impossible prior: a parameter is missing, unknown or out of range."""


class Family(IntEnum):
    """The families, by their numbers in the compiled code."""

    UNIFORM = 0
    NORMAL = 1
    LOGNORMAL = 2
    HORSESHOE = 3
    GAMMA = 4
    MIXTURE = 5


# The names of a, b, c and d in each family.
PARAMETERS = {
    Family.UNIFORM: (),
    Family.NORMAL: ("mu", "sigma"),
    Family.LOGNORMAL: ("mu", "sigma"),
    Family.HORSESHOE: ("scale",),
    Family.GAMMA: ("shape", "rate"),
    Family.MIXTURE: ("mu", "sigma", "other_mu", "other_sigma"),
}


@dataclass(frozen=True)
class Prior:
    """A family, its parameters a to d, and the interval that it is truncated to."""

    family: Family
    a: float = 0.0
    b: float = 0.0
    lower: float = 0.0
    upper: float = math.inf
    c: float = 0.0
    d: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", Family(self.family))  # a number where it was stored

    def log_density(self, x: float) -> float:
        """The log density up to a constant; −∞ outside of the interval."""
        return prior_log_density(np.array(self.row), x)

    def contains(self, x: float) -> bool:
        """Whether x lies in the interval."""
        return self.lower <= x <= self.upper

    @property
    def row(self) -> tuple[float, ...]:
        """As the compiled chain takes it."""
        return (float(self.family), self.a, self.b, self.lower, self.upper, self.c, self.d)

    @property
    def start(self) -> float:
        """A typical value, where a chain may begin."""
        median = math.exp(min(max(self.a, -50.0), 50.0))
        typical = {
            Family.UNIFORM: 0.5,
            Family.NORMAL: self.a,
            Family.LOGNORMAL: median,
            Family.MIXTURE: median,
            Family.HORSESHOE: 0.1 * self.a,
            Family.GAMMA: self.a / self.b if self.family is Family.GAMMA else 0.0,
        }[self.family]
        if self.lower < typical < self.upper:
            return typical
        if math.isfinite(self.lower) and math.isfinite(self.upper):
            return 0.5 * (self.lower + self.upper)
        return self.lower + 1.0 if math.isfinite(self.lower) else self.upper - 1.0


def uniform(lower: float, upper: float) -> Prior:
    """Flat on [lower, upper]."""
    return _checked(Prior(Family.UNIFORM, lower=lower, upper=upper))


def normal(mu: float, sigma: float, *, lower: float = -math.inf, upper: float = math.inf) -> Prior:
    """N(mu, sigma²)."""
    return _checked(Prior(Family.NORMAL, mu, sigma, lower, upper))


def lognormal(mu: float, sigma: float, *, lower: float = 0.0, upper: float = math.inf) -> Prior:
    """The logarithm is N(mu, sigma²)."""
    return _checked(Prior(Family.LOGNORMAL, mu, sigma, lower, upper))


def horseshoe(scale: float, *, lower: float = 0.0, upper: float = math.inf) -> Prior:
    """log(1 + 3 (scale/x)²): a spike at zero and a heavy tail (Carvalho et al. 2010)."""
    return _checked(Prior(Family.HORSESHOE, scale, 1.0, lower, upper))


def gamma(shape: float, rate: float, *, lower: float = 0.0, upper: float = math.inf) -> Prior:
    """x^(shape − 1) e^(−rate x)."""
    return _checked(Prior(Family.GAMMA, shape, rate, lower, upper))


def mixture(
    mu: float,
    sigma: float,
    other_mu: float,
    other_sigma: float,
    *,
    lower: float = 0.0,
    upper: float = math.inf,
) -> Prior:
    """The logarithm is N(mu, sigma²), or as likely N(other_mu, other_sigma²): of length scales
    that of all of them, or that of none."""
    return _checked(Prior(Family.MIXTURE, mu, sigma, lower, upper, other_mu, other_sigma))


def prior_from_dict(description: Mapping[str, Any]) -> Prior:
    """`{"type": "lognormal", "mu": 0, "sigma": 1}` as a prior; PriorError says what is wrong."""
    parameters = {key: value for key, value in description.items() if key != "type"}
    name = str(description.get("type", "")).lower()
    make = PRIORS[name]
    for key, value in parameters.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PriorError(f"{name}.{key}: must be a number, got {value!r}")
    try:
        return make(**parameters)
    except TypeError as error:
        raise PriorError(f"{name}: {str(error).split('() ')[-1]}") from None


def prior_to_dict(prior: Prior) -> dict[str, Any]:
    """The inverse of `prior_from_dict`, without the bounds that the family has by itself."""
    values = (prior.a, prior.b, prior.c, prior.d)
    parameters = dict(zip(PARAMETERS[prior.family], values, strict=False))
    bounds = {"lower": prior.lower, "upper": prior.upper}
    own = {"lower": -math.inf if prior.family is Family.NORMAL else 0.0, "upper": math.inf}
    if prior.family is not Family.UNIFORM:
        bounds = {name: x for name, x in bounds.items() if x != own[name] and math.isfinite(x)}
    return {"type": prior.family.name.lower(), **parameters, **bounds}


def _checked(prior: Prior) -> Prior:
    if not prior.lower < prior.upper:
        raise PriorError(f"lower ({prior.lower}) must be below upper ({prior.upper})")
    if prior.family is not Family.UNIFORM and not prior.b > 0:
        raise PriorError(f"the scale must be above 0, got {prior.b}")
    if prior.family is Family.MIXTURE and not prior.d > 0:
        raise PriorError(f"the other scale must be above 0, got {prior.d}")
    if prior.family in (Family.HORSESHOE, Family.GAMMA) and not prior.a > 0:
        raise PriorError(f"the scale or shape must be above 0, got {prior.a}")
    if prior.family is Family.UNIFORM and not math.isfinite(prior.upper - prior.lower):
        raise PriorError("a uniform prior must have finite bounds")
    return prior


SHORT = lognormal(-1.0, 1.0, upper=10.0)
SHORT_OR_APART = mixture(-1.0, 1.0, 1.0, 2.0, upper=1000.0)
# With fewer axes all of them usually matter, and there is nothing to win.
MANY = 8


@dataclass(frozen=True)
class Priors:
    """The priors of all hyperparameters."""

    mean: Prior = field(default_factory=lambda: normal(0.0, 1.0))
    amplitude: Prior = field(default_factory=lambda: lognormal(0.0, 1.0))
    noise: Prior = field(default_factory=lambda: lognormal(-7.0, 4.0, lower=LEAST_NOISE, upper=1.0))
    length_scale: Prior = field(default_factory=lambda: SHORT)
    output_power: Prior = field(default_factory=lambda: uniform(-1.0, 1.0))
    trend: Prior = field(default_factory=lambda: lognormal(0.0, 1.0))
    input_warp: Prior = field(default_factory=lambda: lognormal(0.0, 0.5, lower=0.1, upper=10.0))

    @classmethod
    def default(cls, *, axes: int, noiseless: bool) -> Priors:
        """The priors of an experiment with so many length scales that names none."""
        if axes >= MANY:
            return cls(length_scale=SHORT_OR_APART)
        return cls(length_scale=uniform(0.0, 10.0)) if noiseless else cls()

    def with_(self, overrides: Mapping[str, Prior]) -> Priors:
        """These priors, some of them replaced; an unknown name lists the valid ones.

        Those of positive hyperparameters are truncated at 0, that of the noise at its least value.
        PriorError where a chain would have to begin at numbers that can't be computed with.
        """
        for name in overrides:
            if name not in self.__dataclass_fields__:
                raise UnknownNameError("hyperparameter", name, self.__dataclass_fields__)
            if not isinstance(overrides[name], Prior):
                raise PriorError(
                    f"the prior of {name} must be one of spearmint_int.sampling.priors, such as "
                    f"lognormal(0, 1), got {overrides[name]!r}"
                )
        cut = {name: _cut(name, prior) for name, prior in overrides.items()}
        for name, prior in cut.items():
            if name in SQUARED and not SMALLEST <= prior.start <= GREATEST:
                raise PriorError(
                    f"the {_called(name)} must be typically between {SMALLEST:g} and {GREATEST:g}, "
                    f"in units of the cube and of standardised outputs, got {prior.start:g}"
                )
        return replace(self, **cut)


def _cut(name: str, prior: Prior) -> Prior:
    """The prior truncated to the hyperparameter's range; PriorError where nothing is left."""
    if name not in POSITIVE or prior.lower > 0.0:
        return prior
    least = POSITIVE[name]
    if not prior.upper > least:
        raise PriorError(
            f"the {_called(name)} must be above {least:g}, and upper is {prior.upper:g}"
        )
    return replace(prior, lower=least)


def _called(name: str) -> str:
    return name.replace("_", " ")
