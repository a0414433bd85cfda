#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc compile --language cuda`: NAME.cu is source that compilers of CUDA take
# (clang++, where it is, reads it as such), and over the stand-in of shim/ gives
# the bits of the same program in C (grid_main.cc): also where a run counts
# lengths or calls functions (grid_phases.cc), where sizes are known
# (grid_variants.cc), and in libraries (grid_library.cc), which nvcc builds where
# it is and something in its place does here. So do random programs of
# ahead_main.c, beside the reference.
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

# "$1".cu: it needs no more than its header, and has names of its own alone.
check_source() {
    good $CC -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c $1.h
    good $CXX -std=c++17 -Wall -Wextra -Wno-unused-parameter -Wno-unknown-pragmas \
        -Wno-missing-field-initializers -Werror ${SANITIZE_FLAGS:-} -O1 \
        -ffp-contract=off -I"$shim" -x c++ -c $1.cu -o gpu_$1.o
    # the language itself: qualifiers, launches, what hosts and devices may call
    command -v clang++ >/dev/null 2>&1 &&
        good clang++ -std=c++17 -x cuda --cuda-host-only -nocudainc -nocudalib \
            -fsyntax-only -I"$shim" $1.cu
    stray=$(${NM:-nm} -g --defined-only gpu_$1.o | awk 'NF == 3 && $2 != "V" && $2 != "W" && $2 != "u" { print $3 }' |
        grep -vE "^${1}(_|\$)")
    [ -z "$stray" ] || complain "$1.cu defines" $stray
}

# Runs test "$1" over the programs in the other arguments.
over_stand_in() {
    test=$1
    shift
    objects=
    for name in "$@"
    do
        objects="$objects gpu_$name.o cpu_${name#fixed_}.o"
    done
    good $CXX -std=c++17 -Wall -Wextra -Werror -O1 ${SANITIZE_FLAGS:-} -I. \
        -I"$top/tests/ahead" -I"$shim" "$top/tests/ahead/$test.cc" \
        "$shim/runtime.cc" $objects -lm -o $test
    good ./$test
    cat log
}

# ---- the same as in C --------------------------------------------------------------

# Arguments of its kernel are too many to go by value.
{
    printf 'ilex 1\nprogram many\nsize n\n'
    seq 1 100 | sed 's/.*/in x& : f64[n, n, n, n, n]/'
    printf 'out y : f64[n, n, n, n, n] = 0.5'
    seq 1 100 | sed 's/.*/ + &*x&/' | tr -d '\n'
    echo
} >many.ilx
{
    printf '#define MANY_SET(a, x)'
    seq 1 100 | sed 's/.*/ a.x&.data = x + &;/' | tr -d '\n'
    echo
} >many_set.h

plain='hdiff thomas axpy norms matmul normalise pick sized'
phases='peaks foreign elementwise'
for program in "$top"/examples/hdiff.ilx "$top"/examples/thomas.ilx \
    "$top"/examples/axpy.ilx "$top"/examples/aot/norms.ilx \
    "$top"/examples/aot/matmul.ilx "$top"/examples/aot/normalise.ilx \
    "$top"/tests/ahead/pick.ilx "$top"/tests/ahead/sized.ilx \
    "$top"/examples/peaks.ilx \
    "$top"/tests/stages/foreign.ilx "$top"/tests/stages/elementwise.ilx many.ilx
do
    name=$(basename "$program" .ilx)
    good "$ilexc" compile "$program" -o . --language cuda
    good "$ilexc" compile "$program" -o . --prefix "cpu_$name"
    good $CC -std=c99 -O1 -c "cpu_$name.c"
done
[ -e hdiff.c ] && complain "hdiff.c beside hdiff.cu"
grep -q '"language": "cuda"' hdiff.json || complain "hdiff.json: language"
for name in $plain $phases
do
    check_source $name
done
over_stand_in grid_main $plain
over_stand_in grid_phases $phases

# ---- sizes that are known ----------------------------------------------------------

good "$ilexc" compile "$top/examples/hdiff.ilx" -o . --language cuda \
    --prefix fixed_hdiff --size ni=12,nj=10,nk=8 --size nk=8
good "$ilexc" compile "$top/examples/aot/normalise.ilx" -o . --language cuda \
    --prefix fixed_normalise --size n=16,m=24
good "$ilexc" compile "$top/tests/ahead/pick.ilx" -o . --language cuda \
    --prefix fixed_pick --size n=5,m=8
