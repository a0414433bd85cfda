/* SPDX-License-Identifier: MIT
 *
 * Passes map and vector: how loops run.
 */
#include "compiler/tree/tree.h"

/* ---- map: the kernel's range and, on a GPU, the grid ---- */

/* A kernel is called for a range [begin, end) inside its box, so the outermost
 * loop of a nest that spans the box needs no other bounds. */
static bool
spans_box(ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    const ix_axis *ax = &k->box->ax[0];
    return loop->nlo == 1 && loop->nhi == 1 &&
           loop->lo[0] == ix_index_lin(u->ctx, ax->lo) &&
           loop->hi[0] == ix_index_lin(u->ctx, ax->hi);
}

/* Bounds with one more in front, or that one alone. */
static void
bound_by(ix_unit *u, ilex_array *v, bool alone, ilex_array ***bounds, int *n)
{
    ilex_array **r = ix_arena_new(&u->arena, ((size_t)*n + 2) * sizeof *r);
    r[0] = v;
    if (!alone)
        memcpy(r + 1, *bounds, (size_t)*n * sizeof *r);
    *bounds = r;
    *n = alone ? 1 : *n + 1;
}

static bool
depends_on_index(int n, ilex_array *const *x)
{
    for (int i = 0; i < n; i++)
        if (x[i]->flags & IX_HAS_INDEX)
            return true;
    return false;
}

/* The rectangular outer loops of a nest are spread over threads. */
static void
spread(ix_stmt *loop)
{
    for (; loop && loop->kind == IX_STMT_FOR &&
           !depends_on_index(loop->nlo, loop->lo) &&
           !depends_on_index(loop->nhi, loop->hi);
         loop = loop->body)
        loop->how = IX_GRID;
}

static void
map_nest(ix_unit *u, const ix_kernel *k, ix_stmt *nest)
{
    bool alone = spans_box(u, k, nest);
    bound_by(u, ix_range_value(u, false), alone, &nest->lo, &nest->nlo);
    bound_by(u, ix_range_value(u, true), alone, &nest->hi, &nest->nhi);
    if (u->cuda)
        spread(nest);
}

/* On a GPU a kernel without loops is for one thread. */
static void
map_single(ix_unit *u, ix_kernel *k)
{
    ix_stmt *loop =
        ix_stmt_for(u, ix_kernel_variable(u, k, 'g'), ix_index_const(u->ctx, 0),
                    ix_index_const(u->ctx, 1));
    loop->how = IX_GRID;
    loop->body = k->body;
    k->body = loop;
}

static ix_stmt *
copy_stmt(ix_builder *b, ix_stmt *s)
{
    return ix_stmt_copy(b->u, s);
}

/* needs: nests; gives: [begin, end) bounds the outermost loops; on a GPU they
 * are spread over threads with those inside that are rectangular. Copies the
 * statements, so that those of k->nests stay. */
bool
ix_pass_map(ix_unit *u)
{
    u->level = IX_LEVEL_TARGET;
    if (u->reference)
        return true;
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        if (!ix_rebuild(u, k, copy_stmt))
            return false;
        for (ix_stmt *nest = k->body; nest; nest = nest->next)
            if (nest->kind == IX_STMT_FOR)
                map_nest(u, k, nest);
        if (u->cuda && k->body->kind != IX_STMT_FOR)
            map_single(u, k);
    }
    return u->ctx->error.code == ILEX_OK;
}

/* ---- vector ---- */

static bool
is_no_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR;
}

static bool
mark_vector(void *user, ix_stmt *s)
{
    (void)user;
    if (s->kind == IX_STMT_FOR && s->how == IX_SERIAL && s->parallel &&
        ix_stmt_each(s->body, is_no_loop, NULL))
        s->how = IX_VECTOR;
    return true;
}

/* needs: reductions as loops; gives: innermost loops whose iterations are
 * independent are for vector units. */
bool
ix_pass_vector(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        ix_stmt_each(k->body, mark_vector, NULL);
    return true;
}
