"""Advice on a config that is valid, but may not do what its author wants."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spearmint_int.config import (
    ChooserArgs,
    EnumVariable,
    FloatVariable,
    IntVariable,
    ModelOptions,
)
from spearmint_int.variables import looks_logarithmic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config import Config

IF_NOISELESS = 'if they can tell nothing new, "likelihood": "NOISELESS" ends the run there'


def advice_on_config(config: Config) -> Iterator[tuple[str, str]]:
    """(path of the key, sentence) for each piece of advice."""
    for name, variable in config.variables.items():
        if isinstance(variable, EnumVariable):
            continue
        if variable.min == variable.max:
            yield f"variables.{name}", f"min and max are both {variable.min}: it never varies"
        yield from _log_scale(name, variable)
    yield from _constraints(config)
    yield from _budget(config)
    yield from _processes(config)
    for name in config.idle_resources:
        yield (
            f"resources.{name}",
            f"tasks.{config.task_name}.resources leaves it out: no job runs there",
        )


def _log_scale(name: str, variable: FloatVariable | IntVariable) -> Iterator[tuple[str, str]]:
    if looks_logarithmic(variable.to_space()):
        bounds = f"{variable.min:g} to {variable.max:g}"
        yield f"variables.{name}", f'{bounds} looks like a log scale; if it is, add "log": true'


def _constraints(config: Config) -> Iterator[tuple[str, str]]:
    for key in config.idle_keys:
        spelt = key.replace("_", "-")
        yield (
            f"tasks.{config.task_name}.{spelt}",
            "has no effect on an OBJECTIVE: say it in the tasks of type CONSTRAINT",
        )
    for name, task in config.constraints.items():
        for key in sorted(set(ModelOptions.model_fields) & task.model_fields_set):
            spelt = key.replace("_", "-")
            yield (
                f"tasks.{name}.{spelt}",
                "has no effect: the models of constraints have no options",
            )


def _budget(config: Config) -> Iterator[tuple[str, str]]:
    budget, points = config.budget, len(config.initial_points)
    space = config.space()
    # without noise a run ends when every point of a finite space is evaluated
    ends_by_itself = space.is_discrete and config.likelihood == "NOISELESS"
    if budget is None and config.max_time is None and not ends_by_itself:
        rule = "" if config.stop_when is None else "stop-when holds, which may never be, or "
        yield "max-finished-jobs", f"there is no budget: a run goes on until {rule}Ctrl-C"
    if budget is not None and points > budget:
        yield "initial-points", f"there are {points}, but the budget is {budget} jobs"
    before = config.chooser_args.num_initial_points
    if budget is not None and before >= budget and before != ChooserArgs().num_initial_points:
        yield "num-initial-points", f"the model chooses no job: {before}, and a budget of {budget}"
    if space.is_discrete and budget is not None and space.cells < budget:
        is_noiseless = config.likelihood == "NOISELESS"
        end = "the run ends there" if is_noiseless else f"the rest are repeats; {IF_NOISELESS}"
        have = f"all variables are discrete, with {space.cells} combinations in all"
        yield "max-finished-jobs", f"{have}, fewer than the budget of {budget}: {end}"


def _processes(config: Config) -> Iterator[tuple[str, str]]:
    cores = os.cpu_count() or 1
    here = [resource for resource in config.resources.values() if resource.scheduler == "local"]
    jobs = sum(resource.max_concurrent for resource in here)
    if jobs > cores:
        yield "max-concurrent", f"{jobs} jobs at a time on {cores} cores will slow each other down"
