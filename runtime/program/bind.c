/* SPDX-License-Identifier: MIT
 *
 * Binding: storages to arguments by name, as the text of a run wants them,
 * which checks everything else. Messages name argument, axis, wanted, given.
 */
#include <stdio.h>

#include "runtime/program/program.h"

void
ix_name_list_add(ix_name_list *l, const char *name, const char *more)
{
    size_t room = sizeof l->s - l->length;
    int n = snprintf(l->s + l->length, room, "%s%s%s", l->length ? ", " : "",
                     name, more);
    l->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* ---- dtype and axes ---- */

/* The storage's axis for axis "k": by name; by position when the storage has
 * no names. -1: none. */
static int
match_axis(const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    if (!*b->axis[k] || !*s->axis[0])
        return k;
    for (int j = 0; j < s->rank; j++)
        if (!strcmp(s->axis[j], b->axis[k]))
            return j;
    return -1;
}

static ilex_status
no_axis(ix_run *r, const ix_compiled_buffer *b, const ilex_storage *s, int k)
{
    ix_name_list all = {.length = 0};
    for (int j = 0; j < s->rank; j++)
        ix_name_list_add(&all, s->axis[j], "");
    return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                   "%s: argument %s has axis %s; the storage's axes are %s",
                   r->p->c->name, b->name, b->axis[k], all.s);
}

static ilex_status
check_kind(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    if (!s)
        return ILEX_OK;
    if (s->dtype != b->dtype)
        return ix_fail(r->err, ILEX_E_BINDING_TYPE,
                       "%s: argument %s is %s; the storage is %s",
                       r->p->c->name, b->name, ilex_dtype_name(b->dtype),
                       ilex_dtype_name(s->dtype));
    if (s->rank != b->rank)
        return ix_fail(r->err, ILEX_E_BINDING_SHAPE,
                       "%s: argument %s has %d axes [%s]; the storage has %d",
                       r->p->c->name, b->name, b->rank, b->interior_text,
                       s->rank);
    for (int k = 0; k < b->rank; k++) {
        int j = match_axis(b, s, k);
        if (j < 0)
            return no_axis(r, b, s, k);
        r->axis[b->first_stride + k] = j;
    }
    if (b->role == IX_COMPILED_OUTPUT && !s->writable)
        return ix_fail(r->err, ILEX_E_READONLY,
                       "%s: output %s is bound to a read-only storage",
                       r->p->c->name, b->name);
    return ILEX_OK;
}

/* Strides, what the storage covers in program indices, and where. */
static void
place(ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    int64_t offset = 0;
    r->s.data[i] = r->s.home[i] = r->cell[i];
    for (int k = b->first_stride; !s && k < b->first_stride + b->rank; k++)
        r->s.cover[k][1] = -1;
    for (int k = 0; s && k < b->rank; k++) {
        int at = b->first_stride + k, j = r->axis[at];
        int64_t *cover = r->s.cover[at], *inside = r->s.inside[at];
        bool named = *b->axis[k] != 0;
        r->s.stride[at] = s->stride[j];
        cover[0] = 0; /* an unnamed axis begins with the storage */
        cover[1] = s->shape[j];
        if (named)
            ix_storage_covers(s, j, &cover[0], &cover[1]);
        inside[0] = named ? s->origin[j] : 0;
        inside[1] = cover[1] - (named ? s->halo[j][1] : 0);
        offset -= cover[0] * s->stride[j];
        if (named && s->division)
            ix_ranks_place(s, j, cover, inside);
    }
    if (!s)
        return;
    r->s.data[i] = s->data;
    r->s.home[i] = s->data + offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

ilex_status
ix_bind_arguments(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    ilex_status rc = ix_bind_given(r);
    rc = rc ? rc : ix_bind_names(r);
    for (size_t i = 0; !rc && i < c->narguments; i++) {
        rc = check_kind(r, i);
        if (!rc)
            place(r, i);
    }
    return rc;
}

ilex_status
ix_bind_values(ix_run *r)
{
    ilex_status rc = (ilex_status)ix_solve_sizes(&r->s);
    ix_ranks_localize(r);
    rc = rc ? rc : ix_bind_box(r);
    return rc || r->partial ? rc : (ilex_status)ix_check_arguments(&r->s);
}

void
ix_bind_move(ix_run *r, size_t i, const ilex_storage *s)
{
    r->bound[i] = s;
    place(r, i);
}
