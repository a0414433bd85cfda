#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes the documents and manual pages as HTML:
#
#     doc/html.sh SOURCE_DIRECTORY MANUAL_PAGES DIRECTORY
#
# MANUAL_PAGES is what doc/manpages.sh has written. CMARK (cmark-gfm) reads the
# documents, MANDOC the pages; what they lack, this adds: headings and functions
# that can be linked to, links between documents, functions and pages, an index.
set -eu
LC_ALL=C
export LC_ALL
top=$1
man=$2
dir=$3
: "${AWK:=awk}" "${CMARK:=cmark-gfm}" "${MANDOC:=mandoc}"
mkdir -p "$dir"

# Prints a page around standard input.
frame() {
    cat <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>$1</title>
<style>
body { max-width: 60em; margin: 1em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.4 }
pre { background: #f4f4f4; padding: 0.5em; overflow-x: auto; line-height: 1.2 }
pre b { font-weight: normal }
table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 0.2em 0.5em; vertical-align: top; text-align: left }
.head, .foot { display: none }
.Bd-indent { margin-left: 2em }
</style>
</head>
<body>
<p><a href="index.html">Ilex</a></p>
END
    cat
    echo '</body>'
    echo '</html>'
}

# Gives headings the names that links in documents call them, and leads links
# to documents to their pages.
document_links() {
    $AWK '
        match($0, /^<h[1-6]>/) {
            level = substr($0, 2, 2)
            name = substr($0, 5)
            sub(/<\/h[1-6]>.*/, "", name)
            gsub(/<[^>]*>/, "", name)
            gsub(/&[a-z]+;/, "", name)
            name = tolower(name)
            gsub(/[^a-z0-9 _-]/, "", name)
            gsub(/ /, "-", name)
            sub(/^<h[1-6]>/, "<" level " id=\"" name "\">")
        }
        { print }' | sed 's/\(href="[a-z_]*\)\.md\(["#]\)/\1.html\2/g'
}

# Gives functions names where they are declared, and makes links of those that
# are spoken of with a section. "links" says on which page a function stands.
manual_links() {
    $AWK -v page="$1" '
        FILENAME != "-" { at[$1] = $2; next }
        {
            line = $0
            if (match(line, /ilex_[a-z0-9_]+\(/) && line ~ /^(<pre>)?<b>/) {
                name = substr(line, RSTART, RLENGTH - 1)
                if ((at[name ".3"] == page || name ".3" == page) && !(name in named)) {
                    named[name]
                    line = substr(line, 1, RSTART - 1) "<a id=\"" name "\">" name \
                        "</a>" substr(line, RSTART + RLENGTH - 1)
                }
            }
            rest = line
            line = ""
            while (match(rest, /<b>[a-z_]+<\/b> ?\([0-9]\)/)) {
                text = substr(rest, RSTART, RLENGTH)
                word = text
                gsub(/<[^>]*>|[() ]/, "", word)
                name = substr(word, 1, length(word) - 1)
                word = name "." substr(word, length(word))
                target = word in at ? at[word] ".html#" name : word ".html"
                line = line substr(rest, 1, RSTART - 1) "<a href=\"" target "\">" \
                    text "</a>"
                rest = substr(rest, RSTART + RLENGTH)
            }
            print line rest
        }' "$man/links" -
}

for file in "$top"/doc/*.md
do
    case $file in
    */architecture.md | */decisions.md | */glossary.md | */passes.md) # of the sources
        continue ;;
    esac
    name=$(basename "$file" .md)
    title=$(sed -n '1s/^# *//p' "$file")
    $CMARK -e table "$file" | document_links | frame "$title" >"$dir/$name.html"
    echo "<li><a href=\"$name.html\">$title</a></li>"
done >"$dir/documents"
for file in "$top"/doc/ilexc.1 "$man"/*.[37]
do
    name=$(basename "$file")
    $MANDOC -T html -O fragment "$file" | manual_links "$name" |
        frame "$name" >"$dir/$name.html"
    echo "<li><a href=\"$name.html\">${name%.?}(${name##*.})</a></li>"
done >"$dir/pages"
cp "$top"/doc/*.svg "$dir"
{
    echo '<h1>Ilex</h1>'
    echo '<p>Begin with the <a href="tutorial.html">tutorial</a>.</p>'
    echo '<h2>Documents</h2><ul>'
    cat "$dir/documents"
    echo '</ul><h2>Manual pages</h2><ul>'
    cat "$dir/pages"
    echo '</ul><h2>Functions</h2><ul>'
    # Those of eager.h that tables make are not declared one by one.
    $AWK '{ name = $1; sub(/\.3$/, "", name)
            print "<li><a href=\"" $2 ".html" \
                ($2 == "ilex_eager.3" ? "" : "#" name) "\">" name "</a></li>" }' \
        "$man/links"
    echo '</ul>'
} | frame Ilex >"$dir/index.html"
rm -f "$dir/documents" "$dir/pages"
