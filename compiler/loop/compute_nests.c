/* SPDX-License-Identifier: MIT
 *
 * The nests of a temporary that is computed again, as they stand in loop L of
 * its reader: loops over its axes run over what an iteration reads, too.
 */
#include "compiler/loop/compute.h"

/* ---- elements of what an iteration has ---- */

ilex_array *
ix_compute_index(const ix_computing *x, int d, ilex_array *index)
{
    ilex_array *from = x->box.axis[d].from;
    return from ? ix_index_try_fma(x->u->ctx, index, -1, from) : index;
}

ix_stmt *
ix_compute_element(ix_computing *x, ix_stmt *s, ilex_array *const *index)
{
    ilex_array *now[ILEX_MAX_RANK];
    for (int d = 0; d < x->box.rank; d++) {
        now[d] = ix_compute_index(x, d, index[d]);
        x->crowded |= !now[d];
    }
    if (x->crowded)
        return s;
    s = ix_stmt_with_group(x->u, s, IX_INDICES, x->box.rank, now);
    s->buffer = x->made;
    return s;
}

/* ---- bounds of its loops ---- */

/* The index with "by" for a part that has a positive factor in it. */
static ilex_array *
with(const ix_computing *x, ilex_array *index, ilex_array *part, ilex_array *by)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *now = NULL;
    ix_index_form f;
    ix_index_form_of(index, &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom == part && f.t[i].k > 0) {
            now = ix_index_try_fma(ctx, index, -f.t[i].k, part);
            now = now ? ix_index_try_fma(ctx, now, f.t[i].k, by) : NULL;
        }
    return now ? now : index;
}

/* The index in the first iterations of the loops around, or in the last ones:
 * no larger a lower bound, no smaller an upper one. */
static ilex_array *
outermost(const ix_computing *x, int group, ilex_array *index)
{
    ilex_context *ctx = x->u->ctx;
    const ix_kernel *k = x->at->k;
    bool upper = group == (int)IX_for_hi;
    for (int d = x->at->depth; d >= 0; d--) {
        const ix_stmt *s =
            d == x->at->depth ? ix_cursor_loop(x->at) : x->at->around[d];
        if (s->kind == IX_STMT_FOR)
            index = with(x, index, ix_scalar_index(ctx, s->number),
                         ix_index_offset(ctx, ix_first_operand(s, group),
                                         upper ? -1 : 0));
    }
    if (k->axis < 0)
        return index;
    const ix_axis *ax = &k->box->ax[k->axis];
    return with(x, index, ix_range_value(x->u, upper),
                ix_index_lin(ctx, upper ? ax->hi : ax->lo));
}

/* Is bound "a" of a group known to be no tighter than "b"? */
static bool
is_implied(const ix_computing *x, int group, ilex_array *a, ilex_array *b)
{
    bool lower = group == (int)IX_for_lo;
    ilex_array *less = lower ? a : outermost(x, group, b);
    ilex_array *more = lower ? outermost(x, group, b) : a;
    return ix_index_is_positive(x->u,
                                ix_index_try_fma(x->u->ctx, more, -1, less));
}

/* The loop with one more bound, without those that it implies. */
static ix_stmt *
bounded(ix_computing *x, ix_stmt *loop, int group, ilex_array *bound)
{
    ilex_array *kept[IX_MOST_BOUNDS + 1];
    int n = 0;
    for (int i = 0; i < loop->n[group]; i++) {
        ilex_array *was = ix_operands(loop, group)[i];
        if (is_implied(x, group, bound, was))
            return loop;
        if (!is_implied(x, group, was, bound))
            kept[n++] = was;
    }
    kept[n++] = bound;
    x->crowded |= n > IX_MOST_BOUNDS - 2;
    return x->crowded ? loop : ix_stmt_with_group(x->u, loop, group, n, kept);
}

/* The loop over what an iteration reads along an axis. */
static ix_stmt *
over_box(ix_computing *x, ix_stmt *loop, const ix_box_axis *ax)
{
    for (int i = 0; i < ax->lo.n; i++)
        loop = bounded(x, loop, IX_for_lo, ax->lo.x[i]);
    for (int i = 0; i < ax->hi.n; i++)
        loop = bounded(x, loop, IX_for_hi,
                       ix_index_offset(x->u->ctx, ax->hi.x[i], 1));
    loop->optional = ix_loop_may_be_empty(x->u, loop);
    return loop;
}

