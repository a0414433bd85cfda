#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints include/ilex/kinds.h, the prototypes of the functions of whole arrays:
# kinds of nodes that are described by their row in nodes.def alone (form node,
# and later), and the rows of functions.def:
#
#     lib/build/kinds.sh SOURCE_DIRECTORY >include/ilex/kinds.h
#
# tests/elementwise.sh fails when the header is not what this prints.
set -eu
top=${1:-.}
comment=$(cat "$top/lib/base/comment.awk")

cat <<'HEAD'
/* SPDX-License-Identifier: MIT
 *
 * Structural constructors: functions of whole arrays. This file is written by
 * lib/build/kinds.sh of the sources.
 *
 * Axes are text: a name, "I", or a number from either end, "-1". Bounds are
 * text, affine in sizes: "n-1". NULL operands give NULL, poison gives poison.
 * Operands stay the caller's; the result belongs to the current scope. Context
 * thread.
 */
#ifndef ILEX_KINDS_H
#define ILEX_KINDS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
HEAD

# prototypes FORM TABLE
prototypes() {
    ${AWK:-awk} -v form="$1" "$comment"'
BEGIN {
    c["AXIS"] = c["LIN"] = c["SET"] = c["PLACES"] = c["PAIRS"] = "const char *"
    c["SHAPE"] = c["WORD"] = "const char *"
    c["AXES"] = "const int *"
    c["INTS"] = "const int64_t *"
    c["LINS"] = "const char *const *"
    c["INT"] = "int64_t "
    c["VALUE"] = "ilex_array *"
    c["DTYPE"] = "ilex_dtype "
}
# The type in C of an attribute that may be missing in text, or not.
function c_type(attribute) {
    sub(/^MAY_/, "", attribute)
    return c[attribute]
}
# Prints the prototype, with a line broken where .clang-format breaks it.
function prototype(head, parameters, n,    k, line, indent) {
    line = head
    indent = sprintf("%" length(head) "s", "")
    for (k = 1; k <= n; k++) {
        if (k > 1 && length(line parameters[k]) + (k < n ? 2 : 3) > 80) {
            print line
            line = indent
        } else if (k > 1) {
            line = line " "
        }
        line = line parameters[k] (k < n ? "," : ");")
    }
    print line
}
function finish(    field, n, k, name, names, meaning, parameters, m, rest) {
    match(record, /"([^"\\]|\\.)*", A[0-9]\(/)
    meaning = substr(record, RSTART + 1, RLENGTH - 7)
    rest = substr(record, RSTART + RLENGTH)
    sub(/\)\)$/, "", rest)
    gsub(/\\"/, "\"", meaning)
    match(record, /, \([a-z_, ]*\)/)
    names = substr(record, RSTART + 3, RLENGTH - 4)
    record = substr(record, 1, RSTART - 1) substr(record, RSTART + RLENGTH)
    n = split(record, field, /[(,][ \t]*/)
    if (field[1] == "IX_FUNCTION") { # as a row of nodes.def
        field[9] = "node"
        field[8] = field[5]
        field[4] = field[3]
        field[3] = field[2]
    }
    if (field[9] != form)
        return
    if (form == "later")
        meaning = field[4] ": " meaning
    gsub(/^"|"$/, "", field[4])
    m = 0
    if (field[8] == "0") {
        parameters[++m] = "ilex_context *ctx"
    } else if (names != "") {
        n = split(names, name, /, */)
        for (k = 1; k <= n; k++)
            parameters[++m] = "ilex_array *" name[k]
    } else {
        parameters[++m] = "ilex_context *ctx"
        parameters[++m] = "int count"
        parameters[++m] = "ilex_array *const *operands"
    }
    n = split(rest, attribute, /,[ \t]*/)
    for (k = 1; k + 1 <= n; k += 2)
        parameters[++m] = c_type(attribute[k]) attribute[k + 1]
    print ""
    comment(meaning)
    prototype("ILEX_API ilex_array *ilex_" field[3] "(", parameters, m)
}
/^IX_(NODE|FUNCTION)\(/ || record != "" {
    line = $0
    sub(/^[ \t]+/, "", line)
    record = record (record == "" ? "" : " ") line
    if (line ~ /\)\)$/) {
        finish()
        record = ""
    }
}
' "$top/$2"
}

prototypes node lib/graph/nodes.def
prototypes node lib/build/functions.def
cat <<'LATER'

/* ---- kinds that this version does not have ----
 *
 * With a context they report ILEX_E_UNSUPPORTED and return poison (an
 * operand's poison without a new error). What else they take comes with them.
 */
LATER
prototypes later lib/graph/nodes.def
cat <<'TAIL'

#ifdef __cplusplus
}
#endif
#endif
TAIL
