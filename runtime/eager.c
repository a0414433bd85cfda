/* SPDX-License-Identifier: MIT
 *
 * Eager operators: find the program, point its kernel at the storages.
 */
#include "runtime/eager.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/dtype.h"

/* ---- launching an element-wise kernel ---- */

/* Result axes by falling stride of what is written: the loops' order. */
static void
loop_order(const ilex_storage *out, int *order)
{
    for (int k = 0; k < out->rank; k++) {
        int at = k;
        for (; at > 0 &&
               llabs(out->stride[order[at - 1]]) < llabs(out->stride[k]);
             at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

/* Everything of a launch, in loop order. */
typedef struct launch {
    char *base[IX_EAGER_BUFFERS];
    int64_t stride[IX_EAGER_BUFFERS * ILEX_MAX_RANK];
    int64_t cover[IX_EAGER_BUFFERS * ILEX_MAX_RANK][2];
    int64_t size[ILEX_MAX_RANK];
} launch;

static void
place_axis(launch *l, int at, int64_t stride, int64_t length)
{
    l->stride[at] = stride;
    l->cover[at][0] = 0;
    l->cover[at][1] = length;
}

/* Operands have the axes of their mask, the result has all. */
static void
place_all(launch *l, const ix_eager_operand *x, int count,
          const ilex_storage *out, const int *order)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        l->base[i] = x[i].storage->data;
        for (int k = 0; k < out->rank; k++)
            if (x[i].mask >> order[k] & 1)
                place_axis(l, at++, x[i].stride[order[k]],
                           out->shape[order[k]]);
    }
    l->base[count] = out->data;
    for (int k = 0; k < out->rank; k++)
        place_axis(l, at++, out->stride[order[k]], out->shape[order[k]]);
}

/* Sizes are called n<k> for loop k; a program has those it uses. */
static void
set_sizes(launch *l, const ix_compiled *c, const ilex_storage *out,
          const int *order)
{
    for (size_t p = 0; p < c->nsizes && p < ILEX_MAX_RANK; p++)
        l->size[p] = out->shape[order[atoi(c->size[p].name + 1)]];
}

static ilex_status
run_kernel(ilex_context *ctx, const ilex_program *p, launch *l,
           const ilex_storage *out, const int *order)
{
    const ix_compiled *c = p->c;
    if (p->backend->dialect < 0 || c->nbuffers > c->narguments) {
        ix_run r = {.p = p,
                    .err = &ctx->error,
                    .threads = 1,
                    .base = l->base,
                    .stride = l->stride,
                    .cover = l->cover,
                    .size = l->size};
        return ix_run_launch(&r);
    }
    ix_kernel_args args = {l->base, l->stride, l->size};
    for (size_t i = 0; i < c->nkernels; i++)
        p->kernel[i](&args, 0, c->kernel[i].serial ? 1 : out->shape[order[0]]);
    return ILEX_OK;
}

/* "mask" with its bits in loop order. */
static uint32_t
ordered_mask(uint32_t mask, int rank, const int *order)
{
    uint32_t r = 0;
    for (int k = 0; k < rank; k++)
        r |= (mask >> order[k] & 1) << k;
    return r;
}

static void
set_jit(ilex_context *ctx, ix_eager_key *key)
{
    snprintf(key->jit, sizeof key->jit, "%s",
             ix_option_text(ctx, IX_OPTION_jit));
}

/* Brings host buffers up to date; "out" becomes newer there. */
static ilex_status
acquire(ilex_context *ctx, const ix_eager_operand *x, int count,
        const ilex_storage *out)
{
    ilex_status rc = ILEX_OK;
    for (int i = 0; !rc && i < count; i++)
        rc = ix_storage_acquire(x[i].storage, ILEX_READ, &ctx->error);
    return rc ? rc : ix_storage_acquire(out, ILEX_READ_WRITE, &ctx->error);
}

/* out = op(operands), all placed against it; nothing overlaps but in place. */
static ilex_status
evaluate(ilex_context *ctx, int op, const ix_eager_operand *x, int count,
         const ilex_storage *out)
{
    ix_eager_key key;
    launch l;
    int order[ILEX_MAX_RANK];
    memset(&key, 0, sizeof key);
    loop_order(out, order);
    key.op = op;
    key.rank = out->rank;
    key.count = count;
    key.result = out->dtype;
    for (int i = 0; i < count; i++) {
        key.dtype[i] = x[i].storage->dtype;
        key.mask[i] = ordered_mask(x[i].mask, out->rank, order);
    }
    set_jit(ctx, &key);
    const ilex_program *p = ix_eager_program(ctx, &key);
    if (!p)
        return ctx->error.code;
    if (ix_storage_count(out) == 0)
        return ILEX_OK;
    ilex_status rc = acquire(ctx, x, count, out);
    if (rc)
        return rc;
    place_all(&l, x, count, out, order);
    set_sizes(&l, p->c, out, order);
    return run_kernel(ctx, p, &l, out, order);
}

/* ---- overlap ---- */

static bool
in_place(const ix_eager_operand *x, const ilex_storage *out)
{
    bool same =
        x->storage->data == out->data && x->storage->dtype == out->dtype;
    for (int k = 0; same && k < out->rank; k++)
        same = out->shape[k] == 1 ||
               ((x->mask >> k & 1) && x->stride[k] == out->stride[k]);
    return same;
}

static bool
clashes(const ix_eager_operand *x, int count, const ilex_storage *out)
{
    for (int i = 0; i < count; i++)
        if (!in_place(&x[i], out) && ix_storage_overlap(x[i].storage, out))
            return true;
    return false;
}

/* Through a copy when an operand overlaps the result elsewhere. */
static ilex_status
evaluate_safely(ilex_context *ctx, int op, ix_eager_operand *x, int count,
                ilex_storage *out)
{
    if (!clashes(x, count, out))
        return evaluate(ctx, op, x, count, out);
    ix_eager_result like;
    ix_eager_operand copied;
    ix_eager_result_of(out, &like);
    ilex_storage *copy = ix_eager_allocate(ctx, &like);
    if (!copy)
        return ctx->error.code;
    ilex_status rc = evaluate(ctx, op, x, count, copy);
    rc = rc ? rc : ix_eager_place(&like, copy, &copied, &ctx->error);
    rc = rc ? rc : evaluate(ctx, IX_NOPS, &copied, 1, out);
    ilex_storage_release(copy);
    return rc;
}

/* ---- public ---- */

static ilex_status
check_arguments(ilex_context *ctx, const char *what, size_t count,
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

/* Matches, allocates unless "out" is given, evaluates. */
static ilex_storage *
apply(ilex_context *ctx, int op, ilex_dtype dtype, size_t count,
      ilex_storage *const *operands, ilex_storage *out)
{
    ix_eager_result result;
    ix_eager_operand x[IX_EAGER_OPERANDS];
    ilex_status rc = ILEX_OK;
    if (out)
        ix_eager_result_of(out, &result);
    else
        rc = ix_eager_match(count, operands, &result, &ctx->error);
    result.dtype = out ? out->dtype : dtype;
    for (size_t i = 0; !rc && i < count; i++)
        rc = ix_eager_place(&result, operands[i], &x[i], &ctx->error);
    if (rc)
        return NULL;
    ilex_storage *y =
        out ? ilex_storage_retain(out) : ix_eager_allocate(ctx, &result);
    if (y && evaluate_safely(ctx, op, x, (int)count, y) != ILEX_OK) {
        ilex_storage_release(y);
        return NULL;
    }
    return y;
}

ilex_storage *
ilex_eager(ilex_context *ctx, const char *name, size_t count,
           ilex_storage *const *operands, ilex_storage *out)
{
    ix_op op;
    ilex_dtype types[IX_EAGER_OPERANDS], loop, dtype;
    if (!name || !ix_op_find(name, strlen(name), &op)) {
        ix_fail(&ctx->error, ILEX_E_UNKNOWN,
                "eager: there is no operator '%.40s' (for example: add)",
                name ? name : "(null)");
        return NULL;
    }
    if ((int)count != ix_op_info_of(op)->arity) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT, "%s takes %d operands, not %zu",
                name, ix_op_info_of(op)->arity, count);
        return NULL;
    }
    if (check_arguments(ctx, name, count, operands, out))
        return NULL;
    for (size_t i = 0; i < count; i++)
        types[i] = operands[i]->dtype;
    if (!ix_op_type(op, types, &loop, &dtype)) {
        ix_fail(&ctx->error, ILEX_E_DTYPE, "%s is not defined for %s%s%s", name,
                ilex_dtype_name(types[0]), count > 1 ? " and " : "",
                count > 1 ? ilex_dtype_name(types[1]) : "");
        return NULL;
    }
    return apply(ctx, (int)op, dtype, count, operands, out);
}

