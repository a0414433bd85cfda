/* SPDX-License-Identifier: MIT
 *
 * Calls of the library's routines, which run on the host by its threads. What
 * lies on a device is copied there and back.
 */
#include "lib/sort/sort.h"
#include "runtime/program/program.h"

static void
run_parts(void *user, void (*body)(void *arg, int64_t i), void *arg, int64_t n)
{
    const ix_run *r = user;
    ix_pool_run(r->threads, n, body, arg);
}

static void
call(ix_run *r, const ix_compiled_call *c)
{
    bool theirs = r->call && r->call->parallel_for;
    const ix_routine x = {.what = c->routine,
                          .axis = c->axis,
                          .array = r->s.given,
                          .parts = r->threads > 1 ? r->threads : 1,
                          .parallel_for =
                              theirs ? r->call->parallel_for : run_parts,
                          .user = theirs ? r->call->user : r};
    ix_call_routine(&x);
}

/* ---- arrays of a device ---- */

/* Where an array lies, and its copy. */
typedef struct copy {
    char *there, *here;
    int64_t bytes;
} copy;

/* From the first byte of an array to behind the last one. */
static copy
extent_of(const ilex_function_array *a)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes((ilex_dtype)a->dtype);
    int64_t lo = 0, hi = bytes;
    for (int k = 0; k < a->rank; k++) {
        int64_t last = (a->shape[k] - 1) * a->stride[k] * bytes;
        if (a->shape[k] == 0)
            return (copy){a->data, NULL, 0};
        lo += last < 0 ? last : 0;
        hi += last < 0 ? 0 : last;
    }
    return (copy){(char *)a->data + lo, NULL, hi - lo};
}

/* The array has its copy in its place; memory that the routine works in is not
 * copied. */
static ilex_status
bring(ix_run *r, ilex_function_array *a, bool copied, copy *c)
{
    *c = extent_of(a);
    c->here = ix_mem_new(&r->p->mem, (size_t)c->bytes + 1);
    if (!c->here)
        return ix_fail_memory(r->err);
    a->data = c->here + ((char *)a->data - c->there);
    return copied && c->bytes > 0 ? r->p->backend->engine->fetch(
                                        r, c->here, c->there, (size_t)c->bytes)
                                  : ILEX_OK;
}

/* Elements between those of the result stay as they are. */
static ilex_status
call_with_copies(ix_run *r, const ix_compiled_call *c)
{
    enum { ARRAYS = 4 };
    const ix_engine *e = r->p->backend->engine;
    copy copies[ARRAYS] = {{NULL, NULL, 0}}, *result = &copies[c->narguments];
    ilex_status rc = e->wait && r->busy ? e->wait(r) : ILEX_OK;
    r->busy = false;
    for (int k = 0; !rc && k < c->narguments + c->nresults; k++)
        if (!r->value || !r->value[c->slice[k].buffer])
            rc = bring(r, &r->s.given[k], k <= c->narguments, &copies[k]);
        else
            r->s.given[k].data =
                (void *)(uintptr_t)r->value[c->slice[k].buffer];
    if (!rc)
        call(r, c);
    if (!rc && result->bytes > 0)
        rc = e->put(r, result->there, result->here, (size_t)result->bytes);
    for (int k = 0; k < ARRAYS; k++)
        ix_mem_free(&r->p->mem, copies[k].here);
    return rc;
}

ilex_status
ix_run_routine(ix_run *r, const ix_compiled_call *c)
{
    if (r->p->backend->engine->put)
        return call_with_copies(r, c);
    call(r, c);
    return ILEX_OK;
}
