/* SPDX-License-Identifier: MIT
 *
 * Linear forms: interning, arithmetic, and the own decision procedure that
 * keeps box domains away from isl.
 */
#include "lib/graph/lin.h"

#include <stdio.h>

#include "lib/graph/env.h"

/* With numbers no larger than this, negation and division cannot overflow. */
#define LARGEST ((int64_t)1 << 62)

/* So many mins and maxs of a form are decided by their arms: isl decides more.
 */
enum { MOST_EXTREMA = 3 };

/* A form under construction. */
typedef struct draft {
    int64_t c;
    int32_t n;
    bool full; /* there was no room for a term */
    ix_term t[IX_LIN_TERMS];
} draft;

static bool
lin_equal(const void *item, const void *key)
{
    const ix_lin *a = item;
    const draft *d = key;
    if (a->c != d->c || a->n != d->n)
        return false;
    for (int32_t i = 0; i < a->n; i++)
        if (a->t[i].param != d->t[i].param || a->t[i].k != d->t[i].k)
            return false;
    return true;
}

static const ix_lin *
intern(ilex_context *ctx, const draft *d)
{
    uint64_t hash = ix_mix(7, (uint64_t)d->c);
    for (int32_t i = 0; i < d->n; i++)
        hash =
            ix_mix(ix_mix(hash, (uint64_t)d->t[i].param), (uint64_t)d->t[i].k);
    ix_lin *a = ix_table_find(&ctx->lins, hash, d, lin_equal);
    if (a)
        return a;
    size_t terms = (size_t)d->n * sizeof *d->t;
    a = ix_table_keep(&ctx->lins, &ctx->mem, hash,
                      ix_mem_new(&ctx->mem, sizeof *a + terms));
    if (!a)
        return NULL;
    a->hash = hash;
    a->c = d->c;
    a->n = d->n;
    memcpy(a->t, d->t, terms);
    return a;
}

static bool
fits(int64_t v)
{
    return v >= -LARGEST && v <= LARGEST;
}

const ix_lin *
ix_lin_const(ilex_context *ctx, int64_t c)
{
    draft d = {.c = c};
    if (fits(c))
        return intern(ctx, &d);
    return ix_fail_null(&ctx->error, ILEX_E_OVERFLOW,
                        "%lld is too large for a size or a bound: at most 2^62",
                        (long long)c);
}

const ix_lin *
ix_lin_param(ilex_context *ctx, int32_t param)
{
    draft d = {.n = 1};
    d.t[0] = (ix_term){param, 1};
    return param < 0 ? NULL : intern(ctx, &d);
}

/* Appends k * param to a draft unless k is 0. */
static bool
append(draft *d, int32_t param, int64_t k)
{
    if (k == 0)
        return true;
    d->full = d->n == IX_LIN_TERMS;
    if (d->full || !fits(k))
        return false;
    d->t[d->n++] = (ix_term){param, k};
    return true;
}

/* d = a + k*b, merging the sorted terms; false on overflow. */
static bool
merge(draft *d, const ix_lin *a, int64_t k, const ix_lin *b)
{
    int64_t v;
    bool ok = ix_mul(k, b->c, &v) && ix_add(a->c, v, &d->c) && fits(d->c);
    int32_t i = 0, j = 0;
    while (ok && (i < a->n || j < b->n)) {
        bool left = j == b->n || (i < a->n && a->t[i].param <= b->t[j].param);
        bool right = i == a->n || (j < b->n && b->t[j].param <= a->t[i].param);
        int32_t p = left ? a->t[i].param : b->t[j].param;
        int64_t sum = left ? a->t[i++].k : 0;
        if (right)
            ok = ix_mul(k, b->t[j++].k, &v) && ix_add(sum, v, &sum);
        ok = ok && append(d, p, sum);
    }
    return ok;
}

bool
ix_lin_loose_sum(ix_lin_loose *r, const ix_lin *a, int64_t k, const ix_lin *b)
{
    draft d = {0};
    if (!merge(&d, a, k, b))
        return false;
    r->lin = (ix_lin){.c = d.c, .n = d.n};
    memcpy(r->lin.t, d.t, sizeof d.t);
    return true;
}

/* Records that "a" and "b" together have too many terms, or are too large. */
static void
fail_large(ilex_context *ctx, const ix_lin *a, const char *op, const ix_lin *b,
           bool terms)
{
    ix_lin_text s = ix_lin_show(ctx, a), t = ix_lin_show(ctx, b);
    if (terms)
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "(%s)%s(%s) has more than %d terms, which is not supported in "
                "a size; give a part of it a name of its own, for example "
                "size q, and assume what it is",
                s.s, op, t.s, (int)IX_LIN_TERMS);
    else
        ix_fail(&ctx->error, ILEX_E_OVERFLOW,
                "the size (%s)%s(%s) has a number beyond 2^62", s.s, op, t.s);
}

void
ix_lin_fail_large(ilex_context *ctx, const ix_lin *a, const char *op,
                  const ix_lin *b)
{
    fail_large(ctx, a, op, b, (a->n + 1) * (b->n + 1) > IX_LIN_TERMS);
}

/* a + k*b; without an error when it does not fit and "quiet" says so. */
static const ix_lin *
combine(ilex_context *ctx, const ix_lin *a, int64_t k, const ix_lin *b,
        bool quiet)
{
    if (!a || !b)
        return NULL;
    draft d;
    d.c = 0;
    d.n = 0;
    d.full = false;
    if (merge(&d, a, k, b))
        return intern(ctx, &d);
    char op[32] = " + ";
    if (k != 1)
        snprintf(op, sizeof op, " + %lld*", (long long)k);
    if (!quiet)
        fail_large(ctx, a, op, b, d.full);
    return NULL;
}

