/* SPDX-License-Identifier: MIT
 *
 * Generated functions stay short: long bodies are cut, kernels divided, stores
 * joined only while they fit; and the values stay the same.
 */
#include "tests/unit/graph_fixture.h"

enum { MOST_STATEMENTS = 1000, MOST_NESTING = 50, TEXT = 1 << 20 };

/* ---- long programs ---- */

static char text[TEXT];
static size_t used;

static void IX_PRINTF(1, 2) put(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    used += (size_t)vsnprintf(text + used, TEXT - used, fmt, args);
    va_end(args);
    ck_assert_uint_lt(used, TEXT);
}

static void
begin(const char *sizes)
{
    used = 0;
    put("ilex 1\nprogram p\nsize %s\n", sizes);
}

/* One map whose body is a sum of "n" different terms. */
static void
long_sum(int n)
{
    begin("n");
    put("in x : f64[n + %d]\nmap y[i:n] = x[i]", n);
    for (int k = 1; k < n; k++)
        put(" + x[i+%d]*%d.5", k, k);
    put("\nout z = y\n");
}

/* Horner's rule: one operand deep, and every value used once. */
static void
long_chain(int n)
{
    begin("n");
    put("in x : f64[n]\nlet y0 = x\n");
    for (int k = 1; k < n; k++)
        put("let y%d = y%d*x + %d.0\n", k, k - 1, k % 7);
    put("out z = y%d\n", n - 1);
}

/* A butterfly network: every value is used twice, far apart. */
static void
butterflies(int levels)
{
    int width = 1 << levels;
    begin("n");
    for (int k = 0; k < width; k++)
        put("in x%d : f64[n]\n", k);
    for (int k = 0; k < width; k++)
        put("let v0_%d = x%d\n", k, k);
    for (int l = 1; l <= levels; l++)
        for (int k = 0; k < width; k++)
            put("let v%d_%d = v%d_%d %c v%d_%d\n", l, k, l - 1,
                k & ~(1 << (l - 1)), k >> (l - 1) & 1 ? '-' : '+', l - 1,
                k | 1 << (l - 1));
    put("out z = v%d_0", levels);
    for (int k = 1; k < width; k++)
        put(" * v%d_%d", levels, k);
    put("\n");
}

/* Nine pieces, each with a long body. */
static void
long_pieces(int n)
{
    begin("n, m");
    put("assume n >= 2 && m >= 2\nin x : f64[n, m]\nin w : f64[%d]\n"
        "map y[i:n+4, j:m+4] = 0.0",
        n);
    for (int k = 0; k < n; k++)
        put(" + w[%d]*x[min(max(i-2, 0), n-1), min(max(j-2, 0), m-1)]", k);
    put("\nout z = y\n");
}

/* Many outputs over one box. */
static void
many_outputs(int n, int terms)
{
    begin("n");
    put("in x : f64[n + %d]\n", terms);
    for (int o = 0; o < n; o++) {
        put("map y%d[i:n] = 1.0", o);
        for (int k = 0; k < terms; k++)
            put(" + x[i+%d]*%d.25", k, o + k);
        put("\nout z%d = y%d\n", o, o);
    }
}

/* Short reductions over many axes, which would unroll to thousands. */
static void
short_axes(void)
{
    begin("n");
    put("in x : f64[n, 3, 3, 3, 3, 3, 3]\n"
        "out z = sum[1, 2, 3, 4, 5, 6](x*x)\n");
}

/* Sums of indices with large factors: an operation for each factor, which
 * wraps, and one for each term. */
static void
wide_sums(int n)
{
    begin("n, m");
    put("in x : f64[n, m]\nmap y[i:n, j:m, k:n] = x[i, j]");
    for (int k = 0; k < n; k++)
        put(" + f64(%d*j - 8589934592*i + %d*k)", 2 * k + 3, 3 * k + 2);
    put("\nout z = y\n");
}

static void
write_program(int which)
{
    switch (which) {
    case 0:
        long_sum(900);
        break;
    case 1:
        long_chain(2500);
        break;
    case 2:
        butterflies(6);
        break;
    case 3:
        long_pieces(150);
        break;
    case 4:
        many_outputs(8, 120);
        break;
    case 5:
        wide_sums(280);
        break;
    default:
        short_axes();
    }
}

enum { PROGRAMS = 7 };

/* ---- source ---- */

