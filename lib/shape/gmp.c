/* SPDX-License-Identifier: MIT
 *
 * The functions by which GMP gets its memory. They are looked up: isl may be
 * built without GMP, and who links isl need not link GMP.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "lib/shape/gmp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#include "lib/base/library.h"

typedef void *(*allocate_fn)(size_t bytes);
typedef void *(*reallocate_fn)(void *block, size_t before, size_t bytes);
typedef void (*free_fn)(void *block, size_t bytes);

/* What GMP has by itself: they end the process where there is no memory. */
static struct {
    allocate_fn allocate;
    reallocate_fn reallocate;
    free_fn free;
} usual;

/* The run that a thread is in. */
typedef struct run {
    jmp_buf left;
    void **reserve;
} run;

/* In the block of the thread itself: another one would have to be allocated. */
static _Thread_local run *inside __attribute__((tls_model("initial-exec")));

/* ---- allocating ---- */

static bool
give_reserve(void)
{
    if (!inside || !*inside->reserve)
        return false;
    free(*inside->reserve);
    *inside->reserve = NULL;
    return true;
}

static void *
allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p && give_reserve())
        p = malloc(bytes);
    if (!p && inside)
        longjmp(inside->left, 1);
    return p ? p : usual.allocate(bytes);
}

static void *
reallocate(void *block, size_t before, size_t bytes)
{
    void *p = realloc(block, bytes);
    if (!p && give_reserve())
        p = realloc(block, bytes);
    if (!p && inside)
        longjmp(inside->left, 1);
    return p ? p : usual.reallocate(block, before, bytes);
}

/* ---- replacing ---- */

/* Puts the address of a function, whatever its type, into "*f". */
static bool
find(const char *name, void *f)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    memcpy(f, &p, sizeof p);
    return p != NULL;
}

/* Replaces the functions, for good, if they are the usual ones. */
static void
replace(void)
{
    void (*get)(allocate_fn *, reallocate_fn *, free_fn *);
    void (*set)(allocate_fn, reallocate_fn, free_fn);
    allocate_fn a;
    reallocate_fn r;
    free_fn f;
    if (!find("__gmp_get_memory_functions", &get) ||
        !find("__gmp_set_memory_functions", &set) ||
        !find("__gmp_default_allocate", &usual.allocate) ||
        !find("__gmp_default_reallocate", &usual.reallocate) ||
        !find("__gmp_default_free", &usual.free))
        return;
    get(&a, &r, &f);
    if (a != usual.allocate || r != usual.reallocate || f != usual.free)
        return;
    ix_library_pin();
    set(allocate, reallocate, usual.free);
}

bool
ix_gmp_run(void **reserve, void (*body)(void *arg), void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    run r = {.reserve = reserve};
    pthread_once(&once, replace);
    if (setjmp(r.left) != 0) {
        inside = NULL;
        return false;
    }
    inside = &r;
    body(arg);
    inside = NULL;
    return true;
}
