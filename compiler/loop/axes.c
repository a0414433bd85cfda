/* SPDX-License-Identifier: MIT
 *
 * Axes of scratch memory, which has one index: in 32*i + j loops run along two
 * axes, with strides 32 and 1. Strides are the factors of the variables of
 * loops inside of one; each part of an index belongs to the longest of them
 * that divides it. As long as the axes behind an axis are no longer than its
 * stride, indices along axes are equal where the sums are.
 */
#include "compiler/loop/box.h"

/* False: there are too many. */
static bool
add_stride(ix_strides *s, int64_t k)
{
    int at = 0;
    while (at < s->rank && s->by[at] > k)
        at++;
    if (at < s->rank && s->by[at] == k)
        return true;
    if (s->rank == ILEX_MAX_RANK)
        return false;
    memmove(s->by + at + 1, s->by + at, (size_t)(s->rank - at) * sizeof *s->by);
    s->by[at] = k;
    s->rank++;
    return true;
}

static bool
runs_inside(const ix_access *a, int depth, const ilex_array *x)
{
    for (int i = depth + 1; i < a->depth; i++)
        if (x->kind == IX_INDEX && a->around[i]->number == x->attr[0])
            return true;
    return false;
}

/* Finds the axes; false: there are too many. */
static bool
find_strides(const ix_access *const *access, size_t n, int depth, ix_strides *s)
{
    bool ok = true;
    *s = (ix_strides){0};
    add_stride(s, 1);
    for (size_t i = 0; i < n && ok; i++) {
        ix_index_form f;
        ix_index_form_of(access[i]->index[0], &f);
        for (int t = 0; t < f.n && ok; t++)
            if (runs_inside(access[i], depth, f.t[t].atom))
                ok = f.t[t].k > INT64_MIN &&
                     add_stride(s, f.t[t].k < 0 ? -f.t[t].k : f.t[t].k);
    }
    return ok;
}

/* The axis of a part with factor "k". */
static int
axis_of(const ix_strides *s, int64_t k)
{
    int d = 0;
    while (k % s->by[d] != 0)
        d++;
    return d;
}

bool
ix_strides_split(ix_unit *u, const ix_strides *s, const ilex_array *x,
                 ilex_array **index)
{
    ilex_context *ctx = u->ctx;
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int d = 0; d < s->rank; d++) {
        index[d] = ix_index_const(ctx, ix_floordiv(f.c, s->by[d]));
        f.c -= s->by[d] * ix_floordiv(f.c, s->by[d]);
    }
    for (int t = 0; t < f.n; t++) {
        int d = axis_of(s, f.t[t].k);
        index[d] =
            ix_index_try_fma(ctx, index[d], f.t[t].k / s->by[d], f.t[t].atom);
        if (!index[d])
            return false;
    }
    return true;
}

bool
ix_strides_of(ix_unit *u, const ix_access **access, size_t n, int depth,
              ix_strides *s)
{
    bool ok = find_strides(access, n, depth, s);
    for (size_t i = 0; i < n && ok; i++) {
        ix_access *a = ix_arena_new(&u->arena, sizeof *a);
        ilex_array **index =
            ix_arena_new(&u->arena, (size_t)s->rank * sizeof *index);
        *a = *access[i];
        ok = ix_strides_split(u, s, a->index[0], index);
        a->index = index;
        a->rank = s->rank;
        access[i] = a;
    }
    return ok;
}

ilex_array *
ix_strides_sum(ix_unit *u, const ix_strides *s, ilex_array *const *index)
{
    ilex_array *x = ix_index_const(u->ctx, 0);
    for (int d = 0; d < s->rank && x; d++)
        x = ix_index_try_fma(u->ctx, x, s->by[d], index[d]);
    return x;
}

bool
ix_strides_apart(const ix_strides *s, const ix_box *box)
{
    int64_t behind = 0, by;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (s->by[d] <= behind || !ix_mul(s->by[d], box->axis[d].n - 1, &by) ||
            !ix_add(behind, by, &behind))
            return false;
    }
    return true;
}
