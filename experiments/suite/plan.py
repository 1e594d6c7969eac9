"""What `make suite` runs: which optimiser on which problems.

Instances 1 to 3 of bbob-mixint are for tuning this project's defaults, 4 to 10 for reporting. The
slow peers run on a subset that is the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.suite import classics, coco, designs, draws, idle, tuning
from experiments.suite.runs import Contender, Run

if TYPE_CHECKING:
    from experiments.suite.problems import Case

TUNED_ON = (1, 2, 3)
REPORTED = (4, 5, 6, 7, 8, 9, 10)
THREE = (4, 5, 6)
VALLEYS_REPORTED = tuple(range(25, 49))  # the prior of the length scales was chosen on 1 to 24
ONE = (4,)
FAST = ("ours", "ours-noiseless", "optuna-tpe", "cmaes", "random")
SLOW = ("botorch", "smac", "scikit-optimize", "bayesian-optimization", "hebo")
TUNERS = ("ours", "optuna-gp", "optuna-tpe", "random")
SEEDS, MORE_SEEDS = tuple(range(10)), tuple(range(10, 20))
FIVE_SEEDS, SLOW_SEEDS = tuple(range(5)), (0, 1)
DOUBTFUL = ("adaboost-diabetes",)  # ten seeds had told a peer from ours there, of 66 comparisons


@dataclass(frozen=True)
class Stage:
    """Some optimisers on some problems."""

    optimizers: tuple[str, ...]
    cases: list[Case]

    def runs(self) -> list[Run]:
        """A problem at a time through all the optimisers: what is unfinished is still paired."""
        return [Run(Contender(name), case) for case in self.cases for name in self.optimizers]


def stages() -> list[Stage]:
    """The quick ones first."""
    return [
        Stage(FAST, coco.cases((5, 10), coco.FUNCTIONS, REPORTED)),
        Stage(TUNERS, tuning.cases(tuning.TASKS, SEEDS)),
        Stage(TUNERS, tuning.cases(DOUBTFUL, MORE_SEEDS)),
        Stage((*TUNERS, "cmaes"), designs.cases(designs.DESIGNS, SEEDS)),
        Stage((*TUNERS, "cmaes"), classics.cases(classics.NAMES, FIVE_SEEDS)),
        Stage((*FAST, "optuna-gp"), idle.cases(idle.FUNCTIONS, THREE)),
        Stage((*FAST, "optuna-gp"), idle.cases((idle.VALLEYS,), VALLEYS_REPORTED)),
        Stage(("ours", "ours-noiseless"), draws.cases(draws.NAMES, range(100))),
        Stage(("optuna-gp",), coco.cases((5, 10), coco.FUNCTIONS, THREE)),
        Stage((*FAST, "optuna-gp"), coco.cases((20,), coco.FUNCTIONS, THREE)),
        Stage(("cmaes", *SLOW), tuning.cases(tuning.TASKS, SLOW_SEEDS)),
        Stage(SLOW, coco.cases((5, 10), coco.FUNCTIONS, ONE)),
        Stage(SLOW, coco.cases((20,), coco.FUNCTIONS, ONE)),  # a day and more of a core
    ]


def plan() -> list[Run]:
    """Every run, in order."""
    return [run for stage in stages() for run in stage.runs()]
