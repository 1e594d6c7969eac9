"""Slice sampling of a GP's hyperparameters in compiled code, the latent values integrated out.

    n, N     unique rows and observations (replicates collapse into their row's mean and scatter)
    s        the state: mean m, log √amp2, log ν, λ, log τ, log ℓ_1 … log ℓ_g, then log a, log b of each
             warped axis, with ν = noise / amp2 and τ = trend / amp2; `LAYOUT` has where each begins
    z        the outputs in the units of the model: ψ(y; λ), standardised as a reference set is
    A        C(ℓ, a, b) + τ G + diag(ν / counts + jitter), so that the covariance of z is amp2 · A; G = Φᵀ Φ
             are the products of the trend's features
    h        m + t · bowl, the mean of z: t = √trend, and `bowl` is what the trend's coefficients are by themselves
    L        Cholesky factor of A;  Q = (z − h)ᵀ A⁻¹ (z − h)

Warps
- outputs: ψ(y; λ) = y up to the knee at 0, ((1 + y)^λ − 1)/λ above it: λ = 1 is none, λ = 0 is a logarithm
  (Box and Cox 1964, of the bad half alone); its log Jacobian is (λ − 1) Σ log(1 + y⁺) − N log of the scale;
- inputs: the CDF of Kumaraswamy's distribution, 1 − (1 − u^a)^b, on the columns that may be warped.

Moves (Neal 2003: stepping out, then shrinkage; both bounded), and what a log posterior costs in each
- level: (m, log √amp2) along a random direction; O(1), since A does not change;
- power: λ; the same factor and other outputs, O(n²);
- ratio: log ν; a factorization of the same correlations with another diagonal;
- trend: log τ; a factorization of the same correlations with more or less of G;
- length: one log ℓ_g; a pass over the packed lower triangle in which one weight changes, and a
  factorization;
- warp: (log a, log b) of one axis along a random direction; as a length, with other differences;
- ridge: all log ℓ by t, log √amp2 by 5t/2, log ν and log τ by −5t. Of a Matérn-5/2 the data fix amp2/ℓ⁵ and the
  noise much better than amp2 and ℓ alone (Zhang 2004), so that the posterior is a ridge on which
  coordinate moves creep. With this move the least effective sample size per factorization is four
  times as high (n = 60 in 4-D).
A failed factorization is a log posterior of −∞, that is, a rejected proposal.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY, M_PI, cos, exp, expm1, fabs, isfinite, log, log1p, sin, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from scipy.linalg.cython_lapack cimport dpotrf
from _pointwise cimport add_weighted, dot, kernel_t, solve_lower, sum_of_squares

import numpy as np

from spearmint_int.arrays import aligned_square

cnp.import_array()

cdef enum:
    UNIFORM = 0      # on [lower, upper]
    NORMAL = 1       # a = mean, b = standard deviation
    LOGNORMAL = 2    # a, b = mean and standard deviation of the logarithm
    HORSESHOE = 3    # a = scale; the usual bound-based approximation of its density
    GAMMA = 4        # a = shape, b = rate
    MIXTURE = 5      # a, b of one log-normal, c, d of another; all length scales have the same one

cdef enum:
    MEAN = 0
    AMPLITUDE = 1
    RATIO = 2
    POWER = 3
    TREND = 4
    LENGTHS = 5      # the first of the log length scales; after them come the warps

LAYOUT = {
    "mean": MEAN, "amplitude": AMPLITUDE, "ratio": RATIO, "power": POWER, "trend": TREND, "lengths": LENGTHS,
}

cdef struct prior_t:
    int kind
    double a, b, lower, upper, c, d

cdef enum:
    LEVEL = 0        # the moves, as they are numbered in `widths`; others by their place in s
    RIDGE = 1

cdef Py_ssize_t BLOCK = 1024          # r² of a block stays in the first-level cache
cdef int STEPS_OUT = 8                # at the most, both sides together
# Stepping out costs two evaluations, which a bracket that is wide enough wastes. Any mixture of
# valid updates is valid, so most moves do without, and some make sure that brackets are not short.
cdef double STEPPING_OUT = 0.1
cdef double WIDTH_IN_JUMPS = 7.0      # the bracket in mean jumps, for the most effective samples
cdef int SHRINKS = 60                 # a bracket of width 8 is below rounding by then
cdef int LEVEL_MOVES = 6              # per sweep; they are nearly free
cdef int POWER_MOVES = 2              # per sweep; they need no factorization
# From so many rows on the factorizations cost more than all else in a suggestion, and each sweep makes
# a random part of the moves that need one: a third at first, and the less the more rows there are,
# since with them the posterior narrows, and one result more hardly moves it.
cdef Py_ssize_t FULL_SCAN_ROWS = 150
cdef double ROWS_PER_MOVE = 50.0, LEAST_CHANCE = 1.0 / 6.0
cdef double WIDTH_MIN = 0.05, WIDTH_MAX = 6.0
cdef double MATERN_RIDGE = 2.5        # d log √amp2 / d log ℓ along the ridge


cdef double LOGARITHM = 1e-8          # λ up to which ψ is the logarithm, to rounding


cdef inline double warped_output(double y, double power) noexcept nogil:
    """ψ(y; λ)."""
    if y <= 0.0:
        return y
    if fabs(power) < LOGARITHM:
        return log1p(y)
    return expm1(power * log1p(y)) / power


cdef inline double warped_input(double u, double a, double b) noexcept nogil:
    """Kumaraswamy's CDF, 1 − (1 − u^a)^b; beyond the bounds an observation stays where it is."""
    if u <= 0.0 or u >= 1.0:
        return u
    return -expm1(b * log1p(-exp(a * log(u))))


