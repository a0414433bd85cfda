#!/bin/sh
# SPDX-License-Identifier: MIT
#
# An Ilex that was installed, as projects with CMake find it: versions, the
# target Ilex::ilex, libraries of programs for several processors, for another
# machine, and in CUDA, whose compiler is looked at and not run.
set -eu
command -v cmake >/dev/null || { echo "no cmake"; exit 77; }
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"
: "${NM:=nm}"
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

# A project with such a library, and a program if "$2" is "program".
library() {
    project library <<END
find_package(Ilex 0.1 REQUIRED)
ilex_add_library(programs SOURCES ../axpy.ilx PREFIX my $1)
END
    [ "${2:-}" != program ] || cat >>library/CMakeLists.txt <<'END'
add_executable(main ../main.c)
target_link_libraries(main programs)
END
}
library '' program
configured library
good --build library/b
library/b/main
if [ "$(uname -m)" = x86_64 ]; then
    library 'TARGETS generic avx2' program
    configured library
    good --build library/b
    library/b/main
    $NM library/b/libprograms.a | grep my_axpy_for_avx2 >/dev/null
fi
library 'OPTIONS --language cuda'
refused library 'LANGUAGE c.cuda'

# Another machine: its compiler, and nothing of this one's but ilexc.
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null; then
    mkdir empty
    cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $cross)
set(CMAKE_FIND_ROOT_PATH $PWD/empty)
foreach(kind LIBRARY INCLUDE)
    set(CMAKE_FIND_ROOT_PATH_MODE_\${kind} ONLY)
endforeach()
END
    library ''
    echo 'if(TARGET Ilex::ilex)
    message(FATAL_ERROR "the library of this machine")
endif()' >>library/CMakeLists.txt
    configured library -DCMAKE_TOOLCHAIN_FILE="$PWD/toolchain.cmake"
    good --build library/b
    readelf -h library/b/libprograms.a | grep -q AArch64
    library 'TARGETS generic avx2'
    configured library -DCMAKE_TOOLCHAIN_FILE="$PWD/toolchain.cmake"
    ! cmake --build library/b >log 2>&1
    grep 'E105.*compiles for aarch64' log >/dev/null || { cat log; exit 1; }
else
    echo "no $cross: cross builds are not tried"
fi

# A compiler of CUDA that notes what it is asked for and makes an empty object.
real=$(command -v "${CC##* }")
cat >nvcc-noted <<END
#!/bin/sh
echo "\$@" >>$PWD/noted
while [ "\$1" != -o ]; do shift; done
exec $real -c -x c /dev/null -o "\$2"
END
chmod +x nvcc-noted
library 'LANGUAGE cuda TARGETS sm_80 sm_90'
configured library -DCMAKE_CUDA_COMPILER="$PWD/nvcc-noted"
good --build library/b
[ -s library/b/programs.ilex/my_axpy.cu ]
grep -e '-fmad=false.*arch=compute_80,code=sm_80.*code=sm_90.*-c my_axpy.cu' \
    noted >/dev/null || { cat noted; exit 1; }
