/* SPDX-License-Identifier: MIT
 *
 * Running: the block of a run, the workspace, launching kernels over threads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/fpenv.h"
#include "runtime/program/program.h"

/* Elements of a box; false on overflow. */
static bool
box_elements(const ix_compiled_buffer *b, const int64_t *size, int64_t *count)
{
    int64_t n = 1;
    for (int k = 0; k < b->rank; k++) {
        int64_t lo, hi;
        if (!ix_range_eval(&b->box[k], size, &lo, &hi) ||
            !ix_mul(n, hi > lo ? hi - lo : 0, &n))
            return false;
    }
    *count = n;
    return true;
}

/* Slots one after another at multiples of 64 bytes, each as large as its
 * largest tenant. */
int64_t
ix_workspace_bytes(const ix_compiled *c, const int64_t *size, int64_t *offset)
{
    int64_t total = 0;
    for (int slot = 0; slot < c->nslots; slot++) {
        int64_t largest = 0, n;
        for (size_t i = c->narguments; i < c->nbuffers; i++) {
            const ix_compiled_buffer *b = &c->buffer[i];
            if (b->slot != slot)
                continue;
            if (!box_elements(b, size, &n) ||
                !ix_mul(n, (int64_t)ilex_dtype_bytes(b->dtype), &n))
                return -1;
            largest = n > largest ? n : largest;
        }
        if (offset)
            offset[slot] = total;
        if (!ix_add(largest, 63, &largest) ||
            !ix_add(total, largest & ~(int64_t)63, &total))
            return -1;
    }
    return total;
}

/* A kernel multiplies indices by strides, so every such offset must fit 64
 * bits. */
bool
ix_temporary_layout(const ix_compiled_buffer *b, const int64_t *size,
                    int64_t *stride, int64_t *offset)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype), step = bytes, v;
    bool fits = true;
    *offset = 0;
    for (int k = b->rank - 1; k >= 0; k--) {
        int64_t lo = 0, hi = 0;
        fits = fits && ix_range_eval(&b->box[k], size, &lo, &hi);
        stride[k] = step / bytes;
        fits = fits && ix_mul(hi, step, &v) && ix_mul(lo, step, &v) &&
               ix_add(*offset, v, offset);
        if (fits && hi > lo)
            fits = ix_mul(step, hi - lo, &step);
    }
    return fits;
}

/* The base is element (0, ..., 0), which may lie outside. */
static ilex_status
place_temporary(ix_run *r, size_t i, char *memory)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    int64_t offset;
    bool fits =
        ix_temporary_layout(b, r->size, &r->stride[b->first_stride], &offset);
    for (int k = 0; k < b->rank; k++) {
        int64_t *cover = r->cover[b->first_stride + k];
        ix_range_eval(&b->box[k], r->size, &cover[0], &cover[1]);
    }
    r->base[i] = (char *)((uintptr_t)memory - (uintptr_t)offset);
    return fits ? ILEX_OK
                : ix_fail(r->err, ILEX_E_OVERFLOW,
                          "%s: with these sizes the place of an element of a "
                          "temporary leaves 64 bits",
                          r->p->c->name);
}

static ilex_status
place_temporaries(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    if (c->nslots == 0)
        return ILEX_OK;
    int64_t *offset =
        ix_mem_new(&r->p->mem, (size_t)c->nslots * sizeof *offset);
    if (!offset)
        return ix_fail_memory(r->err);
    int64_t bytes = ix_workspace_bytes(c, r->size, offset);
    char *memory = r->call ? r->call->workspace : NULL;
    ilex_status rc = ILEX_OK;
    if (bytes < 0)
        rc = ix_fail(r->err, ILEX_E_OVERFLOW,
                     "%s: the temporaries' size leaves 64 bits", c->name);
    else if (memory && (int64_t)r->call->workspace_bytes < bytes)
        rc = ix_fail(r->err, ILEX_E_ARGUMENT,
                     "%s: the workspace has %zu bytes; %lld are needed",
                     c->name, r->call->workspace_bytes, (long long)bytes);
    else if (memory && (uintptr_t)memory % 64)
        rc = ix_fail(r->err, ILEX_E_ALIGNMENT,
                     "%s: the workspace is not aligned to 64 bytes", c->name);
    if (!rc && !memory) {
        r->workspace = ix_mem_resize(&r->p->mem, NULL, (size_t)bytes + 64);
        memory = (char *)(((uintptr_t)r->workspace + 63) & ~(uintptr_t)63);
        if (!r->workspace)
            rc = ix_fail_memory(r->err);
    }
    for (size_t i = c->narguments; !rc && i < c->nbuffers; i++)
        rc = place_temporary(r, i, memory + offset[c->buffer[i].slot]);
    ix_mem_free(&r->p->mem, offset);
    return rc;
}

/* ---- launching ---- */

/* One kernel over part of its outermost loop. */
typedef struct launch {
    ix_kernel_fn fn;
    ix_kernel_args args;
    int64_t lo, hi, parts;
} launch;

static void
run_part(void *arg, int64_t i)
{
    const launch *l = arg;
    int64_t n = l->hi - l->lo;
    int64_t from =
        l->lo + n / l->parts * i + (i < n % l->parts ? i : n % l->parts);
    int64_t to = from + n / l->parts + (i < n % l->parts ? 1 : 0);
    ix_fpenv before = ix_fpenv_enter();
    l->fn(&l->args, from, to);
    ix_fpenv_leave(before);
}

