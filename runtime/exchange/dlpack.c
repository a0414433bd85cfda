/* SPDX-License-Identifier: MIT
 *
 * DLPack: the tables of types and devices, and the export of storages.
 *
 * An exported tensor is one record: the struct, the shape and strides it
 * points to, and a count of the storage. Its deleter needs nothing else, so it
 * may be called by any thread, and after the context is gone.
 */
#include "runtime/exchange/dlpack.h"

#include "ilex/exchange.h"
#include "lib/ops/dtype.h"
#include "runtime/exchange/exchange.h"

/* ---- tables ---- */

static const struct {
    int code;
    char kind; /* as in dtypes.def; 0: none */
    const char *name;
} codes[] = {
    {kDLInt, 'i', "int"},
    {kDLUInt, 'u', "uint"},
    {kDLFloat, 'f', "float"},
    {kDLOpaqueHandle, 0, "opaque handle"},
    {kDLBfloat, 0, "bfloat"}, /* bf16 */
    {kDLComplex, 'c', "complex"},
    {kDLBool, 'b', "bool"},
    {kDLFloat8_e3m4, 0, "float8_e3m4"},
    {kDLFloat8_e4m3, 0, "float8_e4m3"},
    {kDLFloat8_e4m3b11fnuz, 0, "float8_e4m3b11fnuz"},
    {kDLFloat8_e4m3fn, 0, "float8_e4m3fn"},
    {kDLFloat8_e4m3fnuz, 0, "float8_e4m3fnuz"},
    {kDLFloat8_e5m2, 0, "float8_e5m2"},
    {kDLFloat8_e5m2fnuz, 0, "float8_e5m2fnuz"},
    {kDLFloat8_e8m0fnu, 0, "float8_e8m0fnu"},
    {kDLFloat6_e2m3fn, 0, "float6_e2m3fn"},
    {kDLFloat6_e3m2fn, 0, "float6_e3m2fn"},
    {kDLFloat4_e2m1fn, 0, "float4_e2m1fn"},
};

static const ix_dlpack_device devices[] = {
    {kDLCPU, "CPU", IX_SIDE_HOST},
    {kDLCUDA, "CUDA", IX_SIDE_DEVICE},
    {kDLCUDAHost, "pinned CUDA host", IX_SIDE_HOST},
    {kDLOpenCL, "OpenCL", IX_SIDE_NONE},
    {kDLVulkan, "Vulkan", IX_SIDE_NONE},
    {kDLMetal, "Metal", IX_SIDE_NONE},
    {kDLVPI, "VPI", IX_SIDE_NONE},
    {kDLROCM, "ROCm", IX_SIDE_NONE},
    {kDLROCMHost, "pinned ROCm host", IX_SIDE_HOST},
    {kDLExtDev, "extension", IX_SIDE_NONE},
    {kDLCUDAManaged, "managed CUDA", IX_SIDE_BOTH},
    {kDLOneAPI, "oneAPI", IX_SIDE_NONE},
    {kDLWebGPU, "WebGPU", IX_SIDE_NONE},
    {kDLHexagon, "Hexagon", IX_SIDE_NONE},
    {kDLMAIA, "MAIA", IX_SIDE_NONE},
    {kDLTrn, "Trainium", IX_SIDE_NONE},
};

/* The device type of a memory space. */
static const int type_of_space[IX_NSPACES] = {
    [IX_SPACE_NORMAL] = kDLCPU,      [IX_SPACE_HUGEPAGE] = kDLCPU,
    [IX_SPACE_PINNED] = kDLCUDAHost, [IX_SPACE_UNIFIED] = kDLCUDAManaged,
    [IX_SPACE_DEVICE] = kDLCUDA,
};

const ix_dlpack_device *
ix_dlpack_device_find(int32_t number)
{
    for (size_t i = 0; i < IX_COUNT(devices); i++)
        if (devices[i].number == number)
            return &devices[i];
    return NULL;
}

