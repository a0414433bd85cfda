/* SPDX-License-Identifier: MIT
 *
 * Queries of programs before their sizes are known: kernels, temporaries,
 * costs, stages; and the times of kernels. What formulas give is in
 * test_formulas.c.
 */
#include <math.h>
#include <pthread.h>

#include "lib/base/clock.h"
#include "tests/unit/query_fixture.h"

/* ---- kernels ---- */

static const char flux[] =
    HEAD "in u : f64[I:n, J:m] halo(I:1:1)\nin w : f64[J:m]\n"
         "let lap = u[I+1] + u[I-1] - 2*u\nlet total = sum[I](lap*w)\n"
         "out v : f64[I:n, J:m] = lap*total\n";

static ilex_kernel_info
kernel(const ilex_program *p, size_t i)
{
    ilex_kernel_info k = ILEX_KERNEL_INFO();
    ck_assert_int_eq(ilex_program_kernel(p, i, &k), ILEX_OK);
    return k;
}

static void
check_names(size_t count, const char *const *names, const char *want)
{
    char text[200] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, names[i]);
    }
    ck_assert_str_eq(text, want);
}

START_TEST(kernels)
{
    ilex_program *p = compile_for("cc", &(sample){"1", "0", 0, flux});
    ck_assert_uint_eq(ilex_program_kernel_count(p), 2);
    ilex_kernel_info a = kernel(p, 0), b = kernel(p, 1);
    ck_assert_str_eq(a.name, "k0");
    ck_assert_str_eq(a.function, "k0");
    ck_assert_str_eq(a.domain, "J:m");
    ck_assert_int_eq(a.rank, 1);
    ck_assert_int_eq(a.axis, 0);
    check_names(a.read_count, a.reads, "u w");
    check_names(a.write_count, a.writes, "total");
    ck_assert_str_eq(a.apart, "");
    ck_assert_str_eq(a.points, "m");
    ck_assert_str_eq(a.operations, "5*n*m");
    ck_assert_int_eq(a.at_most, 0);
    ck_assert_str_eq(a.bytes_read, "8*n*m + 24*m");
    ck_assert_str_eq(a.bytes_written, "8*m");
    ck_assert_str_eq(b.name, "k1");
    ck_assert_str_eq(b.domain, "I:n, J:m");
    check_names(b.read_count, b.reads, "u total");
    check_names(b.write_count, b.writes, "v");
    ck_assert_str_eq(b.computes, "lap");
    ck_assert_str_eq(b.apart, "it covers another domain");
    ck_assert_str_eq(b.operations, "4*n*m");
    ilex_temporary_info t = ILEX_TEMPORARY_INFO();
    ck_assert_uint_eq(ilex_program_temporary_count(p), 2);
    ck_assert_int_eq(ilex_program_temporary(p, 0, &t), ILEX_OK);
    ck_assert_str_eq(t.name, "total");
    ck_assert_str_eq(t.domain, "J:m");
    ck_assert_str_eq(t.bytes, "8*m");
    ck_assert_int_eq(t.dtype, ILEX_F64);
    ck_assert_int_eq(t.rank, 1);
    ck_assert_int_eq(t.each_thread, 0);
    ilex_program_release(p);
}
END_TEST

/* What a kernel computes on the way ends with "..." where it is much. */
START_TEST(computes)
{
    for (int n = 63; n <= 66; n++) {
        char text[4096], *t = text;
        t += sprintf(t, HEAD "in x : f64[n]\nlet a0 = x*x\n");
        for (int i = 1; i < n; i++)
            t += sprintf(t, "let a%d = exp(a%d)\n", i, i - 1);
        sprintf(t, "out y : f64[n] = a%d + x\n", n - 1);
        ilex_program *p = compile_for("tcc", &(sample){"1", "0", 0, text});
        const char *list = kernel(p, 0).computes;
        const char *end = n > 64 ? ", a62, a63, ..." : NULL;
        char last[16];
        snprintf(last, sizeof last, ", a%d", n - 1);
        end = end ? end : last;
        ck_assert_str_eq(list + strlen(list) - strlen(end), end);
        ilex_program_release(p);
    }
}
END_TEST

/* Where data says where a kernel stores, it writes as much as there is room
 * for, not as much as its domain has. */
