/* SPDX-License-Identifier: MIT
 *
 * One run: the block of memory that it works with, binding, the walk.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/program.h"

/* ---- one run ---- */

void *
ix_run_block(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t axes = (size_t)c->nstrides + 1;
    size_t bytes = (c->nbuffers + 1) * (sizeof *r->bound + sizeof *r->home +
                                        sizeof *r->base + sizeof *r->value) +
                   2 * (c->nsizes + 1) * sizeof *r->size +
                   axes * (sizeof *r->stride + sizeof *r->cover) +
                   (c->nbuffers + 1) * sizeof *r->part + r->p->most_arguments +
                   r->p->equations->n * (sizeof *r->index + sizeof *r->use) +
                   axes * sizeof *r->axis + c->narguments * IX_CELL +
                   c->narguments;
    char *p = ix_mem_new(&r->p->mem, bytes), *at = p;
    if (!p)
        return NULL;
    r->cell = (char(*)[IX_CELL])(void *)at;
    at += c->narguments * IX_CELL;
    r->bound = (const ilex_storage **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->bound;
    r->home = (char **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->home;
    r->base = (char **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->base;
    r->value = (const char **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->value;
    r->size = (int64_t *)(void *)at;
    at += (c->nsizes + 1) * sizeof *r->size;
    r->least = c->ncounts ? (int64_t *)(void *)at : r->size;
    at += (c->nsizes + 1) * sizeof *r->least;
    r->stride = (int64_t *)(void *)at;
    at += axes * sizeof *r->stride;
    r->cover = (int64_t(*)[2])(void *)at;
    at += axes * sizeof *r->cover;
    r->index = (int64_t *)(void *)at;
    at += r->p->equations->n * sizeof *r->index;
    r->part = (int64_t *)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->part;
    r->arguments = at;
    at += r->p->most_arguments;
    r->axis = (int *)(void *)at;
    at += axes * sizeof *r->axis;
    r->use = (unsigned char *)at;
    r->seen = r->use + r->p->equations->n;
    return p;
}

/* Begins again, for another program. */
static ilex_status
change_program(ix_run *r, const ilex_program *p, void **block)
{
    ix_mem_free(&r->p->mem, *block);
    *r = (ix_run){.p = p,
                  .call = r->call,
                  .err = r->err,
                  .bindings = r->bindings,
                  .nbindings = r->nbindings};
    *block = ix_run_block(r);
    return *block ? ix_bind_arguments(r) : ix_fail_memory(r->err);
}

ilex_status
ix_run_bind(ix_run *r, void **block)
{
    *block = ix_run_block(r);
    ilex_status rc = *block ? ix_bind_arguments(r) : ix_fail_memory(r->err);
    const ilex_program *p = rc ? r->p : ix_layouts_find(r);
    if (p != r->p)
        rc = change_program(r, p, block);
    rc = rc ? rc : ix_bind_values(r);
    p = rc ? r->p : ix_layouts_make(r);
    if (p == r->p)
        return rc;
    rc = change_program(r, p, block);
    return rc ? rc : ix_bind_values(r);
}

int
ix_run_threads(const ix_run *r)
{
    int threads =
        r->call && r->call->threads > 0 ? r->call->threads : r->p->threads;
    threads = threads == 0 ? ix_meter_threads(r) : threads;
    return threads < 1 ? 1 : threads > 1024 ? 1024 : threads;
}

static ilex_status
run(const ilex_program *p, const ilex_binding *bindings, size_t count,
    ilex_call *call, ix_error *err)
{
    ix_run r = {.p = p,
                .call = call,
                .err = err,
                .bindings = bindings,
                .nbindings = count};
    if (count > 0 && !bindings)
        return ix_fail(err, ILEX_E_ARGUMENT, "run: bindings is NULL");
    void *block = NULL;
    ilex_status rc = ix_run_bind(&r, &block);
    if (!rc) {
        r.threads = ix_run_threads(&r);
        rc = ix_run_steps(&r);
    }
    ix_mem_free(&p->mem, block);
    return rc;
}

ilex_status
ilex_run(const ilex_program *p, const ilex_binding *bindings, size_t count,
         ilex_call *call)
{
    ix_error err;
    ilex_call full; /* a run of a few points would notice it being cleared */
    if (!p || (call && call->size < offsetof(ilex_call, error)))
        return ILEX_E_ARGUMENT;
    ix_error_clear(&err);
    bool older = call && call->size < sizeof full;
    if (older) {
        memset(&full, 0, sizeof full);
        memcpy(&full, call, call->size);
    }
    ilex_status rc = run(p, bindings, count, older ? &full : call, &err);
    if (call && call->size >= offsetof(ilex_call, counted)) {
        call->error[0] = 0;
        if (rc)
            snprintf(call->error, sizeof call->error, "%.*s",
                     (int)sizeof call->error - 1, err.text);
    }
    return rc;
}
