/* SPDX-License-Identifier: MIT
 *
 * Steps by the constructors that users call: element-wise operators, shifts,
 * reductions, einsum and the structural kinds.
 */
#include <string.h>

#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

/* ---- element-wise ---- */

static ix_op
random_op(diff_random *r, int arity)
{
    static const ix_op often[] = {
        IX_OP_ADD,     IX_OP_SUBTRACT, IX_OP_MULTIPLY,     IX_OP_TRUE_DIVIDE,
        IX_OP_MAXIMUM, IX_OP_MINIMUM,  IX_OP_FLOOR_DIVIDE, IX_OP_REMAINDER,
        IX_OP_LESS,    IX_OP_EQUAL};
    if (arity == 2 && diff_chance(r, 60))
        return often[diff_draw(r, (int)IX_COUNT(often))];
    for (;;) {
        ix_op op = (ix_op)diff_draw(r, IX_NOPS);
        if (ix_op_info_of(op)->arity == arity)
            return op;
    }
}

ilex_array *
diff_build_unary(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return ix_build_op(shop->ctx, random_op(r, 1), x);
}

ilex_array *
diff_build_binary(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return ix_build_op(shop->ctx, random_op(r, 2), x);
}

ilex_array *
diff_build_where(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_array *args[3] = {x[0], x[1], x[2]};
    if (diff_chance(r, 70))
        args[0] = ilex_less(x[0], diff_chance(r, 50) ? x[1] : x[2]);
    return ix_build_op(shop->ctx, IX_OP_WHERE, args);
}

ilex_array *
diff_build_cast(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return ix_build_cast(shop->ctx, (ilex_dtype)diff_draw(r, ILEX_NDTYPES),
                         x[0]);
}

/* ---- domains ---- */

/* y(i) = x(i + a) over some axes, or a difference of two shifts. */
ilex_array *
diff_build_shift(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    int64_t a[ILEX_MAX_RANK] = {0}, b[ILEX_MAX_RANK] = {0};
    int d = ix_rank(x[0]);
    if (d == 0)
        return NULL;
    int k = diff_draw(r, d);
    a[k] = diff_between(r, -2, 2);
    b[diff_draw(r, d)] = diff_between(r, -1, 1);
    ilex_array *y = ix_build_shift(shop->ctx, x[0], a);
    return diff_chance(r, 50)
               ? y
               : ilex_subtract(y, ix_build_shift(shop->ctx, x[0], b));
}

static const ix_lin *
extremum(ilex_context *ctx, bool largest, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *arm[2] = {a, b};
    return ix_lin_extremum(ctx, largest, 2, arm);
}

/* An end of the axis moves to a size, but not past the other one. */
static void
cut_at_size(ilex_context *ctx, diff_random *r, ix_axis *ax)
{
    const char *size = diff_param_names[diff_draw(r, DIFF_PARAMS)];
    int32_t param = ix_param_of(ctx, ix_symbol_of(ctx, size, strlen(size)));
    const ix_lin *at =
        ix_lin_offset(ctx, ix_lin_param(ctx, param), diff_between(r, -2, 2));
    if (ax->name && diff_chance(r, 50))
        ax->lo = extremum(ctx, false, ax->hi, extremum(ctx, true, ax->lo, at));
    else
        ax->hi = extremum(ctx, true, ax->lo, extremum(ctx, false, ax->hi, at));
}

