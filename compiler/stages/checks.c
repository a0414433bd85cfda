/* SPDX-License-Identifier: MIT
 *
 * Arrays that check data. A failure is one of the array: it does not depend on
 * what others do with its elements. So it may be computed where it is read
 * only if its reader needs each point of it once: not at some of its points,
 * not in a loop that may be empty, not in a branch, unless that depends on the
 * same element of a mask as its own checks.
 */
#include "compiler/stages/partition.h"

/* ---- guards ----
 *
 * An array of which all checks are behind one condition, an element of a mask
 * at the same point, may be computed behind the same condition.
 */

/* Notes that the mask read by "load" guards "n", if its indices are plain. */
static void
set_guard(const ilex_array *n, ix_partition_info *x, const ilex_array *load)
{
    x->guard = n->ops[load->attr[0] + 1];
    for (int k = 0; k < load->nops; k++) {
        if (load->ops[k]->kind != IX_INDEX)
            x->guard = NULL;
        else
            x->guard_axis[k] = (int)load->ops[k]->attr[0];
    }
}

/* The condition of a `where` that is an element of a mask; NULL otherwise. */
static const ilex_array *
mask_load(const ilex_array *n)
{
    return n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE &&
                   n->ops[0]->kind == IX_LOAD
               ? n->ops[0]
               : NULL;
}

/* The array whose operands' guards are put together. */
typedef struct guarded {
    ix_partition *p;
    const ilex_array *n;
    ix_partition_info *x;
    bool any, same;
} guarded;

/* Takes over the guard of an operand that checks. */
static ix_walk_step
take_guard(ix_walk *w, ilex_array *load, size_t *value)
{
    guarded *g = w->user;
    (void)value;
    if (load->kind != IX_LOAD)
        return IX_WALK_IN;
    const ilex_array *operand = g->n->ops[load->attr[0] + 1];
    const ix_partition_info *o = ix_partition_of(g->p, operand);
    if (!o->checks)
        return IX_WALK_IN;
    bool same = o->guard && (!g->any || o->guard == g->x->guard);
    for (int k = 0; same && k < ix_rank(o->guard); k++) {
        const ilex_array *index = load->ops[o->guard_axis[k]];
        same = index->kind == IX_INDEX &&
               (!g->any || g->x->guard_axis[k] == index->attr[0]);
        g->x->guard_axis[k] = same ? (int)index->attr[0] : 0;
    }
    g->x->guard = o->guard;
    g->any = true;
    g->same &= same;
    return IX_WALK_IN;
}

/* Finds the guard of an array that checks. */
static void
find_guard(ix_partition *p, const ilex_array *n, ix_partition_info *x)
{
    const ilex_array *mask = mask_load(n->ops[0]);
    guarded g = {.p = p, .n = n, .x = x, .same = true};
    ix_walk w = {.ctx = p->u->ctx,
                 .mem = &p->mem,
                 .within = IX_HAS_LOAD,
                 .enter = take_guard,
                 .user = &g};
    ix_walk_body(&w, n->ops[0], NULL);
    ix_walk_free(&w);
    bool own = n->ops[0]->flags & IX_MAY_FAIL;
    x->guard = g.same && !own ? x->guard : NULL;
    if (own && !g.any && mask && !(n->ops[0]->ops[2]->flags & IX_MAY_FAIL))
        set_guard(n, x, mask);
}

/* Is the array that "load" reads guarded by what "mask" reads? */
static bool
is_guarded(const ix_partition_info *x, const ilex_array *n,
           const ilex_array *load, const ilex_array *mask)
{
    bool same = mask && x->guard == n->ops[mask->attr[0] + 1];
    for (int k = 0; same && k < mask->nops; k++)
        same = mask->ops[k] == load->ops[x->guard_axis[k]];
    return same;
}

/* ---- readers ---- */

/* The reader whose body is walked over. */
typedef struct reader {
    ix_partition *p;
    const ilex_array *n;
    const ix_domain *box;
    const ilex_array *mask; /* read by the condition around; or NULL */
} reader;

static ix_partition_info *
operand_of(const reader *r, const ilex_array *load)
{
    return ix_partition_of(r->p, r->n->ops[load->attr[0] + 1]);
}

/* The range of index "x" in the loops around a read; NULL: it is no index. */
static const ix_axis *
range_of(const reader *r, const ix_frame *frame, const ilex_array *x)
{
    if (x->kind == IX_INDEX)
        return &r->box->ax[x->attr[0]];
    for (int i = 0; x->kind == IX_RINDEX && i < frame->nreduce; i++) {
        const ilex_array *n = frame->reduce[i];
        int64_t k = x->attr[0] - n->attr[1];
        if (k >= 0 && k < n->interior->rank && !ix_is_ranged(n))
            return &n->interior->ax[k];
    }
    return NULL;
}

