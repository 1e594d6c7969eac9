"""Sobol's indices against those that are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spearmint_int.analysis.importance import importance_of, sobol_indices
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import ChooserOptions, Observations, Problem, fit
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

A, B = 7.0, 0.1
ISHIGAMI = Space({name: Float(-math.pi, math.pi) for name in ("x1", "x2", "x3")})


def ishigami(U: FloatArray) -> FloatArray:
    """Ishigami and Homma (1990), on the unit cube."""
    x1, x2, x3 = (2.0 * math.pi * U - math.pi).T
    values: FloatArray = np.sin(x1) + A * np.sin(x2) ** 2 + B * x3**4 * np.sin(x1)
    return values


def known_indices() -> tuple[FloatArray, FloatArray]:
    """First-order and total indices in closed form."""
    v1 = 0.5 * (1 + B * math.pi**4 / 5) ** 2
    v2 = A**2 / 8
    v13 = B**2 * math.pi**8 * (1 / 18 - 1 / 50)
    variance = v1 + v2 + v13
    return np.array([v1, v2, 0.0]) / variance, np.array([v1 + v13, v2, v13]) / variance


def test_the_indices_of_ishigamis_function_are_the_known_ones() -> None:
    first, total = sobol_indices(ishigami, ISHIGAMI, base=4096)
    known = known_indices()
    assert np.allclose(first, known[0], atol=0.02)
    assert np.allclose(total, known[1], atol=0.02)


def test_integers_and_options_weigh_each_value_equally() -> None:
    """f = k + 3 [e = b] with k in 0 … 4: variances 2 and 9 · 2/9."""
    space = Space({"k": Int(0, 4), "e": Enum(["a", "b", "c"])})

    def function(U: FloatArray) -> FloatArray:
        return np.floor(5 * U[:, 0]) + 3.0 * U[:, 2]

    first, total = sobol_indices(function, space, base=4096)
    assert np.allclose(first, [0.5, 0.5], atol=0.02)
    assert np.allclose(total, first, atol=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_no_variable_explains_more_alone_than_with_interactions(seed: int) -> None:
    """A product has interactions of every order, and these weights make most indices small."""
    weights = 3.0 ** -np.random.default_rng(seed).permutation(6)
    space = Space({f"x{i}": Float(0, 1) for i in range(6)})

    def function(U: FloatArray) -> FloatArray:
        return np.asarray(np.prod(1.0 + weights * np.cos(7.0 * U), axis=1))

    first, total = sobol_indices(function, space)
    assert np.all(first <= total)


def test_a_variable_without_effect_has_no_importance_at_all() -> None:
    space = Space({"x": Float(0, 1), "idle": Float(0, 1)})
    first, total = sobol_indices(lambda U: np.sin(6.0 * U[:, 0]), space, base=256)
    assert (first[1], total[1]) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("exponent", [-1000, 520, 1000])
def test_the_indices_are_the_same_in_any_unit(exponent: int) -> None:
    plain = sobol_indices(ishigami, ISHIGAMI)
    scaled = sobol_indices(lambda U: np.ldexp(ishigami(U), exponent), ISHIGAMI)
    assert np.array_equal(plain, scaled)


def test_a_constant_function_has_no_importance() -> None:
    first, total = sobol_indices(lambda U: np.ones(len(U)), ISHIGAMI)
    assert not np.any(first)
    assert not np.any(total)


@pytest.mark.slow
def test_the_model_of_ishigamis_function_has_its_indices() -> None:
    rng = np.random.default_rng(1)
    points = rng.random((250, 3))
    options = ChooserOptions(likelihood="NOISELESS")
    problem = Problem(ISHIGAMI, Observations.of(points, ishigami(points)), options=options)
    found = importance_of(fit(problem, rng))
    known = known_indices()
    assert np.allclose(found.first.mean(axis=0), known[0], atol=0.06)
    assert np.allclose(found.total.mean(axis=0), known[1], atol=0.06)
