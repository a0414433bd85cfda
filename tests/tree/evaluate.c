/* SPDX-License-Identifier: MIT
 *
 * Expressions of the level TREE. Reductions that still stand in an expression
 * are computed in the order that defines them; see ix_scalar_reduce().
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/build/foreign.h"
#include "lib/graph/function.h"
#include "tests/tree/interpret.h"

static ix_value eval(tree_machine *m, const ilex_array *x);
static ix_value decide(tree_machine *m, const ilex_array *x);

/* ---- leaves and elements ---- */

static ix_value
integer(int64_t i)
{
    return (ix_value){.i = i};
}

static ix_value
value_leaf(tree_machine *m, const ilex_array *x)
{
    int64_t n = x->attr[0];
    if (n == IX_VALUE_BEGIN || n == IX_VALUE_END)
        return integer(n == IX_VALUE_BEGIN ? m->begin : m->end);
    if (n <= IX_VALUE_OFFSET && IX_VALUE_OFFSET - n < m->of->noffsets)
        return m->of->offset[IX_VALUE_OFFSET - n].value;
    if (n < 0 || n >= m->k->nvalues || !m->slot[n].defined)
        tree_fail(m, "value %lld is not defined here", (long long)n);
    const tree_slot *s = &m->slot[n];
    if (s->row || (s->extent && s->kind != IX_SCRATCH_CELL))
        tree_fail(m, "%lld is no value", (long long)n);
    m->poison |= s->extent ? !s->known[0] : s->poison;
    return s->extent ? s->memory[0] : s->value;
}

static ix_value
index_leaf(tree_machine *m, int64_t k)
{
    if ((size_t)k >= m->k->nvariables || !m->has_variable[k])
        tree_fail(m, "variable %lld has no value here", (long long)k);
    return integer(m->variable[k]);
}

static ix_value
rindex_leaf(tree_machine *m, int64_t k)
{
    if ((size_t)k >= IX_COUNT(m->rindex) || !m->has_rindex[k])
        tree_fail(m, "reduction index %lld has no value here", (long long)k);
    return integer(m->rindex[k]);
}

int64_t
tree_memory_at(const tree_memory *b, const int64_t *index)
{
    int64_t at = 0;
    for (int k = 0; k < b->rank; k++) {
        if (index[k] < b->lo[k] || index[k] >= b->hi[k])
            return -1;
        at = at * (b->last[k] - b->first[k]) + index[k] - b->first[k];
    }
    return at;
}

void
tree_outside(tree_machine *m, int buffer, const int64_t *index)
{
    const tree_memory *b = &m->r->memory[m->buffer[buffer]];
    for (int k = 0; k < b->rank; k++)
        if (index[k] < b->lo[k] || index[k] >= b->hi[k])
            tree_fail(m, "index %lld of axis %d of b%d is outside [%lld, %lld)",
                      (long long)index[k], k, buffer, (long long)b->lo[k],
                      (long long)b->hi[k]);
    tree_fail(m, "b%d has no elements", buffer);
}

ix_value
tree_load(tree_machine *m, int buffer, const int64_t *index)
{
    if (buffer < 0 || (size_t)buffer >= m->r->u->nbuffers)
        tree_fail(m, "there is no buffer %d", buffer);
    const tree_memory *b = &m->r->memory[m->buffer[buffer]];
    bool own = m->r->u->buffer[buffer].own != NULL;
    if (m->writes[buffer] && !own && !m->of->ordered)
        tree_fail(m, "b%d is read in a kernel that writes it", buffer);
    int64_t at = tree_memory_at(b, index);
    if (at < 0)
        tree_outside(m, buffer, index);
    if (b->state[at] == TREE_UNWRITTEN && !own)
        tree_fail(m, "b%d is read where it was never written", buffer);
    m->poison |= b->state[at] != TREE_KNOWN;
    return b->element[at];
}

static ix_value
load(tree_machine *m, const ilex_array *x)
{
    int64_t index[ILEX_MAX_RANK];
    for (int k = 0; k < x->nops; k++)
        index[k] = decide(m, x->ops[k]).i;
    return tree_load(m, (int)x->attr[0], index);
}

