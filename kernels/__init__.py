"""Covariance functions k'(x, x') = k(T(x), T(x')) (paper, Eq. 2): kernels, and T before them."""

from __future__ import annotations

from spearmint_int.kernels._stationary import (
    CompiledKernel,
    packed_squared_differences,
    squared_distances,
)
from spearmint_int.kernels.covariance import Covariance, InputTransform, rounding, unrounded
from spearmint_int.kernels.stationary import Kernel, kernel_named, register_kernel
from spearmint_int.kernels.trend import Trend
from spearmint_int.kernels.warp import InputWarp
from spearmint_int.registry import KERNELS

__all__ = [
    "KERNELS",
    "CompiledKernel",
    "Covariance",
    "InputTransform",
    "InputWarp",
    "Kernel",
    "Trend",
    "kernel_named",
    "packed_squared_differences",
    "register_kernel",
    "rounding",
    "squared_distances",
    "unrounded",
]
