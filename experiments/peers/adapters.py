"""The optimisers behind one face: tell results, ask for a point, ask for a recommendation.

Each peer is used as its documentation recommends for integer variables and for results with or
without noise; what was chosen is said at each class. All minimise. A peer is imported when it is
built: a comparison runs where only some of them are installed.

    optimiser = build("botorch", Assignment(dimensions, 0.0, evaluations=50, seed=1))
    optimiser.tell({"x1": 0.3, "x2": 1}, 0.7)      # as often as there are results
    optimiser.ask()                                # all the work of a suggestion is in here
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from importlib.metadata import version as package_version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import spearmint_int
from experiments.ours import Ours
from experiments.synthetic import LENGTH_SCALE
from spearmint_int.sampling.priors import uniform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from experiments.peers.history import Assignment
    from experiments.trial import Optimiser

WIDTH = 1e-3  # a prior has to have one
# The length scales that the paper's objectives are drawn with, which no method knows: what an
# optimiser that is told them ends at is what is there to win by learning them faster.
KNOWN = {"length_scale": uniform(LENGTH_SCALE * (1 - WIDTH), LENGTH_SCALE * (1 + WIDTH))}
OURS: Mapping[str, Mapping[str, Any]] = {
    "ours": {},
    "ours-noiseless": {"likelihood": "NOISELESS"},
    "informed": {"priors": KNOWN},
    "informed-noiseless": {"priors": KNOWN, "likelihood": "NOISELESS"},
}
# Where each peer's class is, and the package whose version its results carry.
PEERS = {
    "optuna-gp": ("experiments.peers.optuna_samplers", "OptunaGP", "optuna"),
    "optuna-tpe": ("experiments.peers.optuna_samplers", "OptunaTPE", "optuna"),
    "optuna-ours": ("experiments.peers.optuna_samplers", "OptunaOurs", "optuna"),
    "botorch": ("experiments.peers.botorch_mixed", "BoTorch", "botorch"),
    "bayesian-optimization": (
        "experiments.peers.bayes_opt_ei",
        "BayesOpt",
        "bayesian-optimization",
    ),
    "scikit-optimize": ("experiments.peers.scikit_optimize", "ScikitOptimize", "scikit-optimize"),
    "smac": ("experiments.peers.smac_forest", "Smac", "smac"),
    "hebo": ("experiments.peers.hebo_mace", "Hebo", "HEBO"),
    "cmaes": ("experiments.peers.cma_margin", "CMAwithMargin", "cmaes"),
    "random": ("experiments.peers.random_search", "RandomSearch", "numpy"),
}
NAMES = (*OURS, *PEERS)
# What a suggestion is made by, in the package; the rest of it runs jobs.
ENGINE = ("space.py", "kernels", "model", "sampling", "acquisition", "chooser")


def build(name: str, assignment: Assignment, **settings: Any) -> Optimiser:
    """The optimiser called `name`, fresh. `settings` are for ours alone.

    Ours is told neither of the noise nor of the number of evaluations: its defaults have to do.
    """
    if name in OURS:
        chosen = {**OURS[name], **settings}
        return Ours(assignment.dimensions, seed=assignment.seed, **chosen)
    module, kind, _ = PEERS[name]
    return cast("Optimiser", getattr(import_module(module), kind)(assignment, **settings))


@cache
def version(name: str) -> str:
    """Of the peer's package; of ours a fingerprint of the engine's sources too."""
    if name in OURS:
        return f"{package_version('spearmint-int')}+{_engine_fingerprint()}"
    return package_version(PEERS[name][2])


def _engine_fingerprint() -> str:
    digest = hashlib.sha256()
    for part in ENGINE:
        for path in _sources(Path(spearmint_int.__file__).parent / part):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def _sources(part: Path) -> list[Path]:
    if part.is_file():
        return [part]
    return sorted(path for path in part.iterdir() if path.suffix in {".py", ".pyx", ".pxd", ".h"})
