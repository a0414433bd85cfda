/* SPDX-License-Identifier: MIT
 *
 * fission L at S: a loop becomes two, of the statements before S and of those
 * from it on (distribution). What the first part defines and the second one
 * uses is computed again, if that depends on nothing that is written, else kept
 * in scratch memory with an element for each iteration:
 *
 *     for i in [lo, hi)             scratch x[hi - lo]
 *         cell a = ...              for i in [lo, hi)
 *         ...                           cell a = ...
 *         b[i] = f(a)                   ...
 *                                       x[i - lo] = a
 *                                   for t in [lo, hi)
 *                                       a = x[t - lo]
 *                                       b[t] = f(a)
 */
#include "compiler/loop/distances.h"

enum { MOST_KEPT = 4096 };

typedef struct halves {
    ix_unit *u;
    ix_kernel *k;
    ix_accesses a;
    size_t nfirst; /* accesses of the first half */
    int depth;     /* loops around the loop */
    ix_stmt *loop, *at;
    bool *used, *changed; /* by the second half: values; scratch memory */
    ix_stmt *scratch;     /* what is kept */
    ix_stmt *stores;      /* at the end of the first half */
    ix_stmt *again;       /* at the beginning of the second one */
} halves;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- distances ---- */

static bool
is_in_second(const halves *h, const ix_access *x)
{
    return (size_t)(x - h->a.item) >= h->nfirst;
}

/* All of the first half comes before the second one then: also an access that
 * was later than one of the second half, in an earlier iteration. */
static ix_refusal
overtaken(void *user, const ix_access *x, const ix_access *y)
{
    halves *h = user;
    bool second = is_in_second(h, x);
    ix_direction direction[IX_DEEP + 1] = {IX_SAME};
    direction[h->depth] = second ? IX_AFTER : IX_BEFORE;
    bool none = h->loop->parallel && ix_access_is_shared(&h->a, x);
    ix_tri meet = none || second == is_in_second(h, y)
                      ? IX_NO
                      : ix_accesses_meet(&h->a, x, y, h->depth + 1, direction);
    return ix_refuse_meeting(h->u, meet, x, y,
                             "and would come after it in loops of their own");
}

/* ---- what the second half uses of the first one ---- */

typedef struct uses {
    ix_walk walk;
    bool *used, *about;
} uses;

static ix_walk_step
note_value(ix_walk *w, ilex_array *x, size_t *value)
{
    uses *n = w->user;
    (void)value;
    if (x->kind == IX_VALUE && x->attr[0] >= 0)
        n->used[x->attr[0]] = true;
    return IX_WALK_IN;
}

static bool
note_stmt(void *user, ix_stmt *s)
{
    uses *n = user;
    const ix_stmt *memory[] = {s->mem, s->from, s->to};
    for (size_t i = 0; i < IX_COUNT(memory); i++)
        if (memory[i])
            n->about[memory[i]->number] = n->used[memory[i]->number] = true;
    return ix_stmt_walk(&n->walk, s);
}

void
ix_note_uses(ix_unit *u, ix_stmt *list, bool *used, bool *about)
{
    uses n = {.used = used, .about = about};
    n.walk = (ix_walk){
        .ctx = u->ctx, .mem = &u->mem, .enter = note_value, .user = &n};
    ix_stmt_each(list, note_stmt, &n);
    ix_walk_free(&n.walk);
}

static bool
is_not_written(void *user, const ilex_array *load)
{
    const halves *h = user;
    return !ix_accesses_write(&h->a, (int)load->attr[0]);
}

/* Has the definition the same value at any time in its iteration? */
static bool
is_pure(halves *h, const ix_stmt *s)
{
    if (s->kind == IX_STMT_LOAD &&
        (s->buffer < 0 || s->mem || ix_accesses_write(&h->a, s->buffer)))
        return false;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        if (!ix_body_loads(h->u, s->x[i], is_not_written, h))
            return false;
    return s->kind == IX_STMT_LET || s->kind == IX_STMT_LOAD;
}