/* Does a read meet each point of "need" once? Its indices are those of all
 * loops around it, each over the whole axis. */
static bool
covers(const reader *r, const ix_frame *frame, const ilex_array *load,
       const ix_domain *need)
{
    int loops = r->box->rank;
    for (int i = 0; i < frame->nreduce; i++)
        loops += frame->reduce[i]->interior->rank;
    if (loops != load->nops)
        return false;
    for (int k = 0; k < load->nops; k++) {
        const ix_axis *range = range_of(r, frame, load->ops[k]);
        if (!range || range->lo != need->ax[k].lo ||
            range->hi != need->ax[k].hi)
            return false;
        for (int j = 0; j < k; j++)
            if (load->ops[j] == load->ops[k])
                return false;
    }
    return true;
}

static ix_walk_step
set_apart(ix_walk *w, ilex_array *n, size_t *value)
{
    const reader *r = w->user;
    (void)value;
    if (n->kind == IX_LOAD && !is_guarded(operand_of(r, n), r->n, n, r->mask))
        operand_of(r, n)->apart = true;
    return IX_WALK_IN;
}

/* What is read in a branch, whatever decides on it but the mask. */
static void
set_branch_apart(reader *r, const ilex_array *branch, const ilex_array *mask)
{
    r->mask = mask;
    ix_walk w = {.ctx = r->p->u->ctx,
                 .mem = &r->p->mem,
                 .within = IX_HAS_LOAD,
                 .enter = set_apart,
                 .user = r};
    ix_walk_body(&w, branch, NULL);
}

static ix_walk_step
find_reads(ix_walk *w, ilex_array *n, size_t *value)
{
    reader *r = w->user;
    (void)value;
    if (n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE)
        for (int i = 1; i < 3; i++)
            set_branch_apart(r, n->ops[i], i == 1 ? mask_load(n) : NULL);
    if (n->kind != IX_LOAD)
        return IX_WALK_IN;
    const ilex_array *x = r->n->ops[n->attr[0] + 1];
    const ix_domain *need = r->p->u->need[ix_unit_position(r->p->u, x)];
    if (need && !covers(r, &w->frame, n, need))
        operand_of(r, n)->apart = true;
    return IX_WALK_IN;
}

/* Is an array that checks stored, whatever else is found out? Then its stage
 * does, and what reads it does not. */
static bool
is_stored(const ix_partition_info *x, const ilex_array *n)
{
    return x->root || x->apart || n->ops[0]->flags & IX_HAS_REDUCE;
}

/* Does the array check data, or one that may be computed in it? */
static bool
checks(ix_partition *p, const ilex_array *n)
{
    bool any = n->ops[0]->flags & IX_MAY_FAIL;
    for (int k = 1; k < n->nops && !any; k++)
        any = n->ops[k]->kind == IX_LAMBDA &&
              ix_partition_of(p, n->ops[k])->checks &&
              !is_stored(ix_partition_of(p, n->ops[k]), n->ops[k]);
    return any;
}

/* Notes which arrays check, operands first; are there any? */
static bool
note_checks(ix_partition *p)
{
    bool some = false;
    for (size_t i = 0; i < p->u->norder; i++) {
        const ilex_array *n = p->u->order[i];
        some |= p->of[i].checks = n->kind == IX_LAMBDA && checks(p, n);
    }
    return some;
}

void
ix_partition_checks(ix_partition *p)
{
    ix_unit *u = p->u;
    bool some = note_checks(p);
    for (size_t i = 0; some && i < u->norder; i++) /* operands first */
        if (p->of[i].checks)
            find_guard(p, u->order[i], &p->of[i]);
    for (size_t i = 0; some && i < u->norder; i++) {
        reader r = {.p = p, .n = u->order[i], .box = u->need[i]};
        if (!ix_has_body(r.n) || !r.box)
            continue;
        ix_walk w = {.ctx = u->ctx,
                     .mem = &p->mem,
                     .frames = IX_WALK_REDUCTIONS,
                     .within = IX_HAS_LOAD,
                     .frame.box = r.box,
                     .enter = find_reads,
                     .user = &r};
        ix_walk_body(&w, r.n->ops[0], NULL);
    }
    if (some) /* by now known: which of them are stored */
        note_checks(p);
}
