/* SPDX-License-Identifier: MIT
 *
 * DLPack: the tables of functions by which libraries reach each other without
 * Python: Ilex's own, in which objects are storages, and imports through the
 * table of another library.
 */
#include <stdio.h>

#include "ilex/exchange.h"
#include "lib/ops/dtype.h"
#include "runtime/exchange/dlpack.h"

/* ---- the allocator ---- */

/* Whoever asked for memory, to be told why there is none. */
typedef void (*tell_fn)(void *user, const char *kind, const char *message);

/* The Python exception that says what "code" says. */
static const char *
exception_of(ilex_status code)
{
    switch (code) {
    case ILEX_E_MEMORY:
        return "MemoryError";
    case ILEX_E_SHAPE:
    case ILEX_E_OVERFLOW:
    case ILEX_E_ARGUMENT:
        return "ValueError";
    default:
        return "BufferError";
    }
}

/* Where the prototype wants its memory; "text" has room for a device. */
static bool
place_like(const DLTensor *prototype, char text[24], ilex_storage_spec *p,
           ix_error *err)
{
    int type = (int)prototype->device.device_type;
    snprintf(text, 24, "cuda:%d", (int)prototype->device.device_id);
    switch (type) {
    case kDLCPU:
        return true;
    case kDLCUDAHost:
        p->space = "pinned";
        return true;
    case kDLCUDA:
    case kDLCUDAManaged:
        p->device = text;
        p->managed = type == kDLCUDA ? "none" : "unified";
        return true;
    default:
        return ix_fail_false(
            err, ILEX_E_DEVICE,
            "DLPack allocation: device type %d; Ilex has host, pinned, CUDA "
            "and managed CUDA memory (device types 1, 3, 2, 13)",
            type);
    }
}

/* The number of elements of a shape that is allowed. */
static bool
count_elements(const ix_foreign *f, int64_t *count, ix_error *err)
{
    *count = 1;
    for (int k = 0; k < f->rank; k++) {
        if (f->shape[k] < 0)
            return ix_fail_false(err, ILEX_E_SHAPE,
                                 "%s: axis %d has length %lld", f->what, k,
                                 (long long)f->shape[k]);
        if (!ix_mul(*count, f->shape[k], count))
            return ix_fail_false(
                err, ILEX_E_OVERFLOW,
                "%s: the number of elements does not fit 64 bits", f->what);
    }
    return true;
}

/* A flat storage for the elements of "f": alignment of one with axes would pad
 * its rows. */
static ilex_storage *
allocate(const DLTensor *prototype, const ix_foreign *f, ix_error *err)
{
    char text[24];
    int64_t count;
    ilex_storage_spec p = {.size = sizeof p,
                           .dtype = ilex_dtype_name(f->dtype),
                           .rank = 1,
                           .shape = &count,
                           .alignment = 256};
    if (!count_elements(f, &count, err) ||
        !place_like(prototype, text, &p, err))
        return NULL;
    return ix_storage_new(&ix_mem_default, &p, err);
}

/* What of the prototype counts: dtype and shape. */
static bool
read_prototype(const DLTensor *prototype, ix_foreign *f, ix_error *err)
{
    *f = (ix_foreign){.what = "DLPack allocation"};
    if (prototype && ix_dlpack_dtype(prototype->dtype, &f->dtype))
        return ix_exchange_shape(f, prototype->ndim, prototype->shape, NULL, 1,
                                 err);
    if (prototype)
        ix_fail(err, ILEX_E_UNSUPPORTED,
                "%s: elements of type code %d (%s), %d bits, %d lanes; Ilex "
                "has bool, int, uint, float of 16 to 64 bits, bfloat, and "
                "complex",
                f->what, prototype->dtype.code,
                ix_dlpack_code_name(prototype->dtype.code),
                prototype->dtype.bits, prototype->dtype.lanes);
    else
        ix_fail(err, ILEX_E_ARGUMENT, "%s: the prototype is NULL", f->what);
    return false;
}

/* Gives the tensor over a flat storage the shape of "f". */
static void
shape_tensor(DLTensor *t, const ix_foreign *f)
{
    int64_t step = 1;
    t->ndim = f->rank;
    for (int k = f->rank - 1; k >= 0; k--) {
        t->shape[k] = f->shape[k];
        t->strides[k] = step;
        step *= f->shape[k] > 0 ? f->shape[k] : 1;
    }
}

