"""The peers behind one face: tell results, ask for a point, ask for a recommendation.

Each is used as its documentation recommends for integer variables and for results with or without
noise; what was chosen is said at each class. All minimise. A peer is imported when it is built: the
comparison's other half runs where only one of them is installed.

    optimiser = build("botorch", dimensions, noise_variance=0.0, seed=1)
    optimiser.tell({"x1": 0.3, "x2": 1}, 0.7)      # as often as there are results
    optimiser.ask()                                # all the work of a suggestion is in here
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension
    from experiments.trial import Optimiser

PEERS = {
    "proposed": ("experiments.ours", "Ours"),
    "optuna": ("experiments.peers.optuna_gp", "OptunaGP"),
    "bayesian-optimization": ("experiments.peers.bayes_opt_ei", "BayesOpt"),
    "scikit-optimize": ("experiments.peers.scikit_optimize", "ScikitOptimize"),
    "botorch": ("experiments.peers.botorch_mixed", "BoTorch"),
    "informed": ("experiments.peers.informed", "Informed"),
    "random": ("experiments.peers.random_search", "RandomSearch"),
}


def build(
    name: str, dimensions: Sequence[Dimension], *, noise_variance: float, seed: int
) -> Optimiser:
    """The peer called `name`, fresh; a noise variance of 0 says that results are exact."""
    module, kind = PEERS[name]
    made = getattr(import_module(module), kind)(
        dimensions, noise_variance=noise_variance, seed=seed
    )
    return cast("Optimiser", made)
