#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Damaged texts for a while: bytes of one changed at random (test_parse), and
# what libFuzzer makes of the texts of tests and examples. A text that fails
# stays in the build tree, as fuzz-*.
#
#     fuzz.sh [SECONDS]    of each (10)
set -eu
LC_ALL=C
export LC_ALL
srcdir=${srcdir:-.}
seconds=${1:-10}
[ ! -x tests/unit/test_parse ] ||
    ILEX_FUZZ_SECONDS=$seconds tests/unit/test_parse
command -v clang >/dev/null 2>&1 || { echo "skipped: no clang"; exit 77; }
[ -z "${SANITIZE_FLAGS:-}" ] || {
    echo "skipped: the fuzzer has sanitizers of its own"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
flags="-fsanitize=fuzzer,address -w -std=c11 -pthread -I$srcdir -I. -I$srcdir/include -Iinclude"
echo 'int LLVMFuzzerTestOneInput(const char *s, long n) { return !s && n; }' \
    >"$work/none.c"
# shellcheck disable=SC2086
clang $flags -o "$work/none" "$work/none.c" >/dev/null 2>&1 ||
    { echo "skipped: clang has no libFuzzer"; exit 77; }
# shellcheck disable=SC2086
clang $flags -DPACKAGE_VERSION='"fuzzed"' -o "$work/text" \
    "$srcdir/tests/property/fuzz_text.c" "$srcdir"/lib/*/*.c -lisl -lm
mkdir "$work/texts"
cp "$srcdir"/examples/*.ilx "$work/texts"
for text in "$srcdir"/tests/stages/*.ilx; do cp "$text" "$work/texts/stage-${text##*/}"; done
"$work/text" -max_total_time="$seconds" -seed="${ILEX_SEED:-1}" -timeout=20 \
    -max_len=4000 -verbosity=0 -print_final_stats=1 -artifact_prefix=fuzz- \
    "$work/texts" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
tail -n 5 "$work/log"
