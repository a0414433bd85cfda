/* SPDX-License-Identifier: MIT
 *
 * Processes that use one cache at once while others die in the middle of
 * writing and somebody damages files: 32 workers look up, load and call, store
 * what is missing; every few milliseconds one is killed, and some die of a
 * limit on files while they write. No function but the right one is ever
 * called, the limit on the size holds whenever the lock is free, and what is
 * left in the end is good.
 *
 *     cache [--seconds=8] [--seed=1]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cache/cache.h"
#include "runtime/cache/directory.h"
#include "runtime/jit/code.h"

enum {
    WORKERS = 32,
    KEYS = 8,
    FIT = 6, /* so many entries, so that some are always removed */
    MOST_OBJECT = 1 << 16
};

typedef enum counter {
    HITS,
    WRONG, /* a function that is not the one asked for */
    MISSES,
    REFUSED, /* an entry that is there and bad */
    DAMAGED,
    STORED,
    DISTURBED, /* no store since something failed */
    TORN,      /* workers that died while they stored, or soon after */
    SWEPT,     /* stores that found what they left, and removed it */
    NCOUNTERS
} counter;

static const char *const counter_names[NCOUNTERS] = {
    "hits",   "wrong",     "misses", "refused", "damaged",
    "stored", "disturbed", "torn",   "swept"};

/* What all processes share. */
typedef struct board {
    atomic_long n[NCOUNTERS];
    size_t length[KEYS];
    char object[KEYS][MOST_OBJECT];
} board;

static board *shared;
static char top[64], place[80];
static int64_t limit;
static uint64_t state;

static uint64_t
draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static void
add(counter c)
{
    atomic_fetch_add_explicit(&shared->n[c], 1, memory_order_relaxed);
}

