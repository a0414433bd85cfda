/* SPDX-License-Identifier: MIT */
#include "lib/shape/broadcast.h"

#include <string.h>

bool
ix_lin_same(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    return a && b &&
           (a == b ||
            (ix_lin_le(ctx, a, b) == IX_YES && ix_lin_le(ctx, b, a) == IX_YES));
}

bool
ix_axis_inside(ilex_context *ctx, const ix_axis *a, const ix_axis *b)
{
    return ix_lin_le(ctx, b->lo, a->lo) == IX_YES &&
           ix_lin_le(ctx, a->hi, b->hi) == IX_YES;
}

const ix_lin *
ix_meet_bounds(ilex_context *ctx, const char *operation, int32_t axis,
               const ix_lin *a, const ix_lin *b, bool upper)
{
    ix_error_mark before = ix_errors_mark(&ctx->error);
    const ix_lin *r = upper ? ix_lin_min(ctx, a, b) : ix_lin_max(ctx, a, b);
    if (!r && ix_errors_since(&ctx->error, before) == ILEX_OK) {
        ix_lin_text s = ix_lin_show(ctx, a), t = ix_lin_show(ctx, b);
        ix_fail(&ctx->error, ILEX_E_UNDECIDED,
                "%s: on axis %s the %s bounds %s and %s cannot be compared for "
                "all sizes; assume %s <= %s or %s <= %s",
                operation, ix_symbol_text(ctx, axis), upper ? "upper" : "lower",
                s.s, t.s, s.s, t.s, t.s, s.s);
    }
    return r;
}

/* Reports that "met", of "a" and "b", has no point for any sizes although each
 * of them may have some. */
static bool
check_met(ilex_context *ctx, const char *operation, const ix_axis *met,
          const ix_axis *a, const ix_axis *b)
{
    if ((met->lo == a->lo && met->hi == a->hi) ||
        (met->lo == b->lo && met->hi == b->hi) ||
        ix_lin_le(ctx, met->hi, met->lo) != IX_YES ||
        ix_lin_le(ctx, a->hi, a->lo) == IX_YES ||
        ix_lin_le(ctx, b->hi, b->lo) == IX_YES)
        return true;
    const char *name = ix_symbol_text(ctx, met->name);
    return ix_fail_false(
        &ctx->error, ILEX_E_EMPTY,
        "%s: [%s:%s:%s] and [%s:%s:%s] have no point in common, whatever the "
        "sizes; a field is moved by a shift, u[%s+5]",
        operation, name, ix_lin_show(ctx, a->lo).s, ix_lin_show(ctx, a->hi).s,
        name, ix_lin_show(ctx, b->lo).s, ix_lin_show(ctx, b->hi).s, name);
}

const ix_domain *
ix_domain_meet(ilex_context *ctx, const char *operation, const ix_domain *a,
               const ix_domain *b)
{
    if (a == b || !a || !b)
        return a && b ? a : NULL;
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < a->rank; k++) {
        int j = a->ax[k].name ? ix_domain_find(b, a->ax[k].name) : k;
        ax[k].name = a->ax[k].name;
        ax[k].lo = ix_meet_bounds(ctx, operation, ax[k].name, a->ax[k].lo,
                                  b->ax[j].lo, false);
        ax[k].hi = ix_meet_bounds(ctx, operation, ax[k].name, a->ax[k].hi,
                                  b->ax[j].hi, true);
        if (!ax[k].lo || !ax[k].hi ||
            !check_met(ctx, operation, &ax[k], &a->ax[k], &b->ax[j]))
            return NULL;
    }
    return ix_domain_new(ctx, a->rank, ax);
}

/* ---- staggered axes ---- */

bool
ix_axes_are_partners(const ilex_context *ctx, int32_t a, int32_t b)
{
    const char *s = ix_symbol_text(ctx, a), *t = ix_symbol_text(ctx, b);
    return ix_axis_is_partner(s, t) || ix_axis_is_partner(t, s);
}

