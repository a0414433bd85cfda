/* SPDX-License-Identifier: MIT
 *
 * vector L: iterations run together in a vector unit. needs: an innermost loop
 * whose iterations are independent; gives: a mark, which the source shows to
 * the C compiler. The pass marks all that are known to be.
 */
#include "compiler/loop/distances.h"

static bool
is_no_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR;
}

/* Iterations that may come in any order may yet have a temporary one after the
 * other. */
static ix_refusal
runs_together(ix_unit *u, const ix_cursor *c)
{
    return ix_loop_has_temporary(u, c->k, ix_cursor_loop(c))
               ? ix_loop_carries(u, c)
               : (ix_refusal){IX_REFUSAL_NONE, NULL};
}

ix_refusal
ix_loop_vector(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c);
    (void)d;
    if (!ix_stmt_each(loop->body, is_no_loop, NULL))
        return ix_refuse(u, IX_REFUSAL_SHAPE, "there are loops in it");
    if (loop->how == IX_GRID)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_THREADS);
    ix_refusal r = ix_loop_independent(u, c);
    if (r.class == IX_REFUSAL_NONE)
        r = runs_together(u, c);
    if (r.class == IX_REFUSAL_NONE)
        loop->how = IX_VECTOR;
    return r;
}

/* ---- the pass ---- */

typedef struct marking {
    ix_unit *u;
    ix_kernel *k;
} marking;

static bool
mark(void *user, ix_stmt *s)
{
    const marking *m = user;
    ix_cursor c;
    if (s->kind == IX_STMT_FOR && s->how == IX_SERIAL && s->parallel &&
        ix_stmt_each(s->body, is_no_loop, NULL) &&
        (!m->k->has_own || !ix_loop_has_temporary(m->u, m->k, s) ||
         (ix_cursor_at(m->k, s, &c) && !runs_together(m->u, &c).class)))
        s->how = IX_VECTOR;
    return true;
}

static bool
mark_kernel(ix_unit *u, ix_kernel *k)
{
    marking m = {u, k};
    return ix_stmt_each(k->body, mark, &m);
}

/* needs: reductions as loops; gives: innermost loops whose iterations are
 * independent are for vector units; kernels are numbered without those that
 * `compute` left out. */
bool
ix_pass_vector(ix_unit *u)
{
    ix_unit_number(u);
    return ix_kernels_each(u, mark_kernel);
}
