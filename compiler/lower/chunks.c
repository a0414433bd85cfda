/* SPDX-License-Identifier: MIT
 *
 * Reductions: chunks of elements, whose results are combined pairwise in index
 * order. Slot h of a stack holds the result of 2^h chunks, so one for each set
 * bit of the number of chunks so far: what chunk q gives is combined with those
 * in the slots below the one of its lowest bit that is not set, where it goes.
 *
 *     for q in [0, n)
 *         ...
 *         p[ones(q)] = a
 *         for h in [0, ones(q))
 *             p[ones(q)] = p[h] + p[ones(q)]
 *     a = p[ones(n - 1)]
 *     for h in [ones(n - 1) + 1, bits(n))
 *         if bit(n, h)
 *             a = p[h] + a
 *
 * Chunks that are left out at the start have no results: with the first one
 * that is not, slots are in use below bits(q ^ first).
 */
#include "compiler/lower/ranges.h"

typedef struct stack {
    ix_reduce_axis *x;
    ix_stmt *slot;
    int chunk;          /* elements */
    ilex_array *number; /* of chunks, with those left out */
    ilex_array *first;  /* the first that is not left out; NULL: 0 */
} stack;

/* ---- numbers of chunks ---- */

/* The value of an operator on integers that may be known. */
static ilex_array *
operation(const stack *s, ix_op op, ilex_dtype result, ilex_array *a,
          ilex_array *b)
{
    ilex_context *ctx = s->x->b->u->ctx;
    ilex_array *ops[2] = {a, b};
    if (a->kind != IX_CONST || (b && b->kind != IX_CONST))
        return ix_scalar_op(ctx, op, ILEX_I64, result, ops);
    ix_value args[2] = {ix_const_value(a), ix_const_value(b ? b : a)}, v;
    ix_op_eval(op, ILEX_I64, args, &v);
    return ix_scalar_const(ctx, result, v);
}

static ilex_array *
ones(const stack *s, ilex_array *q)
{
    return operation(s, IX_OP_ONES, ILEX_I64, q, NULL);
}

/* Below which bit slots are in use, when there are "q" chunks. */
static ilex_array *
bits(const stack *s, ilex_array *q)
{
    if (s->first)
        q = operation(s, IX_OP_BITWISE_XOR, ILEX_I64, q, s->first);
    return operation(s, IX_OP_DIGITS, ILEX_I64, q, NULL);
}

/* How many chunks it takes up to "end". */
static ilex_array *
chunks_to(const stack *s, ilex_array *end)
{
    ilex_context *ctx = s->x->b->u->ctx;
    ilex_array *length = ix_index_fma(ctx, end, -1, s->x->lo);
    length = ix_index_offset(ctx, length, s->chunk - 1);
    return length->kind == IX_CONST
               ? ix_index_const(ctx, ix_floordiv(length->attr[0], s->chunk))
               : ix_index_floordiv(ctx, length, s->chunk);
}

/* How many chunks have no element that counts before the first one that has:
 * their results change nothing, so they are left out. NULL: none. */
static ilex_array *
chunks_before(const stack *s)
{
    const ix_reduce_axis *x = s->x;
    ilex_context *ctx = x->b->u->ctx;
    if (!x->ranges || x->ranges->lo == x->lo)
        return NULL;
    return ix_index_floordiv(ctx, ix_index_fma(ctx, x->ranges->lo, -1, x->lo),
                             s->chunk);
}

static stack
stack_of(ix_reduce_axis *x)
{
    stack s = {.x = x, .chunk = ix_chunk_of(x->n, x->k)};
    s.number = chunks_to(&s, x->ranges ? x->ranges->hi : x->hi);
    s.first = chunks_before(&s);
    return s;
}

/* Is it known that there are no chunks but those left out? */
static bool
has_none(const stack *s)
{
    bool known = s->first && s->first->kind == IX_CONST;
    return s->number->kind == IX_CONST &&
           s->number->attr[0] <= (known ? s->first->attr[0] : 0);
}

/* Is the number of chunks below 2^"depth" for all sizes? */
static bool
fits(const stack *s, int depth)
{
    ilex_context *ctx = s->x->b->u->ctx;
    int64_t most = ((INT64_C(1) << depth) - 1) * s->chunk;
    const ix_lin *length = ix_index_is_quotient(s->number)
                               ? ix_index_to_lin(ctx, s->number->ops[0])
                               : NULL;
    const ix_lin *rest =
        length ? ix_lin_sub(ctx, ix_lin_const(ctx, most + s->chunk - 1), length)
               : NULL;
    return rest && ix_lin_nonneg_fast(ctx, rest);
}

/* How many slots there are: one for each bit of the number of chunks. */
static int64_t
slots_needed(const stack *s)
{
    enum { BOUNDED = 32 };
    int depth = 1;
    if (s->number->kind == IX_CONST)
        return operation(s, IX_OP_DIGITS, ILEX_I64, s->number, NULL)->attr[0];
    if (!fits(s, BOUNDED))
        return IX_STACK_DEPTH;
    while (depth < BOUNDED && !fits(s, depth))
        depth++;
    return depth;
}

static void
make_slots(stack *s)
{
    s->slot = ix_build_scratch(s->x->b, 'p', s->x->acc, slots_needed(s));
    s->slot->note = "slot h has the result of 2^h chunks";
}

/* ---- results ---- */