void
tree_charge(tree_machine *m)
{
    if (m->r->budget-- > 0)
        return;
    m->r->exhausted = true;
    tree_fail(m, "the program takes too long");
}

/* ---- reductions ---- */

typedef struct reduction {
    tree_machine *m;
    const ilex_array *n;
    ix_reduction r;
    ilex_dtype acc;
} reduction;

static ix_value reduce_axis(const reduction *q, int k);

/* The body with the indices as they are. */
static ix_value
body(const reduction *q)
{
    tree_machine *m = q->m;
    uint64_t around = m->epoch;
    m->epoch = ++m->last_epoch;
    ix_value v = eval(m, q->n->ops[0]);
    m->epoch = around;
    return v;
}

/* "sum" with the body at the indices as they are. */
static ix_value
add_body(const reduction *q, ix_value sum)
{
    return tree_update(q->m, ix_reduction_op(q->r), q->n->ops[0], sum);
}

static void
range_of(const reduction *q, int k, int64_t *lo, int64_t *hi)
{
    const ix_axis *ax = &q->n->interior->ax[k];
    if (ix_is_ranged(q->n)) {
        *lo = decide(q->m, q->n->ops[1]).i;
        *hi = decide(q->m, q->n->ops[2]).i;
        return;
    }
    if (!ix_lin_eval(ax->lo, q->m->r->size, lo) ||
        !ix_lin_eval(ax->hi, q->m->r->size, hi))
        tree_fail(q->m, "the range of a reduction leaves 64 bits");
}

static void
set_index(const reduction *q, int k, int64_t i, bool known)
{
    int64_t at = q->n->attr[1] + k;
    if ((size_t)at >= IX_COUNT(q->m->rindex))
        tree_fail(q->m, "there are too many reduction indices");
    q->m->rindex[at] = i;
    q->m->has_rindex[at] = known;
}

static ix_value
element(const reduction *q, int k, int64_t i)
{
    set_index(q, k, i, true);
    return k + 1 < q->n->interior->rank ? reduce_axis(q, k + 1) : body(q);
}

/* A contraction: axes "k" and on, [lo, hi) of the first, one after the other.
 */
static ix_value
chain(const reduction *q, int k, int64_t lo, int64_t hi, ix_value sum)
{
    int64_t from, to;
    for (int64_t i = lo; i < hi; i++) {
        set_index(q, k, i, true);
        if (k + 1 == q->n->interior->rank) {
            sum = add_body(q, sum);
            continue;
        }
        range_of(q, k + 1, &from, &to);
        sum = chain(q, k + 1, from, to, sum);
    }
    set_index(q, k, 0, false);
    return sum;
}

static bool
has_empty_axis(const reduction *q)
{
    int64_t lo, hi;
    for (int k = 0; k < q->n->interior->rank; k++) {
        range_of(q, k, &lo, &hi);
        if (hi <= lo)
            return true;
    }
    return false;
}

/* A chunk: element i in lane (i - lo) mod lanes, lanes folded as a tree. */
static ix_value
reduce_chunk(const reduction *q, int k, int64_t lo, int64_t hi)
{
    ix_value lane[IX_LANE_BYTES];
    int64_t lanes = k + 1 == q->n->interior->rank ? ix_lanes_of(q->n) : 1;
    if (ix_is_chain(q->n))
        return chain(q, k, lo, hi, ix_reduction_identity(q->r, q->acc));
    bool first = q->r == IX_REDUCTION_PROD && ix_dtype_is_complex(q->acc);
    for (int64_t j = 0; j < lanes; j++)
        lane[j] = ix_reduction_identity(q->r, q->acc);
    for (int64_t i = lo; i < hi; i++) {
        ix_value *l = &lane[(i - lo) % lanes];
        if (k + 1 < q->n->interior->rank) {
            *l = tree_combine(ix_reduction_op(q->r), q->acc, *l,
                              element(q, k, i));
            continue;
        }
        set_index(q, k, i, true);
        *l = first && i == lo ? body(q) : add_body(q, *l);
    }
    for (int64_t h = lanes / 2; h > 0; h /= 2)
        for (int64_t j = 0; j < h; j++)
            lane[j] = tree_combine(ix_reduction_op(q->r), q->acc, lane[j],
                                   lane[j + h]);
    return lane[0];
}

