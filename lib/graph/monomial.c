/* SPDX-License-Identifier: MIT
 *
 * Products of sizes. A product is a sorted list of sizes, interned as a
 * parameter: forms over it stay linear, and are equal as polynomials where they
 * are the same form.
 */
#include <stdlib.h>

#include "lib/graph/env.h"

/* ---- parameters ---- */

/* The factors of a*b, ascending; how many, or 0 for too many. */
static int
merge_factors(const ix_param *a, const ix_param *b, int32_t *factor)
{
    int n = 0, i = 0, j = 0;
    if (a->degree + b->degree > IX_DEGREE)
        return 0;
    while (i < a->degree || j < b->degree) {
        bool left =
            j == b->degree || (i < a->degree && a->factor[i] <= b->factor[j]);
        factor[n++] = left ? a->factor[i++] : b->factor[j++];
    }
    return n;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The symbol "n*m" of names, or of keys, whose order is that of their bytes in
 * all contexts; -1 when there is no memory. */
static int32_t
product_symbol(ilex_context *ctx, const int32_t *factor, int n, bool key)
{
    const char *name[IX_DEGREE];
    ix_text t;
    for (int i = 0; i < n; i++)
        name[i] =
            key ? ix_param_key(ctx, factor[i]) : ix_param_name(ctx, factor[i]);
    if (key)
        qsort(name, (size_t)n, sizeof *name, by_text);
    ix_text_init(&t, &ctx->mem);
    for (int i = 0; i < n; i++)
        ix_text_format(&t, i ? "*%s" : "%s", name[i]);
    const char *s = ix_text_string(&t);
    int32_t symbol = s ? ix_symbol_of(ctx, s, strlen(s)) : -1;
    ix_text_free(&t);
    return symbol;
}

/* The parameter with these factors, made if it is new. */
static int32_t intern(ilex_context *ctx, const int32_t *factor, int n);

/* Products that lack one factor are there whenever a product is: what is known
 * of it is said with them. */
static bool
intern_parts(ilex_context *ctx, const int32_t *factor, int n)
{
    bool ok = true;
    for (int i = 0; ok && n > 2 && i < n; i++) {
        int32_t part[IX_DEGREE] = {0};
        for (int k = 0; k < n - 1; k++)
            part[k] = factor[k + (k >= i)];
        ok = intern(ctx, part, n - 1) >= 0;
    }
    return ok;
}

static int32_t
intern(ilex_context *ctx, const int32_t *factor, int n)
{
    ix_param p = {.degree = n};
    memcpy(p.factor, factor, sizeof p.factor);
    for (size_t i = 0; i < ctx->nparams; i++)
        if (ctx->param[i].degree == n &&
            !memcmp(ctx->param[i].factor, factor, sizeof p.factor))
            return (int32_t)i;
    if (!intern_parts(ctx, factor, n))
        return -1;
    p.symbol = product_symbol(ctx, factor, n, false);
    p.key = product_symbol(ctx, factor, n, true);
    return ix_param_add(ctx, p);
}

int32_t
ix_param_product(ilex_context *ctx, int32_t a, int32_t b)
{
    int32_t factor[IX_DEGREE] = {0};
    int n = merge_factors(&ctx->param[a], &ctx->param[b], factor);
    return n ? intern(ctx, factor, n) : -1;
}

int32_t
ix_param_without(ilex_context *ctx, int32_t product, int i)
{
    int32_t part[IX_DEGREE] = {0};
    const ix_param *p = &ctx->param[product];
    for (int k = 0; k < p->degree - 1; k++)
        part[k] = p->factor[k + (k >= i)];
    return p->degree == 2 ? part[0] : intern(ctx, part, p->degree - 1);
}

bool
ix_param_is_product(const ilex_context *ctx, int32_t param)
{
    return ctx->param[param].degree > 1;
}

/* The least value of a size. */
static int64_t
least(const ilex_context *ctx, int32_t size)
{
    int64_t low = ix_env_range(ctx->facts, size).low, floor;
    low = low > ctx->param[size].floor ? low : ctx->param[size].floor;
    floor = ctx->param[size].narms ? ix_extremum_end(ctx, size, false) : 0;
    return low > floor ? low : floor;
}

/* The largest value of a size; INT64_MAX for no upper end. */
static int64_t
most(const ilex_context *ctx, int32_t size)
{
    int64_t high = ix_env_range(ctx->facts, size).high, ceiling;
    ceiling =
        ctx->param[size].narms ? ix_extremum_end(ctx, size, true) : INT64_MAX;
    return high < ceiling ? high : ceiling;
}

/* The product of the least values of a parameter's factors, or INT64_MAX. */
static int64_t
least_product(const ilex_context *ctx, int32_t param)
{
    const ix_param *p = &ctx->param[param];
    int64_t product = 1;
    for (int i = 0; i < p->degree; i++)
        if (!ix_mul(product, least(ctx, p->factor[i]), &product))
            product = INT64_MAX;
    return product;
}

int64_t
ix_param_low(const ilex_context *ctx, int32_t param)
{
    int64_t product = least_product(ctx, param),
            own = ix_env_range(ctx->facts, param).low;
    return product > own ? product : own;
}

int64_t
ix_param_high(const ilex_context *ctx, int32_t param)
{
    const ix_param *p = &ctx->param[param];
    int64_t product = 1, own = ix_env_range(ctx->facts, param).high;
    for (int i = 0; i < p->degree; i++) {
        int64_t h = most(ctx, p->factor[i]);
        if (h == INT64_MAX || !ix_mul(product, h, &product))
            return own;
    }
    return product < own ? product : own;
}

/* The order of products that multiplication keeps: as words, the letters in
 * ascending order, a word after its continuations. */
static int
compare(const ix_param *a, const ix_param *b)
{
    for (int i = 0; i < a->degree && i < b->degree; i++)
        if (a->factor[i] != b->factor[i])
            return a->factor[i] < b->factor[i] ? -1 : 1;
    return b->degree - a->degree;
}

bool
ix_param_before(const ilex_context *ctx, int32_t a, int32_t b)
{
    const ix_param *p = &ctx->param[a], *q = &ctx->param[b];
    return p->degree != q->degree ? p->degree > q->degree : compare(p, q) < 0;
}

/* ---- multiplication ---- */

/* k * p * q, where -1 stands for 1 */
static const ix_lin *
term_product(ilex_context *ctx, int64_t k, int32_t p, int32_t q)
{
    const ix_lin *none = ix_lin_const(ctx, 0);
    int32_t r = p < 0 ? q : q < 0 ? p : ix_param_product(ctx, p, q);
    if (p < 0 && q < 0)
        return ix_lin_try_offset(ctx, none, k);
    return r < 0 ? NULL : ix_lin_try_fma(ctx, none, k, ix_lin_param(ctx, r));
}

/* k * p * b */
static const ix_lin *
times_term(ilex_context *ctx, int64_t k, int32_t p, const ix_lin *b)
{
    const ix_lin *sum = ix_lin_const(ctx, 0);
    for (int32_t i = -1; i < b->n; i++) {
        int64_t v, c = i < 0 ? b->c : b->t[i].k;
        if (c == 0)
            continue;
        if (!ix_mul(k, c, &v))
            return NULL;
        sum = ix_lin_try_fma(
            ctx, sum, 1, term_product(ctx, v, p, i < 0 ? -1 : b->t[i].param));
    }
    return sum;
}

const ix_lin *
ix_lin_try_mul(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    if (!a || !b)
        return NULL;
    const ix_lin *sum = times_term(ctx, a->c, -1, b);
    for (int32_t i = 0; i < a->n; i++)
        sum = ix_lin_try_fma(ctx, sum, 1,
                             times_term(ctx, a->t[i].k, a->t[i].param, b));
    return sum;
}

/* Factors in the longest product of a form. */
static int
degree_of(const ilex_context *ctx, const ix_lin *a)
{
    int most = 0;
    for (int32_t i = 0; i < a->n; i++) {
        int degree = ctx->param[a->t[i].param].degree;
        most = degree > most ? degree : most;
    }
    return most;
}

const ix_lin *
ix_lin_mul(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *r = ix_lin_try_mul(ctx, a, b);
    if (r || !a || !b || ctx->error.code == ILEX_E_MEMORY)
        return r;
    if (degree_of(ctx, a) + degree_of(ctx, b) > IX_DEGREE)
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "(%s)*(%s) has a product of more than %d sizes, which is not "
                "supported; give the product a size of its own, for example "
                "size q",
                ix_lin_show(ctx, a).s, ix_lin_show(ctx, b).s, (int)IX_DEGREE);
    else
        ix_lin_fail_large(ctx, a, "*", b);
    return NULL;
}

