/* SPDX-License-Identifier: MIT
 *
 * Index arithmetic: the normal form has the value of what it is made from, and
 * equal forms are one node.
 */
#include "tests/unit/index_fixture.h"

static ilex_array *
index_of(int k, int64_t c)
{
    return ix_index_offset(ctx, ix_scalar_index(ctx, k), c);
}

START_TEST(same_value)
{
    make_size();
    for (int i = 0; i < 3000; i++) {
        size_t scope = ilex_scope_begin(ctx);
        ilex_array *x = random_index(4), *y = ix_index_normal(ctx, x);
        ck_assert(!ix_is_poison(y) && ix_index_is_affine(y));
        ck_assert_ptr_eq(ix_index_normal(ctx, y), y);
        for (int k = 0; k < 20; k++) {
            point p = {{draw(-9, 9), draw(-9, 9)}, {draw(-9, 9)}, {draw(0, 9)}};
            ck_assert_int_eq(value_at(y, &p), value_at(x, &p));
        }
        ilex_scope_end(ctx, scope, NULL);
    }
    check_fine();
}
END_TEST

/* What differs only in how it is written is the same node. */
START_TEST(one_node)
{
    ilex_array *i = index_of(0, 0), *j = index_of(1, 0);
    ilex_array *sum = scalar(IX_OP_ADD, i, j);
    ck_assert_ptr_eq(ix_index_normal(ctx, sum),
                     ix_index_normal(ctx, scalar(IX_OP_ADD, j, i)));
    ilex_array *x = scalar(IX_OP_SUBTRACT, sum, j);
    ck_assert_ptr_eq(ix_index_normal(ctx, x), i);
    x = scalar(IX_OP_SUBTRACT, i, i);
    ck_assert_ptr_eq(ix_index_normal(ctx, x), ix_index_const(ctx, 0));
    ck_assert_ptr_eq(index_of(0, 3), ix_index_offset(ctx, index_of(0, 1), 2));
}
END_TEST

START_TEST(division)
{
    ilex_array *i = index_of(0, 0);
    ilex_array *x = ix_index_fma(ctx, i, 8, index_of(1, 9)); /* i + 8j + 72 */
    ilex_array *q = ix_index_floordiv(ctx, x, 8);            /* j + 9 + i//8 */
    ilex_array *rest = ix_index_fma(ctx, q, -1, index_of(1, 9));
    ck_assert_ptr_eq(rest, ix_index_floordiv(ctx, i, 8));
    ck_assert_ptr_eq(ix_index_floordiv(ctx, x, 1), x);
    ilex_array *r = scalar(IX_OP_REMAINDER, x, ix_index_const(ctx, 8));
    ilex_array *s = scalar(IX_OP_REMAINDER, i, ix_index_const(ctx, 8));
    ck_assert_ptr_eq(ix_index_normal(ctx, r), ix_index_normal(ctx, s));
}
END_TEST

/* min and max of forms whose order is known are decided. */
START_TEST(extrema)
{
    ilex_array *i = index_of(0, 0), *n = ix_index_lin(ctx, lin("n"));
    ck_assert_ptr_eq(ix_index_min(ctx, i, index_of(0, 1)), i);
    ck_assert_ptr_eq(ix_index_max(ctx, i, index_of(0, 1)), index_of(0, 1));
    ck_assert_ptr_eq(ix_index_max(ctx, n, ix_index_const(ctx, 0)), n);
    ck_assert_int_eq(ix_index_min(ctx, i, n)->kind, IX_OP);
    ilex_array *one = ix_index_const(ctx, 1);
    ilex_array *last = ix_index_max(ctx, one, ix_index_offset(ctx, n, -1));
    ilex_array *first = ix_index_min(ctx, n, one);
    ck_assert_ptr_eq(ix_index_min(ctx, last, one), one);
    ck_assert_ptr_eq(ix_index_max(ctx, one, last), last);
    ck_assert_ptr_eq(ix_index_max(ctx, n, first), n);
    ck_assert_ptr_eq(ix_index_max(ctx, ix_index_offset(ctx, first, 2),
                                  ix_index_const(ctx, 3)),
                     ix_index_const(ctx, 3));
    ck_assert_ptr_eq(ix_index_min(ctx, first, last), first);
    ck_assert_int_eq(ix_index_min(ctx, last, n)->kind, IX_OP);
    ck_assert_int_eq(ix_index_max(ctx, last, ix_index_const(ctx, 2))->kind,
                     IX_OP);
    ck_assert_ptr_eq(ix_index_min(ctx, n, ix_index_const(ctx, 3)),
                     ix_index_min(ctx, n, ix_index_const(ctx, 3)));
}
END_TEST

