/* SPDX-License-Identifier: MIT
 *
 * Pass buffers: temporaries share slots of the workspace. needs: kernels in
 * order; gives: a slot for every temporary; a slot's size is that of the
 * largest temporary in it, a formula that the run evaluates.
 */
#include "compiler/tree/tree.h"

/* When each buffer is touched first and last: kernels and calls are numbered
 * together, in order. */
typedef struct lifetimes {
    ix_unit *u;
    int *call; /* when each call is made, or end of a loop is met */
    int *first, *last;
    int now, calls; /* calls: that were met */
} lifetimes;

static void
touch(lifetimes *l, int64_t buffer)
{
    if (l->first[buffer] < 0)
        l->first[buffer] = l->now;
    l->last[buffer] = l->now;
}

static bool
touch_load(void *user, const ilex_array *load)
{
    touch(user, load->attr[0]);
    return true;
}

static bool
touch_element(void *user, ix_stmt *s)
{
    if (s->buffer >= 0)
        touch(user, s->buffer);
    return true;
}

/* The calls up to "end". */
static void
touch_calls(lifetimes *l, int end)
{
    for (; l->calls < end; l->calls++, l->now++) {
        const ix_foreign_call *c = l->u->call[l->calls];
        l->call[l->calls] = l->now;
        for (int i = 0; i < c->narguments + c->nresults; i++)
            touch(l, c->slice[i].buffer);
    }
}

/* Lists of temporaries, one list for each kernel or call: buffer + 1, 0 ends
 * one. */
typedef struct agenda {
    int *head, *next;
} agenda;

/* Temporaries by the time that "when" gives. */
static agenda
make_agenda(ix_unit *u, const int *when)
{
    size_t n = (size_t)u->nkernels + (size_t)u->ncalls + 1;
    agenda a = {ix_arena_new(&u->arena, n * sizeof *a.head),
                ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *a.next)};
    for (size_t i = u->nbuffers; i-- > 0;)
        if (u->buffer[i].role == IX_ROLE_TEMP && when[i] >= 0) {
            a.next[i] = a.head[when[i]];
            a.head[when[i]] = (int)i + 1;
        }
    return a;
}

/* Gives temporaries slots, in order of first use; a slot is free again after
 * the last kernel or call that touches its tenant. */
static void
assign_slots(lifetimes *l)
{
    ix_unit *u = l->u;
    agenda begin = make_agenda(u, l->first), end = make_agenda(u, l->last);
    int *idle = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *idle);
    int nidle = 0;
    for (int now = 0; now < l->now; now++) {
        for (int i = begin.head[now]; i; i = begin.next[i - 1])
            u->buffer[i - 1].slot = nidle ? idle[--nidle] : u->nslots++;
        for (int i = end.head[now]; i; i = end.next[i - 1])
            idle[nidle++] = u->buffer[i - 1].slot;
    }
}

/* Keeps what kernels for each target start from. */
static void
keep_tree(ix_unit *u)
{
    size_t n = (size_t)u->nkernels + 1, bytes = u->nbuffers * sizeof *u->buffer;
    ix_naive_tree *t = &u->tree;
    *t = (ix_naive_tree){
        u->kernels, ix_arena_new(&u->arena, n * sizeof *t->kernel),
        ix_arena_new(&u->arena, bytes + 1), u->nbuffers, u->nslots};
    n = 0;
    for (const ix_kernel *k = u->kernels; k; k = k->next)
        t->kernel[n++] = *k;
    if (bytes)
        memcpy(t->buffer, u->buffer, bytes);
}

/* What a loop reads of what was there before it is there for all of its steps,
 * and so is what they leave to what comes behind. */
static void
extend(lifetimes *l, int begin, int end)
{
    for (size_t i = 0; i < l->u->nbuffers; i++) {
        if (l->first[i] < begin && l->last[i] > begin && l->last[i] < end)
            l->last[i] = end;
        if (l->first[i] > begin && l->first[i] < end && l->last[i] > end)
            l->first[i] = begin;
    }
}

/* Buffers that take turns: where the one is the other was, perhaps. */
static void
join_turns(lifetimes *l, const ix_unit_repeat *r)
{
    for (int k = 0; k < ix_repeat_carries(r->node); k++) {
        int a = r->pair[k][0], b = r->pair[k][1];
        l->first[a] = l->first[b] =
            l->first[a] < l->first[b] ? l->first[a] : l->first[b];
        l->last[a] = l->last[b] =
            l->last[a] > l->last[b] ? l->last[a] : l->last[b];
    }
}

/* What a loop may read in its first step in place of a copy, and leave there if
 * it makes none. */
static void
keep_first(lifetimes *l, const ix_unit_repeat *r)
{
    for (int k = 0; k < ix_repeat_carries(r->node); k++) {
        int from = r->from[k], last = l->last[r->pair[k][0]];
        if (from >= 0 && l->last[from] < last)
            l->last[from] = last;
    }
}

/* Inner loops come first; as many rounds as what one hands on may be handed on
 * again. */
static void
extend_loops(lifetimes *l)
{
    const ix_unit *u = l->u;
    for (int round = 0; round < u->repeats.n; round++)
        for (int i = 0; i < u->repeats.n; i++) {
            const ix_unit_repeat *r = &u->repeat[i];
            if (r->first < 0)
                continue;
            extend(l, l->call[r->first], l->call[r->last]);
            join_turns(l, r);
            keep_first(l, r);
        }
}

static lifetimes
find_lifetimes(ix_unit *u)
{
    size_t n = u->nbuffers + 1;
    lifetimes l = {.u = u};
    l.first = ix_arena_new(&u->arena, n * sizeof *l.first);
    l.last = ix_arena_new(&u->arena, n * sizeof *l.last);
    l.call = ix_arena_new(&u->arena, (u->ncalls + 1) * sizeof *l.call);
    memset(l.first, -1, n * sizeof *l.first);
    memset(l.last, -1, n * sizeof *l.last);
    for (ix_kernel *k = u->kernels; k; k = k->next, l.now++) {
        touch_calls(&l, k->when.calls);
        ix_stmt_loads(u, k->body, touch_load, &l);
        ix_stmt_each(k->body, touch_element, &l);
    }
    touch_calls(&l, (int)u->ncalls);
    extend_loops(&l);
    return l;
}

void
ix_buffers_used(ix_unit *u, const int **first, const int **last)
{
    lifetimes l = find_lifetimes(u);
    *first = l.first;
    *last = l.last;
}

void
ix_buffers_place(ix_unit *u)
{
    lifetimes l = find_lifetimes(u);
    u->nslots = 0;
    assign_slots(&l);
    for (size_t i = 0; i < u->nbuffers; i++)
        u->buffer[i].local =
            u->buffer[i].role == IX_ROLE_TEMP && l.first[i] == l.last[i];
}

bool
ix_pass_buffers(ix_unit *u)
{
    ix_buffers_place(u);
    keep_tree(u);
    return true;
}