/* into[at] = op(slot h, into[at]) */
static void
combine(const stack *s, ilex_array *h, ix_stmt *into, ilex_array *at)
{
    ix_builder *b = s->x->b;
    ilex_array *ops[2] = {ix_build_read(b, s->slot, h),
                          ix_build_read(b, into, at)};
    ilex_array *both =
        ix_scalar_op(b->u->ctx, s->x->op, s->x->acc, s->x->acc, ops);
    ix_build_put(b, ix_stmt_store(b->u, ix_element_scratch(into, at), both));
}

/* A loop over slots "from" to before "to". */
static ix_stmt *
slots(const stack *s, ilex_array *from, ilex_array *to)
{
    ix_stmt *loop = ix_reduce_loop(s->x, IX_VARIABLE_SLOT, from, to);
    loop->optional = true;
    return loop;
}

static ilex_array *
variable(const stack *s, const ix_stmt *loop)
{
    return ix_scalar_index(s->x->b->u->ctx, loop->number);
}

/* Result "v" of chunk q goes to its slot. */
static void
push(const stack *s, ilex_array *q, ilex_array *v)
{
    ix_builder *b = s->x->b;
    ilex_array *at = ones(s, q);
    ix_stmt *loop = slots(s, ix_index_const(b->u->ctx, 0), at);
    if (s->first)
        loop = ix_stmt_bound_by(b->u, loop, IX_for_hi, bits(s, q), false);
    ix_build_put(b, ix_stmt_store(b->u, ix_element_scratch(s->slot, at), v));
    ix_build_open(b, loop);
    combine(s, variable(s, loop), s->slot, at);
    ix_build_close(b, loop);
}

/* The results in slots above "lowest", from there upwards. */
static void
pop_others(const stack *s, ilex_array *lowest, ix_stmt *into)
{
    ix_builder *b = s->x->b;
    ix_stmt *loop =
        slots(s, ix_index_offset(b->u->ctx, lowest, 1), bits(s, s->number));
    ilex_array *h = variable(s, loop);
    ilex_array *is_set = operation(s, IX_OP_BIT, ILEX_BOOL, s->number, h);
    ix_stmt *branch = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &is_set}));
    ix_build_open(b, loop);
    ix_build_open(b, branch);
    combine(s, h, into, NULL);
    ix_build_close(b, branch);
    ix_build_close(b, loop);
}

/* The accumulator that takes the results of all chunks, if there are any. */
static ix_stmt *
pop(const stack *s, ilex_array *empty)
{
    ix_builder *b = s->x->b;
    ilex_context *ctx = b->u->ctx;
    ilex_array *first = s->first ? s->first : ix_index_const(ctx, 0);
    ilex_array *lowest = ones(s, ix_index_offset(ctx, s->number, -1));
    ilex_array *any = operation(s, IX_OP_LESS, ILEX_BOOL, first, s->number);
    ix_stmt *branch = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &any}));
    bool known = any->kind == IX_CONST;
    if (!known) {
        ix_stmt *a = ix_reduce_accumulator(s->x, 'a', empty);
        ix_build_open(b, branch);
        ilex_array *v = ix_build_read(b, s->slot, lowest);
        ix_build_put(b, ix_stmt_store(b->u, ix_element_scratch(a, NULL), v));
        pop_others(s, lowest, a);
        ix_build_close(b, branch);
        return a;
    }
    ix_stmt *a =
        ix_reduce_accumulator(s->x, 'a', ix_build_read(b, s->slot, lowest));
    pop_others(s, lowest, a);
    return a;
}

/* ---- the axis ---- */

/* The result of chunk q. */
static ilex_array *
chunk(const stack *s, ilex_array *q)
{
    ix_reduce_axis *x = s->x;
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ilex_array *from = ix_index_fma(ctx, x->lo, s->chunk, q);
    ilex_array *to =
        ix_index_min(ctx, ix_index_offset(ctx, from, s->chunk), x->hi);
    to = ix_value_of(b->u, ix_build_let(b, 'e', to));
    ix_stmt *a = ix_reduce_accumulator(x, 'a', ix_reduce_first(x));
    ix_reduce_chunk(x, from, to, a);
    return ix_value_of(b->u, a);
}

/* Is the result the same however chunks are paired? Of equal maxima the first
 * one is taken, and any NaN. */
static bool
is_associative(const ix_reduce_axis *x)
{
    return x->op == IX_OP_MAXIMUM || x->op == IX_OP_MINIMUM;
}

ix_stmt *
ix_reduce_chunks(ix_reduce_axis *x, ilex_array *empty)
{
    ix_unit *u = x->b->u;
    stack s = stack_of(x);
    if (has_none(&s))
        return ix_reduce_accumulator(x, 'a', empty);
    ix_stmt *all = NULL; /* for any order, and for the order of chunks */
    if (ix_dtype_is_exact(x->acc) || is_associative(x))
        all = ix_reduce_accumulator(x, 'a', empty);
    else
        make_slots(&s);
    ilex_array *zero = ix_index_const(u->ctx, 0);
    ix_stmt *loop = ix_reduce_loop(x, IX_VARIABLE_CHUNK, x->lo, x->hi);
    loop = ix_stmt_with(
        u, loop, IX_OPERANDS({1, s.first ? &s.first : &zero}, {1, &s.number}));
    loop->optional |= x->ranges != NULL;
    ix_build_open(x->b, loop);
    ilex_array *q = ix_scalar_index(u->ctx, loop->number);
    ilex_array *v = chunk(&s, q);
    if (all)
        ix_reduce_update(x, all, v);
    else
        push(&s, q, v);
    ix_build_close(x->b, loop);
    return all ? all : pop(&s, empty);
}
