/* SPDX-License-Identifier: MIT */
#include "runtime/program/again.h"

enum { MOST = 32 }; /* bindings */

/* What was bound to an argument. */
typedef struct known {
    size_t argument;
    uint64_t serial; /* of the storage; of a number 0 */
    ilex_binding is;
} known;

typedef struct ix_again {
    ilex_program *p; /* counted */
    size_t count;
    known binding[MOST];
    ix_run run;
    void *block; /* of it */
    ix_halo *halo;
    size_t nhalos;
} ix_again;

static void
forget(void *kept)
{
    ix_again *a = kept;
    if (!a)
        return;
    const ix_mem mem = a->p->mem;
    ix_mem_free(&a->run.p->mem, a->block);
    ix_mem_free(&a->run.p->mem, a->halo);
    ilex_program_release(a->p);
    ix_mem_free(&mem, a);
}

/* Does nothing but storages and numbers say what a run is? */
static bool
is_plain(const ix_run *r)
{
    const ilex_call *call = r->call;
    return r->nbindings <= MOST && r->bindings &&
           (!call || (!call->size_count && !call->workspace && !call->box &&
                      !call->counted_count));
}

/* What binding "i" says; false if it is a size, or not an argument. */
static bool
read_binding(const ilex_program *p, const ix_run *r, size_t i, known *k)
{
    const ilex_binding *b = &r->bindings[i];
    bool storage = b->kind == ILEX_BOUND_STORAGE;
    *k = (known){.argument = ix_binding_argument(p->c, b, i),
                 .serial = storage && b->storage ? b->storage->serial : 0,
                 .is = *b};
    return k->argument < p->c->narguments && (!storage || k->serial);
}

static bool
is_same(const known *a, const known *b)
{
    const ilex_binding *x = &a->is, *y = &b->is;
    return a->argument == b->argument && a->serial == b->serial &&
           x->kind == y->kind && x->storage == y->storage &&
           x->integer == y->integer && !memcmp(&x->re, &y->re, sizeof x->re) &&
           !memcmp(&x->im, &y->im, sizeof x->im);
}

static bool
is_again(ix_again *a, const ix_run *r)
{
    bool same = a->p == r->p && a->count == r->nbindings && is_plain(r);
    for (size_t i = 0; same && i < a->count; i++) {
        known now;
        same = read_binding(r->p, r, i, &now) && is_same(&a->binding[i], &now);
    }
    for (size_t i = 0; same && i < a->nhalos; i++)
        same = !ix_halo_is_stale(&a->halo[i]);
    return same;
}

bool
ix_again_run(const ix_run *r, ilex_status *rc)
{
    ix_again *a = r->grid->again;
    if (!a || !is_again(a, r))
        return false;
    a->run.err = r->err;
    a->run.call = r->call;
    a->run.threads = ix_run_threads(&a->run);
    *rc = ix_run_steps(&a->run);
    return true;
}

bool
ix_again_keep(const ilex_program *p, const ix_run *r, void *block,
              ix_halo *halo, size_t nhalos)
{
    ilex_grid *grid = r->grid;
    ix_again *a = is_plain(r) ? ix_mem_new(&p->mem, sizeof *a) : NULL;
    bool ok = a != NULL;
    for (size_t i = 0; ok && i < r->nbindings; i++)
        ok = read_binding(p, r, i, &a->binding[i]);
    if (!ok) {
        ix_mem_free(&p->mem, a);
        return false;
    }
    a->p = ilex_program_retain((ilex_program *)(uintptr_t)p);
    a->count = r->nbindings;
    a->run = *r;
    a->run.bindings = NULL; /* the caller's */
    a->run.nbindings = 0;
    a->block = block;
    a->halo = halo;
    a->nhalos = nhalos;
    forget(grid->again);
    grid->again = a;
    grid->forget_again = forget;
    return true;
}
