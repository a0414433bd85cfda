#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Kernels of which a schedule makes versions, compiled ahead of time, for the
# CPU and for a grid: versions.c says which should run.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"

cat >p.ilx <<'END'
ilex 1
program p
size n, m, k
in a : f64[n, k]
in b : f64[k, m]
out c = einsum("ik,kj->ij", a, b)
END
cat >schedule <<'END'
program:
    version k0 when k == 8
    version k0:else when stride(b, 1) == 1
    version k0:else:else when stride(b, 0) == 1
kernel k0: split i0 2; jam i0.i
kernel k0:else: split i1 4; jam i1.i
kernel k0:else:else: split i1 4; jam i1.i
kernel k0:else:else:else:
END
good "$ilexc" compile p.ilx -o . --schedule=schedule
good "$ilexc" compile p.ilx -o . --schedule=none --prefix none
grep -v "^kernel" schedule >program
good "$ilexc" compile --language cuda p.ilx -o . --prefix on_grid \
    --schedule=program
grep -q '^ilex_start_3(' on_grid.cu || complain "on_grid.cu has no versions"
good $CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only p.c
awk '
    /^ilex_call_[0-9]+\(/ { split($1, word, /[_(]/) }
    { print }
    /^\{/ && word[3] != "" {
        printf "    extern int ilex_taken[];\n    ilex_taken[%d]++;\n", word[3]
        word[3] = ""
    }' p.c >counted && mv counted p.c
# shellcheck disable=SC2086
good $CC -std=gnu99 -O1 ${SANITIZE_FLAGS:-} -I. "$top/tests/ahead/versions.c" \
    p.c none.c -lm -o versions
good ./versions
echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
