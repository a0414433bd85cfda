/* SPDX-License-Identifier: MIT
 *
 * Option order: which axis is innermost, that programs look the same from
 * outside, which keep the order of C. Bits are compared by tests/differential,
 * whose programs all run in both orders.
 */
#include "tests/unit/graph_fixture.h"

static const char *const orders[] = {"C", "F"};

#define HEAD                                                                   \
    "ilex 1\nprogram p\nsize n, m, l\nassume n >= 2 && m >= 2 && l >= 1\n"
#define FIELD "in u : f64[I:n, J:m, K:l]\n"

/* A stencil with a temporary, a reduction, a scan along each axis, an update,
 * in place. */
static const char *const texts[] = {
    HEAD FIELD "let s = exp(u)\nlet d = s[I+1] + 2*s[J-1] - u\nout o = d*d\n",
    HEAD FIELD "out o = u - sum[J](u)*max[I](u)\nout q : f64[K:l] = "
               "sum[I,J](u)\n",
    HEAD FIELD "scan I forward a[I:n, J:m, K:l] = where(I == 0, u[I, J, K], "
               "0.5*a[I-1, J, K] + u[I, J, K])\n"
               "scan K backward b[I:n, J:m, K:l] = where(K == l-1, a[I, J, K], "
               "a[I, J, K] - 0.25*b[I, J, K+1])\nout o = b*u\n",
    HEAD "in u : f64[n, m, l]\nlet z = zeros(n, m)\n"
         "let y = add_at(z[::-1, 1:], u[:, 1:, 0])\nout o = y\n",
    HEAD FIELD "out o : f64[I:n, J:m, K:l] = u*2 + u*u inplace u\n",
};

static ilex_program *
compile_in(const char *order, const char *text)
{
    ilex_option_set(ctx, "order", order);
    ilex_program *p = compile(text);
    ilex_option_set(ctx, "order", "C");
    return p;
}

/* ---- from outside ---- */

/* Domains, halos and formulas are those of the program. */
START_TEST(arguments)
{
    for (size_t t = 0; t < IX_COUNT(texts); t++) {
        ilex_option_set(ctx, "jit", "cc");
        ilex_program *p[2];
        for (int i = 0; i < 2; i++)
            p[i] = compile_in(orders[i], texts[t]);
        for (size_t k = 0; k < ilex_program_argument_count(p[0]); k++) {
            ilex_argument_info a = ILEX_ARGUMENT_INFO(),
                               b = ILEX_ARGUMENT_INFO();
            ilex_program_argument_get(p[0], k, &a);
            ilex_program_argument_get(p[1], k, &b);
            ck_assert_str_eq(a.domain, b.domain);
            ck_assert_str_eq(a.reads, b.reads);
            for (int x = 0; x < a.rank; x++) {
                ck_assert_str_eq(a.axis[x], b.axis[x]);
                ck_assert_str_eq(a.halo_low[x], b.halo_low[x]);
                ck_assert_str_eq(a.halo_high[x], b.halo_high[x]);
            }
        }
        ilex_program_release(p[0]);
        ilex_program_release(p[1]);
    }
}
END_TEST

/* ---- loops ---- */

START_TEST(inner)
{
    ilex_option_set(ctx, "jit", "cc");
    ilex_option_set(ctx, "target", "generic"); /* no streams */
    static const char *const text = HEAD FIELD "out o = 2*u\n";
    for (int i = 0; i < 2; i++) {
        ilex_option_set(ctx, "order", orders[i]);
        ilex_module *m = parse(text);
        char *source = ilex_module_emit(m, "jit");
        ck_assert_msg(source != NULL, "%s", ilex_error_text(ctx));
        ck_assert(strstr(source, i ? "for (i64 i2 = 0; i2 < n0; i2++)"
                                   : "for (i64 i2 = 0; i2 < n2; i2++)"));
        ilex_text_free(ctx, source);
        ilex_module_free(m);
    }
    ilex_option_set(ctx, "order", "C");
}
END_TEST

/* Sums whose rows lie in columns, and the other way round. */
START_TEST(sums)
{
    static const struct {
        const char *order, *axis, *strips;
    } rows[] = {{"C", "1", NULL},
                {"x=10", "1", "split i0 64 min"},
                {"C", "0", "split i0 1024 min"},
                {"x=10", "0", "split i0 8 peel"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n, m\nin x : f64[n, m]\n"
                 "out o = sum[%s](x)\n",
                 rows[i].axis);
        ilex_option_set(ctx, "jit", "tcc");
        ilex_option_set(ctx, "order", rows[i].order);
        ilex_module *m = parse(text);
        char *schedule = ilex_module_stage(m, "schedule");
        ilex_option_set(ctx, "order", "auto");
        ck_assert_msg(schedule != NULL, "%s", ilex_error_text(ctx));
        const char *split = strstr(schedule, "split");
        if (rows[i].strips)
            ck_assert(split &&
                      !strncmp(split, rows[i].strips, strlen(rows[i].strips)));
        else
            ck_assert_ptr_null(split);
        ilex_text_free(ctx, schedule);
        ilex_module_free(m);
    }
}
END_TEST

/* What checks data, or calls the host, says the same in both. */
START_TEST(kept)
{
    static const char *const same[] = {
        HEAD FIELD "in i : i32[I:n]\nmap o[I:n, J:m] = u[i[I], J, 0]\n"
                   "out r = o\n",
        HEAD FIELD "extern f(x : f64[I:n, J:m, K:l]) -> f64[I:n] pure\n"
                   "out r = f(u)\n",
    };
    ilex_option_set(ctx, "jit", "cc");
    for (size_t t = 0; t < IX_COUNT(same); t++) {
        ilex_module *m[2];
        char *source[2];
        for (int i = 0; i < 2; i++) {
            ilex_option_set(ctx, "order", orders[i]);
            m[i] = parse(same[t]);
            source[i] = ilex_module_emit(m[i], "jit");
            ck_assert_msg(source[i] != NULL, "%s", ilex_error_text(ctx));
        }
        ck_assert_str_eq(source[0], source[1]);
        for (int i = 0; i < 2; i++) {
            ilex_text_free(ctx, source[i]);
            ilex_module_free(m[i]);
        }
    }
}
END_TEST

