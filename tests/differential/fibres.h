/* SPDX-License-Identifier: MIT
 *
 * The threads of a group, or of a block, on the CPU: each has a stack of its
 * own and runs until it asks for what another one has, or waits for others;
 * then the next one runs. Included once by each stand-in for CUDA.
 */
#ifndef ILEX_TESTS_FIBRES_H
#define ILEX_TESTS_FIBRES_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define FIBRE_LEAVE(fake, stack, bytes)                                        \
    __sanitizer_start_switch_fiber(fake, stack, bytes)
#define FIBRE_ENTER(fake, stack, bytes)                                        \
    __sanitizer_finish_switch_fiber(fake, stack, bytes)
#else
#define FIBRE_LEAVE(fake, stack, bytes) ((void)(fake), (void)(bytes))
#define FIBRE_ENTER(fake, stack, bytes)                                        \
    ((void)(fake), (void)(stack), (void)(bytes))
#endif

enum {
    FIBRES = 128,
    FIBRE_STACK = 1 << 18,
    FIBRE_CELL = 16,
    FIBRE_ARRAYS = 64, /* that they share, and bytes of each */
    FIBRE_ARRAY = 48 << 10
};

typedef struct fibre {
    ucontext_t context;
    char *stack;
    void *fake; /* of the sanitizer */
    int rounds; /* how often it asked */
    int is_done;
    char cell[2][FIBRE_CELL]; /* what it has, of an even and an odd round */
    char got[FIBRE_CELL];
} fibre;

/* Those of a group; which one runs, and in which direction the next one is. */
typedef struct fibres {
    fibre all[FIBRES];
    ucontext_t caller;
    void *fake; /* of the sanitizer; what it says of the caller's stack */
    const void *caller_stack;
    size_t caller_bytes;
    char *stacks;
    int n, at, step, left;
    long runs;                        /* how often some ran */
    void (*enter)(void *user, int i); /* thread "i" runs on */
    void (*body)(void *user);
    void *user;
} fibres;

static __thread fibres fibres_now;

static void
fibres_fail(const char *why)
{
    fprintf(stderr, "a group of threads: %s\n", why);
    abort();
}

/* From fibre "i", -1: the caller, to the next one that is not done. */
static void
fibres_go_on(int i)
{
    fibres *f = &fibres_now;
    ucontext_t *from = i < 0 ? &f->caller : &f->all[i].context;
    void **fake = i < 0 ? &f->fake : &f->all[i].fake;
    int ends = i >= 0 && f->all[i].is_done;
    if (f->left == 0) {
        FIBRE_LEAVE(NULL, f->caller_stack, f->caller_bytes);
        setcontext(&f->caller);
    }
    do
        f->at = (f->at + f->step) % f->n;
    while (f->all[f->at].is_done);
    if (f->at == i)
        return;
    f->enter(f->user, f->at);
    FIBRE_LEAVE(ends ? NULL : fake, f->all[f->at].stack, FIBRE_STACK);
    if (ends)
        setcontext(&f->all[f->at].context);
    swapcontext(from, &f->all[f->at].context);
    FIBRE_ENTER(*fake, NULL, NULL);
}

static void
fibres_main(void)
{
    fibres *f = &fibres_now;
    const void *stack = NULL;
    size_t bytes = 0;
    FIBRE_ENTER(NULL, &stack, &bytes);
    if (!f->caller_bytes) { /* the first one comes from there */
        f->caller_stack = stack;
        f->caller_bytes = bytes ? bytes : 1;
    }
    int i = f->at;
    f->body(f->user);
    f->all[i].is_done = 1;
    f->left--;
    fibres_go_on(i);
}

static pthread_key_t fibres_key;
static pthread_once_t fibres_once = PTHREAD_ONCE_INIT;

static void
fibres_make_key(void)
{
    if (pthread_key_create(&fibres_key, free) != 0)
        fibres_fail("no key");
}

/* Memory for stacks, and arrays, until the thread ends. */
static char *
fibres_stacks(void)
{
    char *stacks = (char *)malloc((size_t)FIBRES * FIBRE_STACK +
                                  (size_t)FIBRE_ARRAYS * FIBRE_ARRAY);
    pthread_once(&fibres_once, fibres_make_key);
    if (!stacks || pthread_setspecific(fibres_key, stacks) != 0)
        fibres_fail("no memory");
    return stacks;
}

/* Calls "body" in "n" threads, from the first one on or from the last one
 * backwards. */
static void
fibres_run(int n, int backwards, void (*enter)(void *user, int i),
           void (*body)(void *user), void *user)
{
    fibres *f = &fibres_now;
    if (!f->stacks)
        f->stacks = fibres_stacks();
    f->caller_bytes = 0;
    for (int i = 0; i < n; i++) {
        fibre *x = &f->all[i];
        x->stack = f->stacks + (size_t)i * FIBRE_STACK;
        getcontext(&x->context);
        x->context.uc_stack.ss_sp = x->stack;
        x->context.uc_stack.ss_size = FIBRE_STACK;
        x->context.uc_link = NULL;
        x->rounds = x->is_done = 0;
        makecontext(&x->context, fibres_main, 0);
    }
    f->n = f->left = n;
    f->runs++;
    f->step = backwards ? n - 1 : 1;
    f->at = backwards ? 0 : n - 1;
    f->enter = enter;
    f->body = body;
    f->user = user;
    fibres_go_on(-1);
}

/* Memory that the threads share, one for each array; before they run nothing is
 * in it that a program has. */
static inline void *
fibres_shared(int array, size_t bytes)
{
    static __thread long made[FIBRE_ARRAYS];
    fibres *f = &fibres_now;
    int i = array % FIBRE_ARRAYS;
    char *memory = f->stacks + FIBRES * FIBRE_STACK + (size_t)i * FIBRE_ARRAY;
    if (bytes > FIBRE_ARRAY)
        fibres_fail("there is more memory than threads share");
    if (made[i] != f->runs)
        memset(memory, 0xb5, bytes);
    made[i] = f->runs;
    return memory;
}

/* What thread "from" of the group has, when each has what it asks with; where
 * there is none of so high a number, what this one has. */
static const void *
fibres_exchange(const void *value, size_t bytes, int from)
{
    fibres *f = &fibres_now;
    if (from < 0 || f->left == 0)
        fibres_fail("one asks for what a thread of another one has");
    int i = f->at, odd = f->all[i].rounds & 1;
    fibre *own = &f->all[i];
    memcpy(own->cell[odd], value, bytes);
    own->rounds++;
    fibres_go_on(i);
    for (int k = 0; k < f->n; k++)
        if (f->all[k].rounds < own->rounds)
            fibres_fail("one asks for what another one has, which is gone");
    memcpy(own->got, f->all[from < f->n ? from : i].cell[odd], bytes);
    return own->got;
}

#endif
