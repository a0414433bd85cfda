/* SPDX-License-Identifier: MIT
 *
 * Why an array is stored, or computed where it is read: the part of the pass
 * partition that looks at what was counted.
 */
#include "compiler/stages/partition.h"

enum {
    CHEAP = 4, /* operations: always computed again */
    BRIEF = 8, /* elements that are reduced without a loop */
    STAGES = 2 /* temporaries behind it */
};

/* ---- arrays on the outer loops of what reads them ---- */

static ix_walk_step
find_strip(ix_walk *w, ilex_array *n, size_t *value)
{
    (void)w;
    (void)value;
    return n->kind == IX_REDUCE && !ix_reduces_row(n) ? IX_WALK_END
                                                      : IX_WALK_IN;
}

/* Has a body no reduction that "find" ends at? */
static bool
has_none(const ix_partition *p, const ilex_array *body,
         ix_walk_step (*find)(ix_walk *w, ilex_array *n, size_t *value))
{
    ix_walk w = {.ctx = p->u->ctx,
                 .mem = &p->mem,
                 .within = IX_HAS_REDUCE,
                 .enter = find};
    bool none = ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    return none;
}

/* Are the elements of all reductions of a body side by side? Others want the
 * innermost free index inside. */
static bool
reduces_rows(const ix_partition *p, const ilex_array *body)
{
    return has_none(p, body, find_strip);
}

/* Is the array stored where an input is? Only points of that which it has read
 * may be overwritten, so its loops read no others. */
static bool
is_in_place(const ix_unit *u, const ilex_array *n)
{
    bool found = false;
    for (size_t k = 0; k < u->noutputs; k++)
        found |= u->root[k] == n && u->module->output[k].inplace;
    return found;
}

/* The stored array whose stage computes an element of "n", once, in a loop that
 * it has for the axes of "n": where all reads of "n" are and all axes are
 * aligned, in no reduction that wants the innermost free index inside. On a
 * device such a loop is threads, and in the order of Fortran it is the
 * innermost one. NULL: there is none. */
static ix_partition_info *
stage_of(const ix_partition *p, const ilex_array *n, const ix_partition_info *x)
{
    const ix_unit *u = p->u;
    int rank = ix_rank(n);
    if (x->sole_consumer == 0 || x->sole_consumer == IX_SEVERAL ||
        x->aligned < rank || is_in_place(u, u->order[x->sole_consumer - 1]))
        return NULL;
    const ix_domain *box = u->need[ix_unit_position(u, n)],
                    *whole = u->need[x->sole_consumer - 1];
    if (rank != whole->rank &&
        (rank == 0 || u->target->grid || ix_unit_turns(u)))
        return NULL;
    for (int k = 0; k < rank; k++)
        if (box->ax[k].lo != whole->ax[k].lo ||
            box->ax[k].hi != whole->ax[k].hi)
            return NULL;
    return &p->of[x->sole_consumer - 1];
}

static ix_walk_step
find_long(ix_walk *w, ilex_array *n, size_t *value)
{
    int64_t elements = 1;
    (void)w;
    (void)value;
    if (n->kind != IX_REDUCE)
        return IX_WALK_IN;
    for (int k = 0; k < n->interior->rank && elements <= BRIEF; k++) {
        const ix_axis *ax = &n->interior->ax[k];
        bool known = ax->lo->n == 0 && ax->hi->n == 0;
        elements *= known ? ax->hi->c - ax->lo->c : BRIEF + 1;
    }
    return ix_is_ranged(n) || elements > BRIEF ? IX_WALK_END : IX_WALK_IN;
}

/* Are all reductions of a body over a few elements? They are no loops. */
static bool
is_brief(const ix_partition *p, const ilex_array *body)
{
    return has_none(p, body, find_long);
}

/* Goes a reduction into the stage of what reads it? One of a few elements does
 * where each of its points is one of that. Others not where that may be cut
 * along indices, for each part would compute it; nor into a reduction whose
 * parts are kernels. One that wants the innermost free index inside gets it in
 * the innermost loop, where it is the only one. */
