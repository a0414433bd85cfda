#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Text goldens: what the compiler makes of the programs NAME.ilx beside this
# script. A row of stages.tsv says after which passes a program is printed, in
# which dialects its source, and how much of that; all of it is NAME.expect.
# With --update the expected texts are written: `make golden-update`, then read
# the diff. With names, only those programs.
set -u
LC_ALL=C
export LC_ALL
ILEX_TARGET=generic # on all machines the same
export ILEX_TARGET
unset ILEX_JIT ILEX_THREADS ILEX_DUMP ILEX_STOP ILEX_VERIFY ILEX_FUSE \
    ILEX_QUOTA ILEX_CC ILEX_CFLAGS
here=${srcdir:-.}/tests/stages
ilexc=${ILEXC:-./ilexc}
tab=$(printf '\t')
update=
bad=0
count=0
[ "${1:-}" != --update ] || { update=1; shift; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-stages.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM

complain() {
    echo "$*"
    bad=1
}

# The source of program "$1" in dialect "$2".
emit() {
    case $2 in
    cuda) "$ilexc" emit --cuda "$1" ;;
    *) "$ilexc" emit --jit="$2" "$1" ;;
    esac
}

# What is kept of a source: all of it; from the first kernel on, without types
# and helper functions; or only the lines that name kernels.
keep() {
    case $1 in
    whole) cat ;;
    kernels) sed -n '/^\/\* k[0-9]* computes/,$p' ;;
    outline) grep '^/\* k[0-9]* computes' ;;
    *) complain "stages.tsv: there is no '$1'" ;;
    esac
}

# A text without the sources of back ends that this build lacks, from which
# `ilexc emit` would take another dialect.
present() {
    "$ilexc" --backends | awk '
        NR == FNR { have[$1] = 1; next }
        /^---- / { drop = /^---- source, / && $3 != "cuda" && !have[$3] }
        !drop' - "$1"
}

# Everything that a row asks for.
print_all() {
    for stage in $(echo "$2" | tr ',-' '  ')
    do
        echo "---- $stage ----"
        "$ilexc" print --stage="$stage" "$1"
    done
    for dialect in $(echo "$3" | tr ',-' '  ')
    do
        echo "---- source, $dialect ----"
        emit "$1" "$dialect" >"$dir/source" && keep "$4" <"$dir/source"
    done
}

while IFS=$tab read -r name stages dialects much
do
    case $name in
    '#'*) continue ;;
    esac
    case " $* " in
    '  ' | *" $name "*) ;;
    *) continue ;;
    esac
    count=$((count + 1))
    print_all "$here/$name.ilx" "$stages" "$dialects" "$much" >"$dir/got" 2>&1
    if [ -n "$update" ]; then
        cmp -s "$dir/got" "$here/$name.expect" ||
            cp "$dir/got" "$here/$name.expect"
    elif [ ! -e "$here/$name.expect" ]; then
        complain "$name: there is no $name.expect; make golden-update"
    else
        present "$here/$name.expect" >"$dir/$name.expect"
        present "$dir/got" >"$dir/$name.got"
        (cd "$dir" && diff -u "$name.expect" "$name.got") || bad=1
    fi
done <"$here/stages.tsv"

# No program without a row, no expectation without a program.
for file in "$here"/*.ilx
do
    name=$(basename "$file" .ilx)
    grep -q "^$name$tab" "$here/stages.tsv" ||
        complain "$name.ilx has no row in stages.tsv"
done
for file in "$here"/*.expect
do
    [ -e "${file%.expect}.ilx" ] || complain "$file belongs to no program"
done

[ "$count" -gt 0 ] || complain "no program of that name"
[ "$bad" -eq 0 ] || echo "if that is meant: make golden-update, read the diff"
echo "$count programs"
exit "$bad"
