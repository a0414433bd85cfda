/* SPDX-License-Identifier: MIT
 *
 * Kernels that share a function: how many functions there are, and that every
 * back end computes the same with them.
 */
#include "runtime/program/program.h"
#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

enum { N = 150, M = 117, MOST_ARGUMENTS = 100, MANY = 40, TEXT = 1 << 14 };

/* ---- programs on a back end ---- */

static ilex_program *
compile_for(const char *jit, const char *text)
{
    bool cuda = !strcmp(jit, "cuda");
    ck_assert_int_eq(ilex_option_set(ctx, "jit", cuda ? "cc" : jit), ILEX_OK);
    ilex_module *m = parse(text);
    ilex_program *p =
        cuda ? cuda_shim_compile(m, NULL) : ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s: %s", jit, ilex_error_text(ctx));
    ilex_module_free(m);
    return p;
}

/* Functions in the source, counted by their bodies. */
static int
count_functions(const ilex_program *p)
{
    const ix_sources *s = &p->c->source[p->backend->dialect];
    int count = 0;
    for (size_t i = 0; i < s->nunits; i++)
        for (const char *t = s->unit[i]; (t = strstr(t, "_body(const")); t += 6)
            count++;
    return count;
}

/* A storage for argument "i"; inputs hold numbers of their own, small ones so
 * that sums are exact. */
static ilex_storage *
argument(const ilex_program *p, size_t i)
{
    const ix_compiled *c = p->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    int64_t *size = calloc(c->nsizes + 1, sizeof *size), shape[2], lo, hi;
    ck_assert_ptr_nonnull(size);
    for (size_t k = 0; k < c->nsizes; k++)
        size[k] = *c->size[k].name == 'n' ? N : M;
    for (int k = 0; k < b->rank; k++) {
        ck_assert(ix_range_eval(&b->interior[k], size, &lo, &hi));
        shape[k] = hi - lo;
    }
    free(size);
    ilex_storage *s = ilex_storage_zeros(ctx, b->dtype, b->rank, shape);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *x = ilex_storage_data(s);
    for (int64_t k = 0;
         b->role == IX_COMPILED_INPUT && k < ilex_storage_count(s); k++)
        x[k] = (double)((k * 7 + (int64_t)i * 13) % 101 - 50);
    return s;
}

/* Runs; the bytes of all outputs, to be freed. */
static char *
results(const ilex_program *p, size_t *bytes)
{
    ilex_storage *s[MOST_ARGUMENTS];
    ilex_binding bound[MOST_ARGUMENTS] = {{0}};
    size_t n = p->c->narguments;
    ck_assert_uint_le(n, MOST_ARGUMENTS);
    char *all = NULL;
    *bytes = 0;
    for (size_t i = 0; i < n; i++) {
        s[i] = argument(p, i);
        bound[i] = (ilex_binding)ILEX_BIND(p->c->buffer[i].name, s[i]);
    }
    run_program(p, bound, n);
    for (size_t i = 0; i < n; i++) {
        size_t more = (size_t)ilex_storage_count(s[i]) * sizeof(double);
        if (p->c->buffer[i].role == IX_COMPILED_OUTPUT) {
            all = realloc(all, *bytes + more + 1);
            ck_assert_ptr_nonnull(all);
            memcpy(all + *bytes, ilex_storage_const_data(s[i]), more);
            *bytes += more;
        }
        ilex_storage_release(s[i]);
    }
    return all;
}

/* The program has as many functions on every back end and gives the numbers of
 * the reference. */
static void
expect(const char *text, int functions)
{
    static const char *const jits[] = {"reference", "tcc", "cc", "cuda"};
    char *want = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < IX_COUNT(jits); i++) {
        if (!strcmp(jits[i], "tcc") && !ix_jit_tcc_available())
            continue;
        ilex_program *p = compile_for(jits[i], text);
        size_t n;
        char *have = results(p, &n);
        if (i > 0) {
            int count = count_functions(p);
            ck_assert_msg(count == functions,
                          "%s: %d functions, not %d: %.2000s", jits[i], count,
                          functions, text);
            ck_assert_uint_eq(n, bytes);
            ck_assert_msg(!memcmp(have, want, n), "%s: other results: %.2000s",
                          jits[i], text);
            free(have);
        } else {
            want = have;
            bytes = n;
        }
        ilex_program_release(p);
    }
    free(want);
}

/* ---- what is shared ---- */

