/* SPDX-License-Identifier: MIT
 *
 * Constructors: dtypes and domains of results, literals, and identities that
 * must give the very same node.
 */
#include "lib/build/build.h"
#include "tests/unit/graph_fixture.h"

static ilex_array *x, *a, *u, *i32, *b;

static void
inputs(void)
{
    x = ilex_input(ctx, "x", ILEX_F32, "n");
    a = ilex_input(ctx, "a", ILEX_F64, "n, m");
    u = ilex_input(ctx, "u", ILEX_F64, "I:n, J:m halo(I:1:2)");
    i32 = ilex_input(ctx, "i", ILEX_I32, "n");
    b = ilex_input(ctx, "b", ILEX_BOOL, "n");
}

static void
check_array(const char *what, ilex_array *y, ilex_dtype dtype, const char *dom,
            const char *valid)
{
    char text[200];
    ck_assert_msg(!ilex_is_poison(y), "%s: %s", what, ilex_error_text(ctx));
    ck_assert_msg(ilex_array_dtype(y) == dtype, "%s is %s", what,
                  ilex_dtype_name(ilex_array_dtype(y)));
    ilex_array_domain(y, text, sizeof text);
    ck_assert_msg(!strcmp(text, dom), "%s is on [%s]", what, text);
    if (valid)
        ck_assert_str_eq(ix_domain_show(ctx, y->valid).s, valid);
}
#define CHECK(y, dtype, ...) check_array(#y, y, ILEX_##dtype, __VA_ARGS__)

START_TEST(fields)
{
    inputs();
    CHECK(ilex_shift(u, "I", 1), F64, "I:n, J:m", "I:-2:n+1, J:m");
    CHECK(ilex_shift_halves(u, "I", 1), F64, "I+1/2:n, J:m",
          "I+1/2:-2:n+1, J:m");
    CHECK(ilex_shift_halves(u, "I", -3), F64, "I+1/2:n, J:m", "I+1/2:n+3, J:m");
    CHECK(ilex_shift_halves(ilex_shift_halves(u, "I", -1), "I+1/2", 3), F64,
          "I:n, J:m", "I:-2:n+1, J:m");
    CHECK(ilex_shift_halves(u, "I", 2), F64, "I:n, J:m", "I:-2:n+1, J:m");
    CHECK(ilex_shift(u, "I", 3), F64, "I:n, J:m", "I:-4:n-1, J:m");
    CHECK(ilex_shift(u, "I", -2), F64, "I:n, J:m", "I:1:n+4, J:m");
    CHECK(ilex_shift(ilex_shift(u, "I", 2), "I", -2), F64, "I:n, J:m",
          "I:-1:n+2, J:m");
    CHECK(ilex_restrict(u, "J:m, I:-1:n"), F64, "J:m, I:-1:n", NULL);
    CHECK(ilex_restrict(x, "3, n"), F32, "3, n", NULL);
    CHECK(ilex_restrict(u, "I:n, J:m, K:4"), F64, "I:n, J:m, K:4", NULL);
    CHECK(ilex_full(ctx, "n, 2", ilex_i32(ctx, 7)), I32, "n, 2", NULL);
    CHECK(ilex_arange(ctx, "2*n", 1, -3), I64, "2*n", NULL);
    CHECK(ilex_size(ctx, "n"), I64, "", NULL);
    CHECK(ilex_add(u, ilex_index(ctx, "K")), F64,
          "I:n, J:m, K:-1152921504606846976:1152921504606846976", NULL);
}
END_TEST

