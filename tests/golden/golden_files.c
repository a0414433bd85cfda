/* SPDX-License-Identifier: MIT
 *
 * The golden files, and running those that were chosen on every back end.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_jobs.h"

static const struct {
    const char *file;
    int columns;
    bool runs; /* on back ends */
    void (*judge)(const golden_table *t, golden_report *r);
} files[] = {{"promote.tsv", 3 + GOLDEN_PROMOTIONS, false, golden_promote},
             {"scalar_unary.tsv", 7, true, golden_scalar_unary},
             {"scalar_binary.tsv", 9, true, golden_scalar_binary},
             {"cast.tsv", 6, true, golden_cast},
             {"reduce.tsv", 9, true, golden_reduce},
             {"einsum.tsv", 7, true, golden_einsum},
             {"index.tsv", 8, true, golden_index},
             {"broadcast_axis.tsv", 13, true, golden_axis}};

/* Files of the format whose features Ilex does not have yet. */
static const char *const later[] = {"expr.tsv"};

enum {
    FILES = GOLDEN_COUNT(files),
    LONG = 2000,
    PARTS = 16 /* of a long file, where kernels take long to compile */
};

bool
golden_options_backends(golden_options *o, const char *list)
{
    snprintf(o->jits, sizeof o->jits, "%s", list);
    o->backends = 0;
    for (char *p = strtok(o->jits, ","); p; p = strtok(NULL, ",")) {
        if (o->backends == GOLDEN_BACKENDS || !golden_backend_find(p))
            return false;
        o->jit[o->backends++] = p;
    }
    return true;
}

/* The directory beside the sources, which `srcdir` tells. */
static void
default_dir(char *text, size_t size)
{
    const char *srcdir = getenv("srcdir");
    snprintf(text, size, "%s/tests/golden/data",
             srcdir && *srcdir ? srcdir : ".");
}

/* Part "p" of "parts" of a file. */
static golden_table
rows_of(const golden_table *t, size_t p, size_t parts)
{
    golden_table part = *t;
    size_t from = t->rows * p / parts;
    part.rows = t->rows * (p + 1) / parts - from;
    part.line += from;
    part.field += from * (size_t)t->columns;
    return part;
}

/* Reads file "i" into "t" and adds its jobs; false if it cannot be read. */
static bool
add_jobs(const golden_options *o, size_t i, golden_table *t, golden_job *jobs,
         size_t *count)
{
    char error[512];
    if (!golden_table_read(t, o->dir, files[i].file, files[i].columns, error,
                           sizeof error)) {
        printf("%s\n", error);
        return false;
    }
    for (int k = 0; k < (files[i].runs ? o->backends : 1); k++) {
        if (files[i].judge == golden_axis &&
            !golden_backend_find(o->jit[k])->library)
            continue; /* eager operators run on the library's back ends */
        size_t parts = o->kernels && t->rows > LONG ? PARTS : 1;
        for (size_t p = 0; p < parts; p++)
            jobs[(*count)++] =
                (golden_job){.table = rows_of(t, p, parts),
                             .jit = files[i].runs ? o->jit[k] : NULL,
                             .judge = files[i].judge};
    }
    return true;
}

/* Says which other files of the directory are not run. */
static void
note_others(const golden_options *o)
{
    for (size_t i = 0; i < GOLDEN_COUNT(later); i++) {
        char path[1100];
        snprintf(path, sizeof path, "%.1024s/%s", o->dir, later[i]);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        printf("%-18s not run: feature not there yet\n", later[i]);
        fclose(f);
    }
}

golden_totals
golden_files_run(const golden_options *options)
{
    char text[1024];
    static golden_table tables[FILES];
    static golden_job jobs[FILES * GOLDEN_BACKENDS * PARTS];
    size_t count = 0, unread = 0;
    const char *dir = getenv("ILEX_GOLDEN_DIR");
    golden_options o = *options;
    if (!dir || !*dir)
        default_dir(text, sizeof text);
    o.dir = dir && *dir ? dir : text;
    for (size_t i = 0; i < FILES; i++)
        if ((!o.file || !strcmp(o.file, files[i].file)) &&
            (files[i].runs || !o.kernels))
            unread += !add_jobs(&o, i, &tables[i], jobs, &count);
    golden_totals sum = {0, 0, 0};
    if (count)
        sum = golden_jobs_run(jobs, count, o.processes);
    for (size_t i = 0; i < FILES; i++)
        golden_table_free(&tables[i]);
    if (!o.kernels)
        note_others(&o);
    sum.failed += unread;
    printf("%zu passed, %zu failed, %zu skipped\n", sum.passed, sum.failed,
           sum.skipped);
    return sum;
}