/* The whole readable domain, or the interior moved at its ends. */
ilex_array *
diff_build_restrict(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ix_axis ax[ILEX_MAX_RANK];
    int d = ix_rank(x[0]);
    if (d == 0 || !ix_is_array(x[0]))
        return NULL;
    bool whole = diff_chance(r, 40);
    for (int k = 0; k < d; k++) {
        ax[k] = whole ? x[0]->valid->ax[k] : x[0]->interior->ax[k];
        if (ax[k].lo->c <= -IX_UNBOUNDED)
            return NULL; /* there is no text for such a domain */
        if (whole)
            continue;
        int low = ax[k].name ? diff_between(r, -1, 1) : 0;
        ax[k].lo = ix_lin_offset(shop->ctx, ax[k].lo, low);
        ax[k].hi = ix_lin_offset(shop->ctx, ax[k].hi, diff_between(r, -1, 1));
        if (diff_chance(r, 25))
            cut_at_size(shop->ctx, r, &ax[k]);
    }
    return ix_build_restrict(shop->ctx, "restrict", x[0],
                             ix_domain_new(shop->ctx, d, ax));
}

/* x on a part of its domain, the rest of it along axis "k" ("above": from "at"
 * on). */
static ilex_array *
side_of(ilex_array *x, int k, const ix_lin *at, bool above)
{
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    *(above ? &ax[k].lo : &ax[k].hi) = at;
    return ix_build_restrict(x->ctx, "side", x,
                             ix_domain_new(x->ctx, ix_rank(x), ax));
}

