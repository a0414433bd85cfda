/* SPDX-License-Identifier: MIT
 *
 * reduce.tsv: a reduction of an array over a set of axes a row; and judging
 * rows whose result is an array, which einsum.tsv shares.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_rows.h"

enum { ID, OP, AXES, KEEP, INPUT, STATUS, RESULT, TOLERANCE, NOTE };

static ilex_array *
build(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    (void)ctx;
    golden_reducer *reduce = golden_reducer_find(c->text[0]);
    return reduce(x[0], c->text[1], c->flag);
}

/* What is wrong with the row, or NULL: then "c" is its case. */
static const char *
make_case(char **row, golden_case *c)
{
    c->build = build;
    if (!golden_reducer_find(row[OP]))
        return "names an unknown reduction";
    if (strcmp(row[KEEP], "0") && strcmp(row[KEEP], "1"))
        return "has a column keepdims that is neither 0 nor 1";
    c->text[0] = row[OP];
    c->text[1] = row[AXES];
    if (!strcmp(row[AXES], "all"))
        c->text[1] = NULL;
    else if (!strcmp(row[AXES], "-"))
        c->text[1] = "";
    c->flag = row[KEEP][0] == '1';
    c->operands = 1;
    return golden_array_parse(&c->in[0], row[INPUT], strlen(row[INPUT]));
}

void
golden_reduce(const golden_table *t, golden_report *r)
{
    golden_rows_run(t, r,
                    &(golden_row_layout){.make_case = make_case,
                                         .what = {OP, AXES, INPUT},
                                         .status = STATUS,
                                         .result = RESULT,
                                         .tolerance = TOLERANCE,
                                         .note = NOTE});
}
