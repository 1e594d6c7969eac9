/* Correlations of stationary kernels as functions of the squared distance r², on flat arrays.
 *
 * These loops are where a GP's kernel build spends its time, so they must vectorise: libm's exp is a
 * call per element, ours is inlined arithmetic. On Linux/x86-64 with GCC each loop is compiled for
 * several instruction sets and chosen at load time; elsewhere it is plain C for the base machine.
 */
#ifndef SPEARMINT_INT_POINTWISE_H
#define SPEARMINT_INT_POINTWISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
#define MULTIVERSIONED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MULTIVERSIONED
#endif

#if defined(__GNUC__)
#define UNUSED __attribute__((unused)) /* each extension includes all and calls some */
#else
#define UNUSED
#endif

/* What a kernel is to the compiled code: k(r²), dk/d(r²), and a context for a Python kernel. */
typedef void (*pointwise_t)(const double *r2, double *out, ptrdiff_t count, void *context);
typedef struct {
    pointwise_t correlation;
    pointwise_t slope;
    void *context;
} kernel_t;

/* exp(x) for x <= 0: x = k ln 2 + r, |r| <= ln(2)/2, a degree-13 Taylor polynomial in r (truncation
 * below 5e-18), times 2^k by adding k to the exponent's bits. Below -708 the result would be
 * subnormal; it is held at exp(-708), about 3e-308. */
static inline double exp_nonpositive(double x) {
    const double shift = 0x1.8p52; /* adding it rounds to the nearest integer, in the low bits */
    x = x < -708.0 ? -708.0 : x;
    double shifted = x * 0x1.71547652b82fep0 + shift;
    double k = shifted - shift;
    double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b39p-40;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    uint64_t exponent, bits;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += exponent << 52;
    memcpy(&p, &bits, sizeof p);
    return p;
}

#define POINTWISE(name, expression)                                                               \
    MULTIVERSIONED UNUSED static void name(const double *restrict r2, double *restrict out,              \
                                    ptrdiff_t count, void *context) {                             \
        (void)context;                                                                            \
        for (ptrdiff_t i = 0; i < count; i++) {                                                   \
            double q = r2[i];                                                                     \
            out[i] = (expression);                                                                \
        }                                                                                         \
    }

/* Matérn-5/2 with s = √5 r: k = (1 + s + s²/3) e^-s, dk/d(r²) = -5/6 (1 + s) e^-s. */
static inline double matern52_value(double q) {
    double s = sqrt(5.0 * q);
    return (1.0 + s + (5.0 / 3.0) * q) * exp_nonpositive(-s);
}
static inline double matern52_slope_value(double q) {
    double s = sqrt(5.0 * q);
    return (-5.0 / 6.0) * (1.0 + s) * exp_nonpositive(-s);
}
/* Matérn-3/2 with s = √3 r: k = (1 + s) e^-s, dk/d(r²) = -3/2 e^-s. */
static inline double matern32_value(double q) {
    double s = sqrt(3.0 * q);
    return (1.0 + s) * exp_nonpositive(-s);
}

POINTWISE(matern52_correlation, matern52_value(q))
POINTWISE(matern52_slope, matern52_slope_value(q))
POINTWISE(matern32_correlation, matern32_value(q))
POINTWISE(matern32_slope, -1.5 * exp_nonpositive(-sqrt(3.0 * q)))
POINTWISE(squared_exponential_correlation, exp_nonpositive(-0.5 * q))
POINTWISE(squared_exponential_slope, -0.5 * exp_nonpositive(-0.5 * q))

/* out = rest + weight · d2, the squared distances after one dimension's weight has changed. `out` may
 * be `rest`, so that neither is restrict; no iteration needs another's result. */
MULTIVERSIONED UNUSED static void add_weighted(const double *rest, double weight,
                                               const double *restrict d2, double *out,
                                               ptrdiff_t count) {
#pragma GCC ivdep
    for (ptrdiff_t i = 0; i < count; i++) out[i] = rest[i] + weight * d2[i];
}

/* r2[i] = Σ_c weights[c] (x[c][i] - z[c])²: one test point against `count` rows, whose columns stand
 * `stride` apart. A few rows at a time go through all columns, so that their sums stay in registers. */
MULTIVERSIONED UNUSED static void weighted_squared_distances(const double *restrict x,
                                                             ptrdiff_t columns,
                                                             const double *restrict z,
                                                             const double *restrict weights,
                                                             double *restrict r2,
                                                             ptrdiff_t count, ptrdiff_t stride) {
    ptrdiff_t i = 0;
    for (; i + 32 <= count; i += 32) {
        double total[32] = {0.0};
        for (ptrdiff_t c = 0; c < columns; c++)
            for (int lane = 0; lane < 32; lane++) {
                double difference = x[c * stride + i + lane] - z[c];
                total[lane] += weights[c] * difference * difference;
            }
        for (int lane = 0; lane < 32; lane++) r2[i + lane] = total[lane];
    }
    for (; i < count; i++) {
        double total = 0.0;
        for (ptrdiff_t c = 0; c < columns; c++) {
            double difference = x[c * stride + i] - z[c];
            total += weights[c] * difference * difference;
        }
        r2[i] = total;
    }
}