def warp_outputs(const double[::1] y, double power):
    """ψ(y; λ), elementwise."""
    cdef double[::1] out = np.empty(y.shape[0])
    cdef Py_ssize_t i
    for i in range(y.shape[0]):
        out[i] = warped_output(y[i], power)
    return np.asarray(out)


def warp_inputs(const double[::1] u, double a, double b):
    """Kumaraswamy's CDF, elementwise."""
    cdef double[::1] out = np.empty(u.shape[0])
    cdef Py_ssize_t i
    for i in range(u.shape[0]):
        out[i] = warped_input(u[i], a, b)
    return np.asarray(out)


cdef inline double log_normal(double logarithm, double mu, double sigma) noexcept nogil:
    """The log density of a logarithm."""
    cdef double z = (logarithm - mu) / sigma
    return -0.5 * z * z - log(sigma)


cdef inline double log_of_mean(double p, double q) noexcept nogil:
    """log (½ eᵖ + ½ e^q)."""
    return max(p, q) + log(0.5) + log1p(exp(-fabs(p - q)))


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
    if p.kind == MIXTURE:
        z = log(x)
        return log_of_mean(log_normal(z, p.a, p.b), log_normal(z, p.c, p.d)) - z
    z = p.a / x
    if z > 1e100:  # its square overflows, and +∞ would hold the chain for ever
        return log(log(3.0) + 2.0 * (log(p.a) - log(x)))
    return log(log1p(3.0 * z * z))


cdef inline prior_t prior_of(const double[::1] row) noexcept nogil:
    cdef prior_t p
    p.kind = <int> row[0]
    p.a, p.b, p.lower, p.upper, p.c, p.d = row[1], row[2], row[3], row[4], row[5], row[6]
    return p


def prior_log_density(const double[::1] row, double x):
    """The compiled log density at x, up to its constant, of a prior as the chain takes it."""
    cdef prior_t p = prior_of(row)
    return log_density(&p, x)


