/* SPDX-License-Identifier: MIT
 *
 * Checks the loops over the threads of a GPU. All threads go through all nests:
 * those that differ along a dimension would do a nest again that has no loop
 * along it. Threads of a group have lanes of their own, and nothing else; those
 * of a block share arrays, which they store in where they take points.
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

/* What a thread of a group does alone has no end of its own; in a loop over
 * lanes it stores nothing but these. */
static bool
is_of_all(const ix_stmt *s, const ix_stmt *loop, bool spread)
{
    if (s->kind == IX_STMT_CHECK || s->kind == IX_STMT_FOLD ||
        s->kind == IX_STMT_FENCE)
        return true;
    return ix_loop_is_points(loop) ? spread
                                   : s->kind == IX_STMT_FOR ||
                                         (s->kind == IX_STMT_STORE && !spread);
}

/* Whose threads a statement is about. */
static ix_team
team_of(const ix_stmt *s)
{
    bool block = s->how == IX_BLOCK || ix_stmt_is_shared(s) ||
                 (s->kind == IX_STMT_SCRATCH && s->shared);
    return s->how == IX_GROUP ? IX_TEAM_GROUP
           : block            ? IX_TEAM_BLOCK
                              : IX_TEAM_NONE;
}

/* In a loop over lanes its statements are about those of its iterations alone,
 * outside of one none are about any. */
static void
check_lanes(ix_checker *c, const ix_stmt *list, const ix_stmt *loop)
{
    for (const ix_stmt *s = list; s; s = s->next) {
        bool spread = s->mem && s->mem->spread;
        const ilex_array *at = spread ? ix_first_operand(s, IX_INDICES) : NULL;
        if (spread &&
            (!loop || at->kind != IX_INDEX || at->attr[0] != loop->number ||
             s->mem->extent != loop->dim * IX_GROUP_THREADS))
            ix_check_complain(c, "a lane is used that is another thread's");
        if (loop && is_of_all(s, loop, spread))
            ix_check_complain(c,
                              "threads of a group differ in more than lanes");
        if (team_of(s) && team_of(s) != c->k->team)
            ix_check_complain(c, "its threads are in no such teams");
        bool output = c->k->team == IX_TEAM_BLOCK && ix_stmt_is_output(s);
        bool array = s->kind == IX_STMT_STORE && ix_stmt_is_shared(s);
        if ((output || array) && !loop)
            ix_check_complain(c, "all threads of a block store an element");
        check_lanes(c, s->body, team_of(s) ? s : loop);
        check_lanes(c, s->other, loop);
    }
}

void
ix_check_grid(ix_checker *c)
{
    unsigned all = 0;
    check_lanes(c, c->k->body, NULL);
    for (const ix_stmt *nest = c->k->body; nest; nest = nest->next) {
        unsigned along = dimensions_of(nest);
        all = all ? all : along;
        if (along && along != all)
            ix_check_complain(c, "its nests are not over the same dimensions "
                                 "of the grid");
    }
}
