/* SPDX-License-Identifier: MIT
 *
 * Launching generated kernels with the driver's interface. All that kernels
 * read and write lies in one block, the image: addresses, strides and sizes
 * first, then every argument's bytes, then the temporaries. It is a storage on
 * both sides, so that Ilex's own copies carry it.
 */
#define _GNU_SOURCE
#include "tests/cuda/cuda_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/program.h"
#include "tests/differential/cuda_shim.h"

enum {
    BLOCKS = 8,
    THREADS = 64,
    GUARD = 256,
    PATTERN = 0xa5,
    CAPABILITY_MAJOR = 75, /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_... */
    CAPABILITY_MINOR = 76,
    NOT_SUPPORTED = 801 /* CUDA_ERROR_NOT_SUPPORTED */
};

/* ---- the driver ---- */

/* What launching needs of it; 0 is success. */
#define FUNCTIONS(F)                                                           \
    F(get, "cuDeviceGet", (int *device, int ordinal))                          \
    F(attribute, "cuDeviceGetAttribute", (int *v, int what, int device))       \
    F(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))        \
    F(push, "cuCtxPushCurrent_v2", (void *context))                            \
    F(wait, "cuCtxSynchronize", (void))                                        \
    F(load, "cuModuleLoadData", (void **module, const void *image))            \
    F(unload, "cuModuleUnload", (void *module))                                \
    F(find, "cuModuleGetFunction",                                             \
      (void **function, void *module, const char *name))                       \
    F(launch, "cuLaunchKernel",                                                \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,     \
       unsigned by, unsigned bz, unsigned shared, void *stream, void **args,   \
       void **extra))                                                          \
    F(text, "cuGetErrorString", (int error, const char **text))

#define FUNCTION(name, symbol, parameters) int(*name) parameters;
static struct {
    FUNCTIONS(FUNCTION)
} api;
#undef FUNCTION

static char arch[24]; /* "compute_80"; "" before the device is open */

static ilex_status
check(int error, const char *what, ix_error *err)
{
    const char *text = NULL;
    if (error == 0)
        return ILEX_OK;
    api.text(error, &text);
    return ix_fail(
        err, error == NOT_SUPPORTED ? ILEX_E_UNSUPPORTED : ILEX_E_DEVICE,
        "CUDA: %s failed: %s (%d)", what, text ? text : "unknown error", error);
}

/* Finds the functions; the library is open already, by the runtime. */
static bool
find_functions(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *p;
    bool complete = library != NULL;
#define FUNCTION(name, symbol, parameters)                                     \
    p = complete ? dlsym(library, symbol) : NULL;                              \
    memcpy(&api.name, &p, sizeof p);                                           \
    complete = p != NULL;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    return complete;
}

/* Makes device 0 current in this thread, for good, and reads what it is. */
static ilex_status
open_device(ix_error *err)
{
    int device = 0, major = 0, minor = 0, error;
    void *context = NULL;
    if (*arch)
        return ILEX_OK;
    if (!ix_cuda_driver(err))
        return err->code = ILEX_E_UNSUPPORTED;
    if (!ix_nvrtc_available())
        return ix_fail(err, ILEX_E_UNSUPPORTED, "NVRTC cannot be opened");
    if (!find_functions())
        return ix_fail(err, ILEX_E_DEVICE, "CUDA: the driver is incomplete");
    error = api.get(&device, 0);
    error = error ? error : api.attribute(&major, CAPABILITY_MAJOR, device);
    error = error ? error : api.attribute(&minor, CAPABILITY_MINOR, device);
    error = error ? error : api.retain(&context, device);
    error = error ? error : api.push(context);
    if (error)
        return check(error, "opening device 0", err);
    snprintf(arch, sizeof arch, "compute_%d%d", major, minor);
    return ILEX_OK;
}

/* ---- programs ---- */

struct cuda_program {
    ilex_program *p;
    void *module;
    void **function; /* by kernel number */
};

void
cuda_device_release(cuda_program *p)
{
    if (!p)
        return;
    if (p->module)
        api.unload(p->module);
    ilex_program_release(p->p);
    free(p->function);
    free(p);
}

static ilex_status
load(cuda_program *c, ix_error *err)
{
    char *ptx = NULL;
    const ix_compiled *x = c->p->c;
    ilex_status rc = ix_nvrtc_ptx(&ix_mem_default, cuda_shim_source(c->p), arch,
                                  &ptx, NULL, err);
    c->function = calloc(x->nkernels + 1, sizeof *c->function);
    if (!rc && !c->function)
        rc = ix_fail_memory(err);
    rc = rc ? rc
            : check(api.load(&c->module, ptx),
                    "loading PTX, which must not be newer than the driver,",
                    err);
    for (size_t i = 0; !rc && i < x->nkernels; i++)
        rc = check(api.find(&c->function[i], c->module, x->kernel[i].name),
                   x->kernel[i].name, err);
    ix_mem_free(&ix_mem_default, ptx);
    return rc;
}

