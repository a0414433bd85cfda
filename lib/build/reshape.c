/* SPDX-License-Identifier: MIT
 *
 * Which element of its operand an element of a reshape is.
 *
 * Axes of both sides are cut into the smallest groups with equal products of
 * lengths; within a group the index is flattened and split again. Both are
 * affine when no axis but the slowest of a group has a symbolic length.
 */
#include "lib/build/reshape.h"

#include "lib/build/build.h"
#include "lib/shape/broadcast.h"

/* ---- counts ---- */

/* A product of lengths: k * form, where form is NULL or not constant. */
typedef struct product {
    int64_t k;
    const ix_lin *form;
} product;

/* False when two symbolic lengths meet, or on overflow. */
static bool
multiply(product *p, const ix_lin *length)
{
    if (length->n == 0)
        return ix_mul(p->k, length->c, &p->k);
    if (p->form)
        return false;
    p->form = length;
    return true;
}

static bool
equal_products(ilex_context *ctx, product a, product b)
{
    const ix_lin *one = ix_lin_const(ctx, 1);
    return ix_lin_same(ctx, ix_lin_scale(ctx, a.form ? a.form : one, a.k),
                       ix_lin_scale(ctx, b.form ? b.form : one, b.k));
}

/* Is the length of the axis asked for? */
static bool
is_wanted(const ix_axis *ax)
{
    return !ax->name && ix_lin_is(ax->lo, 0) && ix_lin_is(ax->hi, -1);
}

/* The products of the lengths that are not on both sides, without the one that
 * is asked for; false when one has two symbolic lengths, or on overflow. */
static bool
cancel(ilex_context *ctx, const ix_domain *a, const ix_domain *b, product *p,
       product *q)
{
    bool used[ILEX_MAX_RANK] = {false}, decided = true;
    *p = *q = (product){1, NULL};
    for (int k = 0; k < a->rank; k++) {
        const ix_lin *length = ix_axis_extent(ctx, &a->ax[k]);
        int j = 0;
        while (j < b->rank &&
               (used[j] || ix_axis_extent(ctx, &b->ax[j]) != length))
            j++;
        if (j < b->rank && !ix_lin_is(length, 0))
            used[j] = true;
        else
            decided &= length && multiply(p, length);
    }
    for (int j = 0; j < b->rank; j++)
        if (!used[j] && !is_wanted(&b->ax[j])) {
            const ix_lin *length = ix_axis_extent(ctx, &b->ax[j]);
            decided &= length && multiply(q, length);
        }
    return decided;
}

/* What is left must be products of one symbolic length. */
static bool
same_count(ilex_context *ctx, const ix_domain *a, const ix_domain *b,
           bool *decided)
{
    product p, q;
    *decided = cancel(ctx, a, b, &p, &q);
    return *decided && equal_products(ctx, p, q);
}

/* a / k; NULL if that is not linear. */
static const ix_lin *
divided(ilex_context *ctx, const ix_lin *a, int64_t k)
{
    if (!a || k == 0 || a->c % k)
        return NULL;
    const ix_lin *r = ix_lin_const(ctx, a->c / k);
    for (int32_t i = 0; i < a->n; i++) {
        if (a->t[i].k % k)
            return NULL;
        r = ix_lin_fma(ctx, r, a->t[i].k / k, ix_lin_param(ctx, a->t[i].param));
    }
    return r;
}

