"""The folder of a library's run: a config and a job store, as the command line has them.

`spearmint-int status`, `jobs`, `best` and `export` work on it, and the next run goes on from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.atomic import write_whole
from spearmint_int.chooser import ChooserOptions
from spearmint_int.config import DEFAULT_FILE, Config, load_config
from spearmint_int.errors import ConfigError
from spearmint_int.experiment import StoredExperiment
from spearmint_int.history import CHAIN
from spearmint_int.jobs import JobDraft, JobStatus, Source
from spearmint_int.optimizer import Evaluation, Optimizer
from spearmint_int.stores import open_store

if TYPE_CHECKING:
    from spearmint_int.space import Space

# What a config calls the options of a chooser.
KEYS = {
    "treatment": "integer-treatment",
    "likelihood": "likelihood",
    "kernel": "kernel",
    "acquisition": "acquisition",
    "samples": "mcmc-iters",
    "burn_in": "burnin",
    "thinning": "thinning",
    "fantasies": "num-fantasies",
    "candidates": "grid-size",
    "candidates_seed": "grid-seed",
    "spray": "num-spray",
    "spray_std": "spray-std",
}
MAIN_FILE = "called-by-minimize.py"  # no such file: the function lives in the program


class RunFolder:
    """Where an optimizer's evaluations are kept, each as soon as it is told."""

    def __init__(self, path: str | Path, optimizer: Optimizer) -> None:
        """ConfigError where the folder belongs to an experiment with other variables."""
        directory = Path(path)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ConfigError(f"{directory}: must be a folder, is or lies in a file") from None
        self._config = _config_in(directory, optimizer)
        if self._config.space() != optimizer.space:
            raise ConfigError(f"{directory}: its config has other variables; take another folder")
        if self._config.maximize != (optimizer.direction == "maximize"):
            raise ConfigError(f"{directory}: its config has the other direction")
        self._store = open_store(self._config)
        StoredExperiment.begin(self._config, self._store)

    def restore(self, optimizer: Optimizer) -> int:
        """Give the optimizer all evaluations of earlier runs; how many of them it had asked for."""
        jobs = [job for job in self._store.jobs() if job.status is JobStatus.COMPLETE]
        task = self._config.task_name
        told = (
            Evaluation(job.params, (job.values or {})[task], np.array(job.point)) for job in jobs
        )
        optimizer.restore(told, self._store.load_chain(CHAIN))
        return sum(job.source is not Source.USER for job in jobs)

    def keep(self, evaluation: Evaluation, optimizer: Optimizer, *, known: bool = False) -> None:
        """Store one more evaluation; `known` are results that were brought from elsewhere."""
        draft = JobDraft(
            evaluation.params,
            tuple(evaluation.point.tolist()),
            Source.USER if known else Source.CHOOSER,
            tasks=self._config.tasks,
        )
        self._store.add_complete(draft, {self._config.task_name: evaluation.value})
        if optimizer.chain is not None:
            self._store.save_chain(CHAIN, dict(optimizer.chain))

    def close(self) -> None:
        self._store.close()


def _config_in(directory: Path, optimizer: Optimizer) -> Config:
    """The config that is there, or a new one; one that can't be read is not left behind."""
    file = directory / DEFAULT_FILE
    if file.exists():
        return load_config(directory)
    text = json.dumps(config_document(optimizer), indent=2, ensure_ascii=False)
    write_whole(file, text + "\n")
    try:
        return load_config(directory)
    except ConfigError:
        file.unlink()
        raise


def config_document(optimizer: Optimizer) -> dict[str, Any]:
    """The config of an experiment that asks as this optimizer does."""
    return {
        "main-file": MAIN_FILE,
        "seed": optimizer.seed,
        "maximize": optimizer.direction == "maximize",
        "variables": _variables(optimizer.space),
        **dict(_options(optimizer.options)),
    }


def _variables(space: Space) -> dict[str, Mapping[str, Any]]:
    return {
        name: {"type": type(variable).__name__.upper()}
        | {field.name: getattr(variable, field.name) for field in fields(variable)}
        for name, variable in space.variables.items()
    }


def _options(options: ChooserOptions) -> Iterator[tuple[str, Any]]:
    """Those that differ from the default."""
    default = ChooserOptions()
    for name, key in KEYS.items():
        if getattr(options, name) != getattr(default, name):
            yield key, getattr(options, name)
