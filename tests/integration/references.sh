#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is installed speaks of nothing that is not: files that headers, tables,
# documents and manual pages name are there, links of documents lead to a
# document and a heading of it. Files of the source tree are called that:
# "tests/x.sh of the sources".
set -eu
LC_ALL=C
export LC_ALL
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"
: "${AWK:=awk}"
include=$($PKG_CONFIG --variable=includedir ilex)
doc=$(dirname "$(find "$prefix" -name tutorial.md)")
bad=0

complain() {
    echo "$*"
    bad=1
}

# Prints a file on one line, without the stars and dots before its lines.
flat() { sed 's/^ \*//; s/\\-/-/g' "$1" | tr '\n' ' ' | tr -s ' '; }

# The files that "$1" names: by a path from a folder of the tree, or by a name
# that only a file has.
named() {
    flat "$1" | sed 's/[A-Za-z0-9_./-]*`\{0,1\} of the sources//g' | grep -oE \
        '(^|[^A-Za-z0-9_/.-])((bench|build-aux|cmake|compiler|doc|examples|include|lib|m4|runtime|tests)/[A-Za-z0-9_./-]*[A-Za-z0-9_/]|[a-z_]+\.(def|inc|md|sh))($|[^A-Za-z0-9_/-])' |
        sed 's/^[^A-Za-z0-9_]*//; s/[^A-Za-z0-9_/]*$//' | sort -u
}

cmp "${srcdir:-.}/README" "${srcdir:-.}/README.md" ||
    complain "README and README.md are one document: ln -sf README.md README"

files=$(ls "$include"/*.h "$include"/ilex/* "$doc"/*.md
    find "$prefix" -path '*/man[17]/*')
for file in $files
do
    for name in $(named "$file")
    do
        [ -e "$doc/$name" ] || [ -e "$include/ilex/$name" ] ||
            complain "$(basename "$file") names $name, which is not installed"
    done
done
[ "$(echo "$files" | wc -l)" -gt 25 ] || complain "only these files: $files"

# The headings of a document, as links call them.
anchors() {
    sed -n 's/^##* //p' "$1" | tr A-Z a-z | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links=0
for file in "$doc"/*.md
do
    # Links stand outside of code.
    for link in $($AWK '/^```/ { code = !code; next } !code' "$file" |
        sed 's/`[^`]*`//g' | grep -oE '\]\([^)]*\)' | sed 's/^](//; s/)$//')
    do
        links=$((links + 1))
        target=${link%%#*}
        target=$doc/${target:-$(basename "$file")}
        [ -e "$target" ] || complain "$(basename "$file"): a link to $link"
        case $link in
        *#*)
            anchors "$target" | grep -qxF -e "${link#*#}" ||
                complain "$(basename "$file"): no heading $link"
            ;;
        esac
    done
done
[ "$links" -gt 20 ] || complain "only $links links were found"
exit $bad