/* Statements of the longest function of a unit and its deepest nesting; a
 * function opens and closes its braces in the first column. */
static void
measure(const char *source, int *statements, int *nesting)
{
    int count = 0, depth = 0;
    for (const char *p = source; *p; p++) {
        if (*p == '{' && ++depth > *nesting)
            *nesting = depth;
        if (*p == '}' && --depth == 0)
            count = 0;
        count += *p == ';' && strncmp(p + 1, "\n", 1) == 0 && depth > 0;
        *statements = count > *statements ? count : *statements;
    }
}

static ilex_program *
compile_with(const char *jit)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    return compile(text);
}

START_TEST(limits)
{
    for (int which = 0; which < PROGRAMS; which++) {
        int statements = 0, nesting = 0;
        write_program(which);
        ilex_module *m = parse(text);
        char *source = ilex_module_emit(m, "c");
        ck_assert_msg(source != NULL, "%s", ilex_error_text(ctx));
        measure(source, &statements, &nesting);
        ck_assert_int_gt(statements, 20);
        ck_assert_msg(statements <= MOST_STATEMENTS && nesting <= MOST_NESTING,
                      "program %d: %d statements, nesting %d", which,
                      statements, nesting);
        ilex_text_free(ctx, source);
        ilex_module_free(m);
    }
}
END_TEST

START_TEST(units)
{
    size_t n = 0;
    long_sum(900);
    ilex_program *p = compile_with("cc");
    for (; ilex_program_source(p, n); n++)
        ck_assert_ptr_nonnull(strstr(ilex_program_source(p, n), "k"));
    ck_assert_uint_gt(ilex_program_kernel_count(p), 2);
    ilex_program_release(p);
    many_outputs(8, 120);
    p = compile_with("cc");
    for (n = 0; ilex_program_source(p, n); n++)
        ;
    ck_assert_uint_gt(n, 1);
    ck_assert_uint_le(n, ilex_program_kernel_count(p));
    ilex_program_release(p);
}
END_TEST

/* ---- values ---- */

enum { MOST_ARGUMENTS = 80 };

/* A dense storage for argument "i", the same numbers each time. */
static ilex_storage *
storage_for(const ilex_program *p, size_t i)
{
    static const ilex_size_binding sizes[] = {{"n", 5}, {"m", 6}};
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    ilex_argument_info a = ilex_program_argument(p, i);
    ck_assert_int_eq(ilex_program_extents(
                         p, i, sizes, ilex_program_size_count(p), lo, hi, NULL),
                     ILEX_OK);
    ilex_storage *s = ilex_storage_zeros(ctx, a.dtype, a.rank, hi);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *data = ilex_storage_data(s);
    for (int64_t k = 0; k < ilex_storage_count(s); k++)
        data[k] = (double)((k * 37 + (int64_t)i * 11) % 19 - 9) / 8.0;
    return s;
}

/* Runs the program with back end "jit"; the storages, owned by the caller. */
static size_t
run_with(const char *jit, ilex_storage **s)
{
    ilex_program *p = compile_with(jit);
    ilex_binding bound[MOST_ARGUMENTS];
    size_t n = ilex_program_argument_count(p);
    ck_assert_uint_le(n, MOST_ARGUMENTS);
    for (size_t i = 0; i < n; i++)
        bound[i] = (ilex_binding)ILEX_BIND(ilex_program_argument(p, i).name,
                                           s[i] = storage_for(p, i));
    run_program(p, bound, n);
    ilex_program_release(p);
    return n;
}

START_TEST(values)
{
    for (int which = 0; which < PROGRAMS; which++) {
        ilex_storage *want[MOST_ARGUMENTS], *got[MOST_ARGUMENTS];
        write_program(which);
        size_t n = run_with("reference", want);
        for (int jit = 0; jit < 2; jit++) {
            run_with(jit ? "cc" : "tcc", got);
            for (size_t i = 0; i < n; i++) {
                size_t bytes = (size_t)ilex_storage_count(want[i]) * 8;
                ck_assert_msg(!memcmp(ilex_storage_data(want[i]),
                                      ilex_storage_data(got[i]), bytes),
                              "program %d, %s, argument %zu", which,
                              jit ? "cc" : "tcc", i);
                ilex_storage_release(got[i]);
            }
        }
        for (size_t i = 0; i < n; i++)
            ilex_storage_release(want[i]);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("fission", limits, units, values);
}
