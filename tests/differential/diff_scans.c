/* SPDX-License-Identifier: MIT
 *
 * Steps that are scans: up to three results, at distances of up to three
 * levels, in both directions, which read each other at levels before and at
 * their own.
 */
#include "lib/build/scan.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

enum { RESULTS = 3 };

/* A scan under construction over the domain of "x". */
typedef struct maker {
    ilex_context *ctx;
    diff_random *r;
    ilex_array *x, *y; /* y: of the same dtype and domain, perhaps x */
    const ix_domain *dom;
    ix_scan_spec spec;
    ilex_array *self[RESULTS], *value[RESULTS];
    ilex_array *index[ILEX_MAX_RANK];
} maker;

static ilex_array *
compare(maker *m, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(m->ctx, op, ILEX_I64, ILEX_BOOL, ops);
}

static ilex_array *
choose(maker *m, ilex_array *condition, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[3] = {condition, a, b};
    ilex_dtype dtype = (ilex_dtype)m->x->dtype;
    return ix_scalar_op(m->ctx, IX_OP_WHERE, dtype, dtype, ops);
}

/* An operation whose result has the dtype of its operands, whichever it is. */
static ilex_array *
combine(maker *m, ilex_array *a, ilex_array *b)
{
    static const ix_op ops[] = {IX_OP_MAXIMUM, IX_OP_MINIMUM, IX_OP_ADD,
                                IX_OP_MULTIPLY};
    ilex_dtype dtype = (ilex_dtype)m->x->dtype;
    int from = ix_dtype_is_complex(dtype) ? 2 : 0;
    int to = dtype == ILEX_BOOL ? 2 : 4;
    ilex_array *args[2] = {a, b};
    return ix_structure_op(m->ctx, ops[from + diff_draw(m->r, to - from)],
                           dtype, args);
}

/* Operand "slot" here. */
static ilex_array *
here(maker *m, int slot)
{
    return ix_scalar_load(m->ctx, (ilex_dtype)m->x->dtype, slot, m->dom->rank,
                          m->index);
}

/* Operand "slot" "levels" before, and where that is no level x. */
static ilex_array *
before(maker *m, int slot, int levels)
{
    ilex_context *ctx = m->ctx;
    const ix_axis *ax = &m->dom->ax[m->spec.axis];
    ilex_array *k = m->index[m->spec.axis];
    int64_t step = m->spec.backward ? levels : -levels;
    ilex_array *first =
        m->spec.backward
            ? compare(m, IX_OP_GREATER_EQUAL, k,
                      ix_index_lin(ctx, ix_lin_offset(ctx, ax->hi, -levels)))
            : compare(m, IX_OP_LESS, k,
                      ix_index_lin(ctx, ix_lin_offset(ctx, ax->lo, levels)));
    m->index[m->spec.axis] = ix_index_offset(ctx, k, step);
    ilex_array *read = here(m, slot);
    m->index[m->spec.axis] = k;
    return choose(m, first, here(m, 0), read);
}

/* A condition on one or two indices, or none. */
static ilex_array *
condition(maker *m, ilex_array *a, ilex_array *b)
{
    ilex_array *i = m->index[diff_draw(m->r, m->dom->rank)];
    if (diff_chance(m->r, 50))
        return a;
    if (diff_chance(m->r, 30))
        i = ix_index_fma(m->ctx, i, -1,
                         m->index[diff_draw(m->r, m->dom->rank)]);
    return choose(m,
                  compare(m, diff_chance(m->r, 50) ? IX_OP_LESS : IX_OP_EQUAL,
                          i, ix_index_const(m->ctx, diff_draw(m->r, 4))),
                  a, b);
}

/* The value of result "i": operands are x, y, then the selves. */
static ilex_array *
value_of(maker *m, int i)
{
    ilex_array *operands[2 + RESULTS] = {m->x, m->y};
    ilex_array *body = here(m, diff_draw(m->r, 2));
    for (int n = 1 + diff_draw(m->r, 2); n-- > 0;) {
        int other = diff_draw(m->r, m->spec.count);
        ilex_array *read = other < i && diff_chance(m->r, 40)
                               ? here(m, 2 + other)
                               : before(m, 2 + other, 1 + diff_draw(m->r, 3));
        body = condition(m, combine(m, read, body), body);
    }
    for (int k = 0; k < m->spec.count; k++)
        operands[2 + k] = m->self[k];
    return ix_build_lambda(m->ctx, "value", m->dom, body, 2 + m->spec.count,
                           operands);
}

