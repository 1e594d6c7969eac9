"""The experiment as the program uses it: a config.json with every default filled in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from spearmint_int.config.document import ChooserArgs, Database, Resource
from spearmint_int.config.variables import Variable
from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from spearmint_int.chooser import ChooserOptions
    from spearmint_int.space import Space


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
    resources: dict[str, Resource]
    chooser: str
    chooser_args: ChooserArgs
    polling_time: float
    database: Database
    seed: int
    max_attempts: int
    max_time: float | None
    job_time_limit: float | None
    integer_treatment: str
    acquisition: str
    kernel: str
    priors: dict[str, dict[str, Any]]
    initial_points: tuple[dict[str, Any], ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the objective's outputs."""
        return (self.task_name,)

    @property
    def budget(self) -> int | None:
        """Jobs in all, over every resource; None is no limit."""
        limits = [resource.max_finished_jobs for resource in self.resources.values()]
        return None if None in limits else sum(limit for limit in limits if limit is not None)

    @property
    def main_path(self) -> Path:
        """The objective's file; ConfigError where it is missing or can't be started."""
        return find_main_file(self)

    def space(self) -> Space:
        """The variables as the model knows them."""
        from spearmint_int.space import Space  # noqa: PLC0415 (numpy: `status` does without)

        return Space({name: variable.to_space() for name, variable in self.variables.items()})

    def chooser_options(self) -> ChooserOptions:
        """What the chooser needs to know beside the data."""
        from spearmint_int.chooser import ChooserOptions  # noqa: PLC0415
        from spearmint_int.sampling.priors import prior_from_dict  # noqa: PLC0415

        args = self.chooser_args
        return ChooserOptions(
            treatment=self.integer_treatment,
            likelihood=self.likelihood,
            kernel=self.kernel,
            acquisition=self.acquisition,
            priors={name: prior_from_dict(prior) for name, prior in self.priors.items()},
            samples=args.mcmc_iters,
            burn_in=args.burnin,
            thinning=args.thinning,
            fantasies=args.num_fantasies,
            candidates=args.grid_size,
            candidates_seed=args.grid_seed,
            spray=args.num_spray,
            spray_std=args.spray_std,
        )


def find_main_file(config: Config) -> Path:
    """The objective's file: for Python `.py` is optional, and `package.module` is fine too."""
    where = f"{config.file_name}: main-file"
    path = next((p for p in _main_paths(config) if p.is_file()), None)
    if path is None:
        others = ", ".join(_candidates(config)) or "none"
        wanted = _main_paths(config)[0].name
        raise ConfigError(f"{where}: {wanted} is not in {config.directory} (found: {others})")
    if config.language == "SHELL" and not os.access(path, os.X_OK):
        raise ConfigError(f"{where}: {path} is not executable; run 'chmod +x {path}'")
    return path


def _main_paths(config: Config) -> list[Path]:
    if config.language != "PYTHON":
        return [config.directory / config.main_file]
    stem = config.main_file.removesuffix(".py")
    return [config.directory / f"{name}.py" for name in (stem, stem.replace(".", "/"))]


def _candidates(config: Config) -> list[str]:
    """The files that may have been meant."""
    files = sorted(p for p in config.directory.glob("*") if p.is_file())
    if config.language == "PYTHON":
        return [p.name for p in files if p.suffix == ".py"]
    return [p.name for p in files if os.access(p, os.X_OK)]
