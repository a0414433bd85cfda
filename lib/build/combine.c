/* SPDX-License-Identifier: MIT
 *
 * Fields on adjacent ranges of one axis as one field. It is a choice by index,
 * a tree of `where`, so that each part is computed on its own side only; the
 * pass `peel` divides loops where parts meet.
 */
#include "lib/build/build.h"
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

/* Operands without the empty ones, from the lowest on along the axis. */
typedef struct parts {
    ilex_context *ctx;
    const ix_domain *first; /* operand's, whose order of axes the result has */
    ilex_array **part;
    int n, axis;
} parts;

/* The axis of "x" that is the result's axis "k". */
static const ix_axis *
axis_of(const parts *p, const ilex_array *x, int k)
{
    return &x->interior->ax[ix_domain_find(x->interior, p->first->ax[k].name)];
}

static bool
same_range(ilex_context *ctx, const ix_axis *a, const ix_axis *b)
{
    return ix_lin_same(ctx, a->lo, b->lo) && ix_lin_same(ctx, a->hi, b->hi);
}

/* ---- checks ---- */

/* Named fields of one dtype, with the axes of the first. */
static bool
check_operand(const parts *p, int i)
{
    const ilex_array *x = p->part[i];
    bool named = ix_rank(x) > 0 && ix_domain_named(x->interior);
    bool same = named && ix_rank(x) == p->first->rank;
    for (int k = 0; same && k < p->first->rank; k++)
        same = ix_domain_find(x->interior, p->first->ax[k].name) >= 0;
    if (!same)
        ix_poison(p->ctx, "combine", i, ILEX_E_AXIS,
                  named ? "combine: operand %d is on [%s], operand 0 on [%s]; "
                          "they have the same axes"
                        : "combine: operand %d is on [%s]; fields with the "
                          "same named axes are combined, for example "
                          "combine(u[I=:3], v[I=3:])",
                  i, ix_rank(x) ? ix_domain_show(p->ctx, x->interior).s : "",
                  ix_domain_show(p->ctx, p->first).s);
    else if (x->dtype != p->part[0]->dtype)
        ix_poison(p->ctx, "combine", i, ILEX_E_DTYPE,
                  "combine: operand %d is %s, operand 0 is %s; convert one of "
                  "them",
                  i, ilex_dtype_name((ilex_dtype)x->dtype),
                  ilex_dtype_name((ilex_dtype)p->part[0]->dtype));
    else
        return true;
    return false;
}

/* The one axis along which the parts differ. */
static bool
find_axis(parts *p)
{
    int found = 0;
    for (int k = 0; k < p->first->rank; k++) {
        bool same = true;
        for (int i = 1; same && i < p->n; i++)
            same = same_range(p->ctx, axis_of(p, p->part[0], k),
                              axis_of(p, p->part[i], k));
        found += !same;
        p->axis = same ? p->axis : k;
    }
    if (found == 1 || p->n == 1)
        return true;
    return ix_poison_false(
        p->ctx, "combine", 1, ILEX_E_SHAPE,
        found ? "combine: [%s] and [%s] differ along several axes; parts "
                "differ along one, where they are adjacent"
              : "combine: [%s] and [%s] overlap; parts are adjacent along one "
                "axis",
        ix_domain_show(p->ctx, p->part[0]->interior).s,
        ix_domain_show(p->ctx, p->part[1]->interior).s);
}

/* Leaves out parts that are empty along it whatever the sizes; one stays. */
static void
drop_empty(parts *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const ix_axis *ax = axis_of(p, p->part[i], p->axis);
        if (ix_lin_le(p->ctx, ax->hi, ax->lo) != IX_YES ||
            (n == 0 && i == p->n - 1))
            p->part[n++] = p->part[i];
    }
    p->n = n;
}

/* ---- order ---- */

static bool
unordered(const parts *p, const ix_axis *a, const ix_axis *b)
{
    ix_lin_text s = ix_lin_show(p->ctx, a->lo), t = ix_lin_show(p->ctx, b->lo);
    if (p->ctx->error.code != ILEX_E_MEMORY)
        ix_poison(p->ctx, "combine", -1, ILEX_E_UNDECIDED,
                  "combine: of the parts that begin at %s=%s and %s it is not "
                  "known which comes first; assume %s <= %s or %s <= %s",
                  ix_symbol_text(p->ctx, a->name), s.s, t.s, s.s, t.s, t.s,
                  s.s);
    return false;
}

/* Sorts the parts; false after an error where that depends on the sizes. */
static bool
sort(const parts *p)
{
    for (int i = 1; i < p->n; i++)
        for (int j = i; j > 0; j--) {
            const ix_axis *a = axis_of(p, p->part[j - 1], p->axis);
            const ix_axis *b = axis_of(p, p->part[j], p->axis);
            const ix_lin *first = ix_lin_min(p->ctx, a->lo, b->lo);
            if (!first)
                return unordered(p, a, b);
            if (first == a->lo)
                break;
            ilex_array *x = p->part[j];
            p->part[j] = p->part[j - 1];
            p->part[j - 1] = x;
        }
    return true;
}

