/* SPDX-License-Identifier: MIT
 *
 * What a program says of itself: names, times, source, arguments, sizes, and
 * the extents and workspace that sizes lead to.
 */
#include "runtime/program/program.h"

const char *
ilex_program_name(const ilex_program *p)
{
    return p->c->name;
}

const char *
ilex_program_backend(const ilex_program *p)
{
    return ix_program_tier(p)->backend->name;
}

size_t
ilex_program_kernel_count(const ilex_program *p)
{
    return p->backend->dialect < 0 ? p->c->nbytecodes : p->c->nkernels;
}

size_t
ilex_program_node_count(const ilex_program *p)
{
    return p->c->nnodes;
}

/* The locations of a kernel, or of the bytecode in its place; NULL: there is no
 * such kernel. */
static const ix_source_location *
locations(const ilex_program *p, size_t kernel, size_t *count)
{
    const ix_compiled *c = p->c;
    if (kernel >= ilex_program_kernel_count(p))
        return NULL;
    bool bytecode = p->backend->dialect < 0;
    *count = bytecode ? c->bytecode[kernel].nlocations
                      : c->kernel[kernel].nlocations;
    return bytecode ? c->bytecode[kernel].location : c->kernel[kernel].location;
}

size_t
ilex_program_location_count(const ilex_program *p, size_t kernel)
{
    size_t count = 0;
    locations(p, kernel, &count);
    return count;
}

ilex_status
ilex_program_location_get(const ilex_program *p, size_t kernel, size_t i,
                          ilex_location_info *info)
{
    size_t count = 0, room = info ? info->size : 0;
    const ix_source_location *location = locations(p, kernel, &count);
    if (i >= count || room < offsetof(ilex_location_info, line))
        return ILEX_E_ARGUMENT;
    ilex_location_info all = {.size = room < sizeof all ? room : sizeof all,
                              .file = location[i].file,
                              .line = location[i].line,
                              .column = location[i].column};
    memcpy(info, &all, all.size);
    return ILEX_OK;
}

double
ilex_program_lower_seconds(const ilex_program *p)
{
    return p->c->seconds;
}

double
ilex_program_jit_seconds(const ilex_program *p)
{
    return ix_program_tier(p)->seconds;
}

const char *
ilex_program_source(const ilex_program *p, size_t unit)
{
    int dialect = ix_program_tier(p)->backend->dialect;
    if (dialect < 0)
        return NULL;
    const ix_sources *source = &p->c->source[dialect];
    return unit < source->nunits ? source->unit[unit] : NULL;
}

const char *
ilex_program_command(const ilex_program *p)
{
    const char *command = ix_program_tier(p)->command;
    return command ? command : "";
}

/* Wrapped data are no arguments: they are bound already. */
static const ix_compiled_buffer *
argument(const ilex_program *p, size_t i, size_t *buffer)
{
    for (size_t k = 0; k < p->c->narguments; k++)
        if (p->c->buffer[k].role != IX_COMPILED_DATA && i-- == 0) {
            *buffer = k;
            return &p->c->buffer[k];
        }
    return NULL;
}

size_t
ilex_program_argument_count(const ilex_program *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->c->narguments; k++)
        n += p->c->buffer[k].role != IX_COMPILED_DATA;
    return n;
}

ilex_argument_info
ilex_program_argument(const ilex_program *p, size_t i)
{
    ilex_argument_info info = {.size = sizeof info, .name = ""};
    size_t k;
    const ix_compiled_buffer *b = argument(p, i, &k);
    if (!b)
        return info;
    info.name = b->name;
    info.dtype = b->dtype;
    info.rank = b->rank;
    info.output = b->role == IX_COMPILED_OUTPUT;
    info.used = b->used;
    info.message = ix_is_message(p->c, k);
    info.domain = b->interior_text;
    info.reads = b->box_text;
    const ix_buffer_facts *facts = &p->c->facts->buffer[k];
    for (int a = 0; a < b->rank; a++) {
        info.axis[a] = b->axis[a];
        info.halo_low[a] = facts->low[a];
        info.halo_high[a] = facts->high[a];
    }
    return info;
}

ilex_status
ilex_program_argument_get(const ilex_program *p, size_t i,
                          ilex_argument_info *info)
{
    size_t room = info ? info->size : 0;
    if (i >= ilex_program_argument_count(p) ||
        room < offsetof(ilex_argument_info, dtype))
        return ILEX_E_ARGUMENT;
    ilex_argument_info all = ilex_program_argument(p, i);
    all.size = room < sizeof all ? room : sizeof all;
    memcpy(info, &all, all.size);
    return ILEX_OK;
}

/* Sizes the program uses, in order. */
static const ix_compiled_size *
used_size(const ilex_program *p, size_t i)
{
    for (size_t k = 0; k < p->c->nsizes; k++)
        if (ix_compiled_size_is_given(&p->c->size[k]) && i-- == 0)
            return &p->c->size[k];
    return NULL;
}

