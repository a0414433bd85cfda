#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc graph --html`: pages that a parser takes, whatever the text holds.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

cat >nasty.ilx <<'END'
ilex 1
# </code></section><script>alert("1 & 2")</script> ]]> <!-- -- ' " \ %s %n
program script
size n
in lt : f64[n] @name("<b>&amp;</b>")
let amp = where(lt < 0.0 && lt > -1.0, 1.0, lt) @hint("</p>'<p>")
out quot : f64[n] = amp + 1.0  # "<&>'
END

expect 0 '^<!DOCTYPE html>$' graph --html nasty.ilx
grep -q '<script>alert' out && fail 'a script of the text is one of the page'
expect 0 '&lt;script&gt;alert(&quot;1 &amp; 2&quot;)' graph --html nasty.ilx
expect 2 'either --dot or --html' graph --html --dot nasty.ilx
expect 0 '^digraph' graph nasty.ilx

# Without a place for temporary files, or without Graphviz, there is no picture.
[ -x /usr/bin/dot ] || [ -x /usr/local/bin/dot ] && picture=picture
ILEX_TMPDIR=/nowhere "$ilexc" graph --html "$examples/hdiff.ilx" -o plain.html
grep -q '<svg' plain.html && fail 'a picture without Graphviz'
expect 0 'lap: computed where it is read' graph --html "$examples/hdiff.ilx"
[ -z "${picture:-}" ] || [ "$(grep -c 'class="arrow"' out)" -eq 11 ] ||
    fail 'the picture of hdiff has other than 11 arrows'

command -v python3 >/dev/null 2>&1 && for file in nasty.ilx \
    "$examples"/*.ilx "$top"/tests/stages/*.ilx
do
    expect 0 '' graph --html "$file" -o page.html
    count=$((count + 1))
    python3 "$top/tests/integration/check_page.py" page.html "$file" \
        ${picture:-} >out 2>err || fail "the page of $file"
done
finish