/* Stencils that differ in buffers, in bounds and in two offsets. */
START_TEST(many_become_one)
{
    char *text = malloc(TEXT);
    ck_assert_ptr_nonnull(text);
    int n = snprintf(text, TEXT,
                     "ilex 1\nprogram many\nsize n, m\n"
                     "assume n >= 100 && m >= 100\n");
    for (int i = 0; i < MANY; i++)
        n += snprintf(text + n, TEXT - (size_t)n, "in x%d : f64[n, m]\n", i);
    for (int i = 0; i < MANY; i++)
        n += snprintf(text + n, TEXT - (size_t)n,
                      "map t%d[n - %d, m - %d] = x%d[_0 + %d, _1 + 1] + "
                      "2.0*x%d[_0 + %d, _1 + %d]\n"
                      "out y%d : f64[n - %d, m - %d] = t%d\n",
                      i, i + 3, i % 7 + 3, i, i, i, i + 2, i % 7, i, i + 3,
                      i % 7 + 3, i);
    ck_assert_int_lt(n, TEXT);
    expect(text, 1);
    free(text);
}
END_TEST

/* Sums that stay one kernel each. */
#define SUMS                                                                   \
    "map s[2] = sum[k:n](x[k])\nmap t[2] = sum[k:m](y[k])\n"                   \
    "out a : f64[2] = s\nout b : f64[2] = t\n"
#define X8 "x[_0]*x[_0]*x[_0]*x[_0]*x[_0]*x[_0]*x[_0]*x[_0]"
#define Y8 "y[_0]*y[_0]*y[_0]*y[_0]*y[_0]*y[_0]*y[_0]*y[_0]"
#define X56 X8 "*" X8 "*" X8 "*" X8 "*" X8 "*" X8 "*" X8
#define Y56 Y8 "*" Y8 "*" Y8 "*" Y8 "*" Y8 "*" Y8 "*" Y8
#define HEAD "ilex 1\nprogram some\nsize n, m\nassume n >= 100 && m >= 100\n"
#define HEAD_N "ilex 1\nprogram some\nsize n\nassume n >= 100\n"
#define TWO "in x : f64[n]\nin y : f64[m]\n"

START_TEST(shared)
{
    static const char *const texts[] = {
        /* sizes */
        HEAD TWO SUMS,
        /* constants beside the range of the kernel, which pieces have, on a
           device those that save much */
        HEAD TWO "map s[n] = where(_0 < 13, x[_0], " X56 ")\n"
                 "map t[m] = where(_0 < 70, y[_0], " Y56 ")\n"
                 "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* scalars, which CUDA gets by value */
        HEAD TWO "in p : f64\nin q : f64\n"
                 "map s[n] = x[_0]*p + 1.5\nmap t[m] = y[_0]*q + 1.5\n"
                 "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* lengths of loops that are numbers but not short: 96 + 4, 128 + 4 */
        HEAD "in x : f64[100]\nin y : f64[132]\n"
             "map s[n] = sum[i:100](x[i]*2.0)\nmap t[m] = "
             "sum[i:132](y[i]*2.0)\n"
             "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* negative factors, an index as a value */
        HEAD TWO "map s[n - 2] = x[n - 1 - _0] + f64(_0 + 3)\n"
                 "map t[m - 7] = y[m - 4 - _0] + f64(_0 + 9)\n"
                 "out a : f64[n - 2] = s\nout b : f64[m - 7] = t\n",
        /* constants that differ by the same amount in the last kernel alone */
        HEAD_N "in x : f64[n]\nin y : f64[n]\n"
               "map s[n - 3] = x[_0] - y[_0 + 1]\n"
               "map t[n - 4] = x[_0 + 1] - y[_0 + 1]\n"
               "map u[n - 5] = x[_0 + 2] - y[_0 + 3]\n"
               "out a : f64[n - 3] = s\nout b : f64[n - 4] = t\n"
               "out c : f64[n - 5] = u\n",
        /* three kernels, of which two have the same constants */
        HEAD "in x : f64[n, m]\n"
             "map s[n - 3, m] = x[_0 + 2, _1] - x[_0, _1]\n"
             "map t[n - 4, m] = x[_0 + 3, _1] - x[_0 + 1, _1]\n"
             "map u[n - 5, m] = x[_0 + 3, _1] - x[_0 + 1, _1]\n"
             "out a : f64[n - 3, m] = s\nout b : f64[n - 4, m] = t\n"
             "out c : f64[n - 5, m] = u\n"};
    expect(texts[_i], 1);
}
END_TEST

