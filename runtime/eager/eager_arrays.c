/* SPDX-License-Identifier: MIT
 *
 * Functions of whole storages. What puts elements elsewhere is made of
 * assignments to views of a new storage; the others are expressions of programs
 * over the storages as plain arrays, whose results get back what belongs to the
 * axes that stay.
 */
#include "runtime/eager/eager.h"

#include <math.h>
#include <stdio.h>

#include "lib/build/build.h"
#include "lib/ops/dtype.h"

/* ---- axes ---- */

/* The one axis that "text" names; -1 after an error. */
static int
one_axis(ilex_context *ctx, const char *what, const ilex_storage *x,
         const char *text)
{
    uint32_t mask = 0;
    if (ix_storage_axes_mask(x, text ? text : "", &mask, &ctx->error))
        return -1;
    for (int k = 0; k < x->rank; k++)
        if (mask == 1u << k)
            return k;
    ix_fail(&ctx->error, ILEX_E_AXIS, "%s: '%s' is not one axis of the storage",
            what, text ? text : "NULL");
    return -1;
}

/* The parameters of "x" for a result without the axes of a mask. */
static void
like(const ilex_storage *x, uint32_t mask, ix_eager_result *r)
{
    ix_eager_kept_axes(x, mask, r);
    r->dtype = x->dtype;
}

/* "y", an unnamed result, with names, halo and origin of "r"; takes the count.
 */
static ilex_storage *
marked(ilex_context *ctx, ilex_storage *y, const ix_eager_result *r)
{
    ix_eager_result own = *r;
    if (!y || y->rank == 0)
        return y;
    own.dtype = y->dtype;
    ilex_storage *z = ix_eager_allocate(ctx, &own);
    if (z && ix_eager_assign_plain(ctx, z, y)) {
        ilex_storage_release(z);
        z = NULL;
    }
    ilex_storage_release(y);
    return z;
}

/* ---- assignments ---- */

ilex_status
ix_eager_assign_plain(ilex_context *ctx, ilex_storage *to, ilex_storage *from)
{
    ilex_storage *a = ilex_storage_reinterpret(ctx, to, NULL);
    ilex_storage *b = ilex_storage_reinterpret(ctx, from, NULL);
    ilex_status rc = a && b ? ilex_eager_assign(ctx, a, b) : ctx->error.code;
    ilex_storage_release(a);
    ilex_storage_release(b);
    return rc;
}

/* to[..., at:at + length of from, ...] = from, with [lo, hi) of from's axis. */
static ilex_status
assign_part(ilex_context *ctx, ilex_storage *to, int axis, int64_t at,
            ilex_storage *from, int64_t lo, int64_t hi)
{
    ilex_storage *a = ilex_storage_slice(ctx, to, axis, at, at + hi - lo, 1);
    ilex_storage *b = ilex_storage_slice(ctx, from, axis, lo, hi, 1);
    ilex_status rc =
        a && b ? ix_eager_assign_plain(ctx, a, b) : ctx->error.code;
    ilex_storage_release(a);
    ilex_storage_release(b);
    return rc;
}

/* "y" unless something failed; then it is given back. */
static ilex_storage *
result(ilex_storage *y, ilex_status rc)
{
    if (!rc)
        return y;
    ilex_storage_release(y);
    return NULL;
}

/* The dtype that the operands have in common, in whatever order they come. */
static ilex_dtype
common_dtype(size_t count, ilex_storage *const *operands)
{
    ilex_dtype dtype = ILEX_BOOL;
    for (int inexact = 1; inexact >= 0; inexact--)
        for (size_t i = 0; i < count; i++) {
            char kind = ix_dtype_kind(operands[i]->dtype);
            if ((kind == 'f' || kind == 'c') == inexact)
                dtype = ilex_dtype_promote(dtype, operands[i]->dtype);
        }
    return dtype;
}

