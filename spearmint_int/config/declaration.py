"""The declarations of the variables so far, each with its era, and what may change between two.

An experiment's jobs lie in the space of the variables that were declared when they were added.
These changes keep all results: bounds move, an option comes or goes, a variable is fixed, a new
variable comes with the value that earlier jobs had. Any other change is a ConfigError that says
what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticUndefined

from spearmint_int.config.section import show
from spearmint_int.config.variables import VARIABLES as KINDS
from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from spearmint_int.config.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.space import Space
    from spearmint_int.stores.protocol import Store
    from spearmint_int.variables import Params

VARIABLES = "variables"  # the name of the first declaration in a store
LATER = "variables-later"  # the name of the list of those that followed

Declared = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Era:
    """A declaration of the variables: of the jobs with ids above `after`, up to the next era's."""

    after: int
    variables: Declared

    @cached_property
    def space(self) -> Space:
        """The space in which these jobs' points lie."""
        from spearmint_int.space import Space  # noqa: PLC0415 (numpy)

        parsed = {n: KINDS[v["type"]].model_validate(dict(v)) for n, v in self.variables.items()}
        return Space({name: v.to_space() for name, v in parsed.items()})  # type: ignore[attr-defined]


def declared(config: Config) -> dict[str, dict[str, Any]]:
    """The variables as a store keeps them."""
    return {
        name: variable.model_dump(mode="json", exclude={"was"})
        for name, variable in config.variables.items()
    }


def eras(store: Store) -> list[Era]:
    """The declarations so far, oldest first; none before the first job."""
    first = store.load_meta(VARIABLES)
    if first is None:
        return []
    later = store.load_meta(LATER) or []
    return [_era(0, first), *(_era(int(e["after"]), e["variables"]) for e in later)]


def eras_until(known: list[Era], job_id: int) -> list[Era]:
    """The declarations up to that of the job, which is the last one."""
    return [era for era in known if era.after < job_id]


def still_declared(config: Config, store: Store) -> bool:
    """Whether the config's declaration, the latest one when its run began, still is.

    It is asked at every suggestion, and reads only the later declarations: the first never changes.
    """
    later = store.load_meta(LATER)
    return not later or is_of(config, _era(int(later[-1]["after"]), later[-1]["variables"]))


def _era(after: int, variables: Mapping[str, Any]) -> Era:
    return Era(after, {name: _today(variable) for name, variable in variables.items()})


def begin_era(config: Config, store: Store) -> list[Era]:
    """Add the config's declaration if it is new; all of them. ConfigError where results can't be
    carried over."""
    store.first_meta(VARIABLES, declared(config))
    known = eras(store)
    check_variables(config, known)
    if is_of(config, known[-1]):
        return known
    known.append(Era(store.last_id(), declared(config)))
    store.save_meta(LATER, [{"after": e.after, "variables": e.variables} for e in known[1:]])
    return known


def is_of(config: Config, era: Era) -> bool:
    """Whether the config's variables are the era's."""
    return _same(era.variables, declared(config))


def check_variables(config: Config, known: list[Era]) -> None:
    """ConfigError where results of an earlier declaration can't be carried over."""
    for era in known:
        for name in {**config.variables, **era.variables}:  # in the order of the config
            fault = _fault(name, era.variables.get(name), config)
            if fault:
                raise ConfigError(f"{config.file_name}: variables.{name}: {fault}")


def changes(config: Config, known: list[Era]) -> Iterator[tuple[str, str]]:
    """(path of the key, sentence) of what is different now, and what that means for the results."""
    if not known:
        return
    last, now = known[-1].variables, declared(config)
    for name, ours in now.items():
        if name not in last:
            was = show(getattr(config.variables[name], "was", None))
            yield f"variables.{name}", f"is new: the results so far count as {was}"
        elif last[name] != ours:
            yield f"variables.{name}", _sentence(last[name], ours)


def of_today(job: Job, config: Config) -> Job:
    """The job with the value of every variable that is new since."""
    return replace(job, params=params_of_today(job.params, config))


def params_of_today(params: Params, config: Config) -> Params:
    """The parameters of an earlier job, with `was` of the variables that it did not have."""
    new = {
        name: variable.was if variable.size == 1 else [variable.was] * variable.size
        for name, variable in config.variables.items()
        if name not in params and variable.was is not None
    }
    by_name = params | new
    return {name: by_name[name] for name in [*config.variables, *params] if name in by_name}


def start_anew(config: Config) -> str:
    """The ways out where no result can be kept; a folder's own store holds one experiment."""
    aside = "copy config and objective into a new folder"
    if config.database.address is not None:
        aside = "choose another experiment-name"
    return f"{aside}, or start anew with 'spearmint-int clean'"


def _same(one: Declared, other: Declared) -> bool:
    return list(one.items()) == list(other.items())


def _fault(name: str, earlier: Mapping[str, Any] | None, config: Config) -> str | None:
    ours = config.variables.get(name)
    anew = start_anew(config)
    if ours is None:
        return (
            "is gone, but the results so far have it; keep it, with min and max (or the only "
            f"option) at the value that it has from now on, or {anew}"
        )
    if earlier is None and getattr(ours, "was", None) is None:
        return f'is new; say which value the results so far had, "was": …, or {anew}'
    if earlier is None:
        return None
    lost = f"no result can be carried over; {anew}"
    if earlier["type"] != ours.type:
        return f"was {earlier['type']} and is {ours.type} now: {lost}"
    if earlier["size"] != ours.size:
        return f"had size {earlier['size']} and has {ours.size} now: {lost}"
    return None


def _sentence(earlier: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    if ours["type"] == "ENUM":
        gone = [show(o) for o in earlier["options"] if o not in ours["options"]]
        left_out = f"; the model leaves out results with {', '.join(gone)}" if gone else ""
        return f"has other options than before: all results are kept{left_out}"
    before, now = (_interval(v) for v in (earlier, ours))
    outside = "" if _covers(ours, earlier) else ", also those outside of the new bounds"
    has_no_place = ours.get("log") and earlier["min"] <= 0
    but = ", but for those at 0 and below, for which a log scale has no place"
    informed = f"inform the model{outside}{but if has_no_place else ''}"
    return f"was {before} and is {now} now: all results are kept and {informed}"


def _interval(variable: Mapping[str, Any]) -> str:
    scale = " on a log scale" if variable.get("log") else ""
    if variable["min"] == variable["max"]:
        return f"fixed at {show(variable['min'])}"
    return f"{show(variable['min'])} to {show(variable['max'])}{scale}"


def _covers(ours: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
    return bool(ours["min"] <= earlier["min"] and earlier["max"] <= ours["max"])


def _today(variable: Mapping[str, Any]) -> dict[str, Any]:
    """A stored declaration with every key of today: those that came since have their defaults."""
    fields = KINDS[str(variable["type"])].model_fields.items()
    defaults = {name: field.default for name, field in fields if name != "was"}
    return {**{n: d for n, d in defaults.items() if d is not PydanticUndefined}, **variable}
