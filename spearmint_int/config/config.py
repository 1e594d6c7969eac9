"""The experiment as the program uses it: a config.json, validated, with every default filled in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spearmint_int.config.consistency import document_faults
from spearmint_int.config.document import (
    ChooserArgs,
    Database,
    Document,
    ModelOptions,
    Resource,
    Task,
)
from spearmint_int.config.error_text import path_of, sentences
from spearmint_int.config.json_file import read_json
from spearmint_int.config.section import show
from spearmint_int.config.variables import Variable
from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from spearmint_int.chooser import ChooserOptions, Constraint
    from spearmint_int.space import Space

DEFAULT_FILE = "config.json"
# The main file of a library's run. There is no such file: the function lives in the program.
CALLED_BY_MINIMIZE = "called-by-minimize.py"
HEARTBEATS_PER_LEASE = 3
ADDRESS_VARIABLE = "SPEARMINT_DB_ADDRESS"  # wins over the config's own

# The fields of ChooserOptions, by the keys under which a config has them.
OPTION_KEYS = {
    "treatment": "integer-treatment",
    "likelihood": "likelihood",
    "kernel": "kernel",
    "acquisition": "acquisition",
    "priors": "priors",
    "output_warp": "output-warp",
    "trend": "trend",
    "input_warp": "input-warp",
    "samples": "mcmc-iters",
    "burn_in": "burnin",
    "thinning": "thinning",
    "chains": "chains",
    "threads": "threads",
    "fantasies": "num-fantasies",
    "candidates": "grid-size",
    "candidates_seed": "grid-seed",
    "spray": "num-spray",
    "spray_std": "spray-std",
    "initial_points": "num-initial-points",  # `initial-points` are guesses
}


class ConfigFaultsError(ConfigError):
    """A readable config with faults; the text is the first one, `faults` has all."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        others = len(faults) - 1
        more = f" (and {others} more: 'spearmint-int check' lists all)" if others else ""
        super().__init__(faults[0] + more)


