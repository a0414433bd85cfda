/* SPDX-License-Identifier: MIT
 *
 * What it costs to find a program in the disk cache: in new processes, from
 * source to code (key, directory, entry, checks, loading, all of it), and from
 * text to program.
 *
 *     bench/cached [-n PROCESSES] FILE.ilx ...
 *
 * The cache is a directory of its own. Linked with the shared library, as
 * users' programs are.
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

enum { MOST_TEXT = 1 << 16 };

/* What a child prints. */
typedef struct cost {
    double code, all; /* seconds: source to code; text to program */
    unsigned long kernels;
} cost;

/* Compiles a file by cc with the cache in "mode". */
static int
compile(const char *file, const char *directory, const char *mode, cost *c)
{
    static char text[MOST_TEXT];
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    double start = bench_now();
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_option_set(ctx, "jit", "cc");
    ilex_option_set(ctx, "cache", mode);
    ilex_option_set(ctx, "cache_dir", directory);
    ilex_module *m = n > 0 ? ilex_module_parse(ctx, text, file) : NULL;
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    c->all = bench_now() - start;
    if (!p) {
        fprintf(stderr, "%s: %s\n", file, ilex_error_text(ctx));
        return 0;
    }
    c->code = ilex_program_jit_seconds(p);
    c->kernels = (unsigned long)ilex_program_kernel_count(p);
    ilex_program_release(p);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return 1;
}

/* The same in a new process that must find it. */
static int
compile_in_child(char *file, char *directory, cost *c)
{
    char *argv[] = {(char[]){"cached"}, (char[]){"--child"}, directory, file,
                    NULL};
    char text[100] = "";
    int ends[2], status = 1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    int failed =
        posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        waitpid(pid, &status, 0);
    failed |= read(ends[0], text, sizeof text - 1) <= 0 || status != 0;
    close(ends[0]);
    return !failed &&
           sscanf(text, "%lf %lf %lu", &c->code, &c->all, &c->kernels) == 3;
}

static void
print(const char *what, bench_samples *s)
{
    bench_summary r = bench_summarize(s);
    printf("    %-17s %8.3f ms  (%.3f .. %.3f)\n", what, 1e3 * r.median,
           1e3 * r.low, 1e3 * r.high);
    s->count = 0;
}

static int
measure(char *file, char *directory, int times)
{
    static bench_samples code, all;
    cost c = {0, 0, 0};
    if (!compile(file, directory, "rw", &c))
        return 0;
    printf("%s: %lu kernels, by the compiler %.1f ms; found by %d processes\n",
           file, c.kernels, 1e3 * c.code, times);
    for (int i = 0; i < times; i++) {
        if (!compile_in_child(file, directory, &c))
            return 0;
        bench_add(&code, c.code);
        bench_add(&all, c.all);
    }
    print("source to code", &code);
    print("text to program", &all);
    return 1;
}

int
main(int argc, char **argv)
{
    char directory[] = "/tmp/ilex-cached-XXXXXX", command[80];
    int times = 201, first = 1, ok = 1;
    cost c;
    if (argc == 4 && strcmp(argv[1], "--child") == 0) {
        ok = compile(argv[3], argv[2], "must_hit", &c);
        printf("%.9f %.9f %lu\n", c.code, c.all, c.kernels);
        return !ok;
    }
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        times = atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || times < 1 || !mkdtemp(directory)) {
        fprintf(stderr, "usage: cached [-n PROCESSES] FILE.ilx ...\n");
        return 2;
    }
    printf("medians (lowest .. highest)\n");
    for (int i = first; ok && i < argc; i++)
        ok = measure(argv[i], directory, times);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command) != 0 || !ok;
}