/* Operands of one rank, equally long but along "axis" (-1: everywhere). */
static ilex_status
check_shapes(ilex_context *ctx, const char *what, size_t count,
             ilex_storage *const *operands, int axis)
{
    for (size_t i = 1; i < count; i++) {
        bool same = operands[i]->rank == operands[0]->rank;
        for (int k = 0; same && k < operands[0]->rank; k++)
            same = k == axis || operands[i]->shape[k] == operands[0]->shape[k];
        if (!same)
            return ix_fail(&ctx->error, ILEX_E_SHAPE,
                           axis < 0 ? "%s: operand %zu has another shape than "
                                      "operand 0"
                                    : "%s: operand %zu has another shape than "
                                      "operand 0, and not along axis %d alone",
                           what, i, axis);
    }
    return ILEX_OK;
}

/* Checks the operands, and says where the result of "what" lies. */
static ilex_status
begin(ilex_context *ctx, const char *what, size_t count,
      ilex_storage *const *operands)
{
    if (count == 0)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT, "%s: no operands", what);
    return ix_eager_check(ctx, what, count, operands, NULL);
}

ilex_storage *
ilex_storage_concat(ilex_context *ctx, size_t count,
                    ilex_storage *const *operands, const char *axis)
{
    ix_eager_result r;
    int k = begin(ctx, "concat", count, operands)
                ? -1
                : one_axis(ctx, "concat", operands[0], axis);
    if (k < 0 || check_shapes(ctx, "concat", count, operands, k))
        return NULL;
    like(operands[0], 0, &r);
    r.dtype = common_dtype(count, operands);
    r.shape[k] = r.halo[2 * k] = r.halo[2 * k + 1] = r.aligned[k] = 0;
    for (size_t i = 0; i < count; i++)
        r.shape[k] += operands[i]->shape[k];
    ilex_status rc = ix_eager_side(ctx, "concat", count, operands, NULL, &r);
    ilex_storage *y = rc ? NULL : ix_eager_allocate(ctx, &r);
    int64_t at = 0;
    for (size_t i = 0; y && !rc && i < count; i++) {
        int64_t n = operands[i]->shape[k];
        rc = assign_part(ctx, y, k, at, operands[i], 0, n);
        at += n;
    }
    return result(y, rc);
}

ilex_storage *
ilex_storage_stack(ilex_context *ctx, size_t count,
                   ilex_storage *const *operands, int axis)
{
    ix_eager_result r = {.rank = 0};
    if (begin(ctx, "stack", count, operands) ||
        check_shapes(ctx, "stack", count, operands, -1))
        return NULL;
    const ilex_storage *x = operands[0];
    int at = axis < 0 ? axis + x->rank + 1 : axis;
    if (at < 0 || at > x->rank)
        return ix_fail_null(&ctx->error, ILEX_E_AXIS,
                            "stack: there is no axis %d of the result, which "
                            "has %d; -%d to %d are",
                            axis, x->rank + 1, x->rank + 1, x->rank);
    if (x->rank == ILEX_MAX_RANK)
        return ix_fail_null(&ctx->error, ILEX_E_AXIS,
                            "stack: the result has %d axes, at most %d are "
                            "supported",
                            x->rank + 1, ILEX_MAX_RANK);
    r.rank = x->rank + 1;
    r.dtype = common_dtype(count, operands);
    for (int k = 0; k < r.rank; k++) {
        r.axis[k] = "";
        r.shape[k] = k == at ? (int64_t)count : x->shape[k - (k > at)];
    }
    ilex_status rc = ix_eager_side(ctx, "stack", count, operands, NULL, &r);
    ilex_storage *y = rc ? NULL : ix_eager_allocate(ctx, &r);
    for (size_t i = 0; y && !rc && i < count; i++) {
        ilex_storage *part = ilex_storage_index(ctx, y, at, (int64_t)i);
        rc = part ? ix_eager_assign_plain(ctx, part, operands[i])
                  : ctx->error.code;
        ilex_storage_release(part);
    }
    return result(y, rc);
}

