"""How to model and how to search: every setting of a chooser, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spearmint_int.acquisition import SearchOptions, acquisition_named
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.kernels import kernel_named
from spearmint_int.sampling import Prior, Priors, SamplerOptions

TREATMENTS = ("proposed", "basic", "naive")
LIKELIHOODS = ("GAUSSIAN", "NOISELESS")


@dataclass(frozen=True)
class ChooserOptions:
    """How to model and how to search; the defaults are for every experiment."""

    treatment: str = "proposed"
    likelihood: str = "GAUSSIAN"
    kernel: str = "matern52"
    acquisition: str = "auto"
    priors: Mapping[str, Prior] = field(default_factory=dict)
    output_warp: bool = True
    input_warp: bool = False
    samples: int = 10
    burn_in: int = 100
    thinning: int = 0
    fantasies: int = 1
    chains: int = 1
    threads: int = 1
    candidates: int = 1000
    candidates_seed: int = 0
    spray: int = 10
    spray_std: float = 1e-3
    initial_points: int = 2

    def __post_init__(self) -> None:
        if self.treatment not in TREATMENTS:
            raise UnknownNameError("integer treatment", self.treatment, TREATMENTS)
        if self.likelihood not in LIKELIHOODS:
            raise UnknownNameError("likelihood", self.likelihood, LIKELIHOODS)
        kernel_named(self.kernel)
        acquisition_named(self.acquisition_in_use)
        Priors().with_(self.priors)
        for name in ("samples", "chains", "threads", "fantasies", "candidates"):
            if getattr(self, name) < 1:
                raise SpearmintError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def noiseless(self) -> bool:
        return self.likelihood == "NOISELESS"

    @property
    def rounds(self) -> bool:
        """Whether T is in the kernel (the proposed treatment)."""
        return self.treatment == "proposed"

    @property
    def acquisition_in_use(self) -> str:
        """What `auto` is: EI, and noisy EI where there is noise. Plain EI goes back to a good place
        until its mean is known, which on the paper's noisy problems is a third of the evaluations.
        """
        if self.acquisition != "auto":
            return self.acquisition
        return "ei" if self.noiseless else "nei"

    @property
    def sampler(self) -> SamplerOptions:
        return SamplerOptions(self.samples, self.burn_in, self.thinning, self.chains, self.threads)

    @property
    def search(self) -> SearchOptions:
        return SearchOptions(self.candidates, self.candidates_seed, self.spray, self.spray_std)
