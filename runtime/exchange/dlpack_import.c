/* SPDX-License-Identifier: MIT
 *
 * DLPack: the import of tensors.
 *
 * Nothing of a tensor is trusted but its addresses, and nothing of it is
 * written. A foreign major version may have moved everything behind the
 * deleter, which is then called at once. 256-byte alignment, which DLPack
 * promises and producers do not keep, is not assumed.
 */
#include "ilex/exchange.h"
#include "runtime/exchange/dlpack.h"
#include "runtime/exchange/exchange.h"

static const char what[] = "DLPack tensor";

/* Only memory that the host reaches, or the driver of CUDA. */
static bool
check_device(const DLTensor *t, ix_foreign *f, ix_error *err)
{
    int32_t number = (int32_t)t->device.device_type;
    const ix_dlpack_device *d = ix_dlpack_device_find(number);
    if (d && d->side != IX_SIDE_NONE) {
        f->side = d->side;
        f->device = (int)t->device.device_id;
        return true;
    }
    if (d)
        ix_fail(err, ILEX_E_DEVICE,
                "%s: it lies in %s memory (device type %d, number %d); Ilex "
                "imports host and CUDA memory: copy it to the host first",
                what, d->name, (int)number, (int)t->device.device_id);
    else
        ix_fail(err, ILEX_E_UNSUPPORTED,
                "%s: device type %d is not known; Ilex takes host and CUDA "
                "memory (device types 1, 2, 3, 11, 13)",
                what, (int)number);
    return false;
}

/* How elements of less than a byte lie. */
static const char *
below_byte(DLDataType type, bool padded)
{
    if (type.bits % 8 == 0)
        return "";
    return padded ? " (padded to whole bytes)" : " (packed)";
}

static bool
check_type(const DLTensor *t, bool padded, ilex_dtype *dtype, ix_error *err)
{
    if (ix_dlpack_dtype(t->dtype, dtype))
        return true;
    return ix_fail_false(
        err, ILEX_E_UNSUPPORTED,
        "%s: elements of type code %d (%s), %d bits%s, %d lanes; Ilex takes "
        "bool of 8 bits, int and uint of 8 to 64, float of 16 to 64, bfloat of "
        "16, complex of 64 and 128, each with 1 lane: convert the array first, "
        "for example to float of 32 bits",
        what, t->dtype.code, ix_dlpack_code_name(t->dtype.code), t->dtype.bits,
        below_byte(t->dtype, padded), t->dtype.lanes);
}

/* The address of element (0, ..., 0), unless there is none. */
static bool
find_data(const DLTensor *t, ix_foreign *f, ix_error *err)
{
    if (!t->data || ix_exchange_empty(f->rank, f->shape))
        return true;
    if (t->byte_offset > UINTPTR_MAX - (uintptr_t)t->data)
        return ix_fail_false(
            err, ILEX_E_OVERFLOW,
            "%s: byte_offset %llu leads beyond the address space", what,
            (unsigned long long)t->byte_offset);
    f->data = (void *)((uintptr_t)t->data + (uintptr_t)t->byte_offset);
    return true;
}

/* Has the tensor still the shape of "s", from which it was exported? */
static bool
has_shape(const DLTensor *t, const ilex_storage *s)
{
    return t->ndim == s->rank &&
           (s->rank == 0 || memcmp(t->shape, s->shape,
                                   (size_t)s->rank * sizeof *s->shape) == 0);
}

/* Imports "t" into the foreign array "f", whose owner is set. */
static ilex_storage *
import(ilex_context *ctx, const DLTensor *t, bool padded, ix_foreign *f,
       const ilex_storage_spec *more)
{
    ix_error *err = ix_storage_error(ctx);
    f->what = what;
    if (check_device(t, f, err) && check_type(t, padded, &f->dtype, err) &&
        ix_exchange_shape(f, t->ndim, t->shape, t->strides, 1, err) &&
        find_data(t, f, err) &&
        (f->side == IX_SIDE_HOST || ix_exchange_device(f, err))) {
        if (f->like && !has_shape(t, f->like))
            f->like = NULL;
        return ix_exchange_import(ctx, f, more);
    }
    return ix_exchange_refuse(f);
}

static void
delete_legacy(void *user, void *data)
{
    DLManagedTensor *t = user;
    (void)data;
    if (t->deleter)
        t->deleter(t);
}

static void
delete_versioned(void *user, void *data)
{
    DLManagedTensorVersioned *t = user;
    (void)data;
    if (t->deleter)
        t->deleter(t);
}

static ilex_storage *
refuse_null(ilex_context *ctx)
{
    return ix_fail_null(ix_storage_error(ctx), ILEX_E_ARGUMENT,
                        "%s: it is NULL", what);
}

ilex_storage *
ilex_dlpack_import_legacy(ilex_context *ctx, DLManagedTensor *tensor,
                          const ilex_storage_spec *more)
{
    if (!tensor)
        return refuse_null(ctx);
    ix_foreign f = {.release = delete_legacy,
                    .user = tensor,
                    .like = ix_dlpack_exported_legacy(tensor)};
    return import(ctx, &tensor->dl_tensor, false, &f, more);
}

ilex_storage *
ilex_dlpack_import(ilex_context *ctx, DLManagedTensorVersioned *tensor,
                   const ilex_storage_spec *more)
{
    if (!tensor)
        return refuse_null(ctx);
    ix_foreign f = {.release = delete_versioned,
                    .user = tensor,
                    .like = ix_dlpack_exported(tensor)};
    if (tensor->version.major != IX_DLPACK_MAJOR) {
        ix_fail(ix_storage_error(ctx), ILEX_E_UNSUPPORTED,
                "%s: it is of DLPack version %u.%u; Ilex reads version 1 (in "
                "Python: __dlpack__(max_version=(1, 3)))",
                what, (unsigned)tensor->version.major,
                (unsigned)tensor->version.minor);
        return ix_exchange_refuse(&f);
    }
    uint64_t flags = tensor->flags;
    f.readonly = (flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    return import(ctx, &tensor->dl_tensor,
                  flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, &f, more);
}
