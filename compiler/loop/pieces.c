/* SPDX-License-Identifier: MIT
 *
 * The pieces of scans: nests one behind the other, whose loops over what is
 * free become one (fuse) where they are over the same points. Their levels then
 * come one after the other at each of these.
 */
#include "compiler/loop/loop.h"

static bool
is_axis(const ix_kernel *k, const ix_stmt *s)
{
    return s->kind == IX_STMT_FOR && s->number < k->box->rank;
}

static bool
is_free(const ix_kernel *k, const ix_stmt *s)
{
    return is_axis(k, s) && s->number != k->levels.axis;
}

/* Where the loop over an axis is in a list, or its end; what stands before it
 * is for all of its iterations. */
static ix_stmt **
axis_in(const ix_kernel *k, ix_stmt **list)
{
    while (*list && !is_axis(k, *list))
        list = &(*list)->next;
    return list;
}

/* Do two loops over axes, and those in them, differ in their levels only? */
static bool
same_points(const ix_kernel *k, ix_stmt *a, ix_stmt *b)
{
    for (; a && b; a = *axis_in(k, &a->body), b = *axis_in(k, &b->body))
        if (is_free(k, a) ? !ix_stmt_same_bounds(a, b) : is_free(k, b))
            return false;
    return !a && !b;
}

static void
fuse_list(ix_unit *u, ix_cursor c, ix_fuse_fn fuse)
{
    for (c.at = axis_in(c.k, c.at); *c.at && c.depth < IX_DEEP;
         c.at = axis_in(c.k, &(*c.at)->next)) {
        ix_cursor two[2] = {c, c};
        if (!is_free(c.k, *c.at))
            continue;
        do
            two[1].at = axis_in(c.k, &(*two->at)->next);
        while (*two[1].at && same_points(c.k, *two->at, *two[1].at) &&
               fuse(u, two));
        c = *two;
        two->around[two->depth++] = *c.at;
        two->at = &(*c.at)->body;
        fuse_list(u, *two, fuse);
    }
}

void
ix_pieces_fuse(ix_unit *u, ix_kernel *k, ix_fuse_fn fuse)
{
    fuse_list(u, (ix_cursor){.k = k, .at = &k->body}, fuse);
}
