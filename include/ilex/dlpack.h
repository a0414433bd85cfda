/* SPDX-License-Identifier: MIT
 *
 * The structs of DLPack 1, for programs that have no dlpack.h.
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

/* Kinds of element; those after kDLBool are not listed. */
enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6
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

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/* From DLPack 1.0 on. Of another major version only `version`, `manager_ctx`
 * and `deleter` may be looked at. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif
#endif
#endif
