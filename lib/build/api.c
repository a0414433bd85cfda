/* SPDX-License-Identifier: MIT
 *
 * Public constructors whose text is only names and numbers: shift, index,
 * reductions; and inspection.
 */
#include <stdlib.h>

#include "lib/build/build.h"
#include "lib/build/compress.h"
#include "lib/graph/counted.h"

ilex_array *
ilex_size(ilex_context *ctx, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    int32_t param = ix_counted_called(ctx, name, length);
    if (param < 0 && !ix_name_check(&ctx->error, "size", name, length))
        return ix_poison_again(ctx);
    if (param < 0)
        param = ix_param_of(ctx, ix_symbol_of(ctx, name, length));
    return param < 0 ? ix_poison_again(ctx)
           : ctx->param[param].from
               ? ix_index_lin(ctx, ix_counted_form(ctx, param))
               : ix_scalar_size(ctx, param);
}

static ilex_status
size_count(ilex_context *ctx, const char *name, ilex_array *mask)
{
    if (!ix_name_check(&ctx->error, "size", name, name ? strlen(name) : 0))
        return ctx->error.code;
    if (!mask || mask->ctx != ctx) {
        ix_poison_stranger(ctx, "size", 0, mask, "the mask of %s", name);
        return ctx->error.code;
    }
    int32_t symbol = ix_symbol_of(ctx, name, strlen(name));
    mask = symbol < 0 ? ix_poison_again(ctx) : ix_build_mask(ctx, name, mask);
    int32_t size = ix_is_poison(mask) ? -1 : ix_counted_size(ctx, symbol, mask);
    bool known = false;
    for (size_t i = ctx->first_counted; size >= 0 && i < ctx->ncounted; i++) {
        known |= ctx->counted[i] == size;
        if (ctx->counted[i] != size &&
            ctx->param[ctx->counted[i]].symbol == symbol)
            return ix_fail(&ctx->error, ILEX_E_DUPLICATE,
                           "the size %s counts another mask in this scope; "
                           "give this one another name",
                           name);
    }
    return size >= 0 && (known || ix_counted_name(ctx, size)) ? ILEX_OK
                                                              : ctx->error.code;
}

ilex_status
ilex_size_count(ilex_context *ctx, const char *name, ilex_array *mask)
{
    const ix_env *proof = ix_proof_open(ctx);
    ilex_status rc = size_count(ctx, name, mask);
    ix_proof_close(ctx, proof, NULL);
    return rc;
}

/* Symbol of an axis name, staggered ("I+1/2") or not; -1 with an error. */
static int32_t
axis_symbol(ilex_context *ctx, const char *operation, const char *text,
            size_t length)
{
    if (!ix_name_check(&ctx->error, operation, text,
                       text ? ix_axis_stem(text, length) : 0))
        return -1;
    return ix_symbol_of(ctx, text, length);
}

ilex_array *
ilex_index(ilex_context *ctx, const char *axis)
{
    int32_t s = axis_symbol(ctx, "index: axis", axis, axis ? strlen(axis) : 0);
    return s < 0 ? ix_poison_again(ctx) : ix_build_index(ctx, s);
}

int
ix_axis_of(ilex_array *x, const char *operation, const char *text,
           size_t length)
{
    ilex_context *ctx = x->ctx;
    int d = ix_rank(x);
    bool number = length > 0 && length < 5 &&
                  strspn(text + (text[0] == '-'), "0123456789") >=
                      length - (text[0] == '-');
    int k = -1;
    if (number) {
        k = atoi(text);
        k += k < 0 ? d : 0;
    } else if (d > 0) {
        k = ix_domain_axis(ctx, x->interior, text, length);
    }
    if (k >= 0 && k < d)
        return k;
    ix_poison(ctx, operation, 0, ILEX_E_AXIS,
              "%s: there is no axis '%.*s' in [%s] (for example: \"I\" or "
              "\"0, -1\")%s",
              operation, (int)(length < 40 ? length : 40), text,
              d ? ix_domain_show(ctx, x->interior).s : "",
              ix_domain_suggest(ctx, d ? x->interior : NULL, text, length).s);
    return -1;
}

/* The named axis that is shifted along; -1 after an error. */
static int
shifted_axis(ilex_array *x, const char *axis)
{
    int k = ix_axis_of(x, "shift", axis ? axis : "", axis ? strlen(axis) : 0);
    if (k < 0 || ix_domain_named(x->interior))
        return k;
    ix_poison(x->ctx, "shift", 0, ILEX_E_AXIS,
              "shift: the axes of [%s] have no names; use slice",
              ix_domain_show(x->ctx, x->interior).s);
    return -1;
}

ilex_array *
ilex_shift(ilex_array *x, const char *axis, int64_t offset)
{
    if (!x || ix_is_poison(x))
        return x;
    int64_t offsets[ILEX_MAX_RANK] = {0};
    int k = shifted_axis(x, axis);
    if (k < 0)
        return x->ctx->poison;
    offsets[k] = offset;
    return ix_build_shift(x->ctx, x, offsets);
}

