#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The direction of includes: include <- lib <- compiler <- runtime. Public
# headers see C standard headers and each other; runtime sees one header of
# compiler; isl is seen by two files; a source file includes its own header
# first; every public header is tried in C++; Makefile.am forgets no file.
set -eu
cd "${srcdir:-.}"
LC_ALL=C
export LC_ALL
folders=$(ls -d include lib compiler runtime tests examples bench 2>/dev/null || :)
bad=0

complain() {
    echo "$*"
    bad=1
}

# Prints "file:line:spelling" of what the files below "$1" include.
includes() {
    [ -d "$1" ] || return 0
    find "$1" \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sort |
        while read -r file
        do
            sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1/p' \
                "$file" | sed "s|^|$file |"
        done
}

# What of "includes $1" matches none of the patterns that follow.
allow() {
    layer=$1
    shift
    includes "$layer" | while read -r file what
    do
        for pattern in "$@"
        do
            # shellcheck disable=SC2254
            case $what in
            $pattern) continue 2 ;;
            esac
        done
        echo "$file: includes $what, which $layer may not"
    done
}

standard='<assert.h> <complex.h> <float.h> <inttypes.h> <limits.h> <math.h>
<stdarg.h> <stdbool.h> <stddef.h> <stdint.h> <string.h>'
# shellcheck disable=SC2086
found=$(
    allow include $standard '"ilex/*"' '"[a-z]*.h"' '"[a-z]*.def"'
    allow lib '<*>' '"ilex.h"' '"ilex/*"' '"lib/*"'
    allow compiler '<*>' '"ilex.h"' '"ilex/*"' '"lib/*"' '"compiler/*"'
    allow runtime '<*>' '"ilex.h"' '"ilex/*"' '"lib/*"' '"compiler/compiler.h"' \
        '"runtime/*"'
    allow examples '<[a-z]*.h>' '<sys/*>' '"ilex.h"' '<ilex/*>' '"ilex/*"'
)
[ -z "$found" ] || complain "$found"

isl=$(find include lib compiler runtime -name '*.[ch]' \
    -exec grep -lE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]isl/' {} + |
    grep -vE '^(lib/affine|compiler/split)\.c$' || :)
[ -z "$isl" ] || complain "isl headers belong to lib/affine.c and" \
    "compiler/split.c, not to:" "$isl"

for file in $(find lib compiler runtime -name '*.c' | sort)
do
    header=${file%.c}.h
    [ -e "$header" ] || continue
    first=$(sed -n 's/^#[[:space:]]*include[[:space:]]*["<]\([^">]*\)[">].*/\1/p' \
        "$file" | head -n 1)
    [ "$first" = "$header" ] || complain "$file: includes $first before $header"
done

for header in $(find include -name '*.h' | sort)
do
    name=${header#include/}
    grep -q "#include <$name>" tests/headers.cc ||
        complain "tests/headers.cc: does not include <$name>"
done
# shellcheck disable=SC2086
for file in $(find $folders -type f \
    \( -name '*.[ch]' -o -name '*.cc' -o -name '*.def' -o -name '*.inc' \
    -o -name '*.ilx' -o -name '*.npy' -o -name '*.py' -o -name '*.sh' \
    -o -name '*.tsv' \) | sort)
do
    grep -qE "[[:space:]]$file([[:space:]]|\$)" Makefile.am ||
        case $file in
        tests/unit/test_*.c) grep -q "${file%.c}" Makefile.am ;;
        *) false ;;
        esac || complain "Makefile.am: does not list $file"
done
exit $bad
