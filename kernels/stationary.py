"""Stationary kernels with a length scale per dimension: a kernel is its formula in r².

A kernel of your own is a class with `correlation(r2)` and `slope(r2)` on numpy arrays:

    class RationalQuadratic:
        def correlation(self, r2):
            return 1 / (1 + r2 / 2)
        def slope(self, r2):
            return -0.5 / (1 + r2 / 2) ** 2

    register_kernel("rational_quadratic", RationalQuadratic())

The three below run as compiled code; yours is called with whole arrays.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.errors import SpearmintError
from spearmint_int.kernels._stationary import CompiledKernel
from spearmint_int.registry import KERNELS


class Kernel(Protocol):
    """A stationary correlation function of the squared, scaled distance r² = Σ (Δ_d / ℓ_d)²."""

    def correlation(self, r2: FloatArray) -> FloatArray:
        """k(r²), with k(0) = 1."""
        ...

    def slope(self, r2: FloatArray) -> FloatArray:
        """dk/d(r²), from which all gradients in the inputs follow."""
        ...


MATERN32 = CompiledKernel("matern32")
MATERN52 = CompiledKernel("matern52")
SQUARED_EXPONENTIAL = CompiledKernel("squared_exponential")


def kernel_named(name: str) -> CompiledKernel:
    """The kernel of that name; another package's is tried out at its first use."""
    kernel = KERNELS[name]
    if isinstance(kernel, CompiledKernel):
        return kernel
    return register_kernel(name, kernel() if isinstance(kernel, type) else kernel)


def register_kernel(name: str, kernel: Kernel) -> CompiledKernel:
    """Make a kernel available by name; it is tried out first, so that a slip shows here."""
    check_kernel(name, kernel)
    compiled = CompiledKernel(name, kernel)
    KERNELS.register(name, compiled)
    return compiled


def check_kernel(name: str, kernel: Kernel) -> None:
    """Refuse a kernel that is not a correlation, or whose slope is not its derivative."""
    r2 = np.array([0.0, 0.1, 1.0, 4.0])
    step = 1e-6
    k, slope = np.asarray(kernel.correlation(r2)), np.asarray(kernel.slope(r2))
    if k.shape != r2.shape or slope.shape != r2.shape:
        raise SpearmintError(f"kernel {name!r}: must return an array of the shape of r2")
    if not np.isclose(k[0], 1.0) or not np.all(np.abs(k) <= 1.0 + 1e-12):
        raise SpearmintError(f"kernel {name!r}: must be 1 at zero distance and nowhere above")
    difference = (kernel.correlation(r2 + step) - kernel.correlation(r2 - step * (r2 > 0))) / (
        step * (1 + (r2 > 0))
    )
    if not np.allclose(difference[1:], slope[1:], rtol=1e-3, atol=1e-6):
        raise SpearmintError(f"kernel {name!r}: slope must be the derivative of correlation in r2")
