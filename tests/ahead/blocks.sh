#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Blocks of contractions ahead of time: whatever processor they are for, blocks.c
# gets the bits of loops as they come from the definitions.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"

mkdir 512 256
for dtype in f64 f32
do
    cat >p.ilx <<END
ilex 1
program p
size n, m, k
in a : $dtype[n, k]
in b : $dtype[k, m]
out c = einsum("ik,kj->ij", a, b)
END
    source=512/of_${dtype}s.c
    good "$ilexc" compile p.ilx -o 512 --prefix of_${dtype}s
    good "$ilexc" compile p.ilx -o . --prefix none_${dtype}s --schedule=none
    grep -q "ilex_block_$dtype(.*, rows, s0_1);" $source ||
        complain "$source has no blocks"
    for cc in "$CC -std=c99" 'clang -std=c99' 'g++ -x c++'
    do
        # shellcheck disable=SC2086
        command -v ${cc%% *} >/dev/null 2>&1 &&
            good $cc -Wall -Wextra -Wpedantic -Wconversion -Werror -O1 \
                -fsyntax-only $source
    done
    # as if no processor had AVX-512
    sed 's/__builtin_cpu_supports("avx512f")/0/' $source >256/of_${dtype}s.c
done
for flags in "-O2 ${SANITIZE_FLAGS:-}" '-O1 -DILEX_NO_FMA' '-O2 -march=native'
do
    for width in 512 256
    do
        # shellcheck disable=SC2086
        good $CC -std=gnu99 $flags -I. -I512 "$top/tests/ahead/blocks.c" \
            $width/of_f64s.c $width/of_f32s.c none_f64s.c none_f32s.c -lm -o blocks
        good ./blocks
    done
done
echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
