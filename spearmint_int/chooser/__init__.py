"""Choosers: from one problem to the next points, and to the model's minimum.

A chooser is a function of data. It knows nothing of jobs, files or databases, and the same
problem gives the same answer. Whoever stores jobs makes a `Problem` of them (`experiment/`).
"""

from __future__ import annotations

from spearmint_int.chooser.answer import Answer, Chooser, Provenance, Recommendation, Suggestion
from spearmint_int.chooser.fitted import FittedModel, Prediction, fit, fit_for_search, model_of
from spearmint_int.chooser.model_based import FEASIBILITY, predict, recommend, searched, suggest
from spearmint_int.chooser.model_free import suggest_random, suggest_sequential
from spearmint_int.chooser.options import LIKELIHOODS, TREATMENTS, ChooserOptions
from spearmint_int.chooser.problem import OBJECTIVE, Constraint, Observations, Problem
from spearmint_int.registry import CHOOSERS

__all__ = [
    "FEASIBILITY",
    "LIKELIHOODS",
    "OBJECTIVE",
    "TREATMENTS",
    "Answer",
    "Chooser",
    "ChooserOptions",
    "Constraint",
    "FittedModel",
    "Observations",
    "Prediction",
    "Problem",
    "Provenance",
    "Recommendation",
    "Suggestion",
    "chooser_named",
    "fit",
    "fit_for_search",
    "model_of",
    "predict",
    "recommend",
    "searched",
    "suggest",
    "suggest_random",
    "suggest_sequential",
]


def chooser_named(name: str) -> Chooser:
    """The chooser of that name, or an error that lists the names there are."""
    return CHOOSERS[name]
