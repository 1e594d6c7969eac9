"""Acquisition functions, their average over hyperparameter samples, and their maximisation."""

from __future__ import annotations

from spearmint_int.acquisition.registry import ACQUISITIONS, acquisition_named
from spearmint_int.acquisition.search import Found, SearchOptions, maximize, point_key
from spearmint_int.acquisition.sobol import sobol_design
from spearmint_int.acquisition.surface import (
    AveragedAcquisition,
    NegativeMean,
    SupportsGradient,
    Surface,
)

__all__ = [
    "ACQUISITIONS",
    "AveragedAcquisition",
    "Found",
    "NegativeMean",
    "SearchOptions",
    "SupportsGradient",
    "Surface",
    "acquisition_named",
    "maximize",
    "point_key",
    "sobol_design",
]
