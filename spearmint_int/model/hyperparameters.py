"""θ, the hyperparameters of one GP, in the units of the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spearmint_int.kernels.warp import InputWarp


@dataclass(frozen=True)
class Hyperparameters:
    """One θ: the constant mean, amp2, the noise variance, a length scale for each group, the
    warps of outputs (`power`, 1 is none) and of inputs, and the variance of the trend."""

    mean: float
    amplitude2: float
    noise: float
    length_scales: tuple[float, ...]
    power: float = 1.0
    input_warp: InputWarp = field(default_factory=InputWarp)
    trend: float = 0.0

    @property
    def noise_ratio(self) -> float:
        return self.noise / self.amplitude2

    @property
    def trend_ratio(self) -> float:
        return self.trend / self.amplitude2

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "mean": self.mean,
            "amplitude2": self.amplitude2,
            "noise": self.noise,
            "length_scales": list(self.length_scales),
            "power": self.power,
            "trend": self.trend,
        }
        if self.input_warp.columns:
            document["input_warp"] = self.input_warp.to_json()
        return document
