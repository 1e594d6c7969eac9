"""The config in the folder of `minimize(…, path=…)`: written by the first call, kept by the next.

Bounds, options and settings that a later call gives anew are written into it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from spearmint_int.atomic import write_whole
from spearmint_int.chooser import ChooserOptions, Constraint
from spearmint_int.config import (
    CALLED_BY_MINIMIZE,
    DEFAULT_FILE,
    OPTION_KEYS,
    Config,
    ConfigFaultsError,
    config_from,
    load_config,
)
from spearmint_int.config.declaration import Era, changes, declared
from spearmint_int.config.json_file import parse_json, read_json
from spearmint_int.config.section import show
from spearmint_int.errors import ConfigError
from spearmint_int.experiment.identity import IN_THIS_LIGHT
from spearmint_int.jobs import MAIN_TASK
from spearmint_int.library.optimizer import Optimizer
from spearmint_int.sampling.priors import prior_to_dict
from spearmint_int.variables import Variable

# No suggestion depends on the number of threads: each call has its own, and it is not written.
NOT_WRITTEN = "threads"
KEYS = {name: key for name, key in OPTION_KEYS.items() if name != NOT_WRITTEN}


def known_config(directory: Path) -> Config | None:
    """The folder's config, None in a new folder; ConfigError where it is another program's, or was
    damaged."""
    if not (directory / DEFAULT_FILE).exists():
        return None
    try:
        return load_config(directory)
    except ConfigError as error:
        fault = error.faults[0] if isinstance(error, ConfigFaultsError) else str(error)
        raise ConfigError(
            f"{directory}: {fault}; mend it, or take another folder if it is another program's"
        ) from None


@dataclass(frozen=True)
class RunConfig:
    """The config of a call, to be written once the store was opened with it.

    `text` is the file's new text, None where it stays as it is; `sentences` say what has changed.
    """

    config: Config
    text: str | None = None
    sentences: tuple[str, ...] = ()

    def write(self) -> None:
        if self.text is not None:
            write_whole(self.config.directory / self.config.file_name, self.text)


def begun_config(directory: Path, asked: Optimizer) -> RunConfig:
    """The config of a new folder."""
    document = config_document(asked)
    return RunConfig(_checked(document, directory), _text(document))


def gone_on_config(known: Config, asked: Optimizer, given: Collection[str]) -> RunConfig:
    """The folder's config with what the call gives otherwise."""
    _check_names(known, asked)
    _check_direction(known, asked)
    _check_constraints(known, asked)
    anew = _Anew.of(known, asked, given)
    if not anew:
        return RunConfig(known)
    file = known.directory / known.file_name
    document = anew.put_into(read_json(file))
    config = _checked(document, known.directory)
    # what was put in by hand may win over what is written here
    if known.main_file != CALLED_BY_MINIMIZE or _Anew.of(config, asked, given):
        raise ConfigError(
            f"{file}: says something else of {', '.join(anew.names)} than the call, and was "
            "written by hand: change it there, or take another folder"
        )
    sentences = (f"{config.directory}: {each}" for each in anew.sentences(known, config))
    return RunConfig(config, _text(document), tuple(sentences))


