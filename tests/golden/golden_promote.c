/* SPDX-License-Identifier: MIT
 *
 * promote.tsv: the dtype of what an operation builds, or that it builds
 * nothing. No program is run, so there is no back end to try.
 */
#include <string.h>

#include "tests/golden/golden.h"

/* ---- the rows of kind `struct` ---- */

static ilex_array *
build_where(ilex_context *ctx, ilex_array **x)
{
    return ilex_where(ilex_input(ctx, "c", ILEX_BOOL, "3"), x[0], x[1]);
}

static ilex_array *
build_clip(ilex_context *ctx, ilex_array **x)
{
    (void)ctx;
    return ilex_clip(x[0], x[1], x[1]);
}

static ilex_array *
build_dot(ilex_context *ctx, ilex_array **x)
{
    return ilex_einsum(ctx, "i,i->", 2, x);
}

/* The product of the 1x3 and 3x1 matrices with the elements of x. */
static ilex_array *
build_matmul(ilex_context *ctx, ilex_array **x)
{
    (void)ctx;
    return ilex_matmul(ilex_reshape(x[0], "1, 3", "C"),
                       ilex_reshape(x[1], "3, 1", "C"), 0);
}

static ilex_array *
build_concatenate(ilex_context *ctx, ilex_array **x)
{
    return ilex_concat(ctx, 2, x, "0");
}

static ilex_array *
build_stack(ilex_context *ctx, ilex_array **x)
{
    return ilex_stack(ctx, 2, x, 0);
}

static const struct {
    const char *name;
    ilex_array *(*build)(ilex_context *ctx, ilex_array **x);
} structs[] = {{"where", build_where},
               {"clip_low", build_clip},
               {"einsum_dot", build_dot},
               {"matmul", build_matmul},
               {"concatenate", build_concatenate},
               {"stack", build_stack}};

/* ---- rows ---- */

/* What is wrong with it, or NULL: then "type" are its operands' dtypes (that of
 * a single one twice). */
static const char *
fault_of(const golden_promotion *p, ilex_dtype type[2])
{
    ilex_dtype result;
    (void)golden_dtype(p->type[1], &type[1]);
    type[0] = type[1];
    if (strcmp(p->type[0], "-") && !golden_dtype(p->type[0], &type[0]))
        return "has an unknown first dtype";
    if (strcmp(p->result, "error") && !golden_dtype(p->result, &result))
        return "has a result that is neither a dtype nor error";
    return NULL;
}

/* The array that it speaks of; NULL if there is no such operation. */
static ilex_array *
build(ilex_context *ctx, const golden_promotion *p, const ilex_dtype type[2])
{
    ilex_array *x[2] = {ilex_input(ctx, "x", type[0], "3"),
                        ilex_input(ctx, "y", type[1], "3")};
    int arity = !strcmp(p->kind, "binary") ? 2 : 1;
    if (!strcmp(p->kind, "struct")) {
        for (size_t i = 0; i < GOLDEN_COUNT(structs); i++)
            if (!strcmp(p->name, structs[i].name))
                return structs[i].build(ctx, x);
        return NULL;
    }
    if (!strcmp(p->kind, "reduce")) {
        golden_reducer *reduce = golden_reducer_find(p->name);
        return reduce ? reduce(x[0], NULL, 0) : NULL;
    }
    if (arity == 1 && strcmp(p->kind, "unary"))
        return NULL;
    const golden_operator *o = golden_operator_find(p->name);
    return o && o->arity == arity ? golden_operator_apply(o, x) : NULL;
}

/* Judges the type of "y" and the context's error. */
static void
judge(const golden_promotion *p, int line, golden_report *r, ilex_context *ctx,
      const ilex_array *y)
{
    bool poison = ilex_is_poison(y);
    ilex_status status = ilex_error_code(ctx);
    const char *got = poison ? "error" : golden_dtype_name(ilex_array_dtype(y));
    if (status == ILEX_E_UNSUPPORTED && !strcmp(p->kind, "struct")) {
        char reason[64];
        snprintf(reason, sizeof reason, "unsupported: %.40s", p->name);
        golden_skip(r, reason);
    } else if (strcmp(got, p->result) || poison != (status != ILEX_OK) ||
               (poison && status != ILEX_E_DTYPE)) {
        golden_fail(r, line, "%s(%s, %s): got %s, want %s%s%s", p->name,
                    p->type[0], p->type[1], got, p->result, status ? "; " : "",
                    ilex_error_text(ctx));
    } else {
        golden_pass(r);
    }
}

static void
try_one(const golden_promotion *p, int line, golden_report *r,
        ilex_context *ctx)
{
    ilex_dtype type[2];
    const char *fault = fault_of(p, type);
    if (fault) {
        golden_fail(r, line, "malformed row: %s", fault);
        return;
    }
    if (!strcmp(p->kind, "result_type")) {
        const char *got =
            golden_dtype_name(ilex_dtype_promote(type[0], type[1]));
        if (!strcmp(got, p->result))
            golden_pass(r);
        else
            golden_fail(r, line, "result_type(%s, %s): got %s, want %s",
                        p->type[0], p->type[1], got, p->result);
        return;
    }
    size_t mark = ilex_scope_begin(ctx);
    ilex_array *y = build(ctx, p, type);
    if (y)
        judge(p, line, r, ctx, y);
    else
        golden_fail(r, line, "there is no %s operation '%s'", p->kind, p->name);
    ilex_error_clear(ctx);
    ilex_scope_end(ctx, mark, NULL);
}

static void
try_row(char **row, int line, golden_report *r, ilex_context *ctx)
{
    if (!ctx || !row[0]) {
        golden_fail(r, line, "%s",
                    ctx ? "malformed row: has another number of columns than "
                          "the header"
                        : "no context");
        return;
    }
    for (int i = 0; i < GOLDEN_PROMOTIONS; i++) {
        golden_promotion p = golden_promotion_of(row, i);
        try_one(&p, line, r, ctx);
    }
}

void
golden_promote(const golden_table *t, golden_report *r)
{
    ilex_context *ctx = ilex_context_new(NULL);
    for (size_t i = 0; i < t->rows; i++)
        try_row(golden_row(t, i), t->line[i], r, ctx);
    ilex_context_free(ctx);
}
