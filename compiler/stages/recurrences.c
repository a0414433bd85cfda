/* SPDX-License-Identifier: MIT
 *
 * Scans, as stages that write a buffer for each result and read them at levels
 * before: a CARRY becomes a load of the buffer. One in chunks has two stages
 * more: a scan over the chunks, of what the last level of each holds, and what
 * that gives for a chunk is combined with its levels, in their place.
 */
#include "compiler/stages/partition.h"
#include "lib/build/scan.h"
#include "lib/build/structure.h"

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
        return ix_unit_temporary(p->u, box, (ilex_dtype)body->dtype);
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
    const ix_stage *s;
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
    int rank = b->s->box->rank;
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(ctx, k);
    int64_t levels = b->s->levels.backward ? n->attr[1] : -n->attr[1];
    index[b->s->levels.axis] =
        ix_index_offset(ctx, index[b->s->levels.axis], levels);
    return ix_scalar_load(ctx, (ilex_dtype)n->dtype, b->s->buffer[n->attr[0]],
                          rank, index);
}

/* ---- chunks ---- */

/* A scan in chunks, whose levels are stored as its body says. */
typedef struct chunks {
    ix_partition *p;
    const ilex_array *scan;
    const ix_axis *ax; /* of the levels */
    int axis;
    int levels, before; /* buffers: of the levels, of what all chunks before
                           each give */
    bool fewer;         /* chunks than that has room for, perhaps */
    const ix_domain *box;
    ilex_dtype dtype;
} chunks;

static ilex_array *
load_at(const chunks *c, int buffer, ilex_array *at)
{
    ilex_context *ctx = c->p->u->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < c->box->rank; k++)
        index[k] = k == c->axis ? at : ix_scalar_index(ctx, k);
    return ix_scalar_load(ctx, c->dtype, buffer, c->box->rank, index);
}

/* before op x */
static ilex_array *
combined(const chunks *c, ilex_array *before, ilex_array *x)
{
    ilex_array *ops[2] = {before, x};
    ix_reduction r = ix_scan_chunks(c->scan) == IX_COMBINE_SUM
                         ? IX_REDUCTION_SUM
                         : IX_REDUCTION_PROD;
    return ix_structure_op(c->p->u->ctx, ix_reduction_op(r), c->dtype, ops);
}

static ilex_array *
where(ilex_context *ctx, ilex_array *x, ix_op op, ilex_array *y, ilex_array *a,
      ilex_array *b)
{
    return ix_structure_where(ctx, ix_structure_compare(ctx, op, x, y), a, b);
}

/* What all chunks before number _<axis> give; before the first, and where there
 * are fewer, any number. */
static ilex_array *
sum_before(const chunks *c)
{
    ilex_context *ctx = c->p->u->ctx;
    ilex_array *i = ix_scalar_index(ctx, c->axis);
    ilex_array *last =
        ix_index_fma(ctx, ix_index_const(ctx, -1), IX_CHUNK_SCAN, i);
    ilex_array *end =
        load_at(c, c->levels,
                ix_scan_index(ctx, last, c->ax, ix_scan_is_backward(c->scan)));
    ilex_array *more =
        combined(c, load_at(c, c->before, ix_index_offset(ctx, i, -1)), end);
    ilex_array *any = ix_scalar_const(ctx, c->dtype, (ix_value){.i = 0});
    ilex_array *sum =
        where(ctx, i, IX_OP_EQUAL, ix_index_const(ctx, 1), end, more);
    if (c->fewer) {
        ilex_array *length = ix_index_fma(ctx, ix_index_lin(ctx, c->ax->hi), -1,
                                          ix_index_lin(ctx, c->ax->lo));
        sum = where(ctx, last, IX_OP_LESS, length, sum, any);
    }
    return where(ctx, i, IX_OP_EQUAL, ix_index_const(ctx, 0), any, sum);
}

/* The stage that computes this for all chunks, level by level as scans are. */
static void
store_before(chunks *c, const ix_lin *count)
{
    ix_unit *u = c->p->u;
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, c->box->ax, (size_t)c->box->rank * sizeof *ax);
    ax[c->axis] = (ix_axis){0, ix_lin_const(u->ctx, 0), count};
    const ix_domain *box = ix_domain_new(u->ctx, c->box->rank, ax);
    c->before = ix_unit_temporary(u, box, c->dtype);
    ix_stage *s = ix_unit_store(u, c->before, box, sum_before(c), c->scan);
    s->kind = IX_STAGE_SCAN;
    s->levels.axis = c->axis;
}

