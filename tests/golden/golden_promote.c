/* SPDX-License-Identifier: MIT
 *
 * promote.tsv: the dtype of what an operation builds, or that it builds
 * nothing. No program is run, so there is no back end to try.
 */
#include <string.h>

#include "tests/golden/golden.h"

enum { KIND, OP, TYPE1, TYPE2, RESULT, NUMPY_RESULT };

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
                       ilex_reshape(x[1], "3, 1", "C"));
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

/* What is wrong with the row, or NULL: then "type" are its operands' dtypes
 * (the second of a pair, or the first again). */
static const char *
row_fault(char **row, ilex_dtype type[2])
{
    ilex_dtype result;
    if (!row[0])
        return "has another number of columns than the header";
    if (!golden_dtype(row[TYPE1], &type[0]))
        return "has an unknown first dtype";
    type[1] = type[0];
    if (strcmp(row[TYPE2], "-") && !golden_dtype(row[TYPE2], &type[1]))
        return "has an unknown second dtype";
    if (strcmp(row[RESULT], "error") && !golden_dtype(row[RESULT], &result))
        return "has a result that is neither a dtype nor error";
    return NULL;
}

/* The array that the row speaks of; NULL if there is no such operation. */
static ilex_array *
build(ilex_context *ctx, char **row, const ilex_dtype type[2])
{
    ilex_array *x[2] = {ilex_input(ctx, "x", type[0], "3"),
                        ilex_input(ctx, "y", type[1], "3")};
    int arity = !strcmp(row[KIND], "binary") ? 2 : 1;
    if (!strcmp(row[KIND], "struct")) {
        for (size_t i = 0; i < GOLDEN_COUNT(structs); i++)
            if (!strcmp(row[OP], structs[i].name))
                return structs[i].build(ctx, x);
        return NULL;
    }
    if (!strcmp(row[KIND], "reduce")) {
        golden_reducer *reduce = golden_reducer_find(row[OP]);
        return reduce ? reduce(x[0], NULL, 0) : NULL;
    }
    if (arity == 1 && strcmp(row[KIND], "unary"))
        return NULL;
    const golden_operator *o = golden_operator_find(row[OP]);
    return o && o->arity == arity ? golden_operator_apply(o, x) : NULL;
}

/* Judges the type of "y" and the context's error. */
static void
judge(const golden_table *t, size_t i, golden_report *r, ilex_context *ctx,
      const ilex_array *y)
{
    char **row = golden_row(t, i);
    bool poison = ilex_is_poison(y);
    ilex_status status = ilex_error_code(ctx);
    const char *got = poison ? "error" : golden_dtype_name(ilex_array_dtype(y));
    if (status == ILEX_E_UNSUPPORTED && !strcmp(row[KIND], "struct")) {
        char reason[64];
        snprintf(reason, sizeof reason, "unsupported: %.40s", row[OP]);
        golden_skip(r, reason);
    } else if (strcmp(got, row[RESULT]) || poison != (status != ILEX_OK) ||
               (poison && status != ILEX_E_DTYPE)) {
        golden_fail(r, t->line[i], "%s(%s, %s): got %s, want %s%s%s", row[OP],
                    row[TYPE1], row[TYPE2], got, row[RESULT],
                    status ? "; " : "", ilex_error_text(ctx));
    } else {
        golden_pass(r);
    }
}

static void
try_row(const golden_table *t, size_t i, golden_report *r, ilex_context *ctx)
{
    char **row = golden_row(t, i);
    ilex_dtype type[2];
    const char *fault = row_fault(row, type);
    if (fault) {
        golden_fail(r, t->line[i], "malformed row: %s", fault);
        return;
    }
    if (!strcmp(row[KIND], "result_type")) {
        const char *got =
            golden_dtype_name(ilex_dtype_promote(type[0], type[1]));
        if (!strcmp(got, row[RESULT]))
            golden_pass(r);
        else
            golden_fail(r, t->line[i], "result_type(%s, %s): got %s, want %s",
                        row[TYPE1], row[TYPE2], got, row[RESULT]);
        return;
    }
    size_t mark = ilex_scope_begin(ctx);
    ilex_array *y = build(ctx, row, type);
    if (y)
        judge(t, i, r, ctx, y);
    else
        golden_fail(r, t->line[i], "there is no %s operation '%s'", row[KIND],
                    row[OP]);
    ilex_error_clear(ctx);
    ilex_scope_end(ctx, mark, NULL);
}

void
golden_promote(const golden_table *t, golden_report *r)
{
    ilex_context *ctx = ilex_context_new(NULL);
    for (size_t i = 0; i < t->rows; i++)
        if (ctx)
            try_row(t, i, r, ctx);
        else
            golden_fail(r, t->line[i], "no context");
    ilex_context_free(ctx);
}
