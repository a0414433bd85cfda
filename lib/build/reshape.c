/* SPDX-License-Identifier: MIT
 *
 * Which element of its operand an element of a reshape is.
 *
 * Axes of both sides are cut into the smallest groups with equal products of
 * lengths; within a group the index is flattened and split again. Where an axis
 * that is not the slowest of its group has a symbolic length, that is index
 * arithmetic by sizes.
 */
#include "lib/build/reshape.h"

#include "lib/build/build.h"
#include "lib/shape/broadcast.h"

/* ---- counts ---- */

/* Is the length of the axis asked for? */
static bool
is_wanted(const ix_axis *ax)
{
    return !ax->name && ix_lin_is(ax->lo, 0) && ix_lin_is(ax->hi, -1);
}

/* The products of the lengths that are not on both sides, without the one that
 * is asked for; false when one is too large for a size. */
static bool
cancel(ilex_context *ctx, const ix_domain *a, const ix_domain *b,
       const ix_lin **p, const ix_lin **q)
{
    bool used[ILEX_MAX_RANK] = {false};
    *p = *q = ix_lin_const(ctx, 1);
    for (int k = 0; k < a->rank; k++) {
        const ix_lin *length = ix_axis_extent(ctx, &a->ax[k]);
        int j = 0;
        while (j < b->rank &&
               (used[j] || ix_axis_extent(ctx, &b->ax[j]) != length))
            j++;
        if (j < b->rank && !ix_lin_is(length, 0))
            used[j] = true;
        else
            *p = ix_lin_try_mul(ctx, *p, length);
    }
    for (int j = 0; j < b->rank; j++)
        if (!used[j] && !is_wanted(&b->ax[j]))
            *q = ix_lin_try_mul(ctx, *q, ix_axis_extent(ctx, &b->ax[j]));
    return *p && *q;
}

static bool
same_count(ilex_context *ctx, const ix_domain *a, const ix_domain *b,
           bool *decided)
{
    const ix_lin *p, *q;
    *decided = cancel(ctx, a, b, &p, &q);
    return *decided && ix_lin_same(ctx, p, q);
}

/* The length that is asked for; NULL after an error. */
static const ix_lin *
wanted_length(ilex_context *ctx, const ix_domain *to, const ix_domain *from)
{
    const ix_lin *p, *q, *rest, *length = NULL;
    bool decided = cancel(ctx, from, to, &p, &q);
    if (decided && !ix_lin_is(q, 0))
        length = ix_lin_divide(ctx, p, q, &rest);
    if (length && ix_lin_is(rest, 0))
        return length;
    bool numbers = decided && p->n == 0 && q->n == 0;
    return ix_fail_null(
        &ctx->error, numbers ? ILEX_E_SHAPE : ILEX_E_UNSUPPORTED,
        "reshape: the length -1 of [%s] cannot be found from [%s]: %s",
        ix_domain_show(ctx, to).s, ix_domain_show(ctx, from).s,
        numbers ? "the other lengths do not divide the number of elements"
        : !decided
            ? "products of more than 4 sizes, of more than 24 terms or beyond "
              "2^62 are not supported"
            : "the other lengths do not divide it for all sizes (where a "
              "length is a multiple, write it as one, for example 3*m)");
}

const ix_domain *
ix_reshape_infer(ilex_context *ctx, const ix_domain *to, const ix_domain *from)
{
    ix_axis ax[ILEX_MAX_RANK];
    int at = -1;
    for (int k = 0; k < to->rank; k++) {
        ax[k] = to->ax[k];
        if (!is_wanted(&ax[k]))
            continue;
        if (at >= 0)
            return ix_fail_null(&ctx->error, ILEX_E_SHAPE,
                                "reshape: [%s] has two lengths -1; one can be "
                                "found from the others",
                                ix_domain_show(ctx, to).s);
        at = k;
    }
    if (at < 0)
        return to;
    ax[at].hi = wanted_length(ctx, to, from);
    return ix_domain_new(ctx, to->rank, ax);
}