START_TEST(written_by_data)
{
    ilex_program *p = compile_for(
        "cc", &(sample){"1", "0", 0,
                        HEAD "in x : f64[n]\nsize c = count_nonzero(x)\n"
                             "out y : f64[c] = compress(x, x)\n"});
    size_t last = ilex_program_kernel_count(p) - 1;
    ilex_kernel_info k = kernel(p, last);
    ck_assert_uint_eq(k.write_count, 1);
    ck_assert_str_eq(k.writes[0], "y");
    ck_assert_str_eq(k.domain, "ceil(n/4096)");
    ck_assert_str_eq(k.bytes_written, "8*c");
    ilex_program_release(p);
}
END_TEST

/* Kernels that are equal but for their buffers call one function. */
START_TEST(functions)
{
    ilex_program *p = compile_for(
        "cc", &(sample){"0", "0", 0,
                        HEAD "in x : f64[n]\nlet a = x*2.5\nlet b = a*2.5\n"
                             "let c = b*2.5\nout y : f64[n] = c*2.5\n"});
    ck_assert_uint_eq(ilex_program_kernel_count(p), 4);
    for (size_t i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "k%zu", i);
        ck_assert_str_eq(kernel(p, i).name, name);
        const char *f = kernel(p, i).function;
        ck_assert(strstr(ilex_program_source(p, 0), f) != NULL);
    }
    ck_assert_str_eq(kernel(p, 1).function, "k1");
    ck_assert_str_eq(kernel(p, 2).function, "k1");
    ilex_program_release(p);
}
END_TEST

/* Without fusion every array is computed once: the operations of all kernels
 * are those of the program. */
START_TEST(operations)
{
    static const char *const texts[] = {
        HEAD "in x : f64[I:n, J:m]\nlet a = exp(x)*2\n"
             "let s = sum[I](a)\nout y : f64[I:n, J:m] = a/s + x\n",
        HEAD "assume m >= 2\nin a : f64[n, m]\nin b : f64[m, n]\n"
             "einsum c[i, j] = a[i, k]*b[k, j]\nout y : f64[n, n] = sqrt(c)\n",
        HEAD "in u : f64[I:n]\nin v : f64[J:m]\nout a : f64[I:n] = u*u\n"
             "out b : f64[J:m] = v*v\nout c : f64[I:n] = 3*u*u\n",
    };
    for (size_t i = 0; i < IX_COUNT(texts); i++)
        for (size_t j = 0; j < 3; j++) {
            ilex_program *p =
                compile_for(jits[j], &(sample){"0", "0", 0, texts[i]});
            const ilex_size_binding size[] = {{"n", 17}, {"m", 23}};
            ilex_cost_info c = ILEX_COST_INFO();
            int64_t sum = 0;
            if (!p)
                continue;
            ck_assert_int_eq(ilex_program_cost(p, &c), ILEX_OK);
            for (size_t k = 0; k < ilex_program_kernel_count(p); k++)
                if (kernel(p, k).version == 0)
                    sum += value_of(kernel(p, k).operations, size, 2, 1);
            ck_assert_int_eq(sum, value_of(c.operations, size, 2, 1));
            ilex_program_release(p);
        }
}
END_TEST

START_TEST(costs)
{
    ilex_cost_info c = ILEX_COST_INFO();
    ilex_program *p = compile_for("tcc", &(sample){"1", "0", 0, flux});
    ck_assert_int_eq(ilex_program_cost(p, &c), ILEX_OK);
    ck_assert_str_eq(c.operations, "6*n*m");
    ck_assert_int_eq(c.at_most, 0);
    ck_assert_str_eq(c.bytes_read, "8*n*m + 8*m");
    ck_assert_str_eq(c.bytes_written, "8*n*m");
    ilex_program_release(p);
    p = compile_for("tcc", &(sample){"1", "0", 0,
                                     HEAD "in x : f64[n]\nin e : i64[m]\n"
                                          "map y[i:m] = sum[k:0:e[i]](x[k])\n"
                                          "out z : f64[m] = y\n"});
    ck_assert_int_eq(ilex_program_cost(p, &c), ILEX_OK);
    ck_assert_int_eq(c.at_most, 1);
    ck_assert_int_eq(kernel(p, 0).at_most, 1);
    ilex_program_release(p);
}
END_TEST

/* Each query gives as much as there is room for, and nothing of a number that
 * is not there. */