/* Reports an axis and its partner. */
static bool
refuse_partners(ilex_context *ctx, const char *what, int32_t a, int32_t b)
{
    const char *s = ix_symbol_text(ctx, a), *t = ix_symbol_text(ctx, b);
    const char *axis = strlen(s) < strlen(t) ? s : t;
    ix_fail(&ctx->error, ILEX_E_AXIS,
            "%s: the axes %s and %s+1/2, which is staggered to it, do not "
            "occur together; move one of the fields by half a cell, u[%s+1/2]",
            what, axis, axis, axis);
    return true;
}

bool
ix_domain_has_partners(ilex_context *ctx, const char *what,
                       const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++)
        for (int j = 0; dom->ax[k].name && j < k; j++)
            if (ix_axes_are_partners(ctx, dom->ax[j].name, dom->ax[k].name))
                return refuse_partners(ctx, what, dom->ax[j].name,
                                       dom->ax[k].name);
    return false;
}

/* ---- unnamed axes ---- */

/* Extent of result axis "k" (from the right) over the operands. */
static const ix_lin *
common_length(ilex_context *ctx, const char *operation, int count,
              ilex_array *const *operands, int from_right)
{
    const ix_lin *length = NULL;
    for (int i = 0; i < count; i++) {
        int k = ix_rank(operands[i]) - 1 - from_right;
        if (k < 0)
            continue;
        const ix_lin *hi = operands[i]->interior->ax[k].hi;
        if (!length || ix_lin_is(length, 1) || ix_lin_same(ctx, length, hi)) {
            length = !length || ix_lin_is(length, 1) ? hi : length;
        } else if (!ix_lin_is(hi, 1)) {
            return ix_fail_null(
                &ctx->error, ILEX_E_SHAPE,
                "%s: the lengths %s and %s of axis -%d are not %sequal, and "
                "neither is 1%s",
                operation, ix_lin_show(ctx, length).s, ix_lin_show(ctx, hi).s,
                from_right + 1, length->n || hi->n ? "known to be " : "",
                ix_lin_propose(ctx, ix_lin_sub(ctx, length, hi), true).s);
        }
    }
    return length;
}

static bool
positional(ilex_context *ctx, const char *operation, int count,
           ilex_array *const *operands, int rank, ix_broadcast *result)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < rank; k++) {
        ax[k].name = 0;
        ax[k].lo = ix_lin_const(ctx, 0);
        ax[k].hi = common_length(ctx, operation, count, operands, rank - 1 - k);
        if (!ax[k].hi)
            return false;
    }
    result->interior = result->valid = ix_domain_new(ctx, rank, ax);
    return result->interior != NULL;
}

/* ---- named axes ---- */

/* Does "x" have every axis of "names"? */
static bool
has_all(const ilex_array *x, const int32_t *names, int n)
{
    for (int k = 0; k < n; k++)
        if (ix_domain_find(x->interior, names[k]) < 0)
            return false;
    return true;
}

/* Rank of an axis name in the canonical order: I, J, K first. */
static int
canonical_rank(const ilex_context *ctx, int32_t name)
{
    const char *s = ix_symbol_text(ctx, name);
    return s[0] >= 'I' && s[0] <= 'K' && !s[1] ? s[0] - 'I' : 3;
}

/* Union of the operands' axes: I J K, then order of appearance. */
static int
collect_names(ilex_context *ctx, int count, ilex_array *const *operands,
              int32_t *names)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < ix_rank(operands[i]); k++) {
            int32_t name = operands[i]->interior->ax[k].name;
            int at = 0;
            while (at < n && names[at] != name)
                at++;
            if (at < n)
                continue;
            if (n == ILEX_MAX_RANK)
                return -1;
            for (at = n; at > 0 && canonical_rank(ctx, names[at - 1]) >
                                       canonical_rank(ctx, name);
                 at--)
                names[at] = names[at - 1];
            names[at] = name;
            n++;
        }
    return n;
}

