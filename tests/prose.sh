#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prose of documents has at most 100 columns. Rows of tables, code, pictures and
# lines that a link alone makes long are left out. What the glossary of the
# compiler speaks of is there.
set -eu
LC_ALL=C.UTF-8
export LC_ALL
cd "${srcdir:-.}"
bad=0
for name in $(grep -o '`[^` ]*`' doc/glossary.md | tr -d '`' | sort -u)
do
    case $name in
    */) [ -d "$name" ] ;;
    *.c | *.h | *.def) [ -n "$(find compiler lib -name "$name")" ] ;;
    ix_*) grep -rqw "${name%.*}" compiler lib ;;
    --stage=*) grep -qw "${name#*=}" runtime/program/inspect.c ;;
    *) grep -qE "^IX_(PASS|TRANSFORMATION|LOOP|KERNELS|OPTION)\($name,|^IX_NODE.*\"$name\"" \
        compiler/passes.def compiler/loop/loops.def lib/graph/options.def \
        lib/graph/nodes.def ;;
    esac || { echo "doc/glossary.md: there is no $name"; bad=1; }
done
[ $bad -eq 0 ]
${AWK:-awk} '
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code; next }
    code || /^\|/ || /^    / || /^!\[/ { next }
    length > 100 && /[^ ] [^ ]/ {
        print FILENAME ":" FNR ": " length " columns, at most 100"
        bad = 1
    }
    END { exit bad }' doc/*.md README NEWS CONTRIBUTING.md
