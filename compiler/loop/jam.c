/* SPDX-License-Identifier: MIT
 *
 * jam L: the points of a loop move inward, past the serial loops in it. Its
 * statements are distributed: those between serial loops are a group, which
 * gets a loop over the points of its own; what a point has of its own and other
 * groups use becomes a row of scratch, an element for each point.
 *
 *     for v in [0, 64)              a[64]
 *         a = 0                     for v in [0, 64)
 *         for j in [0, m)               a[v] = 0
 *             a = a + x[j, v]       for j in [0, m)
 *         y[v] = a                      for v in [0, 64)
 *                                           a[v] = a[v] + x[j, v]
 *                                   for v in [0, 64)
 *                                       y[v] = a[v]
 *
 * needs: a loop whose iterations are independent, of a constant length at most
 * where there are rows; gives: each point's operations in the order they had.
 */
#include "compiler/loop/jam.h"

/* ---- distributing ---- */

typedef struct output {
    ix_stmt *first, **tail;
    ix_stmt **group; /* statements that wait for their loop over the points */
    size_t n, capacity;
} output;

static void
put(output *o, ix_stmt *s)
{
    *o->tail = s;
    o->tail = &s->next;
}

static void
gather(ix_jam_state *j, output *o, ix_stmt *s)
{
    ix_arena_grow(&j->u->arena, &o->group, &o->capacity, o->n + 1,
                  sizeof *o->group);
    o->group[o->n++] = s;
}

/* The group that waits, in a loop over the points. */
static void
flush(ix_jam_state *j, output *o)
{
    if (o->n) {
        ix_stmt *loop = ix_jam_over_bounds(j, j->loop, &j->now);
        bool fewer = false;
        for (int g = IX_for_lo; g <= IX_for_hi; g++)
            fewer |= j->now.n[g] > j->loop->n[g];
        loop->optional |= fewer;
        loop->rest &= !fewer;
        loop->body = ix_jam_group(j, o->group, o->n);
        put(o, loop);
    }
    for (size_t i = 0; i < o->n; i++) {
        ix_jam_value *own = ix_stmt_defines(o->group[i])
                                ? ix_jam_own(j, o->group[i]->number)
                                : NULL;
        if (own)
            own->stored = own->crosses;
    }
    o->n = 0;
}

/* A row instead of what a point has of its own. */
static void
put_row(ix_jam_state *j, output *out, ix_jam_value *o)
{
    bool memory = o->by->kind == IX_STMT_SCRATCH;
    int64_t extent = memory && o->by->extent ? o->by->extent : 1;
    ix_stmt *row = ix_stmt_new(j->u, IX_STMT_SCRATCH, NULL);
    row->scratch = IX_SCRATCH_ARRAY;
    row->dtype = o->by->dtype;
    row->array = o->by->array;
    row->note = memory ? o->by->note : NULL;
    row->extent = extent * j->points;
    row->prefix = memory ? o->by->prefix : 'a';
    row->number = memory ? o->by->number : j->k->nvalues++;
    o->row = row;
    o->stored = memory;
    put(out, row);
}

/* What defines something of a point, as far as it is not the row. */
static void
put_definition(ix_jam_state *j, output *out, ix_stmt *s)
{
    ix_jam_value *o = ix_jam_own(j, s->number);
    bool memory = s->kind == IX_STMT_SCRATCH;
    ilex_array *value = memory ? ix_scratch_first(s) : ix_value_of(j->u, s);
    if (o->crosses)
        put_row(j, out, o);
    if (!o->crosses || !memory)
        gather(j, out, s);
    if (!o->crosses || !value)
        return;
    ix_element at =
        memory ? ix_element_scratch(s, NULL) : ix_jam_row(j, o, NULL);
    ix_stmt *first = ix_stmt_store(j->u, at, value);
    first->array = s->array;
    gather(j, out, first);
}

static ix_stmt *distribute(ix_jam_state *j, ix_stmt *list);

