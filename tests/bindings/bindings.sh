#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bindings/ffi.h and bindings/ilex-api.json, which bindings/api.py prints: the
# compiler agrees with them about every size, offset, value and type; they have
# the functions that the library exports; what is said of functions is of closed
# lists, and the library agrees about NULL; api.py refuses headers that other
# languages could not use, and tables of its own that say what is not there.
set -eu
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
: "${CC:=cc}" "${NM:=nm}" "${PYTHON:=python3}"
export CC
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
    echo "skipped: no python3 from 3.9 on"
    exit 77
}
top=$srcdir/bindings
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-bindings.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

made=bindings # by make, or of the tarball
[ -e "$made/ffi.h" ] || made=$top

# ---- the compiler says the same ----

"$PYTHON" "$srcdir/tests/bindings/check.py" "$made/ilex-api.json" \
    >"$work/check.c"
[ "$(grep -c _Static_assert "$work/check.c")" -gt 1000 ] || {
    echo "only a few checks were made"
    exit 1
}
compiles() {
    # shellcheck disable=SC2086
    $CC -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
        -I"$srcdir/include" "$@"
}
compiles "$work/check.c"
printf '#include <stddef.h>\n#include <stdint.h>\n#include "ffi.h"\n' \
    >"$work/ffi.c"
compiles "-I$made" "$work/ffi.c"
"$PYTHON" -c 'import cffi' 2>/dev/null &&
    "$PYTHON" - "$made/ffi.h" <<'READ'
import sys
import cffi
ffi = cffi.FFI()
ffi.cdef(open(sys.argv[1]).read())
assert ffi.sizeof("ilex_binding") == 48
assert ffi.typeof("ilex_dtype").relements["ILEX_F64"] == 10
READ

# ---- the library exports the same ----

"$PYTHON" -c '
import json, sys
print("\n".join(sorted(json.load(open(sys.argv[1]))["functions"])))
' "$made/ilex-api.json" >"$work/described"
if [ -e .libs/libilex.so ]; then
    $NM -D --defined-only .libs/libilex.so |
        awk 'NF >= 3 && $3 ~ /^ilex_/ { print $3 }' | sort -u >"$work/exported"
    diff -u "$work/exported" "$work/described" || {
        echo "(-) exported, (+) in ilex-api.json"
        exit 1
    }
fi

# ---- what functions are ----

"$PYTHON" "$srcdir/tests/bindings/described.py" "$made/ilex-api.json"
if [ -e .libs/libilex.so ] && [ -z "${SANITIZE_FLAGS:-}" ]; then
    "$PYTHON" "$srcdir/tests/bindings/nulls.py" "$made/ilex-api.json" \
        .libs/libilex.so
fi

# ---- what is refused ----

# refuses WORDS WHAT: the copy of headers and tables is refused, because of
# WORDS.
refuses() {
    if "$PYTHON" "$work/bindings/api.py" --include "$work/include" json \
        >"$work/out" 2>"$work/log"
    then
        echo "accepted: $2"
        exit 1
    fi
    grep -q "$1" "$work/log" || {
        echo "$2: wants a word about '$1', but:"
        cat "$work/log"
        exit 1
    }
}
copied() {
    rm -rf "${work:?}/include" "$work/bindings" "${work:?}/lib"
    cp -r "$srcdir/include" "$srcdir/bindings" "$work"
    mkdir -p "$work/lib/build" "$work/lib/graph" "$work/lib/ops"
    for table in build/functions.def graph/nodes.def ops/rules.def
    do
        cp "$srcdir/lib/$table" "$work/lib/$table"
    done
    chmod -R u+w "$work"
}

# refused WORDS DECLARATION: a header with this is refused.
refused() {
    copied
    sed "/^#include <stdint.h>/a\\
$2" "$srcdir/include/ilex/base.h" >"$work/include/ilex/base.h"
    refuses "$1" "$2"
}

# changed WORDS FILE SED: so is a file with this change.
changed() {
    copied
    sed "$3" "$srcdir/$2" >"$work/$2"
    cmp -s "$srcdir/$2" "$work/$2" && {
        echo "$2 stays the same by $3"
        exit 1
    }
    refuses "$1" "$2, $3"
}
refused 'how long the text' '/* A name. */ const char *ilex_x(int i);'
refused 'who owns' 'int *ilex_x(int i);'
refused 'other languages cannot call' 'int ilex_x(int i, ...);'
refused 'returns the struct' \
    'typedef struct ilex_t { int i; } ilex_t; ilex_t ilex_x(int i);'
refused 'macro ILEX_T' 'typedef struct ilex_t { size_t size; } ilex_t;'
refused 'no comment describes' 'int ilex_x(int i);'
refused 'has no group' '/* A number. */ int ilex_x(int i);'
refused 'of which parameter' \
    '/* NULL means 1. */ int ilex_x(const char *name);'
refused 'Name its grammar' \
    '/* A number. */ int ilex_x(const char *thing);'
refused 'what is float' '/* A number. */ int ilex_x(float *const *p);'
refused 'how many lengths' \
    '/* A number. */ int ilex_x(const int64_t *lengths);'
refused 'how many operands' \
    '/* A number. */ int ilex_x(ilex_array *const *operands);'
changed 'names ilex_is_shifted' bindings/parameters.py \
    's/ilex_is_shift.off/ilex_is_shifted.off/'
changed 'names ilex_indexes.axis' bindings/parameters.py \
    's/ilex_index.axis/ilex_indexes.axis/'
changed 'names.tsv has powr' bindings/names.tsv 's/^power/powr/'
changed 'wid is no rule' bindings/names.tsv 's/wide$/wid/'
changed 'SHAPE: its kind' include/ilex/errors.def \
    's/shape,     value,/shape,     shape,/'
changed 'has no group' include/ilex/program.h \
    's/^\/\* ---- running/\/* ---- runs/'
