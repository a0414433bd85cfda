/* SPDX-License-Identifier: MIT
 *
 * A producer of DLPack tensors, in both structs, that counts calls of its
 * deleters.
 */
#ifndef ILEX_TESTS_DLPACK_FIXTURE_H
#define ILEX_TESTS_DLPACK_FIXTURE_H

#include "tests/unit/storage_fixture.h"

#include "ilex.h"
#include "ilex/dlpack.h"

typedef struct producer {
    DLManagedTensorVersioned now;
    DLManagedTensor old;
    int deleted;
    int64_t shape[20], strides[20];
    _Alignas(64) char data[4096];
} producer;

static producer source;

static inline void
delete_now(DLManagedTensorVersioned *self)
{
    producer *p = self->manager_ctx;
    p->deleted++;
}

static inline void
delete_old(DLManagedTensor *self)
{
    producer *p = self->manager_ctx;
    p->deleted++;
}

/* Makes both tensors of the producer: f64, 2 by 3, C order, elements 0 to 5. */
static inline void
produce(void)
{
    memset(&source, 0, sizeof source);
    for (int i = 0; i < 512; i++)
        memcpy(source.data + 8 * i, &(double){i}, 8);
    DLTensor t = {.data = source.data,
                  .device = {kDLCPU, 0},
                  .ndim = 2,
                  .dtype = {kDLFloat, 64, 1},
                  .shape = source.shape,
                  .strides = source.strides};
    memcpy(source.shape, SHAPE(2, 3), 16);
    memcpy(source.strides, SHAPE(3, 1), 16);
    source.now = (DLManagedTensorVersioned){{1, 1}, &source, delete_now, 0, t};
    source.old = (DLManagedTensor){t, &source, delete_old};
}

/* Imports the tensor of the producer, the old one if "old" (then made equal
 * to the new one). */
static inline ilex_storage *
import(bool old, const ilex_storage_spec *more)
{
    source.old.dl_tensor = source.now.dl_tensor;
    return old ? ilex_dlpack_import_legacy(ctx, &source.old, more)
               : ilex_dlpack_import(ctx, &source.now, more);
}

static inline ilex_storage *
import_well(bool old, const ilex_storage_spec *more)
{
    ilex_storage *s = import(old, more);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* Releases "s", with which the tensor must be deleted. */
static inline void
finish(ilex_storage *s)
{
    ck_assert_int_eq(source.deleted, 0);
    ilex_storage_release(s);
    ck_assert_int_eq(source.deleted, 1);
}

static inline double
get(const ilex_storage *s, int64_t i, int64_t j)
{
    double v = -1;
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(i, j), &v), ILEX_OK);
    return v;
}

#endif
