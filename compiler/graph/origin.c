/* SPDX-License-Identifier: MIT
 *
 * Where scalars come from: which element of which array of the source a scalar
 * of a fused body is, for the comments of generated code.
 */
#include "compiler/unit.h"

/* "lap[I+1]": what the source would call the value of "n" at "index". */
static const char *
describe(ix_unit *u, const ilex_array *n, ilex_array *const *index,
         int32_t name)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    ix_text t;
    const char *separator = "[";
    ix_text_init(&t, &mem);
    ix_text_put(&t, ix_symbol_text(u->ctx, name));
    for (int k = 0; k < n->interior->rank; k++) {
        int at;
        int64_t offset;
        if (!ix_index_is_shift(index[k], &at, &offset) || offset == 0)
            continue;
        ix_text_format(&t, "%s%s%+lld", separator,
                       ix_symbol_text(u->ctx, n->interior->ax[k].name),
                       (long long)offset);
        separator = ", ";
    }
    ix_text_put(&t, *separator == ',' ? "]" : "");
    return ix_text_string(&t);
}

/* Notes, for comments in generated source, which element a scalar is. */
static void
note_origin(ix_unit *u, const ilex_array *n, ilex_array *const *index,
            const ilex_array *scalar)
{
    size_t *label = ix_map_find(&u->label, n);
    if (!label || ix_map_find(&u->origin, scalar))
        return;
    ix_mem mem = ix_arena_mem(&u->arena);
    size_t rank = (size_t)n->interior->rank;
    ix_origin *o = ix_arena_new(&u->arena, sizeof *o);
    o->array = n;
    o->index = ix_arena_new(&u->arena, (rank + 1) * sizeof *o->index);
    memcpy(o->index, index, rank * sizeof *index);
    o->text = describe(u, n, index, (int32_t)*label);
    ix_map_set(&u->origin, &mem, scalar, (size_t)o);
}

const char *
ix_origin_text(const ix_unit *u, const ilex_array *scalar)
{
    const size_t *origin = ix_map_find(&u->origin, scalar);
    return origin ? ((const ix_origin *)*origin)->text : NULL;
}

void
ix_origin_keep(void *unit, const ilex_array *from, ilex_array *to)
{
    ix_unit *u = unit;
    const size_t *origin = from == to ? NULL : ix_map_find(&u->origin, from);
    ix_mem mem = ix_arena_mem(&u->arena);
    if (origin && !ix_map_find(&u->origin, to))
        ix_map_set(&u->origin, &mem, to, *origin);
}

/* A body that is read at other indices. */
typedef struct shifted_body {
    ix_unit *u;
    ix_substitution s;
} shifted_body;

/* What is an element of an array before is one after, at other indices. */
static void
carry_origin(void *user, const ilex_array *from, ilex_array *to)
{
    shifted_body *x = user;
    size_t *found = from == to ? NULL : ix_map_find(&x->u->origin, from);
    if (!found)
        return;
    const ix_origin *o = (const ix_origin *)*found;
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < o->array->interior->rank; k++)
        index[k] = ix_substitute(&x->s, o->index[k]);
    note_origin(x->u, o->array, index, to);
}

/* Is "index" [_0, _1, ...]? Then a body is read as it is. */
static bool
is_own_point(int rank, ilex_array *const *index)
{
    for (int k = 0; k < rank; k++)
        if (index[k]->kind != IX_INDEX || index[k]->attr[0] != k)
            return false;
    return true;
}

ilex_array *
ix_origin_inline(ix_unit *u, const ilex_array *array, ilex_array *body,
                 ilex_array *const *index)
{
    ix_mem mem = ix_arena_mem(&u->arena);
    shifted_body x = {u,
                      {.ctx = u->ctx,
                       .mem = &mem,
                       .index = index,
                       .nindex = array->interior->rank,
                       .quiet = true,
                       .became = carry_origin,
                       .user = &x}};
    ilex_array *r = body;
    if (!is_own_point(array->interior->rank, index)) {
        r = ix_substitute(&x.s, body);
        ix_substitution_free(&x.s);
    }
    if (x.s.too_large)
        return NULL;
    note_origin(u, array, index, r);
    return r;
}
