/* SPDX-License-Identifier: MIT
 *
 * Linear forms: interning, arithmetic, and the own decision procedure that
 * keeps box domains away from isl.
 */
#include "lib/graph/lin.h"

#include <stdio.h>

#include "lib/graph/counted.h"

/* With numbers no larger than this, negation and division cannot overflow. */
#define LARGEST ((int64_t)1 << 62)

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
    a = ix_mem_new(&ctx->mem, sizeof *a + terms);
    if (a && !ix_table_add(&ctx->lins, &ctx->mem, hash, a)) {
        ix_mem_free(&ctx->mem, a);
        a = NULL;
    }
    if (!a) {
        ix_fail_memory(&ctx->error);
        return NULL;
    }
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
    ix_fail(&ctx->error, ILEX_E_OVERFLOW,
            "%lld is too large for a size or a bound: at most 2^62",
            (long long)c);
    return NULL;
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

/* The smallest value of "a" over the parameters' ranges; false if unbounded
 * or too large. */
static bool
lowest(const ilex_context *ctx, const ix_lin *a, int64_t *value)
{
    int64_t sum = a->c, v;
    for (int32_t i = 0; i < a->n; i++) {
        int32_t p = a->t[i].param;
        int64_t at =
            a->t[i].k > 0 ? ix_param_low(ctx, p) : ix_param_high(ctx, p);
        if (at == INT64_MAX || !ix_mul(a->t[i].k, at, &v) ||
            !ix_add(sum, v, &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool
ix_lin_has_product(const ilex_context *ctx, const ix_lin *a)
{
    bool found = false;
    for (int32_t i = 0; i < a->n; i++)
        found |= ix_param_is_product(ctx, a->t[i].param);
    return found;
}

/* Is "a" >= 0 by the ranges of the parameters alone? */
static bool
nonneg_by_range(ilex_context *ctx, const ix_lin *a)
{
    int64_t v;
    return (lowest(ctx, a, &v) && v >= 0) ||
           (ix_lin_has_product(ctx, a) && ix_lin_terms_nonneg(ctx, a));
}

/* Is "a" a multiple of an assumption, and a rest, neither of them negative? */
static bool
nonneg_by_multiple(ilex_context *ctx, const ix_lin *a, const ix_lin *assumed)
{
    const ix_lin *rest, *q = ix_lin_divide(ctx, a, assumed, &rest);
    return q && nonneg_by_range(ctx, q) && nonneg_by_range(ctx, rest);
}

bool
ix_lin_nonneg_fast(ilex_context *ctx, const ix_lin *a)
{
    bool products = ix_lin_has_product(ctx, a);
    if (nonneg_by_range(ctx, a))
        return true;
    for (int32_t i = 0; a->n > 0 && i < ix_env_count(ctx->facts); i++) {
        const ix_assumption *s = ctx->facts->item[i];
        draft d = {0};
        if (s->modulus || s->form->n < 2)
            continue;
        if (products && nonneg_by_multiple(ctx, a, s->form))
            return true;
        if (!merge(&d, a, -1, s->form))
            continue;
        union {
            ix_lin lin;
            char space[sizeof(ix_lin) + sizeof d.t];
        } rest;
        rest.lin = (ix_lin){.c = d.c, .n = d.n};
        memcpy(rest.lin.t, d.t, sizeof d.t);
        if (nonneg_by_range(ctx, &rest.lin))
            return true;
    }
    return false;
}

/* ---- text ---- */

/* What stands around the name of a mask, of a counted size without a name. */
typedef struct around_mask {
    const char *before, *after;
} around_mask;

static const around_mask as_count = {"count_nonzero(", ")"},
                         as_size = {"n_", ""};

/* Is it a counted size without a name? */
static bool
is_nameless(const ilex_context *ctx, int32_t param)
{
    const char *name = ix_param_name(ctx, param);
    return ix_is_counted_name(name, strlen(name));
}

/* The name of the input that a size without a name counts; NULL: there is none,
 * or it counts another array. */
static const char *
mask_name(const ilex_context *ctx, int32_t param)
{
    const ilex_array *mask = ctx->param[param].mask;
    return is_nameless(ctx, param) && mask->kind == IX_INPUT
               ? ix_symbol_text(ctx, (int32_t)mask->attr[0])
               : NULL;
}

static void
print_name(const ilex_context *ctx, int32_t param, const around_mask *around,
           ix_text *t)
{
    const char *mask = around ? mask_name(ctx, param) : NULL;
    ix_text_put(t, mask ? around->before : "");
    ix_text_put(t, mask ? mask : ix_param_name(ctx, param));
    ix_text_put(t, mask ? around->after : "");
}

/* One term with its sign; "first" drops a leading '+'. */
static void
print_term(const ilex_context *ctx, ix_term term, bool first,
           const around_mask *around, ix_text *t)
{
    if (!first || term.k < 0)
        ix_text_char(t, term.k < 0 ? '-' : '+');
    uint64_t k = term.k < 0 ? 0 - (uint64_t)term.k : (uint64_t)term.k;
    if (k != 1) {
        ix_text_uint(t, k);
        ix_text_char(t, '*');
    }
    print_name(ctx, term.param, around, t);
}

/* The place of the term that is written "i"-th: by rank among the others. */
static int32_t
written(const ilex_context *ctx, const ix_lin *a, int32_t i)
{
    for (int32_t k = 0; k < a->n; k++) {
        int32_t before = 0;
        for (int32_t j = 0; j < a->n; j++)
            before += ix_param_before(ctx, a->t[j].param, a->t[k].param);
        if (before == i)
            return k;
    }
    return i;
}

static void
print_form(const ilex_context *ctx, const ix_lin *a, const around_mask *around,
           ix_text *t)
{
    bool products = ix_lin_has_product(ctx, a);
    for (int32_t i = 0; i < a->n; i++)
        print_term(ctx, a->t[products ? written(ctx, a, i) : i], i == 0, around,
                   t);
    if (a->n && a->c > 0)
        ix_text_char(t, '+');
    if (!a->n || a->c)
        ix_text_int(t, a->c);
}

void
ix_lin_print(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    print_form(ctx, a, NULL, t);
}

ix_lin_text
ix_lin_text_end(ix_text *t)
{
    ix_lin_text r = {""};
    const char *s = ix_text_string(t);
    snprintf(r.s, sizeof r.s, "%s", s ? s : "?");
    ix_text_free(t);
    return r;
}

ix_lin_text
ix_lin_show(const ilex_context *ctx, const ix_lin *a)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    if (a)
        print_form(ctx, a, &as_count, &t);
    return ix_lin_text_end(&t);
}

/* The terms of "a" whose sign is that of "sign", made positive; its constant
 * too if "constant". */
static const ix_lin *
side_of(ilex_context *ctx, const ix_lin *a, int64_t sign, bool constant)
{
    const ix_lin *r = ix_lin_const(
        ctx, constant && (a->c > 0) == (sign > 0) ? sign * a->c : 0);
    for (int32_t i = 0; i < a->n; i++)
        if ((a->t[i].k > 0) == (sign > 0))
            r = ix_lin_try_fma(ctx, r, sign * a->t[i].k,
                               ix_lin_param(ctx, a->t[i].param));
    return r;
}

static void
print_condition(ilex_context *ctx, const ix_lin *a, bool equal,
                const around_mask *around, ix_text *t)
{
    bool positive = side_of(ctx, a, 1, false)->n > 0;
    print_form(ctx, side_of(ctx, a, positive ? 1 : -1, true), around, t);
    ix_text_put(t, equal ? " == " : positive ? " >= " : " <= ");
    print_form(ctx, side_of(ctx, a, positive ? -1 : 1, true), around, t);
}

void
ix_lin_print_condition(ilex_context *ctx, const ix_lin *a, bool equal,
                       ix_text *t)
{
    print_condition(ctx, a, equal, NULL, t);
}

/* "; size n_a = count_nonzero(a) names a counted length": the sizes to declare
 * before "a" can be spoken of. False: one counts what has no name. */
static bool
propose_names(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < a->n; i++) {
        const char *mask = mask_name(ctx, a->t[i].param);
        ok = mask || !is_nameless(ctx, a->t[i].param);
        if (mask)
            ix_text_format(t, "; size n_%s = count_nonzero(%s)", mask, mask);
    }
    return ok;
}

ix_lin_text
ix_lin_propose(ilex_context *ctx, const ix_lin *a, bool equal)
{
    static const ix_lin_text nothing = {""};
    static const ix_lin_text name_it = {"; name the counted length, size c = "
                                        "count_nonzero(mask), and assume of "
                                        "c what holds"};
    if (!a || a->n == 0)
        return nothing;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    bool named = propose_names(ctx, a, &t);
    ix_text_put(&t, "; assume ");
    print_condition(ctx, a, equal, &as_size, &t);
    ix_text_put(&t, " beforehand");
    ix_lin_text r = ix_lin_text_end(&t);
    return named ? r : name_it;
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
