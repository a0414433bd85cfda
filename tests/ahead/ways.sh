#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One checksum of all ways to run a program: a stencil with a halo, reductions
# of rows, lengths that are counted and a contraction, as C, C++, Fortran and
# Python, with CMake, for another processor, with another C library, and by the
# back ends of `ilexc run`. A way whose tools are not here is left out with a
# word.
# shellcheck disable=SC2086 # flags are several words
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
: "${FC:=gfortran}" "${CXX:=c++}"
python=${PYTHON:-python3}
cross=aarch64-linux-gnu-gcc
emulator=qemu-aarch64-static
ways=$top/tests/ahead/ways
programs="$top/examples/hdiff.ilx $top/examples/peaks.ilx
    $top/examples/aot/norms.ilx $top/examples/aot/matmul.ilx"
warnings='-Wall -Wextra -pedantic -Werror'
want=

# Are the tools of way "$1" here?
has() {
    way=$1
    shift
    for tool in "$@"
    do
        command -v "$tool" >/dev/null 2>&1 ||
            { echo "$way: left out, no $tool"; return 1; }
    done
}

# The way "$1" is the command that follows: it prints the checksum, which the
# first way fixes.
way() {
    name=$1
    shift
    count=$((count + 1))
    said=$("$@" 2>log) || { complain "$name: $(cat log)"; return; }
    : "${want:=$said}"
    echo "$name: $said"
    [ "$said" = "$want" ] || complain "$name: not $want"
}

# ---- as C is compiled ----------------------------------------------------------

good "$ilexc" compile $programs --prefix ways -o c
sources="$ways.c $(echo c/*.c)"
good $CC -std=c99 -O2 $warnings -Ic $sources -lm -o in_c
way C ./in_c
if has C++ "${CXX%% *}"; then
    good $CXX -x c++ -std=c++11 -O2 $warnings -Ic $sources -lm -o in_cxx
    way C++ ./in_cxx
fi
if has 'static musl' musl-gcc; then
    good musl-gcc -std=c99 -O2 -static -Ic $sources -lm -o in_musl
    way 'static musl' ./in_musl
fi
if [ "$(uname -sm)" = 'Linux x86_64' ]; then
    good "$ilexc" compile $programs --prefix ways -o alone --freestanding
    good $CC -std=c99 -O2 -DALONE -ffreestanding -nostdlib -static \
        -fno-math-errno -fno-stack-protector -fno-builtin -Ialone "$ways.c" \
        alone/*.c -o in_nothing
    way 'no C library' ./in_nothing
else
    echo 'no C library: left out, start code is for Linux on x86-64'
fi

# ---- other languages -----------------------------------------------------------

if has Fortran "${FC%% *}"; then
    good "$ilexc" compile $programs --prefix ways -o f --fortran --object \
        --cflags -O2
    good $FC -std=f2008 -Wall -Werror -O1 -J f f/*.f90 "$ways.f90" f/ways.o \
        -lm -o in_fortran
    way Fortran ./in_fortran
fi
if has Python "$python"; then
    good "$ilexc" compile $programs --prefix ways -o p --python --shared \
        --cflags -O1
    way Python env PYTHONPATH=p "$python" "$ways.py" module
fi

# ---- CMake ---------------------------------------------------------------------

cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(ways C)
find_package(Ilex REQUIRED)
ilex_add_library(programs PREFIX ways SOURCES $programs)
add_executable(in_cmake "$ways.c")
target_link_libraries(in_cmake programs)
END
# Builds it in "$1", with more options.
by_cmake() {
    build=$1
    shift
    good cmake -S . -B "$build" -DILEXC="$ilexc" -DIlex_DIR="$top/cmake" \
        -DCMAKE_BUILD_TYPE=Release "$@"
    good cmake --build "$build"
}
if has CMake cmake; then
    by_cmake native
    way CMake native/in_cmake
fi
if has 'CMake for another processor' cmake $cross $emulator; then
    by_cmake foreign -DCMAKE_TOOLCHAIN_FILE="$top/tests/ahead/aarch64.cmake" \
        -DCMAKE_EXE_LINKER_FLAGS=-static
    way 'CMake for another processor' $emulator foreign/in_cmake
fi

# ---- by the library ------------------------------------------------------------

at_run_time() {
    run="$ilexc run --jit=$1"
    $run "$top/examples/hdiff.ilx" --in u=@hdiff_u.npy,halo=file \
        --in coeff=@hdiff_coeff.npy --out v=@hdiff_v.npy &&
    $run "$top/examples/aot/norms.ilx" --in a=@norms_a.npy \
        --out largest=@norms_largest.npy --out square=@norms_square.npy &&
    $run "$top/examples/peaks.ilx" --in h=@peaks_h.npy --in level=constant:3 \
        --out row=@peaks_row.npy --out column=@peaks_column.npy \
        --out height=@peaks_height.npy &&
    $run "$top/examples/aot/matmul.ilx" --in a=@matmul_a.npy \
        --in b=@matmul_b.npy --out c=@matmul_c.npy &&
    "$python" "$ways.py" read
}
if has 'back ends' "$python"; then
    good "$python" "$ways.py" write
    for jit in reference tcc cc
    do
        if "$ilexc" list backends | grep -qE "^$jit +(built in|found)"; then
            way $jit at_run_time $jit
        else
            echo "$jit: left out, it was not built"
        fi
    done
fi

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
