/* SPDX-License-Identifier: MIT
 *
 * Exchange of arrays with other libraries, without a copy: DLPack, the array
 * interface of NumPy, that of CUDA, and element formats of Python buffers.
 *
 * Importing makes a storage over somebody else's memory. What all these forms
 * lack, "more" adds: it is a spec in which `axes`, `halo`, `alignment`,
 * `aligned_index`, `name`, `flags`, `device`, `managed` and the like may be
 * given (and a layout, together with ILEX_STORAGE_COPY), but nothing that the
 * array brings. "more" may be NULL. The owner is told exactly once,
 * when the last view of the storage is gone or before the import returns NULL
 * or after a copy. Strides may be negative or 0; what has elements in common
 * can be read by a program and is refused as its output. The stride of an
 * axis of length 1 is ignored.
 *
 * Exporting describes a storage to somebody else, who holds a count of it
 * until he is done. All errors are recorded in "ctx", which may be NULL, as
 * in storage.h. Any thread, but for the context.
 */
#ifndef ILEX_EXCHANGE_H
#define ILEX_EXCHANGE_H

#include "ilex/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- DLPack: structs of dlpack.h, or of <ilex/dlpack.h> ---- */

struct DLManagedTensor;
struct DLManagedTensorVersioned;
struct DLPackExchangeAPI;

/* A storage over "tensor", which is taken over: its deleter, unless NULL, is
 * called exactly once. A tensor of another major version is deleted unseen.
 * DLPack has no place for names of axes, halos, origins, promised alignments
 * and labels. One that this library exported, and whose shape nobody changed,
 * has those of its storage again, where "more" does not give others.
 * Errors: ILEX_E_ARGUMENT, _UNSUPPORTED (version, dtype, lanes, more than 16
 * axes, unknown device), _DEVICE (memory the host cannot reach), _SHAPE,
 * _ALIGNMENT, _OVERFLOW, _MEMORY, and those of "more". */
ILEX_API ilex_storage *
ilex_dlpack_import(ilex_context *ctx, struct DLManagedTensorVersioned *tensor,
                   const ilex_storage_spec *more);
ILEX_API ilex_storage *ilex_dlpack_import_legacy(ilex_context *ctx,
                                                 struct DLManagedTensor *tensor,
                                                 const ilex_storage_spec *more);

enum { ILEX_EXPORT_DEVICE = 0x10000 }; /* the device buffer, not the host's */

/* A storage over the array "object" of another library, through the library's
 * table: the object is asked for a tensor, which is imported as above, and its
 * device is waited for. A table of another major version is left for an older
 * one that it leads to. Errors: ILEX_E_UNSUPPORTED (version), ILEX_E_ARGUMENT
 * ("api" or "object" is NULL, the table lacks the function, or the library
 * refuses the object: it says why in its own way, a Python package by an
 * exception that is set), and those of ilex_dlpack_import(). */
ILEX_API ilex_storage *
ilex_dlpack_import_object(ilex_context *ctx,
                          const struct DLPackExchangeAPI *api, void *object,
                          const ilex_storage_spec *more);

/* Ilex's own table, of DLPack 1.3, which lives as long as the library is
 * loaded. What it calls objects are storages (`ilex_storage *`), so it serves
 * programs and libraries in C; in Python it would be given PyObject pointers
 * and must not be passed on as it is (exchange.md).
 *   managed_tensor_allocator: uninitialised, data at a multiple of 256 bytes;
 *     host, pinned, CUDA and managed CUDA memory. The kind of an error is the
 *     name of a Python exception.
 *   managed_tensor_from_py_object_no_sync: ilex_dlpack_export(NULL, s, 0)
 *     without waiting.
 *   managed_tensor_to_py_object_no_sync: ilex_dlpack_import(NULL, tensor,
 *     NULL): the caller has one count of the storage.
 *   dltensor_from_py_object_no_sync: as long as "s" lives; the side is brought
 *     up to date and the other one older, as by an export. A read-only storage
 *     is refused, since a DLTensor cannot say so.
 *   current_work_stream: NULL, the default stream, for host and CUDA memory.
 * Texts of errors are lost, but for those of the allocator. Any thread. */
ILEX_API const struct DLPackExchangeAPI *ilex_dlpack_exchange_api(void);

/* The storage as a tensor of DLPack 1.3, or of the struct before 1.0. It keeps
 * a count of "s" until its deleter is called, by any thread. "flags":
 * ILEX_STORAGE_READONLY marks the tensor read-only, as that of a read-only
 * storage is in any case; ILEX_STORAGE_COPY exports a copy. The old struct
 * cannot say read-only: ILEX_E_READONLY. The host buffer is exported, of a
 * storage that has none, or with ILEX_EXPORT_DEVICE, the device buffer. That
 * side is brought up to date, and the other one is older from then on unless
 * the tensor is read-only. NULL on error. */
ILEX_API struct DLManagedTensorVersioned *
ilex_dlpack_export(ilex_context *ctx, ilex_storage *s, unsigned flags);
ILEX_API struct DLManagedTensor *
ilex_dlpack_export_legacy(ilex_context *ctx, ilex_storage *s, unsigned flags);

