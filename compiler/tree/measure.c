/* SPDX-License-Identifier: MIT
 *
 * How many statements a body will take: what partition, fission and merges keep
 * below the limits of a function before there are statements, and what decides
 * whether a reduction is unrolled. From above for all but odd cases: a shared
 * node counts once, a load with its row pointer, a reduction with its loops.
 */
#include "compiler/tree/tree.h"

enum {
    UNROLL = 4,     /* elements along one axis */
    UNROLLED = 256, /* statements of an unrolled reduction */
    AXIS = 24,      /* loops, chunks and stack of one axis */
    RANGES = 24,    /* ends of the ranges that a guard lets in, and */
    BOUND = 6,      /* for each statement of its condition */
    MOST = 1 << 20  /* where counting stops */
};

typedef struct counter {
    ix_unit *u;
    ix_map seen;
    const ilex_array **waiting; /* nodes that are to be counted */
    size_t nwaiting, capacity;
} counter;

static int count(counter *c, const ilex_array *n);

static void
counter_free(counter *c)
{
    ix_map_free(&c->seen, &c->u->ctx->mem);
    ix_mem_free(&c->u->ctx->mem, c->waiting);
}

static int
capped(int64_t n)
{
    return n > MOST ? MOST : (int)n;
}

/* The length of an axis that is known and short, else -1. */
static int64_t
short_extent(ix_unit *u, const ix_axis *ax)
{
    const ix_lin *extent = ix_lin_try_fma(u->ctx, ax->hi, -1, ax->lo);
    if (!extent || extent->n || extent->c > UNROLL)
        return -1;
    return extent->c > 0 ? extent->c : 0;
}

/* Axes "k" and on of a reduction over "body" statements. */
static int
reduce_axes(ix_unit *u, const ilex_array *n, int k, int body, bool *unrolls)
{
    *unrolls = true;
    if (k == n->interior->rank)
        return body;
    int inner = reduce_axes(u, n, k + 1, body, unrolls);
    int64_t extent = short_extent(u, &n->interior->ax[k]);
    int parts = ix_dtype_is_complex((ilex_dtype)n->dtype) ? 2 : 1;
    *unrolls &= extent >= 0 && extent * (inner + parts) <= UNROLLED;
    if (*unrolls)
        return capped(extent * (inner + parts));
    bool lanes = k + 1 == n->interior->rank && ix_lanes_of(n) > 1;
    return capped(AXIS * parts + (int64_t)inner * (lanes ? 2 : 1));
}

/* What the ranges take in which the guard of a reduction lets elements in. */
static int
count_ranges(counter *c, const ilex_array *body)
{
    int64_t sum = 0;
    counter condition = {.u = c->u};
    if (body->kind == IX_CAST)
        body = body->ops[0];
    for (; body->kind == IX_OP && ix_op_of(body) == IX_OP_WHERE;
         body = body->ops[body->ops[1]->kind == IX_CONST ? 2 : 1])
        sum += RANGES + BOUND * (int64_t)count(&condition, body->ops[0]);
    counter_free(&condition);
    return capped(sum);
}

static int
count_reduce(counter *c, const ilex_array *n)
{
    bool unrolls;
    counter body = {.u = c->u};
    int inner = count(&body, n->ops[0]);
    counter_free(&body);
    int sum = reduce_axes(c->u, n, 0, inner, &unrolls);
    return unrolls ? sum : capped(sum + (int64_t)count_ranges(c, n->ops[0]));
}

bool
ix_is_wide(const ix_index_form *f)
{
    const int64_t most = (int64_t)1 << 31;
    bool wide = f->c > most || f->c < -most;
    for (int i = 0; i < f->n; i++)
        wide |= f->t[i].k > most || f->t[i].k < -most;
    return wide && f->n > 0;
}

/* The statement of "n" itself. */
static int
own_statements(const ilex_array *n)
{
    int parts = ix_dtype_is_complex((ilex_dtype)n->dtype) ? 2 : 1;
    ix_index_form f;
    switch (n->kind) {
    case IX_OP:
        return ix_is_guard(n) ? 3 + 3 * parts : parts;
    case IX_CAST:
    case IX_APPLY:
        return parts;
    case IX_PRODUCT: /* beside its update */
        return 2 * (parts - 1);
    case IX_LOAD:
        return 1 + parts;
    case IX_LINEAR:
        ix_index_form_of(n, &f);
        return ix_is_wide(&f) ? 2 * f.n : 1;
    default:
        return 0;
    }
}

