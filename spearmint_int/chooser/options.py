"""How to model and how to search: every setting of a chooser, with its default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Literal

from spearmint_int.acquisition import SearchOptions, acquisition_named
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.kernels import kernel_named
from spearmint_int.sampling import Prior, Priors, SamplerOptions

TREATMENTS = ("proposed", "basic", "naive")
LIKELIHOODS = ("GAUSSIAN", "NOISELESS")
# The counts, and the least that each may be.
LEAST = {"samples": 1, "burn_in": 0, "thinning": 0, "fantasies": 1, "chains": 1, "threads": 1,
         "candidates": 1, "candidates_seed": 0, "spray": 0, "initial_points": 0}  # fmt: skip


@dataclass(frozen=True)
class ChooserOptions:
    """How to model and how to search; the defaults are for every experiment.

    A config.json has them as keys with a hyphen, some of them under Spearmint's names: `treatment`
    is `integer-treatment`, `samples` is `mcmc-iters`, `burn_in` is `burnin`, `fantasies` is
    `num-fantasies`, `candidates` is `grid-size` (and its seed `grid-seed`), `spray` is `num-spray`,
    and `initial_points` is `num-initial-points`.
    """

    treatment: str = "proposed"
    """How the model sees integers: `proposed` (in the kernel), `basic` or `naive`."""
    likelihood: str = "GAUSSIAN"
    """`NOISELESS` where the same parameters always give the same result."""
    kernel: str = "matern52"
    """The covariance function, by its name in the registry."""
    acquisition: str = "auto"
    """What the search maximises, by its name; `auto` is `ei`, and `nei` under noise."""
    priors: Mapping[str, Prior] = field(default_factory=dict)
    """Other priors than the default, by the name of the hyperparameter: `{"noise":
    horseshoe(0.1)}`, from `spearmint_int.sampling.priors`."""
    output_warp: bool = True
    """Whether values above their median are compressed, by a power that is sampled."""
    trend: bool = True
    """Whether the model that suggests has a parabola along each axis, its size sampled too."""
    input_warp: bool | Literal["auto"] = False
    """Whether each axis may bend, by parameters that are sampled; `auto` bends those that span
    decades on a linear scale."""
    samples: int = 10
    """Hyperparameter samples for each suggestion."""
    burn_in: int = 100
    """Sweeps of the sampler before the first sample, at the first fit only."""
    thinning: int = 0
    """Sweeps that are discarded between two samples."""
    fantasies: int = 1
    """Draws of the pending results for each hyperparameter sample."""
    chains: int = 1
    """Chains that share the samples."""
    threads: int = 1
    """Threads over which the chains are spread."""
    candidates: int = 1000
    """Sobol points from which the search starts."""
    candidates_seed: int = 0
    """The seed of these points."""
    spray: int = 10
    """Candidates around the best point."""
    spray_std: float = 1e-3
    """Their standard deviation, in the unit cube."""
    initial_points: int = 2
    """Results that the model waits for; until then points are those of a Sobol design."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "likelihood", str(self.likelihood).upper())
        object.__setattr__(self, "treatment", str(self.treatment).lower())
        if self.treatment not in TREATMENTS:
            raise UnknownNameError("integer treatment", self.treatment, TREATMENTS)
        if self.likelihood not in LIKELIHOODS:
            raise UnknownNameError("likelihood", self.likelihood, LIKELIHOODS)
        if self.input_warp not in (True, False, "auto"):
            raise SpearmintError(
                f"input_warp must be true, false or 'auto', got {self.input_warp!r}"
            )
        kernel_named(self.kernel)
        acquisition_named(self.acquisition_in_use)
        if not isinstance(self.priors, Mapping):
            raise SpearmintError(f"priors must map hyperparameters to priors, got {self.priors!r}")
        Priors().with_(self.priors)
        object.__setattr__(self, "priors", dict(self.priors))  # the caller's may change
        for name in ("output_warp", "trend"):
            if not isinstance(getattr(self, name), bool):
                raise SpearmintError(f"{name} must be true or false, got {getattr(self, name)!r}")
        self._check_counts()
        if isinstance(self.spray_std, bool) or not isinstance(self.spray_std, Real):
            raise SpearmintError(f"spray_std must be a number, got {self.spray_std!r}")
        if not 0.0 < self.spray_std < math.inf:
            raise SpearmintError(f"spray_std must be above 0, and finite, got {self.spray_std}")
        object.__setattr__(self, "spray_std", float(self.spray_std))  # numpy's can't be saved

    def _check_counts(self) -> None:
        for name, least in LEAST.items():
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, Integral):
                raise SpearmintError(f"{name} must be a whole number, got {count!r}")
            if count < least:
                raise SpearmintError(f"{name} must be at least {least}, got {count}")
            object.__setattr__(self, name, int(count))  # numpy's can't be saved

    @property
    def noiseless(self) -> bool:
        return self.likelihood == "NOISELESS"

    @property
    def rounds(self) -> bool:
        """Whether T is in the kernel (the proposed treatment)."""
        return self.treatment == "proposed"

    @property
    def acquisition_in_use(self) -> str:
        """The acquisition's name, with `auto` resolved: EI, or noisy EI where there is noise. Under
        noise plain EI evaluates a good point again until its mean is known: a third of the
        evaluations on the paper's noisy problems."""
        if self.acquisition != "auto":
            return self.acquisition
        return "ei" if self.noiseless else "nei"

    @property
    def sampler(self) -> SamplerOptions:
        return SamplerOptions(self.samples, self.burn_in, self.thinning, self.chains, self.threads)

    @property
    def search(self) -> SearchOptions:
        return SearchOptions(self.candidates, self.candidates_seed, self.spray, self.spray_std)
