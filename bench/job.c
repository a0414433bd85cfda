/* SPDX-License-Identifier: MIT
 *
 * See job.h. Results are compared first. Then all variants run in turn, round
 * by round, so that what else the machine does hits all of them; the ratios to
 * plain C are those of one round.
 */
#include "bench/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_kernels.h"

enum { MOST_REPEATS = 1 << 20 };

static const bench_kernel kernels[] = {
#define BENCH_KERNEL(name, arguments, tolerance, program)                      \
    {#name, arguments, tolerance, "ilex 1\nprogram " #name "\n" program,       \
     plain_##name},
#include "bench/kernels.def"
};

const bench_size bench_sizes[] = {
#define BENCH_SIZE(kernel, label, ...) {#kernel, label, {__VA_ARGS__}},
#include "bench/kernels.def"
};
const size_t bench_size_count = sizeof bench_sizes / sizeof *bench_sizes;

const bench_variant bench_variants[VARIANTS] = {
    {"C", NULL, 1},   {"default", NULL, 1}, {"default", NULL, 0},
    {"cc", "cc", 1},  {"cc", "cc", 0},      {"tcc", "tcc", 1},
    {"tcc", "tcc", 0}};

/* The variant whose program shapes the arrays: the default can always run. */
enum { PLAIN, SHAPED };

/* Seconds that the compiler in the background may take. */
static const double patience = 120;

/* ---- preparing ---- */

/* Sets the options of a variant; 0 if the build lacks its back end. */
static int
set_options(ilex_context *ctx, const bench_variant *v)
{
    return (!v->jit || ilex_option_set(ctx, "jit", v->jit) == ILEX_OK) &&
           ilex_option_set(ctx, "threads", v->threads == 0 ? "auto" : "1") ==
               ILEX_OK &&
           ilex_option_set(ctx, "reuse", "0") == ILEX_OK;
}

/* The kernel's program for a variant, on the best code of its options; NULL
 * and a message if there is none. */
static ilex_program *
compile(const bench_kernel *k, const bench_variant *v)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *p = NULL;
    if (ctx && set_options(ctx, v)) {
        ilex_module *m = ilex_module_parse(ctx, k->program, k->name);
        p = m ? ilex_compile_module(m) : NULL;
        ilex_module_free(m);
    }
    if (!p)
        fprintf(stderr, "%s by %s: %s\n", k->name, v->name,
                ctx ? ilex_error_text(ctx) : "no memory");
    else if (ilex_program_wait(p, patience) != ILEX_OK)
        fprintf(stderr, "%s by %s stays with %s: %s\n", k->name, v->name,
                ilex_program_backend(p), ilex_program_note(p));
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

/* The sizes by their names; how many. */
static size_t
bind_sizes(const bench_job *j, ilex_size_binding *bound)
{
    const ilex_program *p = j->program[SHAPED];
    size_t count = ilex_program_size_count(p);
    for (size_t i = 0; i < count && i < SIZES; i++)
        bound[i] = (ilex_size_binding){ilex_program_size_name(p, i),
                                       j->size->value[i]};
    return count < SIZES ? count : SIZES;
}

/* A storage that is just large enough for argument "at" of the program. */
static ilex_storage *
make_storage(const bench_job *j, size_t at)
{
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    const ilex_program *p = j->program[SHAPED];
    ilex_size_binding bound[SIZES];
    size_t count = bind_sizes(j, bound);
    if (ilex_program_extents(p, at, bound, count, lo, hi, halo) != ILEX_OK)
        return NULL;

    ilex_argument_info info = ilex_program_argument(p, at);
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
make_arrays(bench_job *j)
{
    char list[128], *rest = list;
    snprintf(list, sizeof list, "%s", j->kernel->arguments);
    while (*rest) {
        char *name = rest;
        rest += strcspn(rest, ",");
        if (*rest)
            *rest++ = '\0';
        int at = find_argument(j->program[SHAPED], name);
        ilex_storage *s = at < 0 ? NULL : make_storage(j, (size_t)at);
        if (!s) {
            fprintf(stderr, "%s: no storage for %s\n", j->kernel->name, name);
            return 0;
        }
        j->base[j->arrays] = ilex_storage_data(s);
        j->name[j->arrays] =
            ilex_program_argument(j->program[SHAPED], (size_t)at).name;
        j->binding[j->arrays] = (ilex_binding)ILEX_BIND(j->name[j->arrays], s);
        j->arrays++;
        bench_fill(ilex_storage_data(s), ilex_storage_count(s),
                   (uint64_t)j->arrays);
    }
    return 1;
}

/* What the program costs, with the lengths that a run counts. */
static int
read_counts(bench_job *j)
{
    const ilex_program *p = j->program[SHAPED];
    ilex_size_binding sizes[2 * SIZES];
    size_t n = bind_sizes(j, sizes), counted = ilex_program_counted_count(p);
    ilex_call call = {.size = sizeof call,
                      .counted = sizes + n,
                      .counted_count = counted < SIZES ? counted : SIZES};
    for (size_t i = 0; i < call.counted_count; i++)
        call.counted[i].name = ilex_program_counted_name(p, i);
    int ok = ilex_run(p, j->binding, (size_t)j->arrays, &call) == ILEX_OK;
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *m =
        ctx ? ilex_module_parse(ctx, j->kernel->program, j->kernel->name)
            : NULL;
    char *text = m ? ilex_module_stage(m, "counts") : NULL;
    ok = ok && text &&
         bench_counts_read(text, sizes, n + call.counted_count, &j->counts);
    if (!ok)
        fprintf(stderr, "%s: no counts %s\n", j->kernel->name, call.error);
    free(text);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return ok;
}

/* ---- running ---- */

int
bench_job_has(const bench_job *j, int variant)
{
    return variant == PLAIN || j->program[variant] != NULL;
}

/* Runs variant "v" once; 0 and a message when it fails. */
static int
run(const bench_job *j, int v)
{
    ilex_call call = {.size = sizeof call};
    if (v == PLAIN) {
        j->kernel->plain(j->size->value, j->base);
        return 1;
    }
    if (ilex_run(j->program[v], j->binding, (size_t)j->arrays, &call) ==
        ILEX_OK)
        return 1;
    fprintf(stderr, "%s: %s\n", j->kernel->name, call.error);
    return 0;
}

/* Seconds of one run of variant "v", from "repeats" of them. */
static double
time_runs(const bench_job *j, int v, int64_t repeats)
{
    double start = bench_now();
    for (int64_t i = 0; i < repeats; i++)
        run(j, v);
    return (bench_now() - start) / (double)repeats;
}

/* Runs every variant once and compares its output with that of plain C; what
 * a run leaves as it was is NaN in both. */
static int
check_results(bench_job *j)
{
    int last = j->arrays - 1, ok = 1;
    int64_t count = ilex_storage_count(j->binding[last].storage);
    size_t bytes = (size_t)count * sizeof(double);
    double *out = j->base[last], *right = malloc(bytes);
    if (!right)
        return 0;
    memset(out, 0xff, bytes);
    run(j, PLAIN);
    memcpy(right, out, bytes);
    for (int v = PLAIN + 1; v < VARIANTS && ok; v++) {
        if (!bench_job_has(j, v))
            continue;
        memset(out, 0xff, bytes);
        ok = run(j, v);
        double difference = bench_difference(out, right, count);
        if (ok && difference > j->kernel->tolerance) {
            fprintf(stderr, "%s by %s differs from C by %g\n", j->kernel->name,
                    bench_variants[v].name, difference);
            ok = 0;
        }
    }
    free(right);
    return ok;
}

/* ---- the job ---- */

bench_job *
bench_job_new(const bench_size *size)
{
    bench_job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->size = size;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, size->kernel) == 0)
            j->kernel = &kernels[i];
    for (int v = PLAIN + 1; v < VARIANTS; v++)
        j->program[v] = compile(j->kernel, &bench_variants[v]);
    if (j->program[SHAPED] && make_arrays(j) && read_counts(j) &&
        check_results(j))
        return j;
    bench_job_free(j);
    return NULL;
}

