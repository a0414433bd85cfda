/* SPDX-License-Identifier: MIT
 *
 * Updates: an array with other values where a subscripted read of it reads.
 * What the read is of is its only meaning here: it is never evaluated.
 */
#include "lib/build/compress.h"
#include "lib/build/items.h"
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

static bool
check_read(const char *what, const ilex_array *x, const ilex_array *read)
{
    if (!ix_is_array(x) || ix_rank(x) == 0 ||
        (read != x && !is_read_of(read, x)))
        return ix_poison_false(x->ctx, what, 1, ILEX_E_ARGUMENT,
                               "%s: the second operand is no subscripted read "
                               "of the first; write %s(x[i], v)",
                               what, what);
    if (x->interior == x->valid)
        return true;
    return ix_poison_false(
        x->ctx, what, 0, ILEX_E_UNSUPPORTED,
        "%s: [%s] is known on [%s], and what an update does to a halo is not "
        "supported; take the inside first: let y : %s[...] = x",
        what, ix_domain_show(x->ctx, x->interior).s,
        ix_domain_show(x->ctx, x->valid).s,
        ilex_dtype_name((ilex_dtype)x->dtype));
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

/* "v" on the domain of the read, in x's dtype; poison after an error. */
static ilex_array *
value_for(const char *what, const ilex_array *x, const ilex_array *read,
          ilex_array *v)
{
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    if (ix_is_weak(v))
        v = ix_build_cast(x->ctx, dtype, v);
    if (!ix_is_poison(v) && v->dtype != dtype)
        return ix_poison(x->ctx, what, 2, ILEX_E_DTYPE,
                         "%s: the value is %s, the array %s; convert it: "
                         "%s(v)",
                         what, ilex_dtype_name((ilex_dtype)v->dtype),
                         ilex_dtype_name(dtype), ilex_dtype_name(dtype));
    const ix_env *proof = ix_proof_open(x->ctx);
    return ix_proof_close(
        x->ctx, proof,
        check_lengths(what, read, v)
            ? ix_build_restrict(x->ctx, what, v, read->interior)
            : ix_poison_again(x->ctx));
}

/* "x" where a mask is true, as a read of x; NULL: "read" is no compress of it.
 */
static ilex_array *
places_of(ilex_array *x, const ilex_array *read)
{
    ilex_array *of = masked(x, read);
    ilex_array *mask = of ? read->ops[1] : NULL;
    bool flat = of && of != x;
    ix_item item[ILEX_MAX_RANK];
    if (!of)
        return NULL;
    if (flat && mask->kind == IX_RESHAPE &&
        mask->ops[0]->interior == x->interior)
        mask = mask->ops[0];
    else if (flat)
        mask = ix_build_reshape(x->ctx, mask, x->interior, false);
    for (int k = 0; k < ix_rank(x); k++)
        item[k] = (ix_item){.kind = IX_ITEM_RANGE, .step = 1};
    item[flat ? 0 : read->attr[0]] =
        (ix_item){.kind = IX_ITEM_ARRAY, .array = mask};
    return ix_is_poison(mask)
               ? mask
               : ix_build_gather(x->ctx, x, flat ? 1 : ix_rank(x), item);
}

static ilex_array *
change(ix_kind kind, ilex_array *const *operands)
{
    const char *what = ix_kind_infos[kind].text;
    ilex_array *x = operands[0], *read = operands[1];
    ilex_array *places = places_of(x, read);
    if (places && ix_is_poison(places))
        return places;
    read = places ? places : read;
    if (!check_read(what, x, read))
        return ix_poison_again(x->ctx);
    ilex_array *v = value_for(what, x, read, operands[2]);
    if (ix_is_poison(v))
        return v;
    ilex_array *sum[2] = {x, v};
    if (read == x)
        return kind == IX_UPDATE ? v : ix_build_op(x->ctx, IX_OP_ADD, sum);
    ilex_array *ops[3] = {x, read, v};
    return ix_kind_node(kind, x->interior, x->interior, ops, 3, NULL);
}

ilex_array *
ix_build_update(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    (void)ctx, (void)count, (void)given;
    return change(IX_UPDATE, operands);
}

ilex_array *
ix_build_add_at(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    (void)ctx, (void)count, (void)given;
    return change(IX_ADD_AT, operands);
}