/* ---- division ---- */

/* p / q: -1 for 1; false if q does not divide p. */
static bool
quotient_of(ilex_context *ctx, int32_t p, int32_t q, int32_t *result)
{
    const ix_param *a = &ctx->param[p], *b = &ctx->param[q];
    int32_t left[IX_DEGREE];
    int n = 0, j = 0;
    for (int i = 0; i < a->degree; i++)
        if (j < b->degree && a->factor[i] == b->factor[j])
            j++;
        else
            left[n++] = a->factor[i];
    if (j < b->degree)
        return false;
    *result = n ? left[0] : -1;
    for (int i = 1; i < n; i++)
        *result = ix_param_product(ctx, *result, left[i]);
    return true;
}

/* The leading term of a form that is not 0: its parameter, -1 for the
 * constant. */
static int32_t
leading(const ilex_context *ctx, const ix_lin *a, int64_t *k)
{
    int32_t best = -1;
    *k = a->c;
    for (int32_t i = 0; i < a->n; i++)
        if (best < 0 ||
            compare(&ctx->param[a->t[i].param], &ctx->param[best]) < 0) {
            best = a->t[i].param;
            *k = a->t[i].k;
        }
    return best;
}

const ix_lin *
ix_lin_divide(ilex_context *ctx, const ix_lin *a, const ix_lin *b,
              const ix_lin **rest)
{
    const ix_lin *none = ix_lin_const(ctx, 0), *quotient = none;
    int64_t kb, k;
    if (!a || !b || b == none)
        return NULL;
    int32_t pb = leading(ctx, b, &kb);
    *rest = none;
    while (a && quotient && *rest && a != none) {
        int32_t p = leading(ctx, a, &k), q = p;
        bool divides =
            k % kb == 0 && (pb < 0 || (p >= 0 && quotient_of(ctx, p, pb, &q)));
        const ix_lin *term = divides ? term_product(ctx, k / kb, q, -1)
                                     : term_product(ctx, k, p, -1);
        if (divides)
            quotient = ix_lin_try_fma(ctx, quotient, 1, term);
        else
            *rest = ix_lin_try_fma(ctx, *rest, 1, term);
        a = ix_lin_try_fma(ctx, a, -1,
                           divides ? ix_lin_try_mul(ctx, term, b) : term);
    }
    return a && *rest ? quotient : NULL;
}

