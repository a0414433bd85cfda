/* SPDX-License-Identifier: MIT
 *
 * Back end `reference`: evaluates bytecode point by point, in plain C. It
 * shares with the emitter only the rows of ops.def and reductions.def, and
 * follows the definition of reductions word by word: the oracle of all tests.
 */
#include "runtime/program/program.h"

#include "lib/graph/function.h"
#include "lib/ops/dtype.h"

/* The state while bytecode is evaluated. */
typedef struct machine {
    const ix_run *r;
    const ix_compiled *c;
    const ix_bytecode *code;
    ix_value *value; /* per instruction */
    int64_t index[ILEX_MAX_RANK];
    int64_t rindex[4 * ILEX_MAX_RANK];
    bool failed; /* an index that is data was outside, the first one: */
    ix_local found;
} machine;

static void evaluate(machine *m, int32_t from, int32_t to);

/* ---- leaves and index arithmetic ---- */

/* An element; 0 outside what the buffer covers, which a branch not taken may
 * ask for. */
static ix_value
load(const machine *m, const ix_instr *in)
{
    size_t buffer = (size_t)in->attr[0];
    const ix_compiled_buffer *b = &m->c->buffer[buffer];
    int64_t offset = 0;
    for (int k = 0; k < in->n; k++) {
        int at = b->first_stride + k;
        int64_t i = m->value[in->arg[k]].i;
        if (i < m->r->s.cover[at][0] || i >= m->r->s.cover[at][1])
            return (ix_value){.i = 0};
        offset += i * m->r->s.stride[at];
    }
    return ix_value_load(b->dtype,
                         m->r->s.base[buffer] +
                             offset * (int64_t)ilex_dtype_bytes(b->dtype));
}

/* An index that is data; the first one outside ends the run. */
static int64_t
checked(machine *m, const ix_instr *in)
{
    int64_t v = m->value[in->arg[0]].i;
    bool inside = v >= m->value[in->arg[1]].i && v < m->value[in->arg[2]].i;
    if (!inside && in->check >= 0 && !m->failed) {
        m->failed = true;
        m->found = (ix_local){.node = in->check,
                              .value = v,
                              .lo = m->value[in->arg[1]].i,
                              .hi = m->value[in->arg[2]].i};
        if (in->n > 3)
            m->found.at = m->value[in->arg[3]].i;
    }
    return v;
}

static int64_t
linear(const machine *m, const ix_instr *in)
{
    uint64_t sum = (uint64_t)in->attr[0];
    for (int i = 0; i < in->n; i++)
        sum += (uint64_t)in->attr[i + 1] * (uint64_t)m->value[in->arg[i]].i;
    return (int64_t)sum;
}

/* ---- reductions ---- */

/* One reduction under evaluation. */
typedef struct reducer {
    machine *m;
    const ix_instr *in;
    ix_reduction r;
    ix_op op;
    ilex_dtype acc;
    int64_t lanes;
    bool chain;
    const ix_instr *product; /* elements are added by fma; or NULL */
} reducer;

static ix_value reduce_axis(reducer *q, int k);

static ix_value
combine(const reducer *q, ix_value a, ix_value b)
{
    ix_value args[2] = {a, b}, result;
    ix_op_eval(q->op, q->acc, args, &result);
    return result;
}

/* The element at index "i" of axis "k": a reduction over the axes inside, or
 * the body's value. */
static ix_value
element(reducer *q, int k, int64_t i)
{
    machine *m = q->m;
    m->rindex[q->in->attr[1] + k] = i;
    if (k + 1 < q->in->n)
        return reduce_axis(q, k + 1);
    evaluate(m, q->in->body, q->in->branch[0]);
    return m->value[q->in->arg[0]];
}

/* "sum" with an element, the body's value if "inner": a product is added by
 * fused multiply-adds. */
static ix_value
add(const reducer *q, ix_value sum, ix_value v, bool inner)
{
    const ix_value *value = q->m->value;
    const ix_instr *p = q->product;
    if (!p || !inner)
        return combine(q, sum, v);
    ix_value factor[2] = {value[p->arg[0]], value[p->arg[1]]};
    return ix_product_add((ilex_dtype)p->loop, (ilex_dtype)p->what, q->acc,
                          factor, sum);
}

/* Lanes folded pairwise: lane j with lane j + half. */
static ix_value
fold_lanes(const reducer *q, ix_value *lane, int64_t lanes)
{
    for (int64_t half = lanes / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; j++)
            lane[j] = combine(q, lane[j], lane[j + half]);
    return lane[0];
}

/* A contraction's axes "k" and on, [lo, hi) of the first, added to "sum" one
 * element after the other. */
