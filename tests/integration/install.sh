#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a user gets: installs into a temporary place, builds a program there
# with what pkg-config says and nothing else, against the shared and against
# the static library, runs both, and uninstalls without a trace.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
: "${CC:=cc}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}" "${SANITIZE_FLAGS:=}"
unset MAKEFLAGS MFLAGS MAKELEVEL
command -v "$PKG_CONFIG" >/dev/null || { echo "no pkg-config"; exit 77; }

root=$(mktemp -d "${TMPDIR:-/tmp}/ilex-install.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 1' HUP INT TERM

$MAKE -s install DESTDIR="$root" >"$root/log" 2>&1 || {
    cat "$root/log"
    exit 1
}
pc=$(find "$root" -name ilex.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")

ask() {
    PKG_CONFIG_PATH=$(dirname "$pc") $PKG_CONFIG \
        --define-variable=prefix="$root$prefix" "$@" ilex
}
libdir=$(ask --variable=libdir)

# Builds the program into "$1" with the flags of "pkg-config $2..." and runs it.
build_and_run() {
    out=$root/$1
    shift
    # shellcheck disable=SC2046,SC2086
    $CC $SANITIZE_FLAGS "$srcdir/examples/axpy.c" $(ask "$@") -o "$out"
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$out" >"$out.log" 2>&1 || {
        echo "$out failed:"
        cat "$out.log"
        exit 1
    }
}

if ls "$libdir"/libilex.so* >/dev/null 2>&1; then
    build_and_run shared --cflags --libs
    readelf -d "$root/shared" | grep -q 'NEEDED.*libilex\.so\.0' || {
        echo "the program does not ask for libilex.so.0"
        exit 1
    }
    sh "$srcdir/tests/declared.sh" "$root$prefix/include" "$libdir/libilex.so"
    rm "$libdir"/libilex.so*
fi
[ ! -e "$libdir/libilex.a" ] || build_and_run static --static --cflags --libs

for program in "$root$prefix"/bin/*
do
    [ ! -x "$program" ] || "$program" --version
done

$MAKE -s uninstall DESTDIR="$root" >"$root/log" 2>&1
rest=$(find "$root$prefix" ! -type d)
[ -z "$rest" ] || { echo "left after uninstall:" "$rest"; exit 1; }
