/* SPDX-License-Identifier: MIT
 *
 * Small stacks: programs that are far longer than a thread's stack is deep are
 * parsed, printed, compiled and run on one of 64 kB, by all back ends, with the
 * same bits. (jit=nvrtc where there is a device, or what stands for one.)
 */
#include <check.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilex/program.h"
#include "tests/suite.h"

enum { STACK = 64 * 1024 * (SANITIZED ? 16 : 1), POINTS = 5 };

static const char *const back_ends[] = {"reference", "tcc", "cc", "nvrtc"};

/* ---- programs ---- */

static char *text;
static size_t length;

static void
put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += (size_t)vsprintf(text + length, format, args);
    va_end(args);
}

/* A chain of lets, each an array. */
static void
lets(int count)
{
    put("let t0 = x\n");
    for (int i = 1; i < count; i++)
        put("let t%d = t%d*0.5 + x\n", i, i - 1);
    put("out y : f64[I:n] = t%d\n", count - 1);
}

/* One body, as deep as it may be. */
static void
body(int count)
{
    put("map t[I:n] = x[I]");
    for (int i = 1; i < count; i++)
        put(" + x[I]*%d", i);
    put("\nout y : f64[I:n] = t\n");
}

/* One condition, as long as it may be. */
static void
condition(int count)
{
    put("map t[I:n] = where(I != 0");
    for (int i = 1; i < count; i++)
        put(" && I != %d", 2 * i);
    put(", x[I]/I, 0.0)\nout y : f64[I:n] = t\n");
}

/* Values of lets that are indices: operations without a load. */
static void
indices(int count)
{
    put("let t0 = 1*index(I)\n");
    for (int i = 1; i < count; i++)
        put("let t%d = t%d*index(I) + index(I)\n", i, i - 1);
    put("out y : f64[I:n] = x + f64(t%d)\n", count - 1);
}

/* Text that nests as deep as it may. */
static void
brackets(int count)
{
    put("out y : f64[I:n] = ");
    for (int i = 0; i < count; i++)
        put("(");
    put("x");
    for (int i = 0; i < count; i++)
        put("*0.5 + x)");
    put("\n");
}

/* Index arithmetic that nests. */
static void
minima(int count)
{
    put("assume n >= 1\nmap t[I:n] = x[I] + x[");
    for (int i = 0; i < count; i++)
        put("min(n-1, max(%d, ", -i);
    put("I");
    for (int i = 0; i < count; i++)
        put(" - 1)) + 1");
    put(" - 1]\nout y : f64[I:n] = t\n");
}

/* Reads that are guarded inside guards. */
static void
reads(int count)
{
    put("map t[I:n] = ");
    for (int i = 1; i < count; i++)
        put("where(I != %d, where(I > 0, x[I-1], x[I]), ", 2 * i);
    put("x[I]");
    for (int i = 1; i < count; i++)
        put(")");
    put("\nout y : f64[I:n] = t\n");
}

/* Guards inside guards. */
static void
guards(int count)
{
    put("let t0 = x\n");
    for (int i = 1; i < count; i++)
        put("let t%d = where(index(I) > %d, t%d, x*%d)\n", i, i % 7, i - 1, i);
    put("out y : f64[I:n] = t%d\n", count - 1);
}

static const struct row {
    const char *name;
    void (*write)(int count);
    int count;
} rows[] = {
    {"lets", lets, 100000},        {"body", body, 990},
    {"condition", condition, 990}, {"indices", indices, 490},
    {"guards", guards, 3000},      {"brackets", brackets, 250},
    {"minima", minima, 120},       {"reads", reads, 250},
};

static void
write_text(const struct row *r)
{
    text = malloc((size_t)r->count * 64 + 1000);
    ck_assert_ptr_nonnull(text);
    length = 0;
    put("ilex 1\nprogram deep\nsize n\nin x : f64[I:n]\n");
    r->write(r->count);
}

/* ---- what is done with them ---- */

