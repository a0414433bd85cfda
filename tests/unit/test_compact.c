/* SPDX-License-Identifier: MIT
 *
 * Elements that a mask lets through, in chunks: lengths around those of chunks,
 * masks that let nothing, everything or the ends of chunks through, several
 * arrays of one mask, threads; never an element more than there are.
 */
#include "tests/unit/graph_fixture.h"

#define OUTPUTS                                                                \
    "size c = count_nonzero(x > 0)\n"                                          \
    "out y : f64[c] = compress(x, x > 0)\n"                                    \
    "out z : f64[c] = compress(3*x + 1, x > 0)\n"                              \
    "out k : i64[c] = nonzero(x > 0)\n"

/* Is element i of n let through? */
typedef bool mask_fn(int64_t i, int64_t n);

static bool
none(int64_t i, int64_t n)
{
    return i >= n;
}

static bool
all(int64_t i, int64_t n)
{
    return i < n;
}

static bool
some(int64_t i, int64_t n)
{
    return ((uint64_t)i * 2654435761u + (uint64_t)n) >> 7 & 1;
}

static bool
firsts(int64_t i, int64_t n)
{
    (void)n;
    return i % 4096 == 0;
}

static bool
lasts(int64_t i, int64_t n)
{
    return i % 4096 == 4095 || i == n - 1;
}

static bool
second_chunk(int64_t i, int64_t n)
{
    (void)n;
    return i >= 4096 && i < 8192 && i % 3 == 0;
}

/* A storage of n elements, all -1. */
static ilex_storage *
line_of(ilex_dtype dtype, int64_t n)
{
    ilex_storage *s = ilex_storage_zeros(ctx, dtype, 1, SHAPE(n));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; i < n; i++)
        if (dtype == ILEX_I64)
            ((int64_t *)ilex_storage_data(s))[i] = -1;
        else
            ((double *)ilex_storage_data(s))[i] = -1;
    return s;
}

static void
check_results(int64_t n, mask_fn *mask, const double *x, const double *y,
              const double *z, const int64_t *k)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask(i, n)) {
            ck_assert(y[at] == x[i] && z[at] == 3 * x[i] + 1 && k[at] == i);
            at++;
        }
    for (; at < n + 3; at++)
        ck_assert(y[at] == -1 && z[at] == -1 && k[at] == -1);
}

static void
run(const ilex_program *p, int64_t n, mask_fn *mask, int threads)
{
    ilex_storage *x = line_of(ILEX_F64, n), *y = line_of(ILEX_F64, n + 3),
                 *z = line_of(ILEX_F64, n + 3), *k = line_of(ILEX_I64, n + 3);
    for (int64_t i = 0; i < n; i++)
        ((double *)ilex_storage_data(x))[i] =
            mask(i, n) ? 1 + (double)i : -(double)i;
    ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y),
                            ILEX_BIND("z", z), ILEX_BIND("k", k)};
    ilex_call call = {.size = sizeof call, .threads = threads};
    ck_assert_msg(!ilex_run(p, bound, 4, &call), "%s", call.error);
    check_results(n, mask, ilex_storage_const_data(x),
                  ilex_storage_const_data(y), ilex_storage_const_data(z),
                  ilex_storage_const_data(k));
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_storage_release(z);
    ilex_storage_release(k);
}

static const char *const jits[] = {"reference", "tcc", "cc"};

START_TEST(chunks)
{
    static mask_fn *const masks[] = {none,   all,   some,
                                     firsts, lasts, second_chunk};
    static const int64_t lengths[] = {0,    1,    7,    4095, 4096,
                                      4097, 8191, 8193, 20000};
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        if (ilex_option_set(ctx, "jit", jits[j]) != ILEX_OK)
            continue;
        ilex_program *p =
            compile("ilex 1\nprogram p\nsize n\nin x : f64[n]\n" OUTPUTS);
        for (size_t i = 0; i < IX_COUNT(lengths); i++)
            for (size_t m = 0; m < IX_COUNT(masks); m++)
                for (int threads = 1; threads <= 3; threads++)
                    run(p, lengths[i], masks[m], threads);
        ilex_program_release(p);
    }
}
END_TEST

/* Lengths that are numbers have a number of chunks. */
static void
run_constant(int n)
{
    char text[400];
    snprintf(text, sizeof text, "ilex 1\nprogram p\nin x : f64[%d]\n" OUTPUTS,
             n);
    ilex_program *p = compile(text);
    run(p, n, some, 2);
    run(p, n, lasts, 2);
    ilex_program_release(p);
}

START_TEST(constant_length)
{
    static const int lengths[] = {1, 5, 4096, 4097, 9000};
    for (size_t j = 0; j < IX_COUNT(jits); j++)
        for (size_t i = 0; i < IX_COUNT(lengths); i++)
            if (ilex_option_set(ctx, "jit", jits[j]) == ILEX_OK)
                run_constant(lengths[i]);
}
END_TEST

/* What is wrong with elements behind the last one is an error as well. */
static void
run_outside(const ilex_program *p, int64_t bad)
{
    enum { N = 5000 };
    ilex_storage *x = line_of(ILEX_F64, N), *at = line_of(ILEX_I64, N),
                 *y = line_of(ILEX_F64, N);
    for (int64_t i = 0; i < N; i++) {
        ((double *)ilex_storage_data(x))[i] = i < 4200 ? 1 : -1;
        ((int64_t *)ilex_storage_data(at))[i] = i == bad ? 7777 : i;
    }
    ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("at", at),
                            ILEX_BIND("y", y)};
    ilex_call call = {.size = sizeof call, .threads = 2};
    ck_assert_int_eq(ilex_run(p, bound, 3, &call), ILEX_E_BOUNDS);
    ck_assert_msg(strstr(call.error, "index 7777") != NULL, "%s", call.error);
    ilex_storage_release(x);
    ilex_storage_release(at);
    ilex_storage_release(y);
}

START_TEST(checked)
{
    for (size_t j = 0; j < IX_COUNT(jits); j++) {
        if (ilex_option_set(ctx, "jit", jits[j]) != ILEX_OK)
            continue;
        ilex_program *p = compile("ilex 1\nprogram p\nsize n\n"
                                  "in x : f64[n]\nin at : i64[n]\n"
                                  "out y = compress(x[at], x > 0)\n");
        run_outside(p, 3);
        run_outside(p, 4999);
        ilex_program_release(p);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("compact", chunks, constant_length, checked);
}
