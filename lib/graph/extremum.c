/* SPDX-License-Identifier: MIT
 *
 * Sizes that are computed from forms: the least or the largest of some. Each
 * is a parameter, so that forms over it stay linear.
 *
 * A min or max is interned in a normal form, from which what its arms have in
 * common is taken out: min(n-1, m-k) is min(n+k, m+1)-k-1. What is left has no
 * negative number, hence a value >= 0, as all sizes have.
 */
#include <stdlib.h>

#include "lib/graph/env.h"

/* ---- arms ---- */

bool
ix_param_is_extremum(const ilex_context *ctx, int32_t param)
{
    return ctx->param[param].narms > 1;
}

int32_t
ix_lin_find_extremum(const ilex_context *ctx, const ix_lin *a)
{
    for (int32_t i = 0; i < a->n; i++)
        if (ix_param_is_extremum(ctx, a->t[i].param))
            return i;
    return -1;
}

bool
ix_term_is_least(const ilex_context *ctx, const ix_term *t)
{
    return ctx->param[t->param].largest == (t->k < 0);
}

const ix_lin *
ix_lin_with_arm(ilex_context *ctx, const ix_lin *a, int32_t i, int arm)
{
    ix_term t = a->t[i];
    const ix_lin *by = ctx->param[t.param].arm[arm];
    a = ix_lin_try_fma(ctx, a, -t.k, ix_lin_param(ctx, t.param));
    return ix_lin_try_fma(ctx, a, t.k, by);
}

/* ---- normal form ---- */

/* A min or max under construction. */
typedef struct arms {
    bool largest, full; /* there was no room for an arm */
    int n;
    const ix_lin *arm[IX_ARMS];
} arms;

/* Is "a" never needed beside "b", by the signs of their difference's numbers?
 */
static bool
is_idle(ilex_context *ctx, bool largest, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *d =
        largest ? ix_lin_try_fma(ctx, b, -1, a) : ix_lin_try_fma(ctx, a, -1, b);
    bool idle = d && d->c >= 0;
    for (int32_t i = 0; idle && i < d->n; i++)
        idle = d->t[i].k > 0;
    return idle;
}

/* Adds an arm that is no min or max of the same kind. */
static void
add_plain(ilex_context *ctx, arms *s, const ix_lin *a)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (is_idle(ctx, s->largest, a, s->arm[i]))
            return;
    for (int i = 0; i < s->n; i++)
        if (!is_idle(ctx, s->largest, s->arm[i], a))
            s->arm[n++] = s->arm[i];
    s->n = n;
    s->full |= n == IX_ARMS;
    if (n < IX_ARMS)
        s->arm[s->n++] = a;
}

/* The first term of an arm that is itself such a min or max, -1: none. */
static int32_t
nested(const ilex_context *ctx, bool largest, const ix_lin *a)
{
    for (int32_t i = 0; i < a->n; i++)
        if (ix_param_is_extremum(ctx, a->t[i].param) &&
            ix_term_is_least(ctx, &a->t[i]) != largest)
            return i;
    return -1;
}

/* Adds an arm: of one that is itself such a min or max, its arms. */
static void
add_arm(ilex_context *ctx, arms *s, const ix_lin *a)
{
    int32_t i = a ? nested(ctx, s->largest, a) : -1;
    int n = i < 0 ? 0 : ctx->param[a->t[i].param].narms;
    for (int k = 0; k < n && !s->full; k++)
        add_arm(ctx, s, ix_lin_with_arm(ctx, a, i, k));
    if (a && i < 0)
        add_plain(ctx, s, a);
    s->full |= !a;
}

/* The factor of "param" in a form, of -1 its constant. */
static int64_t
factor_of(const ix_lin *a, int32_t param)
{
    int64_t k = param < 0 ? a->c : 0;
    for (int32_t i = 0; i < a->n; i++)
        k = a->t[i].param == param ? a->t[i].k : k;
    return k;
}

/* The least factor of "param" in all arms. */
static int64_t
common_factor(const arms *s, int32_t param)
{
    int64_t k = factor_of(s->arm[0], param);
    for (int i = 1; i < s->n; i++) {
        int64_t own = factor_of(s->arm[i], param);
        k = own < k ? own : k;
    }
    return k;
}

/* What all arms have in common. */
static const ix_lin *
common_part(ilex_context *ctx, const arms *s)
{
    const ix_lin *sum = ix_lin_const(ctx, common_factor(s, -1));
    for (int i = 0; i < s->n; i++)
        for (int32_t k = 0; sum && k < s->arm[i]->n; k++) {
            int32_t p = s->arm[i]->t[k].param;
            if (factor_of(sum, p) == 0)
                sum = ix_lin_fma(ctx, sum, common_factor(s, p),
                                 ix_lin_param(ctx, p));
        }
    return sum;
}

/* The greatest number that divides all of the arms, which have none < 0. */
static int64_t
divisor_of(const arms *s)
{
    int64_t g = 0;
    for (int i = 0; i < s->n; i++)
        for (int32_t k = -1; k < s->arm[i]->n; k++)
            g = ix_gcd(g, k < 0 ? s->arm[i]->c : s->arm[i]->t[k].k);
    return g;
}

