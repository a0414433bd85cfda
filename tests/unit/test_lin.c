/* SPDX-License-Identifier: MIT
 *
 * Linear forms: interning, arithmetic, decisions under assumptions, each
 * against the values at many sizes.
 */
#include "tests/unit/graph_fixture.h"

static const char *
show(const ix_lin *a)
{
    static char text[160];
    snprintf(text, sizeof text, "%s", ix_lin_show(ctx, a).s);
    return text;
}

START_TEST(interned)
{
    ck_assert_ptr_eq(lin("2*n + 3*m - 1"), lin("3*m + n - 1 + n"));
    ck_assert_ptr_eq(lin("n - n"), ix_lin_const(ctx, 0));
    ck_assert_ptr_ne(lin("n"), lin("m"));
    ck_assert_str_eq(show(lin("3*m - n + 0")), "-n+3*m");
    ck_assert_str_eq(show(lin("-5")), "-5");
    ck_assert_str_eq(show(lin("n - 1")), "n-1");
    ck_assert_ptr_eq(ix_lin_offset(ctx, lin("n"), 0), lin("n"));
    ck_assert(ix_lin_is(lin("4 - 4"), 0));
    ck_assert(!ix_lin_is(lin("n"), 0));
}
END_TEST

/* A random form in n, m, k with its coefficients. */
typedef struct sample {
    int64_t c[4];
    const ix_lin *form;
} sample;

static const char *const names[] = {"n", "m", "k"};

static const ix_lin *
param(int i)
{
    return ix_lin_param(ctx, ix_param_of(ctx, ix_symbol_of(ctx, names[i], 1)));
}

static sample
random_form(void)
{
    sample s = {.form = ix_lin_const(ctx, 0)};
    for (int i = 0; i < 3; i++) {
        s.c[i] = draw(0, 2) ? draw(-3, 3) : 0;
        s.form = ix_lin_fma(ctx, s.form, s.c[i], param(i));
    }
    s.c[3] = draw(-6, 6);
    s.form = ix_lin_offset(ctx, s.form, s.c[3]);
    return s;
}

static int64_t
value(const sample *s, const int64_t *size)
{
    return s->c[0] * size[0] + s->c[1] * size[1] + s->c[2] * size[2] + s->c[3];
}

START_TEST(arithmetic)
{
    for (int i = 0; i < 500; i++) {
        sample a = random_form(), b = random_form();
        int64_t k = draw(-4, 4), v;
        const int64_t size[] = {draw(0, 9), draw(0, 9), draw(0, 9)};
        ck_assert(ix_lin_eval(ix_lin_fma(ctx, a.form, k, b.form), size, &v));
        ck_assert_int_eq(v, value(&a, size) + k * value(&b, size));
        ck_assert_ptr_eq(
            ix_lin_sub(ctx, ix_lin_add(ctx, a.form, b.form), b.form), a.form);
        ck_assert_ptr_eq(ix_lin_scale(ctx, a.form, -1),
                         ix_lin_sub(ctx, ix_lin_const(ctx, 0), a.form));
    }
}
END_TEST

/* Do the sizes satisfy what decide_against_values assumes? */
static bool
allowed(const int64_t *size)
{
    return size[0] >= 2 && size[1] <= 3 && size[2] >= size[0];
}

/* Never wrong: "yes" holds and "no" fails at some allowed size. */
static void
check_sign(const sample *s)
{
    bool always = true;
    int64_t size[3];
    for (size[0] = 0; size[0] < 9; size[0]++)
        for (size[1] = 0; size[1] < 9; size[1]++)
            for (size[2] = 0; size[2] < 30; size[2]++)
                if (allowed(size))
                    always &= value(s, size) >= 0;
    ix_tri said = ix_lin_nonneg(ctx, s->form);
    ck_assert_msg(said != IX_UNKNOWN, "%s", show(s->form));
    ck_assert_msg((said == IX_YES) == always, "%s: %d, not %d", show(s->form),
                  said, always);
    if (ix_lin_nonneg_fast(ctx, s->form))
        ck_assert_msg(always, "%s", show(s->form));
}

START_TEST(decide_against_values)
{
    for (int i = 0; i < 3; i++)
        param(i);
    assume("n >= 2 && m <= 3 && k >= n");
    for (int i = 0; i < 300; i++) {
        sample s = random_form();
        check_sign(&s);
    }
    check_fine();
}
END_TEST

