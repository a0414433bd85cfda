/* SPDX-License-Identifier: MIT */
#include "lib/build/cut_kept.h"

#include "lib/graph/scalar.h"
#include "lib/graph/walk.h"

/* Operations of an element up to which an array is made again. */
enum { CHEAP = 8, DEAR = 1 << 20 };

/* ---- what arrays need ---- */

static void
add_messages(const ix_cut_arrays *x, const ilex_array *n, uint64_t *needs)
{
    for (size_t i = 0; n->kind == IX_INPUT && i < x->m->nmessages; i++)
        if (!x->m->message[i].sends && x->m->message[i].name == n->attr[0])
            needs[i / 64] |= UINT64_C(1) << i % 64;
}

static void
find_needs(ix_cut_arrays *x)
{
    for (size_t i = 0; i < x->order.n; i++) {
        ilex_array *op;
        const ilex_array *n = x->order.array[i];
        add_messages(x, n, ix_cut_needs(x, i));
        for (int k = 0; (op = ix_order_operand(n, k)); k++) {
            size_t at = ix_cut_number(x, op);
            for (size_t w = 0; w < x->words; w++)
                ix_cut_needs(x, i)[w] |= ix_cut_needs(x, at)[w];
        }
    }
}

/* ---- what is kept ---- */

/* Operations of a body, each once. */
static bool
add_operations(ix_walk *w, ilex_array *n, const size_t *operand, size_t *value)
{
    int *work = w->user;
    (void)operand, (void)value;
    *work += n->kind == IX_OP     ? ix_op_cost(ix_op_of(n), ix_loop_of(n))
             : n->kind == IX_CAST ? 1
             : n->kind == IX_REDUCE || n->kind == IX_APPLY ? DEAR
                                                           : 0;
    *work = *work < DEAR ? *work : DEAR;
    return true;
}

/* Of an element of array number "i", without its operands. */
static int
find_own(const ix_cut_arrays *x, size_t i)
{
    const ilex_array *n = x->order.array[i];
    bool leaf = n->kind == IX_INPUT || n->kind == IX_DATA;
    int work = leaf || n->kind == IX_LAMBDA ? 0 : DEAR;
    ix_walk w = {.ctx = x->ctx, .leave = add_operations, .user = &work};
    if (n->kind == IX_LAMBDA)
        ix_walk_body(&w, n->ops[0], NULL);
    ix_walk_free(&w);
    return work;
}

/* With those of its operands that are not kept. */
static int
find_work(const ix_cut_arrays *x, size_t i)
{
    ilex_array *op;
    int work = x->own[i];
    for (int k = 0; (op = ix_order_operand(x->order.array[i], k)); k++) {
        size_t at = ix_cut_number(x, op);
        work += x->kept[at] ? 0 : x->work[at];
        work = work < DEAR ? work : DEAR;
    }
    return work;
}

static bool
same_lengths(ilex_context *ctx, const ilex_array *a, const ilex_array *b)
{
    bool same = ix_rank(a) == ix_rank(b);
    for (int k = 0; same && k < ix_rank(a); k++)
        same = ix_axis_extent(ctx, &a->interior->ax[k]) ==
               ix_axis_extent(ctx, &b->interior->ax[k]);
    return same;
}

/* The only operand that is worth to be kept, of an array that is next to
 * nothing once that is there, as a shift is; SIZE_MAX: there is none. */
static size_t
find_below(const ix_cut_arrays *x, size_t i)
{
    enum { NOTHING = 2 };
    size_t below = SIZE_MAX;
    ilex_array *op, *n = x->order.array[i];
    if (n->kind != IX_LAMBDA || x->own[i] > NOTHING)
        return SIZE_MAX;
    for (int k = 0; (op = ix_order_operand(n, k)); k++) {
        size_t at = ix_cut_number(x, op);
        if (x->work[at] <= CHEAP)
            continue;
        if (below != SIZE_MAX || x->stays[at] || !same_lengths(x->ctx, n, op))
            return SIZE_MAX;
        below = at;
    }
    return below;
}

