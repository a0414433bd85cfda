/* SPDX-License-Identifier: MIT
 *
 * jit=auto: a program runs at once on code that was compiled quickly. When it
 * has run for longer than good code would take to compile, that is compiled in
 * the background, and launches use it from then on. Nothing else changes, nor
 * does a bit of a result. What fails there is told to the log later; the
 * program goes on with what it has.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/fork.h"
#include "runtime/program/messages.h"
#include "runtime/threads/background.h"

typedef enum outcome { OPEN, DONE, FAILED } outcome;

struct ix_promotion {
    ix_task task; /* first: a task is its promotion */
    ilex_program *p;
    const ix_backend *backend;
    ix_toolchain tools; /* its texts are this struct's */
    ix_tier *tier;      /* what the task made */
    _Atomic outcome outcome;
    double after;         /* seconds of running; less than 0: as measured */
    double bytes;         /* to compile */
    bool automatic;       /* runs start it */
    atomic_bool counting; /* and have not yet */
    _Atomic double ran;
    void (*log)(void *user, ilex_level level, const char *text);
    void *log_user; /* of the context */
    ix_error error; /* FAILED: why */
};

/* ---- what is told later ----
 *
 * A log is called by its context's thread alone, so that a message waits for
 * the next time this context compiles. */

typedef struct note {
    struct note *next;
    void (*log)(void *user, ilex_level level, const char *text);
    void *user;
    char text[600];
} note;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static note *notes;

IX_FORK_TAKES(lock, constructor(IX_FORK_FIRST))

/* The same is not told twice. */
static void
keep_note(const ix_promotion *m)
{
    note *n = m->log ? calloc(1, sizeof *n) : NULL, **at;
    if (!n)
        return;
    n->log = m->log;
    n->user = m->log_user;
    snprintf(n->text, sizeof n->text, "jit=auto: %.60s stays with %s: %.480s",
             m->p->c->name, m->p->backend->name, m->error.text);
    pthread_mutex_lock(&lock);
    for (at = &notes; *at; at = &(*at)->next)
        if ((*at)->user == n->user && !strcmp((*at)->text, n->text))
            break;
    bool known = *at != NULL;
    if (!known)
        *at = n;
    pthread_mutex_unlock(&lock);
    if (known)
        free(n);
}

/* Takes a note of this log out; NULL: there is none. */
static note *
take_note(const ilex_context *ctx)
{
    note **at = &notes, *n;
    pthread_mutex_lock(&lock);
    while (*at && ((*at)->log != ctx->log || (*at)->user != ctx->log_user))
        at = &(*at)->next;
    n = *at;
    if (n)
        *at = n->next;
    pthread_mutex_unlock(&lock);
    return n;
}

void
ix_promotion_tell(ilex_context *ctx)
{
    for (note *n; ctx->log && (n = take_note(ctx)); free(n))
        ix_log(ctx, ILEX_WARNING, "%s", n->text);
}

/* ---- compiling, with malloc's memory: the thread is not the user's ---- */

/* Source that takes as long as the compiler's start. */
enum { START_BYTES = 4096 };

/* Seconds for a byte of source: a guess, then what was measured last. */
static _Atomic double pace = 1e-5;

/* No compiler is as quick: the code was on disk, which says nothing. */
static const double not_compiled = 0.005;

static double
count_bytes(const ix_sources *source)
{
    double bytes = START_BYTES;
    for (size_t i = 0; i < source->nunits; i++)
        bytes += (double)strlen(source->unit[i]);
    return bytes;
}

static void
promote(ix_task *task)
{
    ix_promotion *m = (ix_promotion *)task;
    ix_error_clear(&m->error);
    m->tier =
        ix_tier_new(&ix_mem_default, m->p, m->backend, &m->tools, &m->error);
    if (m->tier) {
        if (m->tier->seconds > not_compiled)
            atomic_store(&pace, m->tier->seconds / m->bytes);
        atomic_store_explicit(&m->p->tier, m->tier, memory_order_release);
        atomic_store(&m->outcome, DONE);
    } else if (!atomic_load(&task->stop)) {
        keep_note(m);
        atomic_store(&m->outcome, FAILED);
    }
}

/* Nothing was made, and the child may want it for itself. */
static void
forget(ix_task *task)
{
    ix_promotion *m = (ix_promotion *)task;
    atomic_store(&m->counting, m->automatic);
}

/* Only the first of those who call it starts the task. */
static void
start(ix_promotion *m)
{
    atomic_store(&m->counting, false);
    ix_task_start(&m->task);
}

/* ---- its life ---- */

static const char *
copy_text(const ix_mem *mem, const char *text, bool *ok)
{
    size_t n = text ? strlen(text) + 1 : 0;
    char *copy = text ? ix_mem_new(mem, n) : NULL;
    *ok = *ok && (copy || !text);
    return copy ? memcpy(copy, text, n) : NULL;
}

