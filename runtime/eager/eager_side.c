/* SPDX-License-Identifier: MIT
 *
 * On which side of host and device an eager operator is computed, and where
 * its result lies: in memory like that of the first operand which the side can
 * address. The choice is ilex_storage_compute_device()'s; plain numbers have
 * no say. On a device programs of jit=nvrtc run; where its driver or the
 * compiler is missing, operands of which the host has what is newest are
 * computed with there, others are an error that says how to go on.
 */
#include "runtime/eager/eager.h"

#include <stdio.h>

static bool
is_host_alone(const ilex_storage *s)
{
    const ix_memory *m = s->memory;
    return m->managed == IX_MANAGED_NONE && m->host.base &&
           !ix_memory_on_device(m) && !m->host.traits;
}

/* Does the operand take part in the choice? */
static bool
votes(const ilex_storage *s)
{
    return s->rank > 0 || !is_host_alone(s);
}

static bool
choose(ilex_context *ctx, size_t count, ilex_storage *const *operands,
       bool *device)
{
    const ilex_storage *voter[IX_EAGER_OPERANDS];
    size_t n = 0;
    int chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (votes(operands[i]))
            voter[n++] = operands[i];
    bool ok = n == 0 || !ilex_storage_compute_device(ctx, n, voter, &chosen);
    *device = chosen != 0;
    return ok;
}

/* Takes the place of "s" for a new storage. */
void
ix_eager_lie_beside(const ilex_storage *s, ix_eager_result *r)
{
    const ix_memory *m = s->memory;
    const ilex_storage_traits *t =
        m->device.traits ? m->device.traits : m->host.traits;
    if (t) {
        r->preset = t->name;
    } else if (ix_memory_on_device(m)) {
        r->managed = ilex_storage_managed(s);
        snprintf(r->device, sizeof r->device, "cuda:%d", m->device_index % 100);
    }
}

/* The first storage with axes; the first one if they are all plain. */
static const ilex_storage *
first_of(size_t count, ilex_storage *const *operands)
{
    for (size_t i = 0; i < count; i++)
        if (operands[i]->rank > 0 && *operands[i]->axis[0])
            return operands[i];
    for (size_t i = 0; i < count; i++)
        if (votes(operands[i]))
            return operands[i];
    return operands[0];
}

/* Can a program be compiled for the device and run there? */
static bool
has_kernels(void)
{
    const ix_driver *driver = ix_driver_known();
    return driver && driver->launch && ix_nvrtc_available();
}

/* Has the host what is newest of "s", so that nothing is copied? */
static bool
host_is_valid(const ilex_storage *s)
{
    return ix_memory_on_host(s->memory) &&
           atomic_load(&s->memory->sync) != ILEX_SYNC_DEVICE_DIRTY;
}

/* Is everything there for the host? */
static bool
fits_host(size_t count, ilex_storage *const *operands, const ilex_storage *out)
{
    bool fits = !out || host_is_valid(out);
    for (size_t i = 0; fits && i < count; i++)
        fits = host_is_valid(operands[i]);
    return fits;
}

/* The operator is computed on the device; "first" decided that. */
static ilex_status
take_device(ilex_context *ctx, const char *what, const ilex_storage *first,
            const ilex_storage *out, ix_eager_result *r)
{
    if (!has_kernels())
        return ix_fail(
            &ctx->error, ILEX_E_UNSUPPORTED,
            "%s: the operands are to be computed with on the device ('%.80s' "
            "decides), and no kernels can be made for it here; assign them to "
            "storages of the host (ilex_storage_assign), or if they are "
            "managed by software, synchronize and "
            "ilex_storage_set_host_modified them",
            what, ix_storage_label(first));
    if (out && !ix_memory_on_device(out->memory))
        return ix_fail(&ctx->error, ILEX_E_DEVICE,
                       "%s: computed on the device, which cannot address the "
                       "result's storage ('%.80s'); take one of the device, or "
                       "copy the operands with ilex_storage_to",
                       what, ix_storage_label(out));
    r->on_device = true;
    ix_eager_lie_beside(first, r);
    return ILEX_OK;
}

ilex_status
ix_eager_side(ilex_context *ctx, const char *what, size_t count,
              ilex_storage *const *operands, const ilex_storage *out,
              ix_eager_result *r)
{
    bool plain = !out || is_host_alone(out), device;
    for (size_t i = 0; i < count; i++)
        plain = plain && is_host_alone(operands[i]);
    if (plain)
        return ILEX_OK;
    if (!choose(ctx, count, operands, &device))
        return ctx->error.code;
    if (device && (has_kernels() || !fits_host(count, operands, out)))
        return take_device(ctx, what, first_of(count, operands), out, r);
    if (out && !ix_memory_on_host(out->memory))
        return ix_fail(&ctx->error, ILEX_E_DEVICE,
                       "%s: computed on the host, which cannot address the "
                       "result's storage ('%.80s'); take one of the host, or "
                       "copy the operands with ilex_storage_to",
                       what, ix_storage_label(out));
    ix_eager_lie_beside(first_of(count, operands), r);
    return ILEX_OK;
}
