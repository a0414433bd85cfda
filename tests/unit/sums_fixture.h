/* SPDX-License-Identifier: MIT
 *
 * What the tests of sums share: the order in which sums are formed, written
 * from the definition (doc/ilx.md), and programs that are run on numbers by
 * every back end, with one to three threads.
 */
#ifndef ILEX_TESTS_UNIT_SUMS_FIXTURE_H
#define ILEX_TESTS_UNIT_SUMS_FIXTURE_H

#include <math.h>

#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* ---- the definition, on elements in C order of the reduced indices ---- */

enum { CHUNK = 4096, SHORT = 256, MOST_LANES = 64, INPUTS = 3, RANK = 4 };

static bool single; /* f32 instead of f64 */

static inline double
rounded(double x)
{
    volatile float f =
        (float)x; /* gcc 12 drops the conversions of neighbours */
    return single ? (double)f : x;
}

static inline double
plus(double a, double b)
{
    return rounded(a + b);
}

/* What a sum adds: x, of an einsum the product x*y, rounded once with the sum.
 */
typedef struct term {
    double x, y;
    bool product;
} term;

static inline double
with_term(double sum, term t)
{
    if (!t.product)
        return plus(sum, t.x);
    return single ? (double)fmaf((float)t.x, (float)t.y, (float)sum)
                  : fma(t.x, t.y, sum);
}

/* Partial results combined pairwise in order: the largest power of two that is
 * less than all of them on the left. */
static inline double
pairwise(const double *v, int64_t n)
{
    int64_t left = 1;
    if (n == 1)
        return v[0];
    while (2 * left < n)
        left *= 2;
    return plus(pairwise(v, left), pairwise(v + left, n - left));
}

/* Element i goes to lane i mod lanes; lane j and lane j + half are added. */
static inline double
in_lanes(const term *v, int64_t n, int lanes)
{
    double lane[MOST_LANES];
    for (int j = 0; j < lanes; j++)
        lane[j] = -0.0;
    for (int64_t i = 0; i < n; i++)
        lane[i % lanes] = with_term(lane[i % lanes], v[i]);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] = plus(lane[j], lane[j + half]);
    return lane[0];
}

/* One axis: chunks of "chunk" elements. */
static inline double
along(const term *v, int64_t n, int64_t chunk, int lanes)
{
    int64_t m = 0;
    double *part = malloc(((size_t)(n / chunk) + 2) * sizeof *part), sum;
    for (int64_t i = 0; i < n; i += chunk)
        part[m++] = in_lanes(v + i, n - i < chunk ? n - i : chunk, lanes);
    sum = m ? pairwise(part, m) : 0.0;
    free(part);
    return sum;
}

/* How the elements of one result are added. */
typedef enum order {
    CHAIN,    /* through all axes, chunks on the first */
    ONE_LANE, /* each axis by itself */
    LANES     /* and lanes on the last one */
} order;

static inline double
summed(const term *v, int64_t outer, int64_t inner, order how)
{
    int lanes = how == LANES ? (single ? 64 : 32) : 1;
    int64_t few = v[0].product ? CHUNK : SHORT, most = lanes > 1 ? CHUNK : few;
    if (how == CHAIN)
        return along(v, outer * inner, CHUNK * inner, 1);
    if (inner == 1)
        return along(v, outer, most, lanes);
    term *part = calloc((size_t)(outer + 1), sizeof *part);
    for (int64_t i = 0; i < outer; i++)
        part[i].x = along(v + i * inner, inner, most, lanes);
    double sum = along(part, outer, few, 1);
    free(part);
    return sum;
}

/* ---- programs and their numbers ---- */

/* An array of doubles, which a storage of either dtype is made of. */
typedef struct numbers {
    int rank;
    int64_t n[RANK];
    double *v;
} numbers;

static inline int64_t
count(const numbers *x)
{
    int64_t n = 1;
    for (int k = 0; k < x->rank; k++)
        n *= x->n[k];
    return n;
}

static inline numbers
make(int rank, int64_t n0, int64_t n1, int64_t n2)
{
    numbers x = {.rank = rank, .n = {n0, n1, n2}};
    x.v = calloc((size_t)count(&x) + 1, sizeof *x.v);
    return x;
}

