/* SPDX-License-Identifier: MIT
 *
 * Memory for a resolved view: buffers of its own in the spaces that were
 * chosen, shifted so that the aligned index falls on the alignment on each
 * side; or buffers of the caller, with a second one of its own where Ilex is
 * to keep two in step. Then the first values.
 */
#include "runtime/storage/storage.h"

enum { BLOCK_ALIGNMENT = 64 }; /* of the aligned element, if nothing is asked */

/* ---- memory of its own ---- */

/* The alignment of a buffer's first byte, and in "*shift" how far behind it
 * the view begins so that its aligned index is aligned. */
static size_t
block_alignment(const ilex_storage *s, bool empty, size_t *shift)
{
    size_t align = ix_storage_lcm(s->alignment, BLOCK_ALIGNMENT);
    size_t over = empty ? 0 : ix_storage_aligned_offset(s) % align;
    *shift = over ? align - over : 0;
    return align;
}

ilex_status
ix_storage_allocate(ilex_storage *s, const ix_placement *place, ix_error *err)
{
    int64_t elements;
    size_t shift;
    ilex_status rc = ix_storage_set_strides(s, true, &elements, err);
    if (rc)
        return rc;
    size_t bytes = (size_t)elements * ilex_dtype_bytes(s->dtype);
    size_t align = block_alignment(s, elements == 0, &shift);
    if (place->traits)
        rc = ix_memory_allocate_traits(s->memory, place->traits, bytes + shift,
                                       align, err);
    else if (place->device)
        rc = ix_memory_allocate(s->memory, false, IX_SPACE_DEVICE,
                                bytes + shift, align, err);
    if (!rc && place->host && !s->memory->host.base)
        rc = ix_memory_allocate(s->memory, true, place->space, bytes + shift,
                                align, err);
    if (!rc)
        s->data = s->memory->base + shift;
    return rc;
}

/* ---- memory of the caller ---- */

/* Does a driver that is in use know the buffer, and as what it should be? */
static ilex_status
check_buffer(const void *data, bool host, ix_memory *m, ix_space *space,
             ix_error *err)
{
    const ix_driver *driver = ix_driver_known();
    ix_space found;
    int device;
    if (!driver || !driver->query(data, &found, &device))
        return ILEX_OK;
    if (host ? !ix_space_on_host(found) : !ix_space_on_device(found))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: `%s` is %s memory of device %d; give it as "
                       "`%s`",
                       host ? "data" : "device_data", ix_space_name(found),
                       device, host ? "device_data" : "data");
    *space = found;
    if (!host)
        m->device_index = device;
    return ILEX_OK;
}

/* Where "s" lies in the buffer that it shares with another storage. */
static ilex_status
join(ilex_storage *s, const ilex_storage_spec *p, ix_error *err)
{
    ix_memory *m = p->sync_with->memory;
    int64_t lo, bytes;
    bool device = m->host.base == NULL;
    ilex_status rc = ix_storage_lay_over(s, device ? p->device_data : p->data,
                                         p->strides, &lo, &bytes, err);
    if (rc)
        return rc;
    uintptr_t at = (uintptr_t)s->data + (uintptr_t)lo - (uintptr_t)m->base;
    bool inside = s->data && at <= m->bytes && (size_t)bytes <= m->bytes - at;
    char *mirror =
        m->device.base && !device ? m->device.base + (s->data - m->base) : NULL;
    if (!inside || (p->device_data && !device && p->device_data != mirror))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: the buffers are not at one place inside those "
                       "of `sync_with`, whose state they are to share");
    s->writable = s->writable && p->sync_with->writable;
    s->memory = ix_memory_retain(m);
    return ix_storage_check_alignment(s, s->data, err);
}

/* The side that a wrapped storage starts with as the newer one. */
static ilex_status
first_state(const ix_placement *place, const ilex_storage_spec *p,
            ilex_sync *sync, ix_error *err)
{
    bool both = p->data && p->device_data;
    *sync = p->data ? ILEX_SYNC_HOST_DIRTY : ILEX_SYNC_DEVICE_DIRTY;
    if (!place->host || !place->device)
        *sync = ILEX_SYNC_CLEAN;
    if (both && place->managed == IX_MANAGED_SOFTWARE && !p->sync)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: which of `data` and `device_data` is newer? "
                       "Give `sync`, for example ILEX_SYNC_CLEAN when they are "
                       "equal");
    if (!both && p->sync && p->sync != ILEX_SYNC_CLEAN && p->sync != *sync)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: `sync` names the side that is not given");
    if (both)
        *sync = p->sync;
    return ILEX_OK;
}

/* A second buffer of its own, laid out and aligned as the first. */
static ilex_status
mirror(ilex_storage *s, const ix_placement *place, ix_error *err)
{
    ix_memory *m = s->memory;
    size_t align = ix_storage_lcm(s->alignment, BLOCK_ALIGNMENT);
    size_t bytes = m->bytes, shift = (uintptr_t)m->base % align;
    ptrdiff_t at = s->data - m->base;
    bool host = place->host && !m->host.base;
    if (!host && !(place->device && !m->device.base))
        return ILEX_OK;
    ilex_status rc =
        ix_memory_allocate(m, host, host ? place->space : IX_SPACE_DEVICE,
                           bytes + shift, align, err);
    if (rc)
        return rc;
    ix_memory_wrap(m, host, host ? place->space : IX_SPACE_DEVICE,
                   (host ? m->host.base : m->device.base) + shift, bytes);
    s->data = m->base + at;
    return ILEX_OK;
}

