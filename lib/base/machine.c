/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "lib/base/machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/descriptor.h"

/* ---- caches, as Linux tells of them ---- */

enum { MOST_CACHES = 16, WORD = 1024 };

/* The first line of a file in the folder of a cache; false if there is none. */
static bool
read_line(int cache, const char *name, char line[WORD])
{
    int fd = ix_fd_high(openat(cache, name, O_RDONLY | O_CLOEXEC));
    ssize_t length = fd >= 0 ? read(fd, line, WORD - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return *line != '\0';
}

/* A number of at most nine digits, perhaps with K, M or G behind it; 0 if it is
 * none. */
static int64_t
read_number(int cache, const char *name)
{
    static const char units[] = "KMG";
    char line[WORD];
    if (!read_line(cache, name, line))
        return 0;
    size_t n = strspn(line, "0123456789");
    const char *unit = line[n] ? strchr(units, line[n]) : NULL;
    if (n > 9 || (line[n] && (!unit || line[n + 1])))
        return 0;
    return strtoll(line, NULL, 10) << (unit ? 10 * (unit - units + 1) : 0);
}

/* Reads a number of a list; -1 if there is none. */
static int64_t
next_number(char **p)
{
    bool digit = **p >= '0' && **p <= '9';
    return digit ? strtol(*p, p, 10) : -1;
}

/* How many processors a list as "0-3,8" has; 0 if it is none. */
static int64_t
count_list(int cache, const char *name)
{
    char line[WORD], *p = line;
    int64_t count = 0;
    if (!read_line(cache, name, line))
        return 0;
    for (;; p++) {
        int64_t first = next_number(&p), last = first;
        if (*p == '-' && ++p)
            last = next_number(&p);
        if (first < 0 || last < first || last > 1 << 20 || (*p && *p != ','))
            return 0;
        count += last - first + 1;
        if (!*p)
            return count;
    }
}

static void
read_cache(ix_machine *m, int cache)
{
    char type[WORD];
    if (!read_line(cache, "type", type) ||
        (strcmp(type, "Data") != 0 && strcmp(type, "Unified") != 0))
        return;
    int64_t level = read_number(cache, "level");
    int64_t bytes = read_number(cache, "size");
    if (level == 1) {
        m->l1_bytes = bytes;
        m->l1_ways = read_number(cache, "ways_of_associativity");
        m->line_bytes = read_number(cache, "coherency_line_size");
    } else if (level == 2) {
        m->l2_bytes = bytes;
    } else if (level == 3) {
        m->l3_bytes = bytes;
        m->l3_sharers = count_list(cache, "shared_cpu_list");
    }
}

void
ix_machine_read_caches(ix_machine *m, const char *directory)
{
    char name[WORD];
    for (int i = 0; i < MOST_CACHES; i++) {
        snprintf(name, sizeof name, "%s/index%d", directory, i);
        int cache = ix_fd_high(open(name, O_RDONLY | O_CLOEXEC));
        if (cache < 0)
            return;
        read_cache(m, cache);
        close(cache);
    }
}

/* ---- what the C library knows ---- */

static void
ask(int64_t *to, int name)
{
    long v = *to ? 0 : sysconf(name);
    if (v > 0)
        *to = v;
}

/* Where there is no /sys. */
static void
ask_caches(ix_machine *m)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
    ask(&m->line_bytes, _SC_LEVEL1_DCACHE_LINESIZE);
    ask(&m->l1_bytes, _SC_LEVEL1_DCACHE_SIZE);
    ask(&m->l1_ways, _SC_LEVEL1_DCACHE_ASSOC);
    ask(&m->l2_bytes, _SC_LEVEL2_CACHE_SIZE);
    ask(&m->l3_bytes, _SC_LEVEL3_CACHE_SIZE);
#endif
    ask(&m->l3_sharers, _SC_NPROCESSORS_ONLN);
}

/* ---- this machine ---- */

static ix_machine here;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
look(void)
{
    cpu_set_t mask;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cores = CPU_COUNT(&mask);
    here.cores = cores < 1 ? 1 : cores > 1 << 20 ? 1 << 20 : (int)cores;
    ix_machine_read_caches(&here, "/sys/devices/system/cpu/cpu0/cache");
    ask_caches(&here);
}

const ix_machine *
ix_machine_here(void)
{
    pthread_once(&once, look);
    return &here;
}
