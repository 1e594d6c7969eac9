"""Acquisition functions, their average over hyperparameter samples, and their maximisation."""

from __future__ import annotations

from spearmint_int.acquisition.feasibility import (
    LOG_HALF,
    PULL,
    AllHold,
    Feasibility,
    LeastMissed,
    WhereItWorks,
    weighed,
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
    "AllHold",
    "AveragedAcquisition",
    "Feasibility",
    "Found",
    "LeastMissed",
    "NegativeBound",
    "SearchOptions",
    "SupportsGradient",
    "SupportsPending",
    "Surface",
    "WhereItWorks",
    "acquisition_named",
    "maximize",
    "sobol_design",
    "weighed",
]
