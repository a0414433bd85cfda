/* SPDX-License-Identifier: MIT
 *
 * Source text of operators and conversions: the cells of operators.def and
 * casts.def as strings. lib/ops/eval.c compiles the same cells.
 */
#include "lib/ops/dtype.h"
#include "lib/ops/op.h"

#define E(...)                                                                 \
    {                                                                          \
        IX_CODE_EXPR, #__VA_ARGS__, NULL                                       \
    }
#define V(...) E(__VA_ARGS__)
#define P(re, im)                                                              \
    {                                                                          \
        IX_CODE_PAIR, #re, #im                                                 \
    }
#define C(...)                                                                 \
    {                                                                          \
        IX_CODE_CALL_PAIR, #__VA_ARGS__, NULL                                  \
    }
#define N                                                                      \
    {                                                                          \
        IX_CODE_NONE, NULL, NULL                                               \
    }

enum {
    COL_BOOL,
    COL_SIGNED,
    COL_UNSIGNED,
    COL_REAL,
    COL_COMPLEX,
    COL_HALF,
    COLUMNS
};

static const ix_code_template on_op[IX_NOPERATORS][COLUMNS] = {
#define IX_OPERATOR(ENUM, name, arity, infix, precedence, rule, laws, ulp,     \
                    on_bool, on_int, on_real, on_complex, doc)                 \
    {on_bool, on_int, on_int, on_real, on_complex, on_real},
#include "lib/ops/operators.def"
};

enum {
#define IX_CAST(FROM, ...) FROM_##FROM,
#define IX_CAST_TEXT IX_CAST
#include "lib/ops/casts.def"
    FROMS
};

static const ix_code_template on_cast[FROMS][COLUMNS] = {
#define IX_CAST(FROM, ...) {__VA_ARGS__},
#define IX_CAST_TEXT IX_CAST
#include "lib/ops/casts.def"
};

static const ix_code_template none = N;

/* The column of a dtype's kind; COLUMNS for a value outside the enum. */
static int
column_of(ilex_dtype dtype)
{
    static const char kinds[] = "biufc";
    const char *k = strchr(kinds, ix_dtype_kind(dtype));
    if (ix_dtype_is_half(dtype))
        return COL_HALF;
    return k && *k ? (int)(k - kinds) : COLUMNS;
}

ix_code_template
ix_op_template(ix_op op, ilex_dtype loop)
{
    int column = column_of(loop);
    if (column == COL_HALF && !ix_op_takes_half(op))
        return none;
    return (unsigned)op < IX_NOPERATORS && column < COLUMNS ? on_op[op][column]
                                                            : none;
}

/* The row of casts from a dtype; FROMS for a value outside the enum. */
static int
row_of(ilex_dtype dtype)
{
    static const int rows[COLUMNS + 1] = {
        FROM_BOOL,    FROM_SIGNED, FROM_UNSIGNED, FROM_REAL,
        FROM_COMPLEX, FROM_BF16,   FROMS};
    return dtype == ILEX_F16   ? FROM_F16
           : dtype == ILEX_F32 ? FROM_SINGLE
                               : rows[column_of(dtype)];
}

ix_code_template
ix_cast_template(ilex_dtype from, ilex_dtype to)
{
    static const ix_code_template same = E(x), same_pair = P(xr, xi);
    int row = row_of(from), column = column_of(to);
    if (row >= FROMS || column >= COLUMNS)
        return none;
    if (from == to)
        return ix_dtype_is_complex(to) ? same_pair : same;
    return on_cast[row][column];
}
