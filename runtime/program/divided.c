/* SPDX-License-Identifier: MIT
 *
 * Arguments on a grid: what binding asks of them, and what they may be.
 */
#include "runtime/program/program.h"

/* ---- what binding asks ---- */

ilex_grid *
ix_ranks_grid(const ilex_binding *bindings, size_t count)
{
    for (size_t i = 0; bindings && i < count; i++)
        if (bindings[i].kind == ILEX_BOUND_STORAGE && bindings[i].storage &&
            bindings[i].storage->division)
            return bindings[i].storage->division->grid;
    return NULL;
}

void
ix_ranks_place(const ilex_storage *s, int k, int64_t *cover, int64_t *inside)
{
    memcpy(inside, s->division->whole.k[k], 2 * sizeof *inside);
    cover[0] = inside[0] - s->halo[k][0];
    cover[1] = inside[1] + s->halo[k][1];
}

void
ix_ranks_localize(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t i = 0; r->grid && i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        const ilex_storage *s = r->bound[i];
        for (int k = 0; s && s->division && k < b->rank; k++) {
            int at = b->first_stride + k;
            if (*b->axis[k])
                ix_storage_covers(s, r->axis[at], &r->s.cover[at][0],
                                  &r->s.cover[at][1]);
        }
    }
}

/* ---- what they may be ---- */

/* Is axis "k" divided in the program as it is in the storage? */
static ilex_status
check_axis(const ix_run *r, const ix_compiled_buffer *b, const ilex_storage *s,
           int k)
{
    const char *name = r->p->c->name;
    int j = r->axis[b->first_stride + k];
    int stored = s->division ? s->division->axis[j] : -1;
    int axis = *b->axis[k] ? ix_grid_find(r->grid, b->axis[k]) : -1;
    if (stored >= 0 && axis < 0 && r->grid->axis[stored].ranks > 1)
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: axis %d of argument %s has no name in the program, "
                       "and its storage is divided along it (%s)",
                       name, k, b->name, s->axis[j]);
    if (b->role == IX_COMPILED_OUTPUT && axis >= 0 && stored < 0 &&
        r->grid->axis[axis].ranks > 1)
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: output %s has the divided axis %s, which its "
                       "storage has whole; make it with .grid and .axes",
                       name, b->name, b->axis[k]);
    return ILEX_OK;
}

/* Storages of one grid; outputs that have a divided axis lie on it. */
static ilex_status
check_storage(const ix_run *r, size_t i)
{
    const ix_compiled_buffer *b = &r->p->c->buffer[i];
    const ilex_storage *s = r->bound[i];
    ilex_status rc = ILEX_OK;
    if (s && s->division && !ix_grid_same(s->division->grid, r->grid))
        return ix_fail(r->err, ILEX_E_BINDING,
                       "%s: argument %s is on another grid than the others",
                       r->p->c->name, b->name);
    for (int k = 0; !rc && s && k < b->rank; k++)
        rc = check_axis(r, b, s, k);
    return rc;
}

ilex_status
ix_ranks_check(const ix_run *r)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->p->c->narguments; i++)
        rc = check_storage(r, i);
    return rc;
}

ilex_status
ix_ranks_check_places(const ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t i = 0; i < c->narguments; i++)
        for (size_t j = 0; j < c->narguments; j++)
            if (c->buffer[i].role == IX_COMPILED_OUTPUT &&
                c->buffer[j].role != IX_COMPILED_OUTPUT && r->bound[i] &&
                r->bound[j] && r->bound[i]->memory == r->bound[j]->memory &&
                c->buffer[i].inplace != (int)j)
                return ix_fail(r->err, ILEX_E_OVERLAP,
                               "%s: output %s shares memory with input %s, and "
                               "ranks send each other what they compute; say "
                               "`inplace %s`, or give it memory of its own",
                               c->name, c->buffer[i].name, c->buffer[j].name,
                               c->buffer[j].name);
    return ILEX_OK;
}
