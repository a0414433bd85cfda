/* SPDX-License-Identifier: MIT
 *
 * Runs in sections: the storages of what ranks send each other between them,
 * on the grid, with halos so wide that each has what it reads.
 */
#include <stdio.h>

#include "runtime/program/program.h"

void
ix_sections_axes(const ilex_grid *grid, char *text)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < grid->naxes; k++)
        if (grid->axis[k].ranks > 1)
            at += (size_t)snprintf(text + at, IX_AXES_TEXT - at, "%s%s",
                                   at ? "," : "", grid->axis[k].name);
}

static bool
is_sent(const ix_compiled_buffer *b)
{
    return !strncmp(b->name, IX_SENT, strlen(IX_SENT));
}

ilex_status
ix_sections_halo(const ix_sections *s, const char *name, ix_index_box *width,
                 ix_error *err)
{
    ilex_status rc = ILEX_OK;
    memset(width, 0, sizeof *width);
    for (size_t k = 0; !rc && k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        size_t i = ix_find_argument(c, name);
        ix_index_box w;
        if (i == c->narguments || c->buffer[i].role == IX_COMPILED_OUTPUT)
            continue;
        rc = ix_reading_halo(&s->reads[k], i, &w, err);
        for (int a = 0; !rc && a < c->buffer[i].rank; a++)
            for (int side = 0; side < 2; side++)
                if (width->k[a][side] < w.k[a][side])
                    width->k[a][side] = w.k[a][side];
    }
    return rc;
}

/* The storage of output "b" of section "k", for those behind it. */
static ilex_storage *
make(const ix_sections *s, size_t k, const ix_compiled_buffer *b, ix_error *err)
{
    int64_t shape[ILEX_MAX_RANK], origin[ILEX_MAX_RANK];
    char words[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)];
    ix_index_box halo;
    ix_error own;
    if (ix_sections_halo(s, b->name, &halo, err))
        return NULL;
    for (int a = 0; a < b->rank; a++) {
        int64_t hi, n;
        if (!ix_range_eval(&b->interior[a], s->size[k], &origin[a], &hi) ||
            !ix_sub(hi, origin[a], &n) ||
            !ix_add(n < 0 ? 0 : n, halo.k[a][0], &n) ||
            !ix_add(n, halo.k[a][1], &shape[a]))
            return ix_fail_null(err, ILEX_E_OVERFLOW,
                                "%s: with these sizes a range leaves 64 bits",
                                s->program[k]->c->name);
    }
    ilex_storage_spec spec = {
        .size = sizeof spec,
        .dtype = ilex_dtype_name(b->dtype),
        .rank = b->rank,
        .shape = shape,
        .axes = ix_storage_axis_words(b->rank, b->axis, words, sizeof words),
        .name = b->name,
        .halo = halo.k[0],
        .origin = origin,
        .grid = s->grid};
    ix_error_clear(&own);
    ilex_storage_spec full;
    ix_maker maker = ix_storage_maker(NULL);
    ilex_storage *made = ix_storage_read_spec(&spec, &full, &own)
                             ? ix_storage_build(&maker, &full, &own)
                             : NULL;
    return made ? made : ix_fail_null(err, own.code, "%s", own.text);
}

static ilex_status
add(ix_sections *s, const ix_mem *mem, const char *name, ilex_storage *x,
    ix_error *err)
{
    if (!x)
        return err->code;
    if (!ix_mem_grow(mem, &s->sent, &s->sent_capacity, s->nsent + 1,
                     sizeof *s->sent)) {
        ilex_storage_release(x);
        return ix_fail_memory(err);
    }
    s->sent[s->nsent++] = (ilex_binding)ILEX_BIND(name, x);
    return ILEX_OK;
}

ilex_status
ix_sections_begin(ix_sections *s, const ix_mem *mem, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (size_t k = 0; k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        for (size_t i = 0; !rc && i < c->narguments; i++) {
            const ix_compiled_buffer *b = &c->buffer[i];
            if (b->role == IX_COMPILED_OUTPUT && is_sent(b))
                rc = add(s, mem, b->name, make(s, k, b, err), err);
        }
    }
    return rc;
}

void
ix_sections_end(ix_sections *s, const ix_mem *mem)
{
    for (size_t i = 0; i < s->nsent; i++)
        ilex_storage_release(s->sent[i].storage);
    for (size_t k = 0; k < s->n; k++)
        ix_mem_free(mem, s->size[k]);
    ix_mem_free(mem, s->sent);
}
