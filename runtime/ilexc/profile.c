/* SPDX-License-Identifier: MIT
 *
 * The table of --profile: how long each kernel ran, and what the rest took.
 */
#include <stdio.h>

#include "runtime/ilexc/run.h"

static void
print_row(const char *name, uint64_t calls, double seconds, double all)
{
    printf("%-10s %10llu %11.4f %11.4f %6.1f%%", name,
           (unsigned long long)calls, 1e3 * seconds,
           1e3 * seconds / (double)(calls ? calls : 1),
           all > 0 ? 100 * seconds / all : 0);
}

/* The names of what the kernel writes, a few of them. */
static void
print_writes(const ilex_kernel_info *k)
{
    enum { MOST = 4 };
    for (size_t i = 0; i < k->write_count && i < MOST; i++)
        printf("%s%s", i ? ", " : "  ", k->writes[i]);
    printf(k->write_count > MOST ? ", ...\n" : "\n");
}

void
ix_cli_profile_print(const ilex_program *p, double seconds, int64_t runs)
{
    size_t n = ilex_program_kernel_count(p);
    double kernels = 0;
    printf("kernels of %s in %lld run%s\n", ilex_program_backend(p),
           (long long)runs, runs == 1 ? "" : "s");
    printf("%-10s %10s %11s %11s %7s  %s\n", "kernel", "calls", "ms", "ms each",
           "share", "writes");
    for (size_t i = 0; i < n; i++) {
        ilex_kernel_info k = ILEX_KERNEL_INFO();
        ilex_kernel_time t = ILEX_KERNEL_TIME();
        if (ilex_program_kernel(p, i, &k) || ilex_program_kernel_time(p, i, &t))
            continue;
        print_row(k.name, t.calls, t.seconds, seconds);
        print_writes(&k);
        kernels += t.seconds;
    }
    double rest = seconds > kernels ? seconds - kernels : 0;
    print_row("the rest", (uint64_t)runs, rest, seconds);
    printf("  checks, memory, functions of the host\n");
}

void
ix_cli_stages_print(const ilex_program *p)
{
    const double least = 5e-7; /* what is 0.000 ms is left out */
    for (size_t i = 0; i < ilex_program_stage_count(p); i++) {
        ilex_stage_info s = ILEX_STAGE_INFO();
        if (!ilex_program_stage(p, i, &s) && s.seconds >= least)
            printf("stage     %-17s %.3f ms\n", s.name, 1e3 * s.seconds);
    }
}
