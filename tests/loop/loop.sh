#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Directives: each file NAME.loop has, behind lines "#" that say what it is
# about and lines of sizes, each for a run,
#
#     ---- program         a program
#     ---- directives      what option schedule gets
#     ---- expect          what `ilexc print --stage=schedule` prints, or the error
#
# What was printed, given back as a schedule, prints the same; with it the
# program gives the bits of the reference back end, by every other one that is
# there. The rows of errors.tsv are directives for the program errors.ilx, "!"
# for the end of a line, and what is wrong about them. With --update expected texts are written: `make
# golden-update`, then read the diff. With names, only those files.
set -u
LC_ALL=C
# of processors with AVX-512, without streams but where a file asks for them
ILEX_TARGET=vector_bytes=32,vector_registers=32,fma=1,stream_bytes=1099511627776
export LC_ALL ILEX_TARGET
unset ILEX_JIT ILEX_THREADS ILEX_DUMP ILEX_STOP ILEX_VERIFY ILEX_SCHEDULE
here=${srcdir:-.}/tests/loop
ilexc=${ILEXC:-./ilexc}
update=
bad=0
count=0
[ "${1:-}" != --update ] || { update=1; shift; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-loop.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
jits=
for jit in tcc cc
do
    "$ilexc" --backends | grep -q "^$jit .*not here" || jits="$jits $jit"
done

complain() {
    echo "$*"
    bad=1
}

# The part of file "$1" below "---- $2".
part() {
    awk -v part="$2" '
        /^---- / { here = $2 == part; next }
        here' "$1"
}

# Runs the program on each line of sizes of file "$1" with the schedule in
# "got".
run() {
    sed -n 's/^sizes *//p' "$1" | sed 's/^$/-/' >"$dir/sizes"
    # shellcheck disable=SC2046
    set -- $(sed -n 's/^in \([a-z0-9]*\) .*/--in \1=random:1/p' "$dir/p.ilx")
    while read -r sizes
    do
        for jit in $jits
        do
            "$ilexc" run "$dir/p.ilx" "$@" ${sizes:+--size "$sizes"} \
                --check=reference --jit="$jit" --schedule="$dir/got" \
                >"$dir/run" 2>&1 ||
                complain "$name, $sizes, $jit: $(cat "$dir/run")"
        done
    done <"$dir/sizes"
}

check_file() {
    part "$1" program >"$dir/p.ilx"
    part "$1" directives >"$dir/s"
    part "$1" expect >"$dir/expect"
    if "$ilexc" print --stage=schedule --verify=1 --schedule="$dir/s" \
        "$dir/p.ilx" >"$dir/got" 2>"$dir/error"; then
        "$ilexc" print --stage=schedule --schedule="$dir/got" "$dir/p.ilx" |
            diff "$dir/got" - || complain "$name: the schedule printed is another"
        run "$1"
    else
        cat "$dir/error" >>"$dir/got"
    fi
    if [ -n "$update" ]; then
        sed '/^---- expect/q' "$1" | cat - "$dir/got" >"$dir/new"
        cmp -s "$dir/new" "$1" || cp "$dir/new" "$1"
    else
        diff -u "$dir/expect" "$dir/got" || complain "$name: see above"
    fi
}

for file in "$here"/*.loop
do
    name=$(basename "$file" .loop)
    case " $* " in
    '  ' | *" $name "*) ;;
    *) continue ;;
    esac
    count=$((count + 1))
    check_file "$file"
done

while IFS='	' read -r directives message
do
    case $directives in '#'*) continue ;; esac
    count=$((count + 1))
    echo "$directives" | tr '!' '\n' >"$dir/s"
    got=$("$ilexc" print --stage=schedule --schedule="$dir/s" \
        "$here/errors.ilx" 2>&1 >"$dir/printed") &&
        complain "$directives: no error"
    [ "$got" = "ilexc: error$message" ] ||
        complain "$directives: $got" "and not: ilexc: error$message"
done <"$here/errors.tsv"

# Each directive is given in a file, and explained. Those for the program have
# the names of kernels, or of arrays, behind them, those for loops no kernel's.
for file in "$here"/*.loop
do
    part "$file" directives
done >"$dir/given"
sed -n 's/^IX_\([A-Z]*\)(\([a-z_]*\), *[0-9, ]*"\([^"]*\)".*/\1 \2 \3/p' \
    "${srcdir:-.}/compiler/loop/loops.def" >"$dir/rows"
while read -r of row text
do
    case $of$text in
    KERNELS*KERNEL*) behind='k[0-9]' ;;
    KERNELS*) behind='[a-z]' ;;
    *) behind='([^k]|k[^0-9])' ;;
    esac
    grep -qF -- "- \`$text\`:" "${srcdir:-.}/doc/schedules.md" ||
        complain "doc/schedules.md has no line on $text"
    grep -qE "\\<$row $behind" "$dir/given" || complain "no file has $row"
done <"$dir/rows"
[ -s "$dir/rows" ] || complain "loops.def has no rows"

[ "$count" -gt 0 ] || complain "no file of that name"
[ "$bad" -eq 0 ] || echo "if that is meant: make golden-update, read the diff"
echo "$count schedules"
exit "$bad"
