/* SPDX-License-Identifier: MIT
 *
 * Conditions: which version of a kernel a run launches. Sums of products of the
 * program's sizes are compared, k <= 4096 or n*m == 64; bytes(T) are those of
 * what there is of an array, L2 and others figures of the target. Or an axis of
 * an argument has a stride of one element, stride(b, 0) == 1.
 */
#include "compiler/loop/loop.h"

#include <ctype.h>

#include "lib/base/letter.h"

/* The rest of the text, and what is wrong with it. */
typedef struct reader {
    ix_unit *u;
    const ix_kernel *k;
    const char *at;
    ix_refusal wrong;
} reader;

/* ---- words ---- */

static bool
is_next(reader *r, const char *word)
{
    size_t n = strlen(word);
    while (isspace((unsigned char)*r->at))
        r->at++;
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void *
refuse(reader *r, ix_refusal_class class, const char *what, const char *name)
{
    if (!r->wrong.class)
        r->wrong = ix_refuse(r->u, class, "%s%s", what, name);
    return NULL;
}

static bool
want(reader *r, const char *word)
{
    bool is = is_next(r, word);
    if (!is && !r->wrong.class)
        r->wrong = ix_refuse(r->u, IX_REFUSAL_NAME,
                             "expected %s%s%s; a condition is k <= 4096, "
                             "bytes(x) > L2 or stride(x, 0) == 1",
                             word, *r->at ? ", not " : "", r->at);
    return is;
}

/* A name; "" if there is none. */
static const char *
read_name(reader *r)
{
    size_t n = 0;
    is_next(r, "");
    while (ix_is_name_byte(r->at[n]))
        n++;
    char *name = ix_arena_new(&r->u->arena, n + 1);
    memcpy(name, r->at, n);
    r->at += n;
    return name;
}

static int64_t
read_number(reader *r)
{
    int64_t n = 0;
    bool fits = true;
    for (; isdigit((unsigned char)*r->at); r->at++)
        fits = fits && ix_mul(n, 10, &n) && ix_add(n, *r->at - '0', &n) &&
               n < IX_UNBOUNDED;
    if (!fits)
        refuse(r, IX_REFUSAL_SIZE, "a number is too large", "");
    return fits ? n : 0;
}

/* ---- forms ---- */

/* NULL is said to be too large. */
static const ix_lin *
fits(reader *r, const ix_lin *a)
{
    return a ? a : refuse(r, IX_REFUSAL_SIZE, "numbers are too large", "");
}

/* The size of that name, -1: there is none. */
static int32_t
find_size(ix_unit *u, const char *name)
{
    ilex_context *ctx = u->ctx;
    bool *used = ix_arena_new(&u->arena, ctx->nparams + 1);
    int32_t n = ix_module_sizes(u->module, used) ? (int32_t)ctx->nparams : 0;
    for (int32_t p = 0; p < n; p++)
        if (used[p] && !ix_param_is_derived(ctx, p) &&
            !strcmp(ix_param_name(ctx, p), name))
            return p;
    return -1;
}

/* A size that is counted when the kernel has run already. */
typedef struct late {
    const reader *r;
    int32_t *size;
} late;

static bool
is_late(const ilex_context *ctx, int32_t size, const void *user)
{
    const late *x = user;
    int i = 0, counts = x->r->k->when.counts;
    while (i < counts && x->r->u->counted[i] != size)
        i++;
    *x->size = size;
    return ctx->param[size].mask && i == counts;
}

/* A size, or a figure of the target. */
static const ix_lin *
read_named(reader *r, const char *name)
{
    int64_t figure;
    int32_t size = find_size(r->u, name);
    if (size >= 0)
        return ix_lin_param(r->u->ctx, size);
    return ix_target_figure(r->u->target, name, &figure)
               ? ix_lin_const(r->u->ctx, figure)
               : refuse(r, IX_REFUSAL_NAME, "the program has no size ", name);
}

/* The array in parentheses; -1: there is none. */
static int
read_array(reader *r)
{
    const char *name = want(r, "(") ? read_name(r) : "";
    int i = *name ? ix_buffer_find(r->u, name) : -1;
    if (i < 0)
        refuse(r, IX_REFUSAL_NAME, "no array, or several, is called ", name);
    return i;
}

static const ix_lin *
read_bytes(reader *r)
{
    ilex_context *ctx = r->u->ctx;
    int i = read_array(r);
    if (i < 0 || !want(r, ")"))
        return NULL;
    const ix_buffer *b = &r->u->buffer[i];
    const ix_lin *n = ix_lin_const(ctx, (int64_t)ilex_dtype_bytes(b->dtype));
    for (int k = 0; n && k < b->box->rank; k++) {
        const ix_axis *ax = &b->box->ax[k];
        const ix_lin *extent = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
        n = extent ? ix_lin_try_mul(ctx, n, extent) : NULL;
    }
    return n;
}

static const ix_lin *
read_factor(reader *r)
{
    is_next(r, "");
    if (isdigit((unsigned char)*r->at))
        return ix_lin_const(r->u->ctx, read_number(r));
    const char *name = read_name(r);
    if (!*name) {
        want(r, "a size");
        return NULL;
    }
    if (!strcmp(name, "bytes"))
        return read_bytes(r);
    return read_named(r, name);
}

static const ix_lin *
read_term(reader *r)
{
    const ix_lin *a = fits(r, read_factor(r));
    while (a && is_next(r, "*")) {
        const ix_lin *b = read_factor(r);
        a = fits(r, b ? ix_lin_try_mul(r->u->ctx, a, b) : NULL);
    }
    return a;
}

static const ix_lin *
read_sum(reader *r)
{
    ilex_context *ctx = r->u->ctx;
    const ix_lin *a = ix_lin_const(ctx, 0);
    int sign = is_next(r, "-") ? -1 : 1;
    do {
        const ix_lin *b = read_term(r);
        a = fits(r, a && b ? ix_lin_try_fma(ctx, a, sign, b) : NULL);
        sign = is_next(r, "+") ? 1 : is_next(r, "-") ? -1 : 0;
    } while (a && sign);
    return a;
}

/* ---- conditions ---- */

static void
read_stride(reader *r, ix_condition *c)
{
    c->buffer = read_array(r);
    if (c->buffer < 0 || !want(r, ","))
        return;
    is_next(r, "");
    int64_t axis = isdigit((unsigned char)*r->at) ? read_number(r) : -1;
    const ix_buffer *b = &r->u->buffer[c->buffer];
    if (b->role == IX_ROLE_TEMP || axis < 0 || axis >= b->box->rank)
        refuse(r, IX_REFUSAL_NAME, "it is no argument with such an axis", "");
    while (ix_buffer_axis(b, c->axis) != axis)
        c->axis++;
    if (want(r, ")") && want(r, "=="))
        want(r, "1");
}

/* a < b: b - a - 1 >= 0 */
static void
read_comparison(reader *r, ix_condition *c)
{
    ilex_context *ctx = r->u->ctx;
    const ix_lin *a = read_sum(r);
    bool less = a && is_next(r, "<"), more = a && !less && is_next(r, ">");
    bool strict = (less || more) && !is_next(r, "=");
    c->equal = a && !less && !more && want(r, "==");
    const ix_lin *b = a && !r->wrong.class ? read_sum(r) : NULL;
    if (!a || !b)
        return;
    c->form = ix_lin_try_fma(ctx, less ? b : a, -1, less ? a : b);
    if (c->form && strict)
        c->form = ix_lin_try_offset(ctx, c->form, -1);
    int32_t size;
    if (fits(r, c->form) &&
        ix_lin_needs(ctx, c->form, is_late, &(late){r, &size}))
        refuse(r, IX_REFUSAL_SHAPE, "the kernel runs before it is known: ",
               ix_param_name(ctx, size));
}

ix_refusal
ix_condition_read(ix_unit *u, const ix_kernel *k, const char *text,
                  ix_condition *c)
{
    reader r = {.u = u, .k = k, .at = text};
    *c = (ix_condition){.text = text};
    if (!strcmp(read_name(&r), "stride"))
        read_stride(&r, c);
    else {
        r.at = text;
        read_comparison(&r, c);
    }
    is_next(&r, "");
    if (*r.at)
        want(&r, "the end");
    return r.wrong;
}
