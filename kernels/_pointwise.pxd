"""What `_pointwise.h` declares, for every extension that calls it."""

cdef extern from "_pointwise.h" nogil:
    ctypedef void (*pointwise_t)(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    ctypedef struct kernel_t:
        pointwise_t correlation
        pointwise_t slope
        void *context
    void matern52_correlation(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void matern52_slope(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void matern32_correlation(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void matern32_slope(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void squared_exponential_correlation(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void squared_exponential_slope(const double *r2, double *out, Py_ssize_t count, void *context) noexcept nogil
    void add_weighted(const double *rest, double weight, const double *d2, double *out, Py_ssize_t count) noexcept nogil
    void weighted_squared_distances(const double *x, Py_ssize_t columns, const double *z, const double *weights, double *r2, Py_ssize_t count, Py_ssize_t stride) noexcept nogil
    double dot(const double *a, const double *b, Py_ssize_t count) noexcept nogil
    double sum_of_squares(const double *v, Py_ssize_t count) noexcept nogil
    double weighted_differences(const double *a, const double *b, double z, const double *x, Py_ssize_t count) noexcept nogil
    double largest_scaled_square(const double *v, const double *scale, Py_ssize_t count) noexcept nogil
    Py_ssize_t first_zero(const double *v, Py_ssize_t count) noexcept nogil
    void solve_lower(const double *L, double *x, Py_ssize_t n) noexcept nogil
    void multiply_lower(const double *R, double *x, Py_ssize_t n, Py_ssize_t count) noexcept nogil
    void multiply_lower_transposed(const double *R, double *x, Py_ssize_t n, Py_ssize_t count) noexcept nogil
