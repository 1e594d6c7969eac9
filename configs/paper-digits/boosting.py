"""The paper's real experiment: gradient boosting of 100 trees on scikit-learn's digits.

The objective is the negative mean log-likelihood of the 30 % held out, so that less is better. The
split and the trees are seeded: the same parameters give the same number. The likelihood is GAUSSIAN
all the same: trees change their splits from one learning rate to the next, and the model has to
take that roughness for noise.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

TREES = 100
HELD_OUT = 0.3
SEED = 0


@cache
def split() -> tuple[Any, Any, Any, Any]:
    """Training inputs, held-out inputs, training labels, held-out labels."""
    images, labels = load_digits(return_X_y=True)
    return tuple(
        train_test_split(images, labels, test_size=HELD_OUT, random_state=SEED, stratify=labels)
    )


def validation_loss(log10_learning_rate: float, max_depth: int) -> float:
    """The negative mean log-likelihood on the held-out part after training on the rest."""
    train_x, held_x, train_y, held_y = split()
    model = GradientBoostingClassifier(
        n_estimators=TREES,
        learning_rate=10.0**log10_learning_rate,
        max_depth=max_depth,
        random_state=SEED,
    )
    return float(log_loss(held_y, model.fit(train_x, train_y).predict_proba(held_x)))


def main(job_id: int, params: dict[str, Any]) -> float:  # noqa: ARG001 (the manager's signature)
    """One job of the manager: train once, return the loss."""
    log10_learning_rate, max_depth = (
        np.ravel(params[name])[0] for name in ("log10_learning_rate", "max_depth")
    )
    return validation_loss(float(log10_learning_rate), int(max_depth))
