/* SPDX-License-Identifier: MIT
 *
 * What isl decides: forms under joint assumptions, the operation quota, and
 * that a question too hard is "unknown", not an error and not slow.
 */
#include "tests/unit/index_fixture.h"

START_TEST(joint_assumptions)
{
    lin("n + m + k");
    given("2*n >= 3*m && 2*m >= 3*k && k >= 1");
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("n - k - 2")), IX_YES);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("n - k - 3")), IX_NO);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("4*n - 9*k")), IX_YES);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("4*n - 9*k - 1")), IX_NO);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("m - n")), IX_NO);
    check_fine();
}
END_TEST

START_TEST(possible)
{
    ck_assert_int_eq(ix_affine_facts_possible(ctx, NULL), IX_YES);
    given("n == 3*m && n % 2 == 1");
    ck_assert_int_eq(ix_affine_facts_possible(ctx, NULL), IX_YES);
    ctx->in_force = ctx->facts;
    ck_assert_int_eq(ilex_assume(ctx, "m % 2 == 0"), ILEX_E_ASSUME);
    ck_assert_ptr_eq(ctx->in_force, ctx->facts);
}
END_TEST

/* Digits of i in mixed radix: i//60, (i//12)%5, i%12 put together again. */
static ilex_array *
digits(void)
{
    ilex_array *i = ix_scalar_index(ctx, 0);
    ilex_array *high = ix_index_floordiv(ctx, i, 60);
    ilex_array *middle =
        ix_index_fma(ctx, ix_index_floordiv(ctx, i, 12), -5, high);
    ilex_array *low = ix_index_fma(ctx, i, -12, ix_index_floordiv(ctx, i, 12));
    ilex_array *sum = ix_index_fma(ctx, low, 12, middle);
    return ix_index_fma(ctx, sum, 60, high);
}

START_TEST(reshapes)
{
    ix_sample s;
    ix_frame frame = {.box = domain("60*n")};
    ck_assert_int_eq(
        ix_affine_within(ctx, &frame, digits(), lin("0"), lin("60*n"), &s),
        IX_YES);
    ck_assert_int_eq(
        ix_affine_within(ctx, &frame, digits(), lin("0"), lin("60*n - 1"), &s),
        IX_NO);
    ck_assert_int_eq(s.at, 60 * s.size[0].value - 1);
    ck_assert_int_eq(s.index[0], s.at);
}
END_TEST

/* Nested clamps of sums: far beyond a quota of 50 operations. */
static ilex_array *
hard(void)
{
    ilex_array *x = ix_scalar_index(ctx, 0);
    for (int i = 2; i < 9; i++) {
        ilex_array *other = ix_index_fma(ctx, ix_index_const(ctx, i), -1, x);
        x = ix_index_max(ctx, ix_index_floordiv(ctx, x, i),
                         ix_index_min(ctx, other, ix_index_lin(ctx, lin("n"))));
    }
    return x;
}

START_TEST(quota)
{
    ix_sample s;
    ix_frame frame = {.box = domain("I:-9:n+9")};
    ilex_array *x = hard();
    ck_assert_int_eq(ilex_option_set(ctx, "quota", "50"), ILEX_OK);
    ck_assert_int_eq(
        ix_affine_within(ctx, &frame, x, lin("-9"), lin("n + 9"), &s),
        IX_UNKNOWN);
    check_fine();
    /* the next question has the whole quota again */
    ck_assert_int_eq(ilex_option_set(ctx, "quota", "20000"), ILEX_OK);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("n - 1")), IX_NO);
    ck_assert_int_eq(ix_affine_nonneg(ctx, lin("n + 1")), IX_YES);
}
END_TEST

/* Wherever the quota ends, a counterexample that is given is one. */
START_TEST(quota_sample)
{
    int no = 0;
    ix_frame frame = {.box = domain("7*n")};
    for (int i = 1; i < 2000; i += 3) {
        char text[16];
        ix_sample s;
        snprintf(text, sizeof text, "%d", i);
        ck_assert_int_eq(ilex_option_set(ctx, "quota", text), ILEX_OK);
        if (ix_affine_within(ctx, &frame, digits(), lin("0"), lin("7*n - 1"),
                             &s) != IX_NO)
            continue;
        ck_assert_int_eq(s.at, 7 * s.size[0].value - 1);
        ck_assert_int_eq(s.index[0], s.at);
        no++;
    }
    ck_assert_int_gt(no, 0);
}
END_TEST

/* A proof that the quota cuts short is an error that says so. */
START_TEST(quota_message)
{
    ck_assert_int_eq(ilex_option_set(ctx, "quota", "1"), ILEX_OK);
    ck_assert_ptr_null(
        ilex_module_parse(ctx,
                          "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                          "map y[i:n] = x[i - 2*(i//3)]\n",
                          NULL));
    ck_assert_int_eq(ilex_error_code(ctx), ILEX_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "option quota"));
}
END_TEST

START_TEST(guards)
{
    ix_sample s;
    ilex_array *i = ix_scalar_index(ctx, 0);
    ilex_array *ops[2] = {i, ix_index_lin(ctx, lin("m"))};
    ilex_array *less = ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ops);
    ix_guard guard = {less, true};
    ix_frame frame = {.box = domain("I:n"), .nguard = 1, .guard = &guard};
    ck_assert_int_eq(ix_affine_within(ctx, &frame, i, lin("0"), lin("m"), &s),
                     IX_YES);
    guard.holds = false;
    ck_assert_int_eq(ix_affine_within(ctx, &frame, i, lin("m"), lin("n"), &s),
                     IX_YES);
    ck_assert_int_eq(ix_affine_within(ctx, &frame, i, lin("0"), lin("m"), &s),
                     IX_NO);
    ck_assert_int_ge(s.index[0], s.size[0].value); /* m was named first */
}
END_TEST

/* Sizes that have nothing to do with a question do not enter it. */
START_TEST(other_sizes)
{
    ix_sample s;
    ix_frame frame = {.box = domain("60*n")};
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "other%d", i);
        lin(name);
    }
    ck_assert_int_eq(
        ix_affine_within(ctx, &frame, digits(), lin("0"), lin("60*n"), &s),
        IX_YES);
    ck_assert_int_eq(
        ix_affine_within(ctx, &frame, digits(), lin("m"), lin("60*n"), &s),
        IX_NO);
    ck_assert_int_eq(s.nsizes, 2); /* n and m */
}
END_TEST

/* Assumptions tie sizes to those of a question. */
START_TEST(tied_sizes)
{
    ix_sample s;
    ilex_array *i = ix_scalar_index(ctx, 0);
    ix_frame frame = {.box = domain("n")};
    given("k >= n && m >= k + 2");
    ck_assert_int_eq(ix_affine_within(ctx, &frame, i, lin("0"), lin("m-1"), &s),
                     IX_YES);
    ck_assert_int_eq(ix_affine_within(ctx, &frame, i, lin("0"), lin("m-3"), &s),
                     IX_NO);
    ck_assert_int_eq(s.nsizes, 3);
    ctx->in_force = ctx->facts;
    ck_assert_int_eq(ilex_assume(ctx, "n > m"), ILEX_E_ASSUME);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("affine", joint_assumptions, possible, reshapes, quota,
                     quota_sample, quota_message, guards, other_sizes,
                     tied_sizes);
}
