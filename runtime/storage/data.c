/* SPDX-License-Identifier: MIT
 *
 * Data leaves: storages as arrays of an expression. The graph counts the
 * storage through hooks, so that lib need not know what a storage is.
 */
#include "compiler/compiler.h"
#include "ilex/program.h"
#include "runtime/storage/storage.h"

static void
retain(void *object)
{
    ilex_storage_retain(object);
}

static void
release(void *object)
{
    ilex_storage_release(object);
}

/* Nodes say that dtype, lengths and axes are the same. */
static bool
same(const void *a, const void *b)
{
    const ilex_storage *s = a, *t = b;
    bool equal = s->memory == t->memory && s->data == t->data;
    for (int k = 0; equal && k < s->rank; k++)
        equal = s->stride[k] == t->stride[k];
    return equal;
}

__attribute__((constructor)) static void
set_hooks(void)
{
    ix_data = (ix_data_hooks){retain, release, same};
}

/* The storage's axis as a range: the origin is the first point inside the halo;
 * unnamed axes begin at 0 and ignore both. */
static bool
axis_ranges(ilex_context *ctx, const ilex_storage *s, int k, ix_axis *interior,
            ix_axis *valid)
{
    bool named = *s->axis[k] != 0;
    int64_t lo = 0, hi = s->shape[k], first = 0, end = s->shape[k];
    if (named) {
        ilex_storage_domain(s, k, &lo, &hi);
        ix_storage_covers(s, k, &first, &end);
    }
    int32_t name =
        named ? ix_symbol_of(ctx, s->axis[k], strlen(s->axis[k])) : 0;
    if (name < 0)
        return ix_fail_memory_false(&ctx->error);
    *interior = (ix_axis){name, ix_lin_const(ctx, lo), ix_lin_const(ctx, hi)};
    *valid = (ix_axis){name, ix_lin_const(ctx, first), ix_lin_const(ctx, end)};
    return true;
}

ilex_array *
ilex_data(ilex_context *ctx, ilex_storage *storage)
{
    ix_axis interior[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    if (!storage)
        return ix_poison(ctx, "data", 0, ILEX_E_ARGUMENT,
                         "data: the storage is NULL");
    for (int k = 0; k < storage->rank; k++)
        if (!axis_ranges(ctx, storage, k, &interior[k], &valid[k]))
            return ix_poison_again(ctx);
    int64_t serial = ctx->serial++;
    ix_node_spec spec = {.kind = IX_DATA,
                         .dtype = storage->dtype,
                         .interior =
                             ix_domain_new(ctx, storage->rank, interior),
                         .valid = ix_domain_new(ctx, storage->rank, valid),
                         .nattr = 1,
                         .attr = &serial,
                         .ext = storage};
    return spec.interior && spec.valid ? ix_node_scoped(ctx, &spec)
                                       : ix_poison_again(ctx);
}
