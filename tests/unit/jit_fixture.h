/* SPDX-License-Identifier: MIT
 *
 * What the tests of the code loaders share: requests of one function, the
 * state of the process before and after, a scratch directory, children.
 */
#ifndef ILEX_TESTS_UNIT_JIT_FIXTURE_H
#define ILEX_TESTS_UNIT_JIT_FIXTURE_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/jit/jit.h"

typedef double (*unary)(double);

static ix_error error;

/* ---- requests ---- */

/* Request of one unit with one function. */
typedef struct single {
    const char *source, *symbol;
    ix_jit_request req;
} single;

static inline const ix_jit_request *
single_of(single *s, const char *source, const char *symbol)
{
    memset(s, 0, sizeof *s);
    s->source = source;
    s->symbol = symbol;
    s->req.sources = &s->source;
    s->req.nsources = 1;
    s->req.symbols = &s->symbol;
    s->req.nsymbols = 1;
    s->req.cflags_opt = getenv("ILEX_CFLAGS");
    return &s->req;
}

static inline double
call(void *entry, double x)
{
    unary f;
    memcpy(&f, &entry, sizeof f);
    return f(x);
}

static const char twice[] = "double k(double x)\n"
                            "{\n"
                            "    double t = 2.0 * x;\n"
                            "    return t;\n"
                            "}\n";

/* ---- the state of the process ---- */

static inline int
count_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Directories that a cc compile left below "base". */
static inline int
count_left(const char *base)
{
    int n = 0;
    DIR *d = opendir(base);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static char scratch[64];

static inline void
make_scratch(void)
{
    strcpy(scratch, "/tmp/ilex-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    setenv("ILEX_TMPDIR", scratch, 1);
    ix_error_clear(&error);
}

static inline void
remove_scratch(void)
{
    ck_assert_int_eq(count_left(scratch), 0);
    rmdir(scratch);
    unsetenv("ILEX_TMPDIR");
}

/* A fake compiler: a shell script beside the scratch directory. */
static inline void
write_compiler(char *path, size_t size, const char *script)
{
    snprintf(path, size, "%s.cc", scratch);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    ck_assert_int_ge(fd, 0);
    dprintf(fd, "#!/bin/sh\n%s\n", script);
    close(fd);
}

/* Has the process ended, in two seconds? A zombie that nobody waits for yet
 * has. */
static inline bool
ends(long pid)
{
    char path[40], state = 'R';
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    for (int i = 0; state != 'Z' && state != 'X' && i < 200; i++) {
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
            state = 'Z';
        if (f)
            fclose(f);
        usleep(10000);
    }
    return state == 'Z' || state == 'X';
}

/* The number that a fake compiler wrote to "<scratch>.pid", which goes; 0 if
 * there is none yet. */
static inline long
take_pid(void)
{
    char path[80];
    long pid = 0;
    snprintf(path, sizeof path, "%s.pid", scratch);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    if (pid)
        unlink(path);
    return pid;
}

/* The exit status of "body" in a forked child, -1 for a signal. */
static inline int
in_child(int (*body)(void))
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(60);
        _exit(body());
    }
    while (waitpid(pid, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