START_TEST(order)
{
    assume("n >= 1");
    ck_assert_int_eq(ix_lin_le(ctx, lin("3"), lin("n + 2")), IX_YES);
    ck_assert_int_eq(ix_lin_le(ctx, lin("n + 2"), lin("3")), IX_NO);
    ck_assert_int_eq(ix_lin_le(ctx, lin("n"), lin("m")), IX_NO);
    ck_assert_int_eq(ix_lin_le(ctx, NULL, lin("m")), IX_UNKNOWN);
    ck_assert_ptr_eq(ix_lin_max(ctx, lin("n"), lin("1")), lin("n"));
    ck_assert_ptr_eq(ix_lin_min(ctx, lin("n"), lin("1")), lin("1"));
    ck_assert_ptr_null(ix_lin_max(ctx, lin("n"), lin("m")));
    ck_assert_ptr_null(ix_lin_min(ctx, lin("n"), lin("m")));
    check_fine();
    assume("m >= 2*n");
    ck_assert_ptr_eq(ix_lin_max(ctx, lin("n"), lin("m")), lin("m"));
    ck_assert_int_eq(ix_lin_le(ctx, lin("n + 1"), lin("m")), IX_YES);
}
END_TEST

/* The values of all parameters at some sizes. */
static const int64_t *
all_sizes(int64_t n, int64_t m, int64_t k)
{
    static int64_t all[4096];
    ck_assert_int_lt((int)ctx->nparams, 4096);
    all[0] = n;
    all[1] = m;
    all[2] = k;
    for (size_t p = 3; p < ctx->nparams; p++)
        ck_assert(ix_param_value(ctx, (int32_t)p, all, &all[p]));
    return all;
}

/* A min or max of random forms, or of such. */
static const ix_lin *
random_extremum(bool largest, int depth, int64_t n, int64_t m, int64_t k,
                int64_t *want)
{
    const ix_lin *arm[3];
    int count = (int)draw(1, 3);
    for (int i = 0; i < count; i++) {
        sample s = random_form();
        int64_t v = value(&s, (const int64_t[]){n, m, k});
        arm[i] = s.form;
        if (depth > 0 && draw(0, 2) == 0)
            arm[i] = random_extremum(draw(0, 1), depth - 1, n, m, k, &v);
        *want = i == 0 || (v > *want) == largest ? v : *want;
    }
    const ix_lin *r = ix_lin_extremum(ctx, largest, count, arm);
    const ix_lin *turned[] = {arm[count - 1], arm[count / 2], arm[0]};
    ck_assert_ptr_eq(ix_lin_extremum(ctx, largest, 3, turned), r);
    return r;
}

/* A min or max has the value of one of its forms, and is the same one when it
 * is read from what was written of it. */
START_TEST(extrema)
{
    for (int i = 0; i < 3; i++)
        param(i);
    for (int i = 0; i < 300; i++) {
        int64_t n = draw(0, 9), m = draw(0, 9), k = draw(0, 9), v, want = 0;
        const ix_lin *a = random_extremum(draw(0, 1), 2, n, m, k, &want);
        ck_assert(ix_lin_eval(a, all_sizes(n, m, k), &v));
        ck_assert_int_eq(v, want);
        if (strlen(show(a)) < sizeof(ix_lin_text) - 1)
            ck_assert_ptr_eq(lin(show(a)), a);
    }
    check_fine();
}
END_TEST

START_TEST(extremum_forms)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"min(m, n, n + 2)", "min(n, m)"},
        {"min(n + 1, 1 + m)", "min(n, m)+1"},
        {"min(n - 1, m)", "min(n-1, m)"},
        {"max(0, n - 3)", "max(n-3, 0)"},
        {"max(n - 3, m - 3)", "max(n, m)-3"},
        {"min(2*n, 2*m + 4)", "2*min(n, m+2)"},
        {"min(n + k, m + k)", "k+min(n, m)"},
        {"min(n - m, k)", "min(n-m, k)"},
        {"min(min(n, m), k)", "min(n, m, k)"},
        {"-max(-n, -m)", "n+m-max(n, m)"},
        {"n - max(n, m)", "n-max(n, m)"},
        {"max(n - max(n, m), 0)", "0"},
        {"min(3, 5)", "3"},
        {"max(n, 2*n)", "2*n"},
        {"max(n, 0)", "n"},
        {"min(n, max(m, 3))", "min(n, max(m, 3))"},
        {"min(n*m, 4)", "min(n*m, 4)"},
        {"n*min(n, m)", "n*min(n, m)"},
    };
    lin("n + m + k");
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        ck_assert_str_eq(show(lin(rows[i].text)), rows[i].shown);
    ck_assert_ptr_null(
        ix_parse_text_lin(ctx, "min(n, 1, m*m, m*k, n*k, k*k, n*n*n, m*m*m, "
                               "k*k*k)"));
    ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
}
END_TEST

