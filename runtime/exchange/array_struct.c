/* SPDX-License-Identifier: MIT
 *
 * __array_struct__, the C form of NumPy's array interface. Python hands it
 * over in a capsule; the struct and what it points to live as long as that.
 */
#include "lib/ops/dtype.h"
#include "runtime/exchange/exchange.h"
#include "runtime/files/formats.h"

static const char what[] = "__array_struct__";

/* ---- export ---- */

typedef struct exported {
    ilex_array_struct a; /* first: its address is the record's */
    ix_mem mem;
    ilex_storage *storage;
    intptr_t shape[ILEX_MAX_RANK], strides[ILEX_MAX_RANK];
} exported;

/* Density of "s" in Fortran order. */
static bool
dense_fortran(const ilex_storage *s)
{
    int axes[ILEX_MAX_RANK];
    for (int k = 0; k < s->rank; k++)
        axes[k] = s->rank - 1 - k;
    return ix_storage_dense(s, axes);
}

static int
flags_of(const ilex_storage *s)
{
    bool empty = ix_storage_count(s) == 0;
    int flags = ILEX_ARRAY_ALIGNED | ILEX_ARRAY_NATIVE;
    if (empty || ix_storage_dense(s, NULL))
        flags |= ILEX_ARRAY_C;
    if (empty || dense_fortran(s))
        flags |= ILEX_ARRAY_F;
    return ilex_storage_writable(s) ? flags | ILEX_ARRAY_WRITABLE : flags;
}

ilex_array_struct *
ilex_array_struct_export(ilex_context *ctx, ilex_storage *s)
{
    ix_error *err = ix_storage_error(ctx);
    const ix_mem *mem = ix_storage_mem(ctx);
    if (!s)
        return ix_fail_null(err, ILEX_E_ARGUMENT, "%s: the storage is NULL",
                            what);
    void *data;
    if (!ix_typestr_known(s->dtype, what, err) ||
        ix_exchange_address(ctx, s, false, !ilex_storage_writable(s), &data))
        return NULL;
    exported *e = ix_mem_new(mem, sizeof *e);
    if (!e)
        return ix_fail_memory_null(err);
    e->mem = *mem;
    e->storage = ilex_storage_retain(s);
    e->a.two = 2;
    e->a.rank = s->rank;
    e->a.kind = ix_dtype_kind(s->dtype);
    e->a.bytes = (int)ilex_dtype_bytes(s->dtype);
    e->a.flags = flags_of(s);
    e->a.shape = e->shape;
    e->a.strides = e->strides;
    e->a.data = data;
    for (int k = 0; k < s->rank; k++) {
        e->shape[k] = (intptr_t)s->shape[k];
        e->strides[k] = (intptr_t)s->stride[k] * e->a.bytes;
    }
    return &e->a;
}

void
ilex_array_struct_free(ilex_array_struct *a)
{
    exported *e = (exported *)a;
    if (!e)
        return;
    ix_mem mem = e->mem;
    ilex_storage_release(e->storage);
    ix_mem_free(&mem, e);
}

/* ---- import ---- */

/* Is it such a struct, with elements and axes that Ilex has? */
static bool
check(const ilex_array_struct *a, ilex_dtype *dtype, ix_error *err)
{
    ilex_status code = ILEX_OK;
    const char *sentence = "";
    if (!a || a->two != 2) {
        code = ILEX_E_ARGUMENT;
        sentence = "it is NULL or does not begin with the number 2";
    } else if (a->rank < 0 || (a->rank > 0 && !a->shape)) {
        code = ILEX_E_ARGUMENT;
        sentence = "it has no shape, or less than 0 axes";
    } else if (a->rank > ILEX_MAX_RANK) {
        code = ILEX_E_UNSUPPORTED;
        sentence = "it has more than 16 axes";
    } else if (a->bytes <= 0 ||
               !ix_dtype_of(a->kind, (size_t)a->bytes, dtype)) {
        code = ILEX_E_UNSUPPORTED;
        sentence = "its elements are none of b1, i1 to i8, u1 to u8, f2, f4, "
                   "f8, c8 and c16";
    } else if (a->bytes > 1 && !(a->flags & ILEX_ARRAY_NATIVE)) {
        code = ILEX_E_UNSUPPORTED;
        sentence = "its bytes are in the order of another machine; convert it "
                   "with a.astype(a.dtype.newbyteorder('='))";
    }
    if (code)
        ix_fail(err, code, "%s: %s", what, sentence);
    return !code;
}

ilex_storage *
ilex_array_struct_import(ilex_context *ctx, const ilex_array_struct *a,
                         const ilex_storage_spec *more,
                         void (*release)(void *user, void *data), void *user)
{
    int64_t shape[ILEX_MAX_RANK], strides[ILEX_MAX_RANK];
    ix_error *err = ix_storage_error(ctx);
    ix_foreign f = {.what = what, .release = release, .user = user};
    if (!check(a, &f.dtype, err))
        return ix_exchange_refuse(&f);
    for (int k = 0; k < a->rank; k++) {
        shape[k] = a->shape[k];
        strides[k] = a->strides ? a->strides[k] : 0;
    }
    f.readonly = !(a->flags & ILEX_ARRAY_WRITABLE);
    f.data = a->data;
    if (!ix_exchange_shape(&f, a->rank, shape, a->strides ? strides : NULL,
                           a->bytes, err))
        return ix_exchange_refuse(&f);
    return ix_exchange_import(ctx, &f, more);
}
