/* SPDX-License-Identifier: MIT
 *
 * Pad: an array with points added at the ends of its axes, which hold a value,
 * or elements of the array itself (modes wrap, edge, reflect, symmetric).
 *
 * A mode is one affine index below the first element and one behind the last,
 * told apart from the middle by guards, so that loops are split there. It is
 * known that the array is long enough for that; on an axis of constant length
 * that is not, the index is folded by a remainder instead. Two axes are padded
 * at once, with nine reads; more axes go in steps, as elements at corners do
 * not depend on the order.
 */
#include "lib/build/outside.h"
#include "lib/build/structure.h"

enum { AXES_AT_ONCE = 2 };

/* A pad under construction. */
typedef struct padding {
    ilex_context *ctx;
    ilex_array *x;
    const ix_lin *low[ILEX_MAX_RANK], *high[ILEX_MAX_RANK];
    ix_outside mode;
    ilex_array *value;
} padding;

/* ---- arguments ---- */

static ix_suggestion_text
mode_hint(const ix_given *given)
{
    ix_suggestion s = ix_suggest(given->word, given->length);
    ix_suggest_words(&s, "wrap edge reflect symmetric", " ");
    return ix_suggestion_show(&s);
}

static bool
read_mode(ilex_context *ctx, const ix_given *given, ix_outside *mode)
{
    *mode = IX_OUTSIDE_VALUE;
    if (!given->word || ix_outside_find(given->word, given->length, mode))
        return true;
    return ix_poison_false(ctx, "pad", 0, ILEX_E_ARGUMENT,
                           "pad: there is no mode '%.*s'; there are wrap, "
                           "edge, reflect and symmetric%s",
                           given->length < 20 ? (int)given->length : 20,
                           given->word, mode_hint(given).s);
}

/* The widths of one side, 0 where none are given. */
static bool
read_widths(const padding *p, const char *side, const ix_given *given,
            const ix_lin **width)
{
    ilex_context *ctx = p->ctx;
    for (int k = 0; k < ix_rank(p->x); k++) {
        width[k] = given->present ? given->form[k] : NULL;
        width[k] = width[k] ? width[k] : ix_lin_const(ctx, 0);
        if (!ix_structure_nonneg(ctx, "pad", side, width[k]))
            return false;
    }
    return true;
}

/* ---- the domain and conditions ---- */

static bool
is_padded(const padding *p, int k)
{
    return !ix_lin_is(p->low[k], 0) || !ix_lin_is(p->high[k], 0);
}

/* Names stay where they are and their range widens; unnamed axes begin at 0. */
static const ix_domain *
padded_domain(const padding *p, uint32_t axes)
{
    ix_axis ax[ILEX_MAX_RANK];
    ilex_context *ctx = p->ctx;
    for (int k = 0; k < ix_rank(p->x); k++) {
        ax[k] = p->x->interior->ax[k];
        if (!(axes >> k & 1))
            continue;
        ax[k].hi = ix_lin_add(ctx, ax[k].hi, p->high[k]);
        if (ax[k].name)
            ax[k].lo = ix_lin_sub(ctx, ax[k].lo, p->low[k]);
        else
            ax[k].hi = ix_lin_add(ctx, ax[k].hi, p->low[k]);
    }
    return ix_domain_new(ctx, ix_rank(p->x), ax);
}

/* The operand's index at the result's, in the middle. */
static ilex_array *
middle(const padding *p, int k)
{
    ilex_array *i = ix_scalar_index(p->ctx, k);
    if (p->x->interior->ax[k].name)
        return i;
    return ix_index_fma(p->ctx, i, -1, ix_index_lin(p->ctx, p->low[k]));
}

/* at < lo; NULL if nothing is added there. */
static ilex_array *
is_below(const padding *p, int k, ilex_array *at)
{
    if (ix_lin_is(p->low[k], 0))
        return NULL;
    return ix_structure_compare(p->ctx, IX_OP_LESS, at,
                                ix_index_lin(p->ctx, p->x->interior->ax[k].lo));
}

/* at >= hi; NULL if nothing is added there. */
static ilex_array *
is_above(const padding *p, int k, ilex_array *at)
{
    if (ix_lin_is(p->high[k], 0))
        return NULL;
    return ix_structure_compare(p->ctx, IX_OP_GREATER_EQUAL, at,
                                ix_index_lin(p->ctx, p->x->interior->ax[k].hi));
}

/* ---- a value ---- */

