#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files of `ilexc compile --freestanding`: they ask for no C library, compute
# what they would take from it as that does, and give the same bits on a machine
# that has nothing but a page of start code (on Linux for x86-64).
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"

cat >product.ilx <<'END'
ilex 1
program product
size n, m, k
in a : f64[n, m]
in b : f64[m, k]
out c = matmul(a, b)
END
cat >stencil.ilx <<'END'
ilex 1
program stencil
size n
in u : f32[I:n] halo(I:1:1)
out v : f32[I:n] = floor(u[I-1]) + fmod(u, 3.0) - sqrt(abs(u[I+1]))*exp(sin(u))
END
cat >some.ilx <<'END'
ilex 1
program some
size n
in x : f64[n]
size k = count_nonzero(x > 0.0)
out y : f64[k] = rint(x[x > 0.0])
END
programs="product.ilx stencil.ilx some.ilx"
# shellcheck disable=SC2086
good "$ilexc" compile $programs --freestanding --prefix q -o free
# shellcheck disable=SC2086
good "$ilexc" compile $programs --prefix q -o hosted
count=$((count + 1))
grep '#include <' free/* | grep -v 'stdarg.h>\|stddef.h>\|stdint.h>' &&
    complain "headers that are not freestanding"

strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for cc in "$CC" clang
do
    command -v "${cc##* }" >path || continue
    # shellcheck disable=SC2086
    good $cc -std=c99 $strict -ffreestanding -fsyntax-only -Ifree free/*.c
done
good ${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -x c++ -Ifree free/q_product.c free/q_support.c

# shellcheck disable=SC2086
good $CC -std=gnu99 -O1 -w -Ifree "$top/tests/ahead/freestanding_math.c" \
    ${SANITIZE_FLAGS:-} -fno-builtin -lm -o math
good ./math
cat log

# shellcheck disable=SC2086
good $CC -std=gnu99 -O2 -w -Ihosted "$top/tests/ahead/freestanding.c" \
    hosted/q_*.c -lm -o with
good ./with
cp log with.log
if [ "$(uname -sm)" = "Linux x86_64" ]
then
    # shellcheck disable=SC2086
    good $CC -std=gnu99 -O2 -w -DALONE -ffreestanding -nostdlib -static \
        -fno-math-errno -fno-stack-protector -fno-builtin -Ifree \
        "$top/tests/ahead/freestanding.c" free/q_*.c -o alone
    good ./alone
    count=$((count + 1))
    # A run that has no workspace says so; the hosted one takes its own.
    grep -v '^q_some: workspace: a run needs' log >alone.log
    cmp alone.log with.log || complain "other results: $(cat log with.log)"
    [ "$(wc -l <log)" = 6 ] || complain "no word of the workspace"
fi

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
