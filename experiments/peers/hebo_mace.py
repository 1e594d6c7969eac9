"""HEBO, which won the black-box challenge of NeurIPS 2020.

Its wheel is pinned to numpy below 1.25; it runs with the current one when it is installed without
its dependencies, as `make suite` does.
"""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO
from pymoo.config import Config

from experiments.peers.history import History

if TYPE_CHECKING:
    from experiments.dimension import Dimension, Params
    from experiments.peers.history import Assignment


class Hebo(History):
    """`HEBO` with its defaults: a warped GP, power-transformed values, three acquisitions at once.

    It draws from the global random states, which are seeded here; a run has its process to itself.
    """

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        Config.warnings["not_compiled"] = False
        np.random.seed(self.seed)  # noqa: NPY002
        torch.manual_seed(self.seed)
        space = DesignSpace().parse([_parameter(d) for d in self.dimensions])
        self._hebo = HEBO(space, scramble_seed=self.seed)

    def ask(self) -> Params:
        # It prints every jitter that it adds.
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            suggested = self._hebo.suggest(n_suggestions=1).iloc[0]
        return {d.name: d.plain(suggested[d.name]) for d in self.dimensions}

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        self._hebo.observe(pd.DataFrame([params]), np.array([[value]]))


def _parameter(d: Dimension) -> dict[str, object]:
    """As its `DesignSpace` is told: `pow` is a real on a log scale."""
    kind = "int" if d.integer else "pow" if d.log else "num"
    return {"name": d.name, "type": kind, "lb": d.low, "ub": d.high}
