#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program on its way through the compiler: prints what each pass of the
# pipeline makes of it. Usage: dump_passes.sh [PROGRAM.ilx]
# ILEXC is the command (./ilexc where there is one, else that of the path).
set -eu
here=$(dirname "$0")
program=${1-$here/hdiff.ilx}
ilexc=${ILEXC-}
[ -n "$ilexc" ] || { [ -x ./ilexc ] && ilexc=./ilexc || ilexc=ilexc; }

# "name meaning" of each pass, in order
passes=$("$ilexc" --passes)
count=0
for pass in parsed $(printf '%s\n' "$passes" | cut -d ' ' -f 1)
do
    meaning=$(printf '%s\n' "$passes" | sed -n "s/^$pass  *//p")
    printf '\n#### %s: %s\n\n' "$pass" "${meaning:-the canonical text}"
    text=$("$ilexc" print "$program" --stage="$pass")
    [ -n "$text" ] || { echo "nothing after $pass" >&2; exit 1; }
    printf '%s\n' "$text"
    count=$((count + 1))
done

# The same is on hand in any run: the option dump, or ILEX_DUMP.
printf '\n%d stages\n' "$count"
[ "$count" -ge 13 ]
