"""Gradient boosting on scikit-learn's handwritten digits: two integers, two reals, and noise.

What to expect: 2.5 to 3 % of the held-out third wrong, from 17 % at the first point; some settings
diverge (75 %). A job takes one to a few seconds, the whole run about a minute. It needs
scikit-learn (`pip install spearmint-int[experiments]`).
"""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_digits
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split


def main(job_id: int, params: dict[str, Any]) -> float:
    """Train once, with trees that differ from job to job; the errors on unseen digits in %."""
    images, labels = load_digits(return_X_y=True)
    train_x, held_x, train_y, held_y = train_test_split(
        images, labels, test_size=1 / 3, random_state=0, stratify=labels
    )
    model = GradientBoostingClassifier(
        learning_rate=float(params["learning-rate"][0]),
        max_depth=int(params["max-depth"][0]),
        n_estimators=int(params["trees"][0]),
        subsample=float(params["subsample"][0]),
        max_features="sqrt",
        random_state=job_id,
    ).fit(train_x, train_y)
    error = 100.0 * (1.0 - float(model.score(held_x, held_y)))
    print(f"{model.n_estimators_} trees of depth {model.max_depth}: {error:.2f} % wrong")
    return error