ilex_array *
ilex_shift_halves(ilex_array *x, const char *axis, int64_t halves)
{
    if (!x || ix_is_poison(x))
        return x;
    int k = shifted_axis(x, axis);
    return k < 0 ? x->ctx->poison : ix_build_shift_halves(x->ctx, x, k, halves);
}

/* ---- reductions ---- */

/* Bits of the axes listed in "text"; false after an error. */
static bool
axes_mask(ilex_array *x, const char *operation, const char *text,
          uint32_t *mask)
{
    *mask = 0;
    if (!text) {
        *mask = (1u << ix_rank(x)) - 1;
        return true;
    }
    const char *p = text + strspn(text, " ");
    while (*p) {
        size_t n = strcspn(p, ", ");
        int k = ix_axis_of(x, operation, p, n);
        if (k < 0)
            return false;
        if (*mask >> k & 1)
            return ix_poison_false(x->ctx, operation, 0, ILEX_E_DUPLICATE,
                                   "%s: axis %d is listed twice in \"%s\"",
                                   operation, k, text);
        *mask |= 1u << k;
        p += n;
        p += strspn(p, ", ");
    }
    return true;
}

/* Reduces "x" by "request" over the axes that text lists. */
static ilex_array *
reduce(const ix_reducer *r, ilex_array *x, const char *axes,
       ix_reduce_request request)
{
    if (!x || ix_is_poison(x))
        return x;
    if (!axes_mask(x, r->name, axes, &request.mask))
        return x->ctx->poison;
    return ix_build_reducer(x->ctx, r, x, &request);
}

#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    ilex_array *ilex_##name(ilex_array *x, const char *axes, int keep)         \
    {                                                                          \
        const ix_reducer r = {#name, IX_REDUCTION_##ENUM, false, false};       \
        return reduce(&r, x, axes, (ix_reduce_request){.keep = keep != 0});    \
    }
#include "ilex/reductions.def"

ilex_array *
ilex_var(ilex_array *x, const char *axes, int keep, int64_t ddof)
{
    const ix_reducer r = {.name = "var", .variance = true};
    return reduce(&r, x, axes,
                  (ix_reduce_request){.keep = keep != 0, .ddof = ddof});
}

ilex_array *
ilex_std(ilex_array *x, const char *axes, int keep, int64_t ddof)
{
    const ix_reducer r = {.name = "std", .variance = true, .root = true};
    return reduce(&r, x, axes,
                  (ix_reduce_request){.keep = keep != 0, .ddof = ddof});
}

/* Is the optional operand one of the context, or poison? False with an error.
 */
static bool
check_extra(ilex_context *ctx, const char *name, const char *what,
            const ilex_array *extra)
{
    if (!extra || extra->ctx == ctx)
        return true;
    ix_poison_stranger(ctx, name, -1, extra, "%s", what);
    return false;
}

ilex_array *
ilex_reduce(ilex_array *x, const char *reduction, const char *axes, int keep,
            ilex_array *where, ilex_array *initial)
{
    ix_reducer r;
    if (!x || ix_is_poison(x))
        return x;
    if (!reduction || !ix_reducer_find(reduction, strlen(reduction), &r))
        return ix_poison(x->ctx, "reduce", -1, ILEX_E_UNKNOWN,
                         "reduce: there is no reduction '%.40s' (for example: "
                         "\"sum\", \"max\", \"var\")%s",
                         reduction ? reduction : "NULL",
                         ix_reduction_hint(reduction).s);
    if (!check_extra(x->ctx, r.name, "the mask", where) ||
        !check_extra(x->ctx, r.name, "the initial value", initial))
        return x->ctx->poison;
    if ((where && ix_is_poison(where)) || (initial && ix_is_poison(initial)))
        return x->ctx->poison;
    return reduce(&r, x, axes,
                  (ix_reduce_request){
                      .keep = keep != 0, .where = where, .initial = initial});
}

/* ---- inspection ---- */

int
ilex_is_poison(const ilex_array *x)
{
    return !x || ix_is_poison(x);
}

ilex_dtype
ilex_array_dtype(const ilex_array *x)
{
    return (ilex_dtype)x->dtype;
}

int
ilex_array_rank(const ilex_array *x)
{
    return ix_rank(x);
}

const char *
ilex_array_kind(const ilex_array *x)
{
    return ix_node_text(x);
}

int
ilex_array_operand_count(const ilex_array *x)
{
    return ix_operand_count(x);
}

ilex_array *
ilex_array_operand(const ilex_array *x, int i)
{
    ilex_array *operand = i >= 0 ? ix_operand(x, i) : NULL;
    return operand ? operand : x->ctx->poison;
}

size_t
ilex_array_domain(const ilex_array *x, char *text, size_t size)
{
    return ix_domain_copy(x->ctx, ix_is_array(x) ? x->interior : NULL, text,
                          size);
}
