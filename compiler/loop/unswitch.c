/* SPDX-License-Identifier: MIT
 *
 * unswitch L: the condition of a branch in L, or a part of it, that is the same
 * in all iterations is asked outside of L, which is there for each answer:
 *
 *     for i in [0, n)               if p
 *         if p && q[i]                  for i in [0, n)
 *             x[i] = ...                    if q[i]
 *                                               x[i] = ...
 *
 * Definitions before the branch that are the same go outside, too, none of them
 * read where there is no iteration. The others are the same in the same order.
 */
#include "compiler/loop/distances.h"

typedef struct switching {
    ix_unit *u;
    ix_stmt *loop;
    ix_accesses a;         /* of its iterations */
    ix_refusal_class *why; /* by number: a value of an iteration changes */
    ix_refusal_class class, worst; /* of what is looked at, of conditions */
    ilex_array *condition;
} switching;

/* ---- what is the same in all iterations ---- */

static ix_walk_step
look_at_node(ix_walk *w, ilex_array *x, size_t *value)
{
    switching *s = w->user;
    bool load = x->kind == IX_LOAD;
    int64_t n = x->kind == IX_VALUE ? x->attr[0] : -1;
    (void)value;
    if (x->kind == IX_CHECKED ||
        x == ix_scalar_index(s->u->ctx, s->loop->number))
        s->class = IX_REFUSAL_SHAPE;
    else if (n >= 0 && s->why[n])
        s->class = s->why[n];
    else if (load && ix_accesses_write(&s->a, (int)x->attr[0]))
        s->class = IX_REFUSAL_DISTANCE;
    else if (load && (s->loop->optional || ix_for_while(s->loop)))
        s->class = IX_REFUSAL_UNPROVED;
    return s->class ? IX_WALK_END : IX_WALK_IN;
}

/* Why it is not; NONE: it is. */
static ix_refusal_class
changes(switching *s, ilex_array *x)
{
    ix_walk w = {
        .ctx = s->u->ctx, .mem = &s->u->mem, .enter = look_at_node, .user = s};
    s->class = IX_REFUSAL_NONE;
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    return s->class;
}

/* The condition, or the first part of it that is the same; NULL: none is. */
static ilex_array *
part_of(switching *s, ilex_array *x)
{
    ix_refusal_class class = changes(s, x);
    ilex_array *part = class ? NULL : x;
    s->worst = class > s->worst ? class : s->worst;
    for (int i = 0; !part && ix_is_logic(x) && i < x->nops; i++)
        part = part_of(s, x->ops[i]);
    return part;
}

/* What a statement defines as a value for all behind, or NULL. */
static ilex_array *
value_of(ix_unit *u, const ix_stmt *s)
{
    if (s->kind == IX_STMT_LOAD && s->buffer >= 0 && !s->mem)
        return ix_scalar_load(u->ctx, s->dtype, s->buffer, s->n[IX_INDICES],
                              ix_operands(s, IX_INDICES));
    return s->kind == IX_STMT_LET ? ix_let_value(s) : NULL;
}

/* Finds the condition; the definitions that are the same until then are taken
 * out of the loop. */
static ix_stmt *
take_out(switching *s)
{
    ix_stmt *out = NULL, **tail = &out, **at = &s->loop->body;
    while (*at && !s->condition) {
        ix_stmt *t = *at;
        ilex_array *x = value_of(s->u, t);
        ix_refusal_class class = x ? changes(s, x) : IX_REFUSAL_SHAPE;
        if (t->kind == IX_STMT_IF)
            s->condition = part_of(s, ix_if_condition(t));
        if (ix_stmt_defines(t))
            s->why[t->number] = class;
        if (!class) {
            *at = t->next;
            t->next = NULL;
            *tail = t;
            tail = &t->next;
        } else
            at = &t->next;
    }
    return out;
}

/* ---- the loops ---- */

static bool
does_nothing(void *user, ix_stmt *s)
{
    (void)user;
    return ix_stmt_defines(s) && !ix_stmt_has(s, IX_HAS_CHECK);
}

static ilex_array *
decided(void *unit, ilex_array *n)
{
    return ix_scalar_decided(((ix_unit *)unit)->ctx, n);
}

/* The loop where the condition has a value; NULL: it does nothing then. */
static ix_stmt *
loop_where(const switching *s, bool holds)
{
    ilex_context *ctx = s->u->ctx;
    ix_substitution to = {.ctx = ctx,
                          .mem = &s->u->mem,
                          .rewrite = decided,
                          .became = ix_made_keep,
                          .user = s->u};
    ix_substitution_set(
        &to, s->condition,
        ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = holds}));
    ix_stmt *loop = ix_stmt_copy(s->u, s->loop);
    loop->body = ix_stmts_decided(ix_stmt_substitute(s->u, &to, s->loop->body));
    ix_substitution_free(&to);
    return ix_stmt_each(loop->body, does_nothing, NULL) ? NULL : loop;
}

ix_refusal
ix_loop_unswitch(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    static const char *const why[] = {
        [IX_REFUSAL_NONE] = "there is no branch in the loop",
        [IX_REFUSAL_SHAPE] = "no condition in it is the same in all iterations "
                             "without a check of an index",
        [IX_REFUSAL_DISTANCE] = "iterations write what a condition reads",
        [IX_REFUSAL_UNPROVED] = "the loop may have no iteration, where what a "
                                "condition reads may not be there"};
    ix_stmt *loop = ix_cursor_loop(c), *branch;
    switching s = {.u = u};
    (void)d;
    if (loop->how == IX_GRID)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_THREADS);
    if (!ix_loop_has_room(u, c->k, 1, loop->body))
        return ix_refuse(u, IX_REFUSAL_SIZE, "two loops are too long");
    s.loop = ix_stmt_copy(u, loop);
    s.loop->body = ix_stmt_clone(u, NULL, loop->body);
    ix_loop_apart(u, c->k, 1, &s.loop->body);
    s.a = ix_accesses_in(u, c->k, loop->body);
    s.why =
        ix_arena_new(&u->arena, ((size_t)c->k->nvalues + 1) * sizeof *s.why);
    ix_stmt *out = take_out(&s);
    if (!s.condition)
        return ix_refuse(u, s.worst ? s.worst : IX_REFUSAL_SHAPE, "%s",
                         why[s.worst]);
    branch = ix_stmt_new(u, IX_STMT_IF, IX_OPERANDS({1, &s.condition}));
    branch->array = loop->array;
    branch->body = loop_where(&s, true);
    branch->other = ix_stmt_clone(u, c->k, loop_where(&s, false));
    branch->next = loop->next;
    *ix_stmt_end(&out) = branch;
    *c->at = out;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