/* Parts of two fields on one domain, or of x and x + x, in two or three. */
ilex_array *
diff_build_combine(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_context *ctx = shop->ctx;
    int d = ix_rank(x[0]), k = d ? diff_draw(r, d) : 0, n = 2;
    if (d == 0 || !ix_domain_named(x[0]->interior) ||
        diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    bool same = x[1]->interior == x[0]->interior && x[1]->dtype == x[0]->dtype;
    ilex_array *y = same ? x[1] : ilex_add(x[0], x[0]), *part[3];
    const ix_axis *ax = &x[0]->interior->ax[k];
    const ix_lin *at = diff_chance(r, 50)
                           ? ix_lin_offset(ctx, ax->lo, diff_draw(r, 3))
                           : ix_lin_offset(ctx, ax->hi, -diff_draw(r, 3));
    part[0] = side_of(x[0], k, at, false);
    part[1] = side_of(y, k, at, true);
    if (!ilex_is_poison(part[1]) && diff_chance(r, 30)) {
        const ix_lin *next = ix_lin_offset(ctx, at, diff_draw(r, 3));
        part[2] = side_of(x[0], k, next, true);
        part[1] = side_of(part[1], k, next, false);
        n = 3;
    }
    int turn = diff_draw(r, n);
    ilex_array *turned[3];
    for (int i = 0; i < n; i++)
        turned[i] = part[(i + turn) % n];
    return ilex_combine(ctx, n, turned);
}

/* What an attribute may be: any axis or order of axes, small integers, a bound
 * near the ends of the axis or in another size. */
static void
random_attribute(diff_shop *shop, diff_random *r, ix_attribute_type type,
                 const ilex_array *x, ix_given *given)
{
    int d = ix_rank(x);
    for (int k = 0; k < ix_attribute_count(type, x); k++) {
        int j = diff_draw(r, k + 1);
        switch (type) {
        case IX_ATTRIBUTE_AXIS:
            given->number[k] = diff_draw(r, d);
            break;
        case IX_ATTRIBUTE_AXES:
            given->number[k] = given->number[j];
            given->number[j] = k;
            break;
        case IX_ATTRIBUTE_INTS:
            given->number[k] = diff_between(r, -2, 3);
            break;
        case IX_ATTRIBUTE_LIN:
        case IX_ATTRIBUTE_LINS:
            given->form[k] = ix_lin_offset(
                shop->ctx,
                diff_chance(r, 50) ? ix_lin_const(shop->ctx, 0)
                                   : x->interior->ax[diff_draw(r, d)].hi,
                diff_between(r, -3, 3));
            break;
        case IX_ATTRIBUTE_WORD:
            given->word = diff_chance(r, 50) ? "left" : "right";
            given->length = strlen(given->word);
            break;
        default: /* of functions.def: see diff_calls.c */
            return;
        }
    }
    given->present = true;
}

/* A node of this kind over "x", which has axes, with attributes as its row in
 * nodes.def wants them. */
static ilex_array *
random_kind(diff_shop *shop, diff_random *r, ix_kind kind, ilex_array *const *x)
{
    const ix_kind_info *info = &ix_kind_infos[kind];
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    if (ix_rank(x[0]) == 0 || diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    for (int i = 0; i < info->nattributes; i++)
        random_attribute(shop, r, info->attribute[i].type, x[0], &given[i]);
    return ix_build_kind(shop->ctx, kind, x, info->least, given);
}

/* Kinds without a function of their own. */
#define DIFF_KIND(name, operands, unnamed, named)
#define DIFF_CALL(function, name, operands, unnamed, named)
#define DIFF_NODE(NAME, name, operands, unnamed, named)                        \
    ilex_array *diff_build_##name(diff_shop *shop, diff_random *r,             \
                                  ilex_array *const *x)                        \
    {                                                                          \
        return random_kind(shop, r, IX_##NAME, x);                             \
    }
#include "tests/differential/kinds.def"

ilex_array *
diff_build_permute(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return ix_rank(x[0]) < 2 ? NULL : random_kind(shop, r, IX_PERMUTE, x);
}

/* start:stop:step of every axis; mostly an end moved or the axis reversed. */
ilex_array *
diff_build_slice(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ix_given given[3] = {
        {.present = true}, {.present = true}, {.present = true}};
    const ix_lin **start = given[0].form, **stop = given[1].form;
    int64_t *step = given[2].number;
    int d = ix_rank(x[0]);
    if (d == 0 || diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    for (int k = 0; k < d; k++) {
        const ix_axis *ax = &x[0]->interior->ax[k];
        int how = diff_draw(r, 5);
        start[k] = ix_lin_offset(shop->ctx, ax->lo, how ? 0 : 1);
        stop[k] = how > 1 ? ax->hi : ix_lin_offset(shop->ctx, ax->hi, -how);
        step[k] = how == 2   ? diff_between(r, 2, 4)
                  : how == 3 ? -diff_between(r, 1, 3)
                             : 1;
        if (how == 3) {
            start[k] = ix_lin_offset(shop->ctx, ax->hi, -1);
            stop[k] = NULL;
        }
    }
    return ix_build_kind(shop->ctx, IX_SLICE, x, 1, given);
}

/* Two axes merged, one split, or the same shape in the other order. */
ilex_array *
diff_build_reshape(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ix_axis ax[ILEX_MAX_RANK];
    int d = ix_rank(x[0]), n = 0;
    if (d == 0 || diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    int at = diff_draw(r, d), how = diff_draw(r, 3), by = diff_between(r, 2, 4);
    for (int k = 0; k < d; k++, n++) {
        const ix_axis *old = &x[0]->interior->ax[k];
        ax[n] = (ix_axis){0, ix_lin_const(shop->ctx, 0), old->hi};
        if (how == 0 && k == at && k + 1 < d) {
            const ix_lin *next = x[0]->interior->ax[++k].hi;
            ax[n].hi = ix_lin_mul(shop->ctx, old->hi, next);
            if (!ax[n].hi)
                return ix_poison_again(shop->ctx);
        } else if (how == 1 && k == at && old->hi->c % by == 0) {
            ix_axis *next = &ax[n + 1];
            *next = (ix_axis){0, ax[n].lo, ix_lin_const(shop->ctx, by)};
            ax[n++].hi = ix_lin_const(shop->ctx, old->hi->c / by);
            for (int32_t i = 0; i < old->hi->n; i++)
                ax[n - 1].hi =
                    ix_lin_fma(shop->ctx, ax[n - 1].hi, old->hi->t[i].k / by,
                               ix_lin_param(shop->ctx, old->hi->t[i].param));
        }
    }
    return ix_build_reshape(shop->ctx, x[0], ix_domain_new(shop->ctx, n, ax),
                            diff_chance(r, 50));
}

/* ---- reductions ---- */

/* Whether a reduced axis is empty for the recipe's sizes, or may be. */
static bool
is_empty(const diff_shop *shop, const ilex_array *x, uint32_t mask)
{
    for (int k = 0; k < ix_rank(x); k++) {
        int64_t lo, hi;
        diff_axis_range(shop, &x->interior->ax[k], &lo, &hi);
        if ((mask >> k & 1) &&
            (hi <= lo || diff_is_counted(shop, &x->interior->ax[k])))
            return true;
    }
    return false;
}

/* The variance of "x", or its root, along the axes of "mask". */
static ilex_array *
random_variance(ilex_context *ctx, diff_random *r, ilex_array *x, uint32_t mask)
{
    const ix_reduce_request request = {
        .mask = mask,
        .keep =
            !(ix_rank(x) && ix_domain_named(x->interior)) && diff_chance(r, 30),
        .ddof = diff_between(r, -1, 2)};
    const bool root = diff_chance(r, 50);
    const ix_reducer variance = {root ? "std" : "var", IX_REDUCTION_MEAN, true,
                                 root};
    return ix_build_reducer(ctx, &variance, x, &request);
}

/* A reduction with an initial value: a literal, or the identity. */
static ilex_array *
reduce_from(ilex_context *ctx, diff_random *r, ix_reduction reduction,
            ilex_array *x, uint32_t mask)
{
    ilex_dtype acc, result;
    if (!ix_reduction_type(reduction, (ilex_dtype)x->dtype, &acc, &result))
        return NULL;
    ix_reduce_request request = {.mask = mask};
    request.initial =
        diff_chance(r, 50)
            ? ilex_lit(ctx, diff_draw(r, 4))
            : ix_scalar_const(ctx, result,
                              ix_reduction_identity(reduction, result));
    return ix_build_reduce_with(ctx, reduction, x, &request);
}

ilex_array *
diff_build_reduce(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    int d = ix_rank(x[0]);
    ix_reduction reduction = (ix_reduction)diff_draw(r, IX_NREDUCTIONS);
    if (diff_chance(r, 40))
        reduction = IX_REDUCTION_SUM;
    if (d > 0 && diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    uint32_t all = (1u << d) - 1, mask = (uint32_t)diff_bits(r) & all;
    if (mask == 0 || diff_chance(r, 20))
        mask = all;
    const ix_reduction_info *info = ix_reduction_info_of(reduction);
    if (info->by_index && mask != all)
        mask = d ? 1u << diff_draw(r, d) : 0;
    bool keep = diff_chance(r, 30);
    if (diff_chance(r, 15))
        return reduce_from(shop->ctx, r, reduction, x[0], mask);
    if (!info->empty && is_empty(shop, x[0], mask))
        return NULL;
    if (diff_chance(r, 8))
        return random_variance(shop->ctx, r, x[0], mask);
    return ix_build_reduce(shop->ctx, reduction, x[0], mask, keep);
}

/* Labels a, b, c, ... so that axes of equal extent often share one; the
 * result has some of them. */
static ilex_array *
random_einsum(diff_shop *shop, diff_random *r, ilex_array *const *x, int count)
{
    enum { LABELS = 6 };
    static const ix_einsum_path paths[] = {{5, {0, 1, -1, 2, -1}},
                                           {5, {0, 1, 2, -1, -1}}};
    const ix_axis *of[LABELS];
    ix_labels labels[DIFF_OPERANDS], result = {.n = 0};
    int used = 0;
    ilex_dtype acc = ILEX_F64;
    for (int i = 0; i < count; i++) {
        labels[i].n = ix_rank(x[i]);
        if (labels[i].n > 4)
            return NULL;
        for (int k = 0; k < labels[i].n; k++) {
            const ix_axis *ax = &x[i]->interior->ax[k];
            int label = diff_draw(r, LABELS);
            for (int t = 0; t < 4 && (label >= used || of[label]->hi != ax->hi);
                 t++)
                label = diff_draw(r, LABELS);
            if (label >= used || of[label]->hi != ax->hi)
                label = used;
            if (label >= LABELS)
                return NULL;
            if (label == used)
                of[used++] = ax;
            labels[i].label[k] = label;
        }
    }
    for (int label = used - 1; label >= 0; label--)
        if (diff_chance(r, 50))
            result.label[result.n++] = label;
    const ix_einsum_path *path = NULL;
    if (count == 3 && diff_chance(r, 30))
        path = &paths[diff_draw(r, 2)];
    ilex_dtype dtype = (ilex_dtype)diff_draw(r, ILEX_NDTYPES);
    return ix_build_einsum(
        shop->ctx, &result, count, labels, x,
        &(ix_einsum_request){.dtype = diff_chance(r, 20) ? &dtype : NULL,
                             .acc = diff_chance(r, 15) ? &acc : NULL,
                             .path = path,
                             .rounded = diff_chance(r, 15)});
}

/* Elements that one element of an einsum's result stands for are few enough
 * for the reference. */
static ilex_array *
small_einsum(diff_shop *shop, diff_random *r, ilex_array *const *x, int count)
{
    int64_t most = 1;
    for (int i = 0; i < count; i++) {
        if (!ix_is_array(x[i]))
            return NULL;
        int64_t n = diff_domain_count(shop, x[i]->interior);
        if (n < 0)
            return NULL;
        most *= n > 0 ? n : 1;
    }
    return most > 400000 ? NULL : random_einsum(shop, r, x, count);
}

ilex_array *
diff_build_einsum1(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return small_einsum(shop, r, x, 1);
}

ilex_array *
diff_build_einsum2(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return small_einsum(shop, r, x, 2);
}

ilex_array *
diff_build_einsum3(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    return small_einsum(shop, r, x, 3);
}

/* ---- text ---- */

/* An expression of .ilx text; "@" stands for a shift along an axis of a,
 * "#" for the axis that is reduced. */
ilex_array *
diff_build_text(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const char *const texts[] = {"a@ - a",
                                        "where(a > b, a - b, 0)*a@",
                                        "min(a@, b) + 2*a",
                                        "0.25*(a@ + a) - 0.5*b",
                                        "-a*(b + 1) // 3",
                                        "sum#(a) + b",
                                        "max#(a) - a@",
                                        "f32(a) < f32(b) || a@ == a",
                                        "abs(a - a@)*(1 - 2*(a < b))"};
    const char *chosen = texts[diff_draw(r, (int)IX_COUNT(texts))];
    char text[200], axis[80] = "", shift[100] = "", reduced[100] = "";
    size_t n = 0;
    int d = ix_rank(x[0]);
    if (d > 0 && diff_domain_count(shop, x[0]->interior) <= 0)
        return NULL;
    if (d > 0) {
        int k = diff_draw(r, d);
        if (strstr(chosen, "max#") && is_empty(shop, x[0], 1u << k))
            return NULL;
        snprintf(axis, sizeof axis, "%s",
                 ix_symbol_text(shop->ctx, x[0]->interior->ax[k].name));
        if (*axis)
            snprintf(shift, sizeof shift, "[%.*s%+d]",
                     (int)ix_axis_stem(axis, strlen(axis)), axis,
                     diff_between(r, -1, 1));
        else
            snprintf(axis, sizeof axis, "%d", k);
        snprintf(reduced, sizeof reduced, "[%s]", axis);
    }
    for (const char *p = chosen; *p; p++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s",
                              *p == '@' || *p == '#' ? 100 : 1,
                              *p == '@'   ? shift
                              : *p == '#' ? reduced
                                          : p);
    return ilex_expr(shop->ctx, text, "a", x[0], "b", x[1], NULL);
}