START_TEST(room)
{
    ilex_program *p = compile_for("tcc", &(sample){"1", "0", 0, flux});
    ilex_kernel_info k = {.size = offsetof(ilex_kernel_info, rank), .rank = 77};
    ck_assert_int_eq(ilex_program_kernel(p, 1, &k), ILEX_OK);
    ck_assert_str_eq(k.name, "k1");
    ck_assert_int_eq(k.rank, 77);
    ck_assert_uint_eq(k.size, offsetof(ilex_kernel_info, rank));
    k.size = 2 * sizeof k;
    ck_assert_int_eq(ilex_program_kernel(p, 0, &k), ILEX_OK);
    ck_assert_uint_eq(k.size, sizeof k);
    ck_assert_int_eq(ilex_program_kernel(p, 2, &k), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_kernel(p, 0, NULL), ILEX_E_ARGUMENT);
    k.size = 0;
    ck_assert_int_eq(ilex_program_kernel(p, 0, &k), ILEX_E_ARGUMENT);
    ilex_temporary_info t = ILEX_TEMPORARY_INFO();
    ck_assert_int_eq(ilex_program_temporary(p, 1, &t), ILEX_E_ARGUMENT);
    ilex_stage_info s = ILEX_STAGE_INFO();
    ck_assert_int_eq(ilex_program_stage(p, ilex_program_stage_count(p), &s),
                     ILEX_E_ARGUMENT);
    ilex_kernel_time m = ILEX_KERNEL_TIME();
    ck_assert_int_eq(ilex_program_kernel_time(p, 2, &m), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_kernel_time(p, 1, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_program_cost(p, NULL), ILEX_E_ARGUMENT);
    ilex_program_release(p);
}
END_TEST

/* ---- as JSON ---- */

static void
find_member(const char *json, const char *key, const char *value)
{
    char want[512];
    snprintf(want, sizeof want, "\"%s\": \"%s\"", key, value);
    ck_assert_msg(strstr(json, want) != NULL, "no %s in %s", want, json);
}

/* It says what queries say; the same text is the stage "json". */
START_TEST(as_json)
{
    for (size_t j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], &(sample){"1", "0", 0, flux});
        if (!p)
            continue;
        ilex_module *m = parse(flux);
        char *json = ilex_program_json(ctx, p);
        char *stage = ilex_module_stage(m, "json");
        ck_assert_str_eq(json, stage);
        for (size_t k = 0; k < ilex_program_kernel_count(p); k++) {
            find_member(json, "operations", kernel(p, k).operations);
            find_member(json, "bytes_read", kernel(p, k).bytes_read);
            find_member(json, "points", kernel(p, k).points);
        }
        find_member(json, "workspace", ilex_program_workspace_formula(p));
        ilex_text_free(ctx, json);
        ilex_text_free(ctx, stage);
        ilex_module_free(m);
        ilex_program_release(p);
    }
    ilex_option_set(ctx, "jit", "nothing"); /* an error before */
    ck_assert_ptr_null(ilex_program_json(ctx, NULL));
    take_error();
}
END_TEST

/* ---- stages ---- */

/* The next stage is called so; its seconds. */
static double
stage(const ilex_program *p, size_t *i, const char *name, size_t length)
{
    ilex_stage_info s = ILEX_STAGE_INFO();
    ck_assert_int_eq(ilex_program_stage(p, (*i)++, &s), ILEX_OK);
    ck_assert_msg(strlen(s.name) == length && !memcmp(s.name, name, length),
                  "%s", s.name);
    ck_assert_msg(s.seconds >= 0, "%s: %g", s.name, s.seconds);
    ck_assert(*s.meaning != 0);
    return s.seconds;
}

START_TEST(stages)
{
    ck_assert_int_eq(ilex_option_set(ctx, "reuse", "0"), ILEX_OK);
    for (size_t j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], &(sample){"1", "0", 0, flux});
        size_t i = 0;
        double lower = 0;
        if (!p)
            continue;
        ck_assert(stage(p, &i, "parse", 5) > 0);
        for (const char *at = ilex_table("passes"); *at;) {
            lower += stage(p, &i, at, strcspn(at, "\t"));
            at = strchr(at, '\n') + 1;
        }
        lower += stage(p, &i, "emit", 4);
        ck_assert(lower <= ilex_program_lower_seconds(p) &&
                  lower >= 0.1 * ilex_program_lower_seconds(p));
        double compile = stage(p, &i, "compile", 7);
        double load = stage(p, &i, "load", 4);
        ck_assert((load > 0) == (j > 0));
        ck_assert(fabs(compile + load - ilex_program_jit_seconds(p)) < 1e-9);
        ck_assert(j != 2 || compile > load);
        ck_assert_uint_eq(i, ilex_program_stage_count(p));
        ilex_program_release(p);
    }
}
END_TEST

