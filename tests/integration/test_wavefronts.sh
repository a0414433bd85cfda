#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Loops over stencils make several steps at a time, in kernels that keep rows of
# each, with the bits of the reference for any number of steps; and copies into
# and out of a loop are left out where memory may serve.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
unset ILEX_SCHEDULE
small=l2_bytes=65536,l3_bytes=65536

# A loop over the axes "$1", inside of which "$2" holds, whose next value there
# is "$3".
stencil() {
    cat <<EOF
ilex 1
program p
size n, m, nt
in a : f64[$1]
loop t[0:nt] u : f64[$1] = a
    next u = concat_where($2, $3, u)
end
out r : f64[$1] = u
EOF
}

inner='I >= 1 && I < n-1 && J >= 1 && J < m-1'
flat='0.2*(u + u[J-1] + u[J+1] + u[I+1] + u[I-1])'
stencil 'I:n, J:m' "$inner" "$flat" >flat.ilx
stencil 'I:n, J:m, K:n' "$inner && K > 0 && K < n - 1" \
    '0.5*u + 0.1*(u[I-1] + u[I+1] + u[J-1] + u[J+1] + u[K+1])' >deep.ilx
stencil 'I:n, J:m' 'I > 0' 'u[I-1] - 0.5*u' >lower.ilx

# ---- what is made of it ----

# "$1" has loops of "$2" steps each, one for each word, and "$3" windows.
shape() {
    "$ilexc" explain "$1" >out 2>err
    sed -n "s/.*loop t.*, each \([0-9]*\) of the program's/\1/p" out |
        tr '\n' ' ' >steps
    [ "$(cat steps)" = "$2" ] || fail "$1: $(cat steps) steps at a time, not $2"
    "$ilexc" print --stage=schedule "$1" >out 2>err
    windows=$(grep -c 'shrink .* window 4' out)
    [ "$windows" -eq "$3" ] || fail "$1: $windows windows, not $3"
    count=$((count + 2))
}

# The same of flat.ilx, changed.
changed() {
    sed "$1" flat.ilx >p.ilx
    shape p.ilx "$2" "$3"
}

shape flat.ilx '14 3 ' 15
shape deep.ilx '4 ' 3
for steps in '28 14 13' '21 7 6' '5 5 4'
do
    # shellcheck disable=SC2086
    set -- $steps
    changed "s/0:nt/0:$1/; s/, nt\$//" "$2 " "$3"
done
changed 's/0:nt/0:0/; s/, nt$//' '' 0
# a small field, a sum, the step, an end that is found out, a stack
changed 's/I:n, J:m/I:40, J:40/; s/[nm]-1/39/g; s/n, m, nt/nt/' '' 0
changed 's/, u)/, 0.01*sum(u))/' '' 0
changed 's/, u)/, f64(t))/' '' 0
changed 's/^end/    until max(u) > 2.0\nend/' '' 0
changed 's/^end/    stack e[t] = sum(u)\nend/' '' 0
# points that are not around, or depend on the step
for value in 'u[j, i-1]' 'where(i > t, u[i-1, j], 0.0)'
do
    cat >p.ilx <<EOF
ilex 1
program p
size n, nt
in a : f64[n, n]
loop t[0:nt] u = a
    map v[i:n, j:n] = where(i > 0, $value, 0.5*u[i, j])
    next u = v
end
out r = u
EOF
    shape p.ilx '' 0
    expect 0 '' run p.ilx --size=n=20,nt=17 --jit=tcc --check=reference \
        --in a=random:1
done
sed 's/^end/    until max(u) > 2.0\nend/' flat.ilx >p.ilx
shape p.ilx '' 0
sed 's/^end/    stack e[t] = sum(u)\nend/' flat.ilx >p.ilx
shape p.ilx '' 0

# ---- values ----

for p in flat deep lower
do
    for nt in 0 1 2 3 4 5 13 14 15 16 17 18 28 31 45
    do
        for how in '--size=n=1,m=2' '--size=n=9,m=30 --threads=3' \
            "--size=n=8,m=300 --threads=2 --target=$small"
        do
            jit=tcc
            [ $nt -ne 31 ] || jit=cc
            # shellcheck disable=SC2086
            expect 0 '' run $p.ilx $how --size=nt=$nt --jit=$jit --verify=1 \
                --check=reference --in a=random:1
        done
    done
done
# again and again, from where the run before wrote
expect 0 '' run flat.ilx --size=n=9,m=9,nt=17 --jit=tcc --check=reference \
    --in a=random:1 --steps=5 --swap=a=r
expect 0 '' run flat.ilx --size=n=9,m=9,nt=3 --jit=tcc --check=reference \
    --in a=random:1 --steps=4 --swap=a=r

# ---- copies ----

# Of a loop of "$2" steps the kernels "$3" are not called, by a profile.
left_out() {
    "$ilexc" run "$1" --size="n=50,m=50,nt=$2" --jit=tcc --in a=random:1 \
        --profile --threads=1 >out 2>err
    cat err >>out
    awk '/^k[0-9]/ && $2 == 0 { printf "%s ", $1 }' out >idle
    [ "$(cat idle)" = "$3" ] || fail "$1, $2 steps: idle are $(cat idle)"
    count=$((count + 1))
}

left_out flat.ilx 0 'k0 k1 k2 k3 k4 k5 '
left_out flat.ilx 1 'k0 k1 k2 k3 k4 k6 '
left_out flat.ilx 14 'k0 k2 k3 k4 k5 k6 '
left_out flat.ilx 15 'k0 k2 k3 k4 k6 '
# a part of what is carried; two loops, the second one with what the first left
sed 's/out r : f64\[I:n/assume n >= 2\nout r : f64[I:1:n-1/' flat.ilx >p.ilx
left_out p.ilx 14 'k0 k2 k3 k4 k5 '
# in place of the input, which is as it was while the loop runs
sed 's/= u$/= u inplace a/' flat.ilx >p.ilx
left_out p.ilx 14 'k2 k3 k4 k5 '
finish