ilex_storage *
ilex_storage_roll(ilex_context *ctx, ilex_storage *x, const char *axis,
                  int64_t by)
{
    ix_eager_result r;
    int k = begin(ctx, "roll", 1, &x) ? -1 : one_axis(ctx, "roll", x, axis);
    if (k < 0)
        return NULL;
    like(x, 0, &r);
    int64_t n = x->shape[k], first = n ? ix_floormod(by, n) : 0;
    ilex_status rc = ix_eager_side(ctx, "roll", 1, &x, NULL, &r);
    ilex_storage *y = rc ? NULL : ix_eager_allocate(ctx, &r);
    if (y)
        rc = assign_part(ctx, y, k, first, x, 0, n - first);
    if (y && !rc)
        rc = assign_part(ctx, y, k, 0, x, n - first, n);
    return result(y, rc);
}

ilex_storage *
ilex_storage_arange(ilex_context *ctx, ilex_dtype dtype, double start,
                    double stop, double step)
{
    double n = ceil((stop - start) / step);
    bool finite = isfinite(start) && isfinite(stop) && isfinite(step);
    if (step == 0 || !finite)
        return ix_fail_null(
            &ctx->error, ILEX_E_ARGUMENT,
            "arange: %g, %g, %g: the step is not 0, and all are finite", start,
            stop, step);
    if (!(n < 9e15))
        return ix_fail_null(&ctx->error, ILEX_E_OVERFLOW,
                            "arange: %g, %g, %g: these are %g elements", start,
                            stop, step, n);
    int64_t count = n > 0 ? (int64_t)n : 0;
    ilex_storage *y = ilex_storage_empty(ctx, dtype, 1, &count);
    ilex_status rc = ILEX_OK;
    for (int64_t i = 0; y && !rc && i < count; i++) {
        double v = start + (double)i * step;
        double both[2] = {v, 0};
        rc = ix_dtype_is_complex(dtype) ? ilex_storage_set_c128(y, &i, both)
                                        : ilex_storage_set_f64(y, &i, v);
        if (rc)
            ix_fail(&ctx->error, rc, "arange: %g does not fit %s", v,
                    ilex_dtype_name(dtype));
    }
    return result(y, rc);
}

/* ---- shapes ---- */

/* The length that is left for -1; false if the shapes do not have as many
 * elements. */
static bool
complete_shape(int64_t count, int rank, const int64_t *given, int64_t *shape)
{
    int64_t rest = 1;
    int open = -1;
    for (int k = 0; k < rank; k++) {
        shape[k] = given[k];
        if (given[k] == -1 && open < 0)
            open = k;
        else if (given[k] < 0 || !ix_mul(rest, given[k], &rest))
            return false;
    }
    if (open >= 0 && (rest == 0 || count % rest))
        return false;
    if (open >= 0)
        shape[open] = count / rest;
    return open >= 0 || rest == count;
}

ilex_storage *
ilex_storage_reshape(ilex_context *ctx, ilex_storage *x, int rank,
                     const int64_t *given)
{
    int64_t shape[ILEX_MAX_RANK];
    if (begin(ctx, "reshape", 1, &x))
        return NULL;
    if (rank < 0 || rank > ILEX_MAX_RANK || (rank > 0 && !given) ||
        !complete_shape(ix_storage_count(x), rank, given, shape))
        return ix_fail_null(&ctx->error, ILEX_E_SHAPE,
                            "reshape: the new shape has not as many elements "
                            "as the storage, %lld",
                            (long long)ix_storage_count(x));
    ilex_storage *dense = ilex_storage_ensure_contiguous(ctx, x, NULL);
    const void *data = dense ? ilex_storage_const_data(dense) : NULL;
    ilex_storage *y =
        dense ? ilex_storage_from(ctx, x->dtype, rank, shape, data) : NULL;
    ilex_storage_release(dense);
    return y;
}