/* ---- signs ---- */

/* The product of what stands for the factors of "p": low + size. */
static const ix_lin *
shifted(ilex_context *ctx, int32_t p)
{
    const ix_lin *r = ix_lin_const(ctx, 1);
    for (int i = 0; i < ctx->param[p].degree; i++) {
        int32_t f = ctx->param[p].factor[i];
        r = ix_lin_try_mul(
            ctx, r,
            ix_lin_try_offset(ctx, ix_lin_param(ctx, f), least(ctx, f)));
    }
    return r;
}

/* Is the form below 0 where all sizes are least? */
static bool
begins_below(const ilex_context *ctx, const ix_lin *a)
{
    int64_t sum = a->c, v;
    for (int32_t i = 0; i < a->n; i++)
        if (!ix_mul(a->t[i].k, least_product(ctx, a->t[i].param), &v) ||
            !ix_add(sum, v, &sum))
            return false;
    return sum < 0;
}

bool
ix_lin_terms_nonneg(ilex_context *ctx, const ix_lin *a)
{
    if (begins_below(ctx, a))
        return false;
    const ix_lin *sum = ix_lin_try_offset(ctx, ix_lin_const(ctx, 0), a->c);
    for (int32_t i = 0; i < a->n; i++)
        sum = ix_lin_try_fma(ctx, sum, a->t[i].k, shifted(ctx, a->t[i].param));
    bool nonneg = sum && sum->c >= 0;
    for (int32_t i = 0; nonneg && i < sum->n; i++)
        nonneg = sum->t[i].k >= 0;
    return nonneg;
}
