"""Faults between the keys of a config, each of which is valid by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from spearmint_int.config.document import Document, Resource, Task
from spearmint_int.config.section import show
from spearmint_int.errors import SpaceError, SpearmintError, alternatives
from spearmint_int.registry import ACQUISITIONS, CHOOSERS, KERNELS, SCHEDULERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spearmint_int.registry import Registry
    from spearmint_int.space import Space

# The path to a key, and the sentence about it.
Fault: TypeAlias = tuple[list[str | int], str]

AUTO = "auto"  # the acquisition that fits the likelihood
PRIOR_NAMES = (
    "mean", "amplitude", "noise", "length_scale", "output_power", "trend", "input_warp"
)  # fmt: skip


def document_faults(document: Document, directory: Path) -> Iterator[Fault]:
    """The faults between the keys."""
    yield from _main_faults(document)
    yield from _variable_faults(document)
    yield from _task_faults(document)
    yield from _resource_faults(document, directory)
    yield from _lease_faults(document)
    yield from _choice_faults(document)
    yield from _prior_faults(document)
    if document.initial_points and not list(_variable_faults(document)):
        yield from _point_faults(document)


def _main_faults(document: Document) -> Iterator[Fault]:
    tasks = (document.tasks or {}).values()
    if document.main_file is None and not any(task.main_file for task in tasks):
        yield ["main_file"], "is required, but missing; name the objective's file"
    yield from _language_faults([], document.language)
    yield from _likelihood_faults([], document.likelihood)


def _lease_faults(document: Document) -> Iterator[Fault]:
    heartbeat, lease = document.heartbeat_time, document.lease_time
    if heartbeat is not None and heartbeat > lease / 2:
        limit = f"at most half of lease-time ({lease:g} s)"
        yield ["heartbeat_time"], f"must be {limit}, so that one may be lost, got {heartbeat:g}"


def _language_faults(keys: list[str | int], language: str | None) -> Iterator[Fault]:
    if language in ("MATLAB", "MCR"):
        remedy = "start it from an executable script and write SHELL"
        yield [*keys, "language"], f"{language} is not supported; {remedy}"


def _likelihood_faults(keys: list[str | int], likelihood: str | None) -> Iterator[Fault]:
    if likelihood in ("BINOMIAL", "STEP"):
        remedy = "use GAUSSIAN or NOISELESS (a constraint that is met or not: return 1 or -1)"
        yield [*keys, "likelihood"], f"{likelihood} is not supported yet; {remedy}"


def _variable_faults(document: Document) -> Iterator[Fault]:
    if not document.variables:
        yield ["variables"], "must have at least one variable"
    yield from _spelling_faults("variables", document.variables)


def _spelling_faults(key: str, names: Iterable[str]) -> Iterator[Fault]:
    for name in names:
        if not name:
            yield [key], 'a name must not be empty, got ""'
        # MongoDB reads dots and dollars its own way; a space can't be in an argument's name.
        elif any(c in ".$=" or c.isspace() or not c.isprintable() for c in name):
            yield [key], f"a name must be without '.', '$', '=' and spaces, got {show(name)}"
        elif name.startswith("-"):
            yield [key], f"a name must not begin with a hyphen, got {show(name)}"


def _task_faults(document: Document) -> Iterator[Fault]:
    if document.tasks is None:
        return
    for name, task in document.tasks.items():
        keys: list[str | int] = ["tasks", name]
        yield from _language_faults(keys, task.language)
        yield from _likelihood_faults(keys, task.likelihood)
        yield from _task_resources(keys, task, document.all_resources)
    yield from _spelling_faults("tasks", document.constraints)
    objectives = [name for name, task in document.tasks.items() if task.type == "OBJECTIVE"]
    if len(objectives) > 1:
        named = ", ".join(objectives)
        yield ["tasks"], f"several objectives are not supported yet; keep one of {named}"
    if not objectives:
        yield ["tasks"], "must have one task of type OBJECTIVE"
    if len(objectives) == 1:
        yield from _one_main_faults(document)


def _one_main_faults(document: Document) -> Iterator[Fault]:
    """Faults where tasks differ in what runs them, and where: every job evaluates all tasks."""
    name, objective = document.objective
    for key, spelt in (("main_file", "main-file"), ("language", "language")):
        ours = getattr(objective, key) or getattr(document, key)
        for task, constraint in document.constraints.items():
            theirs = getattr(constraint, key)
            if theirs is not None and _stem(theirs) != _stem(ours):
                yield (
                    ["tasks", task, key],
                    f"must be that of the objective {show(name)}, got {show(theirs)}: one {spelt} "
                    "returns the numbers of all tasks, by their names",
                )
    for task, constraint in document.constraints.items():
        if constraint.resources and set(constraint.resources) != set(objective.resources or ()):
            yield (
                ["tasks", task, "resources"],
                f"must be those of the objective {show(name)}: one job evaluates all tasks",
            )


def _stem(main_file: str | None) -> str | None:
    return main_file and main_file.removesuffix(".py")


def _task_resources(keys: list[str | int], task: Task, known: Iterable[str]) -> Iterator[Fault]:
    for i, name in enumerate(task.resources or ()):
        if name not in known:
            others = alternatives(name, known)
            yield [*keys, "resources", i], f"no such resource, got {show(name)}{others}"


def _resource_faults(document: Document, directory: Path) -> Iterator[Fault]:
    both = set(Resource.model_fields) & document.model_fields_set
    if document.resources:
        for key in sorted(both):
            yield [key], _beside_block(key, getattr(document, key), document.resources)
    if document.resources == {}:
        yield ["resources"], "must have at least one resource"
    for name, resource in document.all_resources.items():
        keys: list[str | int] = ["resources", name] if document.resources else []
        yield from _name_faults([*keys, "scheduler"], SCHEDULERS, resource.scheduler)
        file = resource.environment_file
        if file is not None and not (directory / file).is_file():
            yield [*keys, "environment_file"], f"no such file, got {show(file)}"


def _beside_block(key: str, value: Any, resources: Mapping[str, Resource]) -> str:
    """The remedy for a key that stands beside the block of these resources."""
    without = [name for name, each in resources.items() if key not in each.model_fields_set]
    if not without:
        return "every entry of the resources block has its own; take this one out"
    shares = dict.fromkeys(without, value)
    budget = ""
    if key == "max_finished_jobs" and value is not None:
        spoken_for = sum(each.max_finished_jobs or 0 for each in resources.values())
        shares = _shared(value - spoken_for, without)
        budget = "; the budget is their sum"
    spelt = key.replace("_", "-")
    entries = ", ".join(f"{show(n)}: {{{show(spelt)}: {show(v)}, …}}" for n, v in shares.items())
    return f"stands beside a resources block; say it in the entries, {{{entries}}}{budget}"


def _shared(jobs: int, names: Sequence[str]) -> dict[str, int]:
    """The number of jobs for each resource: as even as possible, and at least one."""
    each, rest = divmod(max(jobs, len(names)), len(names))
    return {name: each + (i < rest) for i, name in enumerate(names)}


def _choice_faults(document: Document) -> Iterator[Fault]:
    yield from _name_faults(["chooser"], CHOOSERS, document.chooser)
    if document.acquisition != AUTO:
        yield from _name_faults(["acquisition"], ACQUISITIONS, document.acquisition)
    yield from _name_faults(["kernel"], KERNELS, document.kernel)


def _name_faults(keys: list[str | int], names: Registry[Any], name: str) -> Iterator[Fault]:
    """The fault of a name that is not registered. The plugin of a name is not loaded, since
    `status` must not need it."""
    if name not in names:
        others = alternatives(name, [*names, *([AUTO] if names is ACQUISITIONS else [])])
        yield keys, f"no such {names.kind}, got {show(name)}{others}"


def _prior_faults(document: Document) -> Iterator[Fault]:
    if not document.priors:
        return
    from spearmint_int.sampling.priors import Priors, prior_from_dict  # noqa: PLC0415 (numpy)

    for name, prior in document.priors.items():
        spelt = name.replace("-", "_")
        if spelt not in PRIOR_NAMES:
            known = [n.replace("_", "-") for n in PRIOR_NAMES]
            yield ["priors", name], f"no such hyperparameter{alternatives(name, known)}"
            continue
        try:
            Priors().with_({spelt: prior_from_dict(prior)})
        except SpearmintError as error:
            yield ["priors", name], str(error)


def _point_faults(document: Document) -> Iterator[Fault]:
    space = _space(document)
    for i, point in enumerate(document.initial_points):
        error = _error_of(space, point)
        if error:
            variable, _, sentence = error.partition(": ")
            yield ["initial_points", i, variable], sentence


def _error_of(space: Space, point: dict[str, Any]) -> str | None:
    try:
        space.encode(point)
    except SpaceError as error:
        return str(error)
    return None


def _space(document: Document) -> Space:
    from spearmint_int.space import Space  # noqa: PLC0415 (numpy)

    return Space({name: variable.to_space() for name, variable in document.variables.items()})
