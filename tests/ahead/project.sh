#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs compiled ahead of time as their users meet them: the project of
# examples/aot, copied away from Ilex, built with its Makefile (and by CMake
# where that is) by the compilers that are here, gives the bits of `ilexc run`;
# generated files are the same each time and make no compiler warn; what would
# change results is refused or found; mistakes.c.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
: "${NM:=nm}" "${MAKE:=make}"
# nothing of a surrounding make is for the project's
unset MAKEFLAGS MFLAGS MAKELEVEL

has() {
    command -v "$1" >/dev/null 2>&1
}

same() {
    count=$((count + 1))
    cmp "$1" "$2" || complain "$1 is not $2"
}

# ---- the project --------------------------------------------------------------

mkdir "$dir/project" "$dir/again" "$dir/out" "$dir/want"
cp "$top"/examples/*.ilx "$dir"
cp "$top"/examples/aot/* "$dir/project"
cd "$dir/project" || exit 99
good $MAKE generate ILEXC="$ilexc"
for file in *.c
do
    [ "$file" = main.c ] && continue
    program=${file%.c}.ilx
    [ -e "$program" ] || program=../$program
    # at another time, in another zone, for another epoch
    good env SOURCE_DATE_EPOCH=1 TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$ilexc" compile \
        "$program" -o ../again
    for made in "../again/${file%.c}".*
    do
        same "$made" "${made##*/}"
    done
done

# What the project wrote must be what programs run by the library write.
run() {
    name=$1
    shift
    good "$ilexc" run "$@" --jit=auto
    for file in ../want/*.npy
    do
        same "../out/${name}_${file##*/}" "$file"
        rm -f "$file"
    done
}

compare() {
    run hdiff ../hdiff.ilx --in u=@../out/hdiff_u.npy,halo=file \
        --in coeff=@../out/hdiff_coeff.npy --size ni=19,nj=23 \
        --out v=@../want/v.npy
    run norms norms.ilx --in a=@../out/norms_a.npy \
        --out largest=@../want/largest.npy --out square=@../want/square.npy
    run matmul matmul.ilx --in a=@../out/matmul_a.npy \
        --in b=@../out/matmul_b.npy --out c=@../want/c.npy
    run thomas ../thomas.ilx --in a=@../out/thomas_a.npy \
        --in b=@../out/thomas_b.npy --in c=@../out/thomas_c.npy \
        --in d=@../out/thomas_d.npy --out y=@../want/y.npy
    run normalise normalise.ilx --in x=@../out/normalise_x.npy \
        --out y=@../want/y.npy
}

# Builds the project with compiler "$1" and flags "$2", and runs it; the first
# results are compared with those of the library, the others with the first.
project() {
    rm -f ../out/* ./*.o aot
    good $MAKE CC="$1" CFLAGS="-std=c99 $2"
    good ./aot ../out
    if [ -d ../first ]; then
        for file in ../first/*.npy
        do
            same "../out/${file##*/}" "$file"
        done
    else
        compare
        cp -r ../out ../first
    fi
}

has gcc && project gcc -O0
has gcc && project gcc -O2
# of GNU C, where gcc contracts unless it is told not to
has gcc && project gcc '-std=gnu99 -O3 -march=native'
has clang && project clang -O2
has gcc || has clang || project "$CC" -O2
sanitize='-O0 -fsanitize=address,undefined -fno-sanitize-recover=all'
echo 'int main(void) { return 0; }' >empty.c
# shellcheck disable=SC2086
$CC $sanitize empty.c -o empty 2>/dev/null && ./empty &&
    project "$CC" "$sanitize"
rm -f empty empty.c
if has cmake; then
    good cmake -S . -B cmake -DILEXC="$ilexc" -DIlex_DIR="$top/cmake"
    good cmake --build cmake
    good cmake/aot ../out
    same ../out/hdiff_v.npy ../first/hdiff_v.npy
fi

# The same from Fortran; its test is in the program.
if has gfortran; then
    cp -r "$top/examples/fortran" "$dir/fortran"
    cd "$dir/fortran" || exit 99
    good $MAKE ILEXC="$ilexc" CC="$CC" CFLAGS=-O1 FFLAGS='-O1 -std=f2008 -Wall -Werror'
    good ./diffusion
    cd ../project || exit 99
fi

# ---- what the files hold -------------------------------------------------------

# No warnings, as C++ neither; names of their own alone.
cd ../again || exit 99
warnings='-Wall -Wextra -Wpedantic -Werror'
for file in *.c
do
    name=${file%.c}
    # shellcheck disable=SC2086
    {
        has gcc && good gcc -std=c99 $warnings -Wconversion -O0 -c "$file"
        has clang && good clang -std=c99 $warnings -Wconversion -O0 -c "$file"
        has g++ && good g++ -x c++ $warnings -O0 -c "$file"
    }
    good $CC -std=c99 -O1 -fPIC -c "$file"
    stray=$($NM -g --defined-only "$name.o" | awk 'NF == 3 { print $3 }' |
        grep -vE "^${name}(_|\$)")
    [ -z "$stray" ] || complain "$name.o defines" $stray
done

