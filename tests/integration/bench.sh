#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benchmark program runs, once and quickly on small arrays, and its results
# are right: every kernel with its counts, every variant compared with plain C
# before it is timed. With a Python: the table, the roofline and the page that
# report.py makes of them. No speed is tested.
set -eu
srcdir=${srcdir:-.}
work=bench-test.$$
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work"

fail() {
    echo "$*" >&2
    exit 1
}

expect() {
    grep -q -- "$1" "$work/$2" || fail "no '$1' in $2"
}

bench/bench -q -r 2 -m 33000 -o "$work/results.json" >"$work/out" ||
    fail "bench/bench failed"
for kernel in $(sed -n 's/^BENCH_KERNEL(\([a-z0-9]*\),.*/\1/p' \
    "$srcdir/bench/kernels.def")
do
    expect "^$kernel .* default  auto" out
    expect "\"kernel\": \"$kernel\"" results.json
done

# Counts at sizes: 4 operations and 5 arrays; half of the elements are kept.
expect '"size": "8192", "sizes": \[8192, 0, 0\]' results.json
grep -A 1 '"kernel": "chain"' "$work/results.json" >"$work/chain"
expect '"operations": 32768, "read": 262144, "written": 65536,' chain
grep -A 1 '"kernel": "compact"' "$work/results.json" >"$work/compact"
expect '"operations": 8192, "read": 65536, "written": 3[0-9]*,' compact
expect '"name": "multiply-add", "set": "registers", "threads": 1' results.json

# What cannot be done says so.
! bench/bench -q -r 0 2>"$work/usage" || fail "no rounds: accepted"
expect 'usage: bench' usage
! bench/bench -q -r 1 -m 1 -o "$work/none/x" >/dev/null 2>"$work/lost" ||
    fail "a folder that is not there: accepted"
expect 'none/x' lost

# Of two programs the second has the shorter text.
if bench/cached 2>/dev/null; then fail "cached: no program is taken"; fi
bench/cached -n 1 "$srcdir/examples/hdiff.ilx" "$srcdir/examples/axpy.ilx" \
    >"$work/cached" || fail "bench/cached failed"
expect 'axpy.ilx: 1 kernels' cached

python=${PYTHON:-python3}
"$python" -c 'import json' 2>/dev/null || exit 0
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
report="$srcdir/bench/report.py"
"$python" "$report" -s "$work/roofline.svg" -d "$work/page.md" \
    "$work/results.json" || fail "report.py"
expect '^| chain | 8192 | [0-9]' page.md
expect '<title>chain 8192, default, auto: ' roofline.svg
"$python" -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' \
    "$work/roofline.svg" || fail "the roofline is not XML"
"$python" "$report" "$work/results.json" >"$work/table"
expect '^chain *8192 ' table

# Ratios and shares are of the figures in the file.
cat >"$work/known.json" <<'JSON'
{"schema": "ilex-bench 1", "rounds": 1,
 "machine": {"processor": "x", "processors": 2, "cache_bytes": 1000,
             "date": "2000-01-01", "load": 0},
 "limits": [
  {"name": "read", "set": "memory", "threads": 1,
   "rate": {"low": 1, "median": 100, "high": 1}},
  {"name": "copy", "set": "memory", "threads": 1,
   "rate": {"low": 1, "median": 200, "high": 1}},
  {"name": "read", "set": "cache", "threads": 1,
   "rate": {"low": 1, "median": 1000, "high": 1}},
  {"name": "multiply-add", "set": "registers", "threads": 1,
   "rate": {"low": 1, "median": 10, "high": 1}}],
 "kernels": [{"kernel": "k", "size": "s", "sizes": [1], "operations": 20,
  "read": 1500, "written": 500, "tolerance": 0, "arrays": [],
  "variants": [{"by": "C", "threads": 1,
    "seconds": {"low": 1, "median": 20, "high": 1},
    "ratio": {"low": 1, "median": 1, "high": 1}}]}]}
JSON
"$python" "$report" "$work/known.json" >"$work/known"
expect '^k *s *50$' known
sed 's/"read": 1500/"read": 100/; s/"operations": 20/"operations": 100/' \
    "$work/known.json" >"$work/work.json"
"$python" "$report" "$work/work.json" >"$work/known"
expect '^k *s *50$' known
expect 'multiply-add  0' known
sed 's/ilex-bench 1/ilex-bench 2/' "$work/known.json" >"$work/other.json"
! "$python" "$report" "$work/other.json" 2>"$work/lost" ||
    fail "another schema: accepted"
expect '"schema" is not' lost

# Other libraries, where there is NumPy: same results, same form, one table.
"$python" -c 'import numpy' 2>/dev/null || exit 0
[ -f bench/plain.so ] || make -s bench/plain.so >/dev/null ||
    fail "no bench/plain.so"
"$python" "$srcdir/bench/peers.py" -q -r 1 -k chain,compact,hdiff \
    -p bench/plain.so -o "$work/peers.json" "$work/results.json" \
    >"$work/peers" 2>"$work/without" || fail "peers.py failed"
expect '^hdiff .* NumPy [0-9]' peers
"$python" "$report" "$work/results.json" "$work/peers.json" >"$work/table"
expect 'NumPy, auto' table
! "$python" "$srcdir/bench/peers.py" -p none.so -o "$work/x.json" \
    "$work/results.json" 2>"$work/lost" || fail "no plain C: accepted"
expect 'none.so' lost
