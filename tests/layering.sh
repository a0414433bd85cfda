#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The direction of includes: include <- lib <- compiler <- runtime, and between
# their rooms the arrows of the table below. Public headers see C standard
# headers and each other; isl is seen by few files; a source file includes its own header
# first; every public header is tried in C++; local.mk of each folder
# forgets no file and lists none that is not there. Who calls whom is read from
# the objects that were built: rooms have no circles, files short ones.
set -eu
build=$(pwd)
cd "${srcdir:-.}"
LC_ALL=C
export LC_ALL
folders=$(ls -d include lib compiler runtime tests examples bench 2>/dev/null || :)
bad=0

complain() {
    echo "$*"
    bad=1
}

# Prints "file:line:spelling" of what the files below "$1" include.
includes() {
    [ -d "$1" ] || return 0
    find "$1" \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sort |
        while read -r file
        do
            sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1/p' \
                "$file" | sed "s|^|$file |"
        done
}

# What of "includes $1" matches none of the patterns that follow.
allow() {
    layer=$1
    shift
    includes "$layer" | while read -r file what
    do
        for pattern in "$@"
        do
            # shellcheck disable=SC2254
            case $what in
            $pattern) continue 2 ;;
            esac
        done
        echo "$file: includes $what, which $layer may not"
    done
}

# The rooms, each with those it may include from besides itself and <...>; a
# folder with "/*" stands for all of its rooms. One file: that file alone.
table='
lib/base
lib/ops             lib/base
lib/sort            lib/base
lib/graph           lib/base lib/ops
lib/shape           lib/base lib/ops lib/graph
lib/build           lib/base lib/ops lib/graph lib/shape
lib/syntax          lib/base lib/ops lib/graph lib/shape lib/build
compiler            lib/* compiler/emit/dialects.def compiler/emit/emit.h compiler/report/report.h compiler/run/run.h compiler/schedule/schedule.h compiler/steps/finish.h compiler/steps/steps.def compiler/target/target.h compiler/tree/tree.h
compiler/target     lib/* compiler
compiler/graph      lib/* compiler
compiler/stages     lib/* compiler
compiler/tree       lib/* compiler
compiler/lower      lib/* compiler compiler/tree
compiler/loop       lib/* compiler compiler/tree compiler/lower
compiler/schedule   lib/* compiler compiler/tree compiler/lower compiler/loop
compiler/finish     lib/* compiler compiler/tree
compiler/emit       lib/* compiler compiler/tree
compiler/report     lib/* compiler compiler/tree compiler/schedule
compiler/steps      lib/* compiler compiler/tree compiler/emit/emit.h compiler/report/report.h
compiler/run        lib/* compiler/compiler.h compiler/unit.h
compiler/host       lib/* compiler/compiler.h compiler/run compiler/steps/steps.def
runtime/threads     lib/*
runtime/memory      lib/*
runtime/group       lib/* runtime/threads
runtime/storage     lib/* compiler/compiler.h runtime/memory runtime/threads runtime/group
runtime/halo        lib/* runtime/group runtime/storage
runtime/files       lib/* runtime/group runtime/storage
runtime/exchange    lib/* runtime/storage runtime/files
runtime/cache       lib/base lib/graph
runtime/jit         lib/* compiler/compiler.h runtime/cache runtime/threads
runtime/library     lib/* compiler/compiler.h compiler/target/processors.def runtime/files runtime/jit
runtime/program     lib/* compiler/compiler.h compiler/run runtime/cache runtime/group runtime/halo runtime/memory runtime/threads runtime/storage runtime/jit runtime/exchange
runtime/eager       lib/* compiler/compiler.h runtime/memory runtime/threads runtime/storage runtime/jit runtime/program
runtime/measure     lib/base runtime/memory
runtime/ilexc       lib/* compiler/compiler.h compiler/loop/loops.def compiler/passes.def compiler/target/fields.def compiler/target/targets.def runtime/*
'

# Checks every include of lib, compiler and runtime against the table.
rooms() {
    for top in lib compiler runtime
    do
        includes $top
    done | ${AWK:-awk} -v table="$table" '
        BEGIN {
            n = split(table, line, "\n")
            for (i = 1; i <= n; i++) {
                m = split(line[i], word, " +")
                for (j = 1; j <= m; j++)
                    may[word[1], word[j]] = known[word[1]] = 1
            }
        }
        $2 ~ /^</ || $2 ~ /^"ilex(\/[^\/]*)?\.?[a-z]*"$/ { next }
        {
            room = $1; sub(/\/[^\/]*$/, "", room)
            file = substr($2, 2, length($2) - 2)
            from = file; sub(/\/[^\/]*$/, "", from)
            top = from; sub(/\/.*/, "/*", top)
            if (!known[room])
                print $1 ": room " room " is not in the table"
            else if (!may[room, from] && !may[room, top] && !may[room, file])
                print $1 ": includes " $2 ", which " room " may not"
        }'
}

