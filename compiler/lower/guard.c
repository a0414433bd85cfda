/* SPDX-License-Identifier: MIT
 *
 * Pass guard: a `where` on indices that peel left guards reads that may be
 * outside where its branch is not taken, so its branches become those of an IF
 * that fills a cell. needs: statements; gives: no guard, in kernels with
 * reductions there is none since these got their loops; breaks: nothing.
 */
#include "compiler/lower/guard.h"

/* In a kernel with reductions all that is left is none. */
static bool
is_guard(const ix_builder *b, const ilex_array *x)
{
    return b->expand == ix_guard_expand ? ix_is_guard_still(x) : ix_is_guard(x);
}

static ix_pick
pick_guard(const ix_builder *b, const ilex_array *x)
{
    bool plain = x->kind == IX_LOAD && !(x->flags & IX_HAS_CHECK);
    if (x->nops == 0 || x->kind == IX_REDUCE || plain ||
        !(x->flags & (IX_HAS_LOAD | IX_HAS_REDUCE | IX_HAS_CHECK)))
        return IX_PICK_NOTHING;
    return is_guard(b, x) ? IX_PICK_IT : IX_PICK_INSIDE;
}

/* Branches that store into "cell"; a guard in the last operand of another is
 * the other body, so that chains become `else if`. */
static void
put_branches(ix_builder *b, ix_stmt *cell, ilex_array *x)
{
    if (!is_guard(b, x)) {
        ix_build_put(b, ix_stmt_store(b->u, ix_element_scratch(cell, NULL),
                                      b->expand(b, x)));
        return;
    }
    ilex_array *condition = b->expand(b, x->ops[0]);
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &condition}));
    ix_build_open(b, s);
    put_branches(b, cell, x->ops[1]);
    ix_build_else(b, s);
    put_branches(b, cell, x->ops[2]);
    ix_build_close(b, s);
}

/* The cell that a guard fills, in the block where its indices are known. */
static ilex_array *
expand(ix_builder *b, ilex_array *x)
{
    const ix_known *known = ix_build_known(b, x);
    if (known)
        return known->leaf;
    int depth = ix_build_depth(b, x);
    depth = depth < b->floor ? b->floor : depth;
    ix_aside aside = ix_build_aside(b, depth);
    ix_stmt *cell = ix_build_cell(b, 't', (ilex_dtype)x->dtype, NULL);
    put_branches(b, cell, x);
    ilex_array *leaf = ix_value_of(b->u, cell);
    ix_build_note(b, x, leaf, depth);
    ix_build_back(b, &aside);
    return leaf;
}

ilex_array *
ix_guard_expand(ix_builder *b, ilex_array *x)
{
    return ix_build_replace(b, x, pick_guard, expand);
}

static ix_stmt *
guard_stmt(ix_builder *b, ix_stmt *s)
{
    ix_stmt *t = ix_stmt_copy(b->u, s);
    b->expand = ix_guard_expand;
    for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
        t->x[i] = ix_guard_expand(b, t->x[i]);
    return t;
}

bool
ix_guard_kernel(ix_unit *u, ix_kernel *k)
{
    return !ix_kernel_has(k, IX_HAS_GUARD) || ix_rebuild(u, k, guard_stmt);
}

bool
ix_pass_guard(ix_unit *u)
{
    return ix_kernels_each(u, ix_guard_kernel);
}
