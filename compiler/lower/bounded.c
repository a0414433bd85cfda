/* SPDX-License-Identifier: MIT
 *
 * Reductions whose guard lets only some ranges of an axis in: what is left out
 * changes nothing. Chunks and lanes stay those of the whole axis, so every
 * element meets the accumulators that it would meet. A sum of floats starts
 * from -0.0, and +0.0, which left out elements are, is added where there are
 * any: only the sign of a zero is theirs.
 */
#include "compiler/lower/ranges.h"

#include "lib/ops/dtype.h"

/* ---- values ---- */

static ilex_array *
less(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ops);
}

static ilex_array *
either(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, IX_OP_LOGICAL_OR, ILEX_BOOL, ILEX_BOOL, ops);
}

static ilex_array *
choice(ilex_context *ctx, ilex_array *condition, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[3] = {condition, a, b};
    ilex_dtype dtype = (ilex_dtype)a->dtype;
    return ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype, ops);
}

/* "x" as a leaf. */
static ilex_array *
leaf(ix_builder *b, char prefix, ilex_array *x)
{
    return x->nops ? ix_value_of(b->u, ix_build_let(b, prefix, x)) : x;
}

static ilex_array *
bound(ix_builder *b, bool lower, ilex_array *x)
{
    return x->nops ? ix_build_bound(b, lower, x) : x;
}

/* ---- ranges ---- */

/* The ends of a disjunct inside of the axis, the upper one at the beginning of
 * the axis where the gate is closed. */
static void
set_range(ix_reduce_axis *x, const ix_disjunct *p, ilex_array **lo,
          ilex_array **hi)
{
    ilex_context *ctx = x->b->u->ctx;
    *lo = x->lo;
    *hi = x->hi;
    for (int i = 0; i < p->n[0]; i++)
        *lo = ix_index_max(ctx, *lo, p->bound[0][i]);
    for (int i = 0; i < p->n[1]; i++)
        *hi = ix_index_min(ctx, *hi, p->bound[1][i]);
    if (p->gate)
        *hi = choice(ctx, p->gate, *hi, x->lo);
    *lo = *lo == x->lo ? x->lo : bound(x->b, true, *lo);
    *hi = *hi == x->hi ? x->hi : bound(x->b, false, *hi);
}

/* Sets the range that holds all disjuncts. */
static void
set_hull(ix_reduce_axis *x, ix_ranges *r)
{
    ilex_context *ctx = x->b->u->ctx;
    r->lo = r->range[0][0];
    r->hi = r->range[1][0];
    if (r->n == 1)
        return;
    r->lo = x->hi;
    r->hi = x->lo;
    for (int i = 0; i < r->n; i++) {
        ilex_array *lo = r->range[0][i], *hi = r->range[1][i];
        ilex_array *any = less(ctx, lo, hi);
        r->lo = ix_index_min(ctx, r->lo, choice(ctx, any, lo, x->hi));
        r->hi = ix_index_max(ctx, r->hi, choice(ctx, any, hi, x->lo));
    }
    r->lo = bound(x->b, true, r->lo);
    r->hi = bound(x->b, false, r->hi);
}

/* The zero of a float or complex accumulator that a left out element is. */
static ilex_array *
zero_of(const ix_reduce_axis *x)
{
    ix_value v = {.i = 0};
    ix_reduction_empty(ix_reduction_of(x->n), x->acc, &v);
    return ix_scalar_const(x->b->u->ctx, x->acc, v);
}

/* Zero where the condition holds, else the identity. */
static ilex_array *
zero_where(ix_reduce_axis *x, ilex_array *condition)
{
    return leaf(
        x->b, 't',
        choice(x->b->u->ctx, condition, zero_of(x), ix_reduce_identity(x)));
}

/* Accumulators start with the zero where something is left out at the ends. */
static void
set_first(ix_reduce_axis *x, ix_ranges *r)
{
    ilex_context *ctx = x->b->u->ctx;
    r->first = ix_reduce_identity(x);
    r->zeros =
        r->first != zero_of(x) && ix_reduction_of(x->n) == IX_REDUCTION_SUM;
    if (!r->zeros)
        return;
    ilex_array *before = less(ctx, x->lo, r->lo),
               *behind = less(ctx, r->hi, x->hi);
    ilex_array *out = r->lo == x->lo   ? behind
                      : r->hi == x->hi ? before
                                       : either(ctx, before, behind);
    r->first = zero_where(x, out);
}