/* The order in which arms are written: sizes as they were declared, a number
 * last. */
static int
by_terms(const void *x, const void *y)
{
    const ix_lin *a = *(const ix_lin *const *)x, *b = *(const ix_lin *const *)y;
    for (int32_t i = 0; i < a->n && i < b->n; i++) {
        const ix_term *s = &a->t[i], *t = &b->t[i];
        if (s->param != t->param)
            return s->param < t->param ? -1 : 1;
        if (s->k != t->k)
            return s->k < t->k ? -1 : 1;
    }
    if ((a->n == 0) != (b->n == 0))
        return a->n == 0 ? 1 : -1;
    return a->n != b->n ? a->n - b->n : (a->c > b->c) - (a->c < b->c);
}

/* ---- parameters ---- */

static int
by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* "min(a, b)" of arms as "write" writes them; its symbol, -1 when there is no
 * memory. */
static int32_t
symbol_of(ilex_context *ctx, const arms *s, bool sorted,
          void (*write)(const ilex_context *, const ix_lin *, ix_text *))
{
    ix_text arm[IX_ARMS];
    const char *text[IX_ARMS];
    bool ok = true;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    for (int i = 0; i < s->n; i++) {
        ix_text_init(&arm[i], &ctx->mem);
        write(ctx, s->arm[i], &arm[i]);
        text[i] = ix_text_string(&arm[i]);
        ok &= text[i] != NULL;
    }
    if (ok && sorted)
        qsort(text, (size_t)s->n, sizeof *text, by_text);
    ix_text_put(&t, s->largest ? "max(" : "min(");
    for (int i = 0; ok && i < s->n; i++)
        ix_text_format(&t, i ? ", %s" : "%s", text[i]);
    ix_text_char(&t, ')');
    const char *all = ok ? ix_text_string(&t) : NULL;
    int32_t symbol = all ? ix_symbol_of(ctx, all, t.length) : -1;
    ix_text_free(&t);
    for (int i = 0; i < s->n; i++)
        ix_text_free(&arm[i]);
    return symbol;
}

/* The parameter of arms in normal form. */
static int32_t
intern(ilex_context *ctx, arms *s)
{
    qsort(s->arm, (size_t)s->n, sizeof *s->arm, by_terms);
    ix_param p = {.narms = s->n, .largest = s->largest, .divisor = 1};
    memcpy(p.arm, s->arm, (size_t)s->n * sizeof s->arm[0]);
    int32_t found = ix_param_find(ctx, &p);
    if (found >= 0)
        return found;
    p.symbol = symbol_of(ctx, s, false, ix_lin_print);
    /* in all contexts: whatever the order in which sizes were made */
    p.key = symbol_of(ctx, s, true, ix_lin_write_key);
    return ix_param_add(ctx, p);
}

/* Takes out what the arms have in common: "*rest" + the result * the arms. */
static int64_t
normalise(ilex_context *ctx, arms *s, const ix_lin **rest)
{
    bool ok = true;
    *rest = common_part(ctx, s);
    for (int i = 0; i < s->n; i++) {
        s->arm[i] = ix_lin_sub(ctx, s->arm[i], *rest);
        ok &= s->arm[i] != NULL;
    }
    int64_t g = ok ? divisor_of(s) : 0;
    for (int i = 0; ok && g > 1 && i < s->n; i++)
        s->arm[i] = ix_lin_floordiv(ctx, s->arm[i], g);
    return g;
}

/* Takes the arms apart and drops what is idle; false if there are too many, or
 * one is missing. */
static bool
collect(ilex_context *ctx, arms *s, int n, const ix_lin *const *arm)
{
    for (int i = 0; i < n; i++) {
        if (!arm[i])
            return false;
        add_arm(ctx, s, arm[i]);
    }
    return !s->full;
}

const ix_lin *
ix_lin_try_extremum(ilex_context *ctx, bool largest, int n,
                    const ix_lin *const *arm)
{
    arms s = {.largest = largest};
    const ix_lin *rest;
    bool again = false;
    if (!collect(ctx, &s, n, arm) || s.n < 2)
        return s.n == 1 ? s.arm[0] : NULL;
    int64_t g = normalise(ctx, &s, &rest);
    for (int i = 0; g && i < s.n; i++) /* max(n - max(n, m), 0) is one now */
        again |= nested(ctx, largest, s.arm[i]) >= 0;
    if (!g)
        return NULL;
    return ix_lin_fma(ctx, rest, g,
                      again ? ix_lin_try_extremum(ctx, largest, s.n, s.arm)
                            : ix_lin_param(ctx, intern(ctx, &s)));
}

const ix_lin *
ix_lin_extremum(ilex_context *ctx, bool largest, int n,
                const ix_lin *const *arm)
{
    arms s = {.largest = largest};
    if (!collect(ctx, &s, n, arm) && s.full)
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "a %s of more than %d forms is not supported in a size; give "
                "a part of it a size of its own, for example size q, and "
                "assume what it is",
                largest ? "max" : "min", (int)IX_ARMS);
    return s.full ? NULL : ix_lin_try_extremum(ctx, largest, n, arm);
}