/* The stage that combines the levels behind the first chunk with it. */
static void
add_before(const chunks *c)
{
    ix_unit *u = c->p->u;
    ilex_context *ctx = u->ctx;
    bool backward = ix_scan_is_backward(c->scan);
    ix_axis ax[ILEX_MAX_RANK], *along = &ax[c->axis];
    memcpy(ax, c->box->ax, (size_t)c->box->rank * sizeof *ax);
    const ix_lin *end[2] = {along->lo, along->hi};
    end[backward] = ix_lin_offset(ctx, end[backward],
                                  backward ? -IX_CHUNK_SCAN : IX_CHUNK_SCAN);
    *(backward ? &along->hi : &along->lo) =
        ix_lin_extremum(ctx, backward, 2, end);
    ilex_array *chunk = ix_index_floordiv(
        ctx, ix_scan_level(ctx, c->axis, c->ax, backward), IX_CHUNK_SCAN);
    ilex_array *body =
        combined(c, load_at(c, c->before, chunk),
                 load_at(c, c->levels, ix_scalar_index(ctx, c->axis)));
    ix_unit_store(u, c->levels, ix_domain_new(ctx, c->box->rank, ax), body,
                  c->scan);
}

/* How many chunks there are, or more than that. */
static const ix_lin *
count_chunks(chunks *c)
{
    ilex_context *ctx = c->p->u->ctx;
    const ix_lin *count = ix_chunk_count(ctx, c->ax, IX_CHUNK_SCAN);
    const ix_lin *length = ix_lin_sub(ctx, c->ax->hi, c->ax->lo);
    if (count || !length)
        return count;
    const ix_lin *most = ix_lin_const(ctx, length->c);
    for (int32_t i = 0; i < length->n; i++)
        if (length->t[i].k > 0)
            most = ix_lin_fma(ctx, most, length->t[i].k,
                              ix_lin_param(ctx, length->t[i].param));
    ix_axis wide = {0, ix_lin_const(ctx, 0), most};
    c->fewer = true;
    return ix_chunk_count(ctx, &wide, IX_CHUNK_SCAN);
}

static bool
combine_chunks(ix_partition *p, size_t i, int buffer)
{
    const ilex_array *scan = p->u->order[i];
    int axis = ix_scan_axis(scan);
    chunks c = {.p = p,
                .scan = scan,
                .ax = &scan->interior->ax[axis],
                .axis = axis,
                .levels = buffer,
                .box = p->u->need[i],
                .dtype = (ilex_dtype)ix_tuple_body(scan, 0)->dtype};
    const ix_lin *count = count_chunks(&c);
    if (!count)
        return false;
    store_before(&c, count);
    add_before(&c);
    return true;
}

/* ---- the stage ---- */

bool
ix_store_scan(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *scan = u->order[i];
    if (!ix_partition_make_body(p, scan))
        return false;
    ix_stage s = {.kind = IX_STAGE_SCAN,
                  .count = ix_tuple_count(scan),
                  .box = u->need[i],
                  .levels = {.axis = ix_scan_axis(scan),
                             .backward = ix_scan_is_backward(scan)},
                  .array = scan};
    s.buffer = ix_arena_new(&u->arena, (size_t)s.count * sizeof *s.buffer);
    for (int k = 0; k < s.count; k++)
        s.buffer[k] = ix_result_buffer(p, i, k, u->need[i]);
    bodies b = {u, &s};
    ix_substitution sub = {.ctx = u->ctx,
                           .rewrite = load_carry,
                           .became = ix_made_keep,
                           .user = &b,
                           .listener = u};
    s.body = ix_substitute(&sub, p->of[i].body);
    ix_substitution_free(&sub);
    ix_unit_stage(u, s);
    return !ix_is_poison(s.body) &&
           (!ix_scan_chunks(scan) || combine_chunks(p, i, s.buffer[0]));
}
