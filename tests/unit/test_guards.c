/* SPDX-License-Identifier: MIT
 *
 * Guards that are constant: what a condition rules out for all sizes is never
 * read, by no back end, and nobody is asked to provide it.
 */
#include "tests/unit/graph_fixture.h"

/* True for all sizes; as conditions that are, and the other way round. */
static const char *const holds[] = {
    "true",
    "3 >= 3",
    "!(3 < 3)",
    "n >= n",
    "2*n >= n+n",
    "n >= 1",
    "3 >= 2 && n >= n",
    "f64(3) >= 3",
    "f64(3) + 1 > f32(2)",
    "i64(3) + 1 > 2",
    "bool(f64(2))",
    "logical_xor(true, false)",
    "n > 0 || _0 > 7",
    "n + 1 != n",
    "n*3 == n + 2*n",
    "_0 < 7 || f32(2) < 1 || 2 > 1",
};

/* Not known to hold: what is behind them is read. */
static const char *const open[] = {
    "3 < 3", "n < n", "f64(3) + 1 < 2", "_0 < 2 && 2 > 1", "a[0] >= a[0]",
};

static const char *const backends[] = {"reference", "tcc", "cc"};

/* "a" has 2 elements, "b" as well, as an array that is stored for itself or
 * fused; "c" has a halo, which no storage here has. */
static const char head[] = "ilex 1\nprogram p\nsize n\nassume n >= 1\n"
                           "in a : f64[2]\nin c : f64[I:2] halo(I:2:2)\n"
                           "let b = 2*a\n";

/* A program with a branch that reads outside behind "when", or, with "other",
 * behind the condition's opposite. */
static void
put_program(char *text, size_t size, const char *when, bool other)
{
    if (other)
        snprintf(text, size,
                 "%smap t[n] = where(!(%s), b[-7], a[0]) + where(%s, 1.0, "
                 "c[-2]) + where(!(%s), sum[s:5](b[s]), c[1])\nout o = t\n",
                 head, when, when, when);
    else
        snprintf(text, size,
                 "%smap t[n] = where(%s, a[0], b[3]) + where(%s, 1.0, c[-2]) + "
                 "where(%s, c[1], sum[s:5](b[s]))\nout o = t\n",
                 head, when, when, when);
}

static ilex_storage *
filled(double value, int64_t n)
{
    ilex_storage *s = ilex_storage_full(ctx, ILEX_F64, 1, &n, value);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

static void
run_and_check(const ilex_program *p, const char *text)
{
    ilex_storage *o = filled(0, 3);
    ilex_binding bound[] = {ILEX_BIND("a", filled(4, 2)),
                            ILEX_BIND("c", filled(7, 2)), ILEX_BIND("o", o)};
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, bound, 3, &call), "%s: %s", call.error, text);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(((const double *)ilex_storage_const_data(o))[i] == 12,
                      "%g of %s",
                      ((const double *)ilex_storage_const_data(o))[i], text);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(bound[i].storage);
}

static void
check_runs(const char *text, const char *jit, const char *fuse)
{
    ilex_option_set(ctx, "jit", jit);
    ilex_option_set(ctx, "fuse", fuse);
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ck_assert_msg(m != NULL, "%s: %s", ilex_error_text(ctx), text);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    if (!p)
        ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
    else
        run_and_check(p, text);
    ilex_program_release(p);
}

START_TEST(never_read)
{
    char text[700];
    for (size_t i = 0; i < 2 * IX_COUNT(holds); i++) {
        put_program(text, sizeof text, holds[i / 2], i % 2);
        for (size_t k = 0; k < IX_COUNT(backends); k++) {
            check_runs(text, backends[k], "1");
            check_runs(text, backends[k], "0");
        }
    }
}
END_TEST

START_TEST(read)
{
    char text[700];
    for (size_t i = 0; i < 2 * IX_COUNT(open); i++) {
        put_program(text, sizeof text, open[i / 2], i % 2);
        ck_assert_ptr_null(ilex_module_parse(ctx, text, NULL));
        ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    }
}
END_TEST

/* A condition that a piece of one index decides, inside of a condition on
 * values: no guard is left there, and what it rules out is not read. */
START_TEST(one_index)
{
    for (size_t k = 0; k < IX_COUNT(backends); k++) {
        ilex_option_set(ctx, "jit", backends[k]);
        ilex_module *m =
            parse("ilex 1\nprogram p\nin u : i64[K:3] halo(K:1:2)\n"
                  "let t : i64[K:3] = u\n"
                  "map a[K:-2:3] = where(K < 0, t[-K-1], t[K])\n"
                  "let b = where(a < a, a, u)\n"
                  "map c[K:3] = b[minimum(maximum(K-1, 0), 2)]\n"
                  "out o = c\n");
        ilex_program *p = ilex_compile_module(m);
        ilex_module_free(m);
        if (!p) {
            ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
            continue;
        }
        ilex_storage *u = counting(1, SHAPE(6)), *o;
        ilex_storage *view = ilex_storage_with_halo(ctx, u, SHAPE(1, 2));
        const ilex_binding bound[] = {ILEX_BIND("u", view)};
        ck_assert_int_eq(ilex_evaluate(ctx, p, bound, 1, &o), ILEX_OK);
        const int64_t *x = ilex_storage_const_data(o);
        ck_assert(x[0] == 1 && x[1] == 1 && x[2] == 2);
        ilex_storage_release(o);
        ilex_storage_release(view);
        ilex_storage_release(u);
        ilex_program_release(p);
    }
}
END_TEST

/* Integers that are computed have names like indices: a choice by them is none
 * that the pass guard left over. */
START_TEST(values_compared)
{
    static const char *const texts[] = {
        "ilex 1\nprogram p\nsize n\nassume n >= 1\nin x : i64[n, n]\n"
        "map s[n, n] = x[x[_0, _1] % n, _1]\n"
        "map t[n, n] = where(_0 + _1 <= n - 2, x[_0, _1], 2*x[_0, _1])\n"
        "out y : i64[n, n] = maximum(s, where(t < t, x, t))\n",
        "ilex 1\nprogram p\nsize n\nassume n >= 1\nin x : f64[n, 3]\n"
        "in c : i64\nmap t[n] = argmin[k:2](x[_0, k])\n"
        "out y : i64[n] = where(n < t, t, c)\n",
    };
    ilex_option_set(ctx, "jit", "tcc");
    for (size_t i = 0; i < IX_COUNT(texts); i++) {
        ilex_module *m = ilex_module_parse(ctx, texts[i], NULL);
        ilex_program *p = m ? ilex_compile_module(m) : NULL;
        ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
        ilex_program_release(p);
        ilex_module_free(m);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("guards", never_read, read, one_index, values_compared);
}
