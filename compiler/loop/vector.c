/* SPDX-License-Identifier: MIT
 *
 * vector L: iterations run together in a vector unit. needs: an innermost loop
 * whose iterations are independent; gives: a mark, which the source shows to
 * the C compiler. The pass marks all that are known to be.
 */
#include "compiler/loop/distances.h"

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
    if (!ix_stmt_is_innermost(loop))
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
    bool *own; /* has a kernel, by number, temporaries of a part of a run? */
} marking;

static bool
mark(void *user, ix_stmt *s)
{
    const marking *m = user;
    ix_cursor c;
    if (s->kind == IX_STMT_FOR && s->how == IX_SERIAL && s->parallel &&
        ix_stmt_is_innermost(s) &&
        (!m->own[m->k->number] || !ix_loop_has_temporary(m->u, m->k, s) ||
         (ix_cursor_at(m->k, s, &c) && !runs_together(m->u, &c).class)))
        s->how = IX_VECTOR;
    return true;
}

/* needs: reductions as loops; gives: innermost loops whose iterations are
 * independent are for vector units; kernels are numbered without those that
 * `compute` left out. */
bool
ix_pass_vector(ix_unit *u)
{
    ix_unit_number(u);
    marking m = {.u = u};
    m.own = ix_arena_new(&u->arena, (size_t)u->nkernels + 1);
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].own)
            m.own[u->buffer[i].own->number] = true;
    for (m.k = u->kernels; m.k && !u->reference; m.k = m.k->next) {
        const ix_env *before = ix_kernel_known(u, m.k);
        ix_stmt_each(m.k->body, mark, &m);
        u->ctx->facts = before;
    }
    return true;
}