/* Σ_i a[i] b[i], in eight partial sums, because without -ffast-math no sum may be reordered. */
MULTIVERSIONED UNUSED static double dot(const double *a, const double *b, ptrdiff_t count) {
    double partial[8] = {0.0};
    ptrdiff_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int lane = 0; lane < 8; lane++) partial[lane] += a[i + lane] * b[i + lane];
    double total = 0.0;
    for (int lane = 0; lane < 8; lane++) total += partial[lane];
    for (; i < count; i++) total += a[i] * b[i];
    return total;
}

UNUSED static double sum_of_squares(const double *v, ptrdiff_t count) { return dot(v, v, count); }

/* Σ_i a[i] b[i] (z - x[i]): one derivative of a weighted sum of kernels. */
MULTIVERSIONED UNUSED static double weighted_differences(const double *restrict a,
                                                         const double *restrict b, double z,
                                                         const double *restrict x,
                                                         ptrdiff_t count) {
    double partial[8] = {0.0};
    ptrdiff_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int lane = 0; lane < 8; lane++)
            partial[lane] += a[i + lane] * b[i + lane] * (z - x[i + lane]);
    double total = 0.0;
    for (int lane = 0; lane < 8; lane++) total += partial[lane];
    for (; i < count; i++) total += a[i] * b[i] * (z - x[i]);
    return total;
}

/* max_i scale[i] v[i]²: what the one best-placed row explains. */
MULTIVERSIONED UNUSED static double largest_scaled_square(const double *restrict v,
                                                          const double *restrict scale,
                                                          ptrdiff_t count) {
    double partial[8] = {0.0};
    ptrdiff_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int lane = 0; lane < 8; lane++) {
            double x = scale[i + lane] * v[i + lane] * v[i + lane];
            partial[lane] = x > partial[lane] ? x : partial[lane];
        }
    double largest = 0.0;
    for (int lane = 0; lane < 8; lane++) largest = partial[lane] > largest ? partial[lane] : largest;
    for (; i < count; i++) {
        double x = scale[i] * v[i] * v[i];
        largest = x > largest ? x : largest;
    }
    return largest;
}

/* The three below are BLAS's dtrsv and dtrmv, for few vectors. Theirs sum in an order that depends on where
 * the arrays lie in memory, and the same data must give the same suggestion to the last bit.
 * L and R are lower triangles [n, n] in Fortran order; a column of R serves all vectors while it is near. */

/* x = L⁻¹ x */
MULTIVERSIONED UNUSED static void solve_lower(const double *restrict L, double *restrict x,
                                              ptrdiff_t n) {
    for (ptrdiff_t j = 0; j < n; j++) {
        const double *restrict column = L + j * n;
        double t = x[j] = x[j] / column[j];
        for (ptrdiff_t i = j + 1; i < n; i++) x[i] -= t * column[i];
    }
}

/* x = R x for each of the `count` rows of x [count, n] */
MULTIVERSIONED UNUSED static void multiply_lower(const double *restrict R, double *restrict x,
                                                 ptrdiff_t n, ptrdiff_t count) {
    for (ptrdiff_t j = n - 1; j >= 0; j--) {
        const double *restrict column = R + j * n;
        for (ptrdiff_t c = 0; c < count; c++) {
            double *restrict row = x + c * n;
            double t = row[j];
            row[j] = t * column[j];
            for (ptrdiff_t i = j + 1; i < n; i++) row[i] += t * column[i];
        }
    }
}

/* x = Rᵀ x for each of the `count` rows of x [count, n] */
UNUSED static void multiply_lower_transposed(const double *R, double *x, ptrdiff_t n,
                                             ptrdiff_t count) {
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t c = 0; c < count; c++)
            x[c * n + j] = dot(R + j * n + j, x + c * n + j, n - j);
}

/* The first i with v[i] = 0, or -1: which row a point is, by its squared distances. */
MULTIVERSIONED UNUSED static ptrdiff_t first_zero(const double *v, ptrdiff_t count) {
    ptrdiff_t i = 0;
    for (; i + 16 <= count; i += 16) {
        int found = 0;
        for (int lane = 0; lane < 16; lane++) found |= v[i + lane] == 0.0;
        if (found) break;
    }
    for (; i < count; i++)
        if (v[i] == 0.0) return i;
    return -1;
}

#endif