/* floor(a/k) of a random form, or of one with such a quotient. */
static const ix_lin *
random_quotient(int depth, int64_t n, int64_t m, int64_t k, int64_t *want)
{
    sample s = random_form();
    const ix_lin *a = s.form;
    int64_t by = draw(1, 6), times = draw(-2, 2), v = 0;
    *want = value(&s, (const int64_t[]){n, m, k});
    if (depth > 0) {
        a = ix_lin_fma(ctx, a, times, random_quotient(depth - 1, n, m, k, &v));
        *want += times * v;
    }
    if (draw(0, 4) == 0) {
        const ix_lin *arm[] = {a, param(0)};
        a = ix_lin_extremum(ctx, true, 2, arm);
        *want = *want > n ? *want : n;
    }
    *want = ix_floordiv(*want, by);
    const ix_lin *q = ix_lin_floordiv(ctx, a, by), *more = random_form().form;
    ck_assert_ptr_eq(ix_lin_floordiv(ctx, ix_lin_fma(ctx, a, by, more), by),
                     ix_lin_add(ctx, q, more));
    return q;
}

/* A quotient has the value of what is divided, rounded down, and is the same
 * one when it is read from what was written of it. */
START_TEST(quotients)
{
    for (int i = 0; i < 3; i++)
        param(i);
    for (int i = 0; i < 300; i++) {
        int64_t n = draw(0, 9), m = draw(0, 9), k = draw(0, 9), v, want = 0;
        const ix_lin *a = random_quotient(i % 3, n, m, k, &want);
        ck_assert(ix_lin_eval(a, all_sizes(n, m, k), &v));
        ck_assert_msg(v == want, "%s is %lld, not %lld", show(a), (long long)v,
                      (long long)want);
        if (strlen(show(a)) < sizeof(ix_lin_text) - 1)
            ck_assert_msg(lin(show(a)) == a, "%s", show(a));
    }
    check_fine();
}
END_TEST

START_TEST(quotient_forms)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"(4*n - 2*m + 1)//2", "2*n-m"},
        {"(2*n*m)//2*3", "3*n*m"},
        {"7//2", "3"},
        {"(-7)//2", "-4"},
        {"n//2", "n//2"},
        {"(n + 1)//2", "ceil(n/2)"},
        {"ceil((n + m)/2) - 1", "ceil((n+m)/2)-1"},
        {"ceil(3*n/4)", "ceil(3*n/4)"},
        {"(n - 5)//2", "ceil(n/2)-3"},
        {"-n//2", "-n+(n//2)"},
        {"(5*n + 7)//3", "n+((2*n+1)//3)+2"},
        {"(4*n + 3)//6", "(2*n+1)//3"},
        {"(n//2 + 1)//2", "(n+2)//4"},
        {"ceil(ceil(n/2)/3)", "ceil(n/6)"},
        {"2*(n//2)", "2*(n//2)"},
        {"n%2", "n-2*(n//2)"},
        {"n//2*m", "m*(n//2)"},
        {"n//2//m//2", NULL},
        {"n//0", NULL},
        {"n%(-2)", NULL},
        {"ceil(n/m)", NULL},
        {"ceil(n)", NULL},
        {"ceil(n//2)", NULL},
    };
    lin("n + m + k");
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        if (rows[i].shown)
            ck_assert_str_eq(show(lin(rows[i].text)), rows[i].shown);
        else if (!ix_parse_text_lin(ctx, rows[i].text))
            ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
        else
            ck_abort_msg("%s is read", rows[i].text);
}
END_TEST

/* A form and a multiple of a quotient. */
static int64_t
with_quotient(const sample *s, const sample *of, int64_t times, int64_t by,
              const int64_t *size)
{
    return value(s, size) + times * ix_floordiv(value(of, size), by);
}

/* Their sign is known exactly, as far as sizes of up to 60 tell. */
START_TEST(decide_quotients)
{
    for (int i = 0; i < 3; i++)
        param(i);
    assume("n >= 2 && m <= 3 && k >= n");
    for (int i = 0; i < 150; i++) {
        sample s = random_form(), of = random_form();
        int64_t by = draw(2, 3), times = draw(-2, 2), size[3];
        bool always = true;
        const ix_lin *a =
            ix_lin_fma(ctx, s.form, times, ix_lin_floordiv(ctx, of.form, by));
        for (size[0] = 2; size[0] < 60; size[0]++)
            for (size[1] = 0; size[1] <= 3; size[1]++)
                for (size[2] = size[0]; size[2] < 60; size[2]++)
                    always &= with_quotient(&s, &of, times, by, size) >= 0;
        ix_tri said = ix_lin_nonneg(ctx, a);
        ck_assert_msg((said == IX_YES) == always, "%s: %d, not %d", show(a),
                      said, always);
        if (ix_lin_nonneg_fast(ctx, a))
            ck_assert_msg(always, "%s", show(a));
    }
    check_fine();
}
END_TEST