static int
allocate_tensor(DLTensor *prototype, DLManagedTensorVersioned **out,
                void *error_ctx, tell_fn set_error)
{
    ix_error err = {0};
    ix_foreign f;
    ilex_storage *s = NULL;
    *out = NULL;
    if (read_prototype(prototype, &f, &err))
        s = allocate(prototype, &f, &err);
    if (s) {
        *out = ix_dlpack_export(NULL, s, 0);
        ilex_storage_release(s);
        if (!*out)
            ix_fail_memory(&err);
    }
    if (*out) {
        shape_tensor(&(*out)->dl_tensor, &f);
        return 0;
    }
    if (set_error)
        set_error(error_ctx, exception_of(err.code), err.text);
    return -1;
}

/* ---- storages as objects ---- */

static int
tensor_of_object(void *object, DLManagedTensorVersioned **out)
{
    *out = ix_dlpack_export(NULL, object, 0);
    return *out ? 0 : -1;
}

static int
object_of_tensor(DLManagedTensorVersioned *tensor, void **out)
{
    *out = ilex_dlpack_import(NULL, tensor, NULL);
    return *out ? 0 : -1;
}

static int
describe_object(void *object, DLTensor *out)
{
    ilex_storage *s = object;
    if (!s || !ilex_storage_writable(s))
        return -1;
    return ix_dlpack_describe(NULL, s, 0, false, out) ? -1 : 0;
}

/* Kernels are launched in the default stream. */
static int
work_stream(DLDeviceType type, int32_t id, void **out)
{
    const ix_dlpack_device *d = ix_dlpack_device_find((int32_t)type);
    *out = NULL;
    if (!d || d->side == IX_SIDE_NONE)
        return -1;
    if (d->side == IX_SIDE_HOST)
        return 0;
    const ix_driver *driver = ix_driver_find(NULL);
    return driver && id >= 0 && id < driver->devices() ? 0 : -1;
}

static const DLPackExchangeAPI table = {
    .header = {.version = {IX_DLPACK_MAJOR, IX_DLPACK_MINOR}},
    .managed_tensor_allocator = allocate_tensor,
    .managed_tensor_from_py_object_no_sync = tensor_of_object,
    .managed_tensor_to_py_object_no_sync = object_of_tensor,
    .dltensor_from_py_object_no_sync = describe_object,
    .current_work_stream = work_stream,
};

const DLPackExchangeAPI *
ilex_dlpack_exchange_api(void)
{
    return &table;
}

/* ---- the table of another library ---- */

static const char what[] = "DLPack exchange table";

/* The table of our major version, in "api" or in an older one. */
static const DLPackExchangeAPI *
find_table(const DLPackExchangeAPI *api, ix_error *err)
{
    const DLPackExchangeAPIHeader *h = &api->header;
    while (h && h->version.major != IX_DLPACK_MAJOR)
        h = h->prev_api;
    if (!h)
        ix_fail(err, ILEX_E_UNSUPPORTED,
                "%s: it is of DLPack version %u.%u and leads to none of "
                "version %d, which is what Ilex reads",
                what, (unsigned)api->header.version.major,
                (unsigned)api->header.version.minor, (int)IX_DLPACK_MAJOR);
    return (const DLPackExchangeAPI *)(const void *)h;
}

/* The tensor of "object", NULL with an error. */
static DLManagedTensorVersioned *
ask_for_tensor(const DLPackExchangeAPI *api, void *object, ix_error *err)
{
    DLManagedTensorVersioned *tensor = NULL;
    if (!api->managed_tensor_from_py_object_no_sync)
        ix_fail(err, ILEX_E_ARGUMENT,
                "%s: managed_tensor_from_py_object_no_sync is NULL", what);
    else if (api->managed_tensor_from_py_object_no_sync(object, &tensor))
        tensor = NULL;
    if (!tensor)
        ix_fail(err, ILEX_E_ARGUMENT,
                "%s: the library gives no tensor for the object; it says why "
                "(in Python by an exception)",
                what);
    return tensor;
}

ilex_storage *
ilex_dlpack_import_object(ilex_context *ctx, const DLPackExchangeAPI *api,
                          void *object, const ilex_storage_spec *more)
{
    ix_error *err = ix_storage_error(ctx);
    if (!api || !object)
        return ix_fail_null(err, ILEX_E_ARGUMENT, "%s: %s is NULL", what,
                            api ? "the object" : "it");
    api = find_table(api, err);
    DLManagedTensorVersioned *tensor =
        api ? ask_for_tensor(api, object, err) : NULL;
    ilex_storage *s = tensor ? ilex_dlpack_import(ctx, tensor, more) : NULL;
    if (!s || !ilex_storage_on_device(s) ||
        !ix_exchange_wait(ctx, s->memory->device_index))
        return s;
    ilex_storage_release(s);
    return NULL;
}