ix_promotion *
ix_promotion_new(ilex_program *p, const ix_backend *backend, ilex_context *ctx)
{
    const char *after = ix_option_text(ctx, IX_OPTION_tier_after);
    bool ok = true;
    ix_promotion *m = ix_mem_new(&p->mem, sizeof *m);
    if (!m)
        return NULL;
    m->task.run = promote;
    m->task.lost = forget;
    m->p = p;
    m->backend = backend;
    m->tools = ix_toolchain_of(ctx);
    m->tools.cc = copy_text(&p->mem, m->tools.cc, &ok);
    m->tools.cflags = copy_text(&p->mem, m->tools.cflags, &ok);
    m->tools.stop = &m->task.stop;
    m->tools.cache.directory =
        copy_text(&p->mem, m->tools.cache.directory, &ok);
    m->tools.cache.note = NULL; /* the context's thread was told */
    m->bytes = count_bytes(&p->c->source[backend->dialect]);
    m->after = strcmp(after, "measured") ? strtod(after, NULL) : -1;
    m->log = ctx->log;
    m->log_user = ctx->log_user;
    if (!ok) {
        ix_promotion_free(m);
        return NULL;
    }
    m->automatic = strcmp(after, "never") != 0;
    atomic_store(&m->counting, m->automatic);
    if (m->automatic && m->after == 0)
        start(m);
    return m;
}

void
ix_promotion_free(ix_promotion *m)
{
    if (!m)
        return;
    ix_mem mem = m->p->mem;
    ix_task_end(&m->task);
    ix_tier_free(m->tier);
    ix_mem_free(&mem, (char *)(uintptr_t)m->tools.cc);
    ix_mem_free(&mem, (char *)(uintptr_t)m->tools.cflags);
    ix_mem_free(&mem, (char *)(uintptr_t)m->tools.cache.directory);
    ix_mem_free(&mem, m);
}

/* ---- counting runs ---- */

bool
ix_promotion_counts(const ix_promotion *m)
{
    return m && atomic_load_explicit(&m->counting, memory_order_relaxed);
}

bool
ix_promotion_is_done(const ix_promotion *m)
{
    return m && atomic_load(&m->outcome) == DONE;
}

void
ix_promotion_ran(ix_promotion *m, double took)
{
    if (!ix_promotion_counts(m))
        return;
    double after = m->after < 0 ? atomic_load(&pace) * m->bytes : m->after;
    took += atomic_load_explicit(&m->ran, memory_order_relaxed);
    atomic_store_explicit(&m->ran, took, memory_order_relaxed);
    if (took >= after)
        start(m);
}

/* Of the program alone, without variants. */
static ilex_status
wait_one(const ilex_program *p, double seconds)
{
    ix_promotion *m = p->promotion;
    if (!m)
        return ILEX_OK;
    if (atomic_load(&m->outcome) == OPEN) {
        start(m);
        if (!ix_task_wait(&m->task, seconds))
            return ILEX_E_TIMEOUT;
    }
    switch (atomic_load(&m->outcome)) {
    case DONE:
        return ILEX_OK;
    case FAILED:
        return m->error.code;
    default:
        return ILEX_E_MEMORY; /* no thread */
    }
}

ilex_status
ilex_program_wait(const ilex_program *p, double seconds)
{
    double until = ix_clock() + seconds;
    const ilex_program *v;
    if (!p)
        return ILEX_E_ARGUMENT;
    ilex_status rc = wait_one(p, seconds);
    for (size_t i = 0; !rc && (v = ilex_program_variant(p, i, NULL)); i++) {
        double left = until - ix_clock();
        rc = wait_one(v, left > 0 ? left : 0);
    }
    for (size_t i = 0; !rc && p->messages && i < p->messages->n; i++) {
        double left = until - ix_clock();
        rc = ilex_program_wait(p->messages->part[i].program,
                               left > 0 ? left : 0);
    }
    return rc;
}

ilex_status
ilex_programs_wait(size_t n, const ilex_program *const *programs,
                   double seconds)
{
    double until = ix_clock() + seconds;
    ilex_status first = ILEX_OK;
    for (size_t i = 0; i < n; i++)
        if (!programs[i])
            return ILEX_E_ARGUMENT;
    for (size_t i = 0; i < n; i++) {
        ix_promotion *m = programs[i]->promotion;
        if (m && atomic_load(&m->outcome) == OPEN)
            start(m);
    }
    for (size_t i = 0; i < n; i++) {
        double left = until - ix_clock();
        ilex_status rc = ilex_program_wait(programs[i], left > 0 ? left : 0);
        first = first ? first : rc;
    }
    return first;
}

const char *
ilex_program_note(const ilex_program *p)
{
    const ix_promotion *m = p->promotion;
    return m && atomic_load(&m->outcome) == FAILED ? m->error.text : "";
}
