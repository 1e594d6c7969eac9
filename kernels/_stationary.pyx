"""Compiled half of the stationary kernels: k(r²), dk/d(r²), and squared distances.

    r²  squared distance, Σ_g w_g d²_g with w = 1/ℓ²
    d²  [g, n(n−1)/2]  squared differences per length-scale group, the strict lower triangle of
        the n × n matrix column after column; computed once per data set
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport NAN
from _pointwise cimport (
    kernel_t, matern32_correlation, matern32_slope, matern52_correlation, matern52_slope, pointwise_t,
    squared_exponential_correlation, squared_exponential_slope, weighted_squared_distances,
)

import numpy as np

cnp.import_array()


cdef void _call_python(object method, const double *r2, double *out, Py_ssize_t count) noexcept with gil:
    cdef cnp.npy_intp shape = count
    cdef double[::1] result
    cdef Py_ssize_t i
    try:
        given = cnp.PyArray_SimpleNewFromData(1, &shape, cnp.NPY_FLOAT64, <void *> r2)
        result = np.ascontiguousarray(method(given), dtype=np.float64)
        if result.shape[0] != count:
            raise ValueError(f"a kernel must give {count} values for as many r2, got {result.shape[0]}")
        for i in range(count):
            out[i] = result[i]
    except Exception:
        # NaN makes the factorization fail, which the sampler treats as a rejected proposal
        for i in range(count):
            out[i] = NAN
        raise  # a noexcept function reports it as unraisable


cdef void _python_correlation(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil:
    with gil:
        _call_python((<object> context).correlation, r2, out, count)


cdef void _python_slope(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil:
    with gil:
        _call_python((<object> context).slope, r2, out, count)


cdef class CompiledKernel:
    """What the compiled model and sampler call: C functions, or a Python kernel's methods."""

    cdef kernel_t functions
    cdef object kernel
    cdef readonly object capsule

    def __cinit__(self, str name, object kernel=None):
        self.kernel = kernel
        if kernel is not None:
            self.functions = kernel_t(_python_correlation, _python_slope, <void *> kernel)
        elif name == "matern52":
            self.functions = kernel_t(matern52_correlation, matern52_slope, NULL)
        elif name == "matern32":
            self.functions = kernel_t(matern32_correlation, matern32_slope, NULL)
        elif name == "squared_exponential":
            self.functions = kernel_t(squared_exponential_correlation, squared_exponential_slope, NULL)
        else:
            raise ValueError(f"no compiled kernel is called {name!r}")
        self.capsule = PyCapsule_New(&self.functions, "spearmint_int.kernel", NULL)

    def correlation(self, r2):
        """k(r²), elementwise."""
        return _map(self.functions.correlation, self.functions.context, r2)

    def slope(self, r2):
        """dk/d(r²), elementwise."""
        return _map(self.functions.slope, self.functions.context, r2)

    def correlation_triangle(self, const double[:, ::1] X, const double[::1] weights):
        """The lower half of k(r²) between the rows of X [n, D], in Fortran order, zero above.

        It is all that a factorization reads, at half the price of the whole.
        """
        cdef Py_ssize_t n = X.shape[0], D = X.shape[1], j
        cdef double[:, ::1] columns = np.ascontiguousarray(np.asarray(X).T)
        cdef double[::1] r2 = np.empty(n)
        cdef double[::1, :] triangle = np.zeros((n, n), order="F")
        with nogil:
            for j in range(n):
                weighted_squared_distances(&columns[0, j], D, &X[j, 0], &weights[0], &r2[0], n - j, n)
                self.functions.correlation(&r2[0], &triangle[j, j], n - j, self.functions.context)
        return np.asarray(triangle)


cdef object _map(pointwise_t function, void *context, object values):
    cdef cnp.ndarray given = np.ascontiguousarray(values, dtype=np.float64)
    cdef cnp.ndarray result = np.empty_like(given)
    cdef const double *source = <const double *> cnp.PyArray_DATA(given)
    cdef double *target = <double *> cnp.PyArray_DATA(result)
    cdef Py_ssize_t count = given.size
    with nogil:
        function(source, target, count, context)
    return result


def packed_squared_differences(const double[:, ::1] X, groups):
    """d² [g, n(n−1)/2] of the rows of X [n, D], summed over the columns of each group."""
    cdef Py_ssize_t n = X.shape[0], i, j, at
    cdef double[:, ::1] d2 = np.zeros((len(groups), n * (n - 1) // 2))
    cdef Py_ssize_t g, column
    cdef double difference
    for g, columns in enumerate(groups):
        for column in columns:
            at = 0
            for j in range(n):
                for i in range(j + 1, n):
                    difference = X[i, column] - X[j, column]
                    d2[g, at] += difference * difference
                    at += 1
    return np.asarray(d2)


def squared_distances(const double[:, ::1] Z, const double[:, ::1] X, const double[::1] weights):
    """r² [m, n] between the rows of Z [m, D] and X [n, D], with a weight for each column."""
    cdef Py_ssize_t m = Z.shape[0], n = X.shape[0], D = X.shape[1], j
    cdef double[:, ::1] columns = np.ascontiguousarray(np.asarray(X).T)
    cdef double[:, ::1] r2 = np.zeros((m, n))
    if n == 0:
        return np.asarray(r2)
    with nogil:
        for j in range(m):
            weighted_squared_distances(&columns[0, 0], D, &Z[j, 0], &weights[0], &r2[j, 0], n, n)
    return np.asarray(r2)
