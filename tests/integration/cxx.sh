#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of README.md and doc/tutorial.md are C, and C++11, C++17 and
# C++20 for g++ and clang++: they compile without a warning and print the same.
# What README.md's program prints is said there.
set -eu
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"
ls "$libdir"/libilex.so* >/dev/null 2>&1 || { echo "no shared library"; exit 77; }
mkdir "$root/work"
cd "$root/work"

# Of README.md the first program, of the tutorial all files.
awk '/^```c$/ { c = 1; next } c && /^```/ { exit } c' \
    "$srcdir/README.md" >hello.c
awk '/^```/ { if (file) close(file)
              file = $1 ~ /^```(c|ilex)$/ ? $2 : ""
              next }
     file { print >file }' "$srcdir/doc/tutorial.md"
ilexc compile heat.ilx -o made

# Builds all programs with the compiler "$2 $3 ..." and runs them; what they
# print is in the folder "$1".
build() {
    out=$1
    shift
    mkdir "$out"
    for source in *.c
    do
        name=${source%.c}
        also=
        [ "$name" != ahead ] || also=made/heat.c
        # shellcheck disable=SC2046,SC2086
        "$@" $SANITIZE_FLAGS -O2 -Wall -Werror -Imade "$source" $also \
            $($PKG_CONFIG --cflags --libs ilex) -o "$root/$name"
        "$root/$name" >"$out/$name" 2>&1 || {
            echo "$name failed:"
            cat "$out/$name"
            exit 1
        }
    done
}

# shellcheck disable=SC2086
build c $CC
said=$(sed '1d; s/[][]//g' c/hello)
grep -F "\`$said\`" "$srcdir/README.md" >/dev/null || {
    echo "README.md does not say what its program prints: $said"
    exit 1
}

own=g++
! $CC --version | grep -q clang || own=clang++
built=0
for compiler in g++ clang++
do
    command -v $compiler >/dev/null || continue
    # Another compiler's sanitizer has another runtime than the library's.
    [ -z "$SANITIZE_FLAGS" ] || [ $compiler = $own ] || continue
    for standard in 11 17 20
    do
        build $compiler$standard $compiler -x c++ -std=c++$standard
        diff -r c $compiler$standard
        built=$((built + 1))
    done
done
[ $built -gt 0 ] || { echo "no g++ and no clang++"; exit 77; }
echo "$(ls c | wc -l) programs, in C and by $built compilers of C++"
