/* SPDX-License-Identifier: MIT
 *
 * Programs of jit=nvrtc over storages of the host (see cuda_device.h): the
 * arguments' bytes lie on the device in one block with guards between them, and
 * storages over that block are what is bound. Inputs of rank 0 stay on the
 * host: they go by value.
 */
#include "tests/cuda/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/program/program.h"

enum { GUARD = 256, PATTERN = 0xa5 };

/* One argument: where its bytes are on the host and in the block. */
typedef struct region {
    ilex_storage *host, *device; /* the second NULL: it stays on the host */
    const char *low;             /* first byte */
    size_t at, bytes;
    bool output;
    bool written; /* or another argument that shares its bytes is */
    bool shared;  /* an earlier argument has the same bytes */
} region;

typedef struct session {
    const ilex_program *p;
    region *region;
    ilex_binding *bound;
    size_t count, bytes;
    ilex_storage *image; /* the block, on both sides */
    char *memory;        /* its host side */
    char *address;       /* on the device */
    char *error;
} session;

ilex_program *
cuda_device_compile(ilex_context *ctx, ilex_module *module)
{
    ix_error err;
    ix_error_clear(&err);
    if (!ix_cuda_driver(&err) || !ix_nvrtc_available()) {
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED, "%s",
                *err.text ? err.text : "NVRTC cannot be opened");
        return NULL;
    }
    ilex_option_set(ctx, "jit", "nvrtc");
    return ilex_compile_module(module);
}

static ilex_status
complain(session *s, ilex_status code, const char *what, const char *name)
{
    snprintf(s->error, sizeof((ilex_call *)0)->error, "%.100s %.800s", what,
             name);
    return code;
}

/* Is the argument called "name" written? */
static bool
is_output(const ilex_program *p, const char *name)
{
    for (size_t i = 0; i < ilex_program_argument_count(p); i++) {
        ilex_argument_info info = ilex_program_argument(p, i);
        if (!strcmp(info.name, name))
            return info.output;
    }
    return false;
}

/* Gives argument "i" the place of an earlier one with the same bytes. */
static bool
share(session *s, size_t i)
{
    region *g = &s->region[i];
    for (size_t k = 0; k < i; k++) {
        region *h = &s->region[k];
        if (h->low != g->low || h->bytes != g->bytes || g->bytes == 0)
            continue;
        g->at = h->at;
        h->written |= g->output;
        return g->shared = true;
    }
    return false;
}

/* Where the bytes of every argument go. */
static void
lay_out(session *s, const ilex_binding *bindings)
{
    s->bytes = GUARD;
    for (size_t i = 0; i < s->count; i++) {
        region *g = &s->region[i];
        const char *high = NULL;
        g->host = bindings[i].storage;
        g->output = is_output(s->p, bindings[i].name);
        if (ix_storage_reach(g->host, &g->low, &high))
            g->bytes = (size_t)(high - g->low);
        else
            g->low = g->host->data;
        g->written = g->output;
        if (share(s, i))
            continue;
        g->at = s->bytes + (uintptr_t)g->low % GUARD; /* aligned as there */
        s->bytes = (g->at + g->bytes + 2 * GUARD - 1) / GUARD * GUARD;
    }
}

static ilex_status
make_image(session *s)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "u8",
                              .rank = 1,
                              .shape = (int64_t[]){(int64_t)s->bytes},
                              .device = "gpu",
                              .alignment = GUARD};
    s->image = ilex_storage_new(NULL, &spec);
    s->memory =
        s->image ? ilex_storage_host(NULL, s->image, ILEX_READ_WRITE) : NULL;
    if (!s->memory)
        return complain(s, ILEX_E_DEVICE, "no block", "on the device");
    memset(s->memory, PATTERN, s->bytes);
    for (size_t i = 0; i < s->count; i++)
        if (s->region[i].bytes)
            memcpy(s->memory + s->region[i].at, s->region[i].low,
                   s->region[i].bytes);
    s->address = ilex_storage_device(NULL, s->image, ILEX_READ_WRITE);
    return s->address ? ILEX_OK
                      : complain(s, ILEX_E_DEVICE, "copying", "up failed");
}

/* A storage like "host" over the block. */
static ilex_storage *
twin(session *s, region *g)
{
    const ilex_storage *h = g->host;
    char axes[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)] = "";
    for (int k = 0; k < h->rank && *h->axis[0]; k++) {
        strcat(axes, k ? "," : "");
        strcat(axes, h->axis[k]);
    }
    ptrdiff_t first = h->data - g->low;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(h->dtype),
                              .rank = h->rank,
                              .shape = h->shape,
                              .axes = *axes ? axes : NULL,
                              .halo = &h->halo[0][0],
                              .origin = h->origin,
                              .device_data = s->address + g->at + first,
                              .strides = h->stride,
                              .managed = "none",
                              .device = "cuda:0"};
    ix_error err;
    ix_error_clear(&err);
    ilex_storage *view = ix_storage_new(&ix_mem_default, &spec, &err);
    if (!view)
        complain(s, ILEX_E_DEVICE, "", err.text);
    return view;
}

static ilex_status
bind_twins(session *s, const ilex_binding *bindings)
{
    for (size_t i = 0; i < s->count; i++) {
        region *g = &s->region[i];
        s->bound[i] = bindings[i];
        if (g->host->rank == 0 && !g->output)
            continue;
        s->bound[i].storage = g->device = twin(s, g);
        if (!g->device)
            return ILEX_E_DEVICE;
    }
    return ILEX_OK;
}

/* Takes the outputs; everything else must be as it was. */
static ilex_status
take_results(session *s, const ilex_binding *bindings)
{
    size_t next = 0;
    if (!ilex_storage_host(NULL, s->image, ILEX_READ))
        return complain(s, ILEX_E_DEVICE, "copying", "down failed");
    for (size_t i = 0; i <= s->count; i++) {
        const region *g = &s->region[i];
        size_t at = i < s->count ? g->at : s->bytes;
        if (i < s->count && g->shared)
            continue;
        for (; next < at; next++)
            if ((unsigned char)s->memory[next] != PATTERN)
                return complain(s, ILEX_E_INTERNAL, "bytes changed before",
                                i < s->count ? bindings[i].name : "the end");
        if (i == s->count)
            break;
        next = at + g->bytes;
        if (g->written && g->bytes)
            memcpy((char *)(uintptr_t)g->low, s->memory + at, g->bytes);
        else if (g->bytes && memcmp(g->low, s->memory + at, g->bytes))
            return complain(s, ILEX_E_INTERNAL, "changed: input",
                            bindings[i].name);
    }
    return ILEX_OK;
}

ilex_status
cuda_device_run(const ilex_program *p, const ilex_binding *bindings,
                size_t count, ilex_call *call)
{
    session s = {.p = p, .count = count, .error = call->error};
    s.region = calloc(count + 1, sizeof *s.region);
    s.bound = calloc(count + 1, sizeof *s.bound);
    ilex_status rc = s.region && s.bound ? ILEX_OK : ILEX_E_MEMORY;
    if (!rc) {
        lay_out(&s, bindings);
        rc = make_image(&s);
    }
    rc = rc ? rc : bind_twins(&s, bindings);
    rc = rc ? rc : ilex_run(p, s.bound, count, call);
    rc = rc ? rc : take_results(&s, bindings);
    for (size_t i = 0; s.region && i < count; i++)
        ilex_storage_release(s.region[i].device);
    ilex_storage_release(s.image);
    free(s.region);
    free(s.bound);
    return rc;
}
