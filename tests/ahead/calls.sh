#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs compiled ahead of time that call functions of whoever links them:
# the header declares them (calls.c), alone or behind Ilex's own headers, in C
# and C++; names that C has are refused. Programs that count lengths (counts.c),
# bounds that are a min or max of sizes (extrema.c).
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
warnings='-Wall -Wextra -Wpedantic -Werror'

good "$ilexc" compile "$top/tests/stages/foreign.ilx" -o .
good "$ilexc" compile "$top/tests/stages/foreign.ilx" -o . --prefix second
# shellcheck disable=SC2086
{
    good $CC -std=c99 $warnings -Wconversion -O1 -c foreign.c
    command -v g++ >/dev/null 2>&1 &&
        good g++ -x c++ $warnings -fsyntax-only foreign.c
    good $CC -std=gnu99 $warnings -O1 ${SANITIZE_FLAGS:-} -I. \
        "$top/tests/ahead/calls.c" foreign.c second.c -lm -o calls
}
good ./calls
printf '#include <ilex/function.h>\n#include "foreign.h"\n#include "second.h"\n' >both.c
good $CC -std=c99 -I"$top/include" -I"$PWD" -fsyntax-only both.c
count=$((count + 1))
[ "$(grep -c '^int filter' foreign.h)" = 1 ] || complain "filter is declared otherwise"

# Functions of numbers.
good "$ilexc" compile "$top/tests/stages/elementwise.ilx" -o .
# shellcheck disable=SC2086
{
    good $CC -std=c99 $warnings -Wconversion -O1 -c elementwise.c
    command -v g++ >/dev/null 2>&1 &&
        good g++ -x c++ $warnings -fsyntax-only elementwise.c
    good $CC -std=gnu99 $warnings -O1 ${SANITIZE_FLAGS:-} -I. \
        "$top/tests/ahead/elementwise.c" elementwise.c -lm -o numbers
}
good ./numbers
count=$((count + 1))
grep -q '^double eos(double, double);' elementwise.h || complain "eos is declared otherwise"

# Lengths that are counted.
good "$ilexc" compile "$top/examples/peaks.ilx" -o .
cat >rows.ilx <<'END'
ilex 1
program rows
size n
assume n >= 1
in x : f64[n]
size c = count_nonzero(x > 2.5)
let w = compress(x, x > 2.5)
let t = broadcast_to(w; shape=[n-1, c])
out y = nonzero(t; axis=1)
END
good "$ilexc" compile rows.ilx -o .
# shellcheck disable=SC2086
{
    good $CC -std=c99 $warnings -Wconversion -O1 -c peaks.c
    good $CC -std=c99 $warnings -O1 -c rows.c
    good $CC -std=gnu99 $warnings -O1 ${SANITIZE_FLAGS:-} -I. \
        "$top/tests/ahead/counts.c" peaks.c rows.c -lm -o counts
}
good ./counts

# Bounds that are a min or max, for two choices of sizes with code of its own.
good "$ilexc" compile "$top/tests/stages/extrema.ilx" -o . --size n=7,m=5 \
    --size n=4,m=9
grep -q 'a\.n[0-9]* = INT64_C(5)' extrema.c || complain "min(n, m) is not 5 where n=7, m=5"
# shellcheck disable=SC2086
{
    good $CC -std=c99 $warnings -Wconversion -O1 -c extrema.c
    good $CC -std=gnu99 $warnings -O1 ${SANITIZE_FLAGS:-} -I. \
        "$top/tests/ahead/extrema.c" extrema.c -lm -o extrema
}
good ./extrema

# Names of functions.
for name in exp int k0 taken_by
do
    cat >named.ilx <<END
ilex 1
program taken
size n
in u : f64[n]
extern $name(u : f64[k]) -> f64[k] pure
let a = $name(u)
out v = a
END
    count=$((count + 1))
    "$ilexc" compile named.ilx -o . >log 2>&1 && complain "a function may be called $name"
    grep -q "E102\|E106" log || { complain "$name is refused otherwise"; cat log; }
done
for name in exp int taken_by
do
    cat >named.ilx <<END
ilex 1
program taken
size n
in u : f64[n]
extern $name(u : f64) -> f64 pure elementwise
out v : f64[n] = $name(u)
END
    count=$((count + 1))
    "$ilexc" compile named.ilx -o . >log 2>&1 && complain "a function of numbers may be called $name"
    grep -q "E102\|E106" log || { complain "$name is refused otherwise"; cat log; }
done

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