const ix_lin *
ix_lin_fma(ilex_context *ctx, const ix_lin *a, int64_t k, const ix_lin *b)
{
    return combine(ctx, a, k, b, false);
}

const ix_lin *
ix_lin_try_fma(ilex_context *ctx, const ix_lin *a, int64_t k, const ix_lin *b)
{
    return combine(ctx, a, k, b, true);
}

const ix_lin *
ix_lin_try_offset(ilex_context *ctx, const ix_lin *a, int64_t c)
{
    return c == 0    ? a
           : fits(c) ? ix_lin_try_fma(ctx, a, 1, ix_lin_const(ctx, c))
                     : NULL;
}

const ix_lin *
ix_lin_add(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    return ix_lin_fma(ctx, a, 1, b);
}

const ix_lin *
ix_lin_sub(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    return ix_lin_fma(ctx, a, -1, b);
}

const ix_lin *
ix_lin_scale(ilex_context *ctx, const ix_lin *a, int64_t k)
{
    return ix_lin_fma(ctx, ix_lin_const(ctx, 0), k, a);
}

const ix_lin *
ix_lin_offset(ilex_context *ctx, const ix_lin *a, int64_t c)
{
    return c == 0 ? a : ix_lin_fma(ctx, a, 1, ix_lin_const(ctx, c));
}

bool
ix_lin_eval(const ix_lin *a, const int64_t *param, int64_t *value)
{
    int64_t sum = a->c, v;
    for (int32_t i = 0; i < a->n; i++)
        if (!ix_mul(a->t[i].k, param[a->t[i].param], &v) ||
            !ix_add(sum, v, &sum))
            return false;
    *value = sum;
    return true;
}

/* ---- decisions ---- */

bool
ix_lin_end(const ilex_context *ctx, const ix_lin *a, bool high, int64_t *value)
{
    int64_t sum = a->c, v;
    for (int32_t i = 0; i < a->n; i++) {
        int32_t p = a->t[i].param;
        int64_t at = (a->t[i].k > 0) == high ? ix_param_high(ctx, p)
                                             : ix_param_low(ctx, p);
        if (at == INT64_MAX || !ix_mul(a->t[i].k, at, &v) ||
            !ix_add(sum, v, &sum))
            return false;
    }
    *value = sum;
    return true;
}

static bool
is_product(const ilex_context *ctx, int32_t param, const void *unused)
{
    (void)unused;
    return ix_param_is_product(ctx, param);
}

bool
ix_lin_has_product(const ilex_context *ctx, const ix_lin *a)
{
    return ix_lin_needs(ctx, a, is_product, NULL);
}

/* Is "a" >= 0 by the ranges of the parameters alone? */
static bool
nonneg_by_range(ilex_context *ctx, const ix_lin *a)
{
    int64_t v;
    return (ix_lin_end(ctx, a, false, &v) && v >= 0) ||
           (ix_lin_has_product(ctx, a) && ix_lin_terms_nonneg(ctx, a));
}

/* Is "a" a multiple of an assumption, and a rest, neither of them negative? */
static bool
nonneg_by_multiple(ilex_context *ctx, const ix_lin *a, const ix_lin *assumed)
{
    const ix_lin *rest, *q = ix_lin_divide(ctx, a, assumed, &rest);
    return q && nonneg_by_range(ctx, q) && nonneg_by_range(ctx, rest);
}

/* Is "a" >= 0 by what is assumed and ranges, a min or max taken for any size?
 */
static bool
nonneg_plain(ilex_context *ctx, const ix_lin *a)
{
    bool products = ix_lin_has_product(ctx, a);
    if (nonneg_by_range(ctx, a))
        return true;
    for (int32_t i = 0; a->n > 0 && i < ix_env_count(ctx->facts); i++) {
        const ix_assumption *s = ctx->facts->item[i];
        ix_lin_loose rest;
        if (s->modulus || s->form->n < 2)
            continue;
        if (products && nonneg_by_multiple(ctx, a, s->form))
            return true;
        if (ix_lin_loose_sum(&rest, a, -1, s->form) &&
            nonneg_by_range(ctx, &rest.lin))
            return true;
    }
    return false;
}

/* Is "a" >= 0 with each arm of its first min or max that makes it small, or
 * with one of those that make it large? For up to "most" of them. */
static bool
nonneg_by_arms(ilex_context *ctx, const ix_lin *a, int most)
{
    int32_t i = ix_lin_find_extremum(ctx, a);
    if (nonneg_plain(ctx, a))
        return true;
    if (i < 0 || most == 0)
        return false;
    int n = ctx->param[a->t[i].param].narms;
    bool all = ix_term_is_least(ctx, &a->t[i]), yes = all;
    for (int k = 0; yes == all && k < n; k++) {
        const ix_lin *b = ix_lin_with_arm(ctx, a, i, k);
        yes = b && nonneg_by_arms(ctx, b, most - 1);
    }
    return yes;
}

bool
ix_lin_nonneg_fast(ilex_context *ctx, const ix_lin *a)
{
    return nonneg_by_arms(ctx, a, MOST_EXTREMA);
}

void
ix_lin_free_all(ilex_context *ctx)
{
    for (size_t i = 0; i < ctx->lins.capacity; i++)
        ix_mem_free(&ctx->mem, ctx->lins.entries[i].item);
    for (size_t i = 0; i < ctx->domains.capacity; i++)
        ix_mem_free(&ctx->mem, ctx->domains.entries[i].item);
    ix_table_free(&ctx->lins, &ctx->mem);
    ix_table_free(&ctx->domains, &ctx->mem);
}
