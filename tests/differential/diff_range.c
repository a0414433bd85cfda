/* SPDX-License-Identifier: MIT
 *
 * Recipes in processes of their own: what crashes is found by halving.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/differential/differential.h"

enum { SECONDS = 400 };

void *
diff_shared_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    return p;
}

/* Runs "body" in a child; its wait status. */
static int
in_child(void (*body)(void *arg), void *arg)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid == 0) {
        alarm(SECONDS);
        body(arg);
        fflush(NULL);
        exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void
describe(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "the process ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "the process ended with status %d",
                 WEXITSTATUS(status));
}

/* ---- ranges ---- */

typedef struct range {
    uint64_t seed, first;
    int count;
    const diff_options *o;
    diff_verdict *verdicts; /* shared */
    diff_totals *totals;    /* shared */
} range;

/* Makes and runs the recipes; those that are refused are left out. */
static void
run_range(void *arg)
{
    range *g = arg;
    diff_recipe *recipes = calloc((size_t)g->count + 1, sizeof *recipes);
    diff_verdict *verdicts = calloc((size_t)g->count + 1, sizeof *verdicts);
    int *at = calloc((size_t)g->count + 1, sizeof *at), n = 0;
    if (!recipes || !verdicts || !at)
        abort();
    for (int i = 0; i < g->count; i++) {
        at[n] = i;
        if (diff_recipe_make(&recipes[n], g->seed, g->first + (uint64_t)i))
            n++;
        else
            g->totals->refused++;
    }
    diff_run(recipes, n, g->o, verdicts, g->totals);
    for (int i = 0; i < n; i++)
        g->verdicts[at[i]] = verdicts[i];
    free(recipes);
    free(verdicts);
    free(at);
}

static void
add_totals(diff_totals *to, const diff_totals *from)
{
    to->programs += from->programs;
    to->outputs += from->outputs;
    to->kernels += from->kernels;
    to->elements += from->elements;
    to->refused += from->refused;
    to->ptx += from->ptx;
    for (int i = 0; i < 4; i++)
        to->seconds[i] += from->seconds[i];
}

void
diff_range_run(uint64_t seed, uint64_t first, int count, const diff_options *o,
               diff_verdict *verdicts, diff_totals *totals)
{
    size_t bytes = sizeof *totals + (size_t)count * sizeof *verdicts;
    diff_totals *shared = diff_shared_memory(bytes);
    range g = {seed, first, count, o, (diff_verdict *)(shared + 1), shared};
    int status = in_child(run_range, &g);
    memcpy(verdicts, g.verdicts, (size_t)count * sizeof *verdicts);
    if (status == 0) {
        add_totals(totals, shared);
    } else if (count == 1) {
        verdicts[0].failed = true;
        describe(status, verdicts[0].text, sizeof verdicts[0].text);
    } else {
        bool seen = false;
        diff_range_run(seed, first, count / 2, o, verdicts, totals);
        diff_range_run(seed, first + (uint64_t)count / 2, count - count / 2, o,
                       verdicts + count / 2, totals);
        for (int i = 0; i < count; i++)
            seen |= verdicts[i].failed;
        if (!seen) { /* not alone: memory was damaged before */
            verdicts[0].failed = true;
            describe(status, verdicts[0].text, sizeof verdicts[0].text);
        }
    }
    munmap(shared, bytes);
}

/* ---- one recipe ---- */

typedef struct single {
    const diff_recipe *recipe;
    const diff_options *o;
    diff_verdict *verdict; /* shared */
} single;

static void
run_single(void *arg)
{
    single *s = arg;
    diff_totals totals;
    memset(&totals, 0, sizeof totals);
    diff_run(s->recipe, 1, s->o, s->verdict, &totals);
}

bool
diff_fails(const diff_recipe *recipe, const diff_options *o,
           diff_verdict *verdict)
{
    diff_verdict *shared = diff_shared_memory(sizeof *shared);
    single s = {recipe, o, shared};
    int status = in_child(run_single, &s);
    if (status != 0) {
        shared->failed = true;
        describe(status, shared->text, sizeof shared->text);
    }
    *verdict = *shared;
    munmap(shared, sizeof *shared);
    return verdict->failed;
}
