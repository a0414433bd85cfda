/* SPDX-License-Identifier: MIT
 *
 * What became of the rows of a file on a back end: counts, reasons for
 * skipping, and the first failures in full.
 */
#include <stdarg.h>
#include <string.h>

#include "tests/golden/golden.h"

enum { SHOWN = 10 };

void
golden_pass(golden_report *r)
{
    r->rows++;
    r->passed++;
}

void
golden_skip(golden_report *r, const char *reason)
{
    r->rows++;
    r->skipped++;
    int i = 0;
    while (i < GOLDEN_REASONS - 1 && r->reason[i].count &&
           strcmp(r->reason[i].text, reason))
        i++;
    bool room = i < GOLDEN_REASONS - 1;
    snprintf(r->reason[i].text, sizeof r->reason[i].text, "%s",
             room ? reason : "other");
    r->reason[i].count++;
}

void
golden_fail(golden_report *r, int line, const char *fmt, ...)
{
    va_list args;
    r->rows++;
    if (r->failed++ >= SHOWN)
        return;
    printf("%s:%d: ", r->file, line);
    if (r->jit)
        printf("%s: ", r->jit);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
}

void
golden_report_print(const golden_report *r)
{
    if (r->failed > SHOWN)
        printf("%s: %zu more failures\n", r->file, r->failed - SHOWN);
    printf("%-18s %-10s %6zu rows, %6zu passed, %4zu failed, %5zu skipped",
           r->file, r->jit ? r->jit : "-", r->rows, r->passed, r->failed,
           r->skipped);
    for (int i = 0; i < GOLDEN_REASONS && r->reason[i].count; i++)
        printf("%s%s %zu", i ? ", " : " (", r->reason[i].text,
               r->reason[i].count);
    printf("%s\n", r->skipped ? ")" : "");
    fflush(stdout);
}
