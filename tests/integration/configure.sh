#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A place of isl that was named and has none is an error of configure, even
# where the system has an isl, and one that comes before everything else.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-configure.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"
[ ! -e "$srcdir/config.status" ] || { echo "the sources are configured"; exit 77; }

refused() {
    ! "$srcdir/configure" "$@" >log 2>&1 || { echo "configure $* works"; exit 1; }
    grep 'there is no' log >/dev/null || { cat log; exit 1; }
    ! grep 'whether the C compiler works' log || exit 1
}
refused --with-isl=/nonexistent
refused --with-isl="$dir"
refused --with-isl=no
