#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The text of the elementary functions as other compilers take it: gcc and
# clang, with and without optimisation, for this CPU and for any, compute the
# same bits: a million results a function, or a tenth of that.
set -eu
source=${srcdir:-.}
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-math.XXXXXX")
trap 'rm -rf "$work"' EXIT

# hashes COMPILER COUNT FLAGS... into the file "hashes"
hashes()
{
    compiler=$1 count=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler -std=gnu11 "$@" -ffp-contract=off -w -I"$source" \
        -I"$source/include" -o "$work/hash" "$source/tests/math/hash.c" -lm
    "$work/hash" "$count" >"$work/hashes" || {
        echo "$compiler $*: other bits than functions.def says"
        exit 1
    }
}

hashes "${CC:-cc}" 1000000 -O3 -march=native -fno-math-errno -fno-trapping-math
"$work/hash" 100000 >"$work/few"
for compiler in gcc clang
do
    command -v "$compiler" >/dev/null 2>&1 || continue
    for flags in -O0 -O2 "-O3 -march=native"
    do
        # shellcheck disable=SC2086
        hashes "$compiler" 100000 $flags
        cmp "$work/hashes" "$work/few"
    done
done
