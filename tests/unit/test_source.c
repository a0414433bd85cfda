/* SPDX-License-Identifier: MIT
 *
 * Generated C in other hands: under compilers and flags that contract products
 * and sums unless the text forbids it, the bits stay those of Ilex; flags that
 * cannot be forbidden are refused.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "tests/unit/graph_fixture.h"

enum { N = 257 };

/* Products that feed sums: real, complex, in reductions. */
static const char text[] = "ilex 1\nprogram fused\nsize n\n"
                           "in x : f64[I:n]\nin y : f64[I:n]\nin z : f32[I:n]\n"
                           "let c = c128(0.3, -0.7)*x + c128(0.9, 0.2)*y\n"
                           "out a : f64[I:n] = x*y + x\n"
                           "out b : f32[I:n] = z*z - z*f32(0.3)\n"
                           "out p : f64[I:n] = real(c*c*c)\n"
                           "out s : f64[] = sum[I](x*y)\n";

static char script[64], directory[64];

/* A "compiler" that drops the flags of jit=cc and takes "flags" instead. */
static void
write_script(const char *compiler, const char *flags)
{
    snprintf(script, sizeof script, "%s/cc", directory);
    int fd = open(script, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    ck_assert_int_ge(fd, 0);
    dprintf(fd,
            "#!/bin/sh\nfor a\ndo\n    shift\n    case $a in\n"
            "    -std=*|-ffp-contract=off|-O3|-march=native|-fno-*) ;;\n"
            "    *) set -- \"$@\" \"$a\" ;;\n    esac\ndone\n"
            "exec %s %s \"$@\"\n",
            compiler, flags);
    close(fd);
}

static ilex_program *
compile_by(const char *jit)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_module *m = parse(text);
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

/* All outputs, one behind the other. */
static size_t
results(const ilex_program *p, unsigned char *to)
{
    ilex_storage *s[7];
    ilex_binding bound[7];
    static const char *const names[] = {"x", "y", "z", "a", "b", "p", "s"};
    static const ilex_dtype dtypes[] = {ILEX_F64, ILEX_F64, ILEX_F32, ILEX_F64,
                                        ILEX_F32, ILEX_F64, ILEX_F64};
    for (int i = 0; i < 7; i++) {
        s[i] = ilex_storage_zeros(ctx, dtypes[i], i < 6, SHAPE(N));
        bound[i] = (ilex_binding)ILEX_BIND(names[i], s[i]);
    }
    seed = 5;
    for (int i = 0; i < N; i++) {
        double *x = ilex_storage_data(s[0]), *y = ilex_storage_data(s[1]);
        float *z = ilex_storage_data(s[2]);
        x[i] = (double)draw(-1000000007, 1000000007) / 999983.0;
        y[i] = (double)draw(-1000000007, 1000000007) / 999979.0;
        z[i] = (float)draw(-1000003, 1000003) / 997.0f;
    }
    run_program(p, bound, 7);
    size_t n = 0;
    for (int i = 3; i < 7; i++) {
        size_t bytes =
            (size_t)ilex_storage_count(s[i]) * ilex_dtype_bytes(dtypes[i]);
        memcpy(to + n, ilex_storage_const_data(s[i]), bytes);
        n += bytes;
    }
    for (int i = 0; i < 7; i++)
        ilex_storage_release(s[i]);
    return n;
}

static const struct {
    const char *compiler, *flags, *word; /* what is said; NULL: it compiles */
} rows[] = {
    {"gcc", "-O2 -mfma", NULL},
    {"gcc", "-O3 -march=native -ffp-contract=fast", NULL},
    {"gcc", "-O2 -m32", "error"},
    {"gcc", "-O2 -ffast-math", "compile without -ffast-math"},
    {"gcc", "-O2 -mfpmath=387", "-mfpmath=387"},
    {"clang", "-O2 -mfma", NULL},
    {"clang", "-O3 -march=native", NULL},
    {"clang", "-O2 -ffast-math", "compile without -ffast-math"},
};

static bool
is_there(const char *compiler)
{
    char command[80];
    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    return system(command) == 0;
}

static const char *const jits[] = {"reference", "tcc", "cc"};

START_TEST(other_compilers)
{
    static unsigned char want[4 * N * 8], have[sizeof want];
    if (!is_there(rows[_i].compiler) || !__builtin_cpu_supports("fma"))
        return;
    ilex_program *reference = compile_by("reference");
    size_t n = results(reference, want);
    ilex_program_release(reference);
    strcpy(directory, "/tmp/ilex-source-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_script(rows[_i].compiler, rows[_i].flags);
    ilex_option_set(ctx, "cc", script);
    ilex_program *p = compile_by("cc");
    unlink(script);
    rmdir(directory);
    if (rows[_i].word) {
        ck_assert_ptr_null(p);
        ck_assert_msg(strstr(ilex_error_text(ctx), rows[_i].word) != NULL, "%s",
                      ilex_error_text(ctx));
        return;
    }
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_eq(results(p, have), n);
    ck_assert_msg(!memcmp(want, have, n), "%s %s changes bits",
                  rows[_i].compiler, rows[_i].flags);
    ilex_program_release(p);
}
END_TEST

/* The source of n doublings, as the system's compiler gets it. */
static const char *
doublings(int n, ix_compiled **c)
{
    enum { TEXT = 1 << 16 };
    ix_compile_request request = {.dialect = {[IX_DIALECT_cc] = true}};
    char *program = malloc(TEXT);
    ck_assert_ptr_nonnull(program);
    int at = sprintf(program, "ilex 1\nprogram d\nsize n\nin v0 : f64[n]\n");
    for (int i = 0; i < n; i++)
        at += sprintf(program + at, "let v%d = v%d + v%d\n", i + 1, i, i);
    sprintf(program + at, "out y : f64[n] = v%d\n", n);
    ilex_module *m = parse(program);
    free(program);
    *c = ix_compile(m, &request);
    ilex_module_free(m);
    ck_assert_msg(*c != NULL, "%s", ilex_error_text(ctx));
    return (*c)->source[IX_DIALECT_cc].unit[0];
}

/* What takes gcc too long in large functions is asked for in small ones. */
START_TEST(large_kernels)
{
    ix_compiled *c;
    ck_assert_ptr_nonnull(strstr(doublings(600, &c), "\"no-gcse\""));
    ix_compiled_free(c);
    ck_assert_ptr_null(strstr(doublings(400, &c), "no-gcse"));
    ix_compiled_free(c);
}
END_TEST

/* Index arithmetic that leaves 64 bits as a value: it wraps, so a compiler must
 * not conclude that 2^40*n has the sign of n, or is 0 for n = 0 alone. */
START_TEST(wide_factors)
{
    static const ilex_size_binding sizes[] = {{"n", 10 << 20}, {"m", 1 << 24}};
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jits[_i]), ILEX_OK);
    ilex_module *m = parse("ilex 1\nprogram wide\nsize n, m\n"
                           "map x[1] = signbit(1099511627776*n)\n"
                           "map y[1] = bool(1099511627776*m)\n"
                           "out a : bool[1] = x\nout b : bool[1] = y\n");
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    if (!p && take_error() == ILEX_E_UNSUPPORTED)
        return;
    ck_assert_ptr_nonnull(p);
    ilex_storage *a = ilex_storage_zeros(ctx, ILEX_BOOL, 1, SHAPE(1)),
                 *b = ilex_storage_zeros(ctx, ILEX_BOOL, 1, SHAPE(1));
    const ilex_binding bound[] = {ILEX_BIND("a", a), ILEX_BIND("b", b)};
    ilex_call call = {.size = sizeof call, .sizes = sizes, .size_count = 2};
    ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
    ck_assert_int_eq(*(const uint8_t *)ilex_storage_const_data(a), 1);
    ck_assert_int_eq(*(const uint8_t *)ilex_storage_const_data(b), 0);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("source");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_test(tests, large_kernels);
    tcase_add_loop_test(tests, other_compilers, 0, IX_COUNT(rows));
    tcase_add_loop_test(tests, wide_factors, 0, IX_COUNT(jits));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
