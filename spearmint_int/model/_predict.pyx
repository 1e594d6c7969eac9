"""Compiled half of the GP posterior: means, variances and gradients at many points, by BLAS-3.

    X  [D, n]  the n training rows, column after column of the unit cube, T applied
    Z  [m, D]  the test points, T applied
    Φ  [p, n]  the features of the trend at the rows, and Φ∗ [m, p] at the test points: k∗ = c∗ + Φᵀ φ∗
    R  [n, n]  the inverse of the Cholesky factor of A, lower, Fortran order: v = R k∗
    α  [F, n]  A⁻¹ (y − m), a row for each fantasy

One call predicts with all hyperparameter samples: a call for each would cost more than its work, where
few points are asked for at a time.

The explicit inverse of L turns every solve into a multiplication, which BLAS does two to three times
as fast; L has at most the square root of A's condition, so that no accuracy is lost that matters.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer
from scipy.linalg.cython_blas cimport dgemm, dtrmm
from scipy.linalg.cython_lapack cimport dtrtri
from _pointwise cimport (
    add_weighted, dot, first_zero, kernel_t, largest_scaled_square, multiply_lower, multiply_lower_transposed,
    sum_of_squares, weighted_differences, weighted_squared_distances,
)

import numpy as np

cnp.import_array()

cdef Py_ssize_t BLOCK_DOUBLES = 65536      # 512 kB of k∗ at a time: within the second-level cache
cdef Py_ssize_t SMALL_DOUBLES = 4096       # 32 kB, where nothing but passes is done: in the first

cdef int FEW = 8                           # products up to which dtrmm's packing is not worth it
cdef int INVERSE_LEAF = 64                 # below this LAPACK's own inverse is as fast


def inverse_of_factor(double[::1, :] L):
    """R = L⁻¹ in place of the lower triangle of L [n, n]; whether L was regular.

    By halves, so that nearly all work is multiplication:
    [[L₁, 0], [B, L₂]]⁻¹ = [[R₁, 0], [−R₂ B R₁, R₂]]. At n = 500 LAPACK's dtrtri takes four times as long.
    """
    cdef int n = <int> L.shape[0], info = 0
    if n > 0:
        with nogil:
            info = _invert(&L[0, 0], n, n)
    return info == 0


cdef int _invert(double *L, int n, int stride) noexcept nogil:
    cdef int half = n // 2, rest = n - half, info = 0
    cdef double one = 1.0, minus_one = -1.0
    cdef double *B = L + half
    cdef double *second = L + half + <Py_ssize_t> half * stride
    if n <= INVERSE_LEAF:
        dtrtri(b"L", b"N", &n, L, &stride, &info)
        return info
    if _invert(L, half, stride) != 0 or _invert(second, rest, stride) != 0:
        return 1
    dtrmm(b"R", b"L", b"N", b"N", &rest, &half, &minus_one, L, &stride, B, &stride)
    dtrmm(b"L", b"L", b"N", b"N", &rest, &half, &one, second, &stride, B, &stride)
    return 0


cdef kernel_t *_functions(object capsule) except NULL:
    return <kernel_t *> PyCapsule_GetPointer(capsule, "spearmint_int.kernel")


cdef void _multiply(char *transposed, const double *R, int n, double[:, ::1] k, int count) noexcept nogil:
    """R or Rᵀ times each of `count` rows of k, in place; few are faster without BLAS's packing."""
    cdef double one = 1.0
    if count > FEW:
        dtrmm(b"L", b"L", transposed, b"N", &n, &count, &one, <double *> R, &n, &k[0, 0], &n)
        return
    if transposed[0] == b"N":
        multiply_lower(R, &k[0, 0], n, count)
    else:
        multiply_lower_transposed(R, &k[0, 0], n, count)


cdef void _fill_squared_distances(
    const double[:, ::1] X, const double[::1] weights, const double[:, ::1] Z,
    Py_ssize_t first, Py_ssize_t count, double[:, ::1] r2,
) noexcept nogil:
    """r² of `count` test points from `first` on, against all n rows."""
    cdef Py_ssize_t n = X.shape[1], j
    for j in range(count):
        weighted_squared_distances(&X[0, 0], X.shape[0], &Z[first + j, 0], &weights[0], &r2[j, 0], n, n)