/* Writes "[3, 0, 2]" for the widths of all axes. */
static void
write_widths(ix_text *t, const char *name, int rank, const int64_t *width)
{
    ix_text_format(t, "%s=[", name);
    for (int k = 0; k < rank; k++)
        ix_text_format(t, "%s%lld", k ? ", " : "",
                       (long long)(width ? width[k] : 0));
    ix_text_char(t, ']');
}

/* ---- expressions ---- */

/* The value of a text about the operands as plain arrays x0, x1, ...: a new
 * storage without names. */
static ilex_storage *
compute(ilex_context *ctx, const ix_eval *what, size_t count,
        ilex_storage *const *operands)
{
    enum { MOST = ILEX_MAX_RANK };
    ilex_binding b[MOST] = {ILEX_BIND(NULL, NULL)};
    char name[MOST][8];
    ilex_storage *y = NULL;
    bool ok = true;
    if (count > MOST)
        return ix_fail_null(&ctx->error, ILEX_E_LIMIT, "more than %d operands",
                            (int)MOST);
    for (size_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof name[i], "x%zu", i);
        b[i] = (ilex_binding)ILEX_BIND(
            name[i], ilex_storage_reinterpret(ctx, operands[i], NULL));
        ok &= b[i].storage != NULL;
    }
    if (ok)
        y = ix_evaluate(ctx, what, b, count);
    for (size_t i = 0; i < count; i++)
        ilex_storage_release(b[i].storage);
    return y;
}

/* The same for a text that was written; it is freed. */
static ilex_storage *
compute_text(ilex_context *ctx, ix_text *t, bool exact, size_t count,
             ilex_storage *const *operands)
{
    const char *text = ix_text_string(t);
    ilex_storage *y = NULL;
    if (text)
        y = compute(ctx, &(ix_eval){.text = text, .exact = exact}, count,
                    operands);
    else
        ix_fail_memory(&ctx->error);
    ix_text_free(t);
    return y;
}

ilex_storage *
ilex_storage_pad(ilex_context *ctx, ilex_storage *x, const int64_t *low,
                 const int64_t *high, double value, const char *mode)
{
    ix_eager_result r;
    ix_text t;
    bool wide = false;
    if (begin(ctx, "pad", 1, &x))
        return NULL;
    like(x, 0, &r);
    memset(r.halo, 0, sizeof r.halo);
    memset(r.aligned, 0, sizeof r.aligned);
    for (int k = 0; k < x->rank; k++)
        wide |= (low && low[k] > 8) || (high && high[k] > 8);
    ix_text_init(&t, &ctx->mem);
    ix_text_put(&t, "pad(x0; ");
    write_widths(&t, "low", x->rank, low);
    ix_text_put(&t, ", ");
    write_widths(&t, "high", x->rank, high);
    if (mode)
        ix_text_format(&t, ", mode=%.20s)", mode);
    else
        ix_text_format(&t, ", value=%s(%.17g))", ilex_dtype_name(x->dtype),
                       value);
    ilex_storage *y = compute_text(ctx, &t, wide, 1, &x);
    for (int k = 0; y && k < x->rank; k++)
        r.shape[k] = y->shape[k];
    return marked(ctx, y, &r);
}

ilex_storage *
ilex_storage_cumsum(ilex_context *ctx, ilex_storage *x, const char *axis)
{
    ix_eager_result r;
    char text[60];
    int k = begin(ctx, "cumsum", 1, &x) ? -1 : one_axis(ctx, "cumsum", x, axis);
    if (k < 0)
        return NULL;
    like(x, 0, &r);
    snprintf(text, sizeof text, "cumsum(x0; axis=%d)", k);
    return marked(ctx, compute(ctx, &(ix_eval){.text = text}, 1, &x), &r);
}