/* Partial results of chunks: halves of a power of two of them, combined. */
static ix_value
reduce_chunks(const reduction *q, int k, int64_t lo, int64_t hi)
{
    int64_t half = ix_chunk_of(q->n, k);
    if (hi - lo <= half)
        return reduce_chunk(q, k, lo, hi);
    while (2 * half < hi - lo)
        half *= 2;
    ix_value a = reduce_chunks(q, k, lo, lo + half);
    return tree_combine(ix_reduction_op(q->r), q->acc, a,
                        reduce_chunks(q, k, lo + half, hi));
}

static ix_value
reduce_axis(const reduction *q, int k)
{
    int64_t lo, hi;
    ix_value v;
    range_of(q, k, &lo, &hi);
    if (hi <= lo || (ix_is_chain(q->n) && has_empty_axis(q)))
        return ix_reduction_empty(q->r, q->acc, &v)
                   ? v
                   : ix_reduction_identity(q->r, q->acc);
    v = reduce_chunks(q, k, lo, hi);
    set_index(q, k, 0, false);
    return v;
}

/* argmax, argmin: in C order, the first extremum wins. */
typedef struct best_so_far {
    ix_value best;
    int64_t at, count;
} best_so_far;

static void
find_best(const reduction *q, int k, best_so_far *b)
{
    int64_t lo, hi;
    range_of(q, k, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        set_index(q, k, i, true);
        if (k + 1 < q->n->interior->rank) {
            find_best(q, k + 1, b);
            continue;
        }
        ix_value v = body(q);
        if (b->count == 0 || ix_reduction_better(q->r, q->acc, v, b->best)) {
            b->best = v;
            b->at = b->count;
        }
        b->count++;
    }
    set_index(q, k, 0, false);
}

static ix_value
reduce(tree_machine *m, const ilex_array *x)
{
    best_so_far b = {.count = 0};
    reduction q = {.m = m,
                   .n = x,
                   .r = ix_reduction_of(x),
                   .acc = (ilex_dtype)x->ops[0]->dtype};
    if (x->interior->rank == 0)
        return eval(m, x->ops[0]);
    if (!ix_reduction_info_of(q.r)->by_index)
        return reduce_axis(&q, 0);
    find_best(&q, 0, &b);
    return integer(b.at);
}

/* ---- operations ---- */

static ix_value
linear(tree_machine *m, const ilex_array *x)
{
    uint64_t sum = (uint64_t)x->attr[0];
    for (int i = 0; i < x->nops; i++)
        sum += (uint64_t)x->attr[i + 1] * (uint64_t)eval(m, x->ops[i]).i;
    return integer((int64_t)sum);
}

/* Of a `where` that guards reads only the branch that is taken. */
static ix_value
operation(tree_machine *m, const ilex_array *x)
{
    ix_value args[3], v = {.i = 0};
    if (ix_is_guard(x))
        return eval(m, decide(m, x->ops[0]).i ? x->ops[1] : x->ops[2]);
    for (int i = 0; i < x->nops; i++)
        args[i] = eval(m, x->ops[i]);
    ix_op_eval(ix_op_of(x), ix_loop_of(x), args, &v);
    return v;
}

/* A foreign function of numbers, as the context of the program has it. */
static ix_value
apply(tree_machine *m, const ilex_array *x)
{
    ix_value args[IX_APPLY_OPERANDS];
    const char *name = ix_symbol_text(x->ctx, ix_foreign_name(x));
    const ilex_function_spec *f = ix_function_find(x->ctx, name);
    if (!f || !f->elementwise)
        tree_fail(m, "%s is not registered", name);
    for (int i = 0; i < x->nops; i++)
        args[i] = eval(m, x->ops[i]);
    return ix_function_apply(f->elementwise, (ilex_dtype)x->dtype, x->nops,
                             args);
}

