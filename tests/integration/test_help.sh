#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc list` and `ilexc help` know every row of every table (*.def), as this
# script reads them, and what they say of one is what its row says.
set -u
LC_ALL=C
export LC_ALL
top=$(cd "${srcdir:-.}" && pwd)
: "${AWK:=awk}"
ilexc=${ILEXC:-$PWD/ilexc}
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilexc-help.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
count=0
bad=0

fail() {
    bad=$((bad + 1))
    echo "FAIL: $*"
}

# Prints the rows of table "$2" whose macro is "$1", each on one line.
rows() {
    $AWK -v macro="$1" '
        index($0, macro "(") == 1 { row = ""; open = 1 }
        open { sub(/^[ \t]+/, ""); row = row $0 " " }
        open && /\)[ \t]*$/ { print row; open = 0 }' "$top/$2"
}

# The "$1"-th field between commas, the "$1"-th text between quotes.
field() { $AWK -F'[(,] *' -v k="$1" '{ print $(k + 1) }'; }
quoted() { $AWK -F'"' -v k="$1" '{ print $(2 * k) }'; }

# Wants that "ilexc list $1" has exactly the names in the file "rows", and that
# there is help about each.
listed() {
    sort rows >want
    "$ilexc" list "$1" >list || fail "list $1: exit status $?"
    cut -d ' ' -f 1 list | sort >got
    count=$((count + 1))
    [ -s want ] || fail "no rows were found for $1"
    cmp -s want got || {
        fail "list $1"
        diff want got
    }
    sort -u want >names
    while read -r name
    do
        count=$((count + 1))
        "$ilexc" help "$name" >out 2>&1 || fail "help $name: exit status $?"
        grep -q ": an\{0,1\} $2\$" out || fail "help $name: no $2"
    done <names
}

rows ILEX_OP include/ilex/ops.def | field 2 >rows
listed ops 'operator of elements'
{
    rows ILEX_REDUCTION include/ilex/reductions.def | field 2
    rows IX_WORD lib/syntax/words.def | grep ', reduction,' | quoted 1
} >rows
listed reductions reduction
{
    rows IX_NODE lib/graph/nodes.def | grep -e ', node, ' -e ', later, ' | quoted 1
    rows IX_FUNCTION lib/build/functions.def | quoted 1
    rows IX_WORD lib/syntax/words.def | grep ', function,' | quoted 1
} >rows
listed functions function
rows IX_STATEMENT lib/syntax/statements.def | quoted 1 >rows
listed statements statement
rows IX_WORD lib/syntax/words.def |
    grep -v -e ', function,' -e ', reduction,' | quoted 1 >rows
listed words word
rows ILEX_DTYPE include/ilex/dtypes.def | quoted 1 >rows
listed dtypes dtype
{
    rows IX_PASS compiler/passes.def
    rows IX_TRANSFORMATION compiler/passes.def
} | field 1 >rows
listed passes 'pass of the compiler'
{
    rows IX_LOOP compiler/loop/loops.def
    rows IX_KERNELS compiler/loop/loops.def
} | field 1 >rows
listed directives directive
rows IX_OPTION lib/graph/options.def | field 1 >rows
listed options 'option of the library'
rows IX_FLAG runtime/ilexc/flags.def | quoted 1 >rows
listed flags 'option of the command'
rows IX_BACKEND runtime/jit/backends.def | field 1 >rows
listed backends 'back end'
rows IX_TARGET compiler/target/targets.def | field 1 >rows
listed targets 'target of kernels'
rows IX_TARGET_FIELD compiler/target/fields.def | field 1 >rows
listed fields 'field of a target'
rows ILEX_ERROR include/ilex/errors.def | field 2 | sed 's/^/E/' >rows
listed errors error

# Every list is tried above.
count=$((count + 1))
[ "$("$ilexc" list | wc -l)" -eq 14 ] || fail "not 14 lists: $("$ilexc" list)"

# says TEXT NAME...: the help, on one line, has the text.
says() {
    count=$((count + 1))
    text=$1
    shift
    "$ilexc" help "$@" 2>&1 | tr '\n' ' ' | tr -s ' ' >out
    grep -qF -e "$text" out || fail "help $*: no '$text': $(cat out)"
}

# What a row says, whole; other spellings; several things of one name.
says 'x - y * floor(x / y), with the sign of y. Integers: 0 where y is 0.' %
says 'Not for complex; the result has the promoted dtype, i8 for bool.' mod
says 'At most 1 unit of the last place off' power
says 'ilex_storage_power(ctx, x, y)' pow
says 'roll(x; axis=0, by=1): a function' roll
says 'csr_matmul(x, y, z, w; columns=1): a function' csr_matmul
says 'May be left out: low, high, value, mode.' pad
says 'Not in this version' call
says 'let lap = u[I+1] - 2*u + u[I-1]' let
says 'From level STAGES to TREE; `ilexc print FILE --stage=nest`' nest
says '--threads=auto|int: an option of the library' ILEX_THREADS
says '--threads=auto|int: an option of the library' --threads
says 'an index leaves the domain of its operand' ILEX_E_BOUNDS
says 'an index leaves the domain of its operand' 401
says 'an index leaves the domain of its operand' e401
says 'minimum(x, y): an operator' min
says 'min[0](x): a reduction' min
says 'ilexc check [OPTION ...] FILE' check
says 'check: a pass of the compiler' check
says 'sqrt(x): an operator' add sqrt

# No line is longer than a terminal.
count=$((count + 1))
"$ilexc" help tensordot combine random sqrt nest | $AWK 'length > 80' >long
[ ! -s long ] || fail "long lines: $(cat long)"

# What is not there is no success, and says what may have been meant.
missing() {
    says "$1" "$2"
    "$ilexc" help "$2" >/dev/null 2>&1
    [ $? -eq 2 ] || fail "help $2: exit status"
}
missing "did you mean 'sqrt'?" sqtr
missing "did you mean 'compile'?" complie
missing "did you mean 'E402'?" E4022
missing 'there is no verb frobnicate, and nothing else of this name `ilexc' frobnicate
count=$((count + 1))
"$ilexc" list opps >out 2>&1
[ $? -eq 2 ] && grep -q "did you mean 'ops'" out || fail "list opps: $(cat out)"

echo "$count checks, $bad failed"
[ "$bad" -eq 0 ]