static ix_value
chain(reducer *q, int k, int64_t lo, int64_t hi, ix_value sum)
{
    machine *m = q->m;
    for (int64_t i = lo; i < hi; i++) {
        int64_t from, to;
        m->rindex[q->in->attr[1] + k] = i;
        if (k + 1 < q->in->n) {
            ix_range_eval(&q->in->range[k + 1], m->r->s.size, &from, &to);
            sum = chain(q, k + 1, from, to, sum);
            continue;
        }
        evaluate(m, q->in->body, q->in->branch[0]);
        sum = add(q, sum, m->value[q->in->arg[0]], true);
    }
    return sum;
}

/* A chunk: element i goes to lane (i - lo) mod lanes. Complex products start
 * from their first element, the others from the identity. */
static ix_value
reduce_chunk(reducer *q, int k, int64_t lo, int64_t hi)
{
    if (q->chain)
        return chain(q, k, lo, hi, ix_reduction_identity(q->r, q->acc));
    bool inner = k + 1 == q->in->n;
    int64_t lanes = inner ? q->lanes : 1;
    bool first_wins = q->r == IX_REDUCTION_PROD && ix_dtype_is_complex(q->acc);
    ix_value lane[IX_LANE_BYTES];
    for (int64_t j = 0; j < lanes; j++)
        lane[j] = ix_reduction_identity(q->r, q->acc);
    for (int64_t i = lo; i < hi; i++) {
        ix_value v = element(q, k, i);
        ix_value *l = &lane[(i - lo) % lanes];
        *l = first_wins && i == lo ? v : add(q, *l, v, inner);
    }
    return fold_lanes(q, lane, lanes);
}

/* Is an axis inside the first one empty? */
static bool
nothing_inside(const reducer *q)
{
    int64_t lo, hi;
    for (int k = 1; k < q->in->n; k++) {
        ix_range_eval(&q->in->range[k], q->m->r->s.size, &lo, &hi);
        if (hi <= lo)
            return true;
    }
    return false;
}

/* A range that is computed, of the only axis; nothing after a failed check. */
static void
computed_range(const reducer *q, int64_t *lo, int64_t *hi)
{
    machine *m = q->m;
    evaluate(m, q->in->branch[0], q->in->body_end);
    *lo = m->value[q->in->arg[1]].i;
    *hi = m->failed ? *lo : m->value[q->in->arg[2]].i;
}

/* Chunks combined pairwise in index order: the tree of a binary counter. */
static ix_value
reduce_axis(reducer *q, int k)
{
    int64_t lo, hi, count = 0;
    int64_t chunk = q->in->attr[k + 1 == q->in->n ? 4 : 5];
    ix_value stack[64], v;
    int depth = 0;
    if (q->in->branch[1])
        computed_range(q, &lo, &hi);
    else
        ix_range_eval(&q->in->range[k], q->m->r->s.size, &lo, &hi);
    if (hi <= lo || (q->chain && nothing_inside(q))) {
        if (!ix_reduction_empty(q->r, q->acc, &v))
            v = ix_reduction_identity(q->r, q->acc);
        return v;
    }
    for (int64_t at = lo; at < hi; at += chunk, count++) {
        int64_t end = hi - at < chunk ? hi : at + chunk;
        v = reduce_chunk(q, k, at, end);
        for (int64_t bits = count; bits & 1; bits >>= 1)
            v = combine(q, stack[--depth], v);
        stack[depth++] = v;
    }
    v = stack[--depth];
    while (depth > 0)
        v = combine(q, stack[--depth], v);
    return v;
}

/* argmax, argmin: elements in C order, the first extremum wins. */
static void
search_axis(reducer *q, int k, ix_value *best, int64_t *at, int64_t *count)
{
    int64_t lo, hi;
    machine *m = q->m;
    ix_range_eval(&q->in->range[k], m->r->s.size, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        m->rindex[q->in->attr[1] + k] = i;
        if (k + 1 < q->in->n) {
            search_axis(q, k + 1, best, at, count);
            continue;
        }
        evaluate(m, q->in->body, q->in->branch[0]);
        ix_value v = m->value[q->in->arg[0]];
        if (*count == 0 || ix_reduction_better(q->r, q->acc, v, *best)) {
            *best = v;
            *at = *count;
        }
        ++*count;
    }
}

static ix_value
reduce(machine *m, const ix_instr *in)
{
    reducer q = {.m = m, .in = in, .r = (ix_reduction)in->what};
    q.acc = (ilex_dtype)in->loop;
    q.lanes = in->attr[2];
    q.chain = (in->attr[3] & IX_REDUCE_CHAIN) != 0;
    const ix_instr *body = &m->code->instr[in->arg[0]];
    q.product = body->kind == IX_PRODUCT ? body : NULL;
    if (in->n == 0) {
        evaluate(m, in->body, in->branch[0]);
        return m->value[in->arg[0]];
    }
    if (ix_reduction_info_of(q.r)->by_index) {
        ix_value best = {.i = 0};
        int64_t at = 0, count = 0;
        search_axis(&q, 0, &best, &at, &count);
        return (ix_value){.i = at};
    }
    q.op = ix_reduction_op(q.r);
    return reduce_axis(&q, 0);
}

