#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Manual pages: each public header has one, with every comment of it; each
# function that is declared has a link to the page on which it stands; ilex(7)
# has every option and error; and groff (mandoc) reads all of them without a
# warning, where it is there.
set -eu
LC_ALL=C
export LC_ALL
top=$(cd "${srcdir:-.}" && pwd)
: "${CC:=cc}" "${AWK:=awk}"
export AWK
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-man.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
bad=0

complain() {
    echo "$*"
    bad=1
}

sh "$top/doc/manpages.sh" "$top" "$work/man" 1.2.3
cp "$top/doc/ilexc.1" "$work/man"
cd "$work/man"

# Links are the declared functions, as tests/declared.sh knows them.
(cd "$top/include" && ls ilex.h ilex/*.h) | sed 's/.*/#include "&"/' >../all.c
$CC -E -I"$top/include" ../all.c | grep -v '^#' | tr '\n' ' ' |
    grep -oE 'ilex_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >../declared
{
    sed 's/\.3 .*//' links
    for page in *.3
    do
        grep -oE "(^|[^A-Za-z0-9_]|\\\\fB)${page%.3}\\(" "$page" | sed 's/.*ilex_/ilex_/; s/(//'
    done
} | sort -u >../linked
[ "$(wc -l <../linked)" -gt 300 ] || complain "only $(wc -l <../linked) links"
cmp -s ../declared ../linked ||
    complain "functions and links differ: $(comm -3 ../declared ../linked)"
while read -r link page
do
    name=${link%.3}
    [ -e "$page" ] || complain "$link: no $page"
    case $page in
    ilex_eager.3) ;; # declared by macros of tables
    *)
        grep -qE "(^|[^A-Za-z0-9_]|\\\\fB)$name\(" "$page" ||
            complain "$page: no $name"
        ;;
    esac
    [ ! -e "$link" ] || complain "$link is a page and a link"
done <links

# The words of a text, one a line.
words() { tr -c 'A-Za-z0-9_' '\n' | tr A-Z a-z | sort -u; }

# The words of the comments are the words of the pages.
for header in "$top"/include/ilex/*.h
do
    page=ilex_$(basename "$header" .h).3
    [ -s "$page" ] || { complain "no $page"; continue; }
    sed 's/\\f[BR]/ /g; s/\\e[nt]/ /g' "$page" | words >../words
    $AWK '/^\/\*/ { c = 1 } c { print } /\*\// { c = 0 }' "$header" |
        sed '/SPDX/d; s/\\[nt]/ /g' | words | comm -23 - ../words >../lost
    [ ! -s ../lost ] || complain "$page lacks" "$(cat ../lost)"
done

for option in $(sed -n 's/^IX_OPTION(\([a-z_]*\),.*/\1/p' "$top/lib/graph/options.def")
do
    grep -q "^\\.BR ILEX_$(echo "$option" | tr a-z A-Z)," ilex.7 ||
        complain "ilex.7: no option $option"
done
for error in $(sed -n 's/^ILEX_ERROR(\([A-Z_]*\),.*/\1/p' "$top/include/ilex/errors.def")
do
    grep -q "^\\.B ILEX_E_$error, E[0-9]" ilex.7 || complain "ilex.7: no $error"
done
grep -q '@' ilex.7 && complain "ilex.7: $(grep '@' ilex.7)"

# Pages that ilex(7) and ilexc(1) speak of are there.
grep -hoE '^\.BR [a-z_]+ \([0-9]\)|ilex[a-z_]* \([0-9]\)' ilex.7 ilexc.1 |
    sed 's/^\.BR //; s/ (\([0-9]\))/.\1/' | sort -u | while read -r page
do
    [ -e "$page" ] || grep -q "^$page " links || echo "no page $page"
done >../absent
[ ! -s ../absent ] || complain "$(cat ../absent)"

for page in *.[137]
do
    if command -v groff >/dev/null 2>&1; then
        groff -man -Tascii -ww -z "$page" >../warnings 2>&1 ||
            complain "groff fails on $page"
        [ ! -s ../warnings ] || complain "$page:" "$(head -n 5 ../warnings)"
    fi
    if command -v mandoc >/dev/null 2>&1; then
        # Pages have no dates, so that they are the same whenever they are made.
        mandoc -T lint -W warning "$page" 2>&1 |
            grep -v "missing date" >../warnings || :
        [ ! -s ../warnings ] || complain "$page:" "$(head -n 5 ../warnings)"
    fi
done
exit $bad
