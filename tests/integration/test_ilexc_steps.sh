#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc run --steps`: loops whose storages change places, what halos and edges
# hold meanwhile, files of single steps, and pairs that do not fit.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
ILEX_CACHE=off
export ILEX_CACHE

program() {
    printf 'ilex 1\nprogram %s\nsize n\n' "$1"
    shift
    printf '%s\n' "$@"
}
program squares 'out v : f64[I:n] = f64(index(I)*index(I))' >squares.ilx
program heat 'in u : f64[I:n] halo(I:1:1)' \
    'out v : f64[I:n] = u + 0.25*(u[I+1] - 2*u + u[I-1])' >heat.ilx
program inside 'assume n >= 2' 'in u : f64[I:n]' \
    'out v : f64[I:1:n-1] = u + 0.25*(u[I+1] - 2*u + u[I-1])' >inside.ilx
program waves 'in p : f64[I:n]' 'in u : f64[I:n] halo(I:1:1)' \
    'out q : f64[I:n] = 2*u - p + 0.25*(u[I+1] - 2*u + u[I-1])' >waves.ilx
program plane 'in u : f64[I:n, J:n] halo(I:1:0, J:1:0)' \
    'out v : f64[I:n, J:n] = u[I-1, J-1]' >plane.ilx
expect 0 '' run squares.ilx --size n=8 --out v=@u.npy

# ---- what is computed: figures from NumPy ----

heat="run heat.ilx --steps 3 --swap u=v --out v=- --check=reference"
expect 0 '16.0  *7.5  *6.25  *10.5  *17.5  *25.5  *30.25  *26.5' \
    $heat --in u=@u.npy,halo=periodic
expect 0 '^\[ *0.90625  *2.359375  *5.484375  *10.5  *17.5  *26.265625  *35.390625' \
    $heat --in u=@u.npy
expect 0 '0.734375  *2.34375  *5.484375  *10.5  *17.5  *25.5  *29.46875' $heat --in u=@u.npy,halo=zero
expect 0 '^\[ *2.1875  *5.46875  *10.5  *17.5  *26.46875  *37.1875\]' \
    run inside.ilx --steps 3 --swap u=v --out v=- --in u=@u.npy \
    --check=reference
expect 0 '23.644048  *18.020829  *-7.7653318' run waves.ilx --steps 30 \
    --swap p=u --swap u=q --in p=@u.npy --in u=@u.npy,halo=periodic \
    --out q=- --check=reference

# A torus that is shifted along both axes by its length: corners of the halo
# hold what the opposite corner of the field does.
program table 'out v : f64[I:n, J:n] = f64(10*index(I) + index(J))' >table.ilx
expect 0 '' run table.ilx --size n=4 --out v=@table.npy
expect 0 '' run plane.ilx --in u=@table.npy,halo=periodic --steps 4 \
    --swap u=v --out v=@round.npy
same table.npy round.npy

# As many steps one by one, with files in between, as in one go; without swaps
# each step does the same.
expect 0 '' run heat.ilx --in u=@u.npy,halo=zero --steps 7 --swap u=v \
    --out v=@last%%%d.npy
expect 0 '' run heat.ilx --in u=@u.npy,halo=zero --steps 7 --swap u=v \
    --every 3 --out v=@v%03d.npy --check=reference
same 'last%7.npy' v007.npy
count=$((count + 1))
[ "$(echo v0*)" = 'v003.npy v006.npy v007.npy' ] || fail "files $(echo v0*)"
expect 0 '' run heat.ilx --in u=@u.npy --out v=@once.npy
expect 0 '' run heat.ilx --in u=@u.npy --steps 5 --out v=@five.npy
same once.npy five.npy
expect 0 '' run heat.ilx --in u=@u.npy --out v=@100%d.npy
same once.npy '100%d.npy'
expect 0 '^step 2, v: ' run heat.ilx --in u=@u.npy --steps 2 --every 1 --out v=-
expect 0 '^steps     4, ' run heat.ilx --in u=@u.npy --steps 4 -v

# ---- what does not fit ----

program misfit 'in u : f64[I:n+2]' 'in k : f32[I:n]' 'in w : f64[n]' \
    'in z : f64[I:n, J:n]' 'in y : f64[J:n]' 'in big : f64[I:n+5]' \
    'in c : f64[n+1]' \
    'out v : f64[I:n] = u[I+1] + f64(k) + z[J=0] + big' \
    'out vy : f64[J:n] = y' 'out vw : f64[n] = w' 'out vc : f64[n+1] = c' \
    >misfit.ilx
misfit='run misfit.ilx --size n=8 --steps 2 --out v=@never.npy'
for input in u k w z y big c
do
    misfit="$misfit --in $input=zero"
done
expect 0 '' $misfit --swap w=vw
expect 1 'u is f64\[I:n+2\] and v is f64\[I:n\]; .*same points' $misfit --swap u=v
expect 1 'k is f32.* dtypes differ' $misfit --swap k=v
expect 1 'ranks differ' $misfit --swap z=v
expect 1 'axes differ' $misfit --swap y=v
expect 1 'axes differ' $misfit --swap w=v
expect 1 'same points' $misfit --swap vw=c
expect 1 'domains differ' $misfit --swap u=big
rm -f never.npy
expect 2 'no argument q' $misfit --swap q=v
expect 2 'both are v' $misfit --swap v=v
for pair in u =v u= 'u=v,w=vw' ''
do
    expect 2 'wants NAME=NAME, for example --swap u=u_new' $misfit --swap "$pair"
done

# ---- what is no loop ----

heat='run heat.ilx --in u=@u.npy'
for steps in 0 -1 x 3x 1e3 99999999999999999999
do
    expect 2 'wants a number of steps, for example --steps 100' \
        $heat --steps=$steps
done
expect 2 'wants a number of steps' $heat --steps 3 --every 0
expect 2 '--swap goes with --steps' $heat --swap u=v
expect 2 '--every goes with --steps' $heat --every 2
expect 2 'several steps .* v%04d.npy' $heat --steps 4 --every 2 --out v=@v.npy
expect 2 'more than one %d' $heat --steps 4 --out v=@%d%d.npy
for name in %s %x %ld %-3d %.3d %n %5 %19d %
do
    expect 2 'once: of % only %d' $heat --steps 4 --out "v=@v$name.npy"
done
expect 2 'no %d' $heat --steps 4 --out v=@v%%.npy
count=$((count + 1))
[ ! -e never.npy ] && [ ! -e v.npy ] || fail 'something was written'

# Progress is for terminals.
long="$ilexc run heat.ilx --in u=random:1 --size n=400000 --steps 4000 --swap u=v --jit=tcc"
if command -v script >/dev/null 2>&1 && "$ilexc" list backends | grep -q '^tcc *built in'; then
    count=$((count + 1))
    script -qec "$long" /dev/null </dev/null >out 2>err
    grep -q 'step [0-9]* of 4000, [0-9.]* s left' out ||
        fail 'no progress on a terminal'
    expect 0 '' run heat.ilx --in u=random:1 --size n=400000 --steps 40 \
        --swap u=v --jit=tcc
    program inner 'in u : f64[n]' 'loop t[0:40000] v = u' \
        '  next v = 0.5*v + 1.0' end 'out w : f64[n] = v' >inner.ilx
    count=$((count + 1))
    script -qec "$ilexc run inner.ilx --in u=random:1 --size n=100000 --jit=tcc" \
        /dev/null </dev/null >out 2>err
    grep -q 'step [0-9]* of a loop of the program, [0-9.]* s' out ||
        fail 'no progress of a loop of the program'
fi
finish
