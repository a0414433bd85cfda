/* SPDX-License-Identifier: MIT
 *
 * jam: which statements a point has of its own, which groups they make, and
 * what crosses from one group to another.
 */
#include "compiler/loop/jam.h"

#include "compiler/loop/distances.h"

/* ---- what a point has of its own ---- */

ix_jam_value *
ix_jam_own(const ix_jam_state *j, int64_t number)
{
    const size_t *at =
        number < 0 ? NULL
                   : ix_map_find(&j->number, (void *)((uintptr_t)number + 1));
    return at ? &j->own[*at - 1] : NULL;
}

ix_jam_value *
ix_jam_own_memory(const ix_jam_state *j, const ix_stmt *scratch)
{
    return scratch ? ix_jam_own(j, scratch->number) : NULL;
}

/* Does a node differ from point to point, or may it be another one later? */
static ix_walk_step
enter_varies(ix_walk *w, ilex_array *x, size_t *value)
{
    const ix_jam_state *j = w->user;
    if (x->kind == IX_INDEX)
        *value = x->attr[0] == j->loop->number;
    else if (x->kind == IX_VALUE)
        *value = ix_jam_own(j, x->attr[0]) != NULL;
    else if (x->kind == IX_LOAD)
        *value = ix_buffer_is_written(&j->u->buffer[x->attr[0]]);
    return *value ? IX_WALK_OVER : IX_WALK_IN;
}

static bool
leave_varies(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    (void)w;
    for (int i = 0; i < x->nops; i++)
        *value |= operand[i];
    return true;
}

static bool
varies(void *user, ilex_array *x)
{
    ix_jam_state *j = user;
    size_t value = 0;
    ix_walk_body(&j->varies, x, &value);
    return value != 0;
}

static bool
is_uniform(void *user, ilex_array *x)
{
    return !varies(user, x);
}

static bool
note_own(void *user, ix_stmt *s)
{
    ix_jam_state *j = user;
    if (!ix_stmt_defines(s) ||
        (s->kind == IX_STMT_LET && ix_stmt_exprs(s, is_uniform, j)))
        return true;
    ix_arena_grow(&j->u->arena, &j->own, &j->capacity, j->nown + 1,
                  sizeof *j->own);
    j->own[j->nown++] = (ix_jam_value){.by = s};
    if (!ix_map_set(&j->number, &j->mem, (void *)((uintptr_t)s->number + 1),
                    j->nown))
        ix_fail_memory(&j->u->ctx->error);
    return true;
}

/* ---- groups ---- */

/* Do the points move into the body of a statement? */
bool
ix_jam_descends(ix_jam_state *j, const ix_stmt *s)
{
    bool inside = s->kind == IX_STMT_FOR && !s->parallel;
    if ((s->kind != IX_STMT_FOR && s->kind != IX_STMT_IF) ||
        (s->kind == IX_STMT_FOR && ix_for_while(s)) ||
        !ix_stmt_exprs(s, is_uniform, j))
        return false;
    for (const ix_stmt *x = s->body; x && !inside; x = x->next)
        inside = ix_jam_descends(j, x);
    for (const ix_stmt *x = s->other; x && !inside; x = x->next)
        inside = ix_jam_descends(j, x);
    return inside;
}

bool
ix_jam_is_of_all(const ix_jam_state *j, const ix_stmt *s)
{
    return s->kind == IX_STMT_LET && !ix_jam_own(j, s->number);
}

static void
use(const ix_jam_state *j, ix_jam_value *o)
{
    if (o && o->group != j->group)
        o->crosses = true;
}

static ix_walk_step
enter_uses(ix_walk *w, ilex_array *x, size_t *value)
{
    const ix_jam_state *j = w->user;
    (void)value;
    if (x->kind == IX_VALUE)
        use(j, ix_jam_own(j, x->attr[0]));
    return IX_WALK_IN;
}

static bool
use_operand(void *user, ilex_array *x)
{
    ix_jam_state *j = user;
    return ix_walk_body(&j->uses, x, NULL);
}

