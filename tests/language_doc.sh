#!/bin/sh
# SPDX-License-Identifier: MIT
#
# doc/language.md says what is so. Every statement, node kind, function,
# attribute, reduction and operator of the tables (*.def) stands in it, and
# occurs in a test; every example in its tables is read, and the C call beside
# it makes the same node (tests/language_doc.c). So do those of doc/pytato.md.
# shellcheck disable=SC2016
set -eu
LC_ALL=C
export LC_ALL
top=${srcdir:-.}
: "${AWK:=awk}" "${CC:=cc}" "${SANITIZE_FLAGS:=}"
page=$top/doc/language.md
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-language.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

complain() {
    echo "$*"
    bad=1
}

# Prints the rows of table "$2" whose macro is "$1", each on one line.
rows() {
    $AWK -v macro="$1" '
        index($0, macro "(") == 1 { row = ""; open = 1 }
        open { sub(/^[ \t]+/, ""); row = row $0 " " }
        open && /\)$/ { print row; open = 0 }' "$2"
}

# Prints the quoted text "$1", counted from 1, of each row.
quoted() {
    $AWK -F'"' -v k="$1" '{ print $(2 * k) }'
}

# ---- what stands in the tables ----------------------------------------------

rows IX_STATEMENT "$top/lib/syntax/statements.def" | quoted 1 >"$work/statements"
rows IX_NODE "$top/lib/graph/nodes.def" | quoted 1 >"$work/nodes"
rows IX_NODE "$top/lib/graph/nodes.def" | grep ', later, ' | quoted 1 >"$work/later"
{
    rows IX_NODE "$top/lib/graph/nodes.def" | grep ', node, '
    rows IX_FUNCTION "$top/lib/build/functions.def"
} >"$work/rows"
quoted 1 <"$work/rows" >"$work/functions"
# "function attribute", but for the one that stands where operands stand.
$AWK -F'"' '{
    text = $2
    none = $3 ~ /^, 0, 0,/
    tail = $0
    sub(/.*", *A[0-9]\(/, "", tail)
    gsub(/[) ]/, "", tail)
    n = split(tail, part, ",")
    for (i = none ? 4 : 2; i <= n; i += 2)
        print text, part[i]
}' "$work/rows" >"$work/attributes"
rows ILEX_REDUCTION "$top/include/ilex/reductions.def" |
    $AWK -F', *' '{ print $2 }' >"$work/reductions"
printf '%s\n' var std >>"$work/reductions"
rows ILEX_OP "$top/include/ilex/ops.def" | $AWK -F', *' '{ print $2 }' >"$work/ops"
for table in statements nodes later functions attributes reductions ops
do
    [ -s "$work/$table" ] || complain "no rows were found for $table"
done

# ---- the page names them all ------------------------------------------------

# Pieces of code, one a line: blocks and what stands between backticks.
$AWK '
    /^```/ { block = !block; next }
    block { print; next }
    { gsub(/\\\|/, "|"); n = split($0, part, "`")
      for (i = 2; i <= n; i += 2) print part[i] }' "$page" >"$work/code"

cat "$work/statements" "$work/nodes" "$work/functions" "$work/reductions" \
    "$work/ops" | sort -u | while read -r name
do
    grep -qxF -e "$name" "$work/code" || echo "doc/language.md: no \`$name\`"
done >"$work/missing"
while read -r name attribute
do
    grep -qE "(^|[^a-z_])$name\([^;]*;[^;)]*[ ,;]$attribute=" "$work/code" ||
        echo "doc/language.md: no \`$name\` with $attribute"
done <"$work/attributes" >>"$work/missing"
$AWK '/^ILEX_API ilex_array \*/ { sub(/\(.*/, ""); sub(/.*[*]/, ""); print }' \
    "$top/include/ilex/kinds.h" "$top/include/ilex/expr.h" | while read -r name
do
    grep -qE "(^|[^a-z_])$name($|[^a-z0-9_])" "$work/code" || echo "doc/language.md: no \`$name\`"
done >>"$work/missing"

# ---- each has a test --------------------------------------------------------

