/* SPDX-License-Identifier: MIT
 *
 * Random index arithmetic and its value at a point, for the tests of normal
 * forms and of proofs.
 */
#ifndef ILEX_TESTS_UNIT_INDEX_FIXTURE_H
#define ILEX_TESTS_UNIT_INDEX_FIXTURE_H

#include "lib/shape/access.h"
#include "tests/unit/graph_fixture.h"

enum { NINDEX = 2, NRINDEX = 3, NSIZE = 2 };

/* The greatest numbers of a size and of a reduced index that are drawn. */
static int last_size = 0, last_rindex = 0;

/* Where an expression is evaluated. */
typedef struct point {
    int64_t index[NINDEX], rindex[NRINDEX], size[NSIZE];
} point;

/* The value of a size, or of what is computed from sizes. */
static inline int64_t
size_at(int64_t param, const int64_t *size)
{
    const ix_param *p = &ctx->param[param];
    int64_t v = 1;
    for (int i = 0; i < p->degree && p->narms == 0; i++)
        v *= p->degree > 1 ? size_at(p->factor[i], size) : size[param];
    for (int i = 0; i < p->narms; i++) {
        int64_t own = p->arm[i]->c;
        for (int32_t k = 0; k < p->arm[i]->n; k++)
            own += p->arm[i]->t[k].k * size_at(p->arm[i]->t[k].param, size);
        v = i == 0 || (own > v) == p->largest ? own : v;
    }
    if (p->divisor > 1)
        v = v > 0 ? (v - 1) / p->divisor + 1 : 0;
    return v;
}

/* The value of index arithmetic, of a condition, or of an i64 body: a load is
 * a number made of its indices, which is different for different ones. */
static inline int64_t
value_at(const ilex_array *x, const point *p)
{
    ix_value v[3] = {{.i = 0}, {.i = 0}, {.i = 0}}, r = {.i = 0};
    switch (x->kind) {
    case IX_CONST:
        return ix_const_value(x).i;
    case IX_SIZE:
        return size_at(x->attr[0], p->size);
    case IX_INDEX:
        return p->index[x->attr[0]];
    case IX_RINDEX:
        return p->rindex[x->attr[0]];
    case IX_LINEAR:
        r.i = x->attr[0];
        for (int i = 0; i < x->nops; i++)
            r.i += x->attr[i + 1] * value_at(x->ops[i], p);
        return r.i;
    case IX_LOAD:
        r.i = x->attr[0];
        for (int i = 0; i < x->nops; i++)
            r.i = 1009 * r.i + value_at(x->ops[i], p);
        return r.i;
    default:
        if (x->kind != IX_OP) /* assertions that hold are slow, too */
            ck_abort_msg("no arithmetic");
        for (int i = 0; i < x->nops; i++)
            v[i].i = value_at(x->ops[i], p);
        ix_op_eval(ix_op_of(x), ix_loop_of(x), v, &r);
        return r.i;
    }
}

static inline ilex_array *
scalar(ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_I64, ILEX_I64, ops);
}

static inline int
draw_up_to(int last)
{
    return last ? (int)draw(0, last) : 0;
}

static inline ilex_array *
random_leaf(void)
{
    switch (draw(0, 4)) {
    case 0:
        return ix_index_const(ctx, draw(-5, 5));
    case 1:
        return ix_scalar_size(ctx, draw_up_to(last_size));
    case 2:
        return ix_scalar_rindex(ctx, draw_up_to(last_rindex));
    default:
        return ix_scalar_index(ctx, (int)draw(0, NINDEX - 1));
    }
}

/* A tree of operators as a user writes it; nothing is simplified. */
static inline ilex_array *
random_index(int depth)
{
    static const ix_op ops[] = {IX_OP_ADD, IX_OP_SUBTRACT, IX_OP_MINIMUM,
                                IX_OP_MAXIMUM};
    if (depth == 0 || draw(0, 9) == 0)
        return random_leaf();
    ilex_array *a = random_index(depth - 1);
    switch (draw(0, 6)) {
    case 0:
        return scalar(IX_OP_MULTIPLY, ix_index_const(ctx, draw(-3, 3)), a);
    case 1:
        return scalar(IX_OP_FLOOR_DIVIDE, a, ix_index_const(ctx, draw(1, 5)));
    case 2:
        return scalar(IX_OP_REMAINDER, a, ix_index_const(ctx, draw(1, 5)));
    default:
        return scalar(ops[draw(0, 3)], a, random_index(depth - 1));
    }
}

/* Size 0 is called n. */
static inline void
make_size(void)
{
    ck_assert_int_eq(ix_param_of(ctx, ix_symbol_of(ctx, "n", 1)), 0);
}

#endif
