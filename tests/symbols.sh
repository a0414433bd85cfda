#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Spelling of symbols: the shared library exports ilex_* alone; the static one
# defines ilex_* and ix_* alone, and nothing of libtcc; the run-time library
# never calls what would end, or print from, the process that uses it.
set -eu
LC_ALL=C
export LC_ALL
nm=${NM:-nm}
shared=.libs/libilex.so
static=.libs/libilex.a
bad=0

# Sanitizers and gcov add names of their own.
own='^(_*asan_|__odr_asan|__?gcov|mangle_path|_*ubsan|_*tsan)'

if [ -e "$shared" ]; then
    stray=$($nm -D --defined-only "$shared" | awk 'NF >= 3 { print $3 }' |
        grep -vE '^ilex_' | grep -vE "$own" || :)
    [ -z "$stray" ] || { echo "$shared exports:" "$stray"; bad=1; }
    count=$($nm -D --defined-only "$shared" | grep -c ' ilex_' || :)
    [ "$count" -gt 0 ] || { echo "$shared exports nothing"; bad=1; }
fi
if [ -e "$static" ]; then
    stray=$($nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' |
        grep -vE '^(ilex|ix)_' | grep -vE "$own" || :)
    [ -z "$stray" ] || { echo "$static defines:" "$stray"; bad=1; }
fi
[ -e "$shared" ] || [ -e "$static" ] || { echo "no library built"; exit 77; }

for name in abort exit _exit quick_exit printf puts putchar signal setlocale
do
    users=$($nm -A -u "$static" 2>/dev/null |
        awk -v name="$name" '$NF == name { print $1 }' || :)
    [ -z "$users" ] || { echo "$name is called by:" "$users"; bad=1; }
done
exit $bad
