/* SPDX-License-Identifier: MIT
 *
 * vector L: iterations run together in a vector unit. needs: an innermost loop
 * whose iterations are independent; gives: a mark, which the source shows to
 * the C compiler.
 */
#include "compiler/loop/distances.h"

static bool
is_no_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR;
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
        loop->how = IX_VECTOR;
    return r;
}
