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

bool
ix_jam_varies(ix_jam_state *j, ilex_array *x)
{
    size_t value = 0;
    ix_walk_body(&j->varies, x, &value);
    return value != 0;
}

static bool
is_uniform(void *user, ilex_array *x)
{
    return !ix_jam_varies(user, x);
}

/* What is not computed where it was not: in an iteration that no point has. */
enum { UNSAFE = IX_HAS_LOAD | IX_HAS_CHECK | IX_HAS_APPLY };

/* Is it the same for all points, and may it be computed for none? */
static bool
is_of_all(ix_jam_state *j, const ix_stmt *s)
{
    bool unsafe = ix_stmt_has(s, UNSAFE);
    return !(j->within && unsafe) && ix_stmt_exprs(s, is_uniform, j);
}

static void
note_own(ix_jam_state *j, ix_stmt *s)
{
    if (!ix_stmt_defines(s) || (s->kind == IX_STMT_LET && is_of_all(j, s)))
        return;
    ix_arena_grow(&j->u->arena, &j->own, &j->capacity, j->nown + 1,
                  sizeof *j->own);
    j->own[j->nown++] = (ix_jam_value){.by = s};
    if (!ix_map_set(&j->number, &j->u->mem, (void *)((uintptr_t)s->number + 1),
                    j->nown))
        ix_fail_memory(&j->u->ctx->error);
}

/* May points move into the body of a statement, if there is a reason? */
static bool
is_open(ix_jam_state *j, const ix_stmt *s, size_t *follow)
{
    bool loop = s->kind == IX_STMT_FOR;
    *follow = 0;
    if ((!loop && s->kind != IX_STMT_IF) || (loop && ix_for_while(s)))
        return false;
    if (is_of_all(j, s))
        return true;
    if (!loop || ix_stmt_has(s, UNSAFE) || !ix_jam_follow_loop(j, s))
        return false;
    *follow = j->nfollow;
    return true;
}

/* Is it a loop over lanes, of which points have one each side by side? */
static bool
is_past_lanes(const ix_jam_state *j, const ix_stmt *loop)
{
    return j->past_lanes &&
           j->k->variable[loop->number].role == IX_VARIABLE_LANE;
}

/* Notes what a point has of its own, and the statements that points move into,
 * as there are loops in them to move past; is there one? */
static bool
note_list(ix_jam_state *j, ix_stmt *list)
{
    bool any = false;
    for (ix_stmt *s = list; s; s = s->next) {
        size_t follow;
        note_own(j, s);
        bool open = is_open(j, s, &follow);
        j->within += follow != 0;
        bool inside = note_list(j, s->body) | note_list(j, s->other);
        j->within -= follow != 0;
        inside |= s->kind == IX_STMT_FOR &&
                  (j->past_all || !s->parallel || is_past_lanes(j, s));
        if (open && inside && !ix_map_set(&j->into, &j->u->mem, s, follow))
            ix_fail_memory(&j->u->ctx->error);
        if (follow && !inside) /* so is none in it */
            j->nfollow = follow - 1;
        any |= open && inside;
    }
    return any;
}

/* ---- groups ---- */

bool
ix_jam_descends(const ix_jam_state *j, const ix_stmt *s)
{
    return ix_map_find(&j->into, s) != NULL;
}

