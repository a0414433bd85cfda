#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bindings/ffi.h and bindings/ilex-api.json, which bindings/api.py prints: the
# compiler agrees with them about every size, offset, value and type; they have
# the functions that the library exports; api.py refuses headers that other
# languages could not use.
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

# ---- what is refused ----

# refused WORDS DECLARATION: a header with this is refused, because of WORDS.
refused() {
    rm -rf "$work/include"
    cp -r "$srcdir/include" "$work/include"
    chmod -R u+w "$work/include"
    sed "/^#include <stdint.h>/a\\
$2" "$srcdir/include/ilex/base.h" >"$work/include/ilex/base.h"
    if "$PYTHON" "$top/api.py" --include "$work/include" json \
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
refused 'how long the text' '/* A name. */ const char *ilex_x(int i);'
refused 'who owns' 'int *ilex_x(int i);'
refused 'other languages cannot call' 'int ilex_x(int i, ...);'
refused 'returns the struct' \
    'typedef struct ilex_t { int i; } ilex_t; ilex_t ilex_x(int i);'
refused 'macro ILEX_T' 'typedef struct ilex_t { size_t size; } ilex_t;'