good "$ilexc" compile many.ilx -o . --language cuda --prefix fixed_many --size n=3
grep -q 'k0_args \*const args' fixed_many.cu || complain "many: arguments go by value"
for name in fixed_hdiff fixed_normalise fixed_pick fixed_many
do
    # functions that start kernels of variants say so
    awk '
        NR == 1 { print "extern int ilex_taken[];" }
        /^ilex_start_[0-9]+_fixed_[0-9]+\(/ { split($1, word, /[_(]/) }
        { print }
        /^\{/ && word[5] {
            printf "    ilex_taken[%d]++;\n", word[5]
            word[5] = 0
        }' $name.cu >counted && mv counted $name.cu
    check_source $name
done
over_stand_in grid_variants fixed_hdiff fixed_normalise fixed_pick fixed_many

# ---- random programs ---------------------------------------------------------------

random=${ilexc%/*}/tests/ahead/ahead
if [ -x "$random" ]
then
    export CC CXX
    good "$random" --cuda="$shim" --count=12 --flags=-O0
    cat log
fi

# ---- libraries ---------------------------------------------------------------------

mkdir cuda
sed "s|^shim=SHIM|shim='$shim'|; s|CXX_OF_STAND_IN -std|$CXX ${SANITIZE_FLAGS:-} -std|" \
    "$shim/nvcc" >cuda/nvcc && chmod +x cuda/nvcc
build() {
    good "$ilexc" compile "$top/tests/ahead/pick.ilx" "$top/tests/ahead/grow.ilx" \
        --prefix all -o . --language cuda --cc "$dir/cuda/nvcc" "$@"
    stray=$(ls -- *.part.o 2>/dev/null)
    [ -z "$stray" ] || complain "$*: leaves" $stray
}
library() {
    good $CXX -std=c++17 -O1 ${SANITIZE_FLAGS:-} -I. -I"$top/tests/ahead" -I"$shim" \
        "$top/tests/ahead/grid_library.cc" "$shim/runtime.cc" "$@" -o library
    good env LD_LIBRARY_PATH=. ./library
}
called() {
    count=$((count + 1))
    grep -q -e "$1" cuda/nvcc.log || complain "nvcc is called otherwise than by $1"
}
build --shared --cflags '-O1 -g' --target sm_80,sm_90a
stray=$(${NM:-nm} -D --defined-only liball.so | awk 'NF == 3 && $2 == "T" { print $3 }' |
    grep -v '^all_' | grep -vE '^_(init|fini|Z)')
[ -z "$stray" ] || complain "liball.so exports" $stray
library -L. -lall
called ' -fmad=false .*-Xcompiler=-O1 -Xcompiler=-g '
called ' -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a -gencode=arch=compute_90a,code=compute_90a '
build --static
library ./liball.a
build --object
library all.o
called '^-O3 .*-c all_pick.cu -o all_pick.part.o$'
refused 'E701.*nvcc, which is not at /none/nvcc' --language cuda --shared --cc /none/nvcc
refused 'E101.*avx2. are no architectures of CUDA, for example sm_80' \
    --language cuda --shared --target generic,avx2
refused 'E101.*no architectures' --language cuda --shared --target sm_80,
refused 'E101.*no architectures' --language cuda --shared --target sm_80x
refused 'E101.*targets are for libraries' --language cuda --target sm_80

# The nvcc that configure saw, or the usual one.
count=$((count + 1))
if "$ilexc" compile "$top/tests/ahead/pick.ilx" -o . --language cuda --shared >log 2>&1
then
    stray=$(${NM:-nm} -D --defined-only libpick.so | awk 'NF == 3 && $2 == "T" { print $3 }' |
        grep -vE '^(pick(_|$)|_init$|_fini$)')
    [ -z "$stray" ] || complain "libpick.so exports" $stray
else
    grep -q 'E701.*libraries of CUDA are built by nvcc' log ||
        complain "without nvcc: $(cat log)"
fi

# ---- the rest ----------------------------------------------------------------------

# Kernels are the same however they are asked for.
count=$((count + 1))
"$ilexc" emit "$top/examples/hdiff.ilx" --cuda | sed -n '/^k0_body/,/^}/p' >emitted
sed -n '/^k0_body/,/^}/p' hdiff.cu | cmp - emitted || complain "another kernel"

count=$((count + 1))
"$ilexc" compile "$top/tests/stages/elementwise.ilx" -o . --language cuda --object >log 2>&1 &&
    complain "a library leaves functions of the device to others"
grep -q 'E105.*eos is a function of the device' log || complain "eos: $(cat log)"
# Functions may be called as variables of kernels are, but not as CUDA's own.
for name in t0 a normcdf rsqrtf threadIdx
do
    sed "s/eos/$name/g" "$top/tests/stages/elementwise.ilx" >named.ilx
    count=$((count + 1))
    if "$ilexc" compile named.ilx -o . --language cuda --prefix named >log 2>&1
    then
        case $name in t0 | a) ;; *) complain "a function may be called $name" ;; esac
        good $CXX -std=c++17 -w -fsyntax-only -I"$shim" -x c++ named.cu
    else
        grep -q "E102.*calls $name, a name" log || { complain "$name"; cat log; }
        case $name in t0 | a) complain "no function may be called $name" ;; esac
    fi
done
refused 'E105.*hdiff: there are no modules in Fortran for CUDA' --language cuda --fortran
refused 'c or cuda' --language opencl

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