/* ---- the machine ---- */

/* A guard: the branch that its condition takes. */
static ix_value
choose(machine *m, const ix_instr *in)
{
    evaluate(m, in->body, in->branch[0]);
    if (m->value[in->arg[0]].i) {
        evaluate(m, in->branch[0], in->branch[1]);
        return m->value[in->arg[1]];
    }
    evaluate(m, in->branch[1], in->body_end);
    return m->value[in->arg[2]];
}

/* A foreign function of numbers. */
static ix_value
apply(const machine *m, const ix_instr *in)
{
    ix_value args[IX_APPLY_OPERANDS];
    for (int i = 0; i < in->n; i++)
        args[i] = m->value[in->arg[i]];
    return ix_function_apply(m->r->p->elementwise[in->what],
                             (ilex_dtype)in->dtype, in->n, args);
}

static ix_value
step(machine *m, const ix_instr *in)
{
    ix_value args[3], v = {.i = 0};
    switch (in->kind) {
    case IX_CONST:
        return in->value;
    case IX_SIZE:
        return (ix_value){.i = m->r->s.size[in->attr[0]]};
    case IX_INDEX:
        return (ix_value){.i = m->index[in->attr[0]]};
    case IX_RINDEX:
        return (ix_value){.i = m->rindex[in->attr[0]]};
    case IX_LINEAR:
        return (ix_value){.i = linear(m, in)};
    case IX_LOAD:
        return load(m, in);
    case IX_CHECKED:
        return (ix_value){.i = checked(m, in)};
    case IX_REDUCE:
        return reduce(m, in);
    case IX_APPLY:
        return apply(m, in);
    case IX_PRODUCT: /* the reduction reads its factors */
        return v;
    case IX_CAST:
        ix_cast_eval((ilex_dtype)in->loop, (ilex_dtype)in->dtype,
                     &m->value[in->arg[0]], &v);
        return v;
    default:
        if (in->body_end)
            return choose(m, in);
        for (int i = 0; i < in->n; i++)
            args[i] = m->value[in->arg[i]];
        ix_op_eval((ix_op)in->what, (ilex_dtype)in->loop, args, &v);
        return v;
    }
}

static void
evaluate(machine *m, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        const ix_instr *in = &m->code->instr[i];
        m->value[i] = step(m, in);
        if (in->body_end)
            i = in->body_end - 1;
    }
}

static void
store(machine *m, const ix_bytecode_result *result)
{
    const ix_compiled_buffer *b = &m->c->buffer[result->buffer];
    int64_t offset = 0;
    const int32_t *at = m->code->index;
    for (int k = 0; k < b->rank; k++)
        offset += (at ? m->value[at[k]].i : m->index[k]) *
                  m->r->s.stride[b->first_stride + k];
    ix_value_store(b->dtype,
                   m->r->s.base[result->buffer] +
                       offset * (int64_t)ilex_dtype_bytes(b->dtype),
                   m->value[result->value]);
}

/* The next index of a box in C order, or the one before; false at the end. */
static bool
advance(machine *m, const int64_t *lo, const int64_t *hi)
{
    bool back = m->code->backward;
    for (int k = m->code->rank - 1; k >= 0; k--) {
        m->index[k] += back ? -1 : 1;
        if (m->index[k] >= lo[k] && m->index[k] < hi[k])
            return true;
        m->index[k] = back ? hi[k] - 1 : lo[k];
    }
    return false;
}

/* Every point of the bytecode's box, last index fastest. So the levels of a
 * scan come one after the other, whatever its axis. */
static void
run_bytecode(machine *m)
{
    const ix_bytecode *t = m->code;
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    for (int k = 0; k < t->rank; k++) {
        if (!ix_range_eval(&t->box[k], m->r->s.size, &lo[k], &hi[k]) ||
            hi[k] <= lo[k])
            return;
        m->index[k] = t->backward ? hi[k] - 1 : lo[k];
    }
    do {
        evaluate(m, 0, t->ninstr);
        for (int i = 0; i < t->nresults && !m->failed; i++)
            store(m, &t->result[i]);
    } while (!m->failed && advance(m, lo, hi));
}

ilex_status
ix_reference_evaluate(ix_run *r, size_t i)
{
    const ix_compiled *c = r->p->c;
    machine m = {.r = r, .c = c, .code = &c->bytecode[i]};
    m.value =
        ix_mem_new(&r->p->mem, ((size_t)m.code->ninstr + 1) * sizeof *m.value);
    if (!m.value)
        return ix_fail_memory(r->err);
    run_bytecode(&m);
    ix_mem_free(&r->p->mem, m.value);
    return m.failed ? ix_fail_outside(&r->s, &m.found) : ILEX_OK;
}