const char *
ix_dlpack_code_name(int code)
{
    for (size_t i = 0; i < IX_COUNT(codes); i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "?";
}

DLDataType
ix_dlpack_type(ilex_dtype dtype)
{
    DLDataType type = {0, (uint8_t)(8 * ilex_dtype_bytes(dtype)), 1};
    for (size_t i = 0; i < IX_COUNT(codes); i++)
        if (codes[i].kind == ix_dtype_kind(dtype))
            type.code = (uint8_t)codes[i].code;
    if (dtype == ILEX_BF16)
        type.code = kDLBfloat;
    return type;
}

bool
ix_dlpack_dtype(DLDataType type, ilex_dtype *dtype)
{
    DLDataType bf16 = ix_dlpack_type(*dtype = ILEX_BF16);
    if (type.code == bf16.code)
        return type.lanes == 1 && type.bits == bf16.bits;
    for (size_t i = 0; i < IX_COUNT(codes); i++)
        if (codes[i].code == type.code && codes[i].kind)
            return type.lanes == 1 && type.bits % 8 == 0 &&
                   ix_dtype_of(codes[i].kind, type.bits / 8, dtype);
    return false;
}

/* ---- export ---- */

typedef struct exported {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    } as;
    ix_mem mem;
    ilex_storage *storage;
    int64_t shape[ILEX_MAX_RANK], strides[ILEX_MAX_RANK];
} exported;

/* Is it the device buffer that is exported? */
static bool
on_device(const ilex_storage *s, unsigned flags)
{
    return (flags & ILEX_EXPORT_DEVICE) || !ix_memory_on_host(s->memory);
}

/* Gives back the count of the storage and the record. */
static void
release_record(exported *e)
{
    ix_mem mem = e->mem;
    ilex_storage_release(e->storage);
    ix_mem_free(&mem, e);
}

static void
delete_legacy(DLManagedTensor *self)
{
    release_record(self->manager_ctx);
}

static void
delete_versioned(DLManagedTensorVersioned *self)
{
    release_record(self->manager_ctx);
}

ilex_storage *
ix_dlpack_exported(const DLManagedTensorVersioned *t)
{
    const exported *e = t->deleter == delete_versioned ? t->manager_ctx : NULL;
    return e ? e->storage : NULL;
}

ilex_storage *
ix_dlpack_exported_legacy(const DLManagedTensor *t)
{
    const exported *e = t->deleter == delete_legacy ? t->manager_ctx : NULL;
    return e ? e->storage : NULL;
}

/* Without elements there is no address. */
ilex_status
ix_dlpack_describe(ilex_context *ctx, ilex_storage *s, unsigned flags,
                   bool readonly, DLTensor *t)
{
    int type, number;
    void *data;
    ilex_status rc =
        ix_exchange_address(ctx, s, on_device(s, flags), readonly, &data);
    if (rc)
        return rc;
    ilex_dlpack_device(s, flags, &type, &number);
    *t = (DLTensor){.data = ix_storage_count(s) ? data : NULL,
                    .device = {type, number},
                    .ndim = s->rank,
                    .dtype = ix_dlpack_type(s->dtype),
                    .shape = s->shape,
                    .strides = s->stride};
    return ILEX_OK;
}

ilex_status
ix_dlpack_wait(ilex_context *ctx, const ilex_storage *s, unsigned flags)
{
    return on_device(s, flags) ? ix_exchange_wait(ctx, s->memory->device_index)
                               : ILEX_OK;
}

/* Describes the storage of "e", with a shape that the consumer may spoil. */
static ilex_status
describe(ilex_context *ctx, exported *e, unsigned flags, bool readonly,
         DLTensor *t)
{
    ilex_status rc = ix_dlpack_describe(ctx, e->storage, flags, readonly, t);
    if (rc)
        return rc;
    size_t axes = (size_t)t->ndim * sizeof *e->shape;
    t->shape = memcpy(e->shape, t->shape, axes);
    t->strides = memcpy(e->strides, t->strides, axes);
    return ILEX_OK;
}

