#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Loops of elementary functions are vectorised (by gcc, for AVX2): the assembly
# of a program of one function multiplies or divides vectors of 32 bytes, and
# calls nothing but what has branches, for arguments beyond the core range.
set -u
LC_ALL=C
export LC_ALL
ilexc=${ILEXC:-$PWD/ilexc}
: "${CC:=cc}"
case $($CC -v 2>&1) in
*'gcc version '*) ;;
*) echo "skipped: $CC is not gcc"; exit 77 ;;
esac
[ "$(uname -m)" = x86_64 ] || { echo "skipped: no x86-64"; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/vectors.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
bad=0
count=0

# try OPERANDS FUNCTION ...: both dtypes
try() {
    operands=$1
    shift
    for function
    do
        for type in f32 f64
        do
            count=$((count + 1))
            printf 'ilex 1\nprogram p\nsize n\nin x : %s[i:n]\nin y : %s[i:n]\nout z = %s(%s)\n' \
                $type $type "$function" "$operands" >"$dir/p.ilx"
            "$ilexc" emit --jit=cc --target=avx2 "$dir/p.ilx" >"$dir/p.c" &&
                $CC -std=gnu11 -O3 -march=x86-64-v3 -ffp-contract=off \
                    -fno-math-errno -fno-trapping-math -fno-strict-aliasing \
                    -w -S "$dir/p.c" -o "$dir/p.s" || bad=$((bad + 1))
            if ! grep -q 'v[md][ui][lv]p[sd].*%ymm' "$dir/p.s"
            then
                echo "$function of $type is not vectorised"
                bad=$((bad + 1))
            fi
        done
    done
}

try x exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan \
    sinh cosh tanh arcsinh arccosh arctanh erf erfc gamma lgamma cbrt
try 'x, y' power arctan2 hypot logaddexp
echo "$count loops, $bad wrong"
[ $bad -eq 0 ]