cdef void _fill_correlations(
    kernel_t *kernel, const double[:, ::1] X, const double[::1] weights, const double[:, ::1] features,
    const double[:, ::1] alpha, const double[:, ::1] Z, const double[:, ::1] own,
    Py_ssize_t first, int count, double[:, ::1] r2, double[:, ::1] k, double[:, ::1] means,
) noexcept nogil:
    """k∗ of `count` test points from `first` on, and their α k∗."""
    cdef int n = <int> X.shape[1], F = <int> alpha.shape[0], p = <int> features.shape[0]
    cdef double one = 1.0, zero = 0.0
    _fill_squared_distances(X, weights, Z, first, count, r2)
    kernel.correlation(&r2[0, 0], &k[0, 0], count * n, kernel.context)
    # in Fortran's eyes k is [n, count], Φ [n, p], Φ∗ [p, count] and α [n, F]
    if p > 0:
        dgemm(b"N", b"N", &n, &count, &p, &one, <double *> &features[0, 0], &n,
              <double *> &own[first, 0], &p, &one, &k[0, 0], &n)
    dgemm(b"T", b"N", &F, &count, &n, &one, <double *> &alpha[0, 0], &n, &k[0, 0], &n,
          &zero, &means[first, 0], &F)


def predict(
    list columns, const double[:, ::1] weights, list features, list factors,
    const double[:, :, ::1] alpha, list rows, const double[:, :, ::1] own, capsule,
):
    """α k∗ [S, F, m] and |R k∗|² [S, m], from which the moments follow, and which row each point is [S, m].

    For S hyperparameter samples in one call: `columns` S matrices X, `weights` [S, D], `features` S matrices
    Φ, `factors` S matrices R, α [S, F, n], `rows` S matrices Z [m, D], `own` [S, m, p] the Φ∗. The last result is
    −1 for a point that is none of the rows.
    """
    cdef kernel_t *kernel = _functions(capsule)
    cdef Py_ssize_t S = weights.shape[0], m = own.shape[1], first, j, s
    cdef int n = <int> alpha.shape[2], count
    cdef Py_ssize_t block = max(1, min(m, BLOCK_DOUBLES // n))
    cdef double[:, ::1] r2 = np.empty((block, n)), k = np.empty((block, n))
    means, explained = np.empty((S, m, alpha.shape[1])), np.empty((S, m))
    same = np.empty((S, m), dtype=np.int64)
    cdef double[:, :, ::1] means_view = means
    cdef double[:, ::1] explained_view = explained
    cdef cnp.int64_t[:, ::1] same_view = same
    cdef const double[::1, :] R
    cdef const double[:, ::1] X, phi, Z
    for s in range(S):
        R, X, phi, Z = factors[s], columns[s], features[s], rows[s]
        first = 0
        with nogil:
            while first < m:
                count = <int> min(block, m - first)
                _fill_correlations(
                    kernel, X, weights[s], phi, alpha[s], Z, own[s], first, count, r2, k, means_view[s]
                )
                _multiply(b"N", &R[0, 0], n, k, count)
                for j in range(count):
                    explained_view[s, first + j] = sum_of_squares(&k[j, 0], n)
                    same_view[s, first + j] = first_zero(&r2[j, 0], n)
                first += count
    return means.transpose(0, 2, 1), explained, same


def predict_bound(
    list columns, const double[:, ::1] weights, list features, const double[:, ::1] precisions,
    const double[:, :, ::1] alpha, list rows, const double[:, :, ::1] own, capsule,
):
    """α k∗ [S, F, m] as `predict`, and at least as little as |R k∗|² [S, m], without a product with R.

    One row alone explains k∗_i² / A_ii of the prior variance, and all rows explain no less than
    the best of them; `precisions` [S, n] are 1 / A_ii.
    """
    cdef kernel_t *kernel = _functions(capsule)
    cdef Py_ssize_t S = weights.shape[0], m = own.shape[1], n = alpha.shape[2], first, j, s
    cdef int count
    cdef Py_ssize_t block = max(1, min(m, SMALL_DOUBLES // n))
    cdef double[:, ::1] r2 = np.empty((block, n)), k = np.empty((block, n))
    means, explained = np.empty((S, m, alpha.shape[1])), np.empty((S, m))
    cdef double[:, :, ::1] means_view = means
    cdef double[:, ::1] explained_view = explained
    cdef const double[:, ::1] X, phi, Z
    for s in range(S):
        X, phi, Z = columns[s], features[s], rows[s]
        first = 0
        with nogil:
            while first < m:
                count = <int> min(block, m - first)
                _fill_correlations(
                    kernel, X, weights[s], phi, alpha[s], Z, own[s], first, count, r2, k, means_view[s]
                )
                for j in range(count):
                    explained_view[s, first + j] = largest_scaled_square(&k[j, 0], &precisions[s, 0], n)
                first += count
    return means.transpose(0, 2, 1), explained


def predict_with_gradient(
    list columns, const double[:, ::1] weights, list features, list factors,
    const double[:, :, ::1] alpha, list rows, const double[:, :, ::1] own, capsule,
):
    """As `predict`, with the derivatives in Z.

    The results are α k∗ [S, F, m], |R k∗|² [S, m], Φ A⁻¹ k∗ [S, m, p], and the derivatives of the first two by
    way of c∗ alone, [S, F, m, D] and [S, m, D]: those by way of φ∗ are products with α Φᵀ and with the third.
    With h = dc/d(r²):  ∂c_i/∂z_c = 2 w_c h_i (z_c − x_ic).
    """
    cdef kernel_t *kernel = _functions(capsule)
    cdef Py_ssize_t S = weights.shape[0], D = weights.shape[1], m = own.shape[1], F = alpha.shape[1], s, f, j
    cdef Py_ssize_t p = own.shape[2], q
    cdef int n = <int> alpha.shape[2], count = <int> m
    cdef double[:, ::1] r2 = np.empty((m, n)), k = np.empty((m, n)), h = np.empty((m, n))
    means, explained, projected = np.empty((S, F, m)), np.empty((S, m)), np.empty((S, m, p))
    mean_slopes, explained_slopes = np.empty((S, F, m, D)), np.empty((S, m, D))
    cdef double[:, :, ::1] means_view = means, explained_slopes_view = explained_slopes
    cdef double[:, :, ::1] projected_view = projected
    cdef double[:, ::1] explained_view = explained
    cdef double[:, :, :, ::1] mean_slopes_view = mean_slopes
    cdef const double[::1, :] R
    cdef const double[:, ::1] X, phi, Z
    for s in range(S):
        R, X, phi, Z = factors[s], columns[s], features[s], rows[s]
        with nogil:
            _fill_squared_distances(X, weights[s], Z, 0, m, r2)
            kernel.correlation(&r2[0, 0], &k[0, 0], m * n, kernel.context)
            kernel.slope(&r2[0, 0], &h[0, 0], m * n, kernel.context)
            for j in range(m):
                for q in range(p):
                    add_weighted(&k[j, 0], own[s, j, q], &phi[q, 0], &k[j, 0], n)
                for f in range(F):
                    means_view[s, f, j] = dot(&alpha[s, f, 0], &k[j, 0], n)
                    _contract(X, weights[s], &Z[j, 0], &alpha[s, f, 0], &h[j, 0], 2.0,
                              &mean_slopes_view[s, f, j, 0])
            _multiply(b"N", &R[0, 0], n, k, count)
            for j in range(m):
                explained_view[s, j] = sum_of_squares(&k[j, 0], n)
            _multiply(b"T", &R[0, 0], n, k, count)
            for j in range(m):
                _contract(X, weights[s], &Z[j, 0], &k[j, 0], &h[j, 0], 4.0,
                          &explained_slopes_view[s, j, 0])
                for q in range(p):
                    projected_view[s, j, q] = dot(&phi[q, 0], &k[j, 0], n)
    return means, explained, projected, mean_slopes, explained_slopes


cdef void _contract(
    const double[:, ::1] X, const double[::1] weights, const double *z, const double *a,
    const double *h, double factor, double *out,
) noexcept nogil:
    """out_c = factor · w_c Σ_i a_i h_i (z_c − x_ic)."""
    cdef Py_ssize_t c
    for c in range(X.shape[0]):
        out[c] = 0.0
        if weights[c] != 0.0:
            out[c] = factor * weights[c] * weighted_differences(a, h, z[c], &X[c, 0], X.shape[1])
