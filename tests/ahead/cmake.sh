#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ilex_add_library of CMake: several programs are one call of ilexc and one
# library, of which a change builds what it changes; for another processor, for
# several targets, and in CUDA, whose compiler is looked at and not run.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
: "${NM:=nm}"
command -v cmake >/dev/null || { echo "no cmake"; exit 77; }
# Of a surrounding make nothing is for the project's.
unset MAKEFLAGS MFLAGS MAKELEVEL VERBOSE

cat >twice.ilx <<'END'
ilex 1
program called_otherwise
size n
in x : f64[n]
out y : f64[n] = 2.0*x
END
cat >around.ilx <<'END'
ilex 1
program around
size n
in x : f64[I:n] halo(I:1:1)
out y : f64[I:n] = x[I-1] + x[I+1]
END
both='SOURCES ../twice.ilx ../around.ilx'

# Writes the project "$1" with a library (the words behind "$2"), and a program
# that calls it, where functions begin with "$2".
project() {
    name=$1
    prefix=$2
    shift 2
    rm -rf "$name"
    mkdir "$name"
    cat >"$name/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project($name C)
find_package(Ilex REQUIRED)
ilex_add_library(programs $*)
add_executable(main main.c)
target_link_libraries(main programs)
END
    sed "s/PREFIX_/$prefix/g" >"$name/main.c" <<'END'
#include "PREFIX_around.h"
#include "PREFIX_twice.h"
#include <stdio.h>
int main(void)
{
    double x[4] = {1, 2, 3, 4}, y[4], z[2];
    if (PREFIX_twice_dense(4, x, y) || PREFIX_around_dense(2, y, z))
        return 1;
    printf("%g %g\n", z[0], z[1]);
    return 0;
}
END
}

configured() {
    name=$1
    shift
    good cmake -S "$name" -B "$name/b" -DILEXC="$ilexc" \
        -DIlex_DIR="$top/cmake" "$@"
}

# Builds "$1": of these files objects are made.
builds() {
    good cmake --build "$1/b"
    count=$((count + 1))
    made=$(grep -o 'Building C object [^ ]*' log | sed 's,.*/,,; s,[.]o$,,' |
        sort | tr '\n' ' ')
    [ "${made% }" = "$2" ] || complain "$1 builds '$made', not '$2'"
}

# The program "$1" prints "$2", with the words behind it in front.
prints() {
    program=$1
    want=$2
    shift 2
    count=$((count + 1))
    said=$("$@" "$program") || complain "$program fails"
    [ "$said" = "$want" ] || complain "$program prints $said, not $want"
}

refused() {
    count=$((count + 1))
    cmake -S "$1" -B "$1/b" -DILEXC="$ilexc" -DIlex_DIR="$top/cmake" \
        >log 2>&1 && complain "$1 is taken"
    grep -q 'ilex_add_library(target SOURCES' log || complain "$(cat log)"
}

# ---- what is built, and again ----------------------------------------------------

rebuilds() {
    project several "$1" "$both $2"
    configured several -G "$3"
    builds several "$4"
    prints several/b/main '8 12'
    builds several ''
    cp twice.ilx kept
    sleep 1 # times of files are seconds somewhere
    sed 's/2.0/3.0/' kept >twice.ilx
    builds several "$1twice.c"
    prints several/b/main '12 18'
    sleep 1
    touch twice.ilx
    builds several ''
    builds several ''
    cp kept twice.ilx
}
rebuilds my_ 'PREFIX my' 'Unix Makefiles' \
    'main.c my_around.c my_support.c my_twice.c'
if command -v ninja >/dev/null; then
    rebuilds '' '' Ninja 'around.c main.c twice.c twice_support.c'
else
    echo "no ninja: only make is tried"
fi
project single my_ SOURCES ../twice.ilx PREFIX my
configured single
good cmake --build single/b --target programs
count=$((count + 1))
said=$(cd single/b/programs.ilex && echo my_*)
[ "$said" = 'my_twice.c my_twice.h my_twice.json my_twice.stamp' ] ||
    complain "one program is $said"

# ---- objects ---------------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
    for prefix in '' my_
    do
        project objects "$prefix" \
            "$both TARGETS generic avx2 ${prefix:+PREFIX my}"
        configured objects
        builds objects main.c
        prints objects/b/main '8 12'
        $NM objects/b/libprograms.a | grep -q "${prefix}around_for_avx2" ||
            complain "there is no code for avx2"
        builds objects ''
    done
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
project cuda my_ "$both PREFIX my LANGUAGE cuda TARGETS sm_80 sm_90"
configured cuda -DCMAKE_CUDA_COMPILER="$PWD/nvcc-noted"
good cmake --build cuda/b --target programs
count=$((count + 1))
grep -q -e '-fmad=false.*arch=compute_80,code=sm_80.*code=sm_90.*-c my_twice.cu' \
    noted || complain "nvcc is asked $(cat noted)"

for options in '--language cuda' '--prefix=p' --shared
do
    project wrong my_ "$both OPTIONS $options"
    refused wrong
done

# ---- another processor -----------------------------------------------------------

if command -v aarch64-linux-gnu-gcc >/dev/null; then
    toolchain=-DCMAKE_TOOLCHAIN_FILE=$top/tests/ahead/aarch64.cmake
    project foreign '' "$both"
    configured foreign "$toolchain" -DCMAKE_EXE_LINKER_FLAGS=-static
    builds foreign 'around.c main.c twice.c twice_support.c'
    if command -v qemu-aarch64-static >/dev/null; then
        prints foreign/b/main '8 12' qemu-aarch64-static
    else
        echo "no qemu-aarch64-static: what is built for it is not run"
    fi
    project foreign '' "$both TARGETS generic avx2"
    configured foreign "$toolchain"
    count=$((count + 1))
    cmake --build foreign/b >log 2>&1 && complain "aarch64 has avx2"
    grep -q 'E105.*compiles for aarch64' log || complain "$(cat log)"
else
    echo "no aarch64-linux-gnu-gcc: no other processor is tried"
fi

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
