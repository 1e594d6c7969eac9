"""The keys of a config.json, with their defaults, as the file has them (see `config.config`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from spearmint_int.config.section import (
    Count,
    Listed,
    Lower,
    Natural,
    Real,
    Seconds,
    Section,
    Text,
    Upper,
    Whole,
    fault,
)
from spearmint_int.config.stop_rule import StopWhen
from spearmint_int.config.variables import VARIABLES, Variable

Language = Annotated[Literal["PYTHON", "SHELL", "MATLAB", "MCR"], Upper]
Likelihood = Annotated[Literal["GAUSSIAN", "NOISELESS", "BINOMIAL", "STEP"], Upper]
Treatment = Annotated[Literal["proposed", "basic", "naive"], Lower]


def _words(value: Any) -> Any:
    is_list = isinstance(value, list) and all(isinstance(word, str) for word in value)
    if not isinstance(value, dict | str) and not is_list:
        raise fault("", "must be text, a list of texts or an object", found=value)
    return value


def _switch_or_auto(value: Any) -> Any:
    if isinstance(value, str) and value.lower() == "auto":
        return "auto"
    if not isinstance(value, bool):
        raise fault("", 'must be true, false or "auto"', found=value)
    return value


def _none_if_empty(value: Any) -> Any:
    return None if value == "" else value


def _guesses(value: Any) -> Any:
    if isinstance(value, int | float):
        remedy = "how many points come before the model is num-initial-points"
        raise fault("", f"must be a list of guesses; {remedy}", found=value)
    if isinstance(value, dict):
        raise fault("", "must be a list of guesses, also of one: [{ … }]", found=value)
    return value


InputWarp = Annotated[bool | Literal["auto"], BeforeValidator(_switch_or_auto)]
SchedulerArgs = Annotated[dict[str, Any] | list[str] | str, BeforeValidator(_words)]


class ModelOptions(Section):
    """Options of the model; at top level, in `chooser-args` or in a task."""

    mcmc_iters: Count = Field(default=10, description="hyperparameter samples per suggestion")
    burnin: Natural = Field(default=100, description="burn-in sweeps, at the first fit only")
    thinning: Natural = Field(default=0, description="extra sweeps between samples")
    chains: Count = Field(default=1, description="chains that share the samples")
    threads: Count = Field(
        default=1, description="threads over which the chains are spread; no result depends on it"
    )
    num_fantasies: Count = Field(default=1, description="fantasies for each set of pending jobs")
    output_warp: bool = Field(
        default=True, description="draw in results above the median, by a power that is sampled"
    )
    trend: bool = Field(
        default=True,
        description="seek along a parabola on each axis, as far as the data ask for it",
    )
    input_warp: InputWarp = Field(
        default=False,
        description="bend real and long integer axes, by parameters that are sampled; auto: those"
        " that span decades without log",
    )


class ChooserArgs(ModelOptions):
    """Options of the search for the next point; at top level or in `chooser-args`."""

    num_initial_points: Natural = Field(
        default=2,
        description="results that are awaited before the model chooses; until then points are"
        " Sobol's",
    )
    grid_size: Count = Field(default=1000, description="Sobol candidates; the best are refined")
    grid_seed: Natural = Field(default=0, description="seed of the Sobol candidates")
    num_spray: Natural = Field(default=10, description="candidates around the best point")
    spray_std: Annotated[Real, Field(gt=0)] = Field(default=1e-3, description="their spread")


class Resource(Section):
    """Where jobs run, and how many."""

    scheduler: Annotated[Text, Lower] = Field(default="local", description="who starts the jobs")
    max_concurrent: Count = Field(
        default=1, description="jobs that one manager runs at the same time"
    )
    max_concurrent_in_all: Count | None = Field(
        default=None, description="jobs that all managers together run at the same time"
    )
    max_finished_jobs: Count | None = Field(
        default=None, description="the budget: jobs in all, broken ones too"
    )
    scheduler_args: SchedulerArgs | None = Field(
        default=None,
        description="options for sbatch or qsub, as on a command line; plugins may want others",
    )
    environment_file: Annotated[Text | None, BeforeValidator(_none_if_empty)] = Field(
        default=None, description="a file of NAME=value lines for jobs; $NAME is replaced"
    )


class Task(ModelOptions):
    """One number that the main file returns by its name."""

    type: Annotated[Literal["OBJECTIVE", "CONSTRAINT"], Upper] = Field(
        default="OBJECTIVE", description="a CONSTRAINT is fulfilled where its value is at least 0"
    )
    likelihood: Likelihood | None = Field(default=None, description="default: the top level's")
    main_file: Text | None = Field(
        default=None, description="default: the top level's; one file returns all tasks"
    )
    language: Language | None = Field(default=None, description="default: the top level's")
    resources: Annotated[tuple[str, ...], Listed] | None = Field(
        default=None, description="the only ones that take its jobs; default: all"
    )
    min_confidence: Annotated[Real, Field(gt=0, lt=1)] = Field(
        default=0.99,
        description="how likely a CONSTRAINT has to hold where the model recommends a point",
    )


class Database(Section):
    """Where the jobs are kept."""

    address: Text | None = Field(
        default=None,
        description="a host or mongodb://…; default: an embedded database in the folder",
        repr=False,  # it may have a password
    )
    name: Text = Field(default="spearmint", description="the database's name on a server")


class Document(ChooserArgs, Resource):
    """A config.json."""

    json_schema: Any = Field(default=None, alias="$schema", description="for editors; not used")
    experiment_name: Text | None = Field(default=None, description="default: the folder's name")
    language: Language = Field(default="PYTHON", description="PYTHON or SHELL")
    main_file: Text | None = Field(
        default=None, description="the objective, required; .py is optional"
    )
    variables: dict[str, Variable] = Field(description="the inputs, by name")
    likelihood: Likelihood = Field(
        default="GAUSSIAN", description="NOISELESS if repeats give equal values"
    )
    maximize: bool = Field(default=False, description="look for the largest value")
    tasks: dict[str, Task] | None = Field(
        default=None,
        description="what main returns, by name: one OBJECTIVE and any CONSTRAINTs; default: one"
        " OBJECTIVE, main",
    )
    resources: dict[str, Resource] | None = Field(
        default=None, description="where jobs run, by name; default: one, Main"
    )
    chooser: Text = Field(default="default_chooser", description="who picks the next point")
    chooser_args: ChooserArgs | None = Field(
        default=None,
        description="options of the chooser, such as mcmc-iters; they may also be at the top level",
    )
    polling_time: Seconds = Field(
        default=5.0, description="seconds between looks at a shared database or a batch queue"
    )
    database: Database = Field(
        default=Database(), description="where the jobs are kept: address and name"
    )
    seed: Annotated[int, Field(ge=0, lt=2**63), Whole] = Field(
        default=0, description="the same seed and the same results give the same suggestions"
    )
    max_attempts: Count = Field(
        default=3, description="starts of one job before it counts as broken"
    )
    max_time: Seconds | None = Field(default=None, description='seconds (or "2h") for one run')
    stop_when: StopWhen | None = Field(
        default=None, description='when a run has found enough: "regret below 0.01 with 95 %"'
    )
    job_time_limit: Seconds | None = Field(
        default=None, description='seconds (or "30m") for one job'
    )
    lease_time: Seconds = Field(
        default=30.0, description="seconds without a sign of life after which a job is taken back"
    )
    heartbeat_time: Seconds | None = Field(
        default=None,
        description="seconds between signs of life; default: a third of lease-time",
    )
    integer_treatment: Treatment = Field(
        default="proposed",
        description="how the model sees integers: proposed (in the kernel), basic or naive",
    )
    acquisition: Text = Field(
        default="auto", description="what the search maximises; auto is ei, and nei under noise"
    )
    kernel: Text = Field(default="matern52", description="the covariance function")
    priors: dict[str, dict[str, Any]] = Field(
        default={},
        description="of mean, amplitude, noise, length-scale, output-power, trend or input-warp:"
        ' {"noise": {"type": "horseshoe", "scale": 0.1}}',
    )
    initial_points: Annotated[tuple[dict[str, Any], ...], Listed, BeforeValidator(_guesses)] = (
        Field(default=(), description="guesses that are run first, in this order")
    )

    @property
    def objective(self) -> tuple[str, Task]:
        """The name and the options of the task that is optimised."""
        tasks = self.tasks or {"main": Task()}
        return next((name, task) for name, task in tasks.items() if task.type == "OBJECTIVE")

    @property
    def constraints(self) -> dict[str, Task]:
        """The names and the options of the tasks that are constraints."""
        return {
            name: task.model_copy(update={"likelihood": task.likelihood or self.likelihood})
            for name, task in (self.tasks or {}).items()
            if task.type == "CONSTRAINT"
        }

    @property
    def all_resources(self) -> dict[str, Resource]:
        """The block of resources, or the one that the top level describes."""
        if self.resources:
            return self.resources
        given = {key: getattr(self, key) for key in Resource.model_fields}
        return {"Main": Resource(**given)}


def section_at(place: Sequence[str | int]) -> type[Section]:
    """The type of the object that pydantic's place points into, which has the known keys."""
    sections: dict[str, type[Section]] = {
        "tasks": Task,
        "resources": Resource,
        "database": Database,
        "chooser_args": ChooserArgs,
    }
    if not place:
        return Document
    return VARIABLES[str(place[2])] if place[0] == "variables" else sections[str(place[0])]