# What nm says of the objects of all sources, "file: name type".
symbols() {
    find lib compiler runtime -name '*.c' | sed 's/\.c$//' | while read -r file
    do
        for object in "$file.o" "${file%/*}/.libs/${file##*/}.o"
        do
            [ ! -e "$build/$object" ] || { echo "$object"; break; }
        done
    done | (cd "$build" && xargs ${NM:-nm} -g -P -A) |
        sed 's/^\([^ ]*\)\.o: /\1 /; s,^\([^ ]*\)/\.libs/,\1/,'
}

# Circles among rooms, and among more than "most" files, by symbols that one
# object has and another one wants. The pipeline has a program finished, which
# wants kernels for other targets of it: that circle is known.
circles() {
    ${AWK:-awk} -v most=14 '
        function room(file) { sub(/\/[^\/]*$/, "", file); return file }
        # to[from, i] for i up to n[from]: marks what can be reached from "at"
        # along arrows, or against them, in seen[mark, ...].
        function reach(at, to, n, mark,   i, top, stack) {
            stack[top = 1] = at
            while (top > 0) {
                at = stack[top--]
                for (i = 1; i <= n[at]; i++)
                    if (!((mark, to[at, i]) in seen)) {
                        seen[mark, to[at, i]] = 1
                        stack[++top] = to[at, i]
                    }
            }
        }
        function arrow(from, to) {
            if ((from, to) in there)
                return
            there[from, to] = 1
            out[from, ++nout[from]] = to
            in_[to, ++nin[to]] = from
        }
        $3 ~ /^[TDBRSGVWC]$/ { home[$2] = $1 }
        $3 == "U" { wants[++nwants] = $1 " " $2 }
        END {
            for (i = 1; i <= nwants; i++) {
                split(wants[i], w, " ")
                if (!(w[2] in home) || home[w[2]] == w[1])
                    continue
                from = w[1]; to = home[w[2]]
                arrow(from, to)
                if (room(from) == room(to) ||
                    from " " to == "compiler/steps/finish compiler/pipeline")
                    continue
                arrow("room " room(from), "room " room(to))
                if (why[room(from), room(to)] == "")
                    why[room(from), room(to)] = from " wants " w[2] " of " to
            }
            for (at in nout)
                if (nin[at]) {
                    reach(at, out, nout, "> " at)
                    reach(at, in_, nin, "< " at)
                }
            for (at in nout) {
                if (done[at] || !((("> " at), at) in seen))
                    continue
                size = 0; files = ""
                for (other in nout)
                    if (((("> " at), other) in seen) && ((("< " at), other) in seen)) {
                        done[other] = ++size
                        files = files " " other
                    }
                if (at ~ /^room / || size > most)
                    bad = bad sprintf("a circle of %d:%s\n", size, files)
                if (at !~ /^room / && size > largest)
                    largest = size
            }
            for (pair in why) {
                split(pair, w, SUBSEP)
                if ((("> room " w[2]), "room " w[1]) in seen)
                    bad = bad why[pair] "\n"
            }
            printf "%s", bad
            if (nwants == 0)
                print "nm says nothing of the objects"
            printf "symbols: the largest circle has %d files, at most %d\n",
                largest, most >"/dev/stderr"
        }'
}

