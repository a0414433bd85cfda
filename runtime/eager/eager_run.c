/* SPDX-License-Identifier: MIT
 *
 * Running an element-wise operator whose operands are placed: the program of
 * its signature, pointed at the storages; a copy where operands overlap the
 * result. eager_match.c comes before.
 */
#include "runtime/eager/eager.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- launching an element-wise kernel ---- */

/* Result axes by falling stride of what is written: the loops' order. */
static void
loop_order(const ilex_storage *out, int *order)
{
    for (int k = 0; k < out->rank; k++) {
        int at = k;
        for (; at > 0 &&
               llabs(out->stride[order[at - 1]]) < llabs(out->stride[k]);
             at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

/* Everything of a launch, in loop order. */
typedef struct launch {
    ix_run r;
    const ilex_storage *bound[IX_EAGER_OPERANDS + 1];
    const char *value[IX_EAGER_BUFFERS];
    int64_t memory[IX_EAGER_WORDS];
    char arguments[IX_EAGER_ARGUMENTS];
} launch;

static void
place_axis(launch *l, int at, int64_t stride, int64_t length)
{
    l->r.s.stride[at] = stride;
    l->r.s.cover[at][0] = 0;
    l->r.s.cover[at][1] = length;
}

/* Operands have the axes of their mask, the result has all. */
static void
place_all(launch *l, const ix_eager_operand *x, int count,
          const ilex_storage *out, const int *order)
{
    int at = 0;
    memset(l->value, 0, sizeof l->value);
    for (int i = 0; i < count; i++) {
        l->bound[i] = x[i].storage;
        l->r.s.home[i] = x[i].storage->data;
        for (int k = 0; k < out->rank; k++)
            if (x[i].mask >> order[k] & 1)
                place_axis(l, at++, x[i].stride[order[k]],
                           out->shape[order[k]]);
    }
    l->bound[count] = out;
    l->r.s.home[count] = out->data;
    for (int k = 0; k < out->rank; k++)
        place_axis(l, at++, out->stride[order[k]], out->shape[order[k]]);
}

/* Sizes are called n<k> for loop k; a program has those it uses. */
static void
set_sizes(launch *l, const ix_compiled *c, const ilex_storage *out,
          const int *order)
{
    for (size_t p = 0; p < c->nsizes && p < ILEX_MAX_RANK; p++)
        l->r.s.size[p] = out->shape[order[atoi(c->size[p].name + 1)]];
    ix_evaluate_forms(&l->r.s);
}

/* "mask" with its bits in loop order. */
static uint32_t
ordered_mask(uint32_t mask, int rank, const int *order)
{
    uint32_t r = 0;
    for (int k = 0; k < rank; k++)
        r |= (mask >> order[k] & 1) << k;
    return r;
}

/* A launch of an operator's program, for arrays that are placed then. */
static void
begin(ilex_context *ctx, const ilex_program *p, launch *l)
{
    l->r = (ix_run){.p = p,
                    .err = &ctx->error,
                    .threads = 1,
                    .bound = l->bound,
                    .value = l->value,
                    .arguments = l->arguments};
    ix_lay_out(&l->r.s, p->c->tables, l->memory);
}

/* out = op(operands), all placed against it; nothing overlaps but in place. */
static ilex_status
evaluate(ilex_context *ctx, int op, const ix_eager_operand *x, int count,
         const ilex_storage *out, bool device)
{
    ix_eager_key key;
    launch l;
    int order[ILEX_MAX_RANK];
    memset(&key, 0, sizeof key);
    loop_order(out, order);
    key.op = op;
    key.rank = out->rank;
    key.count = count;
    key.result = (int32_t)out->dtype;
    for (int i = 0; i < count; i++) {
        key.dtype[i] = (int32_t)x[i].storage->dtype;
        key.mask[i] = ordered_mask(x[i].mask, out->rank, order);
    }
    ix_eager_key_jit(ctx, device, &key);
    const ilex_program *p = ix_eager_program(ctx, &key);
    if (!p)
        return ctx->error.code;
    if (ix_storage_count(out) == 0) {
        ix_memory_written(out->memory); /* as other ranks' parts are */
        return ILEX_OK;
    }
    begin(ctx, p, &l);
    place_all(&l, x, count, out, order);
    set_sizes(&l, p->c, out, order);
    return ix_run_steps(&l.r);
}

/* ---- overlap ---- */

static bool
in_place(const ix_eager_operand *x, const ilex_storage *out)
{
    bool same =
        x->storage->data == out->data && x->storage->dtype == out->dtype;
    for (int k = 0; same && k < out->rank; k++)
        same = out->shape[k] == 1 ||
               ((x->mask >> k & 1) && x->stride[k] == out->stride[k]);
    return same;
}

static bool
clashes(const ix_eager_operand *x, int count, const ilex_storage *out)
{
    for (int i = 0; i < count; i++)
        if (!in_place(&x[i], out) && ix_storage_overlap(x[i].storage, out))
            return true;
    return false;
}

/* Through a copy when an operand overlaps the result elsewhere. */
ilex_status
ix_eager_evaluate(ilex_context *ctx, int op, const ix_eager_operand *x,
                  int count, ilex_storage *out, bool device)
{
    if (!clashes(x, count, out))
        return evaluate(ctx, op, x, count, out, device);
    ix_eager_result like = {.rank = out->rank, .dtype = out->dtype};
    ix_eager_operand copied;
    for (int k = 0; k < out->rank; k++) {
        like.axis[k] = out->axis[k];
        like.shape[k] = out->shape[k];
    }
    if (device)
        ix_eager_lie_beside(out, &like);
    ilex_storage *copy = ix_eager_allocate(ctx, &like);
    if (!copy)
        return ctx->error.code;
    ilex_status rc = evaluate(ctx, op, x, count, copy, device);
    rc = rc ? rc : ix_eager_place(&like, copy, &copied, &ctx->error);
    rc = rc ? rc : evaluate(ctx, IX_NOPS, &copied, 1, out, device);
    ilex_storage_release(copy);
    return rc;
}
