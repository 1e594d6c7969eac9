"""What the library is given: taken as it was meant, or refused in a sentence, before any work."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from spearmint_int.chooser import OBJECTIVE, ChooserOptions, Constraint
from spearmint_int.errors import ResultError, SpearmintError, alternatives, closest
from spearmint_int.jobs import as_constraint
from spearmint_int.library.evaluation import Result

Initial = Mapping[str, Any] | Result  # a guess, or a result that is known already


def check_whole(name: str, given: object, *, least: int, other: str | None = None) -> None:
    """`other` is what may be given beside whole numbers from `least` on."""
    if isinstance(given, bool) or not isinstance(given, Integral):  # numpy's integers too
        raise TypeError(f"{name} must be a whole number, got {given!r}")
    if given < least:
        besides = "" if other is None else f", or {other}"
        raise ValueError(f"{name} must be at least {least}{besides}, got {given}")


def check_number(name: str, given: object) -> None:
    if isinstance(given, bool) or not isinstance(given, Real):
        raise TypeError(f"{name} must be a number, got {given!r}")
    if math.isnan(given):
        raise ValueError(f"{name} must be a number, got {given}")


def check_seconds(name: str, given: object) -> None:
    if isinstance(given, bool) or not isinstance(given, Real):
        raise TypeError(f"{name} must be a number of seconds, got {given!r}")
    if not float(given) >= 0.0:
        raise ValueError(f"{name} must be at least 0 seconds, got {given}")


def check_flag(name: str, given: object) -> None:
    if not isinstance(given, bool):
        raise TypeError(f"{name} must be True or False, got {given!r}")


def check_callable(name: str, given: object) -> None:
    if not callable(given):
        raise TypeError(f"{name} must be a function, got {given!r}")


def check_path(name: str, given: object) -> None:
    if not isinstance(given, str | os.PathLike):
        raise TypeError(f"{name} must name a folder, got {given!r}")
    if given == "":
        raise ValueError(f"{name} must name a folder, got ''; '.' is the present one")


def as_seed(seed: int | None) -> int:
    """The seed itself, or for None another one each time."""
    if seed is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise SpearmintError(f"seed must be a whole number from 0 on, or None, got {seed!r}")
    return int(seed)


def as_count(count: int) -> int:
    """How many points were asked for."""
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise SpearmintError(f"the count of points must be a whole number from 1 on, got {count!r}")
    return int(count)


def as_guesses(initial: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Parameters to be tried first."""
    guesses = _listed(initial, of="guesses")
    for guess in guesses:
        if isinstance(guess, tuple | list):
            raise TypeError(
                f"initial must be a list of guesses, which map names to values, got {guess!r}; "
                "a result that is known goes to tell(params, value)"
            )
    return guesses


def as_guesses_and_results(
    initial: Iterable[Initial],
) -> tuple[list[Mapping[str, Any]], list[Result]]:
    """Parameters to be tried first, and results that are known: `(params, value)`."""
    entries = _listed(initial, of="guesses and results")
    guesses = [entry for entry in entries if isinstance(entry, Mapping)]
    results = [_as_known(entry) for entry in entries if not isinstance(entry, Mapping)]
    return guesses, results


def _as_known(entry: Any) -> Result:
    pair = isinstance(entry, tuple | list) and len(entry) == 2
    if not pair or not isinstance(entry[0], Mapping):
        raise TypeError(
            f"initial must have guesses {{…}} and results ({{…}}, value), got {entry!r}"
        )
    return entry[0], entry[1]


def _listed(initial: Iterable[Any], *, of: str) -> list[Any]:
    if isinstance(initial, Mapping):
        raise TypeError(f"initial must be a list of {of}, got a single one: initial=[…]")
    if isinstance(initial, str) or not isinstance(initial, Iterable):
        raise TypeError(f"initial must be a list of {of}, got {initial!r}")
    return list(initial)


def as_result(value: Any) -> float:
    """Numbers, and arrays with a single one, as objectives of an experiment may return; what numpy
    has masked is none."""
    if np.ma.is_masked(value):
        return math.nan
    if hasattr(value, "to_numpy"):  # pandas'
        value = value.to_numpy()
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    try:
        if isinstance(value, str | bytes | complex | np.complexfloating):
            raise TypeError  # numpy would drop the imaginary part, and warn
        return float(value)
    except OverflowError:  # an integer beyond the floats
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise ResultError(
            f"a result must be a number, got {value!r}; NaN says that it failed there"
        ) from None