/* Has the domain an axis of length 0 for all sizes? */
static bool
is_empty(ilex_context *ctx, const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++)
        if (ix_lin_le(ctx, dom->ax[k].hi, dom->ax[k].lo) == IX_YES)
            return true;
    return false;
}

/* Is every length a number? Then only overflow leaves counts undecided. */
static bool
is_constant(ilex_context *ctx, const ix_domain *dom)
{
    bool constant = true;
    for (int k = 0; k < dom->rank; k++) {
        const ix_lin *length = ix_axis_extent(ctx, &dom->ax[k]);
        constant &= length && length->n == 0;
    }
    return constant;
}

/* ---- indices ---- */

/* Axes of one side in the order in which elements follow each other, slowest
 * first. */
typedef struct side {
    const ix_domain *dom;
    bool fortran;
    int next; /* axes used so far */
} side;

static int
axis_at(const side *s, int i)
{
    return s->fortran ? s->dom->rank - 1 - i : i;
}

static const ix_lin *
length_at(ilex_context *ctx, const side *s, int i)
{
    return ix_axis_extent(ctx, &s->dom->ax[axis_at(s, i)]);
}

/* The products of the next lengths of a side, 1, 2, … of them, after 1; NULL
 * from where they are too large. */
static int
products(ilex_context *ctx, const side *s, const ix_lin **p)
{
    int n = s->dom->rank - s->next;
    p[0] = ix_lin_const(ctx, 1);
    for (int i = 0; i < n; i++)
        p[i + 1] = ix_lin_try_mul(ctx, p[i], length_at(ctx, s, s->next + i));
    return n;
}

/* The smallest group of axes of both sides with one product: ends in na, nb.
 * Where it may start with either side, with the first. */
static bool
next_group(ilex_context *ctx, const side *a, const side *b, int *na, int *nb)
{
    const ix_lin *p[ILEX_MAX_RANK + 1], *q[ILEX_MAX_RANK + 1];
    int n = products(ctx, a, p), m = products(ctx, b, q);
    for (int axes = 1; axes <= n + m; axes++)
        for (int i = axes < n ? axes : n; i >= 0 && axes - i <= m; i--)
            if (p[i] && p[i] == q[axes - i]) {
                *na = a->next + i;
                *nb = b->next + axes - i;
                return true;
            }
    return false;
}

/* Do the axes fall into groups with equal products? */
static bool
same_groups(ilex_context *ctx, const ix_domain *to, const ix_domain *from)
{
    side a = {to, false, 0}, b = {from, false, 0};
    while (a.next < to->rank || b.next < from->rank) {
        int nto, nfrom;
        if (!next_group(ctx, &a, &b, &nto, &nfrom))
            return false;
        a.next = nto;
        b.next = nfrom;
    }
    return true;
}

bool
ix_reshape_counts(ilex_context *ctx, const ix_domain *to, const ix_domain *from)
{
    bool decided, same = same_count(ctx, from, to, &decided);
    if (same || (is_empty(ctx, from) && is_empty(ctx, to)) ||
        (!decided && same_groups(ctx, to, from)))
        return true;
    bool overflow = is_constant(ctx, from) && is_constant(ctx, to);
    ilex_status code = decided    ? ILEX_E_SHAPE
                       : overflow ? ILEX_E_OVERFLOW
                                  : ILEX_E_UNSUPPORTED;
    const char *why = decided ? "are not known to have equally many elements"
                      : overflow
                          ? "have more elements than fit 2^62"
                          : "need products of more than 4 sizes or of more "
                            "than 24 terms, which are not supported";
    return ix_fail_false(&ctx->error, code, "reshape: [%s] and [%s] %s",
                         ix_domain_show(ctx, from).s, ix_domain_show(ctx, to).s,
                         why);
}

