/* SPDX-License-Identifier: MIT
 *
 * How long one waits: for a first result in a new process, for lowering and
 * compiling one kernel with each back end, for a call on hardly any data, and
 * for compiling ever larger graphs. Medians of repeated measurements.
 *
 * The first result is measured from outside too: the program starts itself
 * with --child, which runs axpy once and prints how long it took.
 */
#define _GNU_SOURCE
#include <ilex.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/measure/bench_util.h"

extern char **environ;

enum { FIRST = 1000, TINY = 16 };

static const char axpy[] = "ilex 1\n"
                           "program axpy\n"
                           "size n\n"
                           "in a : f64\n"
                           "in x : f64[i:n]\n"
                           "in y : f64[i:n]\n"
                           "out z : f64[i:n] = a*x + y\n";

typedef struct kernel {
    const char *name, *program;
} kernel;

static const kernel kernels[] = {
    {"axpy", axpy},
#define BENCH_KERNEL(name, arguments, tolerance, program)                      \
    {#name, "ilex 1\nprogram " #name "\n" program},
#include "bench/kernels.def"
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static void
print(const char *what, const char *unit, double scale, bench_samples *s)
{
    bench_summary r = bench_summarize(s);
    printf("%-44s %9.3f %s  (%.3f .. %.3f, %zu times)\n", what,
           scale * r.median, unit, scale * r.low, scale * r.high, s->count);
    fflush(stdout);
    s->count = 0;
}

/* The program of a text for a back end, NULL and a message on error. */
static ilex_program *
compile(const char *text, const char *jit)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *p = NULL;
    if (ctx) {
        ilex_option_set(ctx, "jit", jit);
        ilex_option_set(ctx, "reuse", "0");
        ilex_module *m = ilex_module_parse(ctx, text, "bench");
        p = m ? ilex_compile_module(m) : NULL;
        if (!p)
            fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_module_free(m);
    }
    ilex_context_free(ctx);
    return p;
}

/* ---- first result, per call ---- */

/* Storages of axpy over "n" elements, in the order a, x, y, z. */
static int
bind_axpy(ilex_binding *args, int64_t n)
{
    static const char *const names[] = {"a", "x", "y", "z"};
    for (int i = 0; i < 4; i++) {
        ilex_storage_spec spec = {.size = sizeof spec,
                                  .rank = i > 0,
                                  .shape = &n,
                                  .axes = i > 0 ? "i" : NULL,
                                  .fill = &(double){2}};
        args[i] =
            (ilex_binding)ILEX_BIND(names[i], ilex_storage_new(NULL, &spec));
        if (!args[i].storage)
            return 0;
    }
    return 1;
}

static void
release_axpy(ilex_binding *args)
{
    for (int i = 0; i < 4; i++)
        ilex_storage_release(args[i].storage);
}

/* Compiles and runs axpy once; prints the seconds since "start". */
static int
first_result(const char *jit, double start)
{
    ilex_binding args[4] = {ILEX_BIND(NULL, NULL)};
    ilex_call call = {.size = sizeof call};
    ilex_program *p = compile(axpy, jit);
    if (!p || !bind_axpy(args, FIRST) || ilex_run(p, args, 4, &call) != ILEX_OK)
        return 1;
    double seconds = bench_now() - start;
    int right =
        ((const double *)ilex_storage_const_data(args[3].storage))[0] == 6;
    printf("%.9f\n", seconds);
    release_axpy(args);
    ilex_program_release(p);
    return !right;
}

/* Starts this program as a child that needs "jit"; its own seconds in
 * "inside", the seconds from before its start to after its end returned; 0
 * when it fails. */
static double
run_child(char *self, char *jit, double *inside)
{
    char *argv[] = {self, (char[]){"--child"}, jit, NULL}, text[64] = "";
    int ends[2], status = 1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    double start = bench_now();
    int failed =
        posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    close(ends[1]);
    if (!failed)
        waitpid(pid, &status, 0);
    double seconds = bench_now() - start;
    failed |= read(ends[0], text, sizeof text - 1) <= 0;
    close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    *inside = strtod(text, NULL);
    return failed || status != 0 ? 0 : seconds;
}

static int
measure_first(char *self, const char *backend, int times)
{
    static bench_samples outside, within;
    char jit[16], what[64];
    snprintf(jit, sizeof jit, "%s", backend);
    for (int i = 0; i < times; i++) {
        double inside, seconds = run_child(self, jit, &inside);
        if (seconds <= 0)
            return 0;
        bench_add(&outside, seconds);
        bench_add(&within, inside);
    }
    snprintf(what, sizeof what, "first axpy of %d, %s: process", FIRST, jit);
    print(what, "ms", 1e3, &outside);
    snprintf(what, sizeof what, "first axpy of %d, %s: main to result", FIRST,
             jit);
    print(what, "ms", 1e3, &within);
    return 1;
}

/* One call on TINY elements, from batches of 1000. */
static int
measure_call(const char *jit)
{
    static bench_samples samples;
    ilex_binding args[4] = {ILEX_BIND(NULL, NULL)};
    ilex_program *p = compile(axpy, jit);
    int ok = p && bind_axpy(args, TINY);
    for (int round = 0; ok && round < 101; round++) {
        ilex_call call = {.size = sizeof call};
        double start = bench_now();
        for (int i = 0; i < 1000 && ok; i++)
            ok = ilex_run(p, args, 4, &call) == ILEX_OK;
        bench_add(&samples, (bench_now() - start) / 1000);
    }
    char what[64];
    snprintf(what, sizeof what, "one call on %d elements, %s", TINY, jit);
    print(what, "us", 1e6, &samples);
    release_axpy(args);
    ilex_program_release(p);
    return ok;
}

/* ---- compiling ---- */

/* Lowering and compiling each kernel. */
static int
measure_compile(const char *jit, int times)
{
    static bench_samples lower, jitted;
    char what[64];
    for (int k = 0; k < KERNELS; k++) {
        for (int i = 0; i < times; i++) {
            ilex_program *p = compile(kernels[k].program, jit);
            if (!p)
                return 0;
            bench_add(&lower, ilex_program_lower_seconds(p));
            bench_add(&jitted, ilex_program_jit_seconds(p));
            ilex_program_release(p);
        }
        snprintf(what, sizeof what, "%s: graph to source", kernels[k].name);
        print(what, "ms", 1e3, &lower);
        snprintf(what, sizeof what, "%s: source to code, %s", kernels[k].name,
                 jit);
        print(what, "ms", 1e3, &jitted);
    }
    return 1;
}

/* A program with "n" operations on four inputs, each of which uses the one
 * before and an earlier one. Owned by the caller. */
static char *
make_graph(int n)
{
    static const char ops[] = "+-*";
    size_t room = 256 + 64 * (size_t)n;
    char *text = malloc(room);
    if (!text)
        return NULL;
    size_t at = (size_t)snprintf(text, room, "ilex 1\nprogram graph\nsize n\n");
    for (int i = 0; i < 4; i++)
        at += (size_t)snprintf(text + at, room - at, "in v%d : f64[i:n]\n", i);
    for (int i = 4; i < n + 4; i++) {
        int reach = i - 1 < 30 ? i - 1 : 30;
        int other = i - 2 - (int)((long)i * 7919 % reach);
        at += (size_t)snprintf(text + at, room - at, "let v%d = v%d %c v%d\n",
                               i, i - 1, ops[i % 3], other < 0 ? 0 : other);
    }
    snprintf(text + at, room - at, "out r : f64[i:n] = v%d\n", n + 3);
    return text;
}

/* Time against the number of operations of a graph. */
static int
measure_graphs(const char *jit, int most)
{
    static bench_samples total, lower, jitted;
    for (int n = 8; n <= most; n *= 8) {
        char *text = make_graph(n), what[64];
        size_t kernel_count = 0;
        for (int i = 0; text && i < (n < 4096 ? 7 : 1); i++) {
            double start = bench_now();
            ilex_program *p = compile(text, jit);
            if (!p)
                break;
            bench_add(&total, bench_now() - start);
            bench_add(&lower, ilex_program_lower_seconds(p));
            bench_add(&jitted, ilex_program_jit_seconds(p));
            kernel_count = ilex_program_kernel_count(p);
            ilex_program_release(p);
        }
        free(text);
        if (!total.count)
            return 0;
        snprintf(what, sizeof what, "%d operations: all (%zu kernels)", n,
                 kernel_count);
        print(what, "ms", 1e3, &total);
        snprintf(what, sizeof what, "%d operations: graph to source", n);
        print(what, "ms", 1e3, &lower);
        snprintf(what, sizeof what, "%d operations: source to code, %s", n,
                 jit);
        print(what, "ms", 1e3, &jitted);
    }
    return 1;
}

int
main(int argc, char **argv)
{
    double start = bench_now();
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return first_result(argv[2], start);
    int quick = argc == 2 && strcmp(argv[1], "-q") == 0;
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: latency [-q]\n");
        return 2;
    }
    printf("medians (lowest .. highest)\n\n");
    int ok = measure_first(argv[0], "tcc", quick ? 9 : 51) &&
             measure_first(argv[0], "reference", quick ? 9 : 51) &&
             measure_first(argv[0], "cc", quick ? 3 : 9) &&
             measure_call("tcc") && measure_call("cc") &&
             measure_call("reference") &&
             measure_compile("tcc", quick ? 21 : 201) &&
             measure_compile("cc", quick ? 3 : 7) &&
             measure_graphs("tcc", quick ? 512 : 32768) &&
             measure_graphs("cc", quick ? 8 : 64);
    return !ok;
}
