#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages of `make html`: every link leads to a page, and to a place on it
# that is there; every document, manual page and function is in the index.
set -eu
LC_ALL=C
export LC_ALL
top=$(cd "${srcdir:-.}" && pwd)
: "${AWK:=awk}" "${CMARK:=cmark-gfm}" "${MANDOC:=mandoc}"
export AWK CMARK MANDOC
for tool in "$CMARK" "$MANDOC"
do
    command -v "$tool" >/dev/null 2>&1 || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-html.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
bad=0

complain() {
    echo "$*"
    bad=1
}

sh "$top/doc/manpages.sh" "$top" "$work/man" 1.2.3
sh "$top/doc/html.sh" "$top" "$work/man" "$work/html"
cd "$work/html"

# "page place" of all names, "page" of all pages; "page target" of all links.
for page in *.html
do
    echo "$page"
    grep -oE 'id="[^"]*"' "$page" | sed "s/^id=\"\\(.*\\)\"/$page#\\1/"
done | sort -u >../places
ls ./*.svg | sed 's|^\./||' >>../places
sort -o ../places ../places
for page in *.html
do
    grep -oE '(href|src)="[^"]*"' "$page" | sed 's/^src/href/' |
        sed "s/^href=\"\\(.*\\)\"/\\1/; s/^#/$page#/" | sort -u
done | grep -v '^https\{0,1\}:' | sort -u >../links
[ "$(wc -l <../links)" -gt 500 ] || complain "only $(wc -l <../links) links"
comm -23 ../links ../places >../dead
[ ! -s ../dead ] || complain "dead links:" "$(cat ../dead)"

# No name stands twice on a page.
for page in *.html
do
    twice=$(grep -oE ' id="[^"]*"' "$page" | sort | uniq -d)
    [ -z "$twice" ] || complain "$page: twice" "$twice"
done

for page in *.html
do
    [ "$page" = index.html ] || grep -q "href=\"$page\"" index.html ||
        complain "index.html: no $page"
done
for document in "$top"/doc/*.md
do
    name=$(basename "$document" .md)
    case $name in
    architecture | decisions | glossary | passes) ;;
    *) [ -s "$name.html" ] || complain "no $name.html" ;;
    esac
done
cut -d ' ' -f 1 ../man/links | sed 's/\.3$//' | while read -r name
do
    grep -q ">$name</a>" index.html || echo "index.html: no $name"
done >../absent
[ ! -s ../absent ] || complain "$(cat ../absent)"
# The program of the tutorial is on its page, whole.
grep -q 'ilex_eval(ctx, &quot;sqrt(x\[1:\] \* x\[:-1\])&quot;' tutorial.html ||
    complain "tutorial.html: no program"
exit $bad
