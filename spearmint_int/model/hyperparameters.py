"""θ, the hyperparameters of one GP, in the units of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Hyperparameters:
    """One θ: the constant mean, amp2, the noise variance, and a length scale for each group."""

    mean: float
    amplitude2: float
    noise: float
    length_scales: tuple[float, ...]

    @property
    def noise_ratio(self) -> float:
        return self.noise / self.amplitude2

    def to_json(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "amplitude2": self.amplitude2,
            "noise": self.noise,
            "length_scales": list(self.length_scales),
        }