static bool
is_reduced_there(const ix_partition *p, const ilex_array *n,
                 const ix_partition_info *x)
{
    ix_partition_info *stage = stage_of(p, n, x);
    int rank = ix_rank(n);
    if (!stage || x->checks || x->gathered || (x->in_reduction && rank == 0))
        return false;
    const ilex_array *whole = p->u->order[x->sole_consumer - 1];
    if (rank == ix_rank(whole) && !x->in_reduction && is_brief(p, n->ops[0]))
        return true;
    if (stage->branches)
        return false;
    if (reduces_rows(p, n->ops[0]))
        return true;
    if (x->in_reduction || rank < ix_rank(whole) ||
        stage->hosts_strided_reduction || !reduces_rows(p, whole->ops[0]))
        return false;
    return stage->hosts_strided_reduction = true;
}

/* ---- pipelines ---- */

/* Is it read, at several points, by the first of several stages? Rows of it are
 * kept as those of the stages are (schedule/pipelines.c). */
static bool
is_first_stage(const ix_partition *p, const ilex_array *n,
               const ix_partition_info *x)
{
    return x->stages >= STAGES && ix_rank(n) >= 2 && !p->u->target->grid &&
           x->work * (x->reads - 1) > CHEAP;
}

/* ---- all ---- */

/* Is a body an element of another array, or that of another dtype? */
static bool
is_read(const ilex_array *body)
{
    return body->kind == IX_LOAD ||
           (body->kind == IX_CAST && body->ops[0]->kind == IX_LOAD);
}

/* Why the array is to be stored, or is not. */
static ix_reason
reason_of(const ix_partition *p, const ilex_array *n,
          const ix_partition_info *x)
{
    if (n->ops[0]->flags & IX_HAS_REDUCE)
        return is_reduced_there(p, n, x) ? IX_REASON_INSIDE
                                         : IX_REASON_REDUCTION;
    if (x->gathered)
        return IX_REASON_GATHERED;
    if (x->checks && x->apart)
        return ix_is_table(n) ? IX_REASON_TABLE : IX_REASON_CHECKS;
    if ((x->conditions && x->reads > 1) || x->many)
        return IX_REASON_CONDITIONS;
    if (x->steps && x->checks) /* once, whether there are steps or not */
        return IX_REASON_REPEATED;
    if ((x->factor && !is_read(n->ops[0])) || (x->repeated && x->work > CHEAP))
        return stage_of(p, n, x) ? IX_REASON_INSIDE : IX_REASON_REPEATED;
    if (x->work * (x->reads - 1) > IX_RECOMPUTE)
        return IX_REASON_WORK;
    if (is_first_stage(p, n, x))
        return IX_REASON_STAGE;
    return x->reads > 1 || x->users > 1 ? IX_REASON_AGAIN : IX_REASON_ONCE;
}

bool
ix_decide_lambda(ix_partition *p, size_t i)
{
    static const bool stored[] = {
#define IX_REASON(NAME, stored, text) stored,
#include "compiler/reasons.def"
    };
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    ix_partition_info *x = &p->of[i];
    if (x->root)
        x->reason = IX_REASON_OUTPUT;
    else if (u->stored && u->stored[i])
        x->reason = IX_REASON_STORED;
    else if (u->reference || !ix_option_int(u->ctx, IX_OPTION_fuse))
        x->reason = IX_REASON_UNFUSED;
    else if (ix_map_find(&u->left, n))
        x->reason = IX_REASON_STEP;
    else
        x->reason = ix_partition_is_segment(x) ? IX_REASON_SEGMENT
                    : x->into                  ? IX_REASON_CARRIED
                                               : reason_of(p, n, x);
    x->stored |= stored[x->reason];
    return ix_partition_count_reads(p, n);
}

void
ix_partition_keep(ix_partition *p)
{
    ix_unit *u = p->u;
    u->decision =
        ix_arena_new(&u->arena, (u->norder + 1) * sizeof *u->decision);
    for (size_t i = 0; i < u->norder; i++) {
        const ix_partition_info *x = &p->of[i];
        u->decision[i] = (ix_decision){.reason = x->reason,
                                       .reads = x->reads,
                                       .work = x->work,
                                       .buffer = x->stored ? x->buffer : -1};
    }
}
