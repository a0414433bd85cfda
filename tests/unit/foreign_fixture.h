/* SPDX-License-Identifier: MIT
 *
 * Foreign functions for tests, and programs that call them.
 */
#ifndef ILEX_TESTS_UNIT_FOREIGN_FIXTURE_H
#define ILEX_TESTS_UNIT_FOREIGN_FIXTURE_H

#include <stdatomic.h>

#include "tests/unit/graph_fixture.h"

/* ---- functions of the host ---- */

static inline double *
element(const ilex_function_array *a, int64_t i, int64_t j)
{
    int64_t at = i * a->stride[0] + (a->rank > 1 ? j * a->stride[1] : 0);
    return (double *)a->data + at;
}

static atomic_int made; /* calls of `gauss` */

/* x solves a x = b, without pivoting; result 1 holds the pivots. */
static inline int
gauss(const ilex_function_call *call)
{
    const ilex_function_array *in = call->argument, *x = &call->result[0],
                              *pivot = &call->result[1];
    int64_t n = in[1].shape[0];
    double m[16][16], b[16];
    made++;
    for (int64_t i = 0; i < n; i++) {
        b[i] = *element(&in[1], i, 0);
        for (int64_t j = 0; j < n; j++)
            m[i][j] = *element(&in[0], i, j);
    }
    for (int64_t k = 0; k < n; k++) {
        *element(pivot, k, 0) = m[k][k];
        if (m[k][k] == 0) {
            snprintf(call->error, call->error_bytes, "pivot %d is 0", (int)k);
            return 7;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double f = m[i][k] / m[k][k];
            b[i] -= f * b[k];
            for (int64_t j = k; j < n; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int64_t j = i + 1; j < n; j++)
            sum -= m[i][j] * *element(x, j, 0);
        *element(x, i, 0) = sum / m[i][i];
    }
    return 0;
}

static inline void
give(ilex_context *c, const char *name, ilex_function host, void *user)
{
    ilex_function_spec spec = {.size = sizeof spec, .host = host, .user = user};
    ck_assert_msg(!ilex_function_register(c, name, &spec), "%s",
                  ilex_error_text(c));
}

#define GAUSS "extern gauss(a : f64[k, k], b : f64[k]) -> f64[k], f64[k] pure\n"
static const char *const jits[] = {"reference", "tcc", "cc"};

static inline ilex_program *
compile_for(const char *jit, const char *text)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_module *m = parse(text);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    ck_assert_msg(p || take_error() == ILEX_E_UNSUPPORTED, "%s: %s", jit,
                  ilex_error_text(ctx));
    return p;
}

static inline ilex_storage *
vector(int64_t n, double first, double step)
{
    ilex_storage *s = ilex_storage_zeros(NULL, ILEX_F64, 1, SHAPE(n));
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < n; i++)
        x[i] = first + step * (double)i;
    return s;
}

/* Two results, a call that is equal to none, one whose first result nobody
 * reads, an output in the place of an input. */
static const char several[] =
    "ilex 1\nprogram several\nsize n\nin a : f64[n, n]\nin b : f64[n]\n" GAUSS
    "let x, p = gauss(a + 0.1, 2*b)\nlet y, q = gauss(a, x)\n"
    "let unread, r = gauss(a, b + p)\n"
    "out o = x + y[::-1]\nout z : f64[n] = y inplace b\nout t = sum(p) + r\n";

#endif