const ix_jam_follow *
ix_jam_follows(const ix_jam_state *j, const ix_stmt *s)
{
    const size_t *at = ix_map_find(&j->into, s);
    return at && *at ? &j->follow[*at - 1] : NULL;
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
plan_stmt(void *user, ix_stmt *s)
{
    ix_jam_state *j = user;
    if (ix_stmt_defines(s) && ix_jam_own(j, s->number))
        ix_jam_own(j, s->number)->group = j->group;
    use(j, ix_jam_own_memory(j, s->mem));
    use(j, ix_jam_own_memory(j, s->from));
    use(j, ix_jam_own_memory(j, s->to));
    return ix_stmt_walk(&j->uses, s);
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
        if (ix_jam_descends(j, s)) {
            ix_jam_bounds before;
            j->crowded |= !ix_jam_enter(j, s, &before);
            plan(j, s->body);
            plan(j, s->other);
            j->now = before;
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
    return s->kind != IX_STMT_FOR || !ix_loop_has_temporary(j->u, j->k, s);
}

/* Do its temporaries have an axis for the points, since the loop was jammed
 * before it was split? */
static bool
has_axis_of_points(ix_jam_state *j)
{
    if (!ix_loop_has_temporary(j->u, j->k, j->loop))
        return false;
    ix_accesses a = ix_accesses_in(j->u, j->k, j->loop->body);
    for (size_t i = 0; i < a.n; i++)
        for (int d = 0; d < a.item[i].rank; d++)
            if (ix_jam_is_per_point(j, a.item[i].buffer) &&
                ix_jam_varies(j, a.item[i].index[d]))
                return true;
    return false;
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
    if (!note_list(j, loop->body))
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "there is no loop for its points to move past");
    plan(j, loop->body);
    if (j->crowded)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "too many bounds of loops inside follow it");
    if (has_axis_of_points(j))
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "a temporary of its points has an axis for them");
    if (!ix_jam_has_room(j))
        return ix_refuse(j->u, IX_REFUSAL_SIZE,
                         "a temporary of its own would be too large");
    if (!ix_stmt_each(loop->body, has_none_of_its_own, j))
        return ix_refuse(j->u, IX_REFUSAL_DISTANCE,
                         "iterations of a loop inside have a temporary, one "
                         "after the other");
    return (ix_refusal){0};
}

static bool
is_no_serial_loop(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_FOR || s->parallel;
}

static void
begin(ix_jam_state *j, ix_unit *u, ix_kernel *k, const ix_stmt *loop)
{
    *j = (ix_jam_state){.u = u,
                        .k = k,
                        .loop = loop,
                        .nvalues = k->nvalues,
                        .nvariables = k->nvariables,
                        .points = ix_loop_most(u, loop)};
    j->varies = (ix_walk){.ctx = u->ctx,
                          .mem = &j->u->mem,
                          .enter = enter_varies,
                          .leave = leave_varies,
                          .user = j};
    j->uses = (ix_walk){
        .ctx = u->ctx, .mem = &j->u->mem, .enter = enter_uses, .user = j};
    j->through =
        (ix_substitution){.ctx = u->ctx, .mem = &u->mem, .quiet = true};
    for (int g = IX_for_lo; g <= IX_for_hi; g++) {
        j->now.n[g] = j->loop->n[g];
        memcpy(j->now.x[g], ix_operands(j->loop, g),
               (size_t)j->loop->n[g] * sizeof *j->now.x[g]);
    }
}

ix_refusal
ix_jam_begin(ix_jam_state *j, ix_unit *u, const ix_cursor *c, bool past_all)
{
    ix_stmt *loop = ix_cursor_loop(c);
    begin(j, u, c->k, loop);
    j->past_all = past_all && ix_stmt_each(loop->body, is_no_serial_loop, NULL);
    ix_refusal r = look_at(j, c);
    if (r.class != IX_REFUSAL_NONE || ix_stmt_each(loop->body, is_of_one, j))
        return r;
    const ix_jam_state before = *j;
    loop = ix_stmt_copy(u, loop);
    loop->body = ix_jam_unfold(j, j->loop->body);
    ix_jam_end(j);
    begin(j, u, c->k, loop);
    j->past_lanes = true;
    j->nvalues = before.nvalues;
    j->nvariables = before.nvariables;
    return look_at(j, c);
}

void
ix_jam_undo(const ix_jam_state *j)
{
    j->k->nvalues = j->nvalues;
    j->k->nvariables = j->nvariables;
}

void
ix_jam_end(ix_jam_state *j)
{
    ix_walk_free(&j->varies);
    ix_walk_free(&j->uses);
    ix_substitution_free(&j->through);
}