/* Lays "s" over the buffers of "p". */
static ilex_status
wrap(ilex_storage *s, const ix_placement *place, const ilex_storage_spec *p,
     bool *adopted, ix_error *err)
{
    int64_t lo, bytes;
    ix_memory *m = s->memory;
    ilex_sync sync;
    char *device = p->device_data;
    bool unified = place->managed == IX_MANAGED_UNIFIED;
    ix_space space = place->space, device_space = IX_SPACE_DEVICE;
    ilex_status rc = first_state(place, p, &sync, err);
    rc = rc ? rc
            : ix_storage_lay_over(s, p->data ? p->data : p->device_data,
                                  p->strides, &lo, &bytes, err);
    if (!rc && p->data)
        rc = check_buffer(p->data, true, m, &space, err);
    if (!rc && p->device_data)
        rc = check_buffer(p->device_data, false, m, &device_space, err);
    rc = rc ? rc : ix_storage_check_alignment(s, s->data, err);
    if (!rc && p->data && p->device_data)
        rc = ix_storage_check_alignment(s, device, err);
    if (rc)
        return rc;
    if (p->device_data && !(unified && !p->data))
        ix_memory_wrap(m, false, device_space, device + lo, (size_t)bytes);
    if (p->data || unified)
        ix_memory_wrap(m, true, unified ? IX_SPACE_UNIFIED : space,
                       s->data + lo, (size_t)bytes);
    rc = mirror(s, place, err);
    if (rc)
        return rc;
    ix_memory_begin(m, sync);
    ix_memory_adopt(m, true, p->data ? p->release : NULL, p->release_user,
                    p->data);
    ix_memory_adopt(m, false, p->device_data ? p->device_release : NULL,
                    p->device_release_user, p->device_data);
    *adopted = true;
    return ILEX_OK;
}

/* ---- first values ---- */

/* Host memory with the bytes of a buffer on the device. */
static ilex_status
fetch(const ix_memory *m, const char *from, int64_t bytes, char **block,
      ix_error *err)
{
    *block = ix_mem_resize(&m->mem, NULL, (size_t)bytes + 1);
    if (!*block)
        return ix_fail_memory(err);
    return ix_space_copy(IX_SPACE_NORMAL, *block, IX_SPACE_DEVICE, from,
                         m->device_index, (size_t)bytes, err);
}

/* Copies the buffer of "p" into the elements of "s". */
static ilex_status
copy_in(ilex_storage *s, const ilex_storage_spec *p, ix_error *err)
{
    ilex_storage from;
    int64_t lo, bytes;
    char *block = NULL;
    ix_storage_clone(&from, s);
    from.source[IX_PROPERTY_LAYOUT] = IX_SOURCE_DEFAULT;
    for (int k = 0; k < s->rank; k++) {
        from.layout[k] = k;
        from.stride[k] = 0;
    }
    ilex_status rc =
        ix_storage_lay_over(&from, p->data ? p->data : p->device_data,
                            p->strides, &lo, &bytes, err);
    if (!rc && !p->data) {
        rc = fetch(s->memory, from.data + lo, bytes, &block, err);
        from.data = block - lo;
    }
    if (!rc)
        ix_storage_move(s, &from);
    ix_mem_free(&s->memory->mem, block);
    return rc;
}

/* Fills memory that the host cannot address, padding included. */
static ilex_status
fill_device(ilex_storage *s, const void *element, ix_error *err)
{
    ix_memory *m = s->memory;
    size_t bytes = ilex_dtype_bytes(s->dtype);
    size_t ahead = (size_t)(s->data - m->base);
    return m->device.block.driver->fill(m->device_index, s->data, element,
                                        bytes, (m->bytes - ahead) / bytes, err);
}

/* Writes what the spec says into a storage that nobody has seen yet. */
static ilex_status
set_values(const ix_maker *maker, ilex_storage *s, const ilex_storage_spec *p,
           const void *element, ix_error *err)
{
    ix_host_copy x;
    if (!p->fill && !p->initialize && !p->data && !p->device_data)
        return ILEX_OK;
    if (p->fill && !s->memory->host.base)
        return fill_device(s, element, err);
    ilex_status rc = ix_host_copy_open(&x, s, ILEX_WRITE, err);
    if (rc)
        return rc;
    if (p->fill)
        ix_storage_fill(&x.view, element);
    else if (p->initialize)
        ix_storage_initialize(&x.view, maker->threads, p->initialize,
                              p->initialize_user);
    else
        rc = copy_in(&x.view, p, err);
    return ix_host_copy_close(&x, rc, err);
}

ilex_status
ix_storage_make(const ix_maker *maker, ilex_storage *s,
                const ix_placement *place, const ilex_storage_spec *p,
                bool *adopted, ix_error *err)
{
    char element[16];
    bool data = p->data || p->device_data;
    ilex_status rc = ILEX_OK;
    if (p->fill)
        rc = ix_storage_convert(s->dtype, *p->fill, element, err);
    if (rc)
        return rc;
    if (p->sync_with)
        return join(s, p, err);
    s->memory = ix_memory_new(maker, err);
    if (!s->memory)
        return ILEX_E_MEMORY;
    s->memory->device_index = place->device_index;
    s->memory->managed = place->managed;
    if (data && !(p->flags & ILEX_STORAGE_COPY))
        rc = wrap(s, place, p, adopted, err);
    else if (!(rc = ix_storage_allocate(s, place, err)))
        rc = set_values(maker, s, p, element, err);
    if (!rc && (p->flags & ILEX_STORAGE_CONST)) {
        rc = ix_memory_update(s->memory, false, false, err);
        s->memory->immutable = true;
    }
    if (!rc && p->id)
        rc = ix_size_id_take(s->memory, p->id, s->rank, s->shape, err);
    return rc;
}
