#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc compile --size`: code of its own for sizes that are known. Each kernel
# of a variant counts that it was called, variants.c says what it was called
# for; sizes that make no sense are refused; NAME.json lists the variants.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"

hdiff=$top/examples/hdiff.ilx
normalise=$top/examples/aot/normalise.ilx
merge=$top/tests/ahead/merge.ilx

# ---- variants are taken ----------------------------------------------------------

good "$ilexc" compile "$hdiff" -o . --size ni=12,nj=10,nk=8 --size nj=10,nk=8 \
    --size=nk=8
good "$ilexc" compile "$normalise" -o . --size n=16,m=24
good "$ilexc" compile "$merge" -o . --size n=6,m=7
good "$ilexc" compile "$hdiff" "$normalise" "$merge" -o . --prefix any
grep -q _fixed_ any_hdiff.c && complain "there are variants nobody asked for"
grep -q any_hdiff_variant any_hdiff.h && complain "of which the header speaks"
for name in hdiff normalise merge
do
    good $CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -O1 \
        -fsyntax-only $name.c
    for other in 'clang -std=c99' 'g++ -x c++'
    do
        # shellcheck disable=SC2086
        command -v ${other%% *} >/dev/null 2>&1 &&
            good $other -Wall -Wextra -Wpedantic -Werror -fsyntax-only $name.c
    done
    # the kernels of variants say so
    awk '
        /^ilex_call_[0-9]+_fixed_[0-9]+\(/ { split($1, word, /[_(]/) }
        { print }
        /^\{/ && word[5] {
            printf "    extern int ilex_taken[];\n    ilex_taken[%d]++;\n", word[5]
            word[5] = 0
        }' $name.c >counted && mv counted $name.c
done
for flags in "-O2 ${SANITIZE_FLAGS:-}" "-O0 -DILEX_NO_FMA"
do
    # shellcheck disable=SC2086
    good $CC -std=gnu99 $flags -I. "$top/tests/ahead/variants.c" any_*.c hdiff.c \
        normalise.c merge.c -lm -o variants
    good ./variants
done

# ---- what NAME.json says -----------------------------------------------------------

grep -A1 '"variants": \[' hdiff.json | tr -d '\n' >said
echo '    "variants": [      {"sizes": {"ni": 12, "nj": 10, "nk": 8}, "strides": {"u": [112, 8, 1], "coeff": [1], "v": [80, 8, 1]}},' |
    tr -d '\n' >want
count=$((count + 1))
cmp said want || complain "hdiff.json lists other variants"
grep -q '"nk": 8}, "strides": {"u": \[null, 8, 1\]' hdiff.json ||
    complain "hdiff.json has no strides that are open"
grep -q '"variants": \[\]' any_hdiff.json ||
    complain "any_hdiff.json lists variants"

# Several programs: a group is for those that have its sizes.
good "$ilexc" compile "$normalise" "$merge" "$hdiff" -o . --prefix some --size m=3,n=2 --size nk=8
for name in normalise merge hdiff
do
    count=$((count + 1))
    [ "$(grep -c '{"sizes":' some_$name.json)" = 1 ] ||
        complain "some_$name.json has another number of variants"
done

# ---- what is refused ---------------------------------------------------------------

refused() {
    words=$1
    shift
    count=$((count + 1))
    rm -f hdiff.c
    "$ilexc" compile "$hdiff" -o . "$@" >log 2>&1 && complain "$* is taken"
    grep -q "$words" log || { complain "$* is refused otherwise"; cat log; }
    [ -e hdiff.c ] && complain "$* writes files"
}
refused 'E107.*no program has the sizes of .n=3.; hdiff has the sizes ni, nj, nk' --size n=3
refused 'E107.*of .nk=8,n=3.' --size nk=8 --size nk=8,n=3
refused 'E106.*ni stands there twice' --size ni=3,ni=3
refused 'E508.*assumption nk % 8 == 0' --size nk=9
refused 'E101.*wants NAME=NUMBER' --size ni
refused 'E101.*wants NAME=NUMBER' --size ni=
refused 'E101.*wants NAME=NUMBER' --size ni=-1
refused 'E101.*wants NAME=NUMBER' --size ni=1,
refused 'E101.*wants NAME=NUMBER' --size 'ni=1 '
refused 'E101.*wants NAME=NUMBER' --size ni=9223372036854775808
refused 'E101.*wants NAME=NUMBER' --size ''
count=$((count + 1))
"$ilexc" compile "$merge" -o . --size n=4294967296,m=4294967296 >log 2>&1 &&
    complain "a product beyond 64 bits is taken"
grep -q 'E402.*product' log || complain "a product beyond 64 bits: $(cat log)"

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