standard='<assert.h> <complex.h> <float.h> <inttypes.h> <limits.h> <math.h>
<stdarg.h> <stdbool.h> <stddef.h> <stdint.h> <string.h>'
# shellcheck disable=SC2086
found=$(
    allow include $standard '"ilex/*"' '"[a-z]*.h"' '"[a-z]*.def"'
    rooms
    allow examples '<[a-z]*.h>' '<sys/*>' '"ilex.h"' '<ilex/*>' '"ilex/*"' '"[a-z]*.h"'
)
[ -z "$found" ] || complain "$found"

isl=$(find include lib compiler runtime -name '*.[ch]' \
    -exec grep -lE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]isl/' {} + |
    grep -vE '^(lib/shape/(affine(_sets)?\.c|question\.h|isl_context\.[ch]))$' || :)
[ -z "$isl" ] || complain "isl headers belong to lib/shape/affine.c, affine_sets.c, question.h" \
    "and isl_context.[ch], not to:" "$isl"

for file in $(find lib compiler runtime -name '*.c' | sort)
do
    header=${file%.c}.h
    [ -e "$header" ] || continue
    first=$(sed -n 's/^#[[:space:]]*include[[:space:]]*["<]\([^">]*\)[">].*/\1/p' \
        "$file" | head -n 1)
    [ "$first" = "$header" ] || complain "$file: includes $first before $header"
done

# shellcheck disable=SC2086 # NM may be a command with options
if ! { set -- ${NM:-nm}; command -v "$1" >/dev/null; }
then
    echo "skipped: circles by symbols, there is no nm"
elif [ ! -e "$build/compiler/pipeline.lo" ]
then
    echo "skipped: circles by symbols, nothing is built here"
else
    found=$(symbols | circles)
    [ -z "$found" ] || complain "$found"
fi

# configure links the cage with lib/base alone, to see whether libtcc fits.
more=$(grep '^#include "' runtime/jit/tcc_cage.[ch] |
    grep -v -e '"lib/base/' -e tcc_cage.h) || :
[ -z "$more" ] || complain "configure links the cage with lib/base alone:" "$more"

for header in $(find include -name '*.h' | sort)
do
    name=${header#include/}
    grep -q "#include <$name>" tests/headers.cc ||
        complain "tests/headers.cc: does not include <$name>"
done
lists="Makefile.am $(find . -name local.mk | sed 's,^[.]/,,' | tr '\n' ' ')"
listed=$(mktemp "${TMPDIR:-/tmp}/ilex-listed.XXXXXX")
trap 'rm -f "$listed"' EXIT
# shellcheck disable=SC2086
{ sed -nE 's,^[[:space:]]+([^$()[:space:]]+/[^$()[:space:]]+).*,\1,p' $lists
  sed -n 's,^\t\(examples/[a-z_]*\)\( \\\)*$,\1.c,p' examples/local.mk
  sh tests/data.sh; } | sort -u >"$listed"
# shellcheck disable=SC2086
for file in $(find $folders -type f \( -name '*.[ch]' -o -name '*.cc' \
    -o -name '*.def' -o -name '*.expect' -o -name '*.ilx' -o -name '*.inc' \
    -o -name '*.npy' -o -name '*.py' -o -name '*.sh' -o -name '*.tsv' \) | sort)
do
    grep -qx "$file" "$listed" || complain "local.mk: does not list $file"
done
# What make compiles stands in a list, whatever the tarball takes along.
for file in lib/*/*.c compiler/*.c compiler/*/*.c runtime/*/*.c
do
    # shellcheck disable=SC2086
    grep -qE "[[:space:]]$file([[:space:]]|\$)" $lists ||
        complain "local.mk: does not list $file"
done
for file in tests/unit/test_*.c
do
    grep -q "[[:space:]]${file%.c}" tests/unit/local.mk ||
        complain "tests/unit/local.mk: does not list $file"
done
while read -r file
do
    case $file in bindings/*) continue ;; *.c | *.h | *.def | *.inc | *.md | *.sh) ;; *) continue ;; esac
    [ -e "$file" ] || complain "local.mk: lists $file, which is not there"
done <"$listed"
exit $bad
