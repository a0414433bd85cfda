/* SPDX-License-Identifier: MIT
 *
 * Pass guard: a `where` on indices that split left guards reads that may be
 * outside where its branch is not taken, so its branches become those of an IF
 * that fills a cell. needs: statements; gives: no guard outside reductions,
 * whose bodies are expanded when they get their loops; breaks: nothing.
 */
#include "compiler/tree/tree.h"

/* Finds the outermost guards of an expression. */
typedef struct guard_search {
    ix_builder *b;
    ix_map seen;
    ilex_array **found;
    size_t count, capacity;
} guard_search;

static void
search(guard_search *s, ilex_array *x)
{
    if (x->nops == 0 || x->kind == IX_REDUCE || x->kind == IX_LOAD ||
        !(x->flags & (IX_HAS_LOAD | IX_HAS_REDUCE)) || ix_map_find(&s->seen, x))
        return;
    ix_map_set(&s->seen, &s->b->mem, x, 1);
    if (ix_is_guard(x)) {
        ix_arena_grow(&s->b->u->arena, &s->found, &s->capacity, s->count + 1,
                      sizeof *s->found);
        s->found[s->count++] = x;
        return;
    }
    for (int i = 0; i < x->nops; i++)
        search(s, x->ops[i]);
}

/* Branches that store into "cell"; a guard in the last operand of another is
 * the other body, so that chains become `else if`. */
static void
put_branches(ix_builder *b, ix_stmt *cell, ilex_array *x)
{
    if (!ix_is_guard(x)) {
        ix_build_put(b,
                     ix_stmt_store(b->u, ix_element_scratch(b->u, cell, NULL),
                                   b->expand(b, x)));
        return;
    }
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_IF);
    s->value = x->ops[0];
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
    guard_search s = {.b = b};
    search(&s, x);
    ix_map_free(&s.seen, &b->mem);
    if (s.count == 0)
        return x;
    ix_substitution r = {.ctx = b->u->ctx};
    for (size_t i = 0; i < s.count; i++)
        if (!ix_map_set(&r.memo, &b->u->ctx->mem, s.found[i],
                        (size_t)expand(b, s.found[i])))
            ix_fail_memory(&b->u->ctx->error);
    x = ix_substitute(&r, x);
    ix_substitution_free(&r);
    return x;
}

static ix_stmt *
guard_stmt(ix_builder *b, ix_stmt *s)
{
    ix_stmt *t = ix_stmt_copy(b->u, s);
    if (t->value && s->kind != IX_STMT_IF)
        t->value = ix_guard_expand(b, t->value);
    return t;
}

bool
ix_pass_guard(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (!ix_rebuild(u, k, guard_stmt))
            return false;
    return true;
}