static bool
plan_stmt(void *user, ix_stmt *s)
{
    ix_jam_state *j = user;
    if (ix_stmt_defines(s) && ix_jam_own(j, s->number))
        ix_jam_own(j, s->number)->group = j->group;
    use(j, ix_jam_own_memory(j, s->mem));
    use(j, ix_jam_own_memory(j, s->from));
    use(j, ix_jam_own_memory(j, s->to));
    return ix_stmt_exprs(s, use_operand, j);
}

static void
next_group(ix_jam_state *j)
{
    j->group++;
    ix_walk_forget(&j->uses);
}

/* Numbers the groups of a list and finds out what crosses them. */
static void
plan(ix_jam_state *j, ix_stmt *list)
{
    next_group(j);
    for (ix_stmt *s = list; s; s = s->next) {
        bool into = ix_jam_descends(j, s);
        if (into) {
            plan(j, s->body);
            plan(j, s->other);
            j->possible = true;
        } else if (!ix_jam_is_of_all(j, s)) {
            plan_stmt(j, s);
            ix_stmt_each(s->body, plan_stmt, j);
            ix_stmt_each(s->other, plan_stmt, j);
        }
    }
    next_group(j);
}

/* Lanes are of one point. */
static bool
is_of_one(void *user, ix_stmt *s)
{
    const ix_jam_state *j = user;
    const ix_jam_value *from = ix_jam_own_memory(j, s->from);
    const ix_jam_value *to = ix_jam_own_memory(j, s->to);
    return s->kind != IX_STMT_FOLD ||
           !((from && from->crosses) || (to && to->crosses));
}

/* A temporary that each iteration of a loop inside has of its own (shrink) is
 * one for all points. */
static bool
has_none_of_its_own(void *user, ix_stmt *s)
{
    const ix_jam_state *j = user;
    bool none = true;
    for (size_t i = 0; i < j->u->nbuffers && s->kind == IX_STMT_FOR; i++)
        none &= !j->u->buffer[i].own ||
                !ix_is_part_of(j->k, s->number, j->u->buffer[i].within);
    return none;
}

/* ---- the plan ---- */

/* Why the points cannot move; otherwise it is planned how they do. */
static ix_refusal
look_at(ix_jam_state *j, const ix_cursor *c)
{
    const ix_stmt *loop = j->loop;
    if (loop->how == IX_GRID)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE, IX_THREADS);
    ix_refusal r = ix_loop_independent(j->u, c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (loop->step != 1 || loop->n[IX_for_lo] != 1)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE, "it does not go one by one");
    ix_stmt_each(loop->body, note_own, j);
    plan(j, loop->body);
    if (!j->possible)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "there is no serial loop for its points to move past");
    if (!ix_jam_has_room(j))
        return ix_refuse(j->u, IX_REFUSAL_SIZE,
                         "a temporary of its own has too many axes");
    if (!ix_stmt_each(loop->body, has_none_of_its_own, j))
        return ix_refuse(j->u, IX_REFUSAL_DISTANCE,
                         "iterations of a loop inside have a temporary, one "
                         "after the other");
    if (!ix_stmt_each(loop->body, is_of_one, j))
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "lanes or partial results of several points are not "
                         "combined together");
    return (ix_refusal){0};
}

ix_refusal
ix_jam_begin(ix_jam_state *j, ix_unit *u, const ix_cursor *c)
{
    *j = (ix_jam_state){.u = u,
                        .k = c->k,
                        .loop = ix_cursor_loop(c),
                        .mem = ix_arena_mem(&u->arena)};
    j->varies = (ix_walk){.ctx = u->ctx,
                          .mem = &j->mem,
                          .enter = enter_varies,
                          .leave = leave_varies,
                          .user = j};
    j->uses = (ix_walk){
        .ctx = u->ctx, .mem = &j->mem, .enter = enter_uses, .user = j};
    return look_at(j, c);
}

void
ix_jam_end(ix_jam_state *j)
{
    ix_walk_free(&j->varies);
    ix_walk_free(&j->uses);
}