# Texts of tests, a statement a line; of C files string literals would do, but
# whole lines are as good.
cat "$top"/tests/unit/*.c "$top"/tests/unit/language.tsv "$top"/tests/stages/*.ilx \
    "$top"/examples/*.ilx | $AWK '{ gsub(/\\n/, "\n"); print }' >"$work/tests"

# tested WHAT PATTERN
tested() {
    grep -qE -e "$2" "$work/tests" || echo "no test of $1"
}
{
    while read -r name
    do
        tested "the statement $name" "(^|\")[ 	]*$name( |\$)"
    done <"$work/statements"
    while read -r name
    do
        tested "$name()" "(^|[^a-z_])$name\("
    done <"$work/functions"
    while read -r name attribute
    do
        tested "$name() with $attribute" \
            "(^|[^a-z_])$name\([^;]*;[^;)]*[ ,;]$attribute="
    done <"$work/attributes"
    while read -r name
    do
        cut -f2 "$top/tests/golden/data/reduce.tsv" | grep -qxF -e "$name" ||
            tested "the reduction $name" "(^|[^a-z_])$name(\[[^]]*\])?\("
    done <"$work/reductions"
    for attribute in where initial keep
    do
        tested "reductions with $attribute" \
            "(sum|max|mean)(\[[^]]*\])?\([^;]*;[^;)]*[ ,;]$attribute="
    done
    for attribute in ddof where keep
    do
        tested "var or std with $attribute" \
            "(var|std)(\[[^]]*\])?\([^;]*;[^;)]*[ ,;]$attribute="
    done
    for mode in wrap edge reflect symmetric unchecked '[0-9.]+'
    do
        tested "'; $mode' in a map" "^map .*; $mode\]"
    done
    for mode in wrap edge reflect symmetric unchecked '[0-9.]+'
    do
        tested "'; $mode' in a field" "^(let|out) .*; $mode\]"
    done
    for clause in ' halo\(' ' valid\(' ' reads\(' ' acc ' ' order F' ' inplace ' \
        'scan [^ ]+ forward ' 'scan [^ ]+ backward ' '^scan [^=]* : [a-z0-9]+(\[[^]]*\])? = ' \
        '[0-9]j' '\[[^]]*\.\.\.' '[A-Z][+-]1/2\]' '[A-Z]=[0-9]+\]' '[A-Z]=[0-9]*:' \
        '\[k:[a-z]+\[i\]:' 'einsum [^=]*= [^=]*\*?\(' 'index\([A-Z]\)' 'size\([a-z]\)'
    do
        tested "'$clause'" "$clause"
    done
    for data in scalar_unary scalar_binary
    do
        cut -f1 "$top/tests/golden/data/$data.tsv"
    done | sort -u >"$work/golden"
    while read -r name
    do
        grep -qxF -e "$name" "$work/golden" || tested "the operator $name" \
            "(^|[^a-z_])$name\("
    done <"$work/ops"
} >>"$work/missing"
[ ! -s "$work/missing" ] || complain "$(cat "$work/missing")"

# ---- the examples -----------------------------------------------------------

# Writes language_doc_rows.inc: the declarations and examples().
$AWK '
    function quote(s) {
        gsub(/\\/, "\\\\", s)
        gsub(/"/, "\\\"", s)
        return "\"" s "\""
    }
    # The codes of a cell, in code[1..]; how many.
    function codes(cell,   n, i, part) {
        n = split(cell, part, "`")
        for (i = 2; i <= n; i += 2)
            code[i / 2] = part[i]
        return int(n / 2)
    }
    function place(   name) {
        name = FILENAME
        sub(/.*\//, "doc/", name)
        return quote(name ":" FNR)
    }
    function keyword(word) { return (word in statement) }
    # What a statement gives a name to.
    function defined(text,   word, k) {
        split(text, word, " ")
        k = word[1] == "scan" ? 4 : 2
        sub(/[:\[].*/, "", word[k])
        return word[1] ~ /^(size|assume|program|ilex|#)$/ ? "" : word[k]
    }
    function example(text, call,   word) {
        split(text, word, " ")
        if (!keyword(word[1]))
            text = "let e_ = " text
        if (call == "")
            printf "    TEXT(%s, %s, %s);\n", place(), quote(text),
                quote(defined(text))
        else
            printf "    BOTH(%s, %s, %s, %s);\n", place(), quote(text),
                quote(defined(text)), call
    }
    function row(line,   cell, n, k, calls, call) {
        gsub(/\\\|/, "\001", line)
        n = split(line, cell, "|")
        for (k = 2; k < n; k++)
            gsub(/\001/, "|", cell[k])
        calls = 0
        for (k = codes(cell[4]); k > 0; k--) {
            call[k] = code[k] ~ /\(/ ? code[k] : "" # not a name alone
            if (call[k] != "" && !calls) calls = k
        }
        n = codes(cell[5])
        if (calls > n) {
            print place() ": " calls " calls, " n " texts" >wrong
            return
        }
        for (k = 1; k <= n; k++)
            if (!((code[k]) in declared))
                example(code[k], call[k])
    }
    NR == FNR { statement[$1]; next }
    /^```ilex$/ && !heading { heading = 1; next }
    heading == 1 && /^```$/ {
        heading = 2
        print "#define HEADING " text
        print "static void\nexamples(void)\n{"
        for (k = 1; k <= inputs; k++)
            printf "    ilex_array *%s = ilex_module_array(page, \"%s\");\n    (void)%s;\n",
                input[k], input[k], input[k]
        for (k = 1; k <= assumptions; k++)
            printf "    ilex_assume(ctx, %s);\n", quote(assumed[k])
        next
    }
    heading == 1 {
        text = text " \\\n    " quote($0)
        sub(/"$/, "\\n\"", text)
        sub(/ *#.*/, "")
        declared[$0]
        if ($1 == "in") input[++inputs] = $2
        if ($1 == "assume") { sub(/^assume /, ""); assumed[++assumptions] = $0 }
        next
    }
    /^```c$/ { c = 1; print "    enter();\n    {"; next }
    c && /^```$/ {
        c = 0
        print "    }\n    done(" place() ", ilex_error_code(ctx));\n    leave();"
        next
    }
    c { print; next }
    /^\|/ && /\| C \| text \|$/ { table = 1; next }
    !/^\|/ { table = 0 }
    table && !/^\|-/ { row($0) }
    END {
        while ((getline name <later) > 0)
            printf "    refused(%s);\n", quote("let e_ = " name "(x)")
        print "}"
    }' wrong="$work/wrong" later="$work/later" "$work/statements" "$page" \
    "$top/doc/pytato.md" >"$work/language_doc_rows.inc"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"

library=.libs/libilex.so
if [ -e "$library" ]; then
    # shellcheck disable=SC2086
    if ! $CC $SANITIZE_FLAGS -std=c11 -I"$top/include" -I"$work" \
        "$top/tests/language_doc.c" "$library" -o "$work/try"
    then
        complain "a C call of the pages does not compile"
    else
        LD_LIBRARY_PATH=.libs "$work/try" || complain "an example of the pages is wrong"
    fi
else
    echo "no shared library was built: the examples were not tried"
fi
exit $bad