static bool
check_adjacent(const parts *p)
{
    for (int i = 1; i < p->n; i++) {
        const ix_axis *a = axis_of(p, p->part[i - 1], p->axis);
        const ix_axis *b = axis_of(p, p->part[i], p->axis);
        if (ix_lin_same(p->ctx, a->hi, b->lo))
            continue;
        bool overlap = ix_lin_le(p->ctx, b->lo, a->hi) == IX_YES;
        bool gap = ix_lin_le(p->ctx, a->hi, b->lo) == IX_YES;
        return ix_poison_false(p->ctx, "combine", i, ILEX_E_SHAPE,
                               "combine: along %s one part ends at %s and the "
                               "next one begins at %s: %s; parts are adjacent",
                               ix_symbol_text(p->ctx, a->name),
                               ix_lin_show(p->ctx, a->hi).s,
                               ix_lin_show(p->ctx, b->lo).s,
                               overlap ? "they overlap"
                               : gap   ? "there is a gap"
                                       : "they are not known to be equal");
    }
    return true;
}

/* ---- the field ---- */

/* Element [_0, _1, ...] of part "i". */
static ilex_array *
element(const parts *p, int i)
{
    ilex_array *x = p->part[i], *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(
            p->ctx, ix_domain_find(p->first, x->interior->ax[k].name));
    return ix_scalar_load(p->ctx, (ilex_dtype)x->dtype, i, ix_rank(x), index);
}

/* Chooses among the parts from "from" to before "to". */
static ilex_array *
choice(const parts *p, int from, int to)
{
    if (to - from == 1)
        return element(p, from);
    int mid = from + (to - from) / 2;
    const ix_axis *ax = axis_of(p, p->part[mid], p->axis);
    ilex_array *below = ix_structure_compare(p->ctx, IX_OP_LESS,
                                             ix_scalar_index(p->ctx, p->axis),
                                             ix_index_lin(p->ctx, ax->lo));
    return ix_structure_where(p->ctx, below, choice(p, from, mid),
                              choice(p, mid, to));
}

/* Where part "i" is known along the result's axis "k". */
static const ix_axis *
known_of(const parts *p, int i, int k)
{
    const ix_domain *valid = p->part[i]->valid;
    return &valid->ax[ix_domain_find(valid, p->first->ax[k].name)];
}

/* Where all parts are known: along the axis that they join, from where the
 * first one is to where the last one is. */
static const ix_domain *
known(const parts *p)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < p->first->rank; k++) {
        ax[k] = *known_of(p, 0, k);
        for (int i = 1; i < p->n && k != p->axis; i++) {
            const ix_axis *more = known_of(p, i, k);
            ax[k].lo = ix_meet_bounds(p->ctx, "combine", ax[k].name, ax[k].lo,
                                      more->lo, false);
            ax[k].hi = ix_meet_bounds(p->ctx, "combine", ax[k].name, ax[k].hi,
                                      more->hi, true);
            if (!ax[k].lo || !ax[k].hi)
                return NULL;
        }
    }
    ax[p->axis].hi = known_of(p, p->n - 1, p->axis)->hi;
    return ix_domain_new(p->ctx, p->first->rank, ax);
}

/* From the first part's beginning to the last one's end. */
static ilex_array *
joined(const parts *p)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < p->first->rank; k++)
        ax[k] = *axis_of(p, p->part[0], k);
    ax[p->axis].hi = axis_of(p, p->part[p->n - 1], p->axis)->hi;
    const ix_domain *dom = ix_domain_new(p->ctx, p->first->rank, ax);
    const ix_domain *valid = dom ? known(p) : NULL;
    return valid ? ix_build_wide_lambda(p->ctx, "combine", dom, valid,
                                        choice(p, 0, p->n), p->n, p->part)
                 : ix_poison_again(p->ctx);
}

ilex_array *
ix_build_combine(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    (void)given;
    parts p = {.ctx = ctx, .n = count};
    p.part = ix_mem_new(&ctx->mem, (size_t)count * sizeof(ilex_array *));
    if (!p.part)
        return ix_poison_again(ctx);
    bool ok = true;
    for (int i = 0; i < count; i++)
        p.part[i] = ix_structure_array(ctx, "combine", operands[i]);
    p.first = p.part[0]->interior;
    for (int i = 0; ok && i < count; i++)
        ok = !ix_is_poison(p.part[i]) && check_operand(&p, i);
    ok = ok && find_axis(&p);
    if (ok)
        drop_empty(&p);
    ok = ok && sort(&p) && check_adjacent(&p);
    ilex_array *y = !ok       ? ix_poison_again(ctx)
                    : p.n > 1 ? joined(&p)
                              : p.part[0];
    ix_mem_free(&ctx->mem, p.part);
    return y;
}
