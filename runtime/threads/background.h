/* SPDX-License-Identifier: MIT
 *
 * Work that nobody stands waiting for. Threads are made when there is a task
 * and end when there is none left; fork() leaves a child without tasks; exit()
 * asks those at work to stop and gives them a moment. Any thread.
 */
#ifndef ILEX_RUNTIME_BACKGROUND_H
#define ILEX_RUNTIME_BACKGROUND_H

#include <stdatomic.h>

#include "lib/base/prelude.h"

typedef enum ix_task_state {
    IX_TASK_IDLE, /* not started, or taken back */
    IX_TASK_QUEUED,
    IX_TASK_RUNNING,
    IX_TASK_DONE
} ix_task_state;

/* Lives in what it works for, which calls ix_task_end() before it goes. */
typedef struct ix_task {
    void (*run)(struct ix_task *task);
    /* In the child of a fork, for a task that was queued or at work: it is idle
     * again there, and nothing of it goes on. Only plain stores are allowed. */
    void (*lost)(struct ix_task *task);
    atomic_bool stop; /* "run" is to return as soon as it can */
    ix_task_state state;
    struct ix_task *next;
} ix_task;

/* Starts an idle task; false if it is not idle or no thread can be had. */
bool ix_task_start(ix_task *task);

/* Returns when the task is idle or done, taken back or stopped if need be. */
void ix_task_end(ix_task *task);

/* Waits until it is idle or done, at most "seconds"; false if it is not. */
bool ix_task_wait(ix_task *task, double seconds);

#endif