/* Keeps a value in scratch memory; false if it cannot be. */
static bool
keep(halves *h, const ix_stmt *s)
{
    ilex_context *ctx = h->u->ctx;
    const ix_stmt *loop = h->loop;
    int64_t n = ix_loop_length(h->u, loop);
    bool cell = s->kind == IX_STMT_SCRATCH && s->scratch == IX_SCRATCH_CELL &&
                !h->changed[s->number];
    if (!(cell || s->kind == IX_STMT_LET || s->kind == IX_STMT_LOAD) ||
        loop->step != 1 || n < 1 || n > MOST_KEPT)
        return false;
    ix_stmt *x = ix_stmt_new(h->u, IX_STMT_SCRATCH, NULL);
    x->scratch = IX_SCRATCH_ARRAY;
    x->prefix = 'd';
    x->number = h->k->nvalues++;
    x->dtype = s->dtype;
    x->extent = n;
    x->array = s->array;
    x->next = h->scratch;
    h->scratch = x;
    ix_element at = ix_element_scratch(
        x, ix_index_fma(ctx, ix_scalar_index(ctx, loop->number), -1,
                        ix_for_lo(loop)));
    ix_stmt *store = ix_stmt_store(h->u, at, ix_value_of(h->u, s));
    store->array = s->array;
    store->next = h->stores;
    h->stores = store;
    ix_stmt *load = ix_stmt_at(h->u, IX_STMT_LOAD, at, NULL);
    load->prefix = s->prefix;
    load->number = s->number;
    load->dtype = s->dtype;
    load->array = s->array;
    load->next = h->again;
    h->again = load;
    return true;
}

/* The definitions of a list up to S, last ones first. */
static ix_refusal
carry_over(halves *h, const ix_stmt *list)
{
    if (list == h->at)
        return fine;
    ix_refusal r = carry_over(h, list->next);
    if (r.class != IX_REFUSAL_NONE || !ix_stmt_defines(list) ||
        !h->used[list->number])
        return r;
    if (is_pure(h, list)) {
        ix_stmt *copy = ix_stmt_copy(h->u, list);
        ix_note_uses(h->u, copy, h->used, h->changed);
        copy->next = h->again;
        h->again = copy;
        return fine;
    }
    return keep(h, list) ? fine
                         : ix_refuse(h->u, IX_REFUSAL_SHAPE,
                                     "%s is used in both loops and cannot be "
                                     "kept for each iteration",
                                     ix_stmt_subject(list).s);
}

/* ---- the loops ---- */

/* Does S stand in the loop's body, behind something that is done before? */
static bool
is_between(const ix_stmt *loop, const ix_stmt *at)
{
    const ix_stmt *s = loop->body;
    while (s && s->next != at)
        s = s->next;
    return at && s && !(ix_stmt_is_output(s) && ix_stmt_is_output(at));
}

static void
divide(halves *h, ix_cursor *c)
{
    ix_stmt *loop = h->loop, **cut = &loop->body;
    ix_stmt *second = ix_stmt_copy(h->u, loop), *first;
    second->body = h->again;
    *ix_stmt_end(&second->body) = h->at;
    second = ix_stmt_clone(h->u, h->k, second);
    second->next = loop->next;
    first = ix_stmt_copy(h->u, loop);
    while (*cut != h->at)
        cut = &(*cut)->next;
    *cut = h->stores;
    first->body = loop->body;
    first->next = second;
    *c->at = h->scratch;
    c->at = ix_stmt_end(c->at);
    *c->at = first;
}

/* The statement of the loop's body that is a loop, or about something, of this
 * name. */
static ix_stmt *
find(const halves *h, const char *name)
{
    ix_loops loops;
    ix_stmt *s = h->loop->body;
    bool loop =
        ix_loops_find(h->u, h->k, name, &loops).class == IX_REFUSAL_NONE &&
        loops.n == 1;
    while (s &&
           (s->kind == IX_STMT_FOR ? !loop || s != loops.loop[0]
                                   : strcmp(ix_stmt_subject(s).s, name) != 0))
        s = s->next;
    return s;
}

ix_refusal
ix_loop_fission(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    halves h = {.u = u,
                .k = c->k,
                .depth = ix_cursor_depth(c),
                .loop = ix_cursor_loop(c)};
    h.at = find(&h, d->name);
    if (!h.at)
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no statement of the loop is about %s", d->name);
    if (!ix_loop_is_plain(h.loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (ix_loop_has_temporary(u, c->k, h.loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_OWN_TEMPORARY);
    if (!is_between(h.loop, h.at))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the statement is none between others of the loop, or "
                         "happens at once with that before it");
    h.a = ix_accesses_in(u, c->k, h.loop->body);
    h.nfirst = h.a.n - ix_accesses_in(u, c->k, h.at).n;
    h.used = ix_arena_new(&u->arena, (size_t)c->k->nvalues + 1);
    h.changed = ix_arena_new(&u->arena, (size_t)c->k->nvalues + 1);
    ix_refusal r = ix_access_pairs(&h.a, overtaken, &h);
    ix_note_uses(u, h.at, h.used, h.changed);
    r = r.class == IX_REFUSAL_NONE ? carry_over(&h, h.loop->body) : r;
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (!ix_loop_has_room(u, c->k, 1, h.again))
        return ix_refuse(u, IX_REFUSAL_SIZE, "two loops are too long");
    divide(&h, c);
    return r;
}
