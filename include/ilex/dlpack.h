/* SPDX-License-Identifier: MIT
 *
 * The structs of DLPack 1.3, for programs that have no dlpack.h.
 *
 * Names and layout are those of the DLPack ABI, so a program includes either
 * this header or DLPack's own; with both, DLPack's must come first and this
 * one is then empty. <ilex.h> does not include it: the functions of
 * <ilex/exchange.h> need no more than the names of the structs.
 */
#ifndef ILEX_DLPACK_H
#define ILEX_DLPACK_H

#include <stdint.h>

#ifndef DLPACK_DLPACK_H_

#ifdef __cplusplus
extern "C" {
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3

/* Where `data` lies. Host code may read and write kDLCPU, kDLCUDAHost and
 * kDLROCMHost. */
enum {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17,
    kDLTrn = 18
};
typedef int32_t DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id; /* 0 for host memory */
} DLDevice;

/* Kinds of element. Ilex has int, uint, float, complex and bool. */
enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e3m4 = 7,
    kDLFloat8_e4m3 = 8,
    kDLFloat8_e4m3b11fnuz = 9,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13,
    kDLFloat8_e8m0fnu = 14,
    kDLFloat6_e2m3fn = 15,
    kDLFloat6_e3m2fn = 16,
    kDLFloat4_e2m1fn = 17
};

typedef struct {
    uint8_t code;
    uint8_t bits;   /* of one lane */
    uint16_t lanes; /* 1, but for vectors as elements */
} DLDataType;

/* Element (0, ..., 0) lies at data + byte_offset. Strides are in elements;
 * NULL, which DLPack 1.2 forbids, means dense C order. */
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;

/* Up to DLPack 0.8. `deleter` may be NULL; it frees the struct as well. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

/* Flags: the consumer must not write; he alone has the memory; elements of
 * less than a byte lie in bytes of their own (else several share one). */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

/* From DLPack 1.0 on. Of another major version only `version`, `manager_ctx`
 * and `deleter` may be looked at. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* ---- the table of functions of a library, from DLPack 1.2 on ----
 *
 * Functions return 0, or -1 on failure. In a Python package objects are
 * PyObject pointers and a failure leaves an exception set; in Ilex's own table
 * (ilex_dlpack_exchange_api) they are storages. None of them waits for a
 * device. */

/* "*out" is a new tensor of the dtype, ndim, shape and device of "prototype",
 * dense in C order; a failure is told to "set_error". */
typedef int (*DLPackManagedTensorAllocator)(
    DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
    void (*set_error)(void *error_ctx, const char *kind, const char *message));

/* "*out" is a tensor over the array "object", to be deleted by the caller. */
typedef int (*DLPackManagedTensorFromPyObjectNoSync)(
    void *object, DLManagedTensorVersioned **out);

/* "*out" describes the array "object", which goes on to own everything. */
typedef int (*DLPackDLTensorFromPyObjectNoSync)(void *object, DLTensor *out);

/* "*out" is the stream on which the library works. */
typedef int (*DLPackCurrentWorkStream)(DLDeviceType type, int32_t id,
                                       void **out);

/* "*out" is an array over "tensor", which is taken over. */
typedef int (*DLPackManagedTensorToPyObjectNoSync)(
    DLManagedTensorVersioned *tensor, void **out);

/* `prev_api` leads to a table of an older major version, or is NULL. */
typedef struct DLPackExchangeAPIHeader {
    DLPackVersion version;
    struct DLPackExchangeAPIHeader *prev_api;
} DLPackExchangeAPIHeader;

/* Only dltensor_from_py_object_no_sync may be NULL. */
typedef struct DLPackExchangeAPI {
    DLPackExchangeAPIHeader header;
    DLPackManagedTensorAllocator managed_tensor_allocator;
    DLPackManagedTensorFromPyObjectNoSync managed_tensor_from_py_object_no_sync;
    DLPackManagedTensorToPyObjectNoSync managed_tensor_to_py_object_no_sync;
    DLPackDLTensorFromPyObjectNoSync dltensor_from_py_object_no_sync;
    DLPackCurrentWorkStream current_work_stream;
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif
#endif
#endif
