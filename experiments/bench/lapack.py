"""LAPACK and BLAS alone, by the functions and shapes that the engine calls.

dpotrf is called through the pointer that scipy's `cython_lapack` exports, as the sampler does, so
that neither f2py's checks nor a copy of the matrix are counted as LAPACK's time.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_blas, cython_lapack

from experiments.bench.timing import seconds
from spearmint_int.model import _predict

FloatArray = NDArray[np.float64]


def dpotrf_seconds(n: int) -> float:
    """One factorization of an n × n correlation matrix, without the copy that it is made on."""
    A = _matrix(n)
    work = np.array(A, order="F")
    function = _function(cython_lapack, "dpotrf")
    size, info = ctypes.c_int(n), ctypes.c_int(0)

    def factor() -> None:
        np.copyto(work, A)
        function(b"L", ctypes.byref(size), _data(work), ctypes.byref(size), ctypes.byref(info))

    return seconds(factor) - seconds(lambda: np.copyto(work, A))


def dtrsv_seconds(n: int) -> float:
    L, x = np.asfortranarray(np.linalg.cholesky(_matrix(n))), np.ones(n)
    function = _function(cython_blas, "dtrsv")
    size, one = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_int(1))
    return seconds(lambda: function(b"L", b"N", b"N", size, _data(L), size, _data(x), one))


@cache
def product_seconds(n: int, points: int) -> float:
    """R times k∗ for so many points: the product that stands for a triangular solve."""
    R = np.asfortranarray(np.linalg.cholesky(_matrix(n)))
    K = np.ones((points, n))
    size, count = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_int(points))
    one, step = ctypes.byref(ctypes.c_double(1.0)), ctypes.byref(ctypes.c_int(1))
    if points > 4:
        dtrmm = _function(cython_blas, "dtrmm")
        letters = (b"L", b"L", b"N", b"N")
        return seconds(
            lambda: dtrmm(*letters, size, count, one, _data(R), size, _data(K), size), repeats=3
        )
    dtrmv = _function(cython_blas, "dtrmv")
    single = seconds(
        lambda: dtrmv(b"L", b"N", b"N", size, _data(R), size, _data(K), step), repeats=3
    )
    return points * single


@cache
def mean_seconds(n: int, points: int, fantasies: int, features: int) -> float:
    """k∗ += Φ φ∗ and α k∗ for so many points: the products that a mean takes."""
    K, alpha = np.zeros((points, n)), np.ones((fantasies, n))
    phi, own = np.ones((features, n)), np.zeros((points, features))
    means = np.empty((points, fantasies))
    size, count, several, one_each = (
        ctypes.byref(ctypes.c_int(number)) for number in (n, points, fantasies, features)
    )
    one, zero = (ctypes.byref(ctypes.c_double(number)) for number in (1.0, 0.0))
    dgemm = _function(cython_blas, "dgemm")

    def multiply() -> None:
        if features:
            trend = (_data(phi), size, _data(own), one_each, one, _data(K), size)
            dgemm(b"N", b"N", size, count, one_each, one, *trend)
        mean = (_data(alpha), size, _data(K), size, zero, _data(means), several)
        dgemm(b"T", b"N", several, count, size, one, *mean)

    return seconds(multiply, repeats=3)


def inverse_seconds(n: int) -> float:
    """L⁻¹ by dtrmm and dtrtri, as the engine does it."""
    L = np.asfortranarray(np.linalg.cholesky(_matrix(n)))
    work = np.array(L, order="F")

    def invert() -> None:
        np.copyto(work, L)
        _predict.inverse_of_factor(work)

    return seconds(invert) - seconds(lambda: np.copyto(work, L))


@cache
def _matrix(n: int) -> FloatArray:
    X = np.random.default_rng(0).random((n, 4))
    r2 = np.sum((X[:, np.newaxis] - X[np.newaxis]) ** 2, axis=-1)
    return np.asfortranarray(np.exp(-2.0 * r2) + 0.01 * np.eye(n))


def _data(array: FloatArray) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _function(module: Any, name: str) -> Any:
    """The C function behind a Cython export, as something that can be called."""
    capsule = module.__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(None)(address)