static void
run_kernel(ix_run *r, const ix_compiled_kernel *k, ix_kernel_fn fn)
{
    launch l = {.fn = fn,
                .args = {r->base, r->stride, r->size},
                .lo = 0,
                .hi = 1,
                .parts = 1};
    if (!k->serial && !ix_range_eval(&k->outer, r->size, &l.lo, &l.hi))
        return; /* checked by ix_bind: the box fits */
    if (l.hi <= l.lo)
        return;
    l.parts = r->threads < l.hi - l.lo ? r->threads : l.hi - l.lo;
    if (l.parts <= 1)
        fn(&l.args, l.lo, l.hi);
    else if (r->call && r->call->parallel_for)
        r->call->parallel_for(r->call->user, run_part, &l, l.parts);
    else
        ix_pool_run(r->threads, l.parts, run_part, &l);
}

static ilex_status
launch_all(ix_run *r)
{
    const ilex_program *p = r->p;
    if (p->backend->dialect < 0)
        return ix_reference_run(r);
    for (size_t i = 0; i < p->c->nkernels; i++)
        run_kernel(r, &p->c->kernel[i], p->kernel[i]);
    return ILEX_OK;
}

ilex_status
ix_run_launch(ix_run *r)
{
    ix_fpenv before = ix_fpenv_enter();
    ilex_status rc = place_temporaries(r);
    rc = rc ? rc : launch_all(r);
    ix_mem_free(&r->p->mem, r->workspace);
    ix_fpenv_leave(before);
    return rc;
}

/* ---- one run ---- */

/* All arrays of a run in one block, which is returned; NULL: no memory. */
static void *
make_block(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    size_t axes = (size_t)c->nstrides + 1;
    size_t bytes = (c->nbuffers + 1) * (sizeof *r->bound + sizeof *r->base) +
                   (c->nsizes + 1) * sizeof *r->size +
                   axes * (sizeof *r->stride + sizeof *r->cover) +
                   axes * sizeof *r->axis;
    char *p = ix_mem_new(&r->p->mem, bytes), *at = p;
    if (!p)
        return NULL;
    r->bound = (ilex_storage **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->bound;
    r->base = (char **)(void *)at;
    at += (c->nbuffers + 1) * sizeof *r->base;
    r->size = (int64_t *)(void *)at;
    at += (c->nsizes + 1) * sizeof *r->size;
    r->stride = (int64_t *)(void *)at;
    at += axes * sizeof *r->stride;
    r->cover = (int64_t(*)[2])(void *)at;
    at += axes * sizeof *r->cover;
    r->axis = (int *)(void *)at;
    return p;
}

/* One thread per so many elements of the arguments, at most one per core:
 * waking a thread costs as much as a simple kernel over thousands. */
static int
worthwhile_threads(const ix_run *r)
{
    enum { PER_THREAD = 1 << 15 };
    int64_t threads = 1, cores = ix_pool_cores();
    for (size_t i = 0; i < r->p->c->narguments; i++)
        threads += ilex_storage_count(r->bound[i]) / PER_THREAD;
    return (int)(threads < cores ? threads : cores);
}

static int
threads_of(const ix_run *r)
{
    int threads =
        r->call && r->call->threads > 0 ? r->call->threads : r->p->threads;
    threads = threads == 0 ? worthwhile_threads(r) : threads;
    return threads < 1 ? 1 : threads > 1024 ? 1024 : threads;
}

/* Brings the storages' host buffers up to date; outputs become newer there. */
static ilex_status
acquire_storages(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        bool output = c->buffer[i].role == IX_COMPILED_OUTPUT;
        rc = ix_storage_acquire(r->bound[i],
                                output ? ILEX_READ_WRITE : ILEX_READ, r->err);
    }
    return rc;
}

static ilex_status
run(const ilex_program *p, const ilex_binding *bindings, size_t count,
    ilex_call *call, ix_error *err)
{
    ix_run r = {.p = p, .call = call, .err = err};
    if (count > 0 && !bindings)
        return ix_fail(err, ILEX_E_ARGUMENT, "run: bindings is NULL");
    void *block = make_block(&r);
    if (!block)
        return ix_fail_memory(err);
    ilex_status rc = ix_bind(&r, bindings, count);
    rc = rc ? rc : acquire_storages(&r);
    if (!rc) {
        r.threads = threads_of(&r);
        rc = ix_run_launch(&r);
    }
    ix_mem_free(&p->mem, block);
    return rc;
}

ilex_status
ilex_run(const ilex_program *p, const ilex_binding *bindings, size_t count,
         ilex_call *call)
{
    ix_error err;
    ilex_call full;
    if (!p)
        return ILEX_E_ARGUMENT;
    ix_error_clear(&err);
    if (call && call->size < sizeof full) {
        memset(&full, 0, sizeof full);
        if (call->size < offsetof(ilex_call, error))
            return ILEX_E_ARGUMENT;
        memcpy(&full, call, offsetof(ilex_call, error));
        return run(p, bindings, count, &full, &err);
    }
    ilex_status rc = run(p, bindings, count, call, &err);
    if (call)
        snprintf(call->error, sizeof call->error, "%.*s",
                 (int)sizeof call->error - 1, err.text);
    return rc;
}
