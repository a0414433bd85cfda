/* SPDX-License-Identifier: MIT
 *
 * store T: a value that the pass partition would compute where it is read is a
 * temporary. It is noted before there are kernels.
 *
 *     stage y on [n]                            stage T on [n + 1]
 *       = exp(x[i]) - exp(x[i - 1])               = exp(x[i])
 *                                               stage y on [n]
 *                                                 = T[i] - T[i - 1]
 *
 * Each operation is the same, so is each bit; and what is stored may fail, as
 * it is computed at all points of its box, only where it does without that, for
 * partition stores what checks data unless each point of it is read.
 */
#include "compiler/loop/loop.h"

/* Is the value at position "i" called so, by the program or where the graph is
 * printed? */
static bool
is_called(const ix_unit *u, size_t i, const char *name)
{
    const ilex_array *n = u->order[i];
    const size_t *label = ix_map_find(&u->label, n);
    int32_t symbol = label                 ? (int32_t)*label
                     : n->kind == IX_INPUT ? (int32_t)n->attr[0]
                                           : 0;
    return (symbol && !strcmp(ix_symbol_text(u->ctx, symbol), name)) ||
           !strcmp(ix_value_name('v', (int64_t)i).s, name);
}

/* Its position, SIZE_MAX: there is none, or several. */
static size_t
find_value(const ix_unit *u, const char *name)
{
    size_t found = SIZE_MAX, n = 0;
    for (size_t i = 0; i < u->norder; i++)
        if (is_called(u, i, name))
            found = n++ ? SIZE_MAX : i;
    return found;
}

static bool
is_root(const ix_unit *u, const ilex_array *n)
{
    for (size_t k = 0; k < u->nroots; k++)
        if (u->root[k] == n)
            return true;
    return false;
}

ix_refusal
ix_kernels_store(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    size_t i = find_value(u, d->name);
    (void)k;
    if (i == SIZE_MAX)
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no value, or several, is called %s", d->name);
    const ilex_array *n = u->order[i];
    if (n->kind != IX_LAMBDA)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "temporaries are expressions of elements, and it is "
                         "no such, but %s",
                         ix_node_text(n));
    if (is_root(u, n))
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it is an output, or counted");
    if (!u->need[i])
        return ix_refuse(u, IX_REFUSAL_SHAPE, "no element of it is read");
    if (!u->stored)
        u->stored = ix_arena_new(&u->arena, u->norder * sizeof *u->stored);
    u->stored[i] = true;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
