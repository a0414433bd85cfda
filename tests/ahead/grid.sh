#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc compile --language cuda`: NAME.cu is source that compilers of CUDA take
# (clang++, where it is, reads it as such), and over the stand-in of shim/ gives
# the bits of the same program in C (grid_main.cc).
# shellcheck disable=SC2086 # CC may be several words
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
: "${CXX:=g++}"
echo '#include <tuple>' >empty.cc
"$CXX" -std=c++17 -fsyntax-only empty.cc 2>/dev/null ||
    { echo "skipped: no compiler of C++17"; exit 77; }
shim=$top/tests/ahead/shim

refused() {
    words=$1
    shift
    count=$((count + 1))
    "$ilexc" compile "$top/examples/hdiff.ilx" -o . "$@" >log 2>&1 &&
        complain "$* is taken"
    grep -q "$words" log || { complain "$* is refused otherwise"; cat log; }
}

programs="$top/examples/hdiff.ilx $top/examples/thomas.ilx $top/examples/axpy.ilx
    $top/examples/aot/norms.ilx $top/examples/aot/matmul.ilx
    $top/examples/aot/normalise.ilx $top/tests/ahead/pick.ilx"
for program in $programs
do
    good "$ilexc" compile "$program" -o . --language cuda
    good "$ilexc" compile "$program" -o . --prefix "cpu_$(basename "$program" .ilx)"
done
[ -e hdiff.c ] && complain "hdiff.c beside hdiff.cu"
grep -q '"language": "cuda"' hdiff.json || complain "hdiff.json: language"
for name in hdiff thomas axpy norms matmul normalise pick
do
    good $CC -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c $name.h
    good $CC -std=c99 -O1 -c cpu_$name.c
    # shellcheck disable=SC2086
    good $CXX -std=c++17 -Wall -Wextra -Wno-unused-parameter \
        -Wno-missing-field-initializers -Werror ${SANITIZE_FLAGS:-} -O1 \
        -ffp-contract=off -I"$shim" -x c++ -c $name.cu -o gpu_$name.o
    # the language itself: qualifiers, launches, what hosts and devices may call
    command -v clang++ >/dev/null 2>&1 &&
        good clang++ -std=c++17 -x cuda --cuda-host-only -nocudainc -nocudalib \
            -fsyntax-only -I"$shim" $name.cu
    stray=$(${NM:-nm} -g --defined-only gpu_$name.o | awk 'NF == 3 && $2 != "V" && $2 != "W" && $2 != "u" { print $3 }' |
        grep -vE "^${name}(_|\$)")
    [ -z "$stray" ] || complain "$name.cu defines" $stray
done
# shellcheck disable=SC2086
good $CXX -std=c++17 -Wall -Wextra -Werror -O1 ${SANITIZE_FLAGS:-} -I. -I"$shim" \
    "$top/tests/ahead/grid_main.cc" "$shim/runtime.cc" gpu_*.o cpu_*.o -lm -o grid
good ./grid
cat log

# Kernels are the same however they are asked for.
count=$((count + 1))
"$ilexc" emit "$top/examples/hdiff.ilx" --cuda | sed -n '/^k0_body/,/^}/p' >emitted
sed -n '/^k0_body/,/^}/p' hdiff.cu | cmp - emitted || complain "another kernel"

refused 'E105.*Fortran' --language cuda --fortran
refused 'E105.*sizes' --language cuda --size ni=4
refused 'E105.*nvcc' --language cuda --shared
refused 'c or cuda' --language opencl

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
