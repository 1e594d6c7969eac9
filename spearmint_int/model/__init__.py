"""The Gaussian process: its data, its hyperparameters, and their posteriors."""

from __future__ import annotations

from spearmint_int.model.data import TrainingData
from spearmint_int.model.ensemble import Ensemble, shares
from spearmint_int.model.factor import Factor
from spearmint_int.model.hyperparameters import Hyperparameters
from spearmint_int.model.outputs import OutputScale, OutputWarp
from spearmint_int.model.posterior import Posterior, factor_of

__all__ = [
    "Ensemble",
    "Factor",
    "Hyperparameters",
    "OutputScale",
    "OutputWarp",
    "Posterior",
    "TrainingData",
    "factor_of",
    "shares",
]
