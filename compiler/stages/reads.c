/* SPDX-License-Identifier: MIT
 *
 * What the pass partition counts before it decides: the cost of bodies, and how
 * often and how arrays are read.
 */
#include "compiler/stages/partition.h"
#include "lib/build/foreign.h"

enum {
    MANY_READS = 1 << 20,
    WAITS = 2,     /* how much longer an operation of a function takes, as most
                      wait for others */
    MANY_CASES = 6 /* arrays that decide on indices, one inside of the other */
};

typedef ix_partition_info info;
typedef ix_partition partition;

/* ---- measures of a body ---- */

typedef struct measure {
    partition *p;
    int operations;
    int cost; /* in additions */
    bool conditions;
} measure;

/* Does index arithmetic branch (minimum, maximum)? */
static bool
index_branches(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    (void)w;
    *value = x->kind == IX_OP &&
             (ix_op_of(x) == IX_OP_MINIMUM || ix_op_of(x) == IX_OP_MAXIMUM);
    for (int i = 0; i < x->nops && x->kind != IX_CHECKED; i++)
        *value |= operand[i];
    return true;
}

static ix_walk_step
measure_node(ix_walk *w, ilex_array *n, size_t *value)
{
    measure *m = w->user;
    (void)value;
    if (n->kind == IX_OP) {
        ix_op op = ix_op_of(n);
        bool function = ix_op_info_of(op)->ulp >= IX_ULP_ELEMENTARY;
        m->operations++;
        m->cost += ix_op_cost(op, ix_loop_of(n)) * (function ? WAITS : 1);
    }
    if (n->kind == IX_REDUCE &&
        n->attr[1] + n->interior->rank > m->p->reductions)
        m->p->reductions = n->attr[1] + n->interior->rank;
    if (n->kind == IX_APPLY) {
        m->operations++;
        m->cost += (int)ix_foreign_cost(n);
    }
    if (n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE &&
        (n->ops[0]->flags & IX_HAS_CONDITION))
        m->conditions = true;
    for (int i = 0; n->kind == IX_LOAD && i < n->nops; i++) {
        size_t branches = 0;
        ix_walk_body(&m->p->branches, n->ops[i], &branches);
        m->conditions |= branches != 0;
    }
    return n->kind == IX_LOAD ? IX_WALK_OVER : IX_WALK_IN;
}

/* ---- counting reads ---- */

typedef struct read_count {
    partition *p;
    const ilex_array *user;
    int64_t weight; /* how often the user itself is computed */
    bool stored;    /* the user is a store of its own */
} read_count;

/* Which indices a node uses, as bits: _k, then reduction indices. */
static bool
note_indices(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    (void)w;
    uint64_t bits = 0;
    if (x->kind == IX_INDEX)
        bits = (uint64_t)1 << x->attr[0];
    if (x->kind == IX_RINDEX)
        bits = (uint64_t)1 << (32 + x->attr[0] % 32);
    for (int i = 0; i < x->nops; i++)
        bits |= operand[i];
    *value = bits;
    return true;
}

static uint64_t
frame_indices(const ix_frame *frame)
{
    uint64_t bits = ((uint64_t)1 << frame->box->rank) - 1;
    for (int i = 0; i < frame->nreduce; i++)
        for (int k = 0; k < frame->reduce[i]->interior->rank; k++)
            bits |= (uint64_t)1 << (32 + (frame->reduce[i]->attr[1] + k) % 32);
    return bits;
}

/* The length of an axis, if it is known, else "otherwise". */
static int64_t
length_of(const ix_axis *ax, int64_t otherwise)
{
    return ax->lo->n == 0 && ax->hi->n == 0 ? ax->hi->c - ax->lo->c : otherwise;
}

/* Is what is read by the indices "used" a factor of a contraction of more than
 * a few elements, each of which is taken often? Blocks want it in memory. */
static bool
is_factor(const ix_frame *frame, uint64_t used)
{
    enum { OFTEN = 8 };
    const ilex_array *n =
        frame->nreduce ? frame->reduce[frame->nreduce - 1] : NULL;
    int64_t times = 1, most = 1;
    if (!n || !ix_is_chain(n))
        return false;
    for (int k = 0; k < frame->box->rank && times < OFTEN; k++)
        if (!(used >> k & 1))
            times *= length_of(&frame->box->ax[k], OFTEN);
    for (int k = 0; k < n->interior->rank && most <= OFTEN; k++)
        most *= length_of(&n->interior->ax[k], OFTEN + 1);
    return times >= OFTEN && most > OFTEN;
}

/* Does a load read [_0, _1, ...]? */
static bool
reads_same_point(const ilex_array *load, const ix_frame *frame)
{
    bool same = load->nops == frame->box->rank;
    for (int k = 0; same && k < load->nops; k++)
        same = load->ops[k]->kind == IX_INDEX && load->ops[k]->attr[0] == k;
    return same;
}

/* Notes in whose stage, and with which of its loops, array "x" is read. */
static void
note_consumer(const read_count *c, const ix_frame *frame,
              const ilex_array *load, info *x)
{
    const info *user = ix_partition_of(c->p, c->user);
    int stages = user->stages + (user->reason == IX_REASON_WORK ||
                                 user->reason == IX_REASON_STAGE);
    size_t consumer = user->stored ? ix_unit_position(c->p->u, c->user) + 1
                                   : user->sole_consumer;
    int aligned = 0, most = user->stored ? ILEX_MAX_RANK : user->aligned;
    while (aligned < load->nops && aligned < most &&
           load->ops[aligned]->kind == IX_INDEX &&
           load->ops[aligned]->attr[0] == aligned)
        aligned++;
    if (!x->loaded || aligned < x->aligned)
        x->aligned = aligned;
    for (int i = 0; i < frame->nreduce; i++)
        if (!ix_reduces_row(frame->reduce[i]))
            consumer = IX_SEVERAL;
    x->sole_consumer = !x->sole_consumer || x->sole_consumer == consumer
                           ? consumer
                           : IX_SEVERAL;
    x->stages = stages > x->stages ? stages : x->stages;
    x->in_reduction |=
        frame->nreduce > 0 || (!user->stored && user->in_reduction);
}