START_TEST(recognised)
{
    int k;
    int64_t c;
    ck_assert(ix_index_is_shift(index_of(1, -2), &k, &c) && k == 1 && c == -2);
    ck_assert(ix_index_is_shift(index_of(0, 0), &k, &c) && k == 0 && c == 0);
    ck_assert(!ix_index_is_shift(ix_index_const(ctx, 3), &k, &c));
    ck_assert(!ix_index_is_shift(
        ix_index_fma(ctx, index_of(0, 0), 1, index_of(0, 0)), &k, &c));
    ck_assert(!ix_index_is_shift(
        ix_index_fma(ctx, index_of(0, 0), 1, ix_index_lin(ctx, lin("n"))), &k,
        &c));
    ilex_array *product =
        scalar(IX_OP_MULTIPLY, index_of(0, 0), index_of(1, 0));
    ck_assert(!ix_index_is_affine(product));
    ck_assert_ptr_eq(ix_index_normal(ctx, product), product);
    ilex_array *by_zero =
        scalar(IX_OP_FLOOR_DIVIDE, index_of(0, 0), ix_index_const(ctx, 0));
    ck_assert(!ix_index_is_affine(ix_index_normal(ctx, by_zero)));
    ilex_array *f = ix_scalar_cast(ctx, ILEX_F64, index_of(0, 0));
    ck_assert(!ix_index_is_affine(f));
}
END_TEST

static ilex_array *
compare(ix_op op, ilex_array *a, ilex_array *b, ilex_dtype loop)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, loop, ILEX_BOOL, ops);
}

START_TEST(conditions)
{
    ilex_array *i = index_of(0, 0), *three = ix_index_const(ctx, 3);
    ilex_array *less = compare(IX_OP_LESS, i, three, ILEX_I64);
    ck_assert(ix_is_index_condition(less));
    ck_assert(ix_is_index_condition(
        compare(IX_OP_LOGICAL_AND, less, less, ILEX_BOOL)));
    ck_assert(
        !ix_is_index_condition(compare(IX_OP_LOGICAL_AND, i, three, ILEX_I64)));
    ck_assert(!ix_is_index_condition(i));
    ilex_array *x = ix_scalar_load(ctx, ILEX_I64, 0, 1, &i);
    ilex_array *data = compare(IX_OP_LESS, x, three, ILEX_I64);
    ck_assert(!ix_is_index_condition(data));
    ck_assert(!ix_is_index_condition(
        compare(IX_OP_LOGICAL_OR, less, data, ILEX_BOOL)));
    check_fine();
}
END_TEST

/* Sharing must not make small graphs large: beyond a weight, arithmetic counts
 * as data, and nothing takes long. */
START_TEST(weight)
{
    ilex_array *x = index_of(0, 0);
    for (int i = 0; i < 60; i++)
        x = ix_index_min(ctx, ix_index_fma(ctx, x, 1, x),
                         ix_index_fma(ctx, ix_index_const(ctx, 3), -1, x));
    ck_assert(!ix_is_poison(x));
    ck_assert(!ix_index_is_affine(x));
    x = index_of(0, 0);
    for (int i = 0; i < 100; i++)
        x = ix_index_max(
            ctx, x,
            ix_index_fma(ctx, ix_index_const(ctx, i), -i, index_of(1, 0)));
    ck_assert(ix_index_is_affine(x));
    check_fine();
}
END_TEST

/* Arithmetic that leaves 64 bits is no index arithmetic: it wraps, as data. */
START_TEST(overflow)
{
    ilex_array *big = ix_index_const(ctx, INT64_MAX);
    ilex_array *x = scalar(IX_OP_ADD, big, index_of(0, 5));
    ck_assert_ptr_eq(ix_index_normal(ctx, x), x);
    check_fine();
    ck_assert(ix_is_poison(ix_index_fma(ctx, big, 2, big)));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("index", same_value, one_node, division, extrema,
                     recognised, conditions, weight, overflow);
}
