/* SPDX-License-Identifier: MIT
 *
 * Eager operators: what is asked for, checked; then matched, placed, run.
 */
#include "runtime/eager/eager.h"

#include "lib/ops/dtype.h"

ilex_status
ix_eager_check(ilex_context *ctx, const char *what, size_t count,
               ilex_storage *const *operands, const ilex_storage *out)
{
    for (size_t i = 0; i < count; i++)
        if (!operands || !operands[i])
            return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                           "%s: operand %zu is NULL", what, i);
    if (out && !out->writable)
        return ix_fail(&ctx->error, ILEX_E_READONLY,
                       "%s: the result's storage is read-only", what);
    if (out && ix_storage_self_overlap(out))
        return ix_fail(&ctx->error, ILEX_E_OVERLAP,
                       "%s: elements of the result's storage share memory",
                       what);
    return ILEX_OK;
}

ilex_status
ix_eager_check_cast(ilex_context *ctx, const char *what, ilex_dtype dtype,
                    const ilex_storage *out)
{
    if (!out || !ix_storage_check_cast(out->dtype, dtype, NULL))
        return ILEX_OK;
    return ix_fail(&ctx->error, ILEX_E_DTYPE,
                   "%s: the result is %s, of which the %s of the result's "
                   "storage would lose a kind; compute a new storage and "
                   "convert it with ilex_eager_assign",
                   what, ilex_dtype_name(dtype), ilex_dtype_name(out->dtype));
}

/* Matches, allocates unless "out" is given, evaluates. */
static ilex_storage *
apply(ilex_context *ctx, int op, ilex_dtype dtype, const char *what,
      size_t count, ilex_storage *const *operands, ilex_storage *out)
{
    ix_eager_result r;
    ix_eager_operand x[IX_EAGER_OPERANDS];
    ix_error *err = &ctx->error;
    ilex_status rc = out ? ix_eager_result_of(out, count, operands, &r, err)
                         : ix_eager_match(count, operands, &r, err);
    r.dtype = out ? out->dtype : dtype;
    rc = rc ? rc : ix_eager_side(ctx, what, count, operands, out, &r);
    for (size_t i = 0; !rc && i < count; i++)
        rc = ix_eager_place(&r, operands[i], &x[i], err);
    if (rc)
        return NULL;
    ilex_storage *y =
        out ? ilex_storage_retain(out) : ix_eager_allocate(ctx, &r);
    if (y &&
        ix_eager_evaluate(ctx, op, x, (int)count, y, r.on_device) != ILEX_OK) {
        ilex_storage_release(y);
        return NULL;
    }
    return y;
}

/* The operator called "name" and the dtype of its result on these operands. */
static ilex_status
find_operator(ilex_context *ctx, const char *name, size_t count,
              ilex_storage *const *operands, ilex_storage *out, ix_op *op,
              ilex_dtype *dtype)
{
    ilex_dtype types[IX_EAGER_OPERANDS], loop;
    if (!name || !ix_op_find(name, strlen(name), op))
        return ix_fail(&ctx->error, ILEX_E_UNKNOWN,
                       "eager: there is no operator '%.40s' (for example: "
                       "add)%s",
                       name ? name : "(null)", ix_op_hint(name).s);
    if (count != (size_t)ix_op_info_of(*op)->arity)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "%s takes %d operands, not %zu", name,
                       ix_op_info_of(*op)->arity, count);
    ilex_status rc = ix_eager_check(ctx, name, count, operands, out);
    if (rc)
        return rc;
    for (size_t i = 0; i < count; i++)
        types[i] = operands[i]->dtype;
    if (ix_op_type(*op, types, &loop, dtype))
        return ix_eager_check_cast(ctx, name, *dtype, out);
    return ix_fail(&ctx->error, ILEX_E_DTYPE, "%s is not defined for %s%s%s",
                   name, ilex_dtype_name(types[0]), count > 1 ? " and " : "",
                   count > 1 ? ilex_dtype_name(types[1]) : "");
}

ilex_storage *
ilex_eager(ilex_context *ctx, const char *name, size_t count,
           ilex_storage *const *operands, ilex_storage *out)
{
    ix_op op;
    ilex_dtype dtype;
    if (!ctx || find_operator(ctx, name, count, operands, out, &op, &dtype))
        return NULL;
    return apply(ctx, (int)op, dtype, name, count, operands, out);
}

ilex_status
ilex_eager_assign(ilex_context *ctx, ilex_storage *to, ilex_storage *from)
{
    if (!ctx)
        return ILEX_E_ARGUMENT;
    if (!to)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "assign: the target is NULL");
    ilex_status rc = ix_eager_check(ctx, "assign", 1, &from, to);
    if (rc)
        return rc;
    ilex_storage *y = apply(ctx, IX_NOPS, to->dtype, "assign", 1, &from, to);
    ilex_storage_release(y);
    return y ? ILEX_OK : ctx->error.code;
}

ilex_storage *
ilex_storage_scalar(ilex_context *ctx, ilex_dtype dtype, double value)
{
    static const int64_t none[1];
    return ilex_storage_full(ctx, dtype, 0, none, value);
}
