/* SPDX-License-Identifier: MIT
 *
 * Array interfaces: storages described in, and made from, the struct that
 * stands for the dictionaries __array_interface__ and __cuda_array_interface__.
 * Strides there count bytes. Nobody owns anything: exporting takes no count,
 * importing takes a function that keeps the source alive until it is called.
 */
#include "runtime/exchange/exchange.h"
#include "runtime/files/formats.h"

#include "lib/ops/dtype.h"

const char *
ix_array_interface_name(int kind)
{
    return kind == ILEX_ARRAY_CUDA ? "__cuda_array_interface__"
                                   : "__array_interface__";
}

bool
ix_array_interface_known(const ilex_array_interface *a, int kind, ix_error *err)
{
    if (a && a->size >= sizeof *a &&
        (kind == ILEX_ARRAY_HOST || kind == ILEX_ARRAY_CUDA))
        return true;
    return ix_fail_false(err, ILEX_E_ARGUMENT,
                         "array interface: the struct is NULL, its size is not "
                         "set (.size = sizeof(ilex_array_interface)), or the "
                         "kind is neither ILEX_ARRAY_HOST nor ILEX_ARRAY_CUDA");
}

void
ix_array_interface_clear(ilex_array_interface *a, int kind)
{
    size_t size = a->size;
    memset(a, 0, sizeof *a);
    a->size = size;
    a->kind = kind;
}

/* ---- export ---- */

ilex_status
ilex_array_interface_get(ilex_context *ctx, ilex_storage *s, int kind,
                         ilex_array_interface *a)
{
    ix_error *err = ix_storage_error(ctx);
    if (!ix_array_interface_known(a, kind, err))
        return ILEX_E_ARGUMENT;
    if (!s)
        return ix_fail(err, ILEX_E_ARGUMENT, "%s: the storage is NULL",
                       ix_array_interface_name(kind));
    ix_array_interface_clear(a, kind);
    if (!ix_typestr_known(s->dtype, ix_array_interface_name(kind), err))
        return ILEX_E_UNSUPPORTED;
    a->dtype = s->dtype;
    a->rank = s->rank;
    a->readonly = !ilex_storage_writable(s);
    ilex_status rc = ix_exchange_address(ctx, s, kind == ILEX_ARRAY_CUDA,
                                         a->readonly, &a->data);
    if (!rc && kind == ILEX_ARRAY_CUDA)
        rc = ix_exchange_wait(ctx, s->memory->device_index);
    if (rc)
        return rc;
    a->has_strides = 1;
    for (int k = 0; k < s->rank; k++) {
        a->shape[k] = s->shape[k];
        a->strides[k] = s->stride[k] * (int64_t)ilex_dtype_bytes(s->dtype);
    }
    return ILEX_OK;
}

/* ---- import ---- */

/* Describes "a" as a foreign array. */
static bool
convert(const ilex_array_interface *a, ix_foreign *f, ix_error *err)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(a->dtype);
    f->what = ix_array_interface_name(a->kind);
    f->dtype = a->dtype;
    f->readonly = a->readonly != 0;
    f->data = a->data;
    if (bytes == 0)
        return ix_fail_false(err, ILEX_E_DTYPE,
                             "%s: its dtype %d is none of Ilex", f->what,
                             (int)a->dtype);
    return ix_exchange_shape(f, a->rank, a->shape,
                             a->has_strides ? a->strides : NULL, bytes, err);
}

/* Whoever still writes the array does it on the stream that is named; all
 * streams of the device are waited for. */
static bool
wait_for(const ilex_array_interface *a, int device, ix_error *err)
{
    const ix_driver *driver = ix_driver_find(err);
    return !a->stream || (driver && !driver->synchronize(device, err));
}

ilex_storage *
ilex_array_interface_import(ilex_context *ctx, const ilex_array_interface *a,
                            const ilex_storage_spec *more,
                            void (*release)(void *user, void *data), void *user)
{
    ix_error *err = ix_storage_error(ctx);
    ix_foreign f = {.release = release, .user = user};
    if (!ix_array_interface_known(a, a ? a->kind : 0, err))
        return ix_exchange_refuse(&f);
    if (!convert(a, &f, err))
        return ix_exchange_refuse(&f);
    if (a->kind == ILEX_ARRAY_CUDA &&
        (!ix_exchange_device(&f, err) || !wait_for(a, f.device, err)))
        return ix_exchange_refuse(&f);
    return ix_exchange_import(ctx, &f, more);
}
