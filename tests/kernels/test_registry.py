"""Kernels by name, and kernels of one's own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from spearmint_int.arrays import FloatArray
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.kernels import KERNELS, CompiledKernel, kernel_named, register_kernel


class RationalQuadratic:
    def correlation(self, r2: FloatArray) -> FloatArray:
        return np.asarray(1.0 / (1.0 + r2 / 2.0))

    def slope(self, r2: FloatArray) -> FloatArray:
        return np.asarray(-0.5 / (1.0 + r2 / 2.0) ** 2)


class WrongSlope(RationalQuadratic):
    def slope(self, r2: FloatArray) -> FloatArray:
        return -2.0 * super().slope(r2)


class NotOneAtZero(RationalQuadratic):
    def correlation(self, r2: FloatArray) -> FloatArray:
        return 0.5 * super().correlation(r2)


class WrongShape(RationalQuadratic):
    def correlation(self, r2: FloatArray) -> FloatArray:
        return super().correlation(r2)[:1]


class ShortOfMany(RationalQuadratic):
    def correlation(self, r2: FloatArray) -> FloatArray:
        return super().correlation(r2)[:8]


@pytest.fixture(autouse=True)
def _registry_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KERNELS, "_values", {})


def test_an_unknown_kernel_lists_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match="there are matern32, matern52, squared_exponential"):
        kernel_named("cosine")


def test_a_typing_error_in_a_kernel_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'matern52'"):
        kernel_named("matern25")


def test_a_kernel_of_ones_own_is_found_by_its_name() -> None:
    register_kernel("rational_quadratic", RationalQuadratic())
    r2 = np.linspace(0.0, 9.0, 50)
    kernel = kernel_named("rational_quadratic")
    assert np.array_equal(kernel.correlation(r2), RationalQuadratic().correlation(r2))
    assert np.array_equal(kernel.slope(r2), RationalQuadratic().slope(r2))


@pytest.mark.parametrize(
    ("kernel", "text"),
    [(WrongSlope(), "derivative"), (NotOneAtZero(), "1 at zero"), (WrongShape(), "shape")],
)
def test_a_kernel_that_is_none_is_refused_with_the_reason(
    kernel: RationalQuadratic, text: str
) -> None:
    with pytest.raises(SpearmintError, match=text):
        register_kernel("mine", kernel)
    assert "mine" not in KERNELS


def test_a_kernel_that_gives_too_few_values_later_on_is_told_and_gives_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    assert np.all(np.isnan(CompiledKernel("mine", ShortOfMany()).correlation(np.zeros(50))))
    assert "must give 50 values" in str(told[0].exc_value)
