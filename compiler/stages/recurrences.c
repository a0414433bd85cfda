/* SPDX-License-Identifier: MIT
 *
 * Scans, as stages that write a buffer for each result and read them at levels
 * before: a CARRY becomes a load of the buffer.
 */
#include "compiler/stages/partition.h"
#include "lib/build/scan.h"

bool
ix_decide_result(ix_partition *p, size_t i)
{
    const ilex_array *n = p->u->order[i], *scan = n->ops[0];
    ix_partition_info *x = ix_partition_of(p, scan);
    if (!x->result)
        x->result = ix_arena_new(&p->u->arena, (size_t)ix_tuple_count(scan) *
                                                   sizeof *x->result);
    x->result[n->attr[0]] = i + 1;
    return true;
}

int
ix_result_buffer(ix_partition *p, size_t i, int k, const ix_domain *box)
{
    size_t at = p->of[i].result[k];
    const ilex_array *body = ix_tuple_body(p->u->order[i], k);
    if (!at)
        return ix_partition_temporary(p, box, (ilex_dtype)body->dtype);
    return ix_partition_buffer(p, at - 1);
}

bool
ix_decide_scan(ix_partition *p, size_t i)
{
    p->of[i].stored = true;
    p->of[i].reason = IX_REASON_SCAN;
    return ix_partition_count_reads(p, p->u->order[i]);
}

/* A body that is being brought over buffers. */
typedef struct bodies {
    ix_unit *u;
    const ilex_array *scan;
    const ix_recurrence *r;
} bodies;

/* A CARRY as a load. */
static ilex_array *
load_carry(void *user, ilex_array *n)
{
    bodies *b = user;
    ilex_context *ctx = b->u->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    if (n->kind != IX_CARRY)
        return n;
    int rank = ix_rank(b->scan);
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(ctx, k);
    int64_t levels = b->r->backward ? n->attr[1] : -n->attr[1];
    index[b->r->axis] = ix_index_offset(ctx, index[b->r->axis], levels);
    return ix_scalar_load(ctx, (ilex_dtype)n->dtype, b->r->buffer[n->attr[0]],
                          rank, index);
}

bool
ix_store_scan(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *scan = u->order[i];
    if (!ix_partition_make_body(p, scan))
        return false;
    ix_recurrence *r = ix_arena_new(&u->arena, sizeof *r);
    *r = (ix_recurrence){.axis = ix_scan_axis(scan),
                         .backward = ix_scan_is_backward(scan),
                         .count = ix_tuple_count(scan)};
    r->buffer = ix_arena_new(&u->arena, (size_t)r->count * sizeof *r->buffer);
    for (int k = 0; k < r->count; k++)
        r->buffer[k] = ix_result_buffer(p, i, k, u->need[i]);
    bodies b = {u, scan, r};
    ix_substitution s = {.ctx = u->ctx,
                         .rewrite = load_carry,
                         .became = ix_made_keep,
                         .user = &b,
                         .listener = u};
    ilex_array *body = ix_substitute(&s, p->of[i].body);
    ix_substitution_free(&s);
    ix_unit_stage(u, (ix_stage){.buffer = r->buffer[0],
                                .box = u->need[i],
                                .body = body,
                                .scan = r,
                                .array = scan});
    return !ix_is_poison(body);
}