/* "a" or "b", either of which may be NULL. */
static ilex_array *
either(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return a && b
               ? ix_scalar_op(ctx, IX_OP_LOGICAL_OR, ILEX_BOOL, ILEX_BOOL, ops)
           : a ? a
               : b;
}

static ilex_array *
pad_by_value(const padding *p)
{
    ilex_context *ctx = p->ctx;
    ilex_array *index[ILEX_MAX_RANK], *outside = NULL, *operands[2] = {p->x};
    int d = ix_rank(p->x), n = 1;
    ilex_dtype dtype = (ilex_dtype)p->x->dtype;
    for (int k = 0; k < d; k++) {
        index[k] = middle(p, k);
        outside = either(ctx, outside, is_below(p, k, index[k]));
        outside = either(ctx, outside, is_above(p, k, index[k]));
    }
    ilex_array *fill = p->value
                           ? ix_structure_value(ctx, "pad", dtype, p->value)
                           : ix_structure_number(ctx, dtype, 0);
    if (ix_is_poison(fill))
        return fill;
    if (ix_is_array(fill)) {
        operands[n] = fill;
        fill = ix_scalar_load(ctx, dtype, n++, 0, NULL);
    }
    ilex_array *body = ix_scalar_load(ctx, dtype, 0, d, index);
    if (outside)
        body = ix_structure_where(ctx, outside, fill, body);
    const ix_domain *dom = padded_domain(p, UINT32_MAX);
    return dom ? ix_build_lambda(ctx, "pad", dom, body, n, operands)
               : ix_poison_again(ctx);
}

/* ---- modes ---- */

/* The indices of one axis: below, in the middle and above, each affine; NULL
 * where nothing is added. Or one for all three, if "folded". */
typedef struct pad_axis {
    ilex_array *is_below, *is_above;
    ilex_array *below, *at, *above;
} pad_axis;

/* The elements an axis has to have for its width to be read in one go. */
static const ix_lin *
length_needed(ilex_context *ctx, ix_outside mode, const ix_lin *width)
{
    if (mode == IX_OUTSIDE_EDGE)
        return ix_lin_const(ctx, 1);
    return mode == IX_OUTSIDE_REFLECT ? ix_lin_offset(ctx, width, 1) : width;
}

/* The larger one; the second where that is not known. */
static const ix_lin *
larger(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *m = ix_lin_max(ctx, a, b);
    return m ? m : b;
}

/* Is the axis long enough, and has it an element? If not, "*needed" is what it
 * should have. */
static bool
is_long_enough(const padding *p, int k, const ix_lin *length,
               const ix_lin **needed)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *least[3] = {ix_lin_const(ctx, 1), ix_lin_const(ctx, 1),
                              ix_lin_const(ctx, 1)};
    bool enough = true;
    if (!ix_lin_is(p->low[k], 0))
        least[1] = length_needed(ctx, p->mode, p->low[k]);
    if (!ix_lin_is(p->high[k], 0))
        least[2] = length_needed(ctx, p->mode, p->high[k]);
    *needed = least[0];
    for (int i = 0; i < 3; i++) {
        if (ix_lin_le(ctx, least[i], length) == IX_YES)
            continue;
        *needed = larger(ctx, *needed, least[i]);
        enough = false;
    }
    return enough;
}

static void
make_guarded(const padding *p, int k, pad_axis *a)
{
    ilex_context *ctx = p->ctx;
    const ix_axis *ax = &p->x->interior->ax[k];
    a->is_below = is_below(p, k, a->at);
    a->is_above = is_above(p, k, a->at);
    a->below = ix_outside_other(ctx, p->mode, ax, a->at, false);
    a->above = ix_outside_other(ctx, p->mode, ax, a->at, true);
}

static void
too_short(const padding *p, int k, const ix_lin *length, const ix_lin *needed)
{
    ilex_context *ctx = p->ctx;
    const char *mode = ix_outside_names[p->mode];
    if (length->n == 0)
        ix_poison(ctx, "pad", 0, ILEX_E_EMPTY,
                  "pad: %s has nothing to take from axis %d, which has no "
                  "elements",
                  mode, k);
    else
        ix_poison(ctx, "pad", 0, ILEX_E_UNSUPPORTED,
                  "pad: %s adds %s and %s points to axis %d, whose length %s "
                  "is not known to be at least %s; assume %s >= %s",
                  mode, ix_lin_show(ctx, p->low[k]).s,
                  ix_lin_show(ctx, p->high[k]).s, k, ix_lin_show(ctx, length).s,
                  ix_lin_show(ctx, needed).s, ix_lin_show(ctx, length).s,
                  ix_lin_show(ctx, needed).s);
}