static void
die(const char *what)
{
    fprintf(stderr, "cache: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- objects ---- */

static void
make_source(int i, char source[64])
{
    snprintf(source, 64, "double k(double x) { return x + %d; }\n", i);
}

/* Compiles the object of key "i" as the back end does. */
static void
make_object(int i)
{
    char source[64], command[400], path[100];
    make_source(i, source);
    snprintf(path, sizeof path, "%s/k.so", top);
    snprintf(command, sizeof command,
             "echo '%s' | /usr/bin/cc -O2 -fPIC -shared -nostdlib "
             "-nostartfiles -o %s -x c -",
             source, path);
    if (system(command) != 0)
        die("the compiler");
    FILE *f = fopen(path, "rb");
    if (!f)
        die(path);
    shared->length[i] = fread(shared->object[i], 1, MOST_OBJECT, f);
    fclose(f);
    unlink(path);
}

static void
make_key(ix_cache_key *key, int i)
{
    char source[64];
    make_source(i, source);
    ix_cache_key_init(key, &ix_mem_default);
    ix_cache_key_add(key, "command", "cc -O2");
    ix_cache_key_add(key, "source", source);
    if (!ix_cache_key_end(key))
        die("a key");
}

/* ---- a worker ---- */

/* Loads what was found and calls it. */
static void
run_object(const ix_cache_entry *e, int i)
{
    const char *symbol = "k";
    ix_jit_request req = {.symbols = &symbol, .nsymbols = 1};
    void *entry;
    double (*f)(double);
    ix_code *code = ix_code_of_object(&ix_mem_default, &req, e->object,
                                      e->object_length, &entry, NULL);
    if (code)
        memcpy(&f, &entry, sizeof f);
    add(code && f(0.5) == 0.5 + i && e->object_length == shared->length[i] &&
                !memcmp(e->object, shared->object[i], e->object_length)
            ? HITS
            : WRONG);
    ix_code_release(code);
}

/* Changes a byte, cuts the file, puts another in its place, or a link. Under
 * the lock, since a byte behind the end makes a file longer. */
static void
do_damage(int dir, const char *name)
{
    int lock = ix_cache_lock(dir, NULL);
    struct stat s;
    ix_cache_key other;
    char byte = (char)draw(256);
    int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    uint64_t size =
        lock >= 0 && fd >= 0 && fstat(fd, &s) == 0 ? (uint64_t)s.st_size : 0;
    make_key(&other, (int)draw(KEYS));
    switch (draw(4)) {
    case 0:
        if (fd >= 0 && size > 0 && pwrite(fd, &byte, 1, (off_t)draw(size)) == 1)
            add(DAMAGED);
        break;
    case 1:
        if (fd >= 0 && size > 0 && ftruncate(fd, (off_t)draw(size)) == 0)
            add(DAMAGED);
        break;
    case 2:
        if (renameat(dir, other.name, dir, name) == 0)
            add(DAMAGED);
        break;
    default:
        if (unlinkat(dir, name, 0) == 0 &&
            symlinkat(other.name, dir, name) == 0)
            add(DAMAGED);
        break;
    }
    if (fd >= 0)
        close(fd);
    if (lock >= 0)
        ix_cache_unlock(lock);
    ix_cache_key_free(&other);
}

static void
count_note(void *user, ilex_level level, const char *text)
{
    (void)user;
    (void)level;
    if (!strncmp(text, "cache: stored", 13))
        add(STORED);
    else if (strstr(text, "not stored"))
        add(DISTURBED);
    else if (strstr(text, "removed") && !strstr(text, " 0 temporary"))
        add(SWEPT);
}

/* Stores; one in sixteen dies on the way, if it is not faster. */
static void
store_object(const ix_cache *c, const ix_cache_key *key, int i)
{
    struct itimerval soon = {.it_value.tv_usec = 1 + (long)draw(500)};
    if (draw(16) == 0)
        setitimer(ITIMER_REAL, &soon, NULL);
    ix_cache_store(c, &(ix_cache_content){key, "cc", shared->object[i],
                                          shared->length[i]});
}

static void
use_once(void)
{
    ix_cache c;
    ix_cache_key key;
    ix_cache_entry e;
    ix_error why;
    ix_cache_setup setup = {.mode = IX_CACHE_MODE_RW,
                            .directory = place,
                            .size = limit,
                            .note = count_note};
    int i = (int)draw(KEYS);
    ix_error_clear(&why);
    make_key(&key, i);
    ix_cache_open(&c, &ix_mem_default, &setup, &why);
    if (c.dir < 0)
        die(why.text);
    if (ix_cache_look_up(&c, &key, &e, &why)) {
        run_object(&e, i);
        ix_cache_entry_free(&e);
        if (draw(8) == 0)
            unlinkat(c.dir, key.name, 0);
        else if (draw(64) == 0)
            do_damage(c.dir, key.name);
    } else {
        add(strstr(why.text, "no such entry") ? MISSES : REFUSED);
        store_object(&c, &key, i);
    }
    ix_cache_close(&c);
    ix_cache_key_free(&key);
}

static pid_t
start_worker(uint64_t seed)
{
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid > 0)
        return pid;
    alarm(3600); /* should its parent die */
    state = seed;
    for (;;)
        use_once();
}

/* ---- the parent ---- */

/* Ends a worker; it must not have ended by itself but in writing. */
static bool
end_worker(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int ended = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (ended == SIGALRM)
        add(TORN);
    if (ended == SIGKILL || ended == SIGALRM)
        return true;
    printf("a worker ended by itself, status %d\n", status);
    return false;
}

/* Replaces workers that died in writing, and one that lives. */
static bool
replace_workers(pid_t worker[WORKERS])
{
    bool ok = true;
    uint64_t victim = draw(WORKERS);
    for (uint64_t i = 0; i < WORKERS; i++) {
        siginfo_t dead = {0};
        waitid(P_PID, (id_t)worker[i], &dead, WEXITED | WNOHANG | WNOWAIT);
        if (i == victim || dead.si_pid != 0) {
            ok = end_worker(worker[i]) && ok;
            worker[i] = start_worker(draw(UINT32_MAX));
        }
    }
    return ok;
}

/* Bytes in the directory while nobody writes. */
static int64_t
measure(void)
{
    ix_cache_files l;
    ix_error why;
    ix_error_clear(&why);
    int dir = ix_cache_directory_open(&ix_mem_default, place, true, &why);
    int lock = dir >= 0 ? ix_cache_lock(dir, &why) : -1;
    if (lock < 0 || !ix_cache_list(dir, &ix_mem_default, "", &l, &why)) {
        if (lock < 0) /* for two seconds: it is a busy directory */
            return 0;
        die(why.text);
    }
    int64_t bytes = l.bytes;
    ix_cache_files_free(&l);
    ix_cache_unlock(lock);
    close(dir);
    return bytes;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Kills and starts workers for "seconds"; how many, or -1 when one went wrong
 * or the limit did not hold. */
static long
disturb(double seconds)
{
    pid_t worker[WORKERS];
    long kills = 0;
    int64_t most = 0;
    bool ok = true;
    for (int i = 0; i < WORKERS; i++)
        worker[i] = start_worker(draw(UINT32_MAX));
    for (double end = now() + seconds; ok && now() < end; kills++) {
        struct timespec nap = {0, 3000000};
        nanosleep(&nap, NULL);
        ok = replace_workers(worker);
        if (kills % 16 == 0) {
            int64_t bytes = measure();
            most = bytes > most ? bytes : most;
        }
    }
    for (int i = 0; i < WORKERS; i++)
        ok = end_worker(worker[i]) && ok;
    printf("%ld kills, at most %lld of %lld bytes\n", kills, (long long)most,
           (long long)limit);
    return ok && most > 0 && most <= limit ? kills : -1;
}

/* Takes what the dead left away; is everything else good? */
static bool
check_rest(void)
{
    ix_cache_removed removed = {0};
    ix_cache_files l;
    ix_error why;
    bool ok = true;
    ix_error_clear(&why);
    int dir = ix_cache_directory_open(&ix_mem_default, place, false, &why);
    if (dir < 0 ||
        !ix_cache_make_room(dir, &ix_mem_default, limit, 0, &removed, &why) ||
        !ix_cache_list(dir, &ix_mem_default, "", &l, &why))
        die(why.text);
    for (size_t i = 0; i < l.n; i++) {
        if (l.file[i].kind == IX_CACHE_TEMPORARY)
            ok = false;
        if (l.file[i].kind == IX_CACHE_ENTRY) /* those damaged last go */
            ix_cache_verify(dir, l.file[i].name, true, NULL);
    }
    printf("%zu temporary files in the end, %s\n", removed.temporaries,
           ok ? "all removed" : "some stay");
    ix_cache_files_free(&l);
    close(dir);
    return ok;
}

static double
argument(int argc, char **argv, const char *name, double otherwise)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, n))
            return atof(argv[i] + n);
    return otherwise;
}

