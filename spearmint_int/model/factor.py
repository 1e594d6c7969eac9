"""The Cholesky factor L of A = L Lᵀ, or its inverse R = L⁻¹.

For few right-hand sides solving with L is faster; for many, products with R are, although R costs
as much as L did. So L is kept until R is asked for, and then R alone, in the same memory.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from spearmint_int.arrays import FloatArray, aligned_square
from spearmint_int.model import _predict

# Added to A's diagonal where there is noise, relative to amp2. n·ε·‖A‖ is below 1e-9 for a thousand
# rows without a trend, so that the factorization of a valid covariance does not fail.
JITTER = 1e-8
# Without noise the posterior has to pass through its data, which any jitter prevents: it starts
# here, and grows in powers of ten until the matrix can be factored.
LEAST_JITTER = 1e-12
# A covariance that can't be factored with this much, relative to its prior's diagonal, is refused:
# more jitter would be noise.
MAX_JITTER = 1e-2


class Factor:
    """L of a positive definite A [n, n], or its inverse; A's diagonal has `jitter` in it."""

    def __init__(self, triangle: FloatArray, *, jitter: float, inverted: bool = False) -> None:
        """Takes over the memory of `triangle`: lower, zero above, in Fortran order."""
        self._triangle, self._inverted = np.asfortranarray(triangle), inverted
        self.jitter = jitter

    @classmethod
    def of(cls, C: FloatArray, diagonal: FloatArray, *, jitter: float, scale: float) -> Factor:
        """L of C + diag + jitter, with ten times the jitter until it can be factored.

        Only the lower half of C is read. `scale` is the size of the numbers that C is a difference
        of, to which its rounding errors are relative: with a trend it can be 10⁸ times that of C.
        """
        while jitter <= MAX_JITTER * scale < np.inf:
            A = aligned_square(len(C))
            A[...] = C
            A[np.diag_indices_from(A)] += diagonal + jitter
            L, info = lapack.dpotrf(A, lower=1, clean=1, overwrite_a=1)
            if info == 0 and np.all(np.isfinite(np.diag(L))):
                return cls(L, jitter=jitter)
            jitter *= 10.0
        raise np.linalg.LinAlgError("the covariance is not positive definite, even with jitter")

    @property
    def R(self) -> FloatArray:
        """L⁻¹, which replaces L from now on."""
        if not self._inverted:
            if not _predict.inverse_of_factor(self._triangle):
                raise np.linalg.LinAlgError("the Cholesky factor is singular")
            self._inverted = True
        return self._triangle

    def whiten(self, rows: FloatArray) -> FloatArray:
        """R times each of the rows [k, n]."""
        if self._inverted:
            return np.asarray(rows @ self._triangle.T)
        return self._solved(rows, transposed=0)

    def solve(self, rows: FloatArray) -> FloatArray:
        """A⁻¹ times each of the rows [k, n]."""
        if self._inverted:
            return np.asarray((rows @ self._triangle.T) @ self._triangle)
        return self._solved(self._solved(rows, transposed=0), transposed=1)

    def colour(self, rows: FloatArray) -> FloatArray:
        """L times each of the rows [k, n]; ValueError after R was asked for."""
        if self._inverted:
            raise ValueError("L has become R: colour before asking for R")
        return np.asarray(rows @ self._triangle.T)

    def grown(self, V: FloatArray, S: Factor) -> Factor:
        """The factor with p more rows: L becomes [[L, 0], [Vᵀ, S]], where V = R C(X, P).

        It costs no new factorization: R becomes [[R, 0], [−S⁻¹ Vᵀ R, S⁻¹]]. Where S needed more
        jitter than L, the new rows, whose values are made up, have it alone.
        """
        n, p = V.shape
        R = np.zeros((n + p, n + p), order="F")
        R[:n, :n], R[n:, n:] = self.R, S.R
        R[n:, :n] = -S.R @ (V.T @ self.R)
        return Factor(R, jitter=self.jitter, inverted=True)

    def _solved(self, rows: FloatArray, *, transposed: int) -> FloatArray:
        solved, info = lapack.dtrtrs(self._triangle, rows.T, lower=1, trans=transposed)
        if info != 0:
            raise np.linalg.LinAlgError("the Cholesky factor is singular")
        return np.asarray(solved.T)


def square_root(K: FloatArray, *, tolerance: float) -> FloatArray:
    """A [m, r] with A Aᵀ = K for a K [m, m] that may be singular, of rank r.

    By Cholesky with pivoting (LAPACK's dpstrf), which ends where no variance above the tolerance is
    left. Without pivoting it would need jitter, and known values would get a variance.
    """
    L, pivots, rank, info = lapack.dpstrf(K, tol=tolerance, lower=1)
    if info < 0:
        raise np.linalg.LinAlgError("the covariance could not be factored")
    root = np.empty((len(K), rank))
    root[pivots - 1] = np.tril(L)[:, :rank]
    return root
