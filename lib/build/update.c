/* SPDX-License-Identifier: MIT
 *
 * Updates: an array with other values where a subscripted read of it reads.
 * What the read is of is its only meaning here: it is never evaluated.
 */
#include "lib/build/compress.h"
#include "lib/build/items.h"
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

/* Is "read" y(i) = x(indices)? */
static bool
is_read_of(const ilex_array *read, const ilex_array *x)
{
    const ilex_array *body = read->kind == IX_LAMBDA ? read->ops[0] : NULL;
    return body && body->kind == IX_LOAD && read->ops[body->attr[0] + 1] == x;
}

/* The array that a mask takes elements of; NULL: "read" is no compress of x. */
static ilex_array *
masked(ilex_array *x, const ilex_array *read)
{
    ilex_array *of = read->kind == IX_COMPRESS ? read->ops[0] : NULL;
    return of && (of == x || of == ix_flattened(x)) ? of : NULL;
}

bool
ix_is_place(ilex_array *x, const ilex_array *read)
{
    return read == x || is_read_of(read, x) || masked(x, read);
}

/* Is x known where it is defined, and nowhere else? */
static bool
check_known(const char *what, const ilex_array *x)
{
    return x->interior == x->valid ||
           ix_poison_false(
               x->ctx, what, 0, ILEX_E_UNSUPPORTED,
               "%s: [%s] is known on [%s], and what an update does to a halo "
               "is not supported; take the inside first: let y : %s[...] = x",
               what, ix_domain_show(x->ctx, x->interior).s,
               ix_domain_show(x->ctx, x->valid).s,
               ilex_dtype_name((ilex_dtype)x->dtype));
}

static bool
check_read(const char *what, const ilex_array *x, const ilex_array *read)
{
    if (!ix_is_array(x) || ix_rank(x) == 0 ||
        (read != x && !is_read_of(read, x)))
        return ix_poison_false(x->ctx, what, 1, ILEX_E_ARGUMENT,
                               "%s: the second operand is no subscripted read "
                               "of the first; write %s(x[i], v)",
                               what, what);
    return check_known(what, x);
}

/* Broadcasts "v" to the read? Axes with names meet by name, and the points of
 * the read are taken; others have its length, or 1. */
static bool
check_lengths(const char *what, const ilex_array *read, const ilex_array *v)
{
    ilex_context *ctx = read->ctx;
    const ix_domain *dom = read->interior;
    for (int from_right = 1; from_right <= ix_rank(v); from_right++) {
        const ix_axis *have = &v->interior->ax[ix_rank(v) - from_right];
        int k = dom->rank - from_right;
        if (have->name || k < 0 || ix_lin_is(have->hi, 1) ||
            ix_lin_same(ctx, have->hi, dom->ax[k].hi))
            continue;
        const ix_lin *more = ix_lin_sub(ctx, have->hi, dom->ax[k].hi);
        return ix_poison_false(
            ctx, what, 2, ILEX_E_SHAPE,
            "%s: axis %d of the read has length %s, but the value's has %s%s",
            what, k, ix_lin_show(ctx, dom->ax[k].hi).s,
            ix_lin_show(ctx, have->hi).s, ix_lin_propose(ctx, more, true).s);
    }
    return true;
}

/* "v" in x's dtype; poison after an error. */
static ilex_array *
converted(const char *what, const ilex_array *x, ilex_array *v)
{
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    if (ix_is_weak(v))
        v = ix_build_cast(x->ctx, dtype, v);
    if (ix_is_poison(v) || v->dtype == dtype)
        return v;
    return ix_poison(x->ctx, what, 2, ILEX_E_DTYPE,
                     "%s: the value is %s, the array %s; convert it: %s(v)",
                     what, ilex_dtype_name((ilex_dtype)v->dtype),
                     ilex_dtype_name(dtype), ilex_dtype_name(dtype));
}

/* The same on the domain of the read. */
static ilex_array *
value_for(const char *what, const ilex_array *x, const ilex_array *read,
          ilex_array *v)
{
    v = converted(what, x, v);
    if (ix_is_poison(v))
        return v;
    const ix_env *proof = ix_proof_open(x->ctx);
    return ix_proof_close(
        x->ctx, proof,
        check_lengths(what, read, v)
            ? ix_build_restrict(x->ctx, what, v, read->interior)
            : ix_poison_again(x->ctx));
}

/* Of a read of x at one axis of indices: the mask whose true elements' numbers
 * they are; else NULL. */
static ilex_array *
mask_at(const ilex_array *read, const ilex_array *index, int axis)
{
    ilex_context *ctx = read->ctx;
    const ilex_array *load = index->kind == IX_CHECKED ? index->ops[0] : NULL;
    if (!load || load->kind != IX_LOAD || load->nops != 1 ||
        load->ops[0] != ix_scalar_index(ctx, axis))
        return NULL;
    const ilex_array *list = read->ops[load->attr[0] + 1];
    bool numbers = list->kind == IX_COMPRESS &&
                   list->ops[0]->kind == IX_LAMBDA &&
                   list->ops[0]->ops[0] == ix_scalar_index(ctx, 0);
    return numbers ? list->ops[1] : NULL;
}