/* An assumption about one size is its range: that far and no further. */
START_TEST(ranges)
{
    given("n >= 5 && 2*m >= 5 && 3*k <= 10");
    ck_assert(ix_lin_nonneg_fast(ctx, lin("n - 5")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("n - 6")));
    ck_assert(ix_lin_nonneg_fast(ctx, lin("m - 3")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("m - 4")));
    ck_assert(ix_lin_nonneg_fast(ctx, lin("3 - k")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("2 - k")));
    ck_assert(ix_lin_nonneg_fast(ctx, lin("n//2 - 2")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("n//2 - 3")));
    ck_assert(ix_lin_nonneg_fast(ctx, lin("2 - ceil(k/2)")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("1 - ceil(k/2)")));
    /* (n - 5)*(m - 3) is 0 where its sizes are least */
    ck_assert(ix_lin_nonneg_fast(ctx, lin("n*m - 3*n - 5*m + 15")));
    ck_assert(!ix_lin_nonneg_fast(ctx, lin("n*m - 3*n - 5*m + 14")));
}
END_TEST

/* What is known of a size in a range holds for sizes on trial as well. */
START_TEST(floors)
{
    given("2*m >= n");
    int32_t *floor = &ctx->param[lin("n")->t[0].param].floor;
    ck_assert_int_eq(ix_lin_nonneg(ctx, lin("m - 1")), IX_NO);
    *floor = 1;
    ck_assert_int_eq(ix_lin_nonneg(ctx, lin("m - 1")), IX_YES);
    *floor = 0;
}
END_TEST

START_TEST(unbounded)
{
    const ix_lin *all = ix_lin_const(ctx, IX_UNBOUNDED);
    const ix_lin *none = ix_lin_const(ctx, -IX_UNBOUNDED);
    ck_assert_ptr_eq(ix_lin_min(ctx, all, lin("n")), lin("n"));
    ck_assert_ptr_eq(ix_lin_max(ctx, none, lin("n")), lin("n"));
    ck_assert_ptr_eq(ix_lin_max(ctx, lin("n"), all), all);
    ck_assert_int_eq(ix_lin_le(ctx, lin("n"), all), IX_YES);
    ck_assert_int_eq(ix_lin_le(ctx, all, lin("n")), IX_NO);
    ck_assert_int_eq(ix_lin_le(ctx, none, lin("-n")), IX_YES);
    ck_assert_ptr_null(ctx->affine);
}
END_TEST

START_TEST(divisibility)
{
    assume("n % 8 == 0 && n >= 1");
    ck_assert_int_eq(ix_lin_nonneg(ctx, lin("n - 8")), IX_YES);
    ck_assert_int_eq(ix_lin_nonneg(ctx, lin("n - 9")), IX_NO);
}
END_TEST

START_TEST(overflow)
{
    const ix_lin *big = ix_lin_const(ctx, (int64_t)1 << 62);
    ck_assert_ptr_null(ix_lin_const(ctx, INT64_MAX));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
    ck_assert_ptr_null(ix_lin_const(ctx, INT64_MIN));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
    ck_assert_ptr_null(ix_lin_try_fma(ctx, big, 1, lin("n + 1")));
    ck_assert_ptr_null(ix_lin_try_offset(ctx, lin("n"), INT64_MIN));
    check_fine();
    ck_assert_ptr_null(ix_lin_add(ctx, big, ix_lin_const(ctx, 1)));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
    ck_assert_ptr_null(ix_lin_scale(ctx, lin("2*n"), INT64_MAX));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
    ck_assert_ptr_null(ix_lin_add(ctx, NULL, big));
    check_fine();
    int64_t v;
    ck_assert(!ix_lin_eval(lin("2*n"), (const int64_t[]){INT64_MAX}, &v));
    ck_assert(!ix_lin_eval(ix_lin_add(ctx, lin("n"), big),
                           (const int64_t[]){(int64_t)1 << 62}, &v));
}
END_TEST

START_TEST(contradictions)
{
    assume("n >= 4");
    const ix_env *before = ctx->in_force;
    ck_assert_int_eq(ilex_assume(ctx, "n < 4"), ILEX_E_ASSUME);
    ilex_error_clear(ctx);
    ck_assert_ptr_eq(ctx->in_force, before); /* nothing of it stays */
    ck_assert_int_eq(ix_lin_nonneg(ctx, lin("n - 4")), IX_YES);
    ck_assert_ptr_null(ctx->affine); /* ranges alone never reach isl */
    ck_assert_int_eq(ilex_assume(ctx, "n == 2*m && n == 2*m + 1"),
                     ILEX_E_ASSUME);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("lin", interned, arithmetic, decide_against_values, floors,
                     order, extrema, extremum_forms, quotients, quotient_forms,
                     decide_quotients, ranges, unbounded, divisibility,
                     overflow, contradictions);
}