cuda_program *
cuda_device_compile(ilex_module *module)
{
    ix_error *err = &module->ctx->error;
    cuda_program *c = calloc(1, sizeof *c);
    ilex_status rc = c ? open_device(err) : ix_fail_memory(err);
    if (!rc)
        c->p = cuda_shim_lower(module);
    if (rc || !c->p || load(c, err)) {
        cuda_device_release(c);
        return NULL;
    }
    return c;
}

/* ---- the image ---- */

/* A run: what ix_bind() finds out, and where things lie in the image. */
typedef struct session {
    const cuda_program *program;
    ix_run run;
    size_t strides; /* offsets in the image; addresses are at its start */
    size_t sizes, workspace, bytes;
    struct region {
        char *host; /* first byte that may be touched; NULL: a temporary */
        size_t at, bytes;
    } * region; /* per buffer */
    ilex_storage *image;
    char *memory; /* its host side */
    char *device; /* its address on the device */
} session;

/* Room for "bytes" bytes, with a guard behind. */
static size_t
reserve(session *s, size_t bytes)
{
    size_t at = s->bytes;
    s->bytes = (at + bytes + 2 * GUARD - 1) / GUARD * GUARD;
    return at;
}

/* The bytes of argument "i" that kernels may touch. */
static void
measure(session *s, size_t i)
{
    const ix_run *r = &s->run;
    const ix_compiled_buffer *b = &s->program->p->c->buffer[i];
    int64_t low = 0, high = 1, bytes = (int64_t)ilex_dtype_bytes(b->dtype);
    for (int k = 0; k < b->rank; k++) {
        int at = b->first_stride + k;
        int64_t first = r->cover[at][0] * r->stride[at];
        int64_t last = (r->cover[at][1] - 1) * r->stride[at];
        if (r->cover[at][1] <= r->cover[at][0])
            high = INT64_MIN / 2;
        low += first < last ? first : last;
        high += first < last ? last : first;
    }
    s->region[i].host = r->base[i] + low * bytes;
    s->region[i].bytes = high > low ? (size_t)((high - low) * bytes) : 0;
    s->region[i].at = reserve(s, s->region[i].bytes);
}

/* As on the host; "offset" is their slot's in the workspace. */
static void
place_temporary(session *s, size_t i, int64_t offset)
{
    ix_run *r = &s->run;
    const ix_compiled_buffer *b = &s->program->p->c->buffer[i];
    int64_t step = 1, skipped = 0, lo, hi;
    for (int k = b->rank - 1; k >= 0; k--) {
        ix_range_eval(&b->box[k], r->size, &lo, &hi);
        r->stride[b->first_stride + k] = step;
        skipped += lo * step;
        step *= hi > lo ? hi - lo : 1;
    }
    r->base[i] =
        (char *)((uintptr_t)s->device + s->workspace + (uintptr_t)offset -
                 (uintptr_t)(skipped * (int64_t)ilex_dtype_bytes(b->dtype)));
}

/* Where everything goes; allocates the image. */
static ilex_status
lay_out(session *s, ix_error *err)
{
    const ix_compiled *c = s->program->p->c;
    reserve(s, c->nbuffers * sizeof(char *));
    s->strides = reserve(s, (size_t)c->nstrides * sizeof(int64_t));
    s->sizes = reserve(s, c->nsizes * sizeof(int64_t));
    for (size_t i = 0; i < c->narguments; i++)
        measure(s, i);
    int64_t *offset = calloc((size_t)c->nslots + 1, sizeof *offset);
    int64_t bytes = offset ? ix_workspace_bytes(c, s->run.size, offset) : -1;
    free(offset);
    if (bytes < 0)
        return ix_fail(err, ILEX_E_OVERFLOW, "the workspace is too large");
    s->workspace = reserve(s, (size_t)bytes);
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "u8",
                              .rank = 1,
                              .shape = (int64_t[]){(int64_t)s->bytes},
                              .device = "gpu",
                              .alignment = GUARD};
    s->image = ilex_storage_new(NULL, &spec);
    s->memory = ilex_storage_host(NULL, s->image, ILEX_READ);
    s->device = ilex_storage_device(NULL, s->image, ILEX_READ);
    return s->memory && s->device
               ? ILEX_OK
               : ix_fail(err, ILEX_E_DEVICE, "no image of %zu bytes", s->bytes);
}

/* Writes the host side: bytes of the arguments, and where they will be. */
static void
fill_image(session *s)
{
    const ix_compiled *c = s->program->p->c;
    ix_run *r = &s->run;
    int64_t *offset = calloc((size_t)c->nslots + 1, sizeof *offset);
    if (!offset)
        abort();
    ix_workspace_bytes(c, r->size, offset);
    memset(s->memory, PATTERN, s->bytes);
    for (size_t i = 0; i < c->narguments; i++) {
        const struct region *g = &s->region[i];
        if (g->bytes)
            memcpy(s->memory + g->at, g->host, g->bytes);
        r->base[i] = (char *)((uintptr_t)s->device + g->at +
                              (uintptr_t)r->base[i] - (uintptr_t)g->host);
    }
    for (size_t i = c->narguments; i < c->nbuffers; i++)
        place_temporary(s, i, offset[c->buffer[i].slot]);
    memcpy(s->memory, r->base, c->nbuffers * sizeof(char *));
    memcpy(s->memory + s->strides, r->stride,
           (size_t)c->nstrides * sizeof(int64_t));
    memcpy(s->memory + s->sizes, r->size, c->nsizes * sizeof(int64_t));
    free(offset);
}

