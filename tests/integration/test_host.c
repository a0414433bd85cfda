/* SPDX-License-Identifier: MIT
 *
 * A host's view of the compiler in the background: processes that load the
 * shared library, begin a compilation, and exit, fork, unload the library or
 * give the program back at some moment of it. None hangs or crashes, and none
 * leaves a directory or a process behind.
 *
 *     test_host LIBRARY [ROUNDS [SEED]]
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ilex.h"

enum { ROUNDS = 48, MOMENTS_US = 60000, LIMIT_S = 60 };

static const char *library;
static void *handle;

/* The functions of the library that a host calls. */
static struct {
    ilex_context *(*context_new)(const ilex_context_spec *);
    void (*context_free)(ilex_context *);
    ilex_status (*option_set)(ilex_context *, const char *, const char *);
    ilex_module *(*parse)(ilex_context *, const char *, const char *);
    ilex_program *(*compile)(ilex_module *);
    void (*module_free)(ilex_module *);
    void (*release)(ilex_program *);
    ilex_status (*wait)(const ilex_program *, double);
} ilex;

static void
find(const char *name, void *function)
{
    void *address = dlsym(handle, name);
    if (!address)
        _exit(10);
    memcpy(function, &address, sizeof address);
}

static void
open_library(void)
{
    handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        _exit(11);
    find("ilex_context_new", &ilex.context_new);
    find("ilex_context_free", &ilex.context_free);
    find("ilex_option_set", &ilex.option_set);
    find("ilex_module_parse", &ilex.parse);
    find("ilex_compile_module", &ilex.compile);
    find("ilex_module_free", &ilex.module_free);
    find("ilex_program_release", &ilex.release);
    find("ilex_program_wait", &ilex.wait);
}

/* A program that is compiled in the background from now on. */
static ilex_program *
begin(void)
{
    ilex_context *c = ilex.context_new(NULL);
    ilex.option_set(c, "jit", "auto");
    ilex.option_set(c, "tier_after", "0");
    ilex.option_set(c, "cache", "off");
    ilex.option_set(c, "reuse", "0");
    ilex_module *m = ilex.parse(c,
                                "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                                "out y : f64[n] = sqrt(x) + 2*x\n",
                                NULL);
    ilex_program *p = ilex.compile(m);
    ilex.module_free(m);
    ilex.context_free(c);
    if (!p)
        _exit(12);
    return p;
}

/* Children that live on until they have waited, or leave at once. */
static void
fork_and_leave(const ilex_program *p, int stays)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(LIMIT_S);
        exit(stays && ilex.wait(p, LIMIT_S) != ILEX_OK ? 13 : 0);
    }
    if (ilex.wait(p, LIMIT_S) != ILEX_OK)
        _exit(14);
    while (waitpid(pid, &status, 0) < 0)
        ;
    if (status != 0)
        _exit(15);
}

static void
one_round(int round, unsigned moment)
{
    alarm(LIMIT_S);
    open_library();
    ilex_program *p = begin();
    usleep(moment);
    switch (round % 6) {
    case 0:
        exit(0);
    case 1:
        fork_and_leave(p, 0);
        break;
    case 2:
        fork_and_leave(p, 1);
        break;
    case 3: /* it is still used */
        dlclose(handle);
        usleep(moment / 2);
        exit(0);
    case 4:
        ilex.release(p);
        dlclose(handle);
        usleep(1000);
        _exit(0);
    default:
        ilex.release(p);
        p = begin();
        ilex.release(begin());
        ilex.release(p);
    }
    exit(0);
}

static int
count_files(const char *path)
{
    int n = -2; /* . and .. */
    DIR *d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Processes that rounds left behind come to this one: do they end? */
static int
has_orphans(void)
{
    for (int i = 0; i < 300; i++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0)
            return 0;
        usleep(10000);
    }
    return 1;
}

int
main(int argc, char **argv)
{
    char scratch[] = "/tmp/ilex-host-XXXXXX";
    int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS, bad = 0, status;
    srand(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
    if (argc < 2)
        return 2;
    library = argv[1];
    if (!mkdtemp(scratch) || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 3;
    setenv("ILEX_TMPDIR", scratch, 1);
    for (int i = 0; i < rounds; i++) {
        unsigned moment = (unsigned)rand() % MOMENTS_US;
        pid_t pid = fork();
        if (pid == 0)
            one_round(i, moment);
        while (waitpid(pid, &status, 0) < 0)
            ;
        if (status != 0) {
            printf("round %d, after %u us: status 0x%x\n", i, moment, status);
            bad++;
        }
    }
    int orphans = has_orphans(), left = count_files(scratch);
    printf("%d rounds: %d failed, %s, %d directories left\n", rounds, bad,
           orphans ? "processes go on" : "no process goes on", left);
    if (left == 0)
        rmdir(scratch);
    return bad || orphans || left;
}
