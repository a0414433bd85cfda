/* SPDX-License-Identifier: MIT
 *
 * einsum.tsv: subscripts and operands a row, in C and in text.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_rows.h"

enum { ID, SUBSCRIPTS, COUNT, OPERANDS, STATUS, RESULT, NOTE };

static ilex_array *
build(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    static const char *const names[GOLDEN_OPERANDS] = {"x0", "x1", "x2", "x3",
                                                       "x4", "x5", "x6", "x7"};
    char text[256], *t = text;
    size_t n = strlen(c->text[0]);
    snprintf(text, sizeof text, "%.*s", (int)(n - 2), c->text[0] + 1);
    ilex_array *y = ilex_einsum(ctx, text, c->operands, x);
    t += sprintf(t, "einsum(%s", c->text[0]);
    for (int i = 0; i < c->operands; i++)
        t += sprintf(t, ", %s", names[i]);
    sprintf(t, ")");
    ilex_array *same = ilex_expr_n(ctx, text, (size_t)c->operands, names, x);
    return same == y ? y : ilex_einsum(ctx, "(not one node)", 1, x);
}

/* What is wrong with the row, or NULL: then "c" is its case. */
static const char *
make_case(char **row, golden_case *c)
{
    size_t n = strlen(row[SUBSCRIPTS]);
    c->build = build;
    if (n < 2 || n > 200 || row[SUBSCRIPTS][0] != '"' ||
        row[SUBSCRIPTS][n - 1] != '"')
        return "has subscripts that are not between double quotes";
    c->text[0] = row[SUBSCRIPTS];
    const char *fault = golden_rows_operands(c, row[OPERANDS]);
    if (!fault && strtol(row[COUNT], NULL, 10) != c->operands)
        return "has another number of operands than it says";
    return fault;
}

void
golden_einsum(const golden_table *t, golden_report *r)
{
    golden_rows_run(t, r,
                    &(golden_row_layout){.make_case = make_case,
                                         .what = {SUBSCRIPTS, COUNT, OPERANDS},
                                         .status = STATUS,
                                         .result = RESULT,
                                         .tolerance = -1,
                                         .note = NOTE});
}
