#!/bin/sh
# SPDX-License-Identifier: MIT
#
# console.sh PAGE: the page with what its commands print now. Blocks are as in
# tests/integration/tutorial.sh; ilexc is the one in PATH.
set -eu
ILEX_TARGET=generic # on all machines the same
export ILEX_TARGET
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-console.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
${AWK:-awk} '
    /^```/ && !open {
        open = 1
        file = $1 != "```console" ? $2 : ""
        print
        next
    }
    /^```/ { open = 0; close(file); print; next }
    open && file != "" { print >file; print; next }
    open && !/^\$ / { next }
    { print; fflush() }
    open && system(substr($0, 3)) { exit 1 }
' "$page"
