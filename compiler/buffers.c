/* SPDX-License-Identifier: MIT
 *
 * Pass buffers: temporaries share slots of the workspace, and outputs learn
 * whether they may take the place of an input. needs: kernels in order; gives:
 * a slot for every temporary; a slot's size is that of the largest temporary
 * in it, a formula that the run evaluates.
 */
#include "compiler/unit.h"

/* First and last kernel that touches each buffer. */
typedef struct lifetimes {
    ix_unit *u;
    int *first, *last;
    int now;
    bool *moved; /* read at other indices than the loop's */
} lifetimes;

static void
touch(lifetimes *l, int64_t buffer)
{
    if (l->first[buffer] < 0)
        l->first[buffer] = l->now;
    l->last[buffer] = l->now;
}

/* Does a load read [_0, _1, ...]? */
static bool
reads_in_place(const ilex_array *load, const ix_frame *frame)
{
    if (load->nops != frame->box->rank || frame->nreduce)
        return false;
    for (int k = 0; k < load->nops; k++)
        if (load->ops[k]->kind != IX_INDEX || load->ops[k]->attr[0] != k)
            return false;
    return true;
}

static bool
touch_load(ix_load_visitor *v, const ilex_array *load)
{
    lifetimes *l = v->user;
    touch(l, load->attr[0]);
    l->moved[load->attr[0]] |= !reads_in_place(load, &v->frame);
    return true;
}

static bool
scan_kernel(lifetimes *l, const ix_kernel *k)
{
    for (const ix_nest *n = k->nests; n; n = n->next)
        for (int i = 0; i < n->nstores; i++) {
            ix_load_visitor v = {
                .ctx = l->u->ctx, .fn = touch_load, .user = l};
            v.frame.box = k->box;
            if (!ix_visit_loads(&v, n->store[i].value))
                return false;
            touch(l, n->store[i].buffer);
        }
    return true;
}

/* Gives temporaries slots, in order of first use; a slot is free again after
 * the last kernel that reads its tenant. */
static void
assign_slots(lifetimes *l)
{
    ix_unit *u = l->u;
    int *busy_until = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof(int));
    for (int now = 0; now < u->nkernels; now++)
        for (size_t i = 0; i < u->nbuffers; i++) {
            ix_buffer *b = &u->buffer[i];
            if (b->role != IX_ROLE_TEMP || l->first[i] != now)
                continue;
            int slot = 0;
            while (slot < u->nslots && busy_until[slot] >= now)
                slot++;
            u->nslots += slot == u->nslots;
            busy_until[slot] = l->last[i];
            b->slot = slot;
        }
}

/* An output may share its input's buffer when the input is read only where it
 * is written, by the kernel that writes it, and by none after it. */
static void
check_inplace(lifetimes *l)
{
    ix_unit *u = l->u;
    for (size_t i = 0; i < u->nbuffers; i++) {
        ix_buffer *b = &u->buffer[i];
        if (b->role != IX_ROLE_OUTPUT || b->inplace < 0)
            continue;
        const ix_buffer *in = &u->buffer[b->inplace];
        bool unused = l->first[b->inplace] < 0;
        bool legal = in->dtype == b->dtype && in->interior == b->interior &&
                     (unused || l->last[b->inplace] < l->first[i] ||
                      (l->last[b->inplace] == l->first[i] &&
                       !l->moved[b->inplace]));
        if (!legal)
            b->inplace = -1;
    }
}

/* With many temporaries (a long chain under the reference back end) the
 * quadratic scan of assign_slots would not do: buffers by first use. */
static void
assign_slots_in_order(lifetimes *l)
{
    ix_unit *u = l->u;
    int *free_at = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof(int));
    int *next_dead = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof(int));
    int *dead_after = ix_arena_new(
        &u->arena, ((size_t)u->nkernels + 1) * sizeof(int));
    int nfree = 0;
    for (size_t i = 0; i < u->nbuffers; i++) {
        ix_buffer *b = &u->buffer[i];
        if (b->role != IX_ROLE_TEMP || l->first[i] < 0)
            continue;
        if (l->first[i] > 0)
            for (int d = dead_after[l->first[i] - 1]; d; d = next_dead[d - 1])
                free_at[nfree++] = u->buffer[d - 1].slot;
        if (l->first[i] > 0)
            dead_after[l->first[i] - 1] = 0;
        b->slot = nfree ? free_at[--nfree] : u->nslots++;
        next_dead[i] = dead_after[l->last[i]];
        dead_after[l->last[i]] = (int)i + 1;
    }
}

bool
ix_pass_buffers(ix_unit *u)
{
    size_t n = u->nbuffers + 1;
    lifetimes l = {.u = u};
    l.first = ix_arena_new(&u->arena, n * sizeof *l.first);
    l.last = ix_arena_new(&u->arena, n * sizeof *l.last);
    l.moved = ix_arena_new(&u->arena, n * sizeof *l.moved);
    memset(l.first, -1, n * sizeof *l.first);
    for (const ix_kernel *k = u->kernels; k; k = k->next, l.now++)
        if (!scan_kernel(&l, k))
            return false;
    if (u->reference)
        assign_slots_in_order(&l);
    else
        assign_slots(&l);
    check_inplace(&l);
    return true;
}
