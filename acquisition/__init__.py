"""Acquisition functions, their average over hyperparameter samples, and their maximisation."""

from __future__ import annotations

from spearmint_int.acquisition.feasibility import (
    LOG_HALF,
    PULL,
    Feasibility,
    FeasibleOnly,
    JointFeasibility,
    NegativeViolation,
    is_logarithmic,
    weighted,
)
from spearmint_int.acquisition.registry import AcquisitionMaker, acquisition_named
from spearmint_int.acquisition.search import Found, SearchOptions, maximize
from spearmint_int.acquisition.sobol import sobol_design
from spearmint_int.acquisition.surface import (
    AveragedAcquisition,
    NegativeBound,
    SupportsGradient,
    SupportsPending,
    Surface,
)
from spearmint_int.registry import ACQUISITIONS

__all__ = [
    "ACQUISITIONS",
    "LOG_HALF",
    "PULL",
    "AcquisitionMaker",
    "AveragedAcquisition",
    "Feasibility",
    "FeasibleOnly",
    "Found",
    "JointFeasibility",
    "NegativeBound",
    "NegativeViolation",
    "SearchOptions",
    "SupportsGradient",
    "SupportsPending",
    "Surface",
    "acquisition_named",
    "is_logarithmic",
    "maximize",
    "sobol_design",
    "weighted",
]
