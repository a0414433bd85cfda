/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that read no elements: constants over a shape or
 * over another array's domain, and sequences.
 */
#include "lib/build/structure.h"

#include "ilex/elementwise.h"
#include "lib/ops/dtype.h"

/* ---- constants ---- */

/* The dtype that an attribute gives, or "otherwise". */
static ilex_dtype
dtype_of(const ix_given *given, ilex_dtype otherwise)
{
    return given->present ? (ilex_dtype)given->number[0] : otherwise;
}

/* "value" as "dtype" over "dom". */
static ilex_array *
filled(ilex_context *ctx, const char *what, const ix_domain *dom,
       ilex_dtype dtype, ilex_array *value)
{
    if (!dom)
        return ix_poison_again(ctx);
    if ((unsigned)dtype >= ILEX_NDTYPES)
        return ix_poison(ctx, what, -1, ILEX_E_DTYPE, "%s: %d is not a dtype",
                         what, (int)dtype);
    value = ix_structure_value(ctx, what, dtype, value);
    return ix_build_restrict(ctx, what, value, dom);
}

/* The value that full is given; poison after an error. */
static ilex_array *
value_of(ilex_context *ctx, const char *what, const ix_given *given)
{
    ilex_array *v = given->value;
    if (v && v->ctx == ctx)
        return v;
    return ix_poison_stranger(ctx, what, -1, v, "the value");
}

ilex_array *
ix_build_filled(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    ilex_array *v = value_of(ctx, "full", &given[1]);
    (void)operands;
    (void)count;
    if (ix_is_poison(v))
        return v;
    return filled(ctx, "full",
                  ix_structure_shape(ctx, "full", given->n, given->form),
                  dtype_of(&given[2], (ilex_dtype)v->dtype), v);
}

/* A number as "dtype" over "dom". */
static ilex_array *
counted(ilex_context *ctx, const char *what, const ix_domain *dom,
        ilex_dtype dtype, int64_t number)
{
    bool known = (unsigned)dtype < ILEX_NDTYPES;
    return filled(ctx, what, dom, dtype,
                  ix_structure_number(ctx, known ? dtype : ILEX_I64, number));
}

static ilex_array *
filled_shape(ilex_context *ctx, const char *what, const ix_given *given,
             int64_t value)
{
    return counted(ctx, what,
                   ix_structure_shape(ctx, what, given->n, given->form),
                   dtype_of(&given[1], ILEX_F64), value);
}

ilex_array *
ix_build_zeros(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    (void)operands;
    (void)count;
    return filled_shape(ctx, "zeros", given, 0);
}

ilex_array *
ix_build_ones(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    (void)operands;
    (void)count;
    return filled_shape(ctx, "ones", given, 1);
}

/* A number wherever "x" is, in the dtype of x if none is given. */
static ilex_array *
counted_like(ilex_context *ctx, const char *what, ilex_array *x,
             const ix_given *dtype, int64_t number)
{
    x = ix_structure_array(ctx, what, x);
    if (ix_is_poison(x))
        return x;
    return counted(ctx, what, x->interior,
                   dtype_of(dtype, (ilex_dtype)x->dtype), number);
}

ilex_array *
ix_build_full_like(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    (void)count;
    ilex_array *x = ix_structure_array(ctx, "full_like", operands[0]);
    ilex_array *v = value_of(ctx, "full_like", &given[0]);
    if (ix_is_poison(x) || ix_is_poison(v))
        return ix_poison_again(ctx);
    return filled(ctx, "full_like", x->interior,
                  dtype_of(&given[1], (ilex_dtype)x->dtype), v);
}

ilex_array *
ix_build_zeros_like(ilex_context *ctx, ilex_array *const *operands, int count,
                    const ix_given *given)
{
    (void)count;
    return counted_like(ctx, "zeros_like", operands[0], given, 0);
}

ilex_array *
ix_build_ones_like(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    (void)count;
    return counted_like(ctx, "ones_like", operands[0], given, 1);
}

/* ---- sequences ---- */

/* The numbers start, start + step, ... as "dtype". */
static ilex_array *
sequence(ilex_context *ctx, const char *what, const ix_lin *length,
         const ix_lin *start, int64_t step, ilex_dtype dtype)
{
    const ix_domain *dom =
        length ? ix_structure_shape(ctx, what, 1, &length) : NULL;
    if (!dom)
        return ix_poison_again(ctx);
    ilex_array *body = ix_index_fma(ctx, ix_index_lin(ctx, start), step,
                                    ix_scalar_index(ctx, 0));
    ilex_array *y = ix_is_poison(body)
                        ? body
                        : ix_build_lambda(ctx, what, dom, body, 0, NULL);
    return ix_is_poison(y) ? y : ix_build_cast(ctx, dtype, y);
}

