/* SPDX-License-Identifier: MIT
 *
 * Speed of compiled programs beside plain C: every kernel of kernels.def, at
 * every size, by plain C, by the cc back end with one thread and two, and by
 * the tcc back end, on the same arrays. Results are compared first. Then all
 * variants run in turn, round by round, so that what else the machine does
 * hits all of them; medians are reported, and their ratios to plain C.
 */
#include <ilex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_kernels.h"
#include "bench/bench_util.h"

enum { ARRAYS = 8, SIZES = 3, MOST_REPEATS = 1 << 20 };

typedef struct kernel {
    const char *name, *arguments;
    double tolerance;
    const char *program;
    void (*plain)(const int64_t *n, double *const *b);
} kernel;

static const kernel kernels[] = {
#define BENCH_KERNEL(name, arguments, tolerance, program)                      \
    {#name, arguments, tolerance, "ilex 1\nprogram " #name "\n" program,       \
     plain_##name},
#include "bench/kernels.def"
};

typedef struct size {
    const char *kernel, *label;
    int64_t value[SIZES];
} size;

static const size sizes[] = {
#define BENCH_SIZE(kernel, label, ...) {#kernel, label, {__VA_ARGS__}},
#include "bench/kernels.def"
};

/* How a kernel can be run; "jit" NULL is plain C. */
typedef struct variant {
    const char *name, *jit;
    int threads;
} variant;

static const variant variants[] = {{"C", NULL, 1},
                                   {"cc", "cc", 1},
                                   {"cc, 2 threads", "cc", 2},
                                   {"tcc", "tcc", 1}};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* One kernel at one size: its arrays and, for each variant, its program. */
typedef struct job {
    const kernel *k;
    const size *s;
    int arrays;
    ilex_binding binding[ARRAYS];
    double *base[ARRAYS];
    ilex_program *program[VARIANTS];
    int64_t repeats[VARIANTS];
    bench_samples samples[VARIANTS];
} job;

typedef struct settings {
    const char *names;
    int rounds;
    double least; /* seconds that one timing should take */
} settings;

/* ---- preparing ---- */

/* The kernel's program for a back end, NULL and a message on error. */
static ilex_program *
compile(const kernel *k, const char *jit)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *p = NULL;
    if (ctx) {
        ilex_option_set(ctx, "jit", jit);
        ilex_option_set(ctx, "reuse", "0");
        ilex_module *m = ilex_module_parse(ctx, k->program, k->name);
        p = m ? ilex_compile_module(m) : NULL;
        if (!p)
            fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_module_free(m);
    }
    ilex_context_free(ctx);
    return p;
}

/* Number of the program's argument called "name", -1 if there is none. */
static int
find_argument(const ilex_program *p, const char *name)
{
    for (size_t i = 0; i < ilex_program_argument_count(p); i++)
        if (strcmp(ilex_program_argument(p, i).name, name) == 0)
            return (int)i;
    return -1;
}

/* A storage that is just large enough for argument "name" of the program. */
static ilex_storage *
make_storage(const job *j, const ilex_program *p, const char *name)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    ilex_size_binding bound[SIZES];
    size_t count = ilex_program_size_count(p);
    int at = find_argument(p, name);
    for (size_t i = 0; i < count && i < SIZES; i++)
        bound[i] =
            (ilex_size_binding){ilex_program_size_name(p, i), j->s->value[i]};
    if (at < 0 || count > SIZES ||
        ilex_program_extents(p, (size_t)at, bound, count, lo, hi, halo) !=
            ILEX_OK)
        return NULL;

    ilex_argument_info info = ilex_program_argument(p, (size_t)at);
    char axes[256] = "";
    for (int k = 0; k < info.rank; k++) {
        hi[k] += halo[2 * k] + halo[2 * k + 1] - lo[k];
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%s",
                 k ? ", " : "", info.axis[k]);
    }
    int named = info.rank > 0 && *info.axis[0];
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = info.rank,
                              .shape = hi,
                              .halo = named ? halo : NULL,
                              .axes = named ? axes : NULL};
    return ilex_storage_new(NULL, &spec);
}

/* Makes the arrays that the kernel lists, filled with numbers. */
static int
make_arrays(job *j)
{
    char list[128], *rest = list;
    snprintf(list, sizeof list, "%s", j->k->arguments);
    while (*rest) {
        char *name = rest;
        rest += strcspn(rest, ",");
        if (*rest)
            *rest++ = '\0';
        ilex_storage *s = make_storage(j, j->program[1], name);
        if (!s)
            return 0;
        int at = find_argument(j->program[1], name);
        j->base[j->arrays] = ilex_storage_data(s);
        j->binding[j->arrays++] = (ilex_binding)ILEX_BIND(
            ilex_program_argument(j->program[1], (size_t)at).name, s);
        bench_fill(ilex_storage_data(s), ilex_storage_count(s),
                   (uint64_t)j->arrays);
    }
    return 1;
}

/* ---- running ---- */