/* ---- values ---- */

/* A scan against the direction of its loop, along the axis that becomes the
 * innermost one: levels are those of the program. */
START_TEST(backward)
{
    static const char *const jits[] = {"reference", "tcc", "cc"};
    ilex_storage *x = counting(2, SHAPE(9, 5)), *y[3];
    for (int i = 0; i < 3; i++) {
        if (ilex_option_set(ctx, "jit", jits[i]))
            continue;
        ilex_program *p = compile_in(
            "F", "ilex 1\nprogram p\nsize n, m\nin x : i64[n, m]\n"
                 "scan _0 backward y[n, m] = where(_0 == n-1, x[_0, _1], "
                 "3*y[_0+1, _1] - x[_0, _1])\nout o = y\n");
        y[i] = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(9, 5));
        ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("o", y[i])};
        run_program(p, bound, 2);
        ck_assert_mem_eq(ilex_storage_const_data(y[i]),
                         ilex_storage_const_data(y[0]), 9 * 5 * 8);
        ilex_program_release(p);
        if (i)
            ilex_storage_release(y[i]);
    }
    ilex_storage_release(y[0]);
    ilex_storage_release(x);
}
END_TEST

/* What one stage stores, and what may be in one place, has one order, whatever
 * the option says of each. */
START_TEST(joined)
{
    static const char *const places[] = {
        "ilex 1\nprogram p\nsize n\nin x : i64[n, n]\n"
        "map y[n, n] = x[_1, _0]\nout o = y inplace x\n",
        "ilex 1\nprogram p\nsize n\nin x : i64[n, n]\n"
        "scan _1 forward y[n, n] = where(_1 == 0, 0, z[_0, _1-1] + x[_0, _1]), "
        "z[n, n] = where(_1 == 0, x[_1, _0], y[_0, _1-1] - 1)\n"
        "out o = y\nout q = z\n"};
    static const char *const order[] = {"x=01,o=10", "x=10,q=01", "o=10,q=01",
                                        "x=10,o=01", "x=10,q=10"};
    for (size_t t = 0; t < IX_COUNT(places); t++)
        for (size_t i = 0; i <= IX_COUNT(order); i++) {
            static int64_t want[2][9];
            ilex_option_set(ctx, "jit", i ? "tcc" : "reference");
            ilex_program *p = compile_in(i ? order[i - 1] : "C", places[t]);
            ilex_storage *x = counting(2, SHAPE(3, 3)),
                         *y = counting(2, SHAPE(3, 3));
            ilex_binding bound[] = {
                ILEX_BIND("x", x),
                ILEX_BIND("o", t ? counting(2, SHAPE(3, 3)) : x),
                ILEX_BIND("q", y)};
            run_program(p, bound, t ? 3 : 2);
            for (int k = 0; k < 2; k++) {
                const void *got = ilex_storage_const_data(bound[1 + k].storage);
                if (i)
                    ck_assert_mem_eq(got, want[k], sizeof want[k]);
                else
                    memcpy(want[k], got, sizeof want[k]);
            }
            if (t)
                ilex_storage_release(bound[1].storage);
            ilex_storage_release(x);
            ilex_storage_release(y);
            ilex_program_release(p);
        }
}
END_TEST

/* ---- expressions on storages ---- */

/* The value in the order of its operands: C unless all lie in Fortran's. */
static void
expect_order(const char *one, const char *other, bool fortran)
{
    const char *layouts[2] = {one, other};
    ilex_storage *s[2], *k = ilex_storage_zeros(ctx, ILEX_F64, 0, SHAPE(0));
    double two = 2;
    for (int i = 0; i < 2; i++)
        s[i] = ilex_storage_new(
            ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                      .rank = 2,
                                      .shape = SHAPE(3, 4),
                                      .layout = layouts[i],
                                      .fill = &two});
    *(double *)ilex_storage_data(s[0]) = 5;
    ilex_storage *y =
        ilex_eval(ctx, "a*b + k", "a", s[0], "b", s[1], "k", k, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_stride(y)[fortran ? 0 : 1], 1);
    ck_assert_int_eq(ilex_storage_stride(y)[fortran ? 1 : 0], fortran ? 3 : 4);
    const double *data = ilex_storage_const_data(y);
    for (int i = 0; i < 12; i++)
        ck_assert(data[i] == (i ? 4 : 10));
    for (int i = 0; i < 2; i++)
        ilex_storage_release(s[i]);
    ilex_storage_release(y);
    ilex_storage_release(k);
}

START_TEST(expressions)
{
    static const char *const jits[] = {"tcc", "cc", "auto"};
    for (size_t i = 0; i < IX_COUNT(jits); i++) {
        if (ilex_option_set(ctx, "jit", jits[i]))
            continue;
        expect_order("C", "C", false);
        expect_order("F", "F", true);
        expect_order("F", "C", false);
        ilex_option_set(ctx, "order", "F");
        expect_order("C", "C", true);
        ilex_option_set(ctx, "order", "C");
    }
    ilex_option_set(ctx, "jit", "reference"); /* it has no loops */
    expect_order("F", "F", false);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("order", arguments, inner, sums, kept, backward, joined,
                     expressions);
}