void
bench_job_free(bench_job *j)
{
    for (int i = 0; i < j->arrays; i++)
        ilex_storage_release(j->binding[i].storage);
    for (int v = 0; v < VARIANTS; v++)
        ilex_program_release(j->program[v]);
    free(j);
}

/* Sets how often each variant runs in one timing. */
static void
choose_repeats(bench_job *j, double least)
{
    for (int v = 0; v < VARIANTS; v++) {
        double once = bench_job_has(j, v) ? time_runs(j, v, 1) : 1;
        double wanted = least / (once > 1e-7 ? once : 1e-7);
        j->repeats[v] = wanted < 1              ? 1
                        : wanted > MOST_REPEATS ? MOST_REPEATS
                                                : (int64_t)wanted;
    }
}

void
bench_job_measure(bench_job *j, int rounds, double least)
{
    choose_repeats(j, least);
    for (int round = 0; round < rounds; round++) {
        double plain = 0;
        for (int v = 0; v < VARIANTS; v++) {
            if (!bench_job_has(j, v))
                continue;
            double seconds = time_runs(j, v, j->repeats[v]);
            plain = v == PLAIN ? seconds : plain;
            bench_add(&j->seconds[v], seconds);
            bench_add(&j->ratio[v], seconds / plain);
        }
    }
}

double
bench_job_bytes(const bench_job *j)
{
    return j->counts.read + j->counts.written;
}
