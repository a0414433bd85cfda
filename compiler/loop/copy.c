/* SPDX-License-Identifier: MIT
 *
 * Memory for a copy of a box: an array on the stack, or a temporary in the
 * workspace, of which each part of a run has one of its own. Its axes are those
 * of the box, perhaps in another order.
 */
#include "compiler/loop/box.h"

enum {
    MOST_STACK = 16 << 10, /* bytes */
    MOST_WORKSPACE = 16 << 20
};

/* ---- the order of the axes ---- */

/* The axis along which accesses move with a loop; -1: none, -2: several. */
static int
axis_along(const ilex_array *variable, const ix_access *const *access, size_t n)
{
    int along = -1;
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < access[i]->rank; d++) {
            ix_index_form f;
            ix_index_form_of(access[i]->index[d], &f);
            for (int t = 0; t < f.n; t++)
                if (f.t[t].atom == variable)
                    along = along == -1 || along == d ? d : -2;
        }
    return along;
}

ix_refusal
ix_copy_order(ix_unit *u, ix_copy *copy, const ix_access *const *access,
              size_t n, const ix_cursor *c, int nloops)
{
    bool named[ILEX_MAX_RANK] = {false};
    int last[ILEX_MAX_RANK], nlast = 0, at = 0;
    for (int i = 0; i < nloops; i++) {
        int variable = ix_cursor_loop(&c[i])->number;
        int d = axis_along(ix_scalar_index(u->ctx, variable), access, n);
        if (d < 0 || named[d])
            return ix_refuse(u, IX_REFUSAL_SHAPE,
                             "no axis of its own goes along %s",
                             ix_loop_name(u, c[i].k, ix_cursor_loop(&c[i])));
        named[d] = true;
        last[nlast++] = d;
    }
    for (int d = 0; d < copy->box.rank; d++)
        if (!named[d])
            copy->axis[at++] = d;
    memcpy(copy->axis + at, last, (size_t)nlast * sizeof *last);
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- the memory ---- */

/* Room along the i-th axis of the copy. */
static int64_t
room(const ix_copy *copy, int i)
{
    bool odd = copy->odd && i + 1 == copy->box.rank;
    return copy->box.axis[copy->axis[i]].n | odd;
}

/* How many elements there is room for. */
static int64_t
size_of(const ix_copy *copy)
{
    int64_t n = 1;
    for (int i = 0; i < copy->box.rank; i++)
        if (!ix_mul(n, room(copy, i), &n))
            return INT64_MAX;
    return n;
}

ix_refusal
ix_copy_fits(ix_unit *u, const ix_copy *copy, ilex_dtype dtype, bool updates)
{
    int64_t n = size_of(copy), bytes = (int64_t)ilex_dtype_bytes(dtype);
    int most = copy->workspace ? MOST_WORKSPACE : MOST_STACK;
    if (copy->workspace && updates)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "elements are updated, which those in the workspace "
                         "are not");
    if (copy->workspace && u->target->grid)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NO_WORKSPACE);
    if (n <= most / bytes)
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    return ix_refuse(u, IX_REFUSAL_SIZE, "%lld elements are more than %d bytes",
                     (long long)n, most);
}

/* A temporary of an iteration. */
static int
make_buffer(ix_unit *u, ix_kernel *k, const ix_stmt *loop, const ix_copy *copy,
            ilex_dtype dtype)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int i = 0; i < copy->box.rank; i++)
        ax[i] = (ix_axis){
            .lo = ix_lin_const(u->ctx, 0),
            .hi = ix_lin_const(u->ctx, copy->box.axis[copy->axis[i]].n)};
    const ix_domain *box = ix_domain_new(u->ctx, copy->box.rank, ax);
    int i = ix_unit_temporary(u, box, dtype);
    u->buffer[i].slot = u->nslots++;
    u->buffer[i].local = true;
    u->buffer[i].own = k;
    u->buffer[i].within = loop->number;
    return i;
}

void
ix_copy_make(ix_unit *u, ix_kernel *k, const ix_stmt *loop, ix_copy *copy,
             ilex_dtype dtype)
{
    if (copy->workspace) {
        copy->buffer = make_buffer(u, k, loop, copy, dtype);
        return;
    }
    copy->scratch = ix_stmt_new(u, IX_STMT_SCRATCH, NULL);
    copy->scratch->scratch = IX_SCRATCH_ARRAY;
    copy->scratch->prefix = 'd';
    copy->scratch->number = k->nvalues++;
    copy->scratch->dtype = dtype;
    copy->scratch->extent = size_of(copy);
    copy->scratch->array = loop->array;
}

/* Where it is along each axis of the copy; false: one is no sum. */
static bool
places(ix_unit *u, const ix_copy *copy, ilex_array *const *index,
       ilex_array **place)
{
    bool ok = true;
    for (int i = 0; i < copy->box.rank && ok; i++) {
        int d = copy->axis[i];
        place[i] =
            ix_index_try_fma(u->ctx, index[d], -1, copy->box.axis[d].from);
        ok = place[i] != NULL;
    }
    return ok;
}

/* The place in memory without axes; NULL: it is no sum. */
static ilex_array *
flat(ix_unit *u, const ix_copy *copy, ilex_array *const *place)
{
    ilex_array *x = ix_index_const(u->ctx, 0);
    int64_t stride = 1;
    for (int i = copy->box.rank - 1; i >= 0 && x; i--) {
        x = ix_index_try_fma(u->ctx, x, stride, place[i]);
        stride *= room(copy, i);
    }
    return x;
}

bool
ix_copy_has(ix_unit *u, const ix_copy *copy, ilex_array *const *index)
{
    ilex_array *place[ILEX_MAX_RANK];
    return places(u, copy, index, place) && flat(u, copy, place);
}

ix_element
ix_copy_element(ix_unit *u, const ix_copy *copy, ilex_array *const *index)
{
    ilex_array *place[ILEX_MAX_RANK];
    places(u, copy, index, place);
    return copy->scratch
               ? ix_element_scratch(copy->scratch, flat(u, copy, place))
               : ix_element_of(copy->buffer, copy->box.rank, place);
}
