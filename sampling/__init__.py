"""Slice sampling of the GP's hyperparameters, their priors, and the chain's diagnostics."""

from __future__ import annotations

from spearmint_int.registry import PRIORS
from spearmint_int.sampling.chain import (
    ChainHealth,
    ChainState,
    Draws,
    Model,
    SamplerOptions,
    sample_posteriors,
)
from spearmint_int.sampling.diagnostics import effective_sample_size, split_rhat
from spearmint_int.sampling.layout import Layout
from spearmint_int.sampling.priors import Prior, PriorError, Priors, prior_from_dict

__all__ = [
    "PRIORS",
    "ChainHealth",
    "ChainState",
    "Draws",
    "Layout",
    "Model",
    "Prior",
    "PriorError",
    "Priors",
    "SamplerOptions",
    "effective_sample_size",
    "prior_from_dict",
    "sample_posteriors",
    "split_rhat",
]