class Config(BaseModel):
    """One experiment; `load_config` makes it, and nothing changes it."""

    model_config = ConfigDict(frozen=True)

    directory: Path
    file_name: str
    experiment_name: str
    language: str
    main_file: str
    task_name: str
    variables: dict[str, Variable]
    likelihood: str
    maximize: bool
    constraints: dict[str, Task] = {}  # each with its likelihood
    resources: dict[str, Resource]  # those that the objective's task runs on
    chooser: str
    chooser_args: ChooserArgs
    polling_time: float
    database: Database
    seed: int
    max_attempts: int
    max_time: float | None
    stop_when: str | None
    job_time_limit: float | None
    lease_time: float
    heartbeat_time: float
    integer_treatment: str
    acquisition: str
    kernel: str
    priors: dict[str, dict[str, Any]]
    initial_points: tuple[dict[str, Any], ...]
    experiment_id: str | None = None  # where the settings are from the store itself
    idle_resources: tuple[str, ...] = Field(default=(), exclude=True)  # which no task names
    idle_keys: tuple[str, ...] = Field(default=(), exclude=True)  # of the objective's task

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of what a job evaluates: the objective first, then the constraints."""
        return (self.task_name, *self.constraints)

    @property
    def has_own_name(self) -> bool:
        """Whether the experiment's name is another than its folder's."""
        return self.experiment_name != _folder_name(self.directory)

    @property
    def budget(self) -> int | None:
        """The number of jobs over all resources; None without a limit."""
        limits = [resource.max_finished_jobs for resource in self.resources.values()]
        return None if None in limits else sum(limit for limit in limits if limit is not None)

    @property
    def main_path(self) -> Path:
        """The objective's file; ConfigError where it is missing or can't be started."""
        return _main_path(self)

    def space(self) -> Space:
        """The variables as the model knows them."""
        from spearmint_int.space import Space  # noqa: PLC0415 (numpy: `status` does without)

        return Space({name: variable.to_space() for name, variable in self.variables.items()})

    def chooser_options(self) -> ChooserOptions:
        """The options of the chooser."""
        from spearmint_int.chooser import ChooserOptions  # noqa: PLC0415
        from spearmint_int.sampling.priors import prior_from_dict  # noqa: PLC0415

        values: dict[str, Any] = {**dict(self), **dict(self.chooser_args)}
        values["priors"] = {name: prior_from_dict(prior) for name, prior in self.priors.items()}
        options = {name: values[key.replace("-", "_")] for name, key in OPTION_KEYS.items()}
        return ChooserOptions(**options)

    def chooser_constraints(self) -> tuple[Constraint, ...]:
        """The constraints as the chooser takes them."""
        from spearmint_int.chooser import Constraint  # noqa: PLC0415

        return tuple(
            Constraint(name, task.likelihood or self.likelihood, task.min_confidence)
            for name, task in self.constraints.items()
        )


def load_config(directory: Path, file_name: str = DEFAULT_FILE) -> Config:
    """The experiment in `directory`; ConfigError says what is wrong with its config."""
    directory = Path(directory)
    document = read_json(directory / file_name)
    if not isinstance(document, dict):
        raise ConfigError(f"{file_name}: must hold one JSON object, {{ … }}, got {show(document)}")
    return config_from(document, directory, file_name)


def config_from(document: dict[str, Any], directory: Path, file_name: str = DEFAULT_FILE) -> Config:
    """The experiment that these keys declare; `directory` is where its files are."""
    try:
        parsed = Document.model_validate(document)
    except ValidationError as error:
        raise ConfigFaultsError([f"{file_name}: {s}" for s in sentences(error, document)]) from None
    faults = list(document_faults(parsed, directory))
    if faults:
        raise ConfigFaultsError([f"{file_name}: {path_of(k, document)}: {s}" for k, s in faults])
    return _resolved(parsed, directory, file_name)


def _resolved(document: Document, directory: Path, file_name: str) -> Config:
    """The experiment of a document without faults, every default filled in."""
    name, task = document.objective
    resources = {n: r for n, r in document.all_resources.items() if _runs_on(task, n)}
    same = ("chooser", "seed", "max_attempts")
    times = ("polling_time", "max_time", "stop_when", "job_time_limit", "lease_time")
    model = ("integer_treatment", "acquisition", "kernel", "initial_points", "variables")
    return Config(
        directory=directory,
        file_name=file_name,
        experiment_name=document.experiment_name or _folder_name(directory),
        language=task.language or document.language,
        main_file=task.main_file or document.main_file or "",
        task_name=name,
        likelihood=task.likelihood or document.likelihood,
        maximize=document.maximize,
        constraints=document.constraints,
        resources=resources,
        idle_resources=tuple(n for n in document.all_resources if n not in resources),
        idle_keys=tuple({"min_confidence"} & task.model_fields_set),
        chooser_args=_chooser_args(document, task),
        database=_database(document),
        heartbeat_time=document.heartbeat_time or document.lease_time / HEARTBEATS_PER_LEASE,
        priors={key.replace("-", "_"): prior for key, prior in document.priors.items()},
        **{key: getattr(document, key) for key in (*same, *times, *model)},
    )


def _runs_on(task: Task, resource: str) -> bool:
    """Whether the task runs on the resource; one that names no resources runs on all."""
    return not task.resources or resource in task.resources


def _folder_name(directory: Path) -> str:
    return directory.resolve().name or "experiment"


def _chooser_args(document: Document, task: Task) -> ChooserArgs:
    """The chooser's options: those of the task win over `chooser-args`, and those over the top
    level."""
    values = {key: getattr(document, key) for key in ChooserArgs.model_fields}
    if document.chooser_args is not None:
        values |= document.chooser_args.model_dump(exclude_unset=True)
    values |= task.model_dump(exclude_unset=True, include=set(ModelOptions.model_fields))
    return ChooserArgs(**values)


def _database(document: Document) -> Database:
    address = os.environ.get(ADDRESS_VARIABLE)
    return document.database.model_copy(update={"address": address} if address else {})


def _main_path(config: Config) -> Path:
    """The objective's file: for Python `.py` is optional, and `package.module` is fine too."""
    where = f"{config.file_name}: main-file"
    names = _main_names(config)
    path = next((p for name in names if (p := config.directory / name).is_file()), None)
    if path is None and config.main_file == CALLED_BY_MINIMIZE:
        raise ConfigError(
            f"{config.directory}: is the folder of a run of the library: its function lives in the "
            "program that called minimize(…, path=…); run that program again to go on"
        )
    if path is None:
        others = ", ".join(_candidates(config)) or "none"
        raise ConfigError(f"{where}: {names[0]} is not in {config.directory} (found: {others})")
    if config.language == "SHELL" and not os.access(path, os.X_OK):
        raise ConfigError(f"{where}: {path} is not executable; run 'chmod +x {path}'")
    return path


def _main_names(config: Config) -> list[str]:
    if config.language != "PYTHON":
        return [config.main_file]
    stem = config.main_file.removesuffix(".py")
    return [f"{name}.py" for name in (stem, stem.replace(".", "/"))]


def _candidates(config: Config) -> list[str]:
    """The names of the files that may have been meant."""
    files = sorted(p for p in config.directory.glob("*") if p.is_file())
    if config.language == "PYTHON":
        return [p.name for p in files if p.suffix == ".py"]
    return [p.name for p in files if os.access(p, os.X_OK)]
