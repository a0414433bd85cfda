/* SPDX-License-Identifier: MIT
 *
 * One run: the block of memory that it works with, binding, the walk.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/messages.h"

/* ---- one run ---- */

void *
ix_run_block(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t words = (size_t)c->tables->words * sizeof(int64_t);
    size_t axes = (size_t)c->tables->naxes;
    char *p = ix_mem_new(
        &r->p->mem,
        words + c->narguments * IX_CELL + (c->nbuffers + 1) * sizeof *r->value +
            (c->narguments + 1) * sizeof *r->bound + r->p->most_arguments +
            axes * sizeof *r->axis + c->narguments);
    char *at = p;
    if (!p)
        return NULL;
    r->cell = (char(*)[IX_CELL])(void *)at;
    at += c->narguments * IX_CELL;
    ix_lay_out(&r->s, c->tables, (int64_t *)(void *)at);
    at += words;
    r->bound = (const ilex_storage **)(void *)at;
    at += (c->narguments + 1) * sizeof *r->bound;
    r->value = (const char **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->value;
    r->arguments = at;
    at += r->p->most_arguments;
    r->axis = (int *)(void *)at;
    r->seen = (unsigned char *)(r->axis + axes);
    r->s.spare = r->p->is_variant;
    if (r->call) {
        r->s.workspace = r->call->workspace;
        r->s.workspace_bytes = r->call->workspace_bytes;
    }
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
                  .nbindings = r->nbindings,
                  .grid = r->grid};
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

ilex_status
ix_run_here(ix_run *r)
{
    void *block = NULL;
    ilex_status rc = ix_run_bind(r, &block);
    if (!rc) {
        r->threads = ix_run_threads(r);
        rc = ix_run_steps(r);
    }
    ix_mem_free(&r->p->mem, block);
    return rc;
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
    if (call && call->group)
        return ix_messages_run(&r);
    if (count > 0 && !bindings)
        return ix_fail(err, ILEX_E_ARGUMENT, "run: bindings is NULL");
    r.grid = ix_ranks_grid(bindings, count);
    return r.grid ? ix_ranks_run(&r) : ix_run_here(&r);
}

ilex_status
ix_tell_call(ilex_call *call, ilex_status rc, const char *text)
{
    if (call && call->size >= offsetof(ilex_call, counted)) {
        call->error[0] = 0;
        if (rc)
            snprintf(call->error, sizeof call->error, "%.*s",
                     (int)sizeof call->error - 1, text);
    }
    return rc;
}

ilex_status
ilex_run(const ilex_program *p, const ilex_binding *bindings, size_t count,
         ilex_call *call)
{
    ix_error err;
    ilex_call full; /* a run of a few points would notice it being cleared */
    if (call && call->size < offsetof(ilex_call, error))
        return ILEX_E_ARGUMENT;
    if (!p)
        return ix_tell_call(call, ILEX_E_ARGUMENT, "run: the program is NULL");
    ix_error_clear(&err);
    bool older = call && call->size < sizeof full;
    if (older) {
        memset(&full, 0, sizeof full);
        memcpy(&full, call, call->size);
    }
    ilex_status rc = run(p, bindings, count, older ? &full : call, &err);
    return ix_tell_call(call, rc, err.text);
}