@dataclass(frozen=True)
class _Anew:
    """What a call gives otherwise than the folder's config."""

    variables: Mapping[str, Variable]
    options: Mapping[str, Any]
    constraints: Mapping[str, Constraint]

    @classmethod
    def of(cls, known: Config, asked: Optimizer, given: Collection[str]) -> _Anew:
        space, options = known.space(), known.chooser_options()
        return cls(
            {n: asked.space.variables[n] for n, v in space.variables.items()
             if asked.space.variables[n] != v},
            {n: getattr(asked.options, n) for n in KEYS
             if n in given and getattr(asked.options, n) != getattr(options, n)},
            {c.task: now for c in known.chooser_constraints() if (now := _named(c, asked)) != c},
        )  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def names(self) -> list[str]:
        return [*self.variables, *self.options, *self.constraints]

    def put_into(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The config with these changes; a variable keeps its `was`, its value in earlier jobs."""
        declared_before = document["variables"]
        variables = {
            name: {k: v for k, v in declared_before[name].items() if k == "was"} | _entry(variable)
            for name, variable in self.variables.items()
        }
        options = {KEYS[name]: _said(name, value) for name, value in self.options.items()}
        new = {**document, **options, "variables": {**declared_before, **variables}}
        if self.constraints:
            new["tasks"] = {**document["tasks"], **_constraint_entries(self.constraints.values())}
        return new

    def sentences(self, known: Config, config: Config) -> Iterator[str]:
        """What is different now, and what that means for the results."""
        for place, sentence in changes(config, [Era(0, declared(known))]):
            yield f"{place.removeprefix('variables.')} {sentence}"
        before = known.chooser_options()
        for name, value in self.options.items():
            was, now = (show(_said(name, each)) for each in (getattr(before, name), value))
            yield f"{name} was {was} and is {now} now: {IN_THIS_LIGHT}"
        for constraint in known.chooser_constraints():
            for name, value in _settings(self.constraints.get(constraint.task, constraint)).items():
                was = _settings(constraint)[name]
                if was != value:
                    place = f"{constraint.task}: {name}"
                    yield f"{place} was {was} and is {value} now: {IN_THIS_LIGHT}"


def _check_names(known: Config, asked: Optimizer) -> None:
    """ConfigError where the call has other variables, and not only other bounds or options."""
    theirs, ours = known.space().variables, asked.space.variables
    faults = [f"{name} is missing in the call" for name in theirs if name not in ours]
    faults += [f"{name} is new in the call" for name in ours if name not in theirs]
    for name in [name for name in theirs if name in ours]:
        was, now = _kind(theirs[name]), _kind(ours[name])
        faults += [f"{name} is {was} there, and {now} in the call"] if was != now else []
    if faults:
        raise ConfigError(
            f"{known.directory}: its results are of other variables: {'; '.join(faults)}; "
            "take another folder"
        )


def _kind(variable: Variable) -> str:
    size = "" if variable.size == 1 else f" of size {variable.size}"
    return f"{type(variable).__name__}{size}"


def _check_direction(known: Config, asked: Optimizer) -> None:
    if known.maximize != (asked.direction == "maximize"):
        was = "maximize" if known.maximize else "minimize"
        raise ConfigError(
            f'{known.directory}: its results are of direction="{was}", got "{asked.direction}"; '
            "give that, or take another folder"
        )


def _check_constraints(known: Config, asked: Optimizer) -> None:
    """ConfigError where the call has others; their order is the folder's."""
    theirs = [c.task for c in known.chooser_constraints()]
    if sorted(theirs) != sorted(c.task for c in asked.constraints):
        was = ", ".join(theirs) or "none"
        raise ConfigError(
            f"{known.directory}: its results are of other constraints than the call has ({was}); "
            "give these, or take another folder"
        )


def _named(known: Constraint, asked: Optimizer) -> Constraint:
    """The constraint as the call has it; settings that the call does not name are the folder's."""
    given = next(c for c in asked.constraints if c.task == known.task)
    unnamed = _settings(Constraint(known.task, asked.options.likelihood))
    return replace(known, **{n: v for n, v in _settings(given).items() if v != unnamed[n]})


def _settings(constraint: Constraint) -> dict[str, Any]:
    return {name: value for name, value in asdict(constraint).items() if name != "task"}


def _checked(document: Mapping[str, Any], directory: Path) -> Config:
    """The config as it will be read; ConfigError in the words of the call, before it is written."""
    try:
        return config_from(parse_json(_text(document), name=DEFAULT_FILE), directory)
    except ConfigFaultsError as error:
        fault = error.faults[0].removeprefix(f"{DEFAULT_FILE}: ")
    except ValueError as error:  # infinite, or not a number
        fault = str(error)
    key, colon, sentence = fault.partition(":")
    name = next((name for name, known in KEYS.items() if known == key), key)
    raise ConfigError(f"with path=, {name}{colon}{sentence}; give that, or leave out path=")


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def config_document(optimizer: Optimizer) -> dict[str, Any]:
    """The config of an experiment that asks as this optimizer does."""
    default, objective = ChooserOptions(), {MAIN_TASK: {"type": "OBJECTIVE"}}
    constraints = _constraint_entries(optimizer.constraints)
    return {
        "main-file": CALLED_BY_MINIMIZE,
        "seed": optimizer.seed,
        "maximize": optimizer.direction == "maximize",
        "variables": {n: _entry(v) for n, v in optimizer.space.variables.items()},
        **{
            key: _said(name, getattr(optimizer.options, name))
            for name, key in KEYS.items()
            if getattr(optimizer.options, name) != getattr(default, name)
        },
        **({"tasks": objective | constraints} if constraints else {}),
    }


def _constraint_entries(constraints: Iterable[Constraint]) -> dict[str, Any]:
    return {
        c.task: {
            "type": "CONSTRAINT",
            "likelihood": c.likelihood,
            "min-confidence": c.min_confidence,
        }
        for c in constraints
    }


def _entry(variable: Variable) -> dict[str, Any]:
    return {"type": type(variable).__name__.upper()} | {
        field.name: getattr(variable, field.name) for field in fields(variable)
    }


def _said(name: str, value: Any) -> Any:
    """The option's value as a config has it."""
    if name != "priors":
        return value
    return {each.replace("_", "-"): prior_to_dict(prior) for each, prior in value.items()}
