/* SPDX-License-Identifier: MIT
 *
 * The engine of devices: kernels are CUDA source that is compiled and loaded
 * when a program first runs on a device. Arguments of kernels go by value, so
 * do inputs of rank 0 that lie on the host; everything else is memory of the
 * device. All is done when a run returns.
 */
#include <pthread.h>
#include <stdio.h>

#include "lib/base/fork.h"
#include "runtime/program/program.h"

enum { MOST_DEVICES = 64 };

/* A program's code on one device, for indices of 32 bits or for any; constant
 * once it is published. */
typedef struct code {
    void *module;
    const ix_driver *driver;
    int device;
    void *function[]; /* by kernel number */
} code;

struct ix_device_codes {
    _Atomic(code *) device[MOST_DEVICES][2]; /* any; 32 bits */
};

/* Held while code is built. A forked child has no thread that builds, so there
 * it is free again. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_BEGINS(pthread_mutex_init(&building, NULL))

/* ---- code ---- */

ix_device_codes *
ix_device_codes_new(const ix_mem *mem)
{
    return ix_mem_new(mem, sizeof(ix_device_codes));
}

void
ix_device_codes_free(const ix_mem *mem, ix_device_codes *codes)
{
    for (int i = 0; codes && i < 2 * MOST_DEVICES; i++) {
        code *c = atomic_load(&codes->device[i / 2][i % 2]);
        if (c)
            c->driver->unload(c->device, c->module);
        ix_mem_free(mem, c);
    }
    ix_mem_free(mem, codes);
}

/* The driver if it can run kernels. */
static const ix_driver *
find_driver(ix_run *r)
{
    const ix_driver *driver = ix_driver_find(r->err);
    if (driver && !driver->launch)
        return ix_fail_null(
            r->err, ILEX_E_UNSUPPORTED,
            "%s: the driver of the device ('%s') runs no kernels",
            r->p->c->name, driver->name);
    return driver;
}

/* Loads "image" and finds the kernels. */
static ilex_status
load(const ilex_program *p, const char *image, code *c, ix_error *err)
{
    ilex_status rc = c->driver->load(c->device, image, &c->module, err);
    const ix_kernel_layout *l = p->c->source[IX_DIALECT_cuda].layout;
    for (size_t i = 0; !rc && i < p->c->nkernels; i++)
        rc = c->driver->find(c->device, c->module,
                             p->c->kernel[l[i].function].name, &c->function[i],
                             err);
    if (rc && c->module)
        c->driver->unload(c->device, c->module);
    return rc;
}

/* Compiles the program for the device's architecture. */
static code *
build(const ilex_program *p, const ix_driver *driver, int device, bool narrow,
      ix_error *err)
{
    int major = 0, minor = 0;
    char *image = NULL;
    code *c = ix_mem_new(&p->mem, sizeof *c + (p->c->nkernels + 1) *
                                                  sizeof c->function[0]);
    if (!c)
        return ix_fail_memory_null(err);
    c->driver = driver;
    c->device = device;
    ilex_status rc = driver->capability(device, &major, &minor, err);
    rc = rc ? rc
            : ix_nvrtc_image(&p->mem, p->c->source[IX_DIALECT_cuda].unit[0],
                             narrow, major, minor, &image, err);
    rc = rc ? rc : load(p, image, c, err);
    ix_mem_free(&p->mem, image);
    if (rc) {
        ix_mem_free(&p->mem, c);
        return NULL;
    }
    return c;
}

/* The program's code on the run's device, built if nobody has done so. */
static const code *
find_code(ix_run *r, bool narrow)
{
    _Atomic(code *) *slot = &r->p->device_codes->device[r->device][narrow];
    code *c = atomic_load_explicit(slot, memory_order_acquire);
    if (c)
        return c;
    pthread_mutex_lock(&building);
    c = atomic_load_explicit(slot, memory_order_acquire);
    if (!c) {
        c = build(r->p, r->driver, r->device, narrow, r->err);
        atomic_store_explicit(slot, c, memory_order_release);
    }
    pthread_mutex_unlock(&building);
    return c;
}

bool
ix_launch_is_narrow(const ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    const ix_kernel_layout *l = &r->p->c->source[IX_DIALECT_cuda].layout[i];
    bool narrow =
        ix_size_is_narrow(lo, l->narrow) && ix_size_is_narrow(hi, l->narrow);
    for (size_t k = 0; narrow && k < l->nfields; k++) {
        const ix_field *f = &l->field[k];
        if (f->kind == IX_FIELD_BUFFER)
            narrow = ix_buffer_is_narrow(&r->s, f->index);
        else if (f->kind == IX_FIELD_SIZE)
            narrow = ix_size_is_narrow(r->s.size[f->index], l->narrow);
    }
    return narrow;
}

