/* SPDX-License-Identifier: MIT
 *
 * Plain C for the kernels of kernels.def, as one writes it by hand: one thread,
 * one fused loop nest, no intrinsics, no blocking. Compiled with the flags
 * that the cc back end uses (see Makefile.am), so that what differs is the
 * source. Sums run in as many lanes as a careful programmer takes.
 */
#include "bench/bench_kernels.h"

#include <math.h>
#include <stdlib.h>

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

/* ---- vertical advection ---- */

/* What the two layouts share: elements from a point to the one above it, and
 * to the velocity east of it and above it. */
typedef struct layout {
    int64_t nk, above, east, w_above;
} layout;

/* The fields at the lowest point of a column. */
typedef struct column {
    const double *us, *w, *up, *ut, *uts;
    double dt;
    double *v;
} column;

/* Elimination at level "k" of a column; those below it in cp[-p], dp[-p]. */
static inline void
eliminate(const layout *g, const column *f, int64_t k, double *cp, double *dp,
          int64_t p)
{
    const double *us = f->us + k * g->above, *w = f->w + k * g->w_above;
    const int64_t at = k * g->above;
    const int down = k > 0, up = k < g->nk - 1;
    const double a = down ? -0.125 * (w[g->east] + w[0]) : 0.0;
    const double c =
        up ? 0.125 * (w[g->w_above + g->east] + w[g->w_above]) : 0.0;
    const double l = down ? a * (us[-g->above] - us[0]) : 0.0;
    const double m = up ? c * (us[g->above] - us[0]) : 0.0;
    double b = f->dt - a - c;
    double d = f->dt * f->up[at] + f->ut[at] + f->uts[at] - l - m;
    if (down) {
        b -= a * cp[-p];
        d -= a * dp[-p];
    }
    cp[0] = c / b;
    dp[0] = d / b;
}

/* Columns along the last axis, one after another. */
void
plain_vadv(const int64_t *n, double *const *b)
{
    const int64_t ni = n[0], nj = n[1], nk = n[2];
    const layout g = {nk, 1, nj * nk, 1};
    double *cp = malloc(2 * (size_t)nk * sizeof *cp), *dp = cp + nk;
    for (int64_t i = 0; cp && i < ni * nj; i++) {
        const int64_t at = i * nk;
        const column f = {b[0] + at, b[1] + at, b[2] + at, b[3] + at,
                          b[4] + at, b[5][i],   b[6] + at};
        for (int64_t k = 0; k < nk; k++)
            eliminate(&g, &f, k, cp + k, dp + k, 1);
        double x = dp[nk - 1];
        for (int64_t k = nk - 1; k >= 0; k--) {
            x = k < nk - 1 ? dp[k] - cp[k] * x : x;
            f.v[k] = f.dt * (x - f.up[k]);
        }
    }
    free(cp);
}

/* One row of columns side by side, level by level. */
static void
advect_row(const layout *g, int64_t ni, const column *f, const double *dt,
           double *cp, double *dp)
{
    for (int64_t k = 0; k < g->nk; k++)
        for (int64_t i = 0; i < ni; i++) {
            const column c = {f->us + i,  f->w + i, f->up + i, f->ut + i,
                              f->uts + i, dt[i],    f->v + i};
            eliminate(g, &c, k, cp + k * ni + i, dp + k * ni + i, ni);
        }
    for (int64_t k = g->nk - 1; k >= 0; k--) {
        const double *up = f->up + k * g->above;
        double *restrict v = f->v + k * g->above, *x = dp + k * ni;
        if (k < g->nk - 1)
            for (int64_t i = 0; i < ni; i++)
                x[i] -= cp[k * ni + i] * x[ni + i];
        for (int64_t i = 0; i < ni; i++)
            v[i] = dt[i] * (x[i] - up[i]);
    }
}

/* Levels along the first axis. */
void
plain_vadvk(const int64_t *n, double *const *b)
{
    const int64_t ni = n[0], nj = n[1], nk = n[2];
    const layout g = {nk, nj * ni, 1, nj * (ni + 1)};
    double *cp = malloc(2 * (size_t)(nk * ni) * sizeof *cp);
    for (int64_t j = 0; cp && j < nj; j++) {
        const int64_t at = j * ni;
        const column f = {b[0] + at, b[1] + j * (ni + 1), b[2] + at,
                          b[3] + at, b[4] + at,           0,
                          b[6] + at};
        advect_row(&g, ni, &f, b[5] + at, cp, cp + nk * ni);
    }
    free(cp);
}

/* ---- rows, layouts, masks ---- */

void
plain_softmax(const int64_t *n, double *const *b)
{
    for (int64_t i = 0; i < n[0]; i++) {
        const double *x = b[0] + i * n[1];
        double *restrict r = b[1] + i * n[1];
        double most = x[0], total = 0;
        for (int64_t j = 1; j < n[1]; j++)
            most = x[j] > most ? x[j] : most;
        for (int64_t j = 0; j < n[1]; j++) {
            r[j] = exp(x[j] - most);
            total += r[j];
        }
        for (int64_t j = 0; j < n[1]; j++)
            r[j] /= total;
    }
}

void
plain_transpose(const int64_t *n, double *const *b)
{
    const double *x = b[0];
    double *restrict r = b[1];
    for (int64_t j = 0; j < n[1]; j++)
        for (int64_t i = 0; i < n[0]; i++)
            r[j * n[0] + i] = x[i * n[1] + j];
}

void
plain_compact(const int64_t *n, double *const *b)
{
    const double *x = b[0];
    double *restrict r = b[1];
    int64_t kept = 0;
    for (int64_t i = 0; i < n[0]; i++)
        if (x[i] > 0.5)
            r[kept++] = x[i];
}
