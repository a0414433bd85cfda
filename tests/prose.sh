#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prose of documents has at most 100 columns. Rows of tables, code, pictures and
# lines that a link alone makes long are left out.
set -eu
LC_ALL=C.UTF-8
export LC_ALL
cd "${srcdir:-.}"
${AWK:-awk} '
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code; next }
    code || /^\|/ || /^    / || /^!\[/ { next }
    length > 100 && /[^ ] [^ ]/ {
        print FILENAME ":" FNR ": " length " columns, at most 100"
        bad = 1
    }
    END { exit bad }' doc/*.md README NEWS CONTRIBUTING.md
