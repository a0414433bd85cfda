/* SPDX-License-Identifier: MIT
 *
 * Elements where the host can address them: brought up to date in place, or
 * for memory of a device only, in a copy that goes back when it was written.
 */
#include "runtime/storage/storage.h"

const char *
ix_storage_label(const ilex_storage *s)
{
    return *s->name ? s->name : "(unnamed)";
}

ilex_status
ix_storage_acquire(const ilex_storage *s, ilex_access access, ix_error *err)
{
    return ix_memory_acquire(s->memory, true, access, ix_storage_label(s), err);
}

ilex_status
ix_host_copy_open(ix_host_copy *x, const ilex_storage *s, ilex_access access,
                  ix_error *err)
{
    ix_memory *m = s->memory;
    ix_storage_clone(&x->view, s);
    x->block = NULL;
    x->write = (access & ILEX_WRITE) != 0;
    if (ix_memory_on_host(m) || (x->write && m->immutable))
        return ix_storage_acquire(s, access, err);
    x->block = ix_mem_resize(&m->mem, NULL, m->bytes + 1);
    if (!x->block)
        return ix_fail_memory(err);
    x->view.data = x->block + (s->data - m->base);
    ilex_status rc = ILEX_OK;
    if (access & ILEX_READ)
        rc = ix_memory_read_device(m, x->block, err);
    if (rc)
        ix_mem_free(&m->mem, x->block);
    return rc;
}

ilex_status
ix_host_copy_close(ix_host_copy *x, ilex_status rc, ix_error *err)
{
    ix_memory *m = x->view.memory;
    if (!x->block)
        return rc;
    if (!rc && x->write)
        rc = ix_memory_write_device(m, x->block, err);
    ix_mem_free(&m->mem, x->block);
    return rc;
}