/* ---- its nests ---- */

/* A statement of a nest: a loop over an axis, or what stores the element. */
static ix_stmt *
move_stmt(void *user, ix_stmt *s)
{
    ix_computing *x = user;
    if (s->kind == IX_STMT_STORE && s->buffer == x->buffer)
        return ix_compute_element(x, s, x->index);
    for (int d = 0; s->kind == IX_STMT_FOR && d < x->box.rank; d++)
        if (x->index[d] == ix_scalar_index(x->u->ctx, s->number))
            return over_box(x, s, &x->box.axis[d]);
    return s;
}

static bool
find_index(void *user, ix_stmt *s)
{
    ix_computing *x = user;
    if (s->kind == IX_STMT_STORE && s->buffer == x->buffer)
        x->index = ix_operands(s, IX_INDICES);
    return true;
}

/* A nest, in loops over one point where it stores a constant index. */
static ix_stmt *
moved_nest(ix_computing *x, ix_stmt *nest)
{
    ix_unit *u = x->u;
    x->index = NULL;
    ix_stmt_each(nest, find_index, x);
    if (!x->index)
        return nest;
    ilex_array *const *index = x->index;
    nest = ix_stmt_rewrite(nest, move_stmt, x);
    for (int d = 0; d < x->box.rank; d++) {
        if (index[d]->kind != IX_CONST)
            continue;
        ix_stmt *loop = ix_stmt_for(
            u, ix_kernel_variable(u, x->at->k, IX_VARIABLE_COMPUTED), index[d],
            ix_index_offset(u->ctx, index[d], 1));
        loop = over_box(x, loop, &x->box.axis[d]);
        loop->parallel = true;
        loop->array = nest->array;
        loop->body = nest;
        nest = loop;
    }
    return nest;
}

/* Loops over axes of the other kernel get variables of their own. */
typedef struct renaming {
    ix_substitution s;
    int axes, variable[ILEX_MAX_RANK];
} renaming;

static bool
rename_loop(void *user, ix_stmt *s)
{
    const renaming *r = user;
    if (s->kind == IX_STMT_FOR && s->number < r->axes)
        s->number = r->variable[s->number];
    return true;
}

/* The statements that write it, by names of L's kernel. */
static ix_stmt *
adopted(ix_computing *x)
{
    ix_unit *u = x->u;
    ix_kernel *k = x->at->k, from = *ix_compute_naive(x);
    renaming r = {.axes = ix_kernel_axes(&from)};
    r.s = (ix_substitution){
        .ctx = u->ctx, .mem = &u->mem, .became = ix_origin_keep, .user = u};
    /* first, so that what is adopted has no number of an axis */
    for (int i = 0; i < r.axes; i++) {
        r.variable[i] = ix_kernel_variable(u, k, IX_VARIABLE_COMPUTED);
        ix_substitution_set(&r.s, ix_scalar_index(u->ctx, i),
                            ix_scalar_index(u->ctx, r.variable[i]));
    }
    size_t first = k->nvariables;
    from.body = ix_stmts_without(ix_stmt_clone(u, NULL, from.body),
                                 ix_buffers_but(u, x->buffer, true));
    ix_stmt *list = ix_kernel_adopt(u, k, &from);
    size_t end = k->nvariables;
    for (size_t i = first; i < end; i++)
        if (k->variable[i].part_of >= 0 && k->variable[i].part_of < r.axes)
            k->variable[i].part_of = r.variable[k->variable[i].part_of];
    list = ix_stmt_substitute(u, &r.s, list);
    ix_substitution_free(&r.s);
    ix_stmt_each(list, rename_loop, &r);
    return list;
}

ix_stmt *
ix_compute_nests(ix_computing *x)
{
    ix_stmt *list = adopted(x), *first = NULL, **tail = &first;
    for (ix_stmt *next; list; list = next) {
        next = list->next;
        list->next = NULL;
        *tail = moved_nest(x, list);
        tail = &(*tail)->next;
    }
    return x->crowded ? NULL : first;
}