/* A program that is built by calls has no text. */
START_TEST(not_parsed)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "3");
    ilex_program *p = ilex_compile(ctx, 1, &x, NULL);
    size_t i = 0;
    ck_assert_ptr_nonnull(p);
    ck_assert(stage(p, &i, "parse", 5) == 0);
    ilex_program_release(p);
}
END_TEST

/* ---- times ---- */

enum { LENGTH = 3000 };

typedef struct runner {
    const ilex_program *p;
    int64_t length;
    int runs;
} runner;

static void *
run_many(void *arg)
{
    const runner *r = arg;
    ilex_storage *x = ilex_storage_zeros(NULL, ILEX_F64, 1, &r->length);
    ilex_storage *y = ilex_storage_zeros(NULL, ILEX_F64, 1, &r->length);
    ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    for (int i = 0; i < r->runs; i++)
        if (ilex_run(r->p, bound, 2, NULL))
            abort();
    ilex_storage_release(x);
    ilex_storage_release(y);
    return NULL;
}

/* The calls of kernel "i"; its seconds are added to "*sum". */
static int
calls_of(const ilex_program *p, size_t i, double *sum)
{
    ilex_kernel_time t = ILEX_KERNEL_TIME();
    ck_assert_int_eq(ilex_program_kernel_time(p, i, &t), ILEX_OK);
    ck_assert((t.calls > 0) == (t.seconds > 0));
    *sum += t.seconds;
    return (int)t.calls;
}

static void
check_calls(const ilex_program *p, int want)
{
    double sum = 0;
    for (size_t i = 0; i < ilex_program_kernel_count(p); i++)
        ck_assert_int_eq(calls_of(p, i, &sum), want);
}

static const sample stored = {
    "0", "0", 0,
    HEAD "in x : f64[n]\nlet a = exp(sin(x))\nout y : f64[n] = a + x\n"};

START_TEST(times)
{
    for (size_t j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], &stored);
        if (!p)
            continue;
        ck_assert_uint_ge(ilex_program_kernel_count(p), 2);
        run_many(&(runner){p, LENGTH, 2});
        check_calls(p, 0);
        ilex_program_profile(p, 1);
        run_many(&(runner){p, 0, 4}); /* no points: no calls */
        check_calls(p, 0);
        double begin = ix_clock(), sum = 0;
        run_many(&(runner){p, LENGTH, 3});
        double took = ix_clock() - begin;
        check_calls(p, 3);
        for (size_t i = 0; i < ilex_program_kernel_count(p); i++)
            calls_of(p, i, &sum);
        ck_assert_msg(sum > 0 && sum < took, "%g of %g", sum, took);
        ilex_program_profile(p, 0);
        run_many(&(runner){p, LENGTH, 1});
        check_calls(p, 3);
        ilex_program_profile(p, 1);
        check_calls(p, 0);
        ilex_program_release(p);
    }
}
END_TEST

/* Runs at the same time add up, and none is lost. */
START_TEST(times_of_threads)
{
    enum { THREADS = 4, RUNS = 2000 };
    ck_assert_int_eq(ilex_option_set(ctx, "threads", "1"), ILEX_OK);
    ilex_program *p = compile_for("cc", &stored);
    runner r = {p, 5, RUNS};
    pthread_t thread[THREADS];
    ilex_program_profile(p, 1);
    for (int i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&thread[i], NULL, run_many, &r));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    check_calls(p, THREADS * RUNS);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("query");
    TCase *tc = tcase_create("query");
    tcase_add_checked_fixture(tc, open_context, close_context);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, kernels);
    tcase_add_test(tc, computes);
    tcase_add_test(tc, written_by_data);
    tcase_add_test(tc, functions);
    tcase_add_test(tc, operations);
    tcase_add_test(tc, costs);
    tcase_add_test(tc, room);
    tcase_add_test(tc, as_json);
    tcase_add_test(tc, stages);
    tcase_add_test(tc, not_parsed);
    tcase_add_test(tc, times);
    tcase_add_test(tc, times_of_threads);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
