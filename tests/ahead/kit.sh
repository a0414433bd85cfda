#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Several programs compiled ahead of time share what is the same in all of them:
# twenty stencils are short, strict compilers take them, plans run and refuse
# (kit.c), libraries whose shared parts differ stand in one program, files of
# different libraries do not mix.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"

i=1
while [ $i -le 20 ]
do
    cat >s$i.ilx <<END
ilex 1
program s$i
size n, m
in u : f64[I:n, J:m] halo(I:1:1, J:1:1)
out v : f64[I:n, J:m] = u[I-1] + u[I+1] + $i.0*u[J-1] + u[J+1] - 4.0*u
END
    i=$((i + 1))
done
cat >scaled.ilx <<'END'
ilex 1
program scaled
size n, m
in c : f64
in u : f64[I:n, J:m] halo(I:1:1, J:1:1)
out v : f64[I:n, J:m] = c*(u[I-1] + u[I+1] + u[J-1] + u[J+1] - 4.0*u)
END
cat >sums.ilx <<'END'
ilex 1
program sums
size n, m
in x : f64[n, m]
in at : i64[n]
let row = sum[1](x)
out y : f64[n] = row[at]/max(row)
END
cat >many.ilx <<'END'
ilex 1
program many
size n
in x : f64[n]
size k = count_nonzero(x > 0.0)
out y : f64[k] = x[x > 0.0]
END
# shellcheck disable=SC2046
good "$ilexc" compile $(ls s*.ilx) many.ilx -o warm --prefix heat
good "$ilexc" compile scaled.ilx sums.ilx -o cold --prefix frost

lines=$(cat warm/heat_s[0-9]*.c warm/heat_support.c | wc -l)
count=$((count + 1))
[ "$lines" -le 5000 ] || complain "twenty stencils have $lines lines"

# What is shared does not depend on which program is the first: one that calls
# a function of the host knows a thing more.
cat >calls.ilx <<'END'
ilex 1
program calls
size n
extern gauss(v : f64[k]) -> f64[k] pure
in x : f64[n]
out y : f64[n] = gauss(x) + 1.0
END
good "$ilexc" compile calls.ilx s1.ilx -o one --prefix p
good "$ilexc" compile s1.ilx calls.ilx -o two --prefix p
good cmp one/p_support.h two/p_support.h
good cmp one/p_support.c two/p_support.c
good $CC -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Ione one/*.c

strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
# shellcheck disable=SC2086
good $CC -std=c99 $strict -fsyntax-only -Iwarm warm/heat_*.c
# shellcheck disable=SC2086
good ${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -x c++ warm/heat_s1.c warm/heat_many.c warm/heat_support.c

# The other library's text of a run has something more: its types differ.
sed 's/^typedef struct ilex_state {/&\n    i64 more[3];/
     s/^#define ILEX_SUPPORT .*/#define ILEX_SUPPORT 0x1u/' \
    cold/frost_support.h >other && mv other cold/frost_support.h
for file in frost_scaled frost_sums
do
    sed 's/^#if ILEX_SUPPORT != .*/#if ILEX_SUPPORT != 0x1u/' cold/$file.c \
        >other && mv other cold/$file.c
done
# shellcheck disable=SC2086
good $CC -std=gnu99 -O1 ${SANITIZE_FLAGS:-} -Iwarm -Icold \
    "$top/tests/ahead/kit.c" warm/heat_scaled.c warm/heat_s2.c warm/heat_many.c \
    warm/heat_support.c cold/*.c -lm -o kit
good ./kit

# One library's file with what another one shares.
count=$((count + 1))
sed 's/heat_support/frost_support/' warm/heat_s1.c >mixed.c
if $CC -std=c99 -fsyntax-only -Iwarm -Icold mixed.c 2>log
then
    complain "files of two versions fit"
else
    grep -q 'frost_support.h is of another version' log ||
        complain "no word of versions"
fi
# Nothing of what is shared is seen outside of a shared library.
good "$ilexc" compile s1.ilx s2.ilx -o shared --prefix both --shared
count=$((count + 1))
nm -D --defined-only shared/libboth.so | grep -q 'support\| ilex_' &&
    complain "a shared library shows what its programs share"
echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
