"""Everything that a config may name, in one table for each kind; other packages add to them.

A package adds a name by an entry point, whose group is `spearmint_int.` and the kind's plural:

    [project.entry-points."spearmint_int.kernels"]
    rational_quadratic = "their_package:RationalQuadratic"

Names are known without an import, so that the command line answers before a linear algebra
library has been read from disk; what a name stands for is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spearmint_int.errors import PluginError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

    from spearmint_int.acquisition import AcquisitionMaker
    from spearmint_int.chooser import Chooser
    from spearmint_int.kernels import Kernel
    from spearmint_int.sampling import Prior
    from spearmint_int.schedulers import SchedulerOpener
    from spearmint_int.snapshot import Snapshot
    from spearmint_int.stores import StoreOpener

    PlotMaker = Callable[[Snapshot, str], Any]  # the figure of a snapshot, in a theme

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """What a name stands for: the place of its code (`module:attribute`), and a few words on it."""

    place: str
    about: str


class Registry(Mapping[str, T], Generic[T]):
    """The names of one kind: built in, registered in this process, and of installed packages.

    A built-in name can't be taken by a package.
    """

    def __init__(self, kind: str, built_in: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._built_in = built_in
        self._values: dict[str, T] = {}

    @property
    def group(self) -> str:
        """The group of the entry points that add to these names."""
        return f"spearmint_int.{self.kind}s"

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names that need no other package, in the order of the table."""
        return tuple(self._built_in)

    def register(self, name: str, value: T) -> None:
        """Add a name in this process."""
        self._values[name] = value

    def about(self, name: str) -> str:
        """A few words on what the name stands for; empty where its package gives none."""
        return self._built_in[name].about if name in self._built_in else ""

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            self._values[name] = self._load(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """The built-in ones in the order of the table, those of others after them."""
        others = {*self._values, *self._installed} - self._built_in.keys()
        return iter((*self._built_in, *sorted(others)))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        # the installed ones last: looking for them reads the metadata of every package
        return name in self._built_in or name in self._values or name in self._installed

    @cached_property
    def _installed(self) -> dict[str, list[EntryPoint]]:
        from importlib.metadata import entry_points  # noqa: PLC0415 (20 ms that most can save)

        found: dict[str, list[EntryPoint]] = {}
        for entry in entry_points(group=self.group):
            same = found.setdefault(entry.name, [])
            if entry.value not in [other.value for other in same]:  # an editable install has two
                same.append(entry)
        return found

    def _load(self, name: str) -> T:
        if name in self._built_in:
            module, attribute = self._built_in[name].place.split(":")
            value: T = getattr(import_module(module), attribute)
            return value
        if name in self._installed:
            return self._load_installed(name)
        raise UnknownNameError(self.kind, name, self)

    def _load_installed(self, name: str) -> T:
        entry, *others = self._installed[name]
        if others:
            packages = " and ".join(_package(e) for e in (entry, *others))
            raise PluginError(f"{self.kind} {name!r} is in {packages}; uninstall one of them")
        try:
            value: T = entry.load()
        except Exception as error:  # whatever a stranger's module does when it is imported
            where = f"{self.kind} {name!r} of {_package(entry)} ({entry.value})"
            raise PluginError(f"{where} can't be loaded: {_sentence(error)}") from error
        return value


def _package(entry: EntryPoint) -> str:
    return f"package {entry.dist.name} {entry.dist.version}" if entry.dist else "a package"


def _sentence(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


KERNELS: Registry[Kernel] = Registry(
    "kernel",
    {
        "matern32": Entry("spearmint_int.kernels.stationary:MATERN32", "Matérn-3/2: once smooth"),
        "matern52": Entry("spearmint_int.kernels.stationary:MATERN52", "Matérn-5/2: twice smooth"),
        "squared_exponential": Entry(
            "spearmint_int.kernels.stationary:SQUARED_EXPONENTIAL", "smooth without end"
        ),
    },
)

_ACQUISITION = "spearmint_int.acquisition.registry"
ACQUISITIONS: Registry[AcquisitionMaker] = Registry(
    "acquisition",
    {
        "ei": Entry(f"{_ACQUISITION}:expected_improvement", "expected improvement"),
        "lcb": Entry(f"{_ACQUISITION}:lower_confidence_bound", "lower confidence bound"),
        "nei": Entry(
            f"{_ACQUISITION}:noisy_expected_improvement", "expected improvement under noise"
        ),
        "pi": Entry(f"{_ACQUISITION}:probability_of_improvement", "probability of improvement"),
        "thompson": Entry(f"{_ACQUISITION}:thompson", "a draw of the function (Thompson)"),
    },
)

PRIORS: Registry[Callable[..., Prior]] = Registry(
    "prior",
    {
        "gamma": Entry("spearmint_int.sampling.priors:gamma", "shape, rate"),
        "horseshoe": Entry("spearmint_int.sampling.priors:horseshoe", "scale"),
        "lognormal": Entry("spearmint_int.sampling.priors:lognormal", "mu, sigma"),
        "mixture": Entry(
            "spearmint_int.sampling.priors:mixture", "mu, sigma, other_mu, other_sigma"
        ),
        "normal": Entry("spearmint_int.sampling.priors:normal", "mu, sigma"),
        "uniform": Entry("spearmint_int.sampling.priors:uniform", "lower, upper"),
    },
)

CHOOSERS: Registry[Chooser] = Registry(
    "chooser",
    {
        "default_chooser": Entry("spearmint_int.chooser:suggest", "Bayesian optimization"),
        "random_chooser": Entry("spearmint_int.chooser:suggest_random", "random points"),
        "sequential_chooser": Entry("spearmint_int.chooser:suggest_sequential", "a Sobol sequence"),
    },
)

SCHEDULERS: Registry[SchedulerOpener] = Registry(
    "scheduler",
    {
        "local": Entry(
            "spearmint_int.schedulers.local:LocalScheduler", "processes of this machine"
        ),
        "slurm": Entry("spearmint_int.schedulers.slurm:SlurmScheduler", "a cluster with Slurm"),
        "sge": Entry(
            "spearmint_int.schedulers.sge:GridEngineScheduler", "a cluster with Grid Engine"
        ),
        "pbs": Entry("spearmint_int.schedulers.pbs:PbsScheduler", "a cluster with PBS or Torque"),
    },
)

# By the scheme of the database's address; without an address it is sqlite.
STORES: Registry[StoreOpener] = Registry(
    "store",
    {
        "mongodb": Entry("spearmint_int.stores.mongo:open_mongo", "MongoDB, for several machines"),
        "mongodb+srv": Entry("spearmint_int.stores.mongo:open_mongo", "MongoDB by a DNS record"),
        "sqlite": Entry("spearmint_int.stores.sqlite:open_sqlite", "a file in the folder"),
    },
)

_PLOTS = "spearmint_int.plots"
PLOTS: Registry[PlotMaker] = Registry(
    "plot",
    {
        "progress": Entry(f"{_PLOTS}.progress:of", "the best so far, and the model's minimum"),
        "variables": Entry(f"{_PLOTS}.variables:of", "what the model expects along each variable"),
        "pairs": Entry(f"{_PLOTS}.pairs:of", "the model over each pair of variables"),
        "optimum": Entry(f"{_PLOTS}.optimum:of", "which integer and which option is best"),
        "importance": Entry(f"{_PLOTS}.importance:of", "which variables matter"),
        "parallel": Entry(f"{_PLOTS}.parallel:of", "every result across all variables"),
        "calibration": Entry(f"{_PLOTS}.calibration:of", "predicted against observed"),
        "acquisition": Entry(f"{_PLOTS}.acquisition:of", "what each suggestion promised"),
        "choice": Entry(f"{_PLOTS}.choice:of", "where the next point is, and why"),
        "hyperparameters": Entry(f"{_PLOTS}.hyperparameters:of", "length scales and warps"),
        "timeline": Entry(f"{_PLOTS}.timeline:of", "when jobs ran, and which failed"),
    },
)

REGISTRIES: dict[str, Registry[Any]] = {
    registry.kind: registry
    for registry in (KERNELS, ACQUISITIONS, PRIORS, CHOOSERS, SCHEDULERS, STORES, PLOTS)
}