size_t
ilex_program_size_count(const ilex_program *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->c->nsizes; k++)
        n += ix_compiled_size_is_given(&p->c->size[k]);
    return n;
}

const char *
ilex_program_size_name(const ilex_program *p, size_t i)
{
    const ix_compiled_size *s = used_size(p, i);
    return s ? s->name : "";
}

size_t
ilex_program_counted_count(const ilex_program *p)
{
    return p->c->ncounts;
}

const char *
ilex_program_counted_name(const ilex_program *p, size_t i)
{
    return i < p->c->ncounts ? p->c->size[p->c->count[i].size].name : "";
}

/* What is given for a size; NULL: nothing. */
static const ilex_size_binding *
given(const ix_compiled_size *size, const ilex_size_binding *sizes,
      size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (sizes[j].name && !strcmp(sizes[j].name, size->name))
            return &sizes[j];
    return NULL;
}

int64_t *
ix_program_sizes(const ilex_program *p, const ilex_size_binding *sizes,
                 size_t count)
{
    const ix_compiled *c = p->c;
    if (count > 0 && !sizes)
        return NULL;
    int64_t *least = ix_mem_new(&p->mem, 2 * (c->nsizes + 1) * sizeof *least);
    int64_t *most = least + c->nsizes + 1;
    bool ok = least != NULL;
    for (size_t k = 0; ok && k < c->nsizes; k++) {
        const ilex_size_binding *g = given(&c->size[k], sizes, count);
        most[k] = g ? g->value : 0; /* of a step: the first one */
        ok = g ? g->value >= 0
               : !ix_compiled_size_is_given(&c->size[k]) ||
                     ix_is_sent_step(c->size[k].name);
    }
    ok = ok && ix_open_sizes(c->tables, least, most) < 0;
    for (size_t i = 0; ok && i < c->ncounts; i++) {
        const ilex_size_binding *g =
            given(&c->size[c->count[i].size], sizes, count);
        if (g)
            least[c->count[i].size] = most[c->count[i].size] = g->value;
    }
    if (ok && ix_derive_sizes(c->tables, least) < 0 &&
        ix_derive_sizes(c->tables, most) < 0 && ix_box_whole(c, most) &&
        ix_box_whole(c, least))
        return least;
    ix_mem_free(&p->mem, least);
    return NULL;
}

ilex_status
ilex_program_extents(const ilex_program *p, size_t i,
                     const ilex_size_binding *sizes, size_t count, int64_t *lo,
                     int64_t *hi, int64_t *halo)
{
    size_t k;
    const ix_compiled_buffer *b = argument(p, i, &k);
    int64_t *least = b ? ix_program_sizes(p, sizes, count) : NULL;
    const int64_t *most = least ? least + p->c->nsizes + 1 : NULL;
    ilex_status rc = !b ? ILEX_E_ARGUMENT : least ? ILEX_OK : ILEX_E_SIZE;
    for (int a = 0; !rc && a < b->rank; a++) {
        const ix_tables *t = p->c->tables;
        const ix_axis_row *x = &t->axis[b->first_stride + a];
        int64_t l, h, bl, bh;
        if (!ix_extreme(t, least, most, x->interior.lo, false, &l) ||
            !ix_extreme(t, least, most, x->interior.hi, true, &h) ||
            !ix_extreme(t, least, most, x->box.lo, false, &bl) ||
            !ix_extreme(t, least, most, x->box.hi, true, &bh)) {
            rc = ILEX_E_OVERFLOW;
            break;
        }
        if (lo)
            lo[a] = l;
        if (hi)
            hi[a] = h;
        if (halo) {
            halo[2 * a] = l - bl;
            halo[2 * a + 1] = bh - h;
        }
    }
    ix_mem_free(&p->mem, least);
    return rc;
}

int64_t
ilex_program_workspace(const ilex_program *p, const ilex_size_binding *sizes,
                       size_t count, int threads)
{
    int64_t *least = ix_program_sizes(p, sizes, count);
    int64_t *offset =
        ix_mem_new(&p->mem, ((size_t)p->c->nslots + 1) * sizeof *offset);
    int64_t bytes =
        least && offset
            ? ix_slots_bytes(p->c->tables, threads < 1 ? 1 : threads, least,
                             least + p->c->nsizes + 1, offset)
            : -1;
    ix_mem_free(&p->mem, least);
    ix_mem_free(&p->mem, offset);
    return bytes;
}

size_t
ilex_program_trim(const ilex_program *p)
{
    size_t bytes = ix_workspaces_trim(p->workspaces);
    const ilex_program *v;
    for (size_t i = 0; (v = ilex_program_variant(p, i, NULL)); i++)
        bytes += ilex_program_trim(v);
    return bytes;
}