ilex_status
ilex_eager_assign(ilex_context *ctx, ilex_storage *to, ilex_storage *from)
{
    if (!to)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "assign: the target is NULL");
    if (check_arguments(ctx, "assign", 1, &from, to))
        return ctx->error.code;
    ilex_storage *y = apply(ctx, IX_NOPS, to->dtype, 1, &from, to);
    ilex_storage_release(y);
    return y ? ILEX_OK : ctx->error.code;
}

ilex_storage *
ilex_storage_scalar(ilex_context *ctx, ilex_dtype dtype, double value)
{
    static const int64_t none[1];
    return ilex_storage_full(ctx, dtype, 0, none, value);
}

/* ---- reductions ---- */

/* Bits of the axes that "text" lists by name or number; NULL: all. */
static ilex_status
axes_mask(ilex_context *ctx, const ilex_storage *x, const char *text,
          uint32_t *mask)
{
    *mask = text ? 0 : (1u << x->rank) - 1;
    for (const char *p = text ? text + strspn(text, ", ") : ""; *p;) {
        size_t n = strcspn(p, ", ");
        int k = -1;
        for (int j = 0; j < x->rank; j++)
            if (strlen(x->axis[j]) == n && n && !strncmp(x->axis[j], p, n))
                k = j;
        if (k < 0 && strspn(p + (*p == '-'), "0123456789") >= n - (*p == '-')) {
            k = atoi(p);
            k += k < 0 ? x->rank : 0;
        }
        if (k < 0 || k >= x->rank || (*mask >> k & 1))
            return ix_fail(&ctx->error, ILEX_E_AXIS,
                           "reduce: '%.*s' is no axis, or listed twice (for "
                           "example: \"I\" or \"0, -1\")",
                           (int)(n < 40 ? n : 40), p);
        *mask |= 1u << k;
        p += n;
        p += strspn(p, ", ");
    }
    return ILEX_OK;
}

