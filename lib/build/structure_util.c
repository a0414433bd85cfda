/* SPDX-License-Identifier: MIT
 *
 * What constructors share that read one array at other indices.
 */
#include "lib/build/structure.h"

#include "lib/ops/dtype.h"

ilex_array *
ix_structure_array(ilex_context *ctx, const char *what, ilex_array *x)
{
    if (ix_is_array(x) || ix_is_poison(x))
        return x;
    return ix_build_restrict(ctx, what, x, ix_domain_new(ctx, 0, NULL));
}

ilex_array *
ix_structure_bounded(ilex_context *ctx, const char *what, ilex_array *x)
{
    x = ix_structure_array(ctx, what, x);
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->interior->ax[k];
        if (ix_lin_is(ax->lo, -IX_UNBOUNDED) || ix_lin_is(ax->hi, IX_UNBOUNDED))
            return ix_poison(ctx, what, 0, ILEX_E_EMPTY,
                             "%s: axis %s has no bounds; restrict it first",
                             what, ix_symbol_text(ctx, ax->name));
    }
    return x;
}

ilex_array *
ix_structure_unnamed(ilex_context *ctx, const char *what, ilex_array *x)
{
    x = ix_structure_array(ctx, what, x);
    if (ix_is_poison(x) || !ix_domain_named(x->interior))
        return x;
    return ix_poison(ctx, what, 0, ILEX_E_AXIS,
                     "%s: the axes of [%s] have names; %s is for arrays whose "
                     "axes are numbers, such as x : f64[n, 3]",
                     what, ix_domain_show(ctx, x->interior).s, what);
}

/* Is the read at "index" over "dom" the array itself? */
static bool
is_itself(ilex_array *x, const ix_domain *dom, ilex_array *const *index)
{
    bool same = dom == x->interior && dom == x->valid;
    for (int k = 0; same && k < ix_rank(x); k++)
        same = index[k] == ix_scalar_index(x->ctx, k);
    return same;
}

ilex_array *
ix_structure_read(const char *what, ilex_array *x, const ix_domain *dom,
                  ilex_array *const *index)
{
    ilex_context *ctx = x->ctx;
    if (!dom)
        return ix_poison_again(ctx);
    if (is_itself(x, dom, index))
        return x;
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
    return ix_build_lambda(ctx, what, dom, body, 1, &x);
}

const ix_domain *
ix_structure_shape(ilex_context *ctx, const char *what, int rank,
                   const ix_lin *const *length)
{
    ix_axis ax[ILEX_MAX_RANK];
    if (rank > ILEX_MAX_RANK) {
        ix_poison(ctx, what, 0, ILEX_E_RANK,
                  "%s: %d axes; at most %d are supported", what, rank,
                  ILEX_MAX_RANK);
        return NULL;
    }
    for (int k = 0; k < rank; k++)
        ax[k] = (ix_axis){0, ix_lin_const(ctx, 0), length[k]};
    const ix_domain *dom = ix_domain_new(ctx, rank, ax);
    return dom && ix_domain_check_extents(ctx, what, dom) ? dom : NULL;
}

ilex_array *
ix_structure_flat(ilex_array *x)
{
    ilex_context *ctx = x->ctx;
    const ix_axis all = {0, ix_lin_const(ctx, 0), ix_lin_const(ctx, -1)};
    return ix_rank(x) == 1
               ? x
               : ix_build_reshape(ctx, x, ix_domain_new(ctx, 1, &all), false);
}

int
ix_structure_axis(ilex_context *ctx, const char *what, int64_t k, int n)
{
    if (k >= -n && k < n)
        return (int)(k < 0 ? k + n : k);
    ix_poison(ctx, what, 0, ILEX_E_AXIS,
              n ? "%s: there is no axis %lld; the axes are 0 to %d, or -%d to "
                  "-1"
                : "%s: there is no axis %lld; the operand is a number",
              what, (long long)k, n - 1, n);
    return -1;
}

bool
ix_structure_nonneg(ilex_context *ctx, const char *what, const char *name,
                    const ix_lin *form)
{
    if (form && ix_lin_nonneg(ctx, form) == IX_YES)
        return true;
    if (!form || form->n == 0)
        ix_poison(ctx, what, 0, ILEX_E_ARGUMENT,
                  "%s: %s is %s; it has to be a number >= 0", what, name,
                  form ? ix_lin_show(ctx, form).s : "NULL");
    else
        ix_poison(ctx, what, 0, ILEX_E_ARGUMENT,
                  "%s: %s is %s, which is not known to be >= 0; assume %s >= "
                  "0",
                  what, name, ix_lin_show(ctx, form).s,
                  ix_lin_show(ctx, form).s);
    return false;
}

ilex_array *
ix_structure_compare(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_I64, ILEX_BOOL, ops);
}

ilex_array *
ix_structure_op(ilex_context *ctx, ix_op op, ilex_dtype dtype,
                ilex_array *const *ops)
{
    ilex_dtype loop = ix_dtype_loop(dtype);
    ilex_array *args[3];
    for (int i = 0; i < ix_op_info_of(op)->arity; i++)
        args[i] = ix_scalar_cast(ctx, loop, ops[i]);
    return ix_scalar_cast(ctx, dtype, ix_scalar_op(ctx, op, loop, loop, args));
}

ilex_array *
ix_structure_where(ilex_context *ctx, ilex_array *condition, ilex_array *a,
                   ilex_array *b)
{
    ilex_array *ops[3] = {condition, a, b};
    ilex_dtype dtype = (ilex_dtype)a->dtype;
    return ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype, ops);
}

ilex_array *
ix_structure_number(ilex_context *ctx, ilex_dtype dtype, int64_t value)
{
    return ix_scalar_cast(ctx, dtype, ix_index_const(ctx, value));
}

ilex_array *
ix_structure_value(ilex_context *ctx, const char *what, ilex_dtype dtype,
                   ilex_array *value)
{
    if (!value || value->ctx != ctx)
        return ix_poison_stranger(ctx, what, 0, value, "the value");
    if (ix_is_poison(value))
        return value;
    if (ix_rank(value) > 0)
        return ix_poison(ctx, what, 0, ILEX_E_RANK,
                         "%s: the value has the axes [%s]; it is one number, "
                         "for example 0.0",
                         what, ix_domain_show(ctx, value->interior).s);
    bool weak = ix_is_weak(value);
    if (weak ? !ix_literal_fits(value, dtype)
             : ilex_dtype_promote((ilex_dtype)value->dtype, dtype) != dtype)
        return ix_poison(ctx, what, 0, weak ? ILEX_E_LITERAL : ILEX_E_DTYPE,
                         "%s: the value, %s, does not fit %s; convert it, for "
                         "example %s(2)",
                         what,
                         weak && value->dtype == ILEX_I64
                             ? "an integer"
                             : ilex_dtype_name((ilex_dtype)value->dtype),
                         ilex_dtype_name(dtype), ilex_dtype_name(dtype));
    return ix_build_cast(ctx, dtype, value);
}
