/* SPDX-License-Identifier: MIT
 *
 * Pass order: a stage of rows comes right behind one over the same rows that
 * stores or reads what it reads, in front of others that have nothing to do
 * with it:
 *
 *     a[i, k] = x[i, k] + 1            a[i, k] = x[i, k] + 1
 *     b[j, k] = y[j, k] + 2            c[i, k] = a[i, k]*x[i, k]
 *     c[i, k] = a[i, k]*x[i, k]        b[j, k] = y[j, k] + 2
 *
 * for neighbours may be one kernel. Those that check indices stay in order, as
 * which failure is the first one depends on it. needs: stages; gives: the same,
 * in another order; breaks: nothing.
 */
#include "compiler/unit.h"

enum {
    AHEAD = 32, /* so many stages are looked at */
    FEW = 16    /* elements that are no row */
};

/* What a stage reads, a buffer each; memory grows by the unit's arena. */
typedef struct reads {
    ix_unit *u;
    ix_ints buffers;
} reads;

typedef struct ordering {
    ix_unit *u;
    reads *of; /* by stage, in their order */
} ordering;

static bool
note_read(ix_load_visitor *v, const ilex_array *load)
{
    reads *r = v->user;
    ix_arena_grow(&r->u->arena, &r->buffers.item, &r->buffers.capacity,
                  r->buffers.count + 1, sizeof *r->buffers.item);
    r->buffers.item[r->buffers.count++] = (int)load->attr[0];
    return true;
}

static bool
has_read(const reads *r, int buffer)
{
    for (size_t i = 0; i < r->buffers.count; i++)
        if (r->buffers.item[i] == buffer)
            return true;
    return false;
}

/* Does a stage write what another one reads, or that in place of which it is?
 */
static bool
writes_for(const ordering *o, size_t writer, size_t reader)
{
    const ix_stage *s = &o->u->stage[writer];
    for (int i = 0; i < s->count; i++) {
        int other = o->u->buffer[s->buffer[i]].inplace;
        if (has_read(&o->of[reader], s->buffer[i]) ||
            (other >= 0 && has_read(&o->of[reader], other)))
            return true;
    }
    return false;
}

static bool
write_one(const ix_stage *a, const ix_stage *b)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (a->buffer[i] == b->buffer[k])
                return true;
    return false;
}

/* May stage "b" come before "a"? */
static bool
is_free_of(const ordering *o, size_t b, size_t a)
{
    const ix_stage *x = &o->u->stage[a], *y = &o->u->stage[b];
    return !(x->body->flags & y->body->flags & IX_MAY_FAIL) &&
           !writes_for(o, a, b) && !writes_for(o, b, a) && !write_one(x, y);
}

static bool
is_row(const ix_domain *box)
{
    if (box->rank < 2)
        return false;
    const ix_axis *last = &box->ax[box->rank - 1];
    return last->lo->n || last->hi->n || last->hi->c - last->lo->c > FEW;
}

/* Are "a" and "b" over the same rows, of which they use some of one buffer? */
static bool
go_together(const ordering *o, size_t a, size_t b)
{
    const ix_stage *x = &o->u->stage[a], *y = &o->u->stage[b];
    if (x->box->rank < 2 || !is_row(y->box) || y->kind != IX_STAGE_PLAIN ||
        x->box->ax[0].lo != y->box->ax[0].lo ||
        x->box->ax[0].hi != y->box->ax[0].hi)
        return false;
    bool shared = writes_for(o, a, b);
    for (size_t i = 0; i < o->of[b].buffers.count && !shared; i++) {
        int buffer = o->of[b].buffers.item[i];
        shared =
            is_row(o->u->buffer[buffer].box) && has_read(&o->of[a], buffer);
    }
    return shared;
}

/* The stage from "at" on that goes with the one before; "at": none, or it. */
static size_t
next_of(const ordering *o, size_t at)
{
    const ix_unit *u = o->u;
    for (size_t i = at; i < u->nstages && i < at + AHEAD; i++) {
        const ix_moment *when = &u->stage[i].when, *now = &u->stage[at].when;
        if (when->counts != now->counts || when->calls != now->calls)
            break;
        bool free = go_together(o, at - 1, i);
        for (size_t k = at; k < i && free; k++)
            free = is_free_of(o, i, k);
        if (free)
            return i;
    }
    return at;
}

/* Moves stage "from" forward to "to". */
static void
move(ordering *o, size_t to, size_t from)
{
    ix_stage stage = o->u->stage[from];
    reads r = o->of[from];
    size_t n = from - to;
    memmove(&o->u->stage[to + 1], &o->u->stage[to], n * sizeof stage);
    memmove(&o->of[to + 1], &o->of[to], n * sizeof r);
    o->u->stage[to] = stage;
    o->of[to] = r;
}

bool
ix_pass_order(ix_unit *u)
{
    ordering o = {.u = u};
    if (u->reference || u->nstages < 3)
        return true;
    ix_load_visitor loads = {.ctx = u->ctx, .mem = &u->mem, .fn = note_read};
    o.of = ix_arena_new(&u->arena, u->nstages * sizeof *o.of);
    for (size_t i = 0; i < u->nstages; i++) {
        o.of[i].u = u;
        loads.user = &o.of[i];
        loads.frame.box = u->stage[i].box;
        if (!ix_visit_loads(&loads, u->stage[i].body))
            return false;
    }
    ix_visit_end(&loads);
    for (size_t i = 1; i < u->nstages; i++)
        move(&o, i, next_of(&o, i));
    return true;
}
