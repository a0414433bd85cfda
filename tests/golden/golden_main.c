/* SPDX-License-Identifier: MIT
 *
 * Goes through the golden files, each on every back end, and prints what
 * became of their rows.
 *
 *     golden [--jit=NAME,...] [--file=NAME] [--jobs=N]
 *
 * The directory is ILEX_GOLDEN_DIR, by default the copy beside this file.
 * N processes share the work (as many as there are processors; 0: this one).
 * The exit status is 0 if every file was there, had rows, and none failed.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/golden/golden_jobs.h"

static const struct {
    const char *file;
    int columns;
    bool runs; /* on back ends */
    void (*judge)(const golden_table *t, golden_report *r);
} files[] = {{"promote.tsv", 6, false, golden_promote},
             {"scalar_unary.tsv", 7, true, golden_scalar_unary},
             {"scalar_binary.tsv", 9, true, golden_scalar_binary},
             {"cast.tsv", 6, true, golden_cast},
             {"reduce.tsv", 9, true, golden_reduce},
             {"einsum.tsv", 7, true, golden_einsum},
             {"broadcast_axis.tsv", 13, true, golden_axis}};

/* Files of the format whose features Ilex does not have yet. */
static const char *const later[] = {"expr.tsv", "index.tsv"};

enum { FILES = GOLDEN_COUNT(files), BACKENDS = 8 };

typedef struct options {
    const char *dir;
    const char *file; /* NULL: all */
    int processes;
    char jits[64];
    int backends;
    const char *jit[BACKENDS];
} options;

/* ---- the command line ---- */

static void
split_backends(options *o, const char *list)
{
    snprintf(o->jits, sizeof o->jits, "%s", list);
    o->backends = 0;
    for (char *p = strtok(o->jits, ","); p && o->backends < BACKENDS;
         p = strtok(NULL, ","))
        o->jit[o->backends++] = p;
}

/* The directory beside the sources, which `srcdir` tells. */
static const char *
default_dir(char *text, size_t size)
{
    const char *srcdir = getenv("srcdir");
    snprintf(text, size, "%s/tests/golden/data",
             srcdir && *srcdir ? srcdir : ".");
    return text;
}

static bool
read_options(options *o, int argc, char **argv)
{
    split_backends(o, "reference,tcc,cc,cuda");
    o->processes = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--jit=", 6)) {
            split_backends(o, argv[i] + 6);
        } else if (!strncmp(argv[i], "--file=", 7)) {
            o->file = argv[i] + 7;
        } else if (!strncmp(argv[i], "--jobs=", 7)) {
            o->processes = (int)(strtoul(argv[i] + 7, NULL, 10) % 64);
        } else {
            fprintf(stderr, "usage: golden [--jit=NAME,...] [--file=NAME] "
                            "[--jobs=N]\n");
            return false;
        }
    }
    return true;
}

/* ---- files ---- */

/* Reads file "i" into "t" and adds its jobs; false if it cannot be read. */
static bool
add_jobs(const options *o, size_t i, golden_table *t, golden_job *jobs,
         size_t *count)
{
    char error[512];
    if (!golden_table_read(t, o->dir, files[i].file, files[i].columns, error,
                           sizeof error)) {
        printf("%s\n", error);
        return false;
    }
    for (int k = 0; k < (files[i].runs ? o->backends : 1); k++) {
        if (files[i].judge == golden_axis && !strcmp(o->jit[k], "cuda"))
            continue; /* eager operators run on the library's back ends */
        jobs[(*count)++] = (golden_job){.table = t,
                                        .jit = files[i].runs ? o->jit[k] : NULL,
                                        .judge = files[i].judge};
    }
    return true;
}

/* Says which other files of the directory are not run. */
static void
note_others(const options *o)
{
    for (size_t i = 0; i < GOLDEN_COUNT(later); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", o->dir, later[i]);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        printf("%-18s not run: feature not there yet\n", later[i]);
        fclose(f);
    }
}

int
main(int argc, char **argv)
{
    char text[1024];
    const char *dir = getenv("ILEX_GOLDEN_DIR");
    options o = {.dir = dir && *dir ? dir : default_dir(text, sizeof text)};
    static golden_table tables[FILES];
    static golden_job jobs[FILES * BACKENDS];
    size_t count = 0, unread = 0;
    if (!read_options(&o, argc, argv))
        return 2;
    for (size_t i = 0; i < FILES; i++)
        if (!o.file || !strcmp(o.file, files[i].file))
            unread += !add_jobs(&o, i, &tables[i], jobs, &count);
    golden_totals sum = {0, 0, 0};
    if (count)
        sum = golden_jobs_run(jobs, count, o.processes);
    for (size_t i = 0; i < FILES; i++)
        golden_table_free(&tables[i]);
    note_others(&o);
    sum.failed += unread;
    printf("%zu passed, %zu failed, %zu skipped\n", sum.passed, sum.failed,
           sum.skipped);
    return sum.failed != 0 || sum.passed + sum.skipped == 0;
}
