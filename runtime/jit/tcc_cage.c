/* SPDX-License-Identifier: MIT
 *
 * The surroundings libtcc sees (see tcc_cage.h). Every ix_cage_* function
 * stands for the C library function of that name, by the list tcc_cage.syms:
 * allocations are kept in one list that is freed as a whole, ways to end the
 * process become a longjmp out of the visit, everything that touches the
 * system fails or does nothing. All are hidden and reached by libtcc alone.
 */
#define _GNU_SOURCE
#include "runtime/jit/tcc_cage.h"

#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

#define CAGED __attribute__((used, visibility("hidden")))

/* One allocation of libtcc: a member of the ring, followed by the bytes. */
typedef struct block {
    struct block *prev, *next;
} block;

static struct {
    const ix_mem *mem;
    ix_cage_end end;
    block ring;
    jmp_buf escape;
} visit;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The variables of libtcc; the section names are given by tcc_cage.sh, the
 * bounds by the linker. */
#define HIDDEN __attribute__((visibility("hidden")))
extern char __start_ilex_tcc_data[] HIDDEN, __stop_ilex_tcc_data[] HIDDEN;
extern char __start_ilex_tcc_bss[] HIDDEN, __stop_ilex_tcc_bss[] HIDDEN;

/* What the initialised variables are at first, and whether all of them fit. */
static char first_data[4096];
static bool first_known;

static locale_t c_locale;

static void
lock_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void
unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* When the library is loaded: keeps libtcc's first state and sees to it that a
 * fork never happens in the middle of a visit. Later would be too late: a fork
 * runs the handlers that were there when it began. Before other constructors:
 * handlers run last come first, and who compiles under a lock of his own
 * (eager_cache.c) takes that one before the cage's, in a fork too. */
__attribute__((constructor(1000))) static void
prepare(void)
{
    size_t n = (size_t)(__stop_ilex_tcc_data - __start_ilex_tcc_data);
    first_known = n <= sizeof first_data;
    if (first_known)
        memcpy(first_data, __start_ilex_tcc_data, n);
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale ||
        pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork))
        first_known = false;
}

static void
restore_first_state(void)
{
    memcpy(__start_ilex_tcc_data, first_data,
           (size_t)(__stop_ilex_tcc_data - __start_ilex_tcc_data));
    memset(__start_ilex_tcc_bss, 0,
           (size_t)(__stop_ilex_tcc_bss - __start_ilex_tcc_bss));
}

static void
free_ring(void)
{
    block *b = visit.ring.next;
    while (b != &visit.ring) {
        block *next = b->next;
        ix_mem_free(visit.mem, b);
        b = next;
    }
}

ix_cage_end
ix_cage_run(const ix_mem *mem, void (*body)(void *), void *arg)
{
    if (!first_known)
        return IX_CAGE_EXIT;
    pthread_mutex_lock(&lock);
    restore_first_state();
    visit.mem = mem;
    visit.end = IX_CAGE_DONE;
    visit.ring.prev = visit.ring.next = &visit.ring;
    if (setjmp(visit.escape) == 0)
        body(arg);
    free_ring();
    ix_cage_end end = visit.end;
    pthread_mutex_unlock(&lock);
    return end;
}

/* Leaves the visit; libtcc never continues. */
static _Noreturn void
escape(ix_cage_end end)
{
    visit.end = end;
    longjmp(visit.escape, 1);
}

/* ---- ways to end the process ---- */

CAGED _Noreturn void ix_cage_exit(int status);
void
ix_cage_exit(int status)
{
    (void)status;
    escape(IX_CAGE_EXIT);
}

CAGED _Noreturn void ix_cage_abort(void);
void
ix_cage_abort(void)
{
    escape(IX_CAGE_EXIT);
}

CAGED _Noreturn void ix_cage_assert_fail(const char *text, const char *file,
                                         unsigned line, const char *function);
void
ix_cage_assert_fail(const char *text, const char *file, unsigned line,
                    const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    escape(IX_CAGE_EXIT);
}

/* ---- memory ---- */

