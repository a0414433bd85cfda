/* SPDX-License-Identifier: MIT
 *
 * Values of stores for what is read of them in the same iteration:
 *
 *     y[i] = x[i] + 1               y[i] = x[i] + 1
 *     z[i] = 2*y[i]                 z[i] = 2*(x[i] + 1)
 *
 * Expressions are shared, so the value is computed once.
 */
#include "compiler/lower/forward.h"

typedef struct forwarding {
    ix_unit *u;
    ix_stmt *written;
    const ix_stmt *stores;
} forwarding;

/* The store of the element that is read, or NULL. */
static const ix_stmt *
store_of(const forwarding *f, const ilex_array *load)
{
    const ix_stmt *s = f->stores, *found = NULL;
    for (; s; s = s->next)
        found = s->buffer == load->attr[0] ? s : found;
    bool same = found && found->kind == IX_STMT_STORE &&
                ix_store_value(found)->dtype == load->dtype;
    for (int d = 0; same && d < load->nops; d++)
        same = ix_operands(found, IX_INDICES)[d] == load->ops[d];
    return same ? found : NULL;
}

static bool
is_at_point(void *user, const ilex_array *load)
{
    const forwarding *f = user;
    return !ix_nests_store(f->written, load->attr[0]) || store_of(f, load);
}

bool
ix_forward_may(ix_unit *u, ix_stmt *written, const ix_stmt *stores,
               ix_stmt *readers)
{
    forwarding f = {u, written, stores};
    return ix_stmt_loads(u, readers, is_at_point, &f);
}

static ilex_array *
take_value(void *user, ilex_array *load, ilex_array *const *index)
{
    const forwarding *f = user;
    const ix_stmt *s = store_of(f, load);
    (void)index;
    if (!s)
        return NULL;
    f->u->buffer[s->buffer].forwarded |=
        f->u->buffer[s->buffer].role == IX_ROLE_TEMP;
    return ix_store_value(s);
}

void
ix_forward(ix_unit *u, const ix_stmt *stores, ix_stmt *readers)
{
    forwarding f = {u, NULL, stores};
    ix_substitution s = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .load = take_value,
                         .became = ix_origin_keep,
                         .user = &f,
                         .listener = u};
    for (; readers; readers = readers->next)
        readers->x[0] = ix_substitute(&s, readers->x[0]);
    ix_substitution_free(&s);
}