int
main(int argc, char **argv)
{
    char command[100];
    double seconds = argument(argc, argv, "--seconds=", 8);
    double seed = argument(argc, argv, "--seed=", 1);
    state = (uint64_t)seed;
    strcpy(top, "/tmp/ilex-cache-XXXXXX");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !mkdtemp(top))
        die("setup");
    snprintf(place, sizeof place, "%s/cache", top);
    for (int i = 0; i < KEYS; i++)
        make_object(i);
    limit = FIT * (int64_t)(shared->length[0] + 300);
    printf("%d workers, %g seconds, seed %g\n", WORKERS, seconds, seed);
    fflush(stdout);
    long kills = disturb(seconds);
    bool ok = check_rest() && kills > 0;
    for (int c = 0; c < NCOUNTERS; c++)
        printf("%-10s %ld\n", counter_names[c], atomic_load(&shared->n[c]));
    ok = ok && atomic_load(&shared->n[WRONG]) == 0 &&
         atomic_load(&shared->n[HITS]) > 0 &&
         atomic_load(&shared->n[STORED]) > 0 &&
         atomic_load(&shared->n[REFUSED]) > 0 &&
         atomic_load(&shared->n[SWEPT]) > 0;
    snprintf(command, sizeof command, "rm -rf %s", top);
    if (system(command) != 0)
        die(command);
    return !ok;
}