ilex_array *
ix_build_range(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    const ix_lin *const *f = given->form;
    (void)operands;
    (void)count;
    if (given->n < 1 || given->n > 3)
        return ix_poison(
            ctx, "arange", -1, ILEX_E_RANK,
            "arange: %d numbers; it has one to three, arange(stop) "
            "or arange(start, stop, step)",
            given->n);
    const ix_lin *start = given->n > 1 ? f[0] : ix_lin_const(ctx, 0);
    const ix_lin *stop = given->n > 1 ? f[1] : f[0];
    int64_t step = given->n > 2 ? f[2]->c : 1;
    if (given->n > 2 && (f[2]->n || step == 0))
        return ix_poison(ctx, "arange", -1, ILEX_E_ARGUMENT,
                         "arange: the step %s is not a number other than 0",
                         ix_lin_show(ctx, f[2]).s);
    const ix_lin *length = ix_slice_length(ctx, start, stop, step);
    if (!length)
        return ix_poison_again(ctx);
    return sequence(ctx, "arange", length, start, step,
                    dtype_of(&given[1], ILEX_I64));
}

ilex_array *
ix_build_indices(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    const ix_lin *length[ILEX_MAX_RANK + 1];
    int d = given->n;
    ilex_array *body = ix_index_const(ctx, 0);
    (void)operands;
    (void)count;
    length[0] = ix_lin_const(ctx, d);
    for (int k = 0; k < d; k++)
        length[k + 1] = given->form[k];
    const ix_domain *dom = ix_structure_shape(ctx, "indices", d + 1, length);
    if (!dom)
        return ix_poison_again(ctx);
    for (int k = d; k-- > 0;) {
        ilex_array *here = ix_structure_compare(
            ctx, IX_OP_EQUAL, ix_scalar_index(ctx, 0), ix_index_const(ctx, k));
        ilex_array *at = ix_scalar_index(ctx, k + 1);
        body = k == d - 1 ? at : ix_structure_where(ctx, here, at, body);
    }
    return ix_build_cast(ctx, dtype_of(&given[1], ILEX_I64),
                         ix_build_lambda(ctx, "indices", dom, body, 0, NULL));
}

/* ---- linspace ---- */

/* The number of steps between "n" points as "dtype", 1 if there are none. */
static ilex_array *
steps_between(ilex_context *ctx, const ix_lin *n, bool endpoint,
              ilex_dtype dtype)
{
    ilex_array *steps = ix_index_lin(ctx, ix_lin_offset(ctx, n, -endpoint));
    return ix_scalar_cast(ctx, dtype,
                          ix_index_max(ctx, steps, ix_index_const(ctx, 1)));
}

/* start + i*step, the last one stop itself. */
static ilex_array *
points(ilex_context *ctx, const ix_lin *n, ilex_array *start, ilex_array *stop,
       bool endpoint)
{
    ilex_dtype dtype = (ilex_dtype)start->dtype;
    ilex_array *i =
        sequence(ctx, "linspace", n, ix_lin_const(ctx, 0), 1, ILEX_I64);
    if (ix_is_poison(i))
        return i;
    ilex_array *step = ilex_true_divide(ilex_subtract(stop, start),
                                        steps_between(ctx, n, endpoint, dtype));
    ilex_array *y =
        ilex_add(ilex_multiply(ix_build_cast(ctx, dtype, i), step), start);
    if (!endpoint)
        return y;
    ilex_array *last = ilex_logical_and(
        ilex_equal(i, ix_index_lin(ctx, ix_lin_offset(ctx, n, -1))),
        ilex_greater(i, ix_index_const(ctx, 0)));
    return ilex_where(last, stop, y);
}

ilex_array *
ix_build_linspace(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    ilex_array *end[2] = {value_of(ctx, "linspace", &given[1]),
                          value_of(ctx, "linspace", &given[2])};
    (void)operands;
    (void)count;
    for (int i = 0; i < 2; i++) {
        if (ix_is_poison(end[i]))
            return end[i];
        if (ix_rank(end[i]) > 0)
            return ix_poison(ctx, "linspace", -1, ILEX_E_RANK,
                             "linspace: %s has the axes [%s]; it is one number",
                             i ? "stop" : "start",
                             ix_domain_show(ctx, end[i]->interior).s);
    }
    if (given->n != 1)
        return ix_poison(ctx, "linspace", -1, ILEX_E_RANK,
                         "linspace: %d numbers of points; it is one, for "
                         "example linspace(n; start=0.0, stop=1.0)",
                         given->n);
    if (!ix_build_common(ctx, "linspace", 2, end))
        return ix_poison_again(ctx);
    ilex_dtype dtype = (ilex_dtype)end[0]->dtype;
    char kind = ix_dtype_kind(dtype);
    if (kind != 'f' && kind != 'c')
        dtype = ILEX_F64;
    ilex_dtype loop = ix_dtype_loop(dtype);
    return ix_build_cast(ctx, dtype,
                         points(ctx, given->form[0],
                                ix_build_cast(ctx, loop, end[0]),
                                ix_build_cast(ctx, loop, end[1]),
                                !given[3].present || given[3].number[0] != 0));
}
