#!/bin/sh
# SPDX-License-Identifier: MIT
#
# An Ilex that was installed, as projects with CMake find it: versions, the
# target Ilex::ilex, which is none for another machine, a library of programs
# (tests/ahead/cmake.sh tries what else these are).
set -eu
command -v cmake >/dev/null || { echo "no cmake"; exit 77; }
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"
mkdir "$root/work"
cd "$root/work"
cp "$srcdir/examples/axpy.c" "$srcdir/examples/axpy.ilx" .
cat >main.c <<'END'
#include "my_axpy.h"
int main(void)
{
    double x[2] = {1, 2}, y[2] = {10, 20}, z[2];
    return my_axpy_dense(2, 3, x, y, z) || z[1] != 26;
}
END

# Writes the project "$1" whose lines are the standard input's.
project() {
    rm -rf "$1"
    mkdir "$1"
    {
        printf 'cmake_minimum_required(VERSION 3.10)\nproject(%s C)\n' "$1"
        cat
    } >"$1/CMakeLists.txt"
}

# Runs cmake in the way "$@"; what it says is shown if it fails.
good() {
    cmake "$@" >log 2>&1 || { echo "cmake $*:"; cat log; exit 1; }
}
configured() {
    name=$1
    shift
    good -S "$name" -B "$name/b" -DCMAKE_PREFIX_PATH="$prefix" "$@"
}
refused() {
    ! cmake -S "$1" -B "$1/b" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 ||
        { echo "$1 is taken"; exit 1; }
    grep -e "$2" log >/dev/null || { echo "$1: no '$2'"; cat log; exit 1; }
}

# ---- versions, and the library ----

for version in 0.2 0.1.99 1
do
    echo "find_package(Ilex $version REQUIRED)" | project newer
    refused newer 'IlexConfig.cmake, version: 0.1.0'
done
project use <<'END'
find_package(Ilex 0.1 REQUIRED)
add_executable(use ../axpy.c)
target_link_libraries(use Ilex::ilex)
END
configured use -DCMAKE_C_FLAGS="$SANITIZE_FLAGS"
good --build use/b
use/b/use >said
[ ! -e "$libdir/libilex.a" ] || [ -n "$SANITIZE_FLAGS" ] || {
    rm -rf use/b
    configured use -DIlex_LIBRARY="$libdir/libilex.a"
    good --build use/b
    use/b/use | cmp - said
}

# ---- libraries of programs ----

project library <<END
find_package(Ilex 0.1 REQUIRED)
ilex_add_library(programs SOURCES ../axpy.ilx PREFIX my)
if(NOT CMAKE_CROSSCOMPILING)
    add_executable(main ../main.c)
    target_link_libraries(main programs)
elseif(TARGET Ilex::ilex)
    message(FATAL_ERROR "the library of this machine")
endif()
END
configured library
good --build library/b
library/b/main
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    rm -rf library/b
    configured library \
        -DCMAKE_TOOLCHAIN_FILE="$srcdir/tests/ahead/aarch64.cmake"
else
    echo "no aarch64-linux-gnu-gcc: cross builds are not tried"
fi
