/* SPDX-License-Identifier: MIT
 *
 * Plain C for the kernels of kernels.def, as one writes it by hand: one thread,
 * one fused loop nest, no intrinsics, no blocking. Compiled with the flags
 * that the cc back end uses (see Makefile.am), so that what differs is the
 * source. Sums run in as many lanes as a careful programmer takes.
 */
#include "bench/bench_kernels.h"

enum { LANES = 32 };

void
plain_chain(const int64_t *n, double *const *b)
{
    const double *x = b[0], *y = b[1], *z = b[2], *w = b[3];
    double *restrict r = b[4];
    const int64_t count = n[0];
    for (int64_t i = 0; i < count; i++)
        r[i] = 1.5 * x[i] + y[i] * z[i] - w[i];
}

void
plain_lap5(const int64_t *n, double *const *b)
{
    const int64_t rows = n[0], m = n[1], p = m + 2;
    const double *u = b[0] + p + 1;
    double *restrict v = b[1];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m; j++)
            v[i * m + j] = u[(i - 1) * p + j] + u[(i + 1) * p + j] +
                           u[i * p + j - 1] + u[i * p + j + 1] -
                           4.0 * u[i * p + j];
}

/* The Laplacian at "u" with "p" and "q" elements to the neighbours. */
static inline double
laplace(const double *u, int64_t p, int64_t q)
{
    return 4.0 * u[0] - (u[p] + u[-p] + u[q] + u[-q]);
}

/* The flux "r" where it flows down the difference "d", else 0. */
static inline double
limit(double r, double d)
{
    return r * d > 0.0 ? 0.0 : r;
}

/* One row of the result; "p" and "q" elements to the neighbours in u. */
static void
hdiff_row(int64_t count, int64_t p, int64_t q, const double *restrict u,
          const double *restrict c, double *restrict v)
{
    for (int64_t k = 0; k < count; k++, u++) {
        const double l = laplace(u, p, q);
        const double fx0 = limit(l - laplace(u - p, p, q), u[0] - u[-p]);
        const double fx1 = limit(laplace(u + p, p, q) - l, u[p] - u[0]);
        const double fy0 = limit(l - laplace(u - q, p, q), u[0] - u[-q]);
        const double fy1 = limit(laplace(u + q, p, q) - l, u[q] - u[0]);
        v[k] = u[0] - c[k] * (fx1 - fx0 + fy1 - fy0);
    }
}

void
plain_hdiff(const int64_t *n, double *const *b)
{
    const int64_t ni = n[0], nj = n[1], nk = n[2];
    const int64_t q = nk, p = (nj + 4) * nk;
    const double *u = b[0] + 2 * p + 2 * q, *c = b[1];
    double *v = b[2];
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            const int64_t at = (i * nj + j) * nk;
            hdiff_row(nk, p, q, u + i * p + j * q, c + at, v + at);
        }
}

void
plain_broadcast(const int64_t *n, double *const *b)
{
    const int64_t rows = n[0] * n[1], nk = n[2];
    const double *y = b[1];
    for (int64_t i = 0; i < rows; i++) {
        const double x = b[0][i];
        double *restrict v = b[2] + i * nk;
        for (int64_t k = 0; k < nk; k++)
            v[k] = x + y[k];
    }
}

/* The sum of "count" elements from "x", in lanes. */
static double
sum(const double *x, int64_t count)
{
    double lane[LANES] = {0}, s = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    for (; i < count; i++)
        lane[0] += x[i];
    for (int k = 0; k < LANES; k++)
        s += lane[k];
    return s;
}

void
plain_sum(const int64_t *n, double *const *b)
{
    b[1][0] = sum(b[0], n[0]);
}

void
plain_rowsum(const int64_t *n, double *const *b)
{
    const int64_t rows = n[0], m = n[1];
    for (int64_t i = 0; i < rows; i++)
        b[1][i] = sum(b[0] + i * m, m);
}

void
plain_colsum(const int64_t *n, double *const *b)
{
    const int64_t rows = n[0], m = n[1];
    const double *x = b[0];
    double *restrict s = b[1];
    for (int64_t j = 0; j < m; j++)
        s[j] = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m; j++)
            s[j] += x[i * m + j];
}

void
plain_matmul(const int64_t *n, double *const *b)
{
    const int64_t m = n[0];
    const double *x = b[0], *y = b[1];
    for (int64_t i = 0; i < m; i++) {
        double *restrict c = b[2] + i * m;
        for (int64_t k = 0; k < m; k++)
            c[k] = 0;
        for (int64_t j = 0; j < m; j++) {
            const double a = x[i * m + j];
            for (int64_t k = 0; k < m; k++)
                c[k] += a * y[j * m + k];
        }
    }
}