static ilex_storage *
field(ilex_context *ctx, bool device)
{
    double fill = 0.75;
    int64_t shape = POINTS;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 1,
                              .shape = &shape,
                              .axes = "I",
                              .fill = &fill,
                              .device = device ? "cuda" : NULL};
    return ilex_storage_new(ctx, &spec);
}

typedef struct result {
    const char *jit;
    double value[POINTS];
    bool ran, absent;
    char error[1024];
} result;

static bool
run(ilex_context *ctx, ilex_program *p, result *r)
{
    bool device = !strcmp(r->jit, "nvrtc"), ok = p != NULL;
    ilex_storage *x = field(ctx, device), *y = field(ctx, device);
    const ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_call call = {.size = sizeof call};
    r->absent = device && (!x || !y);
    if (ok && x && y) {
        ok = ilex_run(p, bound, 2, &call) == ILEX_OK;
        snprintf(r->error, sizeof r->error, "%s", call.error);
        for (int64_t i = 0; ok && i < POINTS; i++)
            ok = ilex_storage_get_f64(y, &i, &r->value[i]) == ILEX_OK;
    }
    ilex_storage_release(x);
    ilex_storage_release(y);
    return ok;
}

static void *
work(void *user)
{
    result *r = user;
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_option_set(ctx, "jit", r->jit);
    ilex_option_set(ctx, "cache", "off");
    ilex_module *m = ilex_module_parse(ctx, text, "deep.ilx");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    r->ran = run(ctx, p, r);
    r->absent |= ilex_error_code(ctx) == ILEX_E_UNSUPPORTED; /* not built in */
    if (ilex_error_code(ctx))
        snprintf(r->error, sizeof r->error, "%s", ilex_error_text(ctx));
    ilex_program_release(p);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return NULL;
}

static void
on_small_stack(void *(*fn)(void *), void *user)
{
    pthread_t thread;
    pthread_attr_t attr;
    ck_assert_int_eq(pthread_attr_init(&attr), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attr, fn, user), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

START_TEST(runs)
{
    result first = {0};
    write_text(&rows[_i]);
    for (size_t b = 0; b < sizeof back_ends / sizeof *back_ends; b++) {
        result r = {.jit = back_ends[b]};
        on_small_stack(work, &r);
        if (r.absent)
            continue;
        ck_assert_msg(r.ran, "%s, jit=%s: %s", rows[_i].name, r.jit, r.error);
        first = b == 0 ? r : first;
        ck_assert_msg(!memcmp(r.value, first.value, sizeof r.value),
                      "%s: jit=%s and jit=%s differ", rows[_i].name, r.jit,
                      first.jit);
    }
    free(text);
}
END_TEST

/* ---- text that is written ---- */

static bool
take(ilex_context *ctx, char *made)
{
    ilex_text_free(ctx, made);
    return made != NULL;
}

static void *
show(void *user)
{
    static const char *const stages[] = {"verify", "explain"};
    static const char *const dialects[] = {"c", "cuda"};
    result *r = user;
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *m = ilex_module_parse(ctx, text, "deep.ilx");
    r->ran = m && take(ctx, ilex_text_fmt(ctx, text, "deep.ilx")) &&
             take(ctx, ilex_module_print(m)) && take(ctx, ilex_module_dot(m));
    for (int i = 0; i < 2 && r->ran; i++)
        r->ran = take(ctx, ilex_module_stage(m, stages[i])) &&
                 take(ctx, ilex_module_emit(m, dialects[i]));
    snprintf(r->error, sizeof r->error, "%s", ilex_error_text(ctx));
    ilex_module_free(m);
    ilex_context_free(ctx);
    return NULL;
}

START_TEST(texts)
{
    result r = {0};
    write_text(&rows[_i]);
    on_small_stack(show, &r);
    ck_assert_msg(r.ran, "%s: %s", rows[_i].name, r.error);
    free(text);
}
END_TEST

int
main(void)
{
    int n = (int)(sizeof rows / sizeof *rows);
    Suite *suite = suite_create("stack");
    TCase *tests = tcase_create("small");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, runs, 0, n);
    tcase_add_loop_test(tests, texts, 0, n);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
