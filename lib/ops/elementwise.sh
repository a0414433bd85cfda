#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints include/ilex/elementwise.h, the prototypes of all element-wise
# operators, from the rows of ops.def and the dtype rules of rules.def:
#
#     lib/ops/elementwise.sh SOURCE_DIRECTORY >include/ilex/elementwise.h
#
# tests/elementwise.sh fails when the header is not what this prints.
set -eu
top=${1:-.}
comment=$(cat "$top/lib/base/comment.awk")

cat <<'HEAD'
/* SPDX-License-Identifier: MIT
 *
 * Element-wise operators, a row of ops.def each. This file is written by
 * lib/ops/elementwise.sh of the sources.
 *
 * Each returns a new array whose element is the operator applied to the
 * operands' elements, after broadcasting (by axis name where axes are named,
 * else by position from the right) and conversion to one dtype, as NumPy does.
 * Literals take the other operand's dtype within their kind.
 *
 * Errors: ILEX_E_DTYPE where the operator is not defined for the dtypes;
 * ILEX_E_SHAPE, ILEX_E_UNDECIDED from broadcasting. Operands stay the
 * caller's; the result belongs to the current scope. Context thread.
 */
#ifndef ILEX_ELEMENTWISE_H
#define ILEX_ELEMENTWISE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
HEAD

${AWK:-awk} "$comment"'
# The string literals of "record", joined.
function strings(record,    text) {
    text = ""
    while (match(record, /"[^"]*"/)) {
        text = text substr(record, RSTART + 1, RLENGTH - 2)
        record = substr(record, RSTART + RLENGTH)
    }
    return text
}
# The string literal that ends "record".
function last_string(record) {
    match(record, /"[^"]*"\)$/)
    return substr(record, RSTART + 1, RLENGTH - 3)
}
function prototype(name, arity,    parameters, line) {
    parameters = "ilex_array *x"
    if (arity > 1) parameters = parameters ", ilex_array *y"
    if (arity > 2) parameters = parameters ", ilex_array *z"
    line = "ILEX_API ilex_array *ilex_" name "("
    if (length(line parameters) > 77)
        line = line "\n    "
    print line parameters ");"
}
function finish(    field) {
    split(record, field, /[(,][ \t]*/)
    if (record ~ /^IX_RULE/) {
        rule_doc[field[2]] = strings(record)
    } else {
        print ""
        split(record, field, /,[ \t]*/)
        comment(last_string(record) " " rule_doc[rule_of(record)])
        prototype(field[2], field[3])
    }
    record = ""
}
# The sixth column; the fourth may be a string but never holds a comma.
function rule_of(record,    field) {
    split(record, field, /,[ \t]*/)
    return field[6]
}
/^\/\* ---- / && record == "" { print "\n" $0 }
/^(ILEX_OP|IX_RULE)\(/ || record != "" {
    line = $0
    sub(/^[ \t]+/, "", line)
    record = record (record == "" ? "" : " ") line
    if (line ~ /"\)$/) finish()
}
' "$top/lib/ops/rules.def" "$top/include/ilex/ops.def"

cat <<'TAIL'

#ifdef __cplusplus
}
#endif
#endif
TAIL