/* ---- where arguments lie ---- */

/* Does argument "i" go by value? A number, or an input of rank 0 whose element
 * the host has. */
static bool
goes_by_value(const ix_run *r, size_t i)
{
    if (!r->bound[i])
        return true;
    const ix_memory *m = r->bound[i]->memory;
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    return b->rank == 0 && b->role != IX_COMPILED_OUTPUT &&
           ix_memory_on_host(m) && m->managed != IX_MANAGED_UNIFIED &&
           !(m->managed == IX_MANAGED_SOFTWARE &&
             atomic_load(&m->sync) == ILEX_SYNC_DEVICE_DIRTY);
}

static ilex_status
refuse_host(ix_run *r, size_t i)
{
    return ix_fail(r->err, ILEX_E_DEVICE,
                   "%s: jit=%s runs on a device, but argument %s lies on the "
                   "host alone; make its storage with .device = \"gpu\", or "
                   "copy it with ilex_storage_to(ctx, s, \"gpu\")",
                   r->p->c->name, r->p->backend->name, r->p->c->buffer[i].name);
}

/* Notes the device of argument "i", which must be that of the others. "*first"
 * is the one that decided, -1: none yet. */
static ilex_status
check_device(ix_run *r, size_t i, int *first)
{
    const ix_memory *m = r->bound[i]->memory;
    const ix_compiled *c = r->p->c;
    if (!ix_memory_on_device(m))
        return refuse_host(r, i);
    if (m->device.traits)
        return ix_fail(r->err, ILEX_E_UNSUPPORTED,
                       "%s: argument %s lies in memory of preset '%s', which "
                       "kernels of jit=%s cannot reach",
                       c->name, c->buffer[i].name, m->device.traits->name,
                       r->p->backend->name);
    if (*first < 0) {
        *first = (int)i;
        r->device = m->device_index;
    }
    if (m->device_index == r->device)
        return ILEX_OK;
    return ix_fail(r->err, ILEX_E_DEVICE,
                   "%s: argument %s lies on device %d, argument %s on device "
                   "%d; a run uses one device: copy one with ilex_storage_to",
                   c->name, c->buffer[*first].name, r->device,
                   c->buffer[i].name, m->device_index);
}

static ilex_status
begin(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    int first = -1;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < c->narguments; i++)
        if (c->buffer[i].used && !goes_by_value(r, i))
            rc = check_device(r, i, &first);
    r->driver = rc ? NULL : find_driver(r);
    if (r->driver && (r->device < 0 || r->device >= MOST_DEVICES))
        return ix_fail(r->err, ILEX_E_LIMIT, "%s: device %d; at most %d",
                       c->name, r->device, MOST_DEVICES - 1);
    for (size_t i = 0; !rc && r->driver && i < c->nkernels && !r->err->code;
         i++)
        (void)find_code(r, ix_launch_is_narrow(r, i, 0, 0));
    return rc ? rc : r->err->code;
}

static ilex_status
transfer(ix_run *r, size_t i)
{
    const ilex_storage *s = r->bound[i];
    bool output = r->p->c->buffer[i].role == IX_COMPILED_OUTPUT;
    bool by_value = goes_by_value(r, i);
    r->value[i] = by_value ? r->s.home[i] : NULL;
    r->s.base[i] = by_value ? NULL : r->s.home[i];
    if (by_value)
        return s ? ix_storage_acquire(s, ILEX_READ, r->err) : ILEX_OK;
    ix_memory *m = s->memory;
    if (m->device.base)
        r->s.base[i] =
            (char *)((uintptr_t)r->s.home[i] +
                     ((uintptr_t)m->device.base - (uintptr_t)m->base));
    return ix_memory_acquire(m, false, output ? ILEX_READ_WRITE : ILEX_READ,
                             ix_storage_label(s), r->err);
}

/* ---- temporaries ---- */

static ilex_status
allocate(ix_run *r, size_t bytes, char **memory)
{
    r->workspace = ix_workspace_take(r->p->workspaces, IX_SPACE_DEVICE,
                                     r->device, bytes, r->err);
    *memory = r->workspace ? r->workspace->memory : NULL;
    return *memory ? ILEX_OK : r->err->code;
}

