"""The points of jobs from before the variables were changed, in the unit cube of the present ones.

A value outside of the present bounds is placed outside of [0, 1], where it informs the model and no
search goes. A point with an option that does not exist any more has no place: its row is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.errors import SpaceError
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Variable

if TYPE_CHECKING:
    from spearmint_int.arrays import FloatArray
    from spearmint_int.config.declaration import Era

# A fixed FLOAT takes up the whole of [0, 1]: its other values begin so far beyond ½.
FIXED_GAP = 0.5
# Parameters farther away than this, by a typing error for example, have no place: the squares of
# their distances would overflow, and no model could ever be fitted again.
FARTHEST = 1e6

Recode = Callable[[int, Sequence[float]], "FloatArray"]


@dataclass(frozen=True)
class Placement:
    """A space, and the places that jobs of earlier declarations have in it."""

    space: Space
    recode: Recode | None

    @classmethod
    def among(cls, known: Sequence[Era], space: Space, was: Mapping[str, Any]) -> Placement:
        """`known` are the declarations so far; `was` has the value of each new variable in jobs
        that were added before it."""
        space = Space(space.variables, also_varying=fixed_names(known, space))
        return cls(space, recoder(known, space, was))

    def place(self, job_id: int, point: Sequence[float]) -> FloatArray | None:
        """A job's point [D] in this space; None where it has no place here."""
        u = np.array(point, dtype=np.float64) if self.recode is None else self.recode(job_id, point)
        return None if u.shape != (self.space.dimensions,) or np.isnan(u).any() else u

    def is_within(self, job_id: int, point: Sequence[float]) -> bool:
        """Whether a job's point lies within the bounds of this space."""
        u = self.place(job_id, point)
        return u is not None and bool(self.space.inside(u[np.newaxis, :])[0])


def recoder(known: Sequence[Era], space: Space, was: Mapping[str, Any]) -> Recode | None:
    """(job id, its stored point) → its point now; None where nothing has changed."""
    spaces = [(era.after, era.space) for era in known]
    if all(earlier == space for _, earlier in spaces):
        return None

    def recode(job_id: int, point: Sequence[float]) -> FloatArray:
        earlier = next(s for after, s in reversed(spaces) if job_id > after)
        u = np.array(point, dtype=np.float64)
        if earlier == space or len(u) != earlier.dimensions:  # the latter was put in by hand
            return u
        return recoded(u, earlier, space, was)

    return recode


def recoded(u: FloatArray, earlier: Space, space: Space, was: Mapping[str, Any]) -> FloatArray:
    """The point u [D'] of the earlier space as a point [D] of this one."""
    places = _places(earlier)
    parts: list[FloatArray] = []
    for name, variable in space.variables.items():
        for i in range(variable.size):
            if name in places:
                old, start = earlier.variables[name], places[name]
                column = start + i * old.columns
                parts.append(_element(u[column : column + old.columns], old, variable))
            else:
                parts.append(_given(was[name], i, variable))
    return np.concatenate(parts)


def placed(params: Mapping[str, Any], space: Space) -> FloatArray | None:
    """The point [D] of parameters that may lie beyond the bounds; None where they have no place."""
    try:
        return space.encode(params)
    except SpaceError:
        parts = [
            _given(params[name], i, variable)
            for name, variable in space.variables.items()
            for i in range(variable.size)
        ]
    u = np.concatenate(parts)
    return u if np.all(np.abs(u) <= FARTHEST) else None  # False of NaN


def fixed_names(known: Sequence[Era], space: Space) -> frozenset[str]:
    """Variables that are fixed now and could vary before, so that results may differ in them."""
    varied = {
        name for era in known for name, variable in era.space.variables.items() if _varies(variable)
    }
    return frozenset(n for n, v in space.variables.items() if n in varied and not _varies(v))


def _varies(variable: Variable) -> bool:
    return len(variable.options) > 1 if isinstance(variable, Enum) else variable.max > variable.min


def _places(space: Space) -> dict[str, int]:
    """The first column of each variable."""
    places, column = {}, 0
    for name, variable in space.variables.items():
        places[name] = column
        column += variable.size * variable.columns
    return places


def _element(u: FloatArray, old: Variable, new: Variable) -> FloatArray:
    if isinstance(old, Enum) and isinstance(new, Enum):
        # decoded first: where T is not applied, the columns of other options may be above 0 too
        if old.decode(u) not in new.options:
            return np.full(len(new.options), np.nan)
        row = [float(u[old.options.index(o)]) if o in old.options else 0.0 for o in new.options]
        return np.array(row)
    if isinstance(old, Int) and isinstance(new, Int):
        return np.array([_whole(old.decode(u), new)])
    if isinstance(old, Float) and isinstance(new, Float):
        return np.array([_real(old.decode(u), old, new)])
    raise TypeError(f"{old} can't become {new}")


def _given(value: Any, i: int, variable: Variable) -> FloatArray:
    """The place of a plain value, such as the `was` of a new variable."""
    value = value[i] if isinstance(value, list | tuple) else value
    if isinstance(variable, Enum):
        return np.array(variable.encode(value))
    if isinstance(variable, Int):
        return np.array([_whole(int(value), variable)])
    return np.array([_real(float(value), variable, variable)])


def _whole(x: int, new: Int) -> float:
    """The place of x among the new integers, or beyond them. NaN for one between them, or in the
    outer half of the first or last integer's cell, where it would be taken for that integer."""
    low, high = int(new.min), int(new.max)
    if (new.log or new.base is not None) and x < 1:
        return float("nan")  # a log scale has no place for it
    if new.log:
        ends = np.log(low - 0.5), np.log(high + 0.5)
        return float((np.log(x) - ends[0]) / (ends[1] - ends[0]))
    index = (x - low) / new.step if new.base is None else float(np.log(x / low) / np.log(new.base))
    u = (index + 0.5) / new.cells
    is_between = abs(index - round(index)) > 1e-9
    return float("nan") if is_between and 0.0 <= u <= 1.0 else u


def _real(x: float, old: Float, new: Float) -> float:
    """The place of x on the scale of the new bounds, or beyond them."""
    if new.max == new.min:
        reach = (old.max - old.min) or 1.0
        offset = (x - new.min) / reach
        return 0.5 + offset + float(np.sign(offset)) * FIXED_GAP
    if new.log and x <= 0.0:
        return float("nan")  # a log scale has no place for it
    low, high, at = (np.log(v) if new.log else v for v in (new.min, new.max, x))
    return float((at - low) / (high - low))