static bool
count_read(ix_load_visitor *v, const ilex_array *load)
{
    read_count *c = v->user;
    info *x = ix_partition_of(c->p, c->user->ops[load->attr[0] + 1]);
    note_consumer(c, &v->frame, load, x);
    x->loaded = true;
    if (c->stored || !reads_same_point(load, &v->frame))
        x->reads += c->weight;
    else if (x->reads < c->weight) /* the same points as other users read */
        x->reads = c->weight;
    if (x->reads > MANY_READS)
        x->reads = MANY_READS;
    uint64_t used = 0;
    for (int i = 0; i < load->nops; i++) {
        size_t bits = 0;
        ix_walk_body(&c->p->indices, load->ops[i], &bits);
        used |= bits;
        x->gathered |= load->ops[i]->kind == IX_CHECKED;
    }
    x->repeated |= used != frame_indices(&v->frame);
    x->factor |= is_factor(&v->frame, used) ||
                 (!c->stored && ix_partition_of(c->p, c->user)->factor);
    return true;
}

/* ---- for the pass ---- */

/* The cost of a body, its operations, and whether it decides on indices: many
 * arrays have the same one. */
static size_t
measure_body(partition *p, const ilex_array *body)
{
    const size_t *known = ix_map_find(&p->measured, body);
    if (known)
        return *known;
    measure m = {.p = p};
    ix_walk w = {
        .ctx = p->u->ctx, .mem = &p->mem, .enter = measure_node, .user = &m};
    ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    size_t measured =
        (size_t)m.cost << 32 | 2 * (size_t)m.operations | m.conditions;
    ix_map_set(&p->measured, &p->mem, body, measured);
    return measured;
}

/* Of arrays that decide on indices and are computed one inside of the other
 * each cuts the loops that those before left: after some what is read is
 * stored. */
static void
count_cases(partition *p, info *x, const ilex_array *n)
{
    x->cases += x->conditions;
    if (!x->conditions || x->cases <= MANY_CASES)
        return;
    for (int k = 1; k < n->nops; k++)
        if (n->ops[k]->kind == IX_LAMBDA)
            ix_partition_of(p, n->ops[k])->many =
                ix_partition_of(p, n->ops[k])->cases > 0;
    x->cases = 1;
}

void
ix_partition_add_work(partition *p, size_t i)
{
    ilex_array *n = p->u->order[i];
    info *x = &p->of[i];
    size_t measured = measure_body(p, n->ops[0]);
    x->conditions = measured % 2;
    x->work = (int64_t)(measured >> 32);
    p->work += (int64_t)((uint32_t)measured / 2);
    x->branches = x->conditions || n->ops[0]->flags & IX_HAS_GUARD;
    for (int k = 1; k < n->nops; k++) {
        const ilex_array *operand = n->ops[k];
        if (operand->kind != IX_LAMBDA)
            continue;
        info *y = ix_partition_of(p, operand);
        y->users++;
        x->branches |= y->branches && !y->root;
        size_t at = ix_unit_position(p->u, operand);
        bool loaded = p->u->stored && p->u->stored[at];
        if (!loaded && !y->root && !ix_map_find(&p->u->left, operand))
            x->cases = y->cases > x->cases ? y->cases : x->cases;
        if (!loaded && !(operand->ops[0]->flags & IX_HAS_REDUCE))
            x->work += y->work;
    }
    if (x->work > MANY_READS)
        x->work = MANY_READS;
    count_cases(p, x, n);
}

void
ix_partition_note_reader(partition *p, const ilex_array *n)
{
    int inside = ix_unit_inside(p->u, ix_unit_position(p->u, n));
    for (int k = 0; k < n->nops; k++) {
        if (!ix_is_array(n->ops[k]))
            continue;
        ix_partition_info *x = ix_partition_of(p, n->ops[k]);
        size_t at = ix_unit_position(p->u, n->ops[k]);
        bool steps = ix_unit_inside(p->u, at) != inside;
        if (n->kind != IX_LAMBDA || steps)
            x->sole_consumer = IX_SEVERAL;
        x->steps |= steps && n->kind != IX_LOOP;
        x->repeated |= x->steps;
    }
}

bool
ix_partition_count_reads(partition *p, const ilex_array *n)
{
    const info *x = ix_partition_of(p, n);
    read_count c = {p, n, x->stored ? 1 : x->reads, x->stored};
    p->loads.user = &c;
    p->loads.frame.box = n->interior;
    return ix_visit_loads(&p->loads, n->ops[0]);
}

void
ix_partition_begin_reads(partition *p)
{
    ilex_context *ctx = p->u->ctx;
    const ix_mem *mem = &p->mem;
    p->branches = (ix_walk){.ctx = ctx, .mem = mem, .leave = index_branches};
    p->indices = (ix_walk){.ctx = ctx, .mem = mem, .leave = note_indices};
    p->loads = (ix_load_visitor){.ctx = ctx, .mem = mem, .fn = count_read};
}