static ilex_storage *
variance(ilex_context *ctx, const char *name, ilex_storage *x, const char *axes,
         int64_t ddof)
{
    ix_eager_result r;
    ix_text t;
    if (begin(ctx, name, 1, &x))
        return NULL;
    uint32_t mask = (1u << x->rank) - 1;
    if (axes && ix_storage_axes_mask(x, axes, &mask, &ctx->error))
        return NULL;
    if (mask == 0)
        return ix_fail_null(&ctx->error, ILEX_E_AXIS, "%s: no axes to reduce",
                            name);
    like(x, mask, &r);
    ix_text_init(&t, &ctx->mem);
    ix_text_format(&t, "%s[", name);
    const char *comma = "";
    for (int k = 0; k < x->rank; k++)
        if (mask >> k & 1) {
            ix_text_format(&t, "%s%d", comma, k);
            comma = ", ";
        }
    ix_text_format(&t, "](x0; ddof=%lld)", (long long)ddof);
    return marked(ctx, compute_text(ctx, &t, false, 1, &x), &r);
}

ilex_storage *
ilex_storage_var(ilex_context *ctx, ilex_storage *x, const char *axes,
                 int64_t ddof)
{
    return variance(ctx, "var", x, axes, ddof);
}

ilex_storage *
ilex_storage_std(ilex_context *ctx, ilex_storage *x, const char *axes,
                 int64_t ddof)
{
    return variance(ctx, "std", x, axes, ddof);
}

ilex_storage *
ilex_storage_matmul(ilex_context *ctx, ilex_storage *x, ilex_storage *y)
{
    ilex_storage *operands[2] = {x, y};
    if (begin(ctx, "matmul", 2, operands))
        return NULL;
    return compute(ctx, &(ix_eval){.text = "matmul(x0, x1)"}, 2, operands);
}

ilex_storage *
ilex_storage_einsum(ilex_context *ctx, const char *subscripts, size_t count,
                    ilex_storage *const *operands)
{
    ix_text t;
    if (begin(ctx, "einsum", count, operands))
        return NULL;
    if (!subscripts || strpbrk(subscripts, "\n\r\""))
        return ix_fail_null(
            &ctx->error, ILEX_E_EINSUM,
            "einsum: subscripts are a line such as \"ij,jk->ik\"");
    ix_text_init(&t, &ctx->mem);
    ix_text_format(&t, "einsum(\"%s\"", subscripts);
    for (size_t i = 0; i < count; i++)
        ix_text_format(&t, ", x%zu", i);
    ix_text_char(&t, ')');
    const char *text = ix_text_string(&t);
    ilex_storage *y =
        text ? compute(ctx, &(ix_eval){.text = text}, count, operands) : NULL;
    if (!text)
        ix_fail_memory(&ctx->error);
    ix_text_free(&t);
    return y;
}

/* "x0", as f64 unless it is real or complex. */
static const char *
as_number(const ilex_storage *x, const char *name, char *text)
{
    char kind = ix_dtype_kind(x->dtype);
    sprintf(text, kind == 'f' || kind == 'c' ? "%s" : "f64(%s)", name);
    return text;
}

int
ilex_storage_allclose(ilex_context *ctx, ilex_storage *x, ilex_storage *y,
                      double rtol, double atol)
{
    ilex_storage *tolerance = ilex_storage_scalar(ctx, ILEX_F64, rtol);
    ilex_storage *least = ilex_storage_scalar(ctx, ILEX_F64, atol);
    ilex_storage *operands[4] = {x, y, tolerance, least};
    ilex_storage *all = NULL;
    int close = -1;
    if (!begin(ctx, "allclose", 4, operands)) {
        char text[160], a[12], b[12];
        as_number(x, "x0", a);
        as_number(y, "x1", b);
        snprintf(text, sizeof text,
                 "all(%s == %s || (isfinite(%s) && "
                 "absolute(%s - %s) <= x3 + x2*absolute(%s)))",
                 a, b, b, a, b, b);
        all = compute(ctx, &(ix_eval){.text = text}, 4, operands);
    }
    if (all) {
        const bool *value = ilex_storage_const_data(all);
        close = value ? *value : -1;
    }
    ilex_storage_release(all);
    ilex_storage_release(tolerance);
    ilex_storage_release(least);
    return close;
}
