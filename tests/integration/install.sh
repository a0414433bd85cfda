#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a user gets: installs into a temporary place, builds a program there
# with what pkg-config says and nothing else, against the shared and against
# the static library, runs both, and uninstalls without a trace.
set -eu
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"

# Builds "$1" as "$2" with the flags of "pkg-config $3..." and runs it.
build_and_run() {
    source=$1
    out=$root/$2
    shift 2
    # shellcheck disable=SC2046,SC2086
    $CC $SANITIZE_FLAGS "$source" $($PKG_CONFIG "$@" ilex) -o "$out"
    "$out" >"$out.log" 2>&1 || {
        echo "$out failed:"
        cat "$out.log"
        exit 1
    }
}

if ls "$libdir"/libilex.so* >/dev/null 2>&1; then
    build_and_run "$srcdir/examples/axpy.c" shared --cflags --libs
    readelf -d "$root/shared" | grep -q 'NEEDED.*libilex\.so\.0' || {
        echo "the program does not ask for libilex.so.0"
        exit 1
    }
    sh "$srcdir/tests/declared.sh" "$prefix/include" "$libdir/libilex.so"
    rm "$libdir"/libilex.so*
fi
[ ! -e "$libdir/libilex.a" ] ||
    build_and_run "$srcdir/examples/axpy.c" static --static --cflags --libs

for program in "$prefix"/bin/*
do
    [ ! -x "$program" ] || "$program" --version
done

for page in ilexc.1 ilex.7 ilex_program.3 ilex_run.3
do
    [ -s "$(find "$prefix" -name $page)" ] || { echo "no $page"; exit 1; }
done

$MAKE -s uninstall DESTDIR="$root" >"$root/log" 2>&1
rest=$(find "$prefix" ! -type d)
[ -z "$rest" ] || { echo "left after uninstall:" "$rest"; exit 1; }