static ilex_status
check_workspace(ix_run *r, const void *memory)
{
    const ix_driver *driver = r->driver;
    ix_space space;
    int device;
    if (driver->query(memory, &space, &device) && ix_space_on_device(space) &&
        (device == r->device || space == IX_SPACE_UNIFIED))
        return ILEX_OK;
    return ix_fail(r->err, ILEX_E_DEVICE,
                   "%s: the workspace is no memory of device %d, where the "
                   "program runs",
                   r->p->c->name, r->device);
}

/* ---- launching ---- */

/* A launch whose arguments are too long to go by value: they lie on the device
 * until it is done. */
static ilex_status
launch_indirect(ix_run *r, void *function, size_t bytes, const ix_grid *grid,
                int64_t lo, int64_t hi)
{
    const ix_driver *driver = r->driver;
    void *block = NULL;
    void *parameters[] = {&block, &lo, &hi};
    ilex_status rc =
        driver->allocate(IX_SPACE_DEVICE, r->device, bytes, &block, r->err);
    if (rc)
        return rc;
    rc = driver->copy(IX_HOST_TO_DEVICE, r->device, block, r->arguments, bytes,
                      r->err);
    rc = rc ? rc
            : driver->launch(r->device, function, grid->blocks, grid->threads,
                             parameters, r->err);
    rc = rc ? rc : driver->synchronize(r->device, r->err);
    driver->free(IX_SPACE_DEVICE, r->device, block);
    return rc;
}

static ilex_status
launch_once(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    const ix_kernel_layout *l = &r->p->c->source[IX_DIALECT_cuda].layout[i];
    ix_grid grid = ix_kernel_grid(&r->s, (int)i);
    grid.narrow = ix_launch_is_narrow(r, i, lo, hi);
    const code *c = find_code(r, grid.narrow);
    void *parameters[] = {r->arguments, &lo, &hi};
    if (!c)
        return r->err->code;
    ix_pack_arguments(r, l, r->arguments);
    if (l->indirect)
        return launch_indirect(r, c->function[i], l->bytes, &grid, lo, hi);
    return r->driver->launch(r->device, c->function[i], grid.blocks,
                             grid.threads, parameters, r->err);
}

/* A kernel that checks indices is waited for. */
static ilex_status
launch_checked(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    const ix_driver *driver = r->driver;
    int64_t status[IX_STATUS_WORDS] = IX_STATUS_BEFORE;
    size_t bytes = sizeof status;
    void *memory = NULL;
    ilex_status rc =
        driver->allocate(IX_SPACE_DEVICE, r->device, bytes, &memory, r->err);
    if (rc)
        return rc;
    r->status = memory;
    rc = driver->copy(IX_HOST_TO_DEVICE, r->device, memory, status, bytes,
                      r->err);
    rc = rc ? rc : launch_once(r, i, lo, hi);
    rc = rc ? rc : driver->synchronize(r->device, r->err);
    rc = rc ? rc
            : driver->copy(IX_DEVICE_TO_HOST, r->device, status, memory, bytes,
                           r->err);
    driver->free(IX_SPACE_DEVICE, r->device, memory);
    r->status = NULL;
    return rc ? rc : (ilex_status)ix_fail_status(&r->s, status);
}

static ilex_status
launch(ix_run *r, size_t i, int64_t lo, int64_t hi)
{
    bool checks =
        ix_kernel_status(&r->p->c->source[IX_DIALECT_cuda].layout[i]) != NULL;
    return (checks ? launch_checked : launch_once)(r, i, lo, hi);
}

static ilex_status
wait_for_all(ix_run *r)
{
    return r->driver->synchronize(r->device, r->err);
}

static ilex_status
fetch(ix_run *r, void *to, const char *from, size_t bytes)
{
    return r->driver->copy(IX_DEVICE_TO_HOST, r->device, to, from, bytes,
                           r->err);
}

static ilex_status
put(ix_run *r, char *to, const void *from, size_t bytes)
{
    return r->driver->copy(IX_HOST_TO_DEVICE, r->device, to, from, bytes,
                           r->err);
}

const ix_engine ix_engine_device = {.begin = begin,
                                    .transfer = transfer,
                                    .allocate = allocate,
                                    .check_workspace = check_workspace,
                                    .launch = launch,
                                    .wait = wait_for_all,
                                    .fetch = fetch,
                                    .put = put};