/* A record that has taken a count of "s", or holds a copy of it. */
static exported *
new_record(ilex_context *ctx, ilex_storage *s, unsigned flags)
{
    const ix_mem *mem = ix_storage_mem(ctx);
    exported *e = ix_mem_new(mem, sizeof *e);
    if (!e)
        return ix_fail_memory_null(ix_storage_error(ctx));
    e->mem = *mem;
    e->storage = flags & ILEX_STORAGE_COPY ? ilex_storage_copy(ctx, s)
                                           : ilex_storage_retain(s);
    if (e->storage)
        return e;
    release_record(e);
    return NULL;
}

static bool
check_export(ilex_context *ctx, const ilex_storage *s, unsigned flags)
{
    const unsigned known =
        ILEX_STORAGE_READONLY | ILEX_STORAGE_COPY | ILEX_EXPORT_DEVICE;
    if (s && !(flags & ~known))
        return true;
    return ix_fail_false(
        ix_storage_error(ctx), ILEX_E_ARGUMENT, "DLPack export: %s",
        s ? "unknown bits in flags; combine ILEX_STORAGE_READONLY, "
            "ILEX_STORAGE_COPY and ILEX_EXPORT_DEVICE with |"
          : "the storage is NULL");
}

/* A copy is writable unless asked otherwise. */
static bool
exports_readonly(const ilex_storage *s, unsigned flags)
{
    return (flags & ILEX_STORAGE_READONLY) ||
           (!ilex_storage_writable(s) && !(flags & ILEX_STORAGE_COPY));
}

DLManagedTensorVersioned *
ix_dlpack_export(ilex_context *ctx, ilex_storage *s, unsigned flags)
{
    exported *e = NULL;
    if (check_export(ctx, s, flags))
        e = new_record(ctx, s, flags);
    if (!e)
        return NULL;
    DLManagedTensorVersioned *t = &e->as.versioned;
    bool readonly = exports_readonly(s, flags);
    t->version = (DLPackVersion){IX_DLPACK_MAJOR, IX_DLPACK_MINOR};
    t->manager_ctx = e;
    t->deleter = delete_versioned;
    if (readonly)
        t->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    if (flags & ILEX_STORAGE_COPY)
        t->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    if (!describe(ctx, e, flags, readonly, &t->dl_tensor))
        return t;
    release_record(e);
    return NULL;
}

DLManagedTensorVersioned *
ilex_dlpack_export(ilex_context *ctx, ilex_storage *s, unsigned flags)
{
    DLManagedTensorVersioned *t = ix_dlpack_export(ctx, s, flags);
    if (!t || !ix_dlpack_wait(ctx, ix_dlpack_exported(t), flags))
        return t;
    t->deleter(t);
    return NULL;
}

DLManagedTensor *
ilex_dlpack_export_legacy(ilex_context *ctx, ilex_storage *s, unsigned flags)
{
    if (!check_export(ctx, s, flags))
        return NULL;
    if (exports_readonly(s, flags))
        return ix_fail_null(
            ix_storage_error(ctx), ILEX_E_READONLY,
            "DLPack export: the struct before DLPack 1.0 cannot say that an "
            "array is read-only; use ilex_dlpack_export, or export a copy "
            "(ILEX_STORAGE_COPY)");
    exported *e = new_record(ctx, s, flags);
    if (!e)
        return NULL;
    DLManagedTensor *t = &e->as.legacy;
    t->manager_ctx = e;
    t->deleter = delete_legacy;
    if (!describe(ctx, e, flags, false, &t->dl_tensor) &&
        !ix_dlpack_wait(ctx, e->storage, flags))
        return t;
    release_record(e);
    return NULL;
}

void
ilex_dlpack_device(const ilex_storage *s, unsigned flags, int *type,
                   int *number)
{
    const ix_memory *m = s->memory;
    bool device = on_device(s, flags) && m->device.base;
    *type = type_of_space[device ? m->device.space : m->host.space];
    *number = *type == kDLCUDA ? m->device_index : 0;
}
