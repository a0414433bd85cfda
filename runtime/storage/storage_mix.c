/* SPDX-License-Identifier: MIT
 *
 * Storages on different sides: moving one to a device or the host, and where
 * an operation over several is computed.
 */
#include "runtime/storage/storage.h"

ilex_storage *
ilex_storage_to(ilex_context *ctx, ilex_storage *s, const char *device)
{
    if (!ix_storage_given(ctx, s, "storage to"))
        return NULL;
    const ix_memory *m = s->memory;
    bool cpu = device && strcmp(device, "cpu") == 0;
    ilex_storage_spec spec = {
        .size = sizeof spec, .like = s, .device = device, .managed = "none"};
    if (!device)
        return ix_fail_null(
            ix_storage_error(ctx), ILEX_E_ARGUMENT,
            "storage: no device given, for example \"cpu\" or \"gpu\"");
    if (cpu && ix_memory_on_host(m))
        return ilex_storage_retain(s);
    if (!cpu && ix_memory_on_gpu(m)) {
        bool any = strchr(device, ':') == NULL;
        const char *number = any ? "" : strchr(device, ':') + 1;
        bool mine = strlen(number) == 1 && *number - '0' == m->device_index;
        if (any || mine)
            return ilex_storage_retain(s);
    }
    ilex_storage *copy = ilex_storage_new(ctx, &spec);
    if (copy && ilex_storage_assign(ctx, copy, s)) {
        ilex_storage_release(copy);
        return NULL;
    }
    return copy;
}

/* ---- where to compute ---- */

static bool
is_managed(const ilex_storage *s)
{
    return s->memory->managed != IX_MANAGED_NONE;
}

/* Does the operand count as one on the device for software management? One
 * that is newer on the host does not. */
static bool
counts_as_device(const ilex_storage *s)
{
    return ix_memory_on_gpu(s->memory) &&
           ilex_storage_sync(s) != ILEX_SYNC_HOST_DIRTY;
}

/* The first operand that a side cannot address; -1: none. */
static int
out_of_reach(size_t count, const ilex_storage *const *operands, bool device)
{
    for (size_t i = 0; i < count; i++) {
        const ix_memory *m = operands[i]->memory;
        if (device ? !ix_memory_on_gpu(m) : !ix_memory_on_host(m))
            return (int)i;
    }
    return -1;
}

/* The side that the operand which decides chooses. */
static bool
choose_device(size_t count, const ilex_storage *const *operands)
{
    const ilex_storage *first = operands[0];
    for (size_t i = count; i-- > 0;)
        if (is_managed(operands[i]))
            first = operands[i];
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || counts_as_device(operands[i]);
    switch (first->memory->managed) {
    case IX_MANAGED_UNIFIED:
        return out_of_reach(count, operands, true) < 0;
    case IX_MANAGED_SOFTWARE:
        return any;
    default:
        return !ix_memory_on_host(first->memory);
    }
}

/* Software management moves what is in the way; nothing else does. */
static bool
may_move(size_t count, const ilex_storage *const *operands)
{
    for (size_t i = 0; i < count; i++)
        if (is_managed(operands[i]))
            return operands[i]->memory->managed == IX_MANAGED_SOFTWARE;
    return false;
}

ilex_status
ilex_storage_compute_device(ilex_context *ctx, size_t count,
                            const ilex_storage *const *operands, int *device)
{
    ix_error *err = ix_storage_error(ctx);
    if (count == 0)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: an operation needs an operand");
    bool chosen = choose_device(count, operands);
    int stray = out_of_reach(count, operands, chosen);
    if (stray >= 0 && !(chosen && may_move(count, operands)))
        return ix_fail(err, ILEX_E_DEVICE,
                       "storage: the operation is computed on the %s, which "
                       "cannot address operand %d ('%.80s'); copy it with "
                       "ilex_storage_to",
                       chosen ? "device" : "host", stray,
                       ix_storage_label(operands[stray]));
    *device = chosen;
    return ILEX_OK;
}
