/* SPDX-License-Identifier: MIT
 *
 * See results.h. All strings are names of tables, which JSON need not escape,
 * but for the processor's.
 */
#define _GNU_SOURCE
#include "bench/results.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- where it was measured ---- */

/* The processor's name as the system knows it, "unknown" if it does not; no
 * character that JSON would escape. */
static void
find_processor(char *name, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        value[strcspn(value, "\"\\\n")] = '\0';
        snprintf(name, size, "%s", value + 1 + (value[1] == ' '));
        break;
    }
    if (f)
        fclose(f);
}

static void
write_machine(FILE *f, const bench_limits *l)
{
    char processor[256], date[32];
    double load = -1;
    time_t now = time(NULL);
    struct tm t;
    find_processor(processor, sizeof processor);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &t));
    getloadavg(&load, 1);
    fprintf(f,
            "  \"machine\": {\"processor\": \"%s\", \"processors\": %d, "
            "\"cache_bytes\": %lld, \"date\": \"%s\", \"load\": %.2f},\n",
            processor, l->threads, (long long)l->cache_bytes, date, load);
}

/* ---- what was measured ---- */

/* {"low": ..., "median": ..., "high": ...} */
static void
write_summary(FILE *f, const bench_samples *samples)
{
    bench_samples sorted = *samples;
    bench_summary s = bench_summarize(&sorted);
    fprintf(f, "{\"low\": %.6g, \"median\": %.6g, \"high\": %.6g}", s.low,
            s.median, s.high);
}

static void
write_limits(FILE *f, const bench_limits *l)
{
    fprintf(f, "  \"limits\": [");
    for (int i = 0; i < LIMITS; i++) {
        const bench_limit *m = &l->limit[i];
        fprintf(f,
                "%s\n    {\"name\": \"%s\", \"set\": \"%s\", \"threads\": %d, "
                "\"rate\": ",
                i ? "," : "", m->name, bench_set_name(m->set), m->threads);
        write_summary(f, &m->samples);
        fprintf(f, "}");
    }
    fprintf(f, "\n  ],\n");
}

/* The arrays with their halos, in the order of the plain function's. */
static void
write_arrays(FILE *f, const bench_job *j)
{
    fprintf(f, "     \"arrays\": [");
    for (int i = 0; i < j->arrays; i++) {
        const ilex_storage *s = j->binding[i].storage;
        fprintf(f, "%s{\"name\": \"%s\", \"shape\": [", i ? ", " : "",
                j->name[i]);
        const int64_t *shape = ilex_storage_shape(s);
        for (int k = 0; k < ilex_storage_rank(s); k++)
            fprintf(f, "%s%lld", k ? ", " : "", (long long)shape[k]);
        fprintf(f, "]}");
    }
    fprintf(f, "],\n");
}

static void
write_variants(FILE *f, const bench_job *j)
{
    const char *comma = "";
    fprintf(f, "     \"variants\": [");
    for (int v = 0; v < VARIANTS; v++) {
        if (!bench_job_has(j, v))
            continue;
        fprintf(f, "%s\n      {\"by\": \"%s\", \"threads\": ", comma,
                bench_variants[v].name);
        fprintf(f, bench_variants[v].threads ? "1" : "\"auto\"");
        fprintf(f, ", \"seconds\": ");
        write_summary(f, &j->seconds[v]);
        fprintf(f, ", \"ratio\": ");
        write_summary(f, &j->ratio[v]);
        fprintf(f, "}");
        comma = ",";
    }
    fprintf(f, "]}");
}

void
bench_results_add(bench_results *r, const bench_job *j)
{
    FILE *f = r->file;
    if (!f)
        return;
    fprintf(f, "%s\n    {\"kernel\": \"%s\", \"size\": \"%s\", \"sizes\": [",
            r->comma, j->kernel->name, j->size->label);
    for (int i = 0; i < SIZES; i++)
        fprintf(f, "%s%lld", i ? ", " : "", (long long)j->size->value[i]);
    fprintf(f,
            "],\n     \"operations\": %.17g, \"read\": %.17g, "
            "\"written\": %.17g, \"tolerance\": %g,\n",
            j->counts.operations, j->counts.read, j->counts.written,
            j->kernel->tolerance);
    write_arrays(f, j);
    write_variants(f, j);
    r->comma = ",";
}

/* ---- the file ---- */

int
bench_results_open(bench_results *r, const char *path, const bench_limits *l,
                   int rounds)
{
    *r = (bench_results){NULL, ""};
    if (!path)
        return 1;
    r->file = fopen(path, "w");
    if (!r->file) {
        perror(path);
        return 0;
    }
    fprintf(r->file, "{\n  \"schema\": \"ilex-bench 1\",\n  \"rounds\": %d,\n",
            rounds);
    write_machine(r->file, l);
    write_limits(r->file, l);
    fprintf(r->file, "  \"kernels\": [");
    return 1;
}

int
bench_results_close(bench_results *r, const char *path)
{
    if (!r->file)
        return 1;
    fprintf(r->file, "\n  ]\n}\n");
    int ok = !ferror(r->file);
    ok = fclose(r->file) == 0 && ok;
    if (!ok)
        perror(path);
    return ok;
}
