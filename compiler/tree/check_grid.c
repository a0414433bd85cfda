/* SPDX-License-Identifier: MIT
 *
 * Checks the loops over the threads of a GPU. All threads go through all nests:
 * those that differ along a dimension would do a nest again that has no loop
 * along it.
 */
#include "compiler/tree/check.h"

static unsigned
dimensions_of(const ix_stmt *nest)
{
    unsigned along = 0;
    const ix_stmt *s = nest->how == IX_GRID ? nest : NULL;
    while (s) {
        along |= 1u << s->dim;
        for (s = s->body; s && s->how != IX_GRID;)
            s = s->next;
    }
    return along;
}

void
ix_check_grid(ix_checker *c)
{
    unsigned all = 0;
    for (const ix_stmt *nest = c->k->body; nest; nest = nest->next) {
        unsigned along = dimensions_of(nest);
        all = all ? all : along;
        if (along && along != all)
            ix_check_complain(c, "its nests are not over the same dimensions "
                                 "of the grid");
    }
}
