"""Warps of the inputs: a monotone map of each axis to itself, so that a function which bends more
at one end of an axis than at the other is stationary (Snoek et al. 2014).

Spearmint's is the CDF of a Beta distribution. Kumaraswamy's, w(u) = 1 − (1 − u^a)^b, has the same
shapes and needs no incomplete beta function. It comes after T: an integer stays at one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spearmint_int.arrays import FloatArray

# Slopes are taken at least so far from the ends of an axis, where they may be infinite or zero.
EDGE = 1e-9


@dataclass(frozen=True)
class InputWarp:
    """w on some of the columns, with the parameters a and b of each."""

    columns: tuple[int, ...] = ()
    a: tuple[float, ...] = ()
    b: tuple[float, ...] = ()

    def apply(self, Z: FloatArray) -> FloatArray:
        """Rows Z [m, D] that have been through T, with the columns warped."""
        if not self.columns:
            return Z
        warped = np.array(Z)
        z, a, b = warped[:, list(self.columns)], np.array(self.a), np.array(self.b)
        within = (z > 0.0) & (z < 1.0)  # observations from beyond the bounds are not warped
        with np.errstate(divide="ignore"):  # close to 1, u^a may round to 1, and so does w
            w = -np.expm1(b * np.log1p(-(np.where(within, z, 0.5) ** a)))
        warped[:, list(self.columns)] = np.where(within, w, z)
        return warped

    def slopes(self, Z: FloatArray) -> FloatArray:
        """dw/du [m, D] at the same rows."""
        slopes = np.ones(Z.shape)
        if self.columns:
            u = np.clip(Z[:, list(self.columns)], EDGE, 1.0 - EDGE)
            a, b = np.array(self.a), np.array(self.b)
            slopes[:, list(self.columns)] = a * b * u ** (a - 1.0) * (1.0 - u**a) ** (b - 1.0)
        return slopes

    def to_json(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "a": list(self.a), "b": list(self.b)}
