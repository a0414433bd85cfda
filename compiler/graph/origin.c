/* SPDX-License-Identifier: MIT
 *
 * Where scalars come from: which element of which array of the source a scalar
 * of a fused body is, for the comments of generated code, and the array whose
 * place in the source is its, for lines.
 */
#include "compiler/unit.h"

#include "lib/graph/annotation.h"

/* "lap[I+1]": what the source would call the value of "n" at "index"; NULL when
 * there is no memory. */
static const char *
describe(ix_unit *u, const ilex_array *n, ilex_array *const *index,
         int32_t name)
{
    ix_mem mem = ix_arena_soft_mem(&u->arena);
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

/* Notes, for comments in generated source, which element a scalar is. Bodies
 * are being rebuilt meanwhile, so nothing here jumps when there is no memory.
 */
static void
note_origin(ix_unit *u, const ilex_array *n, ilex_array *const *index,
            const ilex_array *scalar)
{
    size_t *label = ix_map_find(&u->label, n);
    if (!label || ix_map_find(&u->origin, scalar))
        return;
    ix_mem mem = ix_arena_soft_mem(&u->arena);
    size_t rank = (size_t)n->interior->rank;
    size_t bytes = (rank + 1) * sizeof(ilex_array *);
    ix_origin *o = ix_arena_take(&u->arena, sizeof *o);
    ilex_array **copy = ix_arena_take(&u->arena, bytes);
    const char *text = describe(u, n, index, (int32_t)*label);
    if (!o || !copy || !text ||
        !ix_map_set(&u->origin, &mem, scalar, (size_t)o)) {
        ix_fail_memory(&u->ctx->error);
        return;
    }
    memcpy(copy, index, rank * sizeof *index);
    *o = (ix_origin){n, copy, text};
}

/* Notes that a scalar is an element of "n". The first array to say so is the
 * innermost: what follows reads it. */
static void
note_made(ix_unit *u, const ilex_array *n, const ilex_array *scalar)
{
    ix_mem mem = ix_arena_soft_mem(&u->arena);
    if (ix_location_count(ix_unit_source(u, n)) &&
        !ix_map_find(&u->made, scalar) &&
        !ix_map_set(&u->made, &mem, scalar, (size_t)n))
        ix_fail_memory(&u->ctx->error);
}

const ilex_array *
ix_made_of(const ix_unit *u, const ilex_array *scalar)
{
    const size_t *made = ix_map_find(&u->made, scalar);
    return made ? (const ilex_array *)*made : NULL;
}

void
ix_made_keep(void *unit, const ilex_array *from, ilex_array *to)
{
    ix_unit *u = unit;
    const ilex_array *made = from == to ? NULL : ix_made_of(u, from);
    if (made)
        note_made(u, made, to);
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
    ix_made_keep(u, from, to);
    const size_t *origin = from == to ? NULL : ix_map_find(&u->origin, from);
    ix_mem mem = ix_arena_soft_mem(&u->arena);
    if (origin && !ix_map_find(&u->origin, to) &&
        !ix_map_set(&u->origin, &mem, to, *origin))
        ix_fail_memory(&u->ctx->error);
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
    ix_made_keep(x->u, from, to);
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
    shifted_body x = {u,
                      {.ctx = u->ctx,
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
    note_made(u, array, r);
    return r;
}
