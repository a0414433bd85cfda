/* SPDX-License-Identifier: MIT
 *
 * Programs in processes of their own, and fewer lines of those that fail.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/repeat/repeat.h"

enum { SECONDS = 60 };

void
repeat_try(const repeat_program *p, const repeat_options *o, repeat_verdict *v)
{
    static repeat_verdict *shared;
    int status;
    if (!shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    memset(shared, 0, sizeof *shared);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        repeat_run(p, o, shared);
        fflush(NULL);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    *v = *shared;
    if (status != 0) {
        v->failed = true;
        v->refused = false;
        snprintf(v->text, sizeof v->text, "ended by signal %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
}

/* Do both fail on the same back end, with the same message but for names and
 * numbers? */
static bool
is_same(const repeat_verdict *a, const repeat_verdict *b)
{
    const char *x = a->text, *y = b->text;
    if (a->failed != b->failed || a->refused != b->refused)
        return false;
    for (int words = 0; words < 12 && *x && *y; words++) {
        size_t n = strcspn(x, " "), m = strcspn(y, " ");
        bool plain = strcspn(x, "0123456789'") >= n;
        if (plain && (n != m || strncmp(x, y, n) != 0))
            return false;
        x += n + (x[n] == ' ');
        y += m + (y[m] == ' ');
    }
    return true;
}

void
repeat_shrink(repeat_program *p, const repeat_options *o, repeat_verdict *v)
{
    bool again = true;
    while (again) {
        again = false;
        for (int i = p->nlines - 1; i >= 0; i--) {
            repeat_verdict now;
            if (p->line[i].gone || p->line[i].kind == REPEAT_END)
                continue;
            p->line[i].gone = true;
            repeat_try(p, o, &now);
            if (is_same(v, &now)) {
                again = true;
                *v = now;
            } else {
                p->line[i].gone = false;
            }
        }
    }
}