/* The kept axes with their markers. */
static void
kept_axes(const ilex_storage *x, uint32_t mask, ix_eager_result *r)
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
        r->aligned[r->rank++] = x->aligned[k];
    }
    ix_eager_layout(r, x);
}

static ilex_status
run_reduction(ilex_context *ctx, const ilex_program *p, ilex_storage *x,
              ilex_storage *y)
{
    ilex_call call = {.size = sizeof call};
    ilex_status rc =
        ilex_run(p, (ilex_binding[]){{"x0", x}, {"y", y}}, 2, &call);
    return rc ? ix_fail(&ctx->error, rc, "%s", call.error) : ILEX_OK;
}

ilex_storage *
ilex_eager_reduce(ilex_context *ctx, const char *name, ilex_storage *x,
                  const char *axes, ilex_storage *out)
{
    ix_reduction r;
    ilex_dtype acc;
    ix_eager_result result;
    ix_eager_key key;
    memset(&key, 0, sizeof key);
    if (!name || !ix_reduction_find(name, strlen(name), &r)) {
        ix_fail(&ctx->error, ILEX_E_UNKNOWN,
                "eager: there is no reduction '%.40s' (for example: sum)",
                name ? name : "(null)");
        return NULL;
    }
    if (check_arguments(ctx, name, 1, &x, out) ||
        axes_mask(ctx, x, axes, &key.mask[0]))
        return NULL;
    kept_axes(x, key.mask[0], &result);
    if (!ix_reduction_type(r, x->dtype, &acc, &result.dtype)) {
        ix_fail(&ctx->error, ILEX_E_DTYPE, "%s is not defined for %s", name,
                ilex_dtype_name(x->dtype));
        return NULL;
    }
    key.op = -1 - (int)r;
    key.rank = x->rank;
    key.count = 1;
    key.result = result.dtype;
    key.dtype[0] = x->dtype;
    set_jit(ctx, &key);
    const ilex_program *p = ix_eager_program(ctx, &key);
    ilex_storage *y = !p    ? NULL
                      : out ? ilex_storage_retain(out)
                            : ix_eager_allocate(ctx, &result);
    if (y && run_reduction(ctx, p, x, y) != ILEX_OK) {
        ilex_storage_release(y);
        return NULL;
    }
    return y;
}