START_TEST(kept_apart)
{
    static const char *const texts[] = {
        /* one buffer for two */
        HEAD TWO "in z : f64[n]\n"
                 "map s[n - 1] = x[_0]*z[_0 + 1]\n"
                 "map t[m - 1] = y[_0]*y[_0 + 1]\n"
                 "out a : f64[n - 1] = s\nout b : f64[m - 1] = t\n",
        /* other numbers */
        HEAD TWO "map s[n] = x[_0]*1.5\nmap t[m] = y[_0]*2.5\n"
                 "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* short loops */
        HEAD "in x : f64[n, 30]\nin y : f64[m, 31]\n"
             "map s[n] = max[i:30](x[_0, i])\nmap t[m] = max[i:31](y[_0, i])\n"
             "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* other factors of an index */
        HEAD "in x : f64[3*n]\nin y : f64[3*m]\n"
             "map s[n] = x[2*_0]\nmap t[m] = y[3*_0]\n"
             "out a : f64[n] = s\nout b : f64[m] = t\n",
        /* more offsets than are worth it */
        HEAD TWO
        "map s[n - 90] = x[_0] + x[_0 + 1] + x[_0 + 2] + x[_0 + 3] + "
        "x[_0 + 4] + x[_0 + 5] + x[_0 + 6] + x[_0 + 7] + x[_0 + 8]\n"
        "map t[m - 90] = y[_0 + 1] + y[_0 + 3] + y[_0 + 5] + y[_0 + 7] + "
        "y[_0 + 9] + y[_0 + 11] + y[_0 + 13] + y[_0 + 15] + y[_0 + 17]\n"
        "out a : f64[n - 90] = s\nout b : f64[m - 90] = t\n"};
    expect(texts[_i], 2);
}
END_TEST

/* Many kernels that differ in literals. "format" has the body of a kernel with
 * seven numbers: three of its own; two and one that differ in the last kernel
 * alone, where they are equal; its first one again. */
static void
expect_literals(const char *format, int functions)
{
    char *text = malloc(TEXT);
    ck_assert_ptr_nonnull(text);
    int n = snprintf(text, TEXT, HEAD_N "in x : f64[n]\n");
    for (int i = 0; i < MANY; i++) {
        double own = i + 3.25, last = i + 1 == MANY;
        n += snprintf(text + n, TEXT - (size_t)n, "map t%d[n - %d] = ", i, i);
        n += snprintf(text + n, TEXT - (size_t)n, format, own, own + 100, own,
                      last + 5.5, last + 5.5, 7.5 - last, own);
        n += snprintf(text + n, TEXT - (size_t)n,
                      "\nout y%d : f64[n - %d] = t%d\n", i, i, i);
    }
    ck_assert_int_lt(n, TEXT);
    expect(text, functions);
    free(text);
}

/* Where there are so many that a compiler would need long for them. */
START_TEST(literals)
{
    expect_literals("where(x[_0] < %.2f, x[_0]/%.2f, maximum(x[_0], %.2f)) + "
                    "abs(x[_0] - %.2f)*(%.2f - x[_0]*x[_0]) + "
                    "x[_0]*%.2f + f64(f32(x[_0])*%.2f)",
                    1);
}
END_TEST

/* Not those with which a compiler does something else: 1/4 and its like as a
 * factor instead of a divisor; not what a function is called with. */
START_TEST(literals_kept)
{
    static const char *const formats[] = {
        "where(x[_0] < %.2f, x[_0], maximum(x[_0], %.2f)) + "
        "abs(x[_0] - %.2f)*(%.2f - x[_0]*x[_0]) + x[_0]/(%.2f - 1.5) + %.2f",
        "where(x[_0] < %.2f, x[_0], maximum(x[_0], %.2f)) + "
        "abs(x[_0] - %.2f)*(%.2f - x[_0]*x[_0]) + x[_0]*%.2f + "
        "copysign(x[_0], 6.0 - %.2f)"};
    expect_literals(formats[_i], 2);
}
END_TEST

/* The last stride of a temporary is known to be 1, that of an output is not.
 * One function for both has to ask. */
START_TEST(dense_for_one)
{
    ix_compile_request request = {.dialect = {[IX_DIALECT_cc] = true}};
    ilex_option_set(ctx, "target", "generic"); /* no streams */
    ilex_module *m = parse(
        HEAD TWO "map t[n] = exp(sin(x[_0]))*1.5\n"
                 "map s[m] = exp(sin(y[_0]))*1.5\n"
                 "map r[n - 9] = t[_0] + t[_0 + 1] + t[_0 + 2] + t[_0 + 3] + "
                 "t[_0 + 4] + t[_0 + 5] + t[_0 + 6] + t[_0 + 7] + t[_0 + 8]\n"
                 "out a : f64[n - 9] = r\nout b : f64[m] = s\n");
    ix_compiled *c = ix_compile(m, &request);
    ck_assert_msg(c != NULL, "%s", ilex_error_text(ctx));
    const ix_sources *source = &c->source[IX_DIALECT_cc];
    bool together = false;
    for (size_t i = 0; i < c->nkernels; i++) {
        int buffer = c->kernel[i].written[0];
        together |= c->buffer[buffer].role == IX_COMPILED_OUTPUT &&
                    source->layout[i].function == 0;
    }
    ck_assert_int_eq(c->buffer[c->kernel[0].written[0]].role, IX_COMPILED_TEMP);
    ck_assert(together);
    const char *other = strstr(source->unit[0], "k1_body");
    const char *known = strstr(source->unit[0], " = 1;");
    ck_assert_ptr_nonnull(known); /* where the temporary is read */
    ck_assert(!other || known > other);
    ix_compiled_free(c);
    ilex_module_free(m);
}
END_TEST