/* The mask of one axis that x is read through, all of the others; NULL: "read"
 * is something else. */
static ilex_array *
mask_along(const ilex_array *x, const ilex_array *read, int *axis)
{
    ilex_array *mask = NULL;
    if (!is_read_of(read, x) || ix_rank(read) != ix_rank(x))
        return NULL;
    for (int k = 0; k < ix_rank(x); k++) {
        const ilex_array *index = read->ops[0]->ops[k];
        const ix_axis *have = &read->interior->ax[k], *ax = &x->interior->ax[k];
        bool whole = index == ix_scalar_index(x->ctx, k) && have->hi == ax->hi;
        ilex_array *here = whole ? NULL : mask_at(read, index, k);
        if (!whole && (!here || mask))
            return NULL;
        mask = here ? here : mask;
        *axis = here ? k : *axis;
    }
    return mask;
}

/* The mask on x's domain where "read" reads x; NULL: it is none. */
static ilex_array *
mask_of(ilex_array *x, const ilex_array *read)
{
    const ilex_array *of = masked(x, read);
    int axis = of ? (int)read->attr[0] : 0;
    ilex_array *mask = of ? read->ops[1] : mask_along(x, read, &axis);
    if (!mask || mask->interior == x->interior)
        return mask;
    if (!of || (of == x && ix_rank(x) > 1)) {
        ilex_array *index = ix_scalar_index(x->ctx, axis);
        return ix_structure_read("update", mask, x->interior, &index);
    }
    return mask->kind == IX_RESHAPE && mask->ops[0]->interior == x->interior
               ? mask->ops[0]
               : ix_build_reshape(x->ctx, mask, x->interior, false);
}

/* "x" where a mask is true, as a read of x; NULL: "read" is no compress of it.
 */
static ilex_array *
places_of(ilex_array *x, const ilex_array *read)
{
    ilex_array *of = masked(x, read);
    bool flat = of && of != x;
    ix_item item[ILEX_MAX_RANK];
    if (!of)
        return NULL;
    ilex_array *mask = flat ? mask_of(x, read) : read->ops[1];
    for (int k = 0; k < ix_rank(x); k++)
        item[k] = (ix_item){.kind = IX_ITEM_RANGE, .step = 1};
    item[flat ? 0 : read->attr[0]] =
        (ix_item){.kind = IX_ITEM_ARRAY, .array = mask};
    return ix_is_poison(mask)
               ? mask
               : ix_build_gather(x->ctx, x, flat ? 1 : ix_rank(x), item);
}

/* "read" as a read of x, made of a mask or given; poison after an error. */
static ilex_array *
place_of(const char *what, ilex_array *x, ilex_array *read)
{
    ilex_array *places = places_of(x, read);
    read = places ? places : read;
    return ix_is_poison(read) || check_read(what, x, read)
               ? read
               : ix_poison_again(x->ctx);
}

/* What an element becomes that "v" comes to. */
static ilex_array *
combined(ix_op op, ilex_array *x, ilex_array *v)
{
    ilex_array *ops[2] = {x, v};
    return op == IX_NOPS ? v : ix_build_op(x->ctx, op, ops);
}

/* One number goes to all elements where a mask is true: a `where`. */
static ilex_array *
change_masked(const char *what, ix_op op, ilex_array *x, ilex_array *mask,
              ilex_array *v)
{
    v = converted(what, x, v);
    if (ix_is_poison(mask) || ix_is_poison(v) || !check_known(what, x))
        return ix_poison_again(x->ctx);
    ilex_array *ops[3] = {mask, combined(op, x, v), x};
    return ix_build_op(x->ctx, IX_OP_WHERE, ops);
}

static ilex_array *
change(const char *what, ix_op op, ilex_array *const *operands)
{
    ilex_array *x = operands[0], *v = operands[2];
    ilex_array *mask = ix_rank(v) == 0 ? mask_of(x, operands[1]) : NULL;
    if (mask)
        return change_masked(what, op, x, mask, v);
    ilex_array *read = place_of(what, x, operands[1]);
    v = ix_is_poison(read) ? read : value_for(what, x, read, v);
    if (ix_is_poison(v))
        return v;
    if (read == x)
        return combined(op, x, v);
    ix_node_spec spec = {.kind = IX_UPDATE,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = x->interior,
                         .valid = x->interior,
                         .nops = 3,
                         .ops = (ilex_array *[]){x, read, v},
                         .nattr = op != IX_NOPS,
                         .attr = (int64_t[]){op}};
    return ix_node_scoped(x->ctx, &spec);
}

ilex_array *
ix_build_update(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    (void)ctx, (void)count, (void)given;
    return change("update", IX_NOPS, operands);
}

#define IX_COMBINES(function, OPERATOR)                                        \
    ilex_array *ix_build_##function(ilex_context *ctx,                         \
                                    ilex_array *const *operands, int count,    \
                                    const ix_given *given)                     \
    {                                                                          \
        (void)ctx, (void)count, (void)given;                                   \
        return change(#function, IX_OP_##OPERATOR, operands);                  \
    }
#include "lib/graph/updates.def"
