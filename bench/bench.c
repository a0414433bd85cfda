/* SPDX-License-Identifier: MIT
 *
 * Speed of compiled programs beside plain C and beside what the machine can
 * do: every kernel of kernels.def, at every size, by plain C and by the back
 * ends with one thread and all, in interleaved rounds. job.c measures,
 * limits.c measures the machine; here is the command and its table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/job.h"
#include "bench/results.h"
#include "runtime/measure/limits.h"

typedef struct settings {
    const char *names, *output;
    int64_t most; /* elements of a size that is measured */
    int rounds;
    double least; /* seconds that one timing should take */
} settings;

/* ---- the tables ---- */

static void
print_limits(const bench_limits *l)
{
    printf("%-14s %-10s %8s %10s %10s %10s\n", "limit", "in", "threads",
           "median", "low", "high");
    for (int i = 0; i < LIMITS; i++) {
        bench_limit m = l->limit[i];
        bench_summary s = bench_summarize(&m.samples);
        printf("%-14s %-10s %8d %10.2f %10.2f %10.2f %s\n", m.name,
               bench_set_name(m.set), m.threads, 1e-9 * s.median, 1e-9 * s.low,
               1e-9 * s.high, m.set == SET_REGISTERS ? "GFLOP/s" : "GB/s");
    }
}

static void
print_head(void)
{
    printf("\nratio: time to that of plain C on one thread, of the same round\n"
           "share: of the limit that bounds the kernel, in %%\n\n"
           "%-10s %-12s %-8s %-4s %11s %7s %7s %7s %8s %8s %6s\n",
           "kernel", "size", "by", "on", "median/us", "ratio", "low", "high",
           "GB/s", "GFLOP/s", "share");
}

static void
print_job(bench_job *j, const bench_limits *l)
{
    double bytes = bench_job_bytes(j), operations = j->counts.operations;
    for (int v = 0; v < VARIANTS; v++) {
        if (!bench_job_has(j, v))
            continue;
        double t = bench_summarize(&j->seconds[v]).median;
        bench_summary ratio = bench_summarize(&j->ratio[v]);
        double least = bench_limits_seconds(l, bench_variants[v].threads, bytes,
                                            operations);
        printf("%-10s %-12s %-8s %-4s %11.2f %7.2f %7.2f %7.2f %8.2f %8.2f "
               "%6.0f\n",
               j->kernel->name, j->size->label, bench_variants[v].name,
               bench_variants[v].threads ? "1" : "auto", 1e6 * t, ratio.median,
               ratio.low, ratio.high, 1e-9 * bytes / t, 1e-9 * operations / t,
               100 * least / t);
    }
    fflush(stdout);
}

/* ---- the command ---- */

/* Whether the size is to be measured. */
static int
is_wanted(const bench_size *s, const settings *set)
{
    int64_t elements = 1;
    for (int i = 0; i < SIZES; i++)
        elements *= s->value[i] ? s->value[i] : 1;
    return bench_listed(set->names, s->kernel) && elements <= set->most;
}

/* Measures and reports all that is wanted; 0 if something failed. */
static int
measure_all(const settings *set, const bench_limits *l, bench_results *r)
{
    int ok = 1;
    for (size_t i = 0; i < bench_size_count; i++) {
        if (!is_wanted(&bench_sizes[i], set))
            continue;
        bench_job *j = bench_job_new(&bench_sizes[i]);
        if (!j) {
            ok = 0;
            continue;
        }
        bench_job_measure(j, set->rounds, set->least);
        print_job(j, l);
        bench_results_add(r, j);
        bench_job_free(j);
    }
    return ok;
}

/* Takes option "letter" with its value; 0 if there is none such. */
static int
take_value(settings *set, char letter, const char *value)
{
    int64_t number = strtoll(value, NULL, 10);
    switch (letter) {
    case 'k':
        set->names = value;
        return 1;
    case 'o':
        set->output = value;
        return 1;
    case 'm':
        set->most = number;
        return number > 0;
    case 'r':
        set->rounds = (int)number;
        return number > 0 && number <= BENCH_SAMPLES;
    default:
        return 0;
    }
}

/* Reads the options; 0 and the usage for one that does not exist. */
static int
read_options(int argc, char **argv, settings *set)
{
    *set = (settings){NULL, NULL, INT64_MAX, 15, 20e-3};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-q") == 0) {
            set->rounds = 3;
            set->least = 1e-3;
        } else if (argv[i][0] == '-' && strlen(argv[i]) == 2 && i + 1 < argc &&
                   take_value(set, argv[i][1], argv[i + 1])) {
            i++;
        } else {
            fprintf(stderr, "usage: bench [-q] [-k NAME,...] [-m ELEMENTS] "
                            "[-r ROUNDS] [-o FILE.json]\n");
            return 0;
        }
    }
    return 1;
}

int
main(int argc, char **argv)
{
    static bench_limits limits;
    settings set;
    bench_results results;
    if (!read_options(argc, argv, &set))
        return 2;
    if (!bench_limits_measure(&limits, set.rounds, set.least) ||
        !bench_results_open(&results, set.output, &limits, set.rounds))
        return 1;
    print_limits(&limits);
    print_head();
    int ok = measure_all(&set, &limits, &results);
    return !bench_results_close(&results, set.output) || !ok;
}