bool
ix_reduce_bound(ix_reduce_axis *x, bool *never)
{
    ix_disjuncts disjuncts;
    *never = false;
    if (!ix_disjuncts_of(x, &disjuncts))
        return false;
    *never = disjuncts.n == 0;
    if (*never)
        return true;
    ix_ranges *r = ix_arena_new(&x->b->u->arena, sizeof *r);
    r->n = disjuncts.n;
    for (int i = 0; i < r->n; i++)
        set_range(x, &disjuncts.disjunct[i], &r->range[0][i], &r->range[1][i]);
    set_hull(x, r);
    set_first(x, r);
    if (disjuncts.exact && x->lanes == 1)
        x->body = ix_disjuncts_body(x);
    x->ranges = r;
    return true;
}

/* ---- loops ---- */

ix_stmt *
ix_reduce_loop(ix_reduce_axis *x, ix_variable_role role, ilex_array *lo,
               ilex_array *hi)
{
    ix_unit *u = x->b->u;
    int variable = ix_kernel_part(u, x->b->k, role, x->variable);
    if (x->variable < 0) {
        x->variable = variable;
        x->b->k->variable[variable].reduction = x->k == 0 ? x->n : NULL;
    }
    return ix_stmt_for(u, variable, lo, hi);
}

ix_stmt *
ix_reduce_narrow(ix_reduce_axis *x, const ix_stmt *loop, ilex_array *lo,
                 ilex_array *hi)
{
    const ix_ranges *r = x->ranges;
    ilex_array *from[2] = {ix_for_lo(loop), lo}, *to[2] = {ix_for_hi(loop), hi};
    ix_stmt *narrow = ix_stmt_with(
        x->b->u, loop,
        IX_OPERANDS({1 + (r->lo != x->lo), from}, {1 + (r->hi != x->hi), to}));
    narrow->optional = true;
    return narrow;
}

/* into = into + 0 where the condition holds: elements are left out there. */
static void
leave_out(ix_reduce_axis *x, ix_stmt *into, ilex_array *condition)
{
    if (x->ranges->zeros)
        ix_reduce_update(x, into, zero_where(x, condition));
}

/* The first range, of all disjuncts together, behind "from": from the nearest
 * beginning to the last end of the disjuncts that begin there or before. */
static void
next_range(ix_reduce_axis *x, ilex_array *from, ilex_array *limit,
           ilex_array **lo, ilex_array **hi)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    const ix_ranges *r = x->ranges;
    ilex_array *begin[IX_RANGE_DISJUNCTS], *end[IX_RANGE_DISJUNCTS];
    *lo = limit;
    for (int i = 0; i < r->n; i++) {
        ilex_array *at = ix_index_max(ctx, r->range[0][i], from);
        end[i] = ix_index_min(ctx, r->range[1][i], limit);
        begin[i] = choice(ctx, less(ctx, at, end[i]), at, limit);
        *lo = ix_index_min(ctx, *lo, begin[i]);
    }
    *lo = leaf(b, 't', *lo);
    *hi = *lo;
    for (int i = 0; i < r->n; i++) {
        ilex_array *later = less(ctx, *lo, begin[i]);
        *hi = ix_index_max(ctx, *hi, choice(ctx, later, *lo, end[i]));
    }
    *hi = leaf(b, 't', *hi);
}

static void
accumulate_loop(ix_reduce_axis *x, ix_stmt *loop, ix_stmt *into)
{
    ix_build_open(x->b, loop);
    ix_reduce_accumulate(x, into, ix_scalar_index(x->b->u->ctx, loop->number),
                         NULL);
    ix_build_close(x->b, loop);
}

/* Each round does one range; there are at most as many as disjuncts. */
static void
in_ranges(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi, ix_stmt *into)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ilex_array *from, *to;
    ix_stmt *done = ix_build_cell(b, 't', ILEX_I64, lo);
    ix_stmt *round =
        ix_reduce_loop(x, IX_VARIABLE_RANGE, ix_index_const(ctx, 0),
                       ix_index_const(ctx, x->ranges->n));
    ix_build_open(b, round);
    ilex_array *at = ix_build_read(b, done, NULL);
    next_range(x, at, hi, &from, &to);
    leave_out(x, into, less(ctx, at, from));
    accumulate_loop(x, ix_reduce_loop(x, IX_VARIABLE_ELEMENT, from, to), into);
    ix_build_put(b, ix_stmt_store(b->u, ix_element_scratch(done, NULL), to));
    ix_build_close(b, round);
    leave_out(x, into, less(ctx, ix_build_read(b, done, NULL), hi));
}

void
ix_reduce_bounded(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi,
                  ix_stmt *into)
{
    if (x->ranges->n > 1) {
        in_ranges(x, lo, hi, into);
        return;
    }
    ix_stmt *loop = ix_reduce_loop(x, IX_VARIABLE_ELEMENT, lo, hi);
    loop = ix_reduce_narrow(x, loop, x->ranges->lo, x->ranges->hi);
    accumulate_loop(x, loop, into);
}
