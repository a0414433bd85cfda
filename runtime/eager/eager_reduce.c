/* SPDX-License-Identifier: MIT
 *
 * Eager reductions: a program run over the storage, into the result's storage
 * if it is made for that, else into a new one that is copied to it.
 */
#include "runtime/eager/eager.h"

#include "lib/ops/dtype.h"

void
ix_eager_kept_axes(const ilex_storage *x, uint32_t mask, ix_eager_result *r)
{
    memset(r, 0, sizeof *r);
    r->alignment = x->alignment;
    for (int k = 0; k < x->rank; k++) {
        if (mask >> k & 1)
            continue;
        r->axis[r->rank] = x->axis[k];
        r->shape[r->rank] = x->shape[k];
        r->halo[2 * r->rank] = x->halo[k][0];
        r->halo[2 * r->rank + 1] = x->halo[k][1];
        r->origin[r->rank] = x->origin[k];
        r->aligned[r->rank++] = x->aligned[k];
    }
    ix_storage_layout_words(x, r->rank, r->axis, r->layout, sizeof r->layout);
}

/* Can the program write "out" itself? */
static bool
is_made_for(const ix_eager_result *r, const ilex_storage *x,
            const ilex_storage *out)
{
    bool fits = out->rank == r->rank && out->dtype == r->dtype;
    for (int k = 0; fits && k < r->rank; k++)
        fits = out->shape[k] == r->shape[k] &&
               (!*out->axis[0] || !*r->axis[0] ||
                strcmp(out->axis[k], r->axis[k]) == 0);
    return fits && !ix_storage_overlap(x, out);
}

static ilex_status
run(ilex_context *ctx, const ilex_program *p, ilex_storage *x, ilex_storage *y)
{
    ilex_call call = {.size = sizeof call};
    ilex_status rc = ilex_run(
        p, (ilex_binding[]){ILEX_BIND("x0", x), ILEX_BIND("y", y)}, 2, &call);
    return rc ? ix_fail(&ctx->error, rc, "%s", call.error) : ILEX_OK;
}

/* Reduces "x" to a new storage, and copies that to "out" unless it is NULL.
 * Whether it fits there is found out first. */
static ilex_storage *
reduce_anew(ilex_context *ctx, const ilex_program *p, const ix_eager_result *r,
            ilex_storage *x, ilex_storage *out)
{
    ix_eager_operand copied;
    ix_eager_result target;
    ilex_status rc = ILEX_OK;
    ilex_storage *y = ix_eager_allocate(ctx, r);
    if (y && out) {
        rc = ix_eager_result_of(out, 1, &y, &target, &ctx->error);
        rc = rc ? rc : ix_eager_place(&target, y, &copied, &ctx->error);
    }
    if (y && !rc)
        rc = run(ctx, p, x, y);
    if (y && !rc && out)
        rc = ix_eager_evaluate(ctx, IX_NOPS, &copied, 1, out, r->on_device);
    if (y && (rc || out)) {
        ilex_storage_release(y);
        y = rc ? NULL : ilex_storage_retain(out);
    }
    return y;
}

/* Fills in the program's key and the result's parameters. */
static ilex_status
prepare(ilex_context *ctx, const char *name, ilex_storage *x, const char *axes,
        ilex_storage *out, ix_eager_key *key, ix_eager_result *result)
{
    ix_reduction r;
    ilex_dtype acc;
    memset(key, 0, sizeof *key);
    if (!name || !ix_reduction_find(name, strlen(name), &r))
        return ix_fail(
            &ctx->error, ILEX_E_UNKNOWN,
            "eager: there is no reduction '%.40s' (for example: sum)%s",
            name ? name : "(null)", ix_reduction_hint(name).s);
    ilex_status rc = ix_eager_check(ctx, name, 1, &x, out);
    if (rc)
        return rc;
    key->mask[0] = (1u << x->rank) - 1;
    if (axes)
        rc = ix_storage_axes_mask(x, axes, &key->mask[0], &ctx->error);
    if (rc)
        return rc;
    ix_eager_kept_axes(x, key->mask[0], result);
    if (!ix_reduction_type(r, x->dtype, &acc, &result->dtype))
        return ix_fail(&ctx->error, ILEX_E_DTYPE, "%s is not defined for %s",
                       name, ilex_dtype_name(x->dtype));
    key->op = -1 - (int)r;
    key->rank = x->rank;
    key->count = 1;
    key->result = (int32_t)result->dtype;
    key->dtype[0] = (int32_t)x->dtype;
    rc = ix_eager_check_cast(ctx, name, result->dtype, out);
    rc = rc ? rc : ix_eager_side(ctx, name, 1, &x, out, result);
    ix_eager_key_jit(ctx, result->on_device, key);
    return rc;
}

ilex_storage *
ilex_eager_reduce(ilex_context *ctx, const char *name, ilex_storage *x,
                  const char *axes, ilex_storage *out)
{
    ix_eager_result result;
    ix_eager_key key;
    if (!ctx || prepare(ctx, name, x, axes, out, &key, &result))
        return NULL;
    if (x->division)
        return ix_eager_reduce_parts(ctx, name, x, key.mask[0], out);
    const ilex_program *p = ix_eager_program(ctx, &key);
    if (!p)
        return NULL;
    if (!out || !is_made_for(&result, x, out))
        return reduce_anew(ctx, p, &result, x, out);
    return run(ctx, p, x, out) ? NULL : ilex_storage_retain(out);
}