/* The statement around what its body becomes. */
static void
put_around(ix_jam_state *j, output *out, const ix_stmt *s)
{
    const ix_jam_follow *follow = ix_jam_follows(j, s);
    ix_stmt *t = follow ? ix_jam_over_bounds(j, s, &follow->hull)
                        : ix_stmt_copy(j->u, s);
    ix_jam_bounds before;
    t->optional |= follow != NULL;
    t->rest &= follow == NULL;
    t->idle |= follow != NULL;
    flush(j, out);
    ix_jam_enter(j, s, &before);
    t->body = distribute(j, s->body);
    t->other = distribute(j, s->other);
    j->now = before;
    put(out, t);
}

static void
put_stmt(ix_jam_state *j, output *out, ix_stmt *s)
{
    if (ix_jam_descends(j, s)) {
        put_around(j, out, s);
    } else if (ix_jam_is_of_all(j, s)) {
        put(out, ix_stmt_copy(j->u, s));
    } else if (ix_stmt_defines(s)) {
        put_definition(j, out, s);
    } else {
        gather(j, out, s);
    }
}

static ix_stmt *
distribute(ix_jam_state *j, ix_stmt *list)
{
    output out = {.tail = &out.first};
    for (ix_stmt *s = list; s; s = s->next)
        put_stmt(j, &out, s);
    flush(j, &out);
    return out.first;
}

/* ---- how much memory it takes ---- */

enum { MOST_BYTES = 1 << 20 }; /* of a kernel, for each thread */

typedef struct measuring {
    const ix_jam_state *j;
    int64_t bytes;
    bool rows; /* or temporaries of points */
} measuring;

/* Adds scratch memory as it becomes, or a value that becomes a row. */
static bool
measure(void *user, ix_stmt *s)
{
    measuring *m = user;
    const ix_jam_value *o =
        ix_stmt_defines(s) ? ix_jam_own(m->j, s->number) : NULL;
    bool memory = s->kind == IX_STMT_SCRATCH, crosses = o && o->crosses;
    int64_t n = memory && s->extent ? s->extent : 1;
    m->rows |= crosses || ix_jam_is_per_point(m->j, s->buffer);
    if ((memory || crosses) &&
        (!ix_mul(n, crosses ? m->j->points : 1, &n) ||
         !ix_mul(n, (int64_t)ilex_dtype_bytes(s->dtype), &n) ||
         !ix_add(m->bytes, n, &m->bytes)))
        m->bytes = INT64_MAX;
    return m->bytes < INT64_MAX;
}

static ix_refusal
has_memory(const ix_jam_state *j)
{
    measuring m = {.j = j};
    ix_stmt_each(j->k->body, measure, &m);
    if (m.rows && j->points <= 0)
        return ix_refuse(j->u, IX_REFUSAL_SHAPE,
                         "no constant bounds its length: split it");
    if (m.bytes <= MOST_BYTES)
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    return ix_refuse(j->u, IX_REFUSAL_SIZE,
                     "rows of %lld points are more than %d bytes",
                     (long long)j->points, MOST_BYTES);
}

/* ---- the loop ---- */

bool
ix_loop_jams(ix_unit *u, const ix_cursor *c, int64_t few)
{
    ix_jam_state j;
    ix_stmt *loop = ix_cursor_loop(c);
    bool parallel = loop->parallel;
    bool jams = ix_jam_begin(&j, u, c, false).class == IX_REFUSAL_NONE;
    loop->parallel = parallel; /* who asks changes nothing */
    ix_jam_undo(&j);
    for (size_t i = 0; i < j.nfollow; i++)
        jams &= j.follow[i].together > few;
    ix_jam_end(&j);
    return jams;
}

ix_refusal
ix_loop_jam(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    (void)d;
    ix_jam_state j;
    ix_stmt *next = (*c->at)->next;
    ix_refusal refusal = ix_jam_begin(&j, u, c, true);
    if (refusal.class == IX_REFUSAL_NONE)
        refusal = has_memory(&j);
    if (refusal.class == IX_REFUSAL_NONE) {
        j.point = ix_index_fma(u->ctx, ix_scalar_index(u->ctx, j.loop->number),
                               -1, ix_for_lo(j.loop));
        *c->at = distribute(&j, j.loop->body);
        *ix_stmt_end(c->at) = next;
        ix_jam_widen(&j);
    } else {
        ix_jam_undo(&j);
    }
    ix_jam_end(&j);
    return refusal;
}
