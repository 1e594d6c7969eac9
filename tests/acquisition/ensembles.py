"""Ensembles that the tests of surfaces and of the search share."""

from __future__ import annotations

import numpy as np

from spearmint_int.model import Ensemble, Hyperparameters
from spearmint_int.space import Space
from tests.twins import fitted, some_data


def some_ensemble(
    space: Space, *, n: int = 12, samples: int = 3, noiseless: bool = False, seed: int = 0
) -> Ensemble:
    """Posteriors of different hyperparameters on the same data."""
    U, y = some_data(space, n, seed=seed)
    rng = np.random.default_rng(seed)
    return Ensemble(
        tuple(
            fitted(
                space,
                U,
                y,
                Hyperparameters(
                    rng.normal(0.0, 0.3),
                    rng.uniform(0.5, 2.0),
                    0.0 if noiseless else rng.uniform(0.01, 0.2),
                    tuple(rng.uniform(0.15, 0.6, len(space.groups))),
                ),
                noiseless=noiseless,
            )
            for _ in range(samples)
        ),
        space.snap,
    )