/* The length that is asked for; NULL after an error. */
static const ix_lin *
wanted_length(ilex_context *ctx, const ix_domain *to, const ix_domain *from)
{
    product p, q;
    const ix_lin *one = ix_lin_const(ctx, 1), *length = NULL;
    bool decided = cancel(ctx, from, to, &p, &q);
    if (decided && !q.form)
        length =
            divided(ctx, ix_lin_scale(ctx, p.form ? p.form : one, p.k), q.k);
    bool numbers = decided && !p.form && !q.form;
    if (!length)
        ix_fail(&ctx->error, numbers ? ILEX_E_SHAPE : ILEX_E_UNSUPPORTED,
                "reshape: the length -1 of [%s] cannot be found from [%s]: %s",
                ix_domain_show(ctx, to).s, ix_domain_show(ctx, from).s,
                numbers ? "the other lengths do not divide the number of "
                          "elements"
                        : "it is not linear in the sizes (where a length is a "
                          "multiple, write it as one, for example 3*m)");
    return length;
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
        if (at >= 0) {
            ix_fail(&ctx->error, ILEX_E_SHAPE,
                    "reshape: [%s] has two lengths -1; one can be found from "
                    "the others",
                    ix_domain_show(ctx, to).s);
            return NULL;
        }
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

/* A product of lengths: constant times at most one symbolic one. */
static const ix_lin *
times(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    if (!a || !b)
        return NULL;
    if (a->n == 0)
        return ix_lin_scale(ctx, b, a->c);
    return b->n == 0 ? ix_lin_scale(ctx, a, b->c) : NULL;
}

/* Which side must take another axis for the products "p" and "q" to meet:
 * -1 the first, 1 the second, 0 neither can help. A symbolic product waits for
 * the constant one. */
static int
lagging(ilex_context *ctx, const ix_lin *p, const ix_lin *q, bool more_p,
        bool more_q)
{
    bool first = more_p;
    if (p != q && (p->n == 0) != (q->n == 0))
        first = p->n == 0;
    else if (p != q)
        first = ix_lin_le(ctx, p, q) == IX_YES;
    if (first)
        return more_p ? -1 : 0;
    return more_q ? 1 : 0;
}

/* The smallest group of axes of both sides with one product: ends in na, nb.
 * False when the products need two symbolic sizes. */
static bool
next_group(ilex_context *ctx, const side *a, const side *b, int *na, int *nb)
{
    int i = a->next, j = b->next;
    const ix_lin *p = ix_lin_const(ctx, 1), *q = p;
    do {
        int which =
            p && q ? lagging(ctx, p, q, i < a->dom->rank, j < b->dom->rank) : 0;
        if (which == 0)
            return false;
        if (which < 0)
            p = times(ctx, p, length_at(ctx, a, i++));
        else
            q = times(ctx, q, length_at(ctx, b, j++));
    } while (p != q || !p);
    *na = i;
    *nb = j;
    return true;
}

/* Do the axes fall into groups with equal products, each with one symbolic
 * length at most? */
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
                          : "need products of two symbolic sizes, which are "
                            "not supported";
    ix_fail(&ctx->error, code, "reshape: [%s] and [%s] %s",
            ix_domain_show(ctx, from).s, ix_domain_show(ctx, to).s, why);
    return false;
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

/* Flat index of result indices [from, to) in the side's order; all lengths
 * but the slowest must be constant. */
static ilex_array *
flatten(ilex_context *ctx, const side *s, int from, int to)
{
    ilex_array *flat = ix_index_const(ctx, 0);
    int64_t stride = 1;
    from = skip_ones(ctx, s, from, to);
    for (int i = to - 1; i >= from; i--) {
        const ix_axis *ax = &s->dom->ax[axis_at(s, i)];
        ilex_array *at = ix_index_fma(ctx, ix_scalar_index(ctx, axis_at(s, i)),
                                      -1, ix_index_lin(ctx, ax->lo));
        flat = ix_index_fma(ctx, flat, stride, at);
        const ix_lin *length = length_at(ctx, s, i);
        if (i > from && (length->n || !ix_mul(stride, length->c, &stride)))
            return NULL;
    }
    return flat;
}

/* Splits a flat index into the operand's indices [from, to). */
static bool
unflatten(ilex_context *ctx, const side *s, int from, int to, ilex_array *flat,
          ilex_array **index)
{
    int first = skip_ones(ctx, s, from, to);
    for (int i = to - 1; i >= from; i--) {
        int k = axis_at(s, i);
        const ix_lin *length = length_at(ctx, s, i);
        ilex_array *at = i < first ? ix_index_const(ctx, 0) : flat;
        if (i > first) {
            if (length->n)
                return false;
            int64_t c = length->c > 0 ? length->c : 1;
            flat = ix_index_floordiv(ctx, flat, c);
            at = ix_index_fma(ctx, at, -c, flat);
        }
        index[k] =
            ix_index_fma(ctx, at, 1, ix_index_lin(ctx, s->dom->ax[k].lo));
    }
    return true;
}

/* Splits all groups; false when one is not affine. */
static bool
split_groups(ilex_context *ctx, side *to, side *from, ilex_array **index)
{
    while (to->next < to->dom->rank || from->next < from->dom->rank) {
        int nto, nfrom;
        ilex_array *flat = NULL;
        if (next_group(ctx, to, from, &nto, &nfrom))
            flat = flatten(ctx, to, to->next, nto);
        if (!flat || !unflatten(ctx, from, from->next, nfrom, flat, index))
            return false;
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
    ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
            "reshape: from [%s] to [%s] in %s order is not affine: only the "
            "slowest axis of a merged group may have a symbolic length",
            ix_domain_show(ctx, from).s, ix_domain_show(ctx, to).s,
            fortran ? "F" : "C");
    return false;
}
