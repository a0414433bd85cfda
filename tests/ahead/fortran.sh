#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc compile --fortran` of programs that count lengths (counts.f90), call
# functions (calls.f90), have code for sizes that are known (variants.f90); each
# builds without a warning as the standard says it and passes. What else is
# Fortran's is in the example, which project.sh builds.
# shellcheck disable=SC2086 # CC may be several words
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
: "${FC:=gfortran}"
command -v "$FC" >/dev/null 2>&1 || { echo "skipped: no $FC"; exit 77; }

# Test "$1" over the modules and functions of the programs behind it.
over_modules() {
    test=$1
    shift
    modules=
    objects=
    for name in "$@"
    do
        good $CC -std=c99 -O1 -Wall -Wextra -Werror ${SANITIZE_FLAGS:-} -c "$name.c"
        modules="$modules $name.f90"
        objects="$objects $name.o"
    done
    good "$FC" -std=f2008 -Wall -Werror -O1 -ffp-contract=off -fcheck=all \
        ${SANITIZE_FLAGS:-} $modules "$top/tests/ahead/$test.f90" $objects -lm \
        -o "$test"
    good "./$test"
    cat log
}

good "$ilexc" compile "$top/examples/peaks.ilx" -o . --fortran
over_modules counts peaks
good "$ilexc" compile "$top/examples/peaks.ilx" -o . --fortran --size n=4,m=5
over_modules counts peaks
good "$ilexc" compile "$top/tests/stages/foreign.ilx" -o . --fortran
over_modules calls foreign

good "$ilexc" compile "$top/examples/hdiff.ilx" -o . --fortran --prefix any_hdiff
good "$ilexc" compile "$top/examples/hdiff.ilx" -o . --fortran \
    --size ni=12,nj=10,nk=8 --size ni=12,nk=8
count=$((count + 1))
tr -d '\n' <hdiff.json |
    grep -q '"nk": 8}, "strides": {"u": \[1, 16, 224\], "coeff": \[1\], "v": \[1, 12, 120\]}}.*"u": \[1, 16, null\]' ||
    complain "hdiff.json lists other strides"
# the kernels of variants say so
awk '
    NR == 1 { print "extern int ilex_taken[];" }
    /^ilex_call_[0-9]+_fixed_[0-9]+\(/ { split($1, word, /[_(]/) }
    { print }
    /^\{/ && word[5] {
        printf "    ilex_taken[%d]++;\n", word[5]
        word[5] = 0
    }' hdiff.c >counted && mv counted hdiff.c
over_modules variants any_hdiff hdiff

# The longest names that are taken, and longer ones.
long=$(printf '%056d' 0 | tr 0 x)
sed "s/program hdiff/program $long/; s/\bcoeff\b/y${long#x}/" \
    "$top/examples/hdiff.ilx" >long.ilx
good "$ilexc" compile long.ilx -o . --fortran
good "$FC" -std=f2008 -Wall -Werror -c "$long.f90"
count=$((count + 1))
"$ilexc" compile long.ilx -o . --fortran --prefix "x$long" >log 2>&1 &&
    complain "a prefix of 57 letters is taken"
grep -q 'E105.*no names of more than 56 letters' log || complain "57 letters: $(cat log)"

# Letters that Fortran lacks.
cat >letters.ilx <<'END'
ilex 1
program letters
size größe
in θ : f64[I:größe] halo(I:1:1)
in α : f64
let Δθ = θ[I+1] - 2.0*θ + θ[I-1]
out 新 : f64[I:größe] = θ + α*Δθ
END
good "$ilexc" compile letters.ilx -o . --fortran
cat >of_letters.f90 <<'END'
program letters_test
  use letters_module
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double) :: u(0:4), v(3)
  integer(c_int) :: status
  u = [0d0, 0d0, 1d0, 0d0, 0d0]
  call letters(u3b8=u, u3b1=0.25d0, u65b0=v, status=status)
  if (status /= 0 .or. any(v /= [.25d0, .5d0, .25d0])) error stop
end program
END
good $CC -std=c99 -Wall -Wextra -pedantic -Werror -c letters.c
good "$FC" -std=f2008 -Wall -Werror letters.f90 of_letters.f90 letters.o \
    -lm -o letters_test
good ./letters_test
count=$((count + 1))
"$ilexc" compile letters.ilx -o . --fortran --prefix größe >log 2>&1 &&
    complain "a module in Fortran is called größe"
grep -q 'E105.*programs of ASCII' log || complain "größe: $(cat log)"

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