/* Can a storage hold it wherever it is known? */
static bool
can_lie(const ilex_array *n)
{
    bool can = true;
    for (int k = 0; can && n->interior != n->valid && k < ix_rank(n); k++)
        can = n->valid->ax[k].name &&
              !ix_lin_is(n->valid->ax[k].hi, IX_UNBOUNDED);
    return can;
}

/* Is it no array of the whole program, or one that has to be what it is? */
static void
mark_stays(const ix_cut_arrays *x, size_t i)
{
    const ilex_array *n = x->order.array[i];
    bool tuple =
        n->kind == IX_SCAN || n->kind == IX_FOREIGN || n->kind == IX_LOOP;
    x->stays[i] |= tuple || n->kind == IX_INPUT || n->kind == IX_DATA ||
                   n->kind == IX_SKIPPED || !can_lie(n) ||
                   (x->loops.inside && x->loops.inside[i] >= 0);
    if (n->kind == IX_UPDATE) /* it says where values go */
        x->stays[ix_cut_number(x, n->ops[1])] = true;
}

static void
mark_wanted(const ix_cut_arrays *x, size_t i)
{
    ilex_array *op;
    for (int k = 0; (op = ix_order_operand(x->order.array[i], k)); k++) {
        size_t at = ix_cut_number(x, op);
        x->wanted[at] |=
            !ix_cut_same(x, ix_cut_needs(x, i), ix_cut_needs(x, at));
    }
}

static void
find_kept(ix_cut_arrays *x)
{
    for (size_t i = 0; i < x->order.n; i++) {
        mark_stays(x, i);
        mark_wanted(x, i);
        x->own[i] = find_own(x, i);
        x->work[i] = find_work(x, i);
    }
    for (size_t i = x->order.n; i-- > 0;) {
        size_t below = x->wanted[i] ? find_below(x, i) : SIZE_MAX;
        if (below != SIZE_MAX)
            x->wanted[below] = true;
    }
    for (size_t i = 0; i < x->order.n; i++) {
        x->work[i] = find_work(x, i);
        x->kept[i] = x->wanted[i] && !x->stays[i] && x->work[i] > CHEAP;
    }
}

/* ---- all of it ---- */

static bool
take_order(ix_cut_arrays *x)
{
    bool ok = true;
    x->ctx = x->m->ctx;
    x->order.ctx = x->loops.ctx = x->ctx;
    x->loops.mem = &x->ctx->mem;
    for (size_t i = 0; ok && i < x->m->noutputs; i++)
        ok = ix_order_from(&x->order, x->m->output[i].array);
    return ok &&
           ix_repeats_find(&x->loops, x->m->name, x->order.array, x->order.n);
}

static bool
take_memory(ix_cut_arrays *x)
{
    const ix_mem *mem = &x->ctx->mem;
    size_t n = x->order.n + 1;
    x->words = x->m->nmessages / 64 + 1;
    x->needs = ix_mem_new(mem, n * x->words * sizeof *x->needs);
    x->wanted = ix_mem_new(mem, n);
    x->stays = ix_mem_new(mem, n);
    x->kept = ix_mem_new(mem, n);
    x->own = ix_mem_new(mem, n * sizeof *x->own);
    x->work = ix_mem_new(mem, n * sizeof *x->work);
    return x->needs && x->wanted && x->stays && x->kept && x->own && x->work;
}

bool
ix_cut_arrays_begin(ix_cut_arrays *x)
{
    if (!take_order(x) || !take_memory(x))
        return false;
    find_needs(x);
    find_kept(x);
    return true;
}

void
ix_cut_arrays_end(ix_cut_arrays *x)
{
    const ix_mem *mem = &x->m->ctx->mem;
    ix_order_free(&x->order);
    ix_repeats_free(&x->loops);
    ix_mem_free(mem, x->needs);
    ix_mem_free(mem, x->wanted);
    ix_mem_free(mem, x->stays);
    ix_mem_free(mem, x->kept);
    ix_mem_free(mem, x->own);
    ix_mem_free(mem, x->work);
}