/* The indices along axis "k"; false after an error. */
static bool
make_axis(const padding *p, int k, pad_axis *a)
{
    ilex_context *ctx = p->ctx;
    const ix_axis *ax = &p->x->interior->ax[k];
    const ix_lin *length = ix_axis_extent(ctx, ax), *needed = NULL;
    *a = (pad_axis){.at = middle(p, k)};
    if (!length)
        return false;
    if (is_long_enough(p, k, length, &needed)) {
        make_guarded(p, k, a);
        return true;
    }
    if (length->n == 0 && length->c > 0) {
        ilex_array *j = ix_index_fma(ctx, a->at, -1, ix_index_lin(ctx, ax->lo));
        a->at = ix_index_fma(ctx, ix_index_lin(ctx, ax->lo), 1,
                             ix_outside_folded(ctx, p->mode, j, length->c));
        return true;
    }
    too_short(p, k, length, needed);
    return false;
}

/* The read at "index", whose entries from "k" on are those of "axis". */
static ilex_array *
guarded_read(const padding *p, const pad_axis *axis, int k, ilex_array **index)
{
    if (k == ix_rank(p->x))
        return ix_scalar_load(p->ctx, (ilex_dtype)p->x->dtype, 0, k, index);
    const pad_axis *a = &axis[k];
    index[k] = a->at;
    ilex_array *body = guarded_read(p, axis, k + 1, index);
    if (a->is_above) {
        index[k] = a->above;
        body = ix_structure_where(p->ctx, a->is_above,
                                  guarded_read(p, axis, k + 1, index), body);
    }
    if (a->is_below) {
        index[k] = a->below;
        body = ix_structure_where(p->ctx, a->is_below,
                                  guarded_read(p, axis, k + 1, index), body);
    }
    return body;
}

/* The array with these axes padded. */
static ilex_array *
pad_axes(const padding *p, uint32_t axes)
{
    pad_axis axis[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(p->x); k++) {
        axis[k] = (pad_axis){.at = ix_scalar_index(p->ctx, k)};
        if ((axes >> k & 1) && !make_axis(p, k, &axis[k]))
            return ix_poison_again(p->ctx);
    }
    const ix_domain *dom = padded_domain(p, axes);
    ilex_array *body = guarded_read(p, axis, 0, index);
    return dom ? ix_build_lambda(p->ctx, "pad", dom, body, 1, &p->x)
               : ix_poison_again(p->ctx);
}

/* Two axes at a time; by nothing, the interior. */
static ilex_array *
pad_by_mode(padding *p)
{
    int d = ix_rank(p->x);
    for (int k = 0; k < d;) {
        uint32_t axes = 0;
        for (int n = 0; k < d && n < AXES_AT_ONCE; k++)
            if (is_padded(p, k)) {
                axes |= (uint32_t)1 << k;
                n++;
            }
        if (axes)
            p->x = pad_axes(p, axes);
        if (ix_is_poison(p->x))
            return p->x;
    }
    return ix_build_restrict(p->ctx, "pad", p->x, p->x->interior);
}

ilex_array *
ix_build_pad(ilex_context *ctx, ilex_array *const *operands, int count,
             const ix_given *given)
{
    padding p = {.ctx = ctx,
                 .x = ix_structure_bounded(ctx, "pad", operands[0]),
                 .value = given[2].present ? given[2].value : NULL};
    (void)count;
    if (ix_is_poison(p.x) || !read_mode(ctx, &given[3], &p.mode) ||
        !read_widths(&p, "low", &given[0], p.low) ||
        !read_widths(&p, "high", &given[1], p.high))
        return ix_poison_again(ctx);
    if (p.mode != IX_OUTSIDE_VALUE && p.value)
        return ix_poison(ctx, "pad", 0, ILEX_E_ARGUMENT,
                         "pad: it has a value and the mode %s; one of them "
                         "says what is added",
                         ix_outside_names[p.mode]);
    p.x = ix_build_restrict(ctx, "pad", p.x, p.x->interior); /* no halo */
    if (ix_is_poison(p.x))
        return p.x;
    return p.mode == IX_OUTSIDE_VALUE ? pad_by_value(&p) : pad_by_mode(&p);
}