cdef class Chain:
    """One chain over p(θ | data); `sweep` moves it, `factor` has L of where it stands.

    `d2` [g, n(n−1)/2] are the squared differences of the rows; `y` [N], `rows` [N] and `counts` [n] the
    observations, the row of each and how many each row has; `reference` the outputs whose ψ has mean 0
    and variance 1 in the units of the model (where it is empty, ψ is taken as it is); `warped` [w, n] the
    rows' values on the axes that may be warped, `warped_groups` [w] the groups of these; `features` [p, n]
    the trend's, none of them where there is no trend, and `bowl` [n] its mean over its standard deviation.
    """

    cdef Py_ssize_t n, g, w, packed, size
    cdef double N, jitter
    cdef bint noiseless, warps_outputs, trends
    cdef double[:, ::1] d2, warped
    cdef long[::1] rows, warped_groups
    cdef double[::1] y, z, counts, reference, s, origin, widths, rest, correlations, residual, ones, block, axis
    cdef double[::1] G, G_diagonal, bowl, bowls   # G packed as d2 is, and the diagonal
    cdef double[::1, :] A
    cdef double[:, ::1] prior_rows
    cdef kernel_t *kernel
    cdef bitgen_t *random
    cdef object kernel_capsule, bit_generator
    cdef double logdet, quadratic, log_posterior_here, angle
    cdef double scatter, tail, log_jacobian   # of the outputs: about their rows, Σ log(1 + y⁺), of y ↦ z
    # Q = yAy − 2 m yA1 + m² oneA1 − 2 t yAb + 2 m t oneAb + t² bAb, b the bowl
    cdef double yAy, yA1, oneA1, yAb, oneAb, bAb
    cdef readonly long evaluations            # log posteriors that needed a factorization
    cdef readonly long stuck                  # moves that ended where they began, by the bound

    def __init__(
        self, const double[:, ::1] d2, const double[::1] y, const long[::1] rows, const double[::1] counts,
        const double[::1] reference, const double[:, ::1] warped, const long[::1] warped_groups,
        const double[:, ::1] features, const double[::1] bowl, const double[:, ::1] priors, object kernel_capsule, object bit_generator, *,
        bint noiseless, bint warps_outputs, double jitter,
    ):
        cdef Py_ssize_t i
        self.n, self.g, self.w, self.packed = counts.shape[0], d2.shape[0], warped.shape[0], d2.shape[1]
        self.size = LENGTHS + self.g + 2 * self.w
        self.N = y.shape[0]
        self.jitter, self.noiseless, self.warps_outputs = jitter, noiseless, warps_outputs
        self.d2, self.y, self.rows, self.counts = np.array(d2), np.array(y), np.array(rows), np.array(counts)
        self.reference, self.z = np.array(reference), np.zeros(self.n)
        self.warped, self.warped_groups = np.array(warped).reshape(self.w, self.n), np.array(warped_groups)
        self.prior_rows = np.array(priors)
        self.trends = features.shape[0] > 0
        self._multiply_features(features)
        self.bowl, self.bowls = np.array(bowl), np.empty(self.n)
        if priors.shape[0] != self.size or priors.shape[1] != 7:
            raise ValueError(f"priors must be [{self.size}, 7]")
        if noiseless and y.shape[0] != self.n:
            raise ValueError("without noise there must be one output for each row")
        self.kernel_capsule, self.bit_generator = kernel_capsule, bit_generator
        self.kernel = <kernel_t *> PyCapsule_GetPointer(kernel_capsule, "spearmint_int.kernel")
        self.random = <bitgen_t *> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        self.s, self.origin = np.zeros(self.size), np.zeros(self.size)
        self.widths = np.ones(self.size)
        self.rest, self.correlations = np.empty(self.packed), np.empty(self.packed)
        self.residual, self.ones, self.axis = np.empty(self.n), np.empty(self.n), np.empty(self.n)
        self.block = np.empty(BLOCK)
        self.A = aligned_square(self.n)
        self.tail = 0.0
        for i in range(y.shape[0]):
            self.tail += log1p(max(y[i], 0.0))
        self.evaluations = self.stuck = 0
        self.log_posterior_here = -INFINITY

    cdef void _multiply_features(self, const double[:, ::1] features) noexcept:
        """G [n(n−1)/2], and its diagonal [n]."""
        cdef Py_ssize_t j, q, at = 0
        self.G, self.G_diagonal = np.zeros(self.packed), np.zeros(self.n)
        for j in range(self.n):
            for q in range(features.shape[0]):
                self.G_diagonal[j] += features[q, j] * features[q, j]
                if j + 1 < self.n:
                    add_weighted(&self.G[at], features[q, j], &features[q, j + 1], &self.G[at], self.n - j - 1)
            at += self.n - j - 1

    # --- the state from outside -----------------------------------------------------------------

    def set_state(self, const double[::1] state, const double[::1] widths):
        """Stand at the internal state s, with these slice widths; the log posterior there."""
        cdef Py_ssize_t i
        self.s[:] = state
        self.widths[:] = widths
        with nogil:
            self._warp_outputs()
            for i in range(self.w):
                self._warp_axis(i)
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
        """log p(θ) plus the log Jacobian of s ↦ θ = (m, √amp2, noise, √trend, ℓ)."""
        cdef double amplitude = exp(self.s[AMPLITUDE]), noise, trend, total
        cdef Py_ssize_t i
        total = self._density(MEAN, self.s[MEAN])
        if self.warps_outputs:
            total += self._density(POWER, self.s[POWER])
        total += self._density(AMPLITUDE, amplitude) + self.s[AMPLITUDE]
        if not self.noiseless:
            noise = amplitude * amplitude * exp(self.s[RATIO])
            total += self._density(RATIO, noise) + log(noise)
        if self.trends:
            trend = amplitude * exp(0.5 * self.s[TREND])
            total += self._density(TREND, trend) + log(trend)
        for i in range(LENGTHS + self.g, self.size):  # the a and b of the warps
            total += self._density(i, exp(self.s[i])) + self.s[i]
        return total + self._log_prior_of_lengths()

    cdef double _log_prior_of_lengths(self) noexcept nogil:
        """Of all log ℓ, which share a prior. A mixture is one of their joint density: either they
        are alike, or they are not."""
        cdef double one = 0.0, other = 0.0
        cdef Py_ssize_t i
        cdef prior_t p
        if self.g == 0:
            return 0.0
        p = prior_of(self.prior_rows[LENGTHS])
        if p.kind != MIXTURE:
            for i in range(LENGTHS, LENGTHS + self.g):
                one += self._density(i, exp(self.s[i])) + self.s[i]
            return one
        for i in range(LENGTHS, LENGTHS + self.g):
            if not (p.lower <= exp(self.s[i]) <= p.upper):
                return -INFINITY
            one += log_normal(self.s[i], p.a, p.b)
            other += log_normal(self.s[i], p.c, p.d)
        return log_of_mean(one, other)

    cdef inline double _density(self, Py_ssize_t i, double x) noexcept nogil:
        cdef prior_t p = prior_of(self.prior_rows[i])
        return log_density(&p, x)

    cdef double _log_likelihood(self) noexcept nogil:
        """log p(y): N(z | m, amp2 A) with the replicates' scatter about their means, and dz/dy."""
        cdef double log_amp2 = 2.0 * self.s[AMPLITUDE], log_noise, total
        total = -0.5 * (self.quadratic * exp(-log_amp2) + self.n * log_amp2 + self.logdet)
        total += self.log_jacobian
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

    cdef void _warp_outputs(self) noexcept nogil:
        """z, its scatter about the rows' means, and the log Jacobian, at the λ of the state."""
        cdef double power = self.s[POWER], shift = 0.0, scale = 1.0, total = 0.0, squares = 0.0, value
        cdef Py_ssize_t i, M = self.reference.shape[0]
        for i in range(M):
            shift += warped_output(self.reference[i], power) / M
        for i in range(M):
            value = warped_output(self.reference[i], power) - shift
            squares += value * value / M
        if squares > 0.0:
            scale = sqrt(squares)
        for i in range(self.n):
            self.z[i] = 0.0
        for i in range(self.y.shape[0]):
            value = (warped_output(self.y[i], power) - shift) / scale
            total += value * value
            self.z[self.rows[i]] += value / self.counts[self.rows[i]]
        self.scatter = total
        for i in range(self.n):
            self.scatter -= self.counts[i] * self.z[i] * self.z[i]
        self.scatter = max(self.scatter, 0.0)
        self.log_jacobian = (power - 1.0) * self.tail - self.N * log(scale)

    cdef void _warp_axis(self, Py_ssize_t i) noexcept nogil:
        """The squared differences of a warped axis, at the a and b of the state."""
        cdef double a = exp(self.s[LENGTHS + self.g + 2 * i]), b = exp(self.s[LENGTHS + self.g + 2 * i + 1])
        cdef Py_ssize_t j, k, at = 0, g = self.warped_groups[i]
        cdef double difference
        for j in range(self.n):
            self.axis[j] = warped_input(self.warped[i, j], a, b)
        for j in range(self.n):
            for k in range(j + 1, self.n):
                difference = self.axis[k] - self.axis[j]
                self.d2[g, at] = difference * difference
                at += 1

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
        cdef double m = self.s[MEAN], t = self._trend_sd(), prior = self._log_prior()
        self.quadratic = self.yAy - 2.0 * m * self.yA1 + m * m * self.oneA1
        if self.trends:
            self.quadratic += t * (t * self.bAb - 2.0 * self.yAb + 2.0 * m * self.oneAb)
        return prior + self._log_likelihood()

    cdef double _evaluate_power(self) noexcept nogil:
        """The log posterior at s, with A as it stands and other outputs."""
        cdef double prior = self._log_prior()
        if prior == -INFINITY:
            return prior
        self._warp_outputs()
        return self._solve(prior)

    cdef double _evaluate_warp(self, Py_ssize_t i) noexcept nogil:
        """The log posterior at s, given `rest` for the group of warped axis i."""
        self._warp_axis(i)
        return self._evaluate_length(LENGTHS + self.warped_groups[i])

    cdef double _factorize(self, double prior) noexcept nogil:
        """Fill and factor A, solve for the residual; prior plus log likelihood."""
        cdef int n = <int> self.n, info = 0
        cdef double ratio = 0.0 if self.noiseless else exp(self.s[RATIO])
        cdef double trend = exp(self.s[TREND]) if self.trends else 0.0
        cdef Py_ssize_t j, at = 0
        self.evaluations += 1
        for j in range(n):
            self.A[j, j] = 1.0 + trend * self.G_diagonal[j] + ratio / self.counts[j] + self.jitter
            if j + 1 < n:
                if self.trends:
                    add_weighted(&self.correlations[at], trend, &self.G[at], &self.A[j + 1, j], n - j - 1)
                else:
                    memcpy(&self.A[j + 1, j], &self.correlations[at], (n - j - 1) * sizeof(double))
                at += n - j - 1
        dpotrf(b"L", &n, &self.A[0, 0], &n, &info)
        if info != 0:
            return -INFINITY
        self.logdet = 0.0
        for j in range(n):
            self.logdet += 2.0 * log(self.A[j, j])
        return self._solve(prior)

    cdef double _solve(self, double prior) noexcept nogil:
        """Prior plus log likelihood, with A factored."""
        cdef double t = self._trend_sd()
        cdef Py_ssize_t j
        for j in range(self.n):
            self.residual[j] = self.z[j] - self.s[MEAN] - t * self.bowl[j]
        solve_lower(&self.A[0, 0], &self.residual[0], self.n)
        self.quadratic = sum_of_squares(&self.residual[0], self.n)
        prior += self._log_likelihood()
        return prior if isfinite(prior) else -INFINITY

    cdef void _prepare_level(self) noexcept nogil:
        """The inner products that make Q a polynomial in the mean and in the trend's size."""
        cdef Py_ssize_t j
        for j in range(self.n):
            self.residual[j], self.ones[j], self.bowls[j] = self.z[j], 1.0, self.bowl[j]
        solve_lower(&self.A[0, 0], &self.residual[0], self.n)
        solve_lower(&self.A[0, 0], &self.ones[0], self.n)
        self.yAy = sum_of_squares(&self.residual[0], self.n)
        self.yA1 = dot(&self.residual[0], &self.ones[0], self.n)
        self.oneA1 = sum_of_squares(&self.ones[0], self.n)
        if self.trends:
            solve_lower(&self.A[0, 0], &self.bowls[0], self.n)
            self.yAb = dot(&self.residual[0], &self.bowls[0], self.n)
            self.oneAb = dot(&self.ones[0], &self.bowls[0], self.n)
            self.bAb = sum_of_squares(&self.bowls[0], self.n)

    cdef inline double _trend_sd(self) noexcept nogil:
        return exp(self.s[AMPLITUDE] + 0.5 * self.s[TREND]) if self.trends else 0.0

    # --- the moves ------------------------------------------------------------------------------

    cdef void _sweep(self, bint adapt) noexcept nogil:
        cdef Py_ssize_t i
        cdef double chance = 1.0
        if self.n >= FULL_SCAN_ROWS and not adapt:
            # with warps and a trend there are more moves; what they cost together stays the same
            chance = max(LEAST_CHANCE, ROWS_PER_MOVE / self.n)
            chance *= (self.g + 2.0) / (self.g + self.w + self.trends + 2.0)
        self._prepare_level()
        for i in range(LEVEL_MOVES):
            self.angle = 2.0 * M_PI * self._uniform()
            self._move(LEVEL, False)
        if self.warps_outputs:
            for i in range(POWER_MOVES):
                self._move(POWER, adapt)
        if not self.noiseless and self._uniform() < chance:
            self._move(RATIO, adapt)
        if self.trends and self._uniform() < chance:
            self._move(TREND, adapt)
        for i in range(LENGTHS, LENGTHS + self.g):
            if self._uniform() < chance:
                self._sum_other_groups(i)
                self._move(i, adapt)
        for i in range(self.w):
            if self._uniform() < chance:
                self._sum_other_groups(LENGTHS + self.warped_groups[i])
                self.angle = 2.0 * M_PI * self._uniform()
                self._move(LENGTHS + self.g + 2 * i, adapt)
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
            if self.trends:
                self.s[TREND] = self.origin[TREND] - 2.0 * MATERN_RIDGE * t  # and the trend
            for i in range(LENGTHS, LENGTHS + self.g):
                self.s[i] = self.origin[i] + t
            return self._evaluate_scaled(exp(-2.0 * t))
        if move >= LENGTHS + self.g:
            self.s[move] = self.origin[move] + t * cos(self.angle)
            self.s[move + 1] = self.origin[move + 1] + t * sin(self.angle)
            return self._evaluate_warp((move - LENGTHS - self.g) // 2)
        self.s[move] = self.origin[move] + t
        if move == POWER:
            return self._evaluate_power()
        return self._evaluate_ratio() if move == RATIO or move == TREND else self._evaluate_length(move)

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
        memcpy(&self.origin[0], &self.s[0], self.size * sizeof(double))
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
