/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/cache/key.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__powerpc64__)
#define ARCHITECTURE "powerpc64"
#elif defined(__riscv)
#define ARCHITECTURE "riscv64"
#else
#define ARCHITECTURE "unknown"
#endif

/* The text about the machine, made once: cpuid takes microseconds in a virtual
 * machine. */
static char machine[256] = ARCHITECTURE "-linux";
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

static void
add_number(unsigned long v)
{
    size_t n = strlen(machine);
    snprintf(machine + n, sizeof machine - n, " %08lx", v);
}

#if defined(__x86_64__)

/* The leaves of cpuid that compilers read for -march=native, but for sizes of
 * caches, and what the system saves of the registers. Bits that differ between
 * the cores of one machine are left out. */
static void
put_processor(void)
{
    static const struct {
        unsigned leaf, subleaf, keep[4]; /* of eax, ebx, ecx, edx */
    } rows[] = {
        {0, 0, {~0u, ~0u, ~0u, ~0u}}, /* the last leaf, maker */
        {1, 0, {~0u, 0, ~0u, ~0u}},   /* model, features; ebx: number of core */
        {7, 0, {0, ~0u, ~0u, ~0u}},        {7, 1, {~0u, ~0u, ~0u, ~0u}},
        {0x80000001, 0, {0, 0, ~0u, ~0u}},
    };
    unsigned last = 0, r[4], low, high;
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        if (i > 0 && rows[i].leaf < 0x80000000 && rows[i].leaf > last)
            continue;
        __cpuid_count(rows[i].leaf, rows[i].subleaf, r[0], r[1], r[2], r[3]);
        if (i == 0)
            last = r[0];
        for (int k = 0; k < 4; k++)
            if (rows[i].keep[k])
                add_number(r[k] & rows[i].keep[k]);
        if (rows[i].leaf == 1 && (r[2] & bit_OSXSAVE)) {
            __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
            add_number(low);
        }
    }
}

#else

/* What the kernel tells programs of the processor. */
static void
put_processor(void)
{
    add_number(getauxval(AT_HWCAP));
    add_number(getauxval(AT_HWCAP2));
}

#endif

void
ix_cache_put_machine(ix_text *t)
{
    pthread_once(&machine_once, put_processor);
    ix_text_put(t, machine);
}

bool
ix_cache_put_compiler(const char *path, ix_text *t, ix_error *why)
{
    char *real = realpath(path, NULL);
    struct stat s;
    if (!real || stat(real, &s) != 0) {
        ix_fail(why, ILEX_E_TOOLCHAIN, "there is no compiler '%.200s': %s",
                path, strerror(errno));
        free(real);
        return false;
    }
    ix_text_format(t, "%s %lld bytes, inode %llu, changed %lld.%09ld", real,
                   (long long)s.st_size, (unsigned long long)s.st_ino,
                   (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    free(real);
    return true;
}
