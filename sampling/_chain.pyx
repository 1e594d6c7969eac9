"""Slice sampling of a GP's hyperparameters in compiled code, the latent values integrated out.

    n, N     unique rows and observations (replicates collapsed: `counts`, `scatter`)
    s        the state: mean m, log √amp2, log ν, log ℓ_1 … log ℓ_g, with ν = noise / amp2
    A        C(ℓ) + diag(ν / counts + jitter), so that the covariance of y is amp2 · A
    L        Cholesky factor of A;  Q = (y − m)ᵀ A⁻¹ (y − m)

Moves (Neal 2003: stepping out, then shrinkage; both bounded), and what a log posterior costs in each
- level: (m, log √amp2) along a random direction; O(1), since A does not change;
- ratio: log ν; a factorization of the same correlations with another diagonal;
- length: one log ℓ_g; a pass over the packed lower triangle in which one weight changes, and a
  factorization;
- ridge: all log ℓ by t, log √amp2 by 5t/2, log ν by −5t. Of a Matérn-5/2 the data fix amp2/ℓ⁵ and the
  noise much better than amp2 and ℓ alone (Zhang 2004), so that the posterior is a ridge on which
  coordinate moves creep. With this move the least effective sample size per factorization is four
  times as high (n = 60 in 4-D).
A failed factorization is a log posterior of −∞, that is, a rejected proposal.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY, M_PI, cos, exp, fabs, isnan, log, log1p, sin
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from scipy.linalg.cython_blas cimport ddot, dtrsv
from scipy.linalg.cython_lapack cimport dpotrf
from _pointwise cimport add_weighted, kernel_t, sum_of_squares

import numpy as np

cnp.import_array()

cdef enum:
    UNIFORM = 0      # on [lower, upper]
    NORMAL = 1       # a = mean, b = standard deviation
    LOGNORMAL = 2    # a, b = mean and standard deviation of the logarithm
    HORSESHOE = 3    # a = scale; the usual bound-based approximation of its density
    GAMMA = 4        # a = shape, b = rate

cdef enum:
    MEAN = 0
    AMPLITUDE = 1
    RATIO = 2
    LENGTHS = 3      # the first of the log length scales

cdef struct prior_t:
    int kind
    double a, b, lower, upper

cdef enum:
    LEVEL = 0        # the moves, as they are numbered in `widths`; a length's is that in s
    RIDGE = 1

cdef Py_ssize_t BLOCK = 1024          # r² of a block stays in the first-level cache
cdef int STEPS_OUT = 8                # at the most, both sides together
# Stepping out costs two evaluations, which a bracket that is wide enough wastes. Any mixture of
# valid updates is valid, so most moves do without, and some make sure that brackets are not short.
cdef double STEPPING_OUT = 0.1
cdef double WIDTH_IN_JUMPS = 7.0      # the bracket in mean jumps, for the most effective samples
cdef int SHRINKS = 60                 # a bracket of width 8 is below rounding by then
cdef int LEVEL_MOVES = 6              # per sweep; they are nearly free
# From so many rows on the factorizations cost more than all else in a suggestion, and each sweep makes
# a random part of the moves that need one: a third at first, and the less the more rows there are,
# since with them the posterior narrows, and one result more hardly moves it.
cdef Py_ssize_t FULL_SCAN_ROWS = 150
cdef double ROWS_PER_MOVE = 50.0, LEAST_CHANCE = 1.0 / 6.0
cdef double WIDTH_MIN = 0.05, WIDTH_MAX = 6.0
cdef double MATERN_RIDGE = 2.5        # d log √amp2 / d log ℓ along the ridge


cdef double log_density(const prior_t *p, double x) noexcept nogil:
    """Log density of a prior, without its normaliser where that is constant in x."""
    cdef double z
    if not (p.lower <= x <= p.upper):
        return -INFINITY
    if p.kind == UNIFORM:
        return 0.0
    if p.kind == NORMAL:
        z = (x - p.a) / p.b
        return -0.5 * z * z
    if x <= 0.0:
        return -INFINITY
    if p.kind == LOGNORMAL:
        z = (log(x) - p.a) / p.b
        return -0.5 * z * z - log(x)
    if p.kind == GAMMA:
        return (p.a - 1.0) * log(x) - p.b * x
    z = p.a / x
    return log(log1p(3.0 * z * z))


def prior_log_density(int kind, double a, double b, double lower, double upper, double x):
    """The compiled log density, up to its constant; for tests."""
    cdef prior_t p = prior_t(kind, a, b, lower, upper)
    return log_density(&p, x)


cdef class Chain:
    """One chain over p(θ | data); `sweep` moves it, `factor` has L of where it stands."""

    cdef Py_ssize_t n, g, packed
    cdef double N, scatter, jitter
    cdef bint noiseless
    cdef double[:, ::1] d2
    cdef double[::1] y, counts, s, origin, widths, rest, correlations, residual, ones, block
    cdef double[::1, :] A
    cdef double[:, ::1] prior_rows
    cdef kernel_t *kernel
    cdef bitgen_t *random
    cdef object kernel_capsule, bit_generator
    cdef double logdet, quadratic, log_posterior_here, angle
    cdef double yAy, yA1, oneA1          # Q = yAy − 2 m yA1 + m² oneA1
    cdef readonly long evaluations       # log posteriors that needed a factorization
    cdef readonly long stuck             # moves that ended where they began, by the bound

    def __init__(
        self, const double[:, ::1] d2, const double[::1] y, const double[::1] counts, double scatter,
        const double[:, ::1] priors, object kernel_capsule, object bit_generator,
        bint noiseless, double jitter,
    ):
        self.n, self.g, self.packed = y.shape[0], d2.shape[0], d2.shape[1]
        self.N = self.n if noiseless else np.sum(counts)
        self.scatter, self.jitter, self.noiseless = scatter, jitter, noiseless
        self.d2, self.y, self.counts = np.array(d2), np.array(y), np.array(counts)
        self.prior_rows = np.array(priors)
        if priors.shape[0] != LENGTHS + self.g or priors.shape[1] != 5:
            raise ValueError(f"priors must be [{LENGTHS + self.g}, 5]")
        self.kernel_capsule, self.bit_generator = kernel_capsule, bit_generator
        self.kernel = <kernel_t *> PyCapsule_GetPointer(kernel_capsule, "spearmint_int.kernel")
        self.random = <bitgen_t *> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        self.s, self.origin = np.zeros(LENGTHS + self.g), np.zeros(LENGTHS + self.g)
        self.widths = np.ones(LENGTHS + self.g)
        self.rest, self.correlations = np.empty(self.packed), np.empty(self.packed)
        self.residual, self.ones = np.empty(self.n), np.empty(self.n)
        self.block = np.empty(BLOCK)
        self.A = np.zeros((self.n, self.n), order="F")
        self.evaluations = self.stuck = 0
        self.log_posterior_here = -INFINITY

    # --- the state from outside -----------------------------------------------------------------

    def set_state(self, const double[::1] state, const double[::1] widths):
        """Stand at the internal state s, with these slice widths; the log posterior there."""
        self.s[:] = state
        self.widths[:] = widths
        with nogil:
            self.log_posterior_here = self._evaluate_all()
        return self.log_posterior_here

    @property
    def state(self):
        return np.array(self.s)

    @property
    def slice_widths(self):
        return np.array(self.widths)

    @property
    def log_posterior(self):
        """Of where the chain stands, up to a constant, as a density of s."""
        return self.log_posterior_here

    def factor(self):
        """A copy of L [n, n] in Fortran order, of where the chain stands."""
        return np.array(self.A, order="F")

    def sweep(self, Py_ssize_t count, bint adapt):
        """Move through every coordinate `count` times; `adapt` fits the widths (burn-in only)."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(count):
                self._sweep(adapt)

    # --- the log posterior ----------------------------------------------------------------------

    cdef double _log_prior(self) noexcept nogil:
        """log p(θ) plus the log Jacobian of s ↦ θ = (m, √amp2, noise, ℓ)."""
        cdef double amplitude = exp(self.s[AMPLITUDE]), noise, length, total
        cdef Py_ssize_t i
        total = self._density(MEAN, self.s[MEAN])
        total += self._density(AMPLITUDE, amplitude) + self.s[AMPLITUDE]
        if not self.noiseless:
            noise = amplitude * amplitude * exp(self.s[RATIO])
            total += self._density(RATIO, noise) + log(noise)
        for i in range(LENGTHS, LENGTHS + self.g):
            length = exp(self.s[i])
            total += self._density(i, length) + self.s[i]
        return total

    cdef inline double _density(self, Py_ssize_t i, double x) noexcept nogil:
        cdef prior_t p
        p.kind = <int> self.prior_rows[i, 0]
        p.a, p.b = self.prior_rows[i, 1], self.prior_rows[i, 2]
        p.lower, p.upper = self.prior_rows[i, 3], self.prior_rows[i, 4]
        return log_density(&p, x)

    cdef double _log_likelihood(self) noexcept nogil:
        """log N(y | m, amp2 A), with the replicates' scatter about their means, up to a constant."""
        cdef double log_amp2 = 2.0 * self.s[AMPLITUDE], log_noise, total
        total = -0.5 * (self.quadratic * exp(-log_amp2) + self.n * log_amp2 + self.logdet)
        if self.N > self.n:
            log_noise = log_amp2 + self.s[RATIO]
            total -= 0.5 * ((self.N - self.n) * log_noise + self.scatter * exp(-log_noise))
        return total

    cdef double _evaluate_all(self) noexcept nogil:
        """The log posterior at s from scratch."""
        if self.g == 0:
            return self._evaluate_ratio()
        self._sum_other_groups(LENGTHS)
        return self._evaluate_length(LENGTHS)

    cdef void _sum_other_groups(self, Py_ssize_t i) noexcept nogil:
        """rest = Σ w_h d²_h over all groups but that of s[i] (if it is one): fixed while s[i] moves."""
        cdef Py_ssize_t h
        if self.packed == 0:
            return
        memset(&self.rest[0], 0, self.packed * sizeof(double))
        for h in range(self.g):
            if h != i - LENGTHS:
                add_weighted(&self.rest[0], exp(-2.0 * self.s[LENGTHS + h]), &self.d2[h, 0], &self.rest[0], self.packed)

    cdef double _evaluate_length(self, Py_ssize_t i) noexcept nogil:
        """The log posterior at s, given `rest` for the length scale s[i]."""
        cdef double prior = self._log_prior(), weight = exp(-2.0 * self.s[i])
        cdef Py_ssize_t at = 0, count
        if prior == -INFINITY:
            return prior
        while at < self.packed:
            count = min(BLOCK, self.packed - at)
            add_weighted(&self.rest[at], weight, &self.d2[i - LENGTHS, at], &self.block[0], count)
            self.kernel.correlation(&self.block[0], &self.correlations[at], count, self.kernel.context)
            at += count
        return self._factorize(prior)

    cdef double _evaluate_scaled(self, double factor) noexcept nogil:
        """The log posterior at s, where all squared distances are `rest` times a factor."""
        cdef double prior = self._log_prior()
        cdef Py_ssize_t at = 0, count, i
        if prior == -INFINITY:
            return prior
        while at < self.packed:
            count = min(BLOCK, self.packed - at)
            for i in range(count):
                self.block[i] = factor * self.rest[at + i]
            self.kernel.correlation(&self.block[0], &self.correlations[at], count, self.kernel.context)
            at += count
        return self._factorize(prior)

    cdef double _evaluate_ratio(self) noexcept nogil:
        """The log posterior at s, with the correlations as they stand."""
        cdef double prior = self._log_prior()
        return prior if prior == -INFINITY else self._factorize(prior)

    cdef double _evaluate_level(self) noexcept nogil:
        """The log posterior at s, with A as it stands: O(1)."""
        cdef double m = self.s[MEAN], prior = self._log_prior()
        self.quadratic = self.yAy - 2.0 * m * self.yA1 + m * m * self.oneA1
        return prior + self._log_likelihood()

    cdef double _factorize(self, double prior) noexcept nogil:
        """Fill and factor A, solve for the residual; prior plus log likelihood."""
        cdef int n = <int> self.n, info = 0, one = 1
        cdef double ratio = 0.0 if self.noiseless else exp(self.s[RATIO])
        cdef Py_ssize_t j, at = 0
        self.evaluations += 1
        for j in range(n):
            self.A[j, j] = 1.0 + ratio / self.counts[j] + self.jitter
            if j + 1 < n:
                memcpy(&self.A[j + 1, j], &self.correlations[at], (n - j - 1) * sizeof(double))
                at += n - j - 1
        dpotrf(b"L", &n, &self.A[0, 0], &n, &info)
        if info != 0:
            return -INFINITY
        self.logdet = 0.0
        for j in range(n):
            self.logdet += log(self.A[j, j])
            self.residual[j] = self.y[j] - self.s[MEAN]
        self.logdet *= 2.0
        dtrsv(b"L", b"N", b"N", &n, &self.A[0, 0], &n, &self.residual[0], &one)
        self.quadratic = sum_of_squares(&self.residual[0], n)
        prior += self._log_likelihood()
        return -INFINITY if isnan(prior) else prior

    cdef void _prepare_level(self) noexcept nogil:
        """The three inner products that make Q a polynomial in the mean."""
        cdef int n = <int> self.n, one = 1
        cdef Py_ssize_t j
        for j in range(n):
            self.residual[j], self.ones[j] = self.y[j], 1.0
        dtrsv(b"L", b"N", b"N", &n, &self.A[0, 0], &n, &self.residual[0], &one)
        dtrsv(b"L", b"N", b"N", &n, &self.A[0, 0], &n, &self.ones[0], &one)
        self.yAy = sum_of_squares(&self.residual[0], n)
        self.yA1 = ddot(&n, &self.residual[0], &one, &self.ones[0], &one)
        self.oneA1 = sum_of_squares(&self.ones[0], n)

    # --- the moves ------------------------------------------------------------------------------

    cdef void _sweep(self, bint adapt) noexcept nogil:
        cdef Py_ssize_t i
        cdef double chance = 1.0
        if self.n >= FULL_SCAN_ROWS and not adapt:
            chance = max(LEAST_CHANCE, ROWS_PER_MOVE / self.n)
        self._prepare_level()
        for i in range(LEVEL_MOVES):
            self.angle = 2.0 * M_PI * self._uniform()
            self._move(LEVEL, False)
        if not self.noiseless and self._uniform() < chance:
            self._move(RATIO, adapt)
        for i in range(LENGTHS, LENGTHS + self.g):
            if self._uniform() < chance:
                self._sum_other_groups(i)
                self._move(i, adapt)
        if self.g > 0 and self._uniform() < chance:
            self._sum_other_groups(RIDGE)
            self._move(RIDGE, adapt)

    cdef inline double _uniform(self) noexcept nogil:
        return self.random.next_double(self.random.state)

    cdef double _evaluate_at(self, Py_ssize_t move, double t) noexcept nogil:
        """The log posterior at a distance t from the origin of a move, by the cheapest way."""
        cdef Py_ssize_t i
        if move == LEVEL:
            self.s[MEAN] = self.origin[MEAN] + t * cos(self.angle)
            self.s[AMPLITUDE] = self.origin[AMPLITUDE] + t * sin(self.angle)
            return self._evaluate_level()
        if move == RIDGE:
            self.s[AMPLITUDE] = self.origin[AMPLITUDE] + MATERN_RIDGE * t
            if not self.noiseless:
                self.s[RATIO] = self.origin[RATIO] - 2.0 * MATERN_RIDGE * t  # the noise stays
            for i in range(LENGTHS, LENGTHS + self.g):
                self.s[i] = self.origin[i] + t
            return self._evaluate_scaled(exp(-2.0 * t))
        self.s[move] = self.origin[move] + t
        return self._evaluate_ratio() if move == RATIO else self._evaluate_length(move)

    cdef void _move(self, Py_ssize_t move, bint adapt) noexcept nogil:
        """One slice-sampling update; `adapt` steps out always, and learns the bracket's width."""
        cdef int steps = STEPS_OUT if move == LEVEL or adapt or self._uniform() < STEPPING_OUT else 1
        cdef double jump = fabs(self._slice(move, self.widths[move], steps))
        if adapt:
            self.widths[move] = 0.9 * self.widths[move] + 0.1 * WIDTH_IN_JUMPS * jump
            self.widths[move] = min(max(self.widths[move], WIDTH_MIN), WIDTH_MAX)

    cdef double _slice(self, Py_ssize_t move, double width, int steps) noexcept nogil:
        """Go to a uniform point of the slice's part in the bracket; how far that is."""
        cdef double level = self.log_posterior_here + log(1.0 - self._uniform())
        cdef double left = -width * self._uniform(), right = left + width, t, value
        cdef int steps_left = <int> (steps * self._uniform())
        cdef int steps_right = steps - 1 - steps_left, shrinks
        memcpy(&self.origin[0], &self.s[0], (LENGTHS + self.g) * sizeof(double))
        while steps_left > 0 and self._evaluate_at(move, left) > level:
            left -= width
            steps_left -= 1
        while steps_right > 0 and self._evaluate_at(move, right) > level:
            right += width
            steps_right -= 1
        for shrinks in range(SHRINKS):
            t = left + (right - left) * self._uniform()
            value = self._evaluate_at(move, t)
            if value > level:
                self.log_posterior_here = value
                return t
            if t < 0.0:
                left = t
            else:
                right = t
        self.stuck += 1
        self.log_posterior_here = self._evaluate_at(move, 0.0)
        return 0.0