# Names that C, C++ and the struct of arguments have already.
cat >names.ilx <<'END'
ilex 1
program names
size int
in size : f64[int]
in class : f64
in names_x : f64[int]
out workspace = size*class + names_x
END
good "$ilexc" compile names.ilx -o .
cat >use.c <<'END'
#include "names.h"
int main(void)
{
    double size[2] = {1, 2}, x[2] = {10, 20}, y[2];
    return names_dense(2, size, 3, x, y) || y[1] != 26;
}
END
good $CC -std=c99 -Wall -Wextra -Werror use.c names.c -o use
good ./use
has g++ && good g++ -x c++ -Wall -Wextra -Werror -c names.c
count=$((count + 1))
"$ilexc" compile names.ilx -o . --prefix exp >log 2>&1 &&
    complain "a program may be called exp"

# Flags that change results are refused, or the self-test finds them.
refused() {
    count=$((count + 1))
    if "$@" -c hdiff.c -o refused.o >log 2>&1; then
        complain "$* is not refused"
    elif ! grep -q 'error.*compile' log; then
        complain "$* is refused without a word"
    fi
}
has gcc && refused gcc -ffast-math
has gcc && refused gcc -O2 -ffinite-math-only
has clang && refused clang -ffast-math
echo '#include <stdint.h>' >narrow.c
$CC -m32 -fsyntax-only narrow.c 2>/dev/null && refused $CC -m32

cat >selftest.c <<'END'
#include "hdiff.h"
int main(void) { return hdiff_selftest() == HDIFF_E_ROUNDING; }
END
finds() {
    count=$((count + 1))
    "$@" selftest.c hdiff.c -lm -o selftest >log 2>&1 || return 0
    ./selftest && complain "$*: the self-test finds nothing"
}
if grep -qw fma /proc/cpuinfo 2>/dev/null; then
    has clang && finds clang -O1 -mfma -ffp-contract=fast
fi
has clang && finds clang -O1 -fassociative-math -fno-signed-zeros \
    -fno-trapping-math
has clang && finds clang -O1 -freciprocal-math
good $CC -O2 selftest.c hdiff.c -lm -o selftest
./selftest || complain "the self-test finds something"

# ---- libraries -----------------------------------------------------------------

# Several programs in a library that Ilex has the compiler build; the numbers
# are those of the project, behind 128 bytes of header.
cat >many.c <<'END'
#include <stdio.h>
#include <string.h>
#include "all_grow.h"
#include "all_matmul.h"

enum { N = 37, M = 70, K = 5000 };
static float a[N * K], b[K * M], c[N * M], want[N * M];

static int take(const char *path, void *to, size_t bytes)
{
    FILE *f = fopen(path, "rb");
    int ok = f && fseek(f, 128, SEEK_SET) == 0 && fread(to, 1, bytes, f) == bytes;
    if (f)
        fclose(f);
    return ok;
}

int main(void)
{
    double x[3] = {1, 2, 3}, y[3];
    return !take("../first/matmul_a.npy", a, sizeof a) ||
           !take("../first/matmul_b.npy", b, sizeof b) ||
           !take("../first/matmul_c.npy", want, sizeof want) ||
           all_matmul_dense(N, M, K, a, b, c) != 0 ||
           memcmp(c, want, sizeof c) != 0 || all_matmul_selftest() != 0 ||
           all_grow_dense(3, x, y) != 0 || y[2] != 7;
}
END
targets=
[ "$(uname -m)" = x86_64 ] && targets='--target generic,avx2'
library() {
    # shellcheck disable=SC2086
    good "$ilexc" compile ../project/matmul.ilx "$top/tests/ahead/grow.ilx" \
        --prefix all -o . $1
    # shellcheck disable=SC2086
    good $CC -std=c99 many.c $2 -lm -o many
    count=$((count + 1))
    LD_LIBRARY_PATH=. ./many || complain "$*: another result"
    [ -z "$(ls -- *.part.o ./*_targets.* 2>/dev/null)" ] ||
        complain "$*: leaves files"
}
library "--shared --cflags -O1 $targets" '-L. -lall'
stray=$($NM -D --defined-only liball.so | awk 'NF == 3 { print $3 }' |
    grep -v '^all_' | grep -vE '^_(init|fini)$')
[ -z "$stray" ] || complain "liball.so exports" $stray
library '--static --cflags -O0' ./liball.a
library '--object --cflags -O0' all.o
# Of one target the compiler gets the flags, and of fields of a record none.
real=$(command -v cc || command -v gcc)
printf '#!/bin/sh\necho "$*" >>%s/spied\nexec %s "$@"\n' "$PWD" "$real" >spy
chmod +x spy
library "--object --cc=$PWD/spy --target native" all.o
grep -q ' -march=native ' spied || complain "native: $(cat spied)"
rm spied
library "--object --cc=$PWD/spy --target cores=3" all.o
! grep -q ' -m' spied || complain "cores=3: $(cat spied)"

# ---- mistakes ------------------------------------------------------------------

for program in grow highest last merge pick
do
    good "$ilexc" compile "$top/tests/ahead/$program.ilx" -o .
done
# shellcheck disable=SC2086
good $CC -std=c99 -g ${SANITIZE_FLAGS:-} -I. "$top/tests/ahead/mistakes.c" \
    grow.c hdiff.c highest.c last.c merge.c normalise.c pick.c -lm -o mistakes
good ./mistakes

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