static void
link_block(block *b, block *prev, block *next)
{
    b->prev = prev;
    b->next = next;
    prev->next = next->prev = b;
}

CAGED void *
ix_cage_realloc(void *p, size_t bytes)
{
    block *old = p ? (block *)p - 1 : NULL;
    block *prev = old ? old->prev : &visit.ring;
    block *next = old ? old->next : visit.ring.next;
    if (bytes > SIZE_MAX / 2)
        escape(IX_CAGE_MEMORY);
    block *b = ix_mem_resize(visit.mem, old, sizeof *b + bytes);
    if (!b)
        escape(IX_CAGE_MEMORY);
    link_block(b, prev, next);
    return b + 1;
}

CAGED void *
ix_cage_malloc(size_t bytes)
{
    return ix_cage_realloc(NULL, bytes);
}

CAGED void *
ix_cage_calloc(size_t count, size_t bytes)
{
    if (bytes && count > SIZE_MAX / 2 / bytes)
        escape(IX_CAGE_MEMORY);
    return memset(ix_cage_realloc(NULL, count * bytes), 0, count * bytes);
}

CAGED void
ix_cage_free(void *p)
{
    if (!p)
        return;
    block *b = (block *)p - 1;
    b->prev->next = b->next;
    b->next->prev = b->prev;
    ix_mem_free(visit.mem, b);
}

/* ---- what depends on the clock or the locale ---- */

CAGED time_t
ix_cage_time(time_t *t)
{
    if (t)
        *t = 0;
    return 0;
}

CAGED struct tm *
ix_cage_localtime(const time_t *t)
{
    static struct tm epoch = {.tm_mday = 1, .tm_year = 70, .tm_wday = 4};
    (void)t;
    return &epoch;
}

CAGED double
ix_cage_strtod(const char *s, char **end)
{
    return strtod_l(s, end, c_locale);
}

CAGED float
ix_cage_strtof(const char *s, char **end)
{
    return strtof_l(s, end, c_locale);
}

CAGED long double
ix_cage_strtold(const char *s, char **end)
{
    return strtold_l(s, end, c_locale);
}

/* ---- what is refused or does nothing ---- */

CAGED void *ix_cage_stdout;
CAGED void *ix_cage_stderr;
static char *no_environment[1];
CAGED char **ix_cage_environ = no_environment;

/* A function that ignores its arguments and returns "value". The arguments
 * are left out: in every calling convention of C a callee may ignore them
 * when it is called through a prototype of its own. */
#define ANSWER(type, name, value)                                              \
    CAGED type ix_cage_##name(void);                                           \
    type ix_cage_##name(void)                                                  \
    {                                                                          \
        return value;                                                          \
    }

ANSWER(int, mprotect, 0) /* jit_tcc.c protects the pages itself */
ANSWER(int, open, -1)
ANSWER(int, open64, -1)
ANSWER(ssize_t, read, -1)
ANSWER(off_t, lseek, -1)
ANSWER(off_t, lseek64, -1)
ANSWER(int, close, -1)
ANSWER(void *, fdopen, NULL)
ANSWER(int, unlink, -1)
ANSWER(char *, getcwd, NULL)
ANSWER(char *, getenv, NULL)
ANSWER(int, sigaction, 0)
ANSWER(void *, dlopen, NULL)
ANSWER(void *, dlsym, NULL)
ANSWER(int, dlclose, 0)
ANSWER(int, sem_init, 0)
ANSWER(int, sem_wait, 0)
ANSWER(int, sem_post, 0)
ANSWER(int, printf, 0)
ANSWER(int, printf_chk, 0)
ANSWER(int, fprintf, 0)
ANSWER(int, fprintf_chk, 0)
ANSWER(int, vfprintf, 0)
ANSWER(int, vfprintf_chk, 0)
ANSWER(int, puts, 0)
ANSWER(int, putchar, 0)
ANSWER(int, fputs, 0)
ANSWER(int, fputc, 0)
ANSWER(size_t, fwrite, 0)
ANSWER(int, fflush, 0)
ANSWER(int, fclose, 0)