ilex_array *
diff_build_scan(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    maker m = {.ctx = shop->ctx, .r = r, .x = x[0], .dom = x[0]->interior};
    if (ix_rank(x[0]) == 0 || diff_domain_count(shop, m.dom) < 0)
        return NULL;
    bool same = x[1]->interior == m.dom && x[1]->dtype == x[0]->dtype;
    m.y = same ? x[1] : x[0];
    m.spec = (ix_scan_spec){.axis = diff_draw(r, m.dom->rank),
                            .backward = diff_chance(r, 40),
                            .count = 1 + diff_draw(r, RESULTS),
                            .self = m.self,
                            .value = m.value};
    for (int k = 0; k < m.dom->rank; k++)
        m.index[k] = ix_scalar_index(m.ctx, k);
    for (int i = 0; i < m.spec.count; i++)
        m.self[i] =
            ix_build_self(m.ctx, 0, (ilex_dtype)x[0]->dtype, false, m.dom);
    if (ix_is_poison(m.self[0]))
        return m.self[0];
    for (int i = 0; i < m.spec.count; i++)
        m.value[i] = value_of(&m, i);
    ilex_array *tuple = ix_build_scan(m.ctx, &m.spec);
    ilex_array *y = ix_build_result(tuple, diff_draw(r, m.spec.count));
    return m.spec.count > 1 && diff_chance(r, 50)
               ? ilex_add(y, ix_build_result(tuple, 0))
               : y;
}

/* ---- updates ---- */

/* The read of x at lo + v mod length along an axis, v an element of y, or of a
 * part of x. */
static ilex_array *
random_read(diff_shop *shop, diff_random *r, ilex_array *x, ilex_array *y)
{
    ilex_context *ctx = shop->ctx;
    ilex_array *index[ILEX_MAX_RANK], *operands[2] = {x, y};
    ix_axis ax[ILEX_MAX_RANK];
    int d = ix_rank(x), k = diff_draw(r, d);
    for (int i = 0; i < d; i++) {
        ax[i] = x->interior->ax[i];
        index[i] = ix_scalar_index(ctx, i);
    }
    ilex_array *lo = ix_index_lin(ctx, ax[k].lo);
    ilex_array *hi = ix_index_lin(ctx, ax[k].hi);
    if (diff_chance(r, 40)) {
        if (diff_chance(r, 50))
            index[k] = ix_index_offset(ctx, ix_index_fma(ctx, hi, -1, index[k]),
                                       ax[k].name ? 0 : -1);
        if (ax[k].name)
            ax[k].lo = ix_lin_offset(ctx, ax[k].lo, 1);
    } else {
        ilex_array *length = ix_index_max(ctx, ix_index_fma(ctx, hi, -1, lo),
                                          ix_index_const(ctx, 1));
        ilex_array *ops[2] = {
            ix_scalar_cast(
                ctx, ILEX_I64,
                ix_scalar_load(ctx, (ilex_dtype)y->dtype, 1, d, index)),
            length};
        ops[0] = ix_scalar_op(ctx, IX_OP_REMAINDER, ILEX_I64, ILEX_I64, ops);
        ops[1] = lo;
        index[k] = ix_scalar_checked(
            ctx, ix_scalar_op(ctx, IX_OP_ADD, ILEX_I64, ILEX_I64, ops), k,
            ax[k].lo, ax[k].hi, false);
    }
    ilex_array *body = ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, d, index);
    return ix_build_lambda(ctx, "read", ix_domain_new(ctx, d, ax), body, 2,
                           operands);
}

ilex_array *
diff_random_update(ilex_context *ctx, diff_random *r,
                   ilex_array *const *operands)
{
    static const int combining[] = {
#define IX_COMBINES(function, OPERATOR) IX_SIGNATURE_##function,
#include "lib/graph/updates.def"
    };
    int which =
        diff_chance(r, 40) ? IX_SIGNATURE_update : combining[diff_draw(r, 4)];
    return ix_build_call(ctx, &ix_signatures[which], operands, 3, NULL);
}

ilex_array *
diff_build_update(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_array *y = x[1]->interior == x[0]->interior ? x[1] : x[0];
    if (ix_rank(x[0]) == 0 || x[0]->interior != x[0]->valid ||
        diff_domain_count(shop, x[0]->interior) < 0 ||
        ix_dtype_is_complex((ilex_dtype)y->dtype))
        return NULL;
    ilex_array *read = random_read(shop, r, x[0], y);
    ilex_array *value = y->dtype == x[0]->dtype && diff_chance(r, 60)
                            ? y
                            : ilex_lit_int(shop->ctx, diff_draw(r, 2));
    ilex_array *operands[3] = {x[0], read, value};
    return diff_random_update(shop->ctx, r, operands);
}