int
ix_broadcast_order(ilex_context *ctx, int count, ilex_array *const *operands,
                   int32_t *names)
{
    int n = collect_names(ctx, count, operands, names);
    for (int i = 0; i < count; i++)
        if (ix_rank(operands[i]) == n && has_all(operands[i], names, n)) {
            for (int k = 0; k < n; k++)
                names[k] = operands[i]->interior->ax[k].name;
            break;
        }
    return n;
}

/* Puts the range of one more operand into "ax"; of interiors ("nominal") some
 * point is common. */
static bool
meet_axis(ilex_context *ctx, const char *operation, const ix_axis *with,
          bool nominal, ix_axis *ax)
{
    if (!ax->lo) {
        *ax = *with;
        return true;
    }
    const ix_axis before = *ax;
    ax->lo = ix_meet_bounds(ctx, operation, ax->name, ax->lo, with->lo, false);
    ax->hi = ix_meet_bounds(ctx, operation, ax->name, ax->hi, with->hi, true);
    return ax->lo && ax->hi &&
           (!nominal || check_met(ctx, operation, ax, &before, with));
}

static bool
by_name(ilex_context *ctx, const char *operation, int count,
        ilex_array *const *operands, ix_broadcast *result)
{
    int32_t names[ILEX_MAX_RANK];
    int n = ix_broadcast_order(ctx, count, operands, names);
    if (n < 0)
        return ix_fail_false(
            &ctx->error, ILEX_E_RANK,
            "%s: the operands have more than %d different axes", operation,
            ILEX_MAX_RANK);
    ix_axis interior[ILEX_MAX_RANK] = {{0}}, valid[ILEX_MAX_RANK] = {{0}};
    for (int k = 0; k < n; k++) {
        interior[k].name = valid[k].name = names[k];
        for (int i = 0; i < count; i++) {
            int j = ix_rank(operands[i]) == 0
                        ? -1
                        : ix_domain_find(operands[i]->interior, names[k]);
            if (j >= 0 &&
                (!meet_axis(ctx, operation, &operands[i]->interior->ax[j], true,
                            &interior[k]) ||
                 !meet_axis(ctx, operation, &operands[i]->valid->ax[j], false,
                            &valid[k])))
                return false;
        }
    }
    result->interior = ix_domain_new(ctx, n, interior);
    result->valid = ix_domain_new(ctx, n, valid);
    return result->interior && result->valid &&
           !ix_domain_has_partners(ctx, operation, result->interior);
}

bool
ix_broadcast_domains(ilex_context *ctx, const char *operation, int count,
                     ilex_array *const *operands, ix_broadcast *result)
{
    int rank = 0, named = 0, unnamed = 0;
    for (int i = 0; i < count; i++) {
        int d = ix_rank(operands[i]);
        rank = d > rank ? d : rank;
        if (d > 0 && ix_domain_named(operands[i]->interior))
            named = i + 1;
        else if (d > 0)
            unnamed = i + 1;
    }
    if (named && unnamed)
        return ix_fail_false(
            &ctx->error, ILEX_E_AXIS,
            "%s: operand %d has named axes (%s) and operand %d unnamed ones "
            "(%s); they do not broadcast with each other",
            operation, named - 1,
            ix_domain_show(ctx, operands[named - 1]->interior).s, unnamed - 1,
            ix_domain_show(ctx, operands[unnamed - 1]->interior).s);
    return named ? by_name(ctx, operation, count, operands, result)
                 : positional(ctx, operation, count, operands, rank, result);
}

void
ix_broadcast_indices(ilex_context *ctx, const ix_domain *result,
                     const ilex_array *x, ilex_array **index)
{
    int d = ix_rank(x);
    for (int k = 0; k < d; k++) {
        const ix_axis *ax = &x->interior->ax[k];
        int at =
            ax->name ? ix_domain_find(result, ax->name) : result->rank - d + k;
        bool stretched =
            !ax->name && ix_lin_is(ax->hi, 1) && result->ax[at].hi != ax->hi;
        index[k] =
            stretched ? ix_index_const(ctx, 0) : ix_scalar_index(ctx, at);
    }
}