static ix_value
compute(tree_machine *m, const ilex_array *x)
{
    ix_value a, v;
    switch (x->kind) {
    case IX_LINEAR:
        return linear(m, x);
    case IX_LOAD:
        return load(m, x);
    case IX_REDUCE:
        return reduce(m, x);
    case IX_CAST:
        a = eval(m, x->ops[0]);
        ix_cast_eval((ilex_dtype)x->ops[0]->dtype, (ilex_dtype)x->dtype, &a,
                     &v);
        return v;
    case IX_OP:
        return operation(m, x);
    case IX_APPLY:
        return apply(m, x);
    case IX_CHECKED:
        v = decide(m, x->ops[0]);
        tree_check(m, v.i, eval(m, x->ops[1]).i, eval(m, x->ops[2]).i);
        return v;
    default:
        tree_fail(m, "a node of kind %s stands in an expression",
                  ix_node_text(x));
    }
}

/* ---- the memo ---- */

static size_t
number_of(tree_machine *m, const ilex_array *x)
{
    const size_t *at = ix_map_find(&m->number, x);
    if (at)
        return *at;
    size_t n = m->number.count;
    if (n == m->capacity) {
        m->capacity = 2 * n + 64;
        m->memo = realloc(m->memo, m->capacity * sizeof *m->memo);
    }
    if (!m->memo || !ix_map_set(&m->number, &m->mem, x, n))
        abort();
    m->memo[n].stamp = 0;
    return n;
}

static ix_value
eval(tree_machine *m, const ilex_array *x)
{
    switch (x->kind) {
    case IX_CONST:
        return ix_const_value(x);
    case IX_SIZE:
        return integer(m->r->size[m->size[x->attr[0]]]);
    case IX_INDEX:
        return index_leaf(m, x->attr[0]);
    case IX_RINDEX:
        return rindex_leaf(m, x->attr[0]);
    case IX_VALUE:
        return value_leaf(m, x);
    default:
        break;
    }
    size_t n = number_of(m, x);
    if (m->memo[n].stamp != m->epoch) {
        bool around = m->poison;
        m->poison = false;
        tree_charge(m);
        ix_value v = compute(m, x);
        m->memo[n] = (struct tree_memo){v, m->poison, m->epoch};
        m->poison = around;
    }
    m->poison |= m->memo[n].poison;
    return m->memo[n].value;
}

/* What an index, a bound or a condition is. */
static ix_value
decide(tree_machine *m, const ilex_array *x)
{
    bool before = m->poison;
    m->poison = false;
    ix_value v = eval(m, x);
    if (m->poison)
        tree_fail(m, "what was never written decides");
    m->poison = before;
    return v;
}

ix_value
tree_update(tree_machine *m, ix_op op, const ilex_array *x, ix_value sum)
{
    bool product = x->kind == IX_PRODUCT;
    uint64_t around = m->epoch;
    m->epoch = ++m->last_epoch;
    ix_value v[2] = {sum, {.i = 0}};
    for (int i = 0; product && i < 2; i++)
        v[i] = eval(m, x->ops[i]);
    if (!product)
        v[1] = eval(m, x);
    m->epoch = around;
    if (product)
        return ix_product_add((ilex_dtype)x->ops[0]->dtype,
                              (ilex_dtype)x->ops[1]->dtype,
                              (ilex_dtype)x->dtype, v, sum);
    ix_op_eval(op, (ilex_dtype)x->dtype, v, &sum);
    return sum;
}

ix_value
tree_evaluate(tree_machine *m, const ilex_array *x)
{
    m->epoch = ++m->last_epoch;
    return eval(m, x);
}

ix_value
tree_decide(tree_machine *m, const ilex_array *x)
{
    m->epoch = ++m->last_epoch;
    return decide(m, x);
}