/* ---- several targets ---- */

static ix_compiled *
compile_sources(ilex_module *m, bool cc, bool cuda)
{
    ix_compile_request request = {.names = true};
    request.dialect[IX_DIALECT_cc] = cc;
    request.dialect[IX_DIALECT_cuda] = cuda;
    ix_compiled *c = ix_compile(m, &request);
    ck_assert_msg(c != NULL, "%s", ilex_error_text(ctx));
    return c;
}

/* A program for several targets: what is shared for one is no fact for the
 * next. */
START_TEST(several_targets)
{
    ilex_module *m = parse(HEAD TWO SUMS);
    ix_compiled *c = compile_sources(m, true, true);
    for (int d = IX_DIALECT_cc; d <= IX_DIALECT_cuda; d++) {
        ck_assert_int_eq(c->source[d].layout[0].function, 0);
        ck_assert_int_eq(c->source[d].layout[1].function, 0);
        ck_assert_ptr_nonnull(strstr(c->source[d].unit[0],
                                     "/* k0 computes a on [2] */\n"
                                     "/* k1 computes b on [2], the same way "
                                     "*/\n"));
    }
    ix_compiled_free(c);
    ilex_module_free(m);
}
END_TEST

/* Nothing that was done for one target is left for the next: its source is
 * that of a program for it alone. The scan's temporary is a thread's own on a
 * CPU, and has the axes of its nests again on a GPU. */
START_TEST(second_target)
{
    static const char *const texts[] = {
        HEAD TWO SUMS,
        "ilex 1\nprogram some\nsize n, m, l\nassume l >= 1\n"
        "in a : f64[i:n, j:m, k:l]\n"
        "scan k forward c[i:n, j:m, k:l] : f64 = "
        "a[i, j, k]/(a[i, j, k] - where(k == 0, 3.0, c[i, j, k-1]))\n"
        "scan k backward x[i:n, j:m, k:l] : f64 = "
        "c[i, j, k] - where(k == l-1, 0.0, c[i, j, k]*x[i, j, k+1])\n"
        "out y = x\n"};
    for (size_t i = 0; i < IX_COUNT(texts); i++) {
        ilex_module *m = parse(texts[i]);
        ix_compiled *both = compile_sources(m, true, true);
        ix_compiled *alone = compile_sources(m, false, true);
        ck_assert_msg(!strcmp(both->source[IX_DIALECT_cuda].unit[0],
                              alone->source[IX_DIALECT_cuda].unit[0]),
                      "program %zu", i);
        ix_compiled_free(both);
        ix_compiled_free(alone);
        ilex_module_free(m);
    }
}
END_TEST

/* ---- what verify says ---- */

START_TEST(broken_arguments)
{
    ix_unit u;
    run_passes(&u,
               parse(HEAD TWO
                     "in z : f32[m]\n" SUMS
                     "map w[1] = max[k:m](z[k])\nout c : f32[1] = w\n"),
               "share");
    ix_kernel *k = u.kernels->next;
    ck_assert_ptr_eq(k->like, u.kernels);
    ck_assert_ptr_null(k->body);
    for (int i = 0; i < 3; i++) {
        int *buffer = &k->buffers.item[0], before = *buffer;
        size_t *count = i == 1 ? &k->sizes.count : &k->buffers.count;
        if (i == 0)
            *buffer = 2; /* f32 */
        else
            --*count;
        ck_assert(!ix_verify_unit(&u, "share"));
        ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "other arguments"));
        ck_assert_int_eq(take_error(), ILEX_E_INTERNAL);
        *buffer = before;
        *count += i > 0;
    }
    ck_assert(ix_verify_unit(&u, "share"));
    k->body = u.kernels->body;
    ck_assert(!ix_verify_unit(&u, "share"));
    ck_assert_int_eq(take_error(), ILEX_E_INTERNAL);
    free_unit(&u);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("share");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, many_become_one);
    tcase_add_loop_test(tests, shared, 0, 7);
    tcase_add_loop_test(tests, kept_apart, 0, 5);
    tcase_add_test(tests, literals);
    tcase_add_loop_test(tests, literals_kept, 0, 2);
    tcase_add_test(tests, dense_for_one);
    tcase_add_test(tests, several_targets);
    tcase_add_test(tests, second_target);
    tcase_add_test(tests, broken_arguments);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