/* ---- launching ---- */

static ilex_status
launch_kernels(session *s, ix_error *err)
{
    const ix_compiled *c = s->program->p->c;
    ilex_status rc = ILEX_OK;
    const ix_kernel_layout *layout = c->source[IX_DIALECT_cuda].layout;
    char *args = calloc(1, s->program->p->most_arguments + 1);
    if (!args)
        return ix_fail_memory(err);
    for (size_t i = 0; !rc && i < c->nkernels; i++) {
        int64_t lo = 0, hi = 1;
        void *parameters[] = {args, &lo, &hi};
        if (layout[i].indirect)
            rc = ix_fail(err, ILEX_E_UNSUPPORTED, "too many arguments");
        ix_pack_arguments(&s->run, &layout[i], args);
        if (c->kernel[i].rank > 0)
            ix_range_eval(&c->kernel[i].box[0], s->run.size, &lo, &hi);
        if (!rc && lo < hi)
            rc = check(api.launch(s->program->function[i], BLOCKS, 1, 1,
                                  THREADS, 1, 1, 0, NULL, parameters, NULL),
                       c->kernel[i].name, err);
    }
    free(args);
    return rc ? rc : check(api.wait(), "running the kernels", err);
}

/* Takes the outputs; everything else must be as it was. */
static ilex_status
take_results(session *s, ix_error *err)
{
    const ix_compiled *c = s->program->p->c;
    for (size_t i = 0; i < c->narguments; i++) {
        const struct region *g = &s->region[i];
        size_t end = i + 1 < c->narguments ? s->region[i + 1].at : s->workspace;
        for (size_t k = g->at + g->bytes; k < end; k++)
            if ((unsigned char)s->memory[k] != PATTERN)
                return ix_fail(err, ILEX_E_INTERNAL,
                               "bytes behind argument %s changed",
                               c->buffer[i].name);
        if (c->buffer[i].role == IX_COMPILED_OUTPUT && g->bytes)
            memcpy(g->host, s->memory + g->at, g->bytes);
        else if (g->bytes && memcmp(g->host, s->memory + g->at, g->bytes))
            return ix_fail(err, ILEX_E_INTERNAL, "input %s changed",
                           c->buffer[i].name);
    }
    return ILEX_OK;
}

static ilex_status
run(session *s, const ilex_binding *bindings, size_t count, ix_error *err)
{
    ilex_status rc = ix_bind(&s->run, bindings, count);
    rc = rc ? rc : lay_out(s, err);
    if (rc)
        return rc;
    fill_image(s);
    ilex_storage_set_host_modified(NULL, s->image);
    if (!ilex_storage_device(NULL, s->image, ILEX_READ_WRITE))
        return ix_fail(err, ILEX_E_DEVICE, "copying the image up failed");
    rc = launch_kernels(s, err);
    if (!rc && ilex_storage_synchronize(NULL, s->image))
        rc = ix_fail(err, ILEX_E_DEVICE, "copying the image down failed");
    return rc ? rc : take_results(s, err);
}

ilex_status
cuda_device_run(const cuda_program *p, const ilex_binding *bindings,
                size_t count, ilex_call *call)
{
    const ix_compiled *c = p->p->c;
    size_t n = c->nbuffers + 1, axes = (size_t)c->nstrides + 1;
    ix_error err;
    ix_error_clear(&err);
    session s = {.program = p,
                 .run = {.p = p->p,
                         .call = call,
                         .err = &err,
                         .bound = calloc(n, sizeof *s.run.bound),
                         .size = calloc(c->nsizes + 1, sizeof *s.run.size),
                         .base = calloc(n, sizeof *s.run.base),
                         .stride = calloc(axes, sizeof *s.run.stride),
                         .cover = calloc(axes, sizeof *s.run.cover),
                         .axis = calloc(axes, sizeof *s.run.axis)},
                 .region = calloc(n, sizeof *s.region)};
    void *const blocks[] = {s.run.bound, s.run.size, s.run.base, s.run.stride,
                            s.run.cover, s.run.axis, s.region};
    bool complete = true;
    for (size_t i = 0; i < IX_COUNT(blocks); i++)
        complete = complete && blocks[i];
    ilex_status rc =
        complete ? run(&s, bindings, count, &err) : ix_fail_memory(&err);
    for (size_t i = 0; i < IX_COUNT(blocks); i++)
        free(blocks[i]);
    ilex_storage_release(s.image);
    snprintf(call->error, sizeof call->error, "%.*s",
             (int)sizeof call->error - 1, err.text);
    return rc;
}