def as_constraints(
    given: Iterable[str | Constraint], options: ChooserOptions
) -> tuple[Constraint, ...]:
    """Constraints by their names, with the likelihood of the objective, or as they are."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"constraints must be a list of names or Constraint(…), got {given!r}")
    constraints = tuple(
        c if isinstance(c, Constraint) else Constraint(c, options.likelihood) for c in given
    )
    names = [c.task for c in constraints]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or OBJECTIVE in names:
        raise SpearmintError(
            f"constraints must have names of their own, other than {OBJECTIVE!r}, the objective's; "
            f"got {', '.join(map(repr, names))}"
        )
    return constraints


def as_results(value: Any, constraints: Sequence[Constraint]) -> dict[str, float]:
    """What a function has returned, by tasks: a number, or {"main": number, constraint: number, …},
    of which constraints may be missing. NaN alone says that all of it failed."""
    if not isinstance(value, Mapping):
        number = as_result(value)
        if constraints and not math.isnan(number):
            raise ResultError(f"a result must be {_wanted(constraints)}, got {value!r}")
        return {OBJECTIVE: number}
    if not constraints:
        raise ResultError(
            f"a result must be a number, got {value!r}; {_without_constraints(value)}"
        )
    if OBJECTIVE not in value:
        raise ResultError(f"a result must be {_wanted(constraints)}, got {value!r}")
    names = [c.task for c in constraints]
    _warn_of_another_name(value, names)
    found = {name: _as_constraint(value[name]) for name in names if name in value}
    return {OBJECTIVE: as_result(value[OBJECTIVE]), **found}


def _without_constraints(value: Mapping[str, Any]) -> str:
    """What to do about a dictionary that nothing was said of."""
    others = [name for name in value if name != OBJECTIVE]
    if OBJECTIVE not in value or not others:
        return "give the number alone"
    return f"give the one of {OBJECTIVE!r} alone, or name the constraints: constraints={others!r}"


def _as_constraint(value: Any) -> float:
    """Its number as a folder would keep it: NaN where it is infinite."""
    if np.ma.is_masked(value):
        return math.nan
    plain = value.item() if isinstance(value, np.ndarray | np.bool_) and value.size == 1 else value
    number = as_constraint(plain if isinstance(plain, bool) else as_result(plain))
    return number if math.isfinite(number) else math.nan


def _warn_of_another_name(value: Mapping[str, Any], names: Sequence[str]) -> None:
    """A constraint may be missing, but where another name is there instead it is misspelt."""
    missing = [name for name in names if name not in value]
    others = [name for name in value if name not in (OBJECTIVE, *names)]
    if missing and others:
        warnings.warn(
            f"a result has no number for the constraint {missing[0]!r}, which counts as not "
            f"fulfilled; it has {', '.join(map(repr, others))}",
            stacklevel=3,
        )


def _wanted(constraints: Sequence[Constraint]) -> str:
    listed = ", ".join(f'"{name}": …' for name in (OBJECTIVE, *(c.task for c in constraints)))
    return f"{{{listed}}}"


def options_with(options: ChooserOptions, settings: Mapping[str, Any]) -> ChooserOptions:
    """The options with these settings; a name that is none lists those there are."""
    if not isinstance(options, ChooserOptions):
        raise TypeError(
            f"options must be ChooserOptions(…), got a {type(options).__name__}; "
            "or give each setting by its name, such as likelihood=…"
        )
    if isinstance(settings.get("initial_points"), list | tuple):
        raise TypeError(
            "initial_points is a number, of points that come before the model; "
            "give guesses as initial=[…]"
        )
    for name in settings:
        if name not in options.__dataclass_fields__:
            raise TypeError(f"no such setting: {name}{_instead(name, options)}")
    return replace(options, **settings)


# What other libraries call what has another name here.
ELSEWHERE = {
    "maximize": 'direction="maximize"',
    "n_trials": "evaluations=… of minimize",
    "n_calls": "evaluations=… of minimize",
    "n_iter": "evaluations=… of minimize",
    "max_evals": "evaluations=… of minimize",
    "max_time": "timeout=… of minimize",
    "noise": 'likelihood="GAUSSIAN" with noise, "NOISELESS" without',
    "noisy": 'likelihood="GAUSSIAN" with noise, "NOISELESS" without',
    "random_state": "seed=…",
    "verbose": "progress=… of minimize",
    "workers": "n_jobs=… of minimize",
    "x0": "initial=[…]",
}
# Arguments of `minimize` and `Optimizer`: a misspelt one arrives among the settings.
OF_MINIMIZE = ("evaluations", "path", "n_jobs", "timeout", "stop", "callback", "progress")
OF_BOTH = ("direction", "initial", "constraints", "options")


def _instead(name: str, options: ChooserOptions) -> str:
    if name in ELSEWHERE:
        return f"; give {ELSEWHERE[name]}"
    names = ["seed", *sorted(options.__dataclass_fields__)]
    meant = closest(name, [*names, *OF_MINIMIZE, *OF_BOTH])
    if meant in OF_MINIMIZE:
        return f"; did you mean {meant!r} of minimize?"
    if meant in OF_BOTH:
        return f"; did you mean {meant!r} of minimize and Optimizer?"
    return alternatives(name, names)


def as_several(params: Any) -> list[Mapping[str, Any]]:
    """One or several; a table of pandas' is one, for the space to refuse by its name."""
    is_one = isinstance(params, Mapping) or hasattr(params, "to_dict")
    return [params] if is_one or not isinstance(params, Iterable) else list(params)
