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

static bool
read_options(golden_options *o, int argc, char **argv)
{
    bool known = golden_options_backends(o, "reference,tcc,cc,cuda-cpu");
    o->processes = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 1; i < argc && known; i++) {
        if (!strncmp(argv[i], "--jit=", 6))
            known = golden_options_backends(o, argv[i] + 6);
        else if (!strncmp(argv[i], "--file=", 7))
            o->file = argv[i] + 7;
        else if (!strncmp(argv[i], "--jobs=", 7))
            o->processes = (int)(strtoul(argv[i] + 7, NULL, 10) % 64);
        else
            known = false;
    }
    if (!known)
        fprintf(stderr, "usage: golden [--jit=NAME,...] [--file=NAME] "
                        "[--jobs=N]\n"
                        "NAME of --jit: reference, tcc, cc, cuda-cpu, cuda\n");
    return known;
}

int
main(int argc, char **argv)
{
    golden_options o = {.file = NULL};
    if (!read_options(&o, argc, argv))
        return 2;
    golden_totals sum = golden_files_run(&o);
    return sum.failed != 0 || sum.passed + sum.skipped == 0;
}
