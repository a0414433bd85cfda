#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The requirement tables of storages, doc/storage-requirements.tsv, and of
# fields, in doc/fields.md: no row is missing, every file that one names exists,
# and every test that one names exists, ran and passed. A row may say "open", or "not applicable:" and why.
set -eu
LC_ALL=C
export LC_ALL
srcdir=${srcdir:-.}
tab=$(printf '\t')
bad=0
table=$(mktemp "${TMPDIR:-/tmp}/ilex-table.XXXXXX") || exit 99
log=$(mktemp "${TMPDIR:-/tmp}/ilex-requirements.XXXXXX") || exit 99
trap 'rm -f "$log" "$table"' EXIT
cat "$srcdir/doc/storage-requirements.tsv" >"$table"
awk -F ' *[|] *' -v OFS="$tab" '/^\| S2-/ { print $2, "doc/fields.md", $4 }' \
    "$srcdir/doc/fields.md" >>"$table"

complain() {
    echo "$*"
    bad=1
}

# The ids there must be.
for id in $(awk 'BEGIN { for (i = 1; i <= 68; i++) printf "S0-%02d\n", i
                         for (i = 1; i <= 38; i++) printf "S2-%02d\n", i
                         for (i = 1; i <= 21; i++) printf "S3-%02d\n", i
                         for (i = 1; i <= 38; i++) printf "S4-%02d\n", i }')
do
    n=$(grep -c "^$id$tab" "$table" || :)
    [ "$n" -eq 1 ] || complain "$id: $n rows"
done

# What passed, by the logs of the unit tests, which make writes first.
for unit in tests/unit/test_*.log
do
    program=${unit##*/}
    program=${program%.log}
    sed -n "s|^ok [0-9]* - .*\.[ch]:[^:]*:\([a-z0-9_]*\):.*|$program:\1|p" \
        "$unit" >>"$log" 2>/dev/null || :
done

while IFS=$tab read -r id where tests
do
    case $id in
    id) continue ;;
    S*) ;;
    *) complain "$id: not an id" ;;
    esac
    case $tests in
    open | "not applicable: "*) continue ;;
    '') complain "$id: names no test" ;;
    esac
    file=${where%%[: ]*}
    [ -e "$srcdir/$file" ] || complain "$id: there is no file $file"
    for test in $tests
    do
        program=${test%%:*}
        grep -q "^START_TEST(${test#*:})" "$srcdir/tests/unit/$program.c" ||
            complain "$id: $program.c has no test ${test#*:}"
        [ ! -x "tests/unit/$program" ] || grep -qx "$test" "$log" ||
            complain "$id: $test did not pass"
    done
done <"$table"

[ -s "$log" ] || [ $bad -ne 0 ] || { echo "no unit tests were built"; exit 77; }
echo "$(sort -u "$log" | wc -l) tests stand behind the table," \
    "$(grep -c "${tab}open\$" "$table" || :) rows are open"
exit $bad