/* What __dlpack_device__ returns: type and number of the device for an export
 * with these flags. */
ILEX_API void ilex_dlpack_device(const ilex_storage *s, unsigned flags,
                                 int *type, int *number);

/* ---- array interfaces: __array_interface__, __cuda_array_interface__ ---- */

enum {
    ILEX_ARRAY_HOST = 0, /* version 3 of NumPy's */
    ILEX_ARRAY_CUDA = 1  /* versions 0 to 3 are read, 3 is written */
};

/* Set `size` to sizeof(ilex_array_interface) before it is filled in, too. */
typedef struct ilex_array_interface {
    size_t size;
    int kind; /* ILEX_ARRAY_... */
    ilex_dtype dtype;
    int rank;
    int readonly;
    int has_strides; /* 0: dense C order */
    int64_t shape[ILEX_MAX_RANK];
    int64_t strides[ILEX_MAX_RANK]; /* bytes */
    void *data;                     /* element (0, ..., 0) */
    uint64_t stream; /* CUDA: where the data is still being written; 0: none */
} ilex_array_interface;
#define ILEX_ARRAY_INTERFACE(...) ILEX_STRUCT(ilex_array_interface, __VA_ARGS__)

/* Describes the host or the device buffer of "s"; ILEX_E_DEVICE if it has no
 * such buffer. That side is brought up to date, and the other one is older
 * from then on if "s" is writable. No count is taken: keep the storage while
 * the memory is used. */
ILEX_API ilex_status ilex_array_interface_get(ilex_context *ctx,
                                              ilex_storage *s, int kind,
                                              ilex_array_interface *a);

/* A storage over the array; release(user, data), which may be NULL, is called
 * exactly once. Strides must be multiples of the element's bytes. The driver
 * says on which device a CUDA array lies; of one with a stream the device is
 * waited for. */
ILEX_API ilex_storage *
ilex_array_interface_import(ilex_context *ctx, const ilex_array_interface *a,
                            const ilex_storage_spec *more,
                            void (*release)(void *user, void *data),
                            void *user);

/* The Python dictionary, as snprintf: at most "size" bytes with the final NUL;
 * returns the length of the whole text, 0 when there is no memory or "a" is
 * not valid. */
ILEX_API size_t ilex_array_interface_print(const ilex_array_interface *a,
                                           char *buffer, size_t size);

/* Reads such a dictionary, as Python's repr() writes it. ILEX_E_FORMAT,
 * _UNSUPPORTED (dtype, byte order, version, mask), _OVERFLOW. */
ILEX_API ilex_status ilex_array_interface_parse(ilex_context *ctx,
                                                const char *text, int kind,
                                                ilex_array_interface *a);

/* ---- __array_struct__: the C form of NumPy's array interface ---- */

enum {
    ILEX_ARRAY_C = 0x1, /* dense in C order */
    ILEX_ARRAY_F = 0x2, /* dense in Fortran order */
    ILEX_ARRAY_ALIGNED = 0x100,
    ILEX_ARRAY_NATIVE = 0x200, /* byte order of this machine */
    ILEX_ARRAY_WRITABLE = 0x400
};

typedef struct ilex_array_struct {
    int two; /* 2, always */
    int rank;
    char kind; /* 'b', 'i', 'u', 'f', 'c' */
    int bytes; /* of an element */
    int flags; /* ILEX_ARRAY_... */
    intptr_t *shape;
    intptr_t *strides; /* bytes; NULL: dense C order */
    void *data;
    void *description; /* of records; NULL */
} ilex_array_struct;

/* Describes the host buffer of "s" and keeps a count of it, given back by
 * ilex_array_struct_free(). NULL on error. */
ILEX_API ilex_array_struct *ilex_array_struct_export(ilex_context *ctx,
                                                     ilex_storage *s);
ILEX_API void ilex_array_struct_free(ilex_array_struct *a);

/* As ilex_array_interface_import(). The struct itself is not kept. */
ILEX_API ilex_storage *
ilex_array_struct_import(ilex_context *ctx, const ilex_array_struct *a,
                         const ilex_storage_spec *more,
                         void (*release)(void *user, void *data), void *user);

/* ---- element types in the spelling of others ---- */

/* The dtype of a type string ("<f8", "|b1", ">c16"); "*swapped" is 1 when the
 * bytes are in the other order than this machine's. ILEX_E_UNSUPPORTED if
 * there is no such dtype. "swapped" may be NULL. */
ILEX_API ilex_status ilex_typestr_read(const char *text, ilex_dtype *dtype,
                                       int *swapped);

/* The type string of a dtype in the order of this machine, at most 8 bytes
 * with the NUL; "" for an invalid dtype and bf16, which NumPy does not have. */
ILEX_API void ilex_typestr_write(ilex_dtype dtype, char text[8]);

/* The dtype of a buffer format of one element ("d", "<i", "Zf"); "text" NULL
 * means "B", as in a Py_buffer. "swapped" as for ilex_typestr_read. */
ILEX_API ilex_status ilex_format_read(const char *text, ilex_dtype *dtype,
                                      int *swapped);

#ifdef __cplusplus
}
#endif
#endif