/* Runs variant "v" once; 0 and a message when it fails. */
static int
run(const job *j, int v)
{
    ilex_call call = {.size = sizeof call, .threads = variants[v].threads};
    if (!j->program[v]) {
        j->k->plain(j->s->value, j->base);
        return 1;
    }
    if (ilex_run(j->program[v], j->binding, (size_t)j->arrays, &call) ==
        ILEX_OK)
        return 1;
    fprintf(stderr, "%s: %s\n", j->k->name, call.error);
    return 0;
}

/* Seconds of one run of variant "v", from "repeats" of them. */
static double
time_runs(const job *j, int v, int64_t repeats)
{
    double start = bench_now();
    for (int64_t i = 0; i < repeats; i++)
        run(j, v);
    return (bench_now() - start) / (double)repeats;
}

/* Runs every variant once and compares its output with that of plain C. */
static int
check_results(job *j)
{
    int last = j->arrays - 1, ok = 1;
    int64_t count = ilex_storage_count(j->binding[last].storage);
    double *out = j->base[last];
    double *right = malloc((size_t)count * sizeof *right);
    if (!right)
        return 0;
    run(j, 0);
    memcpy(right, out, (size_t)count * sizeof *right);
    for (int v = 1; v < VARIANTS && ok; v++) {
        memset(out, 0xff, (size_t)count * sizeof *out);
        ok = run(j, v);
        double difference = bench_difference(out, right, count);
        if (ok && difference > j->k->tolerance) {
            fprintf(stderr, "%s by %s differs from C by %g\n", j->k->name,
                    variants[v].name, difference);
            ok = 0;
        }
    }
    free(right);
    return ok;
}

/* Sets how often each variant runs in one timing. */
static void
choose_repeats(job *j, double least)
{
    for (int v = 0; v < VARIANTS; v++) {
        double once = time_runs(j, v, 1);
        double wanted = least / (once > 1e-7 ? once : 1e-7);
        j->repeats[v] = wanted < 1              ? 1
                        : wanted > MOST_REPEATS ? MOST_REPEATS
                                                : (int64_t)wanted;
    }
}

/* ---- reporting ---- */

static void
print_job(job *j)
{
    bench_summary plain = bench_summarize(&j->samples[0]);
    for (int v = 0; v < VARIANTS; v++) {
        bench_summary s = bench_summarize(&j->samples[v]);
        printf("%-10s %-12s %-14s %11.2f %11.2f %11.2f %7.2f %7.2f\n",
               j->k->name, j->s->label, variants[v].name, 1e6 * s.median,
               1e6 * s.low, 1e6 * s.high, s.median / plain.median,
               s.low / plain.low);
    }
    fflush(stdout);
}

/* Prepares, checks and times one kernel at one size; 0 on failure. */
static int
measure(job *j, const settings *set)
{
    for (int v = 1; v < VARIANTS; v++) {
        j->program[v] = compile(j->k, variants[v].jit);
        if (!j->program[v])
            return 0;
    }
    if (!make_arrays(j)) {
        fprintf(stderr, "%s: no storage\n", j->k->name);
        return 0;
    }
    if (!check_results(j))
        return 0;
    choose_repeats(j, set->least);
    for (int round = 0; round < set->rounds; round++)
        for (int v = 0; v < VARIANTS; v++)
            bench_add(&j->samples[v], time_runs(j, v, j->repeats[v]));
    print_job(j);
    return 1;
}

static void
free_job(job *j)
{
    for (int i = 0; i < j->arrays; i++)
        ilex_storage_release(j->binding[i].storage);
    for (int v = 0; v < VARIANTS; v++)
        ilex_program_release(j->program[v]);
    free(j);
}

static int
measure_size(const size *s, const settings *set)
{
    job *j = calloc(1, sizeof *j);
    if (!j)
        return 0;
    j->s = s;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, s->kernel) == 0)
            j->k = &kernels[i];
    int ok = measure(j, set);
    free_job(j);
    return ok;
}

/* ---- the command ---- */

/* Reads the options; 0 and the usage for one that does not exist. */
static int
read_options(int argc, char **argv, settings *set)
{
    *set = (settings){NULL, 15, 20e-3};
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (strcmp(argv[i], "-q") == 0) {
            set->rounds = 5;
            set->least = 2e-3;
        } else if (strcmp(argv[i], "-k") == 0 && more) {
            set->names = argv[++i];
        } else if (strcmp(argv[i], "-r") == 0 && more &&
                   atoi(argv[i + 1]) > 0) {
            set->rounds = atoi(argv[++i]);
        } else {
            fprintf(stderr, "usage: bench [-k NAME,...] [-r ROUNDS] [-q]\n");
            return 0;
        }
    }
    return 1;
}

int
main(int argc, char **argv)
{
    settings set;
    int failed = 0;
    if (!read_options(argc, argv, &set))
        return 2;
    printf("microseconds a run; ratios to plain C, one thread\n\n"
           "%-10s %-12s %-14s %11s %11s %11s %7s %7s\n",
           "kernel", "size", "by", "median", "low", "high", "medians", "lows");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (bench_listed(set.names, sizes[i].kernel))
            failed |= !measure_size(&sizes[i], &set);
    return failed;
}
