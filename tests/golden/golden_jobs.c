/* SPDX-License-Identifier: MIT
 *
 * Jobs: rows of a file on a back end, in processes of their own, a few at a
 * time. So a crash is the failure of one job, and the slow back end, whose jobs
 * are started first, uses all processors. What jobs print appears in their
 * order.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/golden/golden_jobs.h"

/* ---- one job ---- */

/* Runs the job here; its counts go to *j->sum. */
static void
run(const golden_job *j)
{
    golden_report r = {.file = j->table.name, .jit = j->jit};
    char why[500] = "";
    if (!j->jit || golden_backend_there(j->jit, why, sizeof why)) {
        j->judge(&j->table, &r);
    } else {
        printf("%s: %s\n", j->jit, why);
        for (size_t k = 0; k < j->table.rows; k++)
            golden_skip(&r, "no such back end here");
    }
    golden_report_print(&r);
    *j->sum = (golden_totals){r.passed, r.failed, r.skipped};
}

/* Starts a process for the job; without one the job runs here. */
static void
start(golden_job *j)
{
    fflush(NULL);
    j->output = tmpfile();
    j->pid = j->output ? fork() : -1;
    if (j->pid == 0) {
        dup2(fileno(j->output), STDOUT_FILENO);
        run(j);
        exit(0);
    }
    if (j->pid < 0) {
        run(j);
        j->done = true;
    }
}

/* Prints what the process of the job printed, and how it ended if badly. */
static void
collect(golden_job *j)
{
    char block[4096];
    size_t n;
    if (!j->output)
        return;
    rewind(j->output);
    while ((n = fread(block, 1, sizeof block, j->output)) > 0)
        fwrite(block, 1, n, stdout);
    fclose(j->output);
    j->output = NULL;
    if (j->status == 0)
        return;
    bool signal = WIFSIGNALED(j->status);
    printf("%s: %s: ended by %s %d\n", j->table.name, j->jit ? j->jit : "-",
           signal ? "signal" : "exit status",
           signal ? WTERMSIG(j->status) : WEXITSTATUS(j->status));
    j->sum->failed++;
}

/* ---- all jobs ---- */

/* Waits for one process. */
static void
finish_one(golden_job *jobs, size_t count)
{
    int status = 0;
    pid_t pid = wait(&status);
    for (size_t i = 0; i < count; i++)
        if (jobs[i].pid == pid || pid < 0) {
            jobs[i].status = status;
            jobs[i].done = true;
        }
}

/* The job to start next: one on the slow back end if there is one left; NULL
 * when all have been started. */
static golden_job *
next_job(golden_job *jobs, size_t count)
{
    golden_job *next = NULL;
    for (size_t i = 0; i < count; i++) {
        bool slow = jobs[i].jit && golden_backend_find(jobs[i].jit)->slow;
        if (!jobs[i].pid && !jobs[i].done && slow)
            return &jobs[i];
        if (!jobs[i].pid && !jobs[i].done && !next)
            next = &jobs[i];
    }
    return next;
}

golden_totals
golden_jobs_run(golden_job *jobs, size_t count, int processes)
{
    golden_totals sum = {0, 0, 0};
    size_t bytes = count * sizeof *jobs->sum, printed = 0;
    golden_totals *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int running = 0;
    if (shared == MAP_FAILED)
        exit(2);
    for (size_t i = 0; i < count; i++)
        jobs[i].sum = &shared[i];
    while (printed < count) {
        golden_job *j = next_job(jobs, count);
        if (j && running < processes) {
            start(j);
            running += !j->done;
        } else if (j && processes == 0) {
            run(j);
            j->done = true;
        } else {
            finish_one(jobs, count);
            running--;
        }
        for (; printed < count && jobs[printed].done; printed++)
            collect(&jobs[printed]);
    }
    for (size_t i = 0; i < count; i++) {
        sum.passed += shared[i].passed;
        sum.failed += shared[i].failed;
        sum.skipped += shared[i].skipped;
    }
    munmap(shared, bytes);
    return sum;
}