START_TEST(structure)
{
    inputs();
    const char *start[] = {"1", NULL}, *stop[] = {"n", NULL};
    ilex_array *pair[] = {a, a};
    assume("n >= 2");
    CHECK(ilex_sum(a, "0", 0), F64, "m", NULL);
    CHECK(ilex_sum(a, "-1", 1), F64, "n, 1", NULL);
    CHECK(ilex_sum(u, "I", 0), F64, "J:m", NULL);
    CHECK(ilex_mean(i32, NULL, 0), F64, "", NULL);
    CHECK(ilex_argmax(x, NULL, 0), I64, "", NULL);
    CHECK(ilex_sum(i32, NULL, 0), I64, "", NULL);
    CHECK(ilex_any(x, NULL, 1), BOOL, "1", NULL);
    CHECK(ilex_permute(u, NULL), F64, "J:m, I:n", "J:m, I:-1:n+2");
    CHECK(ilex_slice(a, start, stop, SHAPE(1, -1)), F64, "n-1, m", NULL);
    CHECK(ilex_reshape(a, "n*1, 1, m", "F"), F64, "n, 1, m", NULL);
    CHECK(ilex_einsum(ctx, "ij,kj", 2, pair), F64, "n, n", NULL);
    CHECK(ilex_einsum(ctx, "...j->j...", 1, pair), F64, "m, n", NULL);
}
END_TEST

START_TEST(literals)
{
    inputs();
    CHECK(ilex_multiply(x, ilex_lit(ctx, 0.5)), F32, "n", NULL);
    CHECK(ilex_multiply(i32, ilex_lit_int(ctx, 3)), I32, "n", NULL);
    CHECK(ilex_multiply(i32, ilex_lit(ctx, 0.5)), F64, "n", NULL);
    CHECK(ilex_add(b, ilex_lit_int(ctx, 1)), I64, "n", NULL);
    CHECK(ilex_add(x, ilex_f64(ctx, 1.0)), F64, "n", NULL);
    CHECK(ilex_where(b, ilex_lit(ctx, 1.0), x), F32, "n", NULL);
    CHECK(ilex_true_divide(i32, ilex_lit_int(ctx, 2)), F64, "n", NULL);
    ilex_array *two = ilex_add(ilex_lit_int(ctx, 1), ilex_lit_int(ctx, 1));
    CHECK(ilex_power(x, two), F32, "n", NULL); /* still a literal */
    CHECK(ilex_less(x, ilex_lit_int(ctx, 1)), BOOL, "n", NULL);
}
END_TEST

START_TEST(identities)
{
    inputs();
    ck_assert_ptr_eq(ilex_cast(x, ILEX_F32), x);
    ck_assert_ptr_eq(ilex_shift(u, "I", 0), u);
    ck_assert_ptr_eq(ilex_restrict(a, "n, m"), a);
    ck_assert_ptr_eq(ilex_permute(a, (const int[]){0, 1}), a);
    ck_assert_ptr_eq(ilex_clip(x, x, x), ilex_minimum(ilex_maximum(x, x), x));
    ck_assert_ptr_eq(ilex_einsum(ctx, "ij,jk", 2,
                                 (ilex_array *[]){a, ilex_permute(a, NULL)}),
                     ilex_einsum(ctx, "ab,bc->ac", 2,
                                 (ilex_array *[]){a, ilex_permute(a, NULL)}));
    ck_assert_ptr_eq(ilex_expr(ctx, "u[I+1] - 2*u", "u", u, NULL),
                     ilex_subtract(ilex_shift(u, "I", 1),
                                   ilex_multiply(ilex_lit_int(ctx, 2), u)));
    check_fine();
}
END_TEST

/* Kind and operands as a caller sees them. */
START_TEST(inspection)
{
    inputs();
    const char *none[] = {"0", "0"};
    ilex_array *y = ilex_add(ilex_sum(a, "1", 0), ilex_cast(i32, ILEX_F64));
    ck_assert_str_eq(ilex_array_kind(y), "lambda");
    ck_assert_int_eq(ilex_array_operand_count(y), 2);
    ck_assert_str_eq(ilex_array_kind(ilex_array_operand(y, 0)), "lambda");
    ck_assert(ilex_is_poison(ilex_array_operand(y, 2)));
    ck_assert(ilex_is_poison(ilex_array_operand(y, -1)));
    ck_assert_int_eq(ilex_array_operand_count(x), 0);
    ck_assert_int_eq(ilex_array_operand_count(ilex_f64(ctx, 1)), 0);
    ilex_array *s = ilex_slice(a, none, NULL, NULL);
    ck_assert_int_eq(ilex_array_operand_count(s), 1);
    ck_assert_ptr_eq(ilex_array_operand(s, 0), a);
    ck_assert_int_eq(ilex_array_rank(a), 2);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("build", fields, structure, literals, identities,
                     inspection);
}