/* Numbers with full mantissas and of several magnitudes. */
static inline numbers
noise(int rank, int64_t n0, int64_t n1, int64_t n2)
{
    numbers x = make(rank, n0, n1, n2);
    for (int64_t i = 0; i < count(&x); i++) {
        int exponent = (int)draw(-6, 6); /* first, with every compiler */
        double v = (double)draw(-1000003, 1000003) / 1000033.0;
        x.v[i] = rounded(ldexp(v, exponent));
    }
    return x;
}

static inline double
at(const numbers *x, int64_t i, int64_t j, int64_t k)
{
    int64_t n1 = x->rank > 1 ? x->n[1] : 1, n2 = x->rank > 2 ? x->n[2] : 1;
    return x->v[(i * n1 + j) * n2 + k];
}

static inline ilex_storage *
storage_of(const numbers *x)
{
    ilex_storage *s =
        ilex_storage_full(ctx, single ? ILEX_F32 : ILEX_F64, x->rank, x->n, 7);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; x->v && i < count(x); i++) {
        if (single)
            ((float *)ilex_storage_data(s))[i] = (float)x->v[i];
        else
            ((double *)ilex_storage_data(s))[i] = x->v[i];
    }
    return s;
}

/* Same bits? */
static inline bool
is_same(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static inline void
check_result(const ilex_storage *z, const numbers *want, const char *who,
             const char *text)
{
    for (int64_t i = 0; i < count(want); i++) {
        const void *data = ilex_storage_const_data(z);
        double have = single ? (double)((const float *)data)[i]
                             : ((const double *)data)[i];
        ck_assert_msg(is_same(have, want->v[i]), "%s: %a, not %a, at %d of\n%s",
                      who, have, want->v[i], (int)i, text);
    }
}

/* ---- back ends ---- */

static const char *const backends[] = {"reference", "tcc", "cc", "cuda"};

/* NULL where the back end was not built. */
static inline ilex_program *
compile_for(const char *name, const char *text)
{
    bool cuda = !strcmp(name, "cuda");
    ck_assert_int_eq(ilex_option_set(ctx, "jit", cuda ? "reference" : name),
                     ILEX_OK);
    ilex_module *m = parse(text);
    ilex_program *p =
        cuda ? cuda_shim_compile(m, NULL) : ilex_compile_module(m);
    ilex_module_free(m);
    ck_assert_msg(p || take_error() == ILEX_E_UNSUPPORTED, "%s: %s", name,
                  text);
    return p;
}

static inline void
run_on(const char *name, const char *text, const numbers *in, int n,
       const numbers *want)
{
    static const char *const names[] = {"a", "b", "c"};
    ilex_program *p = compile_for(name, text);
    for (int threads = 1; p && threads <= 3; threads++) {
        ilex_binding bound[INPUTS + 1];
        ilex_call call = {.size = sizeof call, .threads = threads};
        numbers out = *want;
        out.v = NULL;
        for (int i = 0; i < n; i++)
            bound[i] = (ilex_binding)ILEX_BIND(names[i], storage_of(&in[i]));
        bound[n] = (ilex_binding)ILEX_BIND("z", storage_of(&out));
        ck_assert_msg(!ilex_run(p, bound, (size_t)n + 1, &call), "%s: %s", name,
                      call.error);
        check_result(bound[n].storage, want, name, text);
        for (int i = 0; i <= n; i++)
            ilex_storage_release(bound[i].storage);
    }
    ilex_program_release(p);
}

/* Runs "statements" on the inputs everywhere; frees all numbers. In the text
 * "T" stands for the dtype. */
static inline void
check_everywhere(const char *statements, numbers *in, int n, numbers *want)
{
    char text[1000] = "ilex 1\nprogram p\n", *t = text + strlen(text);
    for (const char *s = statements; *s; s++) {
        if (*s == 'T')
            t += sprintf(t, "%s", single ? "f32" : "f64");
        else
            *t++ = *s;
    }
    *t = 0;
    for (size_t i = 0; i < IX_COUNT(backends); i++)
        run_on(backends[i], text, in, n, want);
    for (int i = 0; i < n; i++)
        free(in[i].v);
    free(want->v);
}

/* The two are not equal, or the test says nothing. */
static inline void
check_differ(const numbers *x, const numbers *y)
{
    bool same = true;
    for (int64_t i = 0; i < count(x); i++)
        same &= is_same(x->v[i], y->v[i]);
    ck_assert_msg(!same, "another order gives the same bits: %d results of %s",
                  (int)count(x), single ? "f32" : "f64");
}

#endif
