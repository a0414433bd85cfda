#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the sizes of files and functions (lines; a function from its name to
# its closing brace) and fails when a file has over 600 lines, a function over
# 80, or more than a tenth of the functions 40 or more. It relies on the
# layout of .clang-format: the name and both braces of a function stand in the
# first column.
# shellcheck disable=SC2016
set -eu
cd "${srcdir:-.}"
LC_ALL=C
export LC_ALL
folders=$(ls -d include lib compiler runtime tests examples bench 2>/dev/null || :)

# shellcheck disable=SC2086
find $folders \
    \( -name '*.c' -o -name '*.h' \) | sort | while read -r file
do
    ${AWK:-awk} '
        /^[A-Za-z_][A-Za-z0-9_ *]*\(/ && !/;$/ {
            start = FNR
            name = $0
            sub(/^START_TEST\(/, "", name)
            sub(/[()].*/, "", name)
            sub(/.*[ *]/, "", name)
        }
        /^}$/ && start { print "function", FNR - start + 1, FILENAME ":" name
                         start = 0 }
        END { print "file", FNR, FILENAME }' "$file"
done | sort -k1,1 -k2,2n | ${AWK:-awk} '
    { n[$1]++; size[$1, n[$1]] = $2; where[$1, n[$1]] = $3 }
    $1 == "function" && $2 < 40 { small++ }
    $1 == "file" && $2 > 600 { print $3 ": " $2 " lines, at most 600"; bad++ }
    $1 == "function" && $2 > 80 { print $3 ": " $2 " lines, at most 80"; bad++ }
    function report(kind,   m)
    {
        m = n[kind]
        if (m)
            printf "%-10s %5d  median %4d  p90 %4d  max %4d  %s\n", kind "s",
                m, size[kind, int((m + 1) / 2)], size[kind, int((9 * m + 9) / 10)],
                size[kind, m], where[kind, m]
    }
    END {
        report("file")
        report("function")
        if (n["function"] && small < 0.9 * n["function"]) {
            printf "only %d of %d functions are under 40 lines, at least 90%%\n",
                small, n["function"]
            bad++
        }
        exit bad != 0
    }'