/* Notes that "n" counts, once. */
static void
note(counter *c, const ilex_array *n)
{
    const ix_mem *mem = &c->u->ctx->mem;
    if ((n->nops == 0 && n->kind != IX_LOAD) || ix_map_find(&c->seen, n))
        return;
    if (ix_map_set(&c->seen, mem, n, 1) &&
        ix_mem_grow(mem, &c->waiting, &c->capacity, c->nwaiting + 1,
                    sizeof *c->waiting))
        c->waiting[c->nwaiting++] = n;
    else
        ix_fail_memory(&c->u->ctx->error);
}

/* An index is a sum inside brackets: its atoms that are computed count. */
static int
count_index(counter *c, const ilex_array *x)
{
    if (x->kind == IX_OP)
        note(c, x);
    for (int i = 0; x->kind == IX_CHECKED && i < x->nops; i++)
        note(c, x->ops[i]);
    for (int i = 0; x->kind == IX_LINEAR && i < x->nops; i++)
        if (x->ops[i]->kind == IX_OP)
            note(c, x->ops[i]);
    return x->kind == IX_CHECKED ? 4 : 0;
}

/* What "n" takes, and what it is made of; only reductions recurse, which nest
 * no deeper than there are axes. */
static int
count(counter *c, const ilex_array *n)
{
    int64_t sum = 0;
    note(c, n);
    while (c->nwaiting > 0 && sum < MOST) {
        n = c->waiting[--c->nwaiting];
        sum += n->kind == IX_REDUCE ? count_reduce(c, n) : own_statements(n);
        for (int i = 0; i < n->nops && n->kind != IX_REDUCE; i++)
            if (n->kind == IX_LOAD)
                sum += count_index(c, n->ops[i]);
            else
                note(c, n->ops[i]);
    }
    c->nwaiting = 0;
    return capped(sum);
}

int
ix_measure(ix_unit *u, int nbodies, ilex_array *const *body)
{
    counter c = {.u = u};
    int64_t sum = 0;
    for (int i = 0; i < nbodies; i++)
        sum += count(&c, body[i]);
    counter_free(&c);
    return capped(sum);
}

/* Bounds of a nest that are computed, and compared with the range that a thread
 * is given. */
static int
count_ends(const ix_stmt *nest)
{
    int sum = 0;
    for (int i = 0; i < ix_operands_before(nest, IX_for_while); i++)
        sum += (nest->x[i]->kind != IX_CONST) + (nest->x[i]->kind == IX_LINEAR);
    return sum;
}

/* The statements of a nest: its bounds, and stores that share nodes. */
static int64_t
count_nest(counter *c, ix_stmt *nest)
{
    int64_t sum = nest->kind == IX_STMT_FOR ? count_ends(nest) : 0;
    for (; nest->kind == IX_STMT_FOR; nest = ix_nest_inside(nest))
        sum += 2 * (nest->n[IX_for_lo] + nest->n[IX_for_hi]) - 3;
    for (; nest; nest = nest->next)
        sum += 2 + count(c, ix_store_value(nest));
    return sum;
}

int
ix_measure_nest(ix_unit *u, ix_stmt *nest)
{
    counter c = {.u = u};
    int64_t sum = count_nest(&c, nest);
    counter_free(&c);
    return capped(sum);
}

int
ix_measure_kernel(ix_unit *u, const ix_kernel *k)
{
    int64_t sum = 0;
    if (k->nests->kind != IX_STMT_FOR)
        return ix_measure_nest(u, k->nests);
    for (ix_stmt *nest = k->nests; nest; nest = nest->next)
        sum += ix_measure_nest(u, nest);
    return capped(sum);
}

bool
ix_unrolls(ix_unit *u, const ilex_array *n, int k)
{
    bool unrolls;
    ilex_array *body = n->ops[0];
    bool steps = body->kind == IX_PRODUCT &&
                 ix_dtype_is_complex((ilex_dtype)body->dtype);
    if (ix_is_ranged(n) || steps)
        return false;
    reduce_axes(u, n, k, ix_measure(u, 1, &body), &unrolls);
    return unrolls && k < n->interior->rank;
}

bool
ix_is_guard_still(const ilex_array *x)
{
    return ix_is_guard(x) && !(x->ops[0]->flags & IX_HAS_VALUE);
}
