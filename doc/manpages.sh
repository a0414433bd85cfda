#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes the manual pages that are made of other files:
#
#     doc/manpages.sh SOURCE_DIRECTORY DIRECTORY VERSION
#
# a page of section 3 for each public header, from its comments; ilex(7), from
# doc/ilex.7.in and the tables of options and errors; and "links", a line
# "ilex_run.3 ilex_program.3" for each function: its page, and where it stands.
set -eu
LC_ALL=C
export LC_ALL
top=$1
dir=$2
version=$3
: "${AWK:=awk}"
mkdir -p "$dir"
rm -f "$dir/links.new"

for header in "$top"/include/ilex/*.h
do
    base=$(basename "$header" .h)
    $AWK -v page="$dir/ilex_$base.3" -v name="ilex_$base" \
        -v header="ilex/$base.h" -v version="$version" \
        -v links="$dir/links.new" -f "$top/doc/manpages.awk" "$header"
done

# Operators and reductions on storages, which eager.h makes of tables.
{
    sed -n 's/^ilex_\(.*\)\.3 ilex_elementwise\.3$/\1/p' "$dir/links.new"
    sed -n 's/^ILEX_REDUCTION([A-Z]*, *\([a-z]*\),.*/\1/p' \
        "$top/include/ilex/reductions.def"
} | sed 's/.*/ilex_storage_&.3 ilex_eager.3/' >>"$dir/links.new"

# Prints rows of a table, "$2" in "$1", as paragraphs with a term: "$3" is what
# awk prints of the texts between quotes, q[1...], and of the words of the row,
# w[1...].
terms() {
    $AWK -v macro="$2" '
        index($0, macro "(") == 1 {
            n = split($0, part, "\"")
            for (i = 2; i <= n; i += 2) q[i / 2] = part[i]
            split($0, w, /[(,] */)
            for (i in q) gsub(/\\/, "\\e", q[i])
            print ".TP"
            '"$3"'
        }' "$top/$1" | sed 's/-/\\-/g'
}
terms lib/graph/options.def IX_OPTION '
    print ".BR ILEX_" toupper(w[2]) ", \" " q[2] ", \\(dq" q[1] "\\(dq\""
    print q[3]' >"$dir/options"
terms include/ilex/errors.def ILEX_ERROR '
    print ".B ILEX_E_" w[2] ", E" w[3]
    print q[1]' >"$dir/errors"
sed -e "/^@OPTIONS@\$/{r $dir/options
d
}" -e "/^@ERRORS@\$/{r $dir/errors
d
}" -e "s/@VERSION@/$version/" "$top/doc/ilex.7.in" >"$dir/ilex.7"
rm -f "$dir/options" "$dir/errors"
# A function may be called as a page is: ilex_expr.
sort -u "$dir/links.new" | $AWK '$1 != $2' >"$dir/links"
rm -f "$dir/links.new"
