#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the public headers declare is what the shared library exports: a program
# that uses every declared function links with it, and it exports no other.
#
#     declared.sh [INCLUDE-DIRECTORY LIBRARY]
#
# By default the headers and the library of the build; tests/integration/
# install.sh gives those that were installed.
set -eu
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
: "${CC:=cc}" "${NM:=nm}" "${SANITIZE_FLAGS:=}"
include=${1:-$srcdir/include}
library=${2:-.libs/libilex.so}
[ -e "$library" ] || { echo "no shared library built"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-declared.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Names before a parenthesis, in all headers as the compiler sees them: those
# that are called are declared as well, those of inline functions are no symbols.
(cd "$include" && ls ilex.h ilex/*.h) | sed 's/.*/#include "&"/' >"$work/all.c"
# shellcheck disable=SC2086
$CC -E -I"$include" "$work/all.c" | grep -v '^#' | tr '\n' ' ' >"$work/text"
names() { grep -oE "$1"'ilex_[a-z0-9_]+ *\(' "$work/text" |
    grep -oE 'ilex_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u; }
names 'static inline [^(;]*' >"$work/inline"
names '' | comm -23 - "$work/inline" >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 300 ] || {
    echo "only these functions were found in the headers:"
    cat "$work/declared"
    exit 1
}

{
    sed 's/.*/extern void &(void);/' "$work/declared"
    echo 'void (*const all[])(void) = {'
    sed 's/$/,/' "$work/declared"
    echo '}; int main(void) { return !all[0]; }'
} >"$work/use.c"
# shellcheck disable=SC2086
$CC $SANITIZE_FLAGS -w "$work/use.c" "$library" -o "$work/use" 2>"$work/log" || {
    echo "a program that uses every declared function does not link:"
    grep -oE "undefined.*" "$work/log" || cat "$work/log"
    exit 1
}

$NM -D --defined-only "$library" | awk 'NF >= 3 { print $3 }' |
    grep '^ilex_' | sort -u >"$work/exported"
stray=$(comm -13 "$work/declared" "$work/exported")
[ -z "$stray" ] || {
    echo "$library exports what no header declares:" "$stray"
    exit 1
}
missing=$(comm -23 "$work/declared" "$work/exported")
[ -z "$missing" ] || {
    echo "$library hides what the headers declare:" "$missing"
    exit 1
}
