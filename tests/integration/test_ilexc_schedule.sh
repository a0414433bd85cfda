#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Option schedule of the command: files of directives, where they are looked
# for, what explain says of them, what becomes of them in libraries.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
unset ILEX_SCHEDULE
ILEX_CACHE=off
export ILEX_CACHE

cat >p.ilx <<'EOF'
ilex 1
program p
size n, m, k
in a : f64[n, k]
in b : f64[k, m]
out c = einsum("ik,kj->ij", a, b)
out d = a*2.0
EOF
sizes='--size n=5 --size m=9 --size k=40 --in a=random:1 --in b=random:2'

# What the policy does is text, and the same from a file.
"$ilexc" print --stage=schedule p.ilx >auto
grep -q '^    jam i1.i$' auto || fail "print --stage=schedule: no directives"
"$ilexc" print --stage=schedule p.ilx --schedule=auto >out && cmp -s auto out ||
    fail "schedule=auto is another one"
for stage in schedule hoist
do
    "$ilexc" print --stage=$stage p.ilx >want
    "$ilexc" print --stage=$stage p.ilx --schedule="$dir/auto" >out 2>err
    cmp -s want out || fail "the schedule that was printed gives another $stage"
done
for program in "$examples"/*.ilx "$top"/tests/stages/*.ilx
do
    "$ilexc" print --stage=schedule "$program" >want 2>err &&
        "$ilexc" print --stage=schedule "$program" --schedule=want >out 2>err &&
        cmp -s want out || fail "$program: the schedule that was printed is another"
done
expect 0 'same bits as the reference' run p.ilx $sizes --schedule=auto --check=reference -v

# A file is found from here, or by a variable; it may end without a newline.
printf 'kernel k0: split i1 4 peel' >some
expect 0 '^    split i1 4 peel$' print --stage=schedule p.ilx --schedule=some
expect 0 '^    split i1 4 peel$' print --stage=schedule p.ilx --schedule="$dir/some"
ILEX_SCHEDULE=some
export ILEX_SCHEDULE
expect 0 '^    split i1 4 peel$' print --stage=schedule p.ilx
expect 0 '' run p.ilx $sizes --check=reference
unset ILEX_SCHEDULE
expect 0 '' run p.ilx $sizes --check=reference --schedule=some --jit=reference
expect 2 "'none.txt' is not one of auto|none|the path of a file that can be read" \
    print p.ilx --schedule=none.txt
expect 2 "did you mean 'none'?" print p.ilx --schedule=nonn
expect 2 'that can be read' print p.ilx --schedule=.
printf 'kernel k0: \000' >zero
expect 2 'that can be read' print p.ilx --schedule=zero
: >empty
"$ilexc" print --stage=schedule p.ilx --schedule=empty >out && cmp -s auto out ||
    fail "an empty file is not auto"

# What explain says.
expect 0 '^    split i1 64 min: i1 becomes i1.o by 64 around i1.i over its 64 points; the last i1.i is shorter$' \
    explain p.ilx
expect 0 '^    split i1 4 peel: .*; those that are left are a loop i1.t$' \
    explain p.ilx --schedule=some
expect 0 '^      for what is left of axis 1' explain p.ilx --schedule=some
"$ilexc" explain p.ilx --schedule=none >out 2>err
grep -q 'split' out && fail "schedule=none splits"

expect 0 '^    shrink b7 at i1: cp becomes memory of one iteration of i1' \
    explain "$examples/vadv.ilx"

# Kernels that work on the same rows are one, if they store rows between, which
# only those that follow read, at the same place; with any numbers of them the
# bits are those of the reference.
softmax() {
    cat <<EOF
ilex 1
program s
size n, m
in x : f64[n, m]
let e = exp(x - max[1](where(x > -1.0, x, 0.0); keep=1))
let s = sum[1](e; keep=1)
$1
EOF
}
softmax 'out y = e/s' >s.ilx
expect 0 '^    fuse k0 k1: k0 and k1, which is the next one, are one kernel' \
    explain s.ilx
"$ilexc" print --stage=schedule s.ilx >out
[ "$(grep -c '^    shrink b[0-9]* at i0$' out)" -eq 1 ] ||
    fail "rows of softmax are not a thread's"
for shape in n=1,m=1 n=3,m=2 n=5,m=40 n=2,m=4097
do
    for jit in tcc cc
    do
        "$ilexc" emit --jit=$jit s.ilx >out 2>err || continue
        expect 0 'same bits as the reference' run s.ilx --size $shape \
            --in x=random:1 --jit=$jit --threads=2 --check=reference -v
    done
done
softmax 'out y = e/s + sum[0](e; keep=1)' >t.ilx
softmax 'map y[n, m] = e[n - 1 - _0, _1]/s[_0, 0]
out z = y' >u.ilx
for other in t u
do
    "$ilexc" print --stage=schedule $other.ilx >out 2>err
    grep -q '^kernel k0' out || fail "$other.ilx has no schedule"
    ! grep -q '^    fuse' out || fail "$other.ilx: rows are read elsewhere"
done
"$ilexc" emit --cuda s.ilx >out 2>err
[ "$(grep -c '^k[0-9]*(' out)" = 1 ] || fail "rows of a grid are no one kernel"
grep -q 'i1 = lane(); i1 < n1; i1 += 16' out ||
    fail "points of a row are not a group's"

# A directive that is refused says where, whatever is done with the program.
printf '# first\nkernel k1:\n  vector i0\n' >refused
for verb in explain emit run
do
    set --
    [ $verb != run ] || set -- $sizes
    expect 1 'schedule, line 3: of k1, vector i0 is refused (shape): there are loops in it' \
        $verb p.ilx "$@" --schedule=refused
done

# Iterations that share an element of memory are no vector.
sed -n '/^---- program/,/^---- directives/p' "$top/tests/loop/compute_point.loop" |
    grep -v '^----' >point.ilx
sed -n '/^---- directives/,/^---- expect/p' "$top/tests/loop/compute_point.loop" |
    grep -v '^----' >point
expect 0 'for i0 in' print --stage=vector point.ilx --schedule=point
"$ilexc" print --stage=vector point.ilx --schedule=point | grep vector &&
    fail "iterations with one element of memory are vectors"

# A library tells how it was made.
expect 0 '' compile p.ilx --schedule=some -o lib
grep -q '"schedule": "kernel k0: split i1 4 peel\\n"' lib/p.json ||
    fail "p.json does not tell the schedule"

finish