/* The first axis of [from, to) that counts: those before it have length 1. */
static int
skip_ones(ilex_context *ctx, const side *s, int from, int to)
{
    const ix_lin *length = from < to - 1 ? length_at(ctx, s, from) : NULL;
    while (length && ix_lin_is(length, 1)) {
        from++;
        length = from < to - 1 ? length_at(ctx, s, from) : NULL;
    }
    return from;
}

/* Flat index of result indices [from, to) in the side's order; NULL where a
 * stride is too large. */
static ilex_array *
flatten(ilex_context *ctx, const side *s, int from, int to)
{
    ilex_array *flat = ix_index_const(ctx, 0);
    const ix_lin *stride = ix_lin_const(ctx, 1);
    from = skip_ones(ctx, s, from, to);
    for (int i = to - 1; i >= from; i--) {
        const ix_axis *ax = &s->dom->ax[axis_at(s, i)];
        ilex_array *at = ix_index_fma(ctx, ix_scalar_index(ctx, axis_at(s, i)),
                                      -1, ix_index_lin(ctx, ax->lo));
        ilex_array *step = stride ? ix_index_mul_lin(ctx, at, stride) : NULL;
        if (!step)
            return NULL;
        flat = ix_index_fma(ctx, flat, 1, step);
        stride = i > from ? ix_lin_try_mul(ctx, stride, length_at(ctx, s, i))
                          : stride;
    }
    return flat;
}

/* Splits a flat index into the operand's indices [from, to): remainders and
 * quotients by their lengths, of which the slowest needs none. */
static void
unflatten(ilex_context *ctx, const side *s, int from, int to, ilex_array *flat,
          ilex_array **index)
{
    int first = skip_ones(ctx, s, from, to);
    for (int i = to - 1; i >= from; i--) {
        int k = axis_at(s, i);
        const ix_lin *length = length_at(ctx, s, i);
        ilex_array *at = i < first ? ix_index_const(ctx, 0) : flat;
        if (i > first && !ix_lin_is(length, 0)) {
            at = ix_index_mod_lin(ctx, flat, length);
            flat = ix_index_floordiv_lin(ctx, flat, length);
        }
        index[k] =
            ix_index_fma(ctx, at, 1, ix_index_lin(ctx, s->dom->ax[k].lo));
    }
}

/* Splits all groups; false when a stride is too large. Where no smaller group
 * is known to have one product, all the axes that are left are one. */
static bool
split_groups(ilex_context *ctx, side *to, side *from, ilex_array **index)
{
    while (to->next < to->dom->rank || from->next < from->dom->rank) {
        int nto, nfrom;
        if (!next_group(ctx, to, from, &nto, &nfrom)) {
            nto = to->dom->rank;
            nfrom = from->dom->rank;
        }
        ilex_array *flat = flatten(ctx, to, to->next, nto);
        if (!flat)
            return false;
        unflatten(ctx, from, from->next, nfrom, flat, index);
        to->next = nto;
        from->next = nfrom;
    }
    return true;
}

static bool
has_poison(int n, ilex_array *const *index)
{
    bool found = false;
    for (int k = 0; k < n; k++)
        found |= ix_is_poison(index[k]);
    return found;
}

bool
ix_reshape_index(ilex_context *ctx, const ix_domain *to, const ix_domain *from,
                 bool fortran, ilex_array **index)
{
    side a = {to, fortran, 0}, b = {from, fortran, 0};
    bool empty = is_empty(ctx, to);
    for (int k = 0; empty && k < from->rank; k++)
        index[k] = ix_index_lin(ctx, from->ax[k].lo);
    if (empty || split_groups(ctx, &a, &b, index))
        return !has_poison(from->rank, index);
    return ix_fail_false(
        &ctx->error, ILEX_E_UNSUPPORTED,
        "reshape: from [%s] to [%s] in %s order needs products of more than 4 "
        "sizes, which are not supported",
        ix_domain_show(ctx, from).s, ix_domain_show(ctx, to).s,
        fortran ? "F" : "C");
}
