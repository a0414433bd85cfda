#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Blocks of contractions and transposes: the bits are those of the reference
# where tiles, strips and blocks are cut, for few rows, for one chunk and for
# several; compilers that do not optimise get none, few bytes are on the stack.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
unset ILEX_SCHEDULE
ILEX_CACHE=rw
ILEX_CACHE_DIR=$dir/cache
export ILEX_CACHE ILEX_CACHE_DIR

# "$1" einsum of arrays "$2" and "$3" of "$4"
program() {
    cat <<EOF
ilex 1
program p
size n, m, k, l
assume l <= 40
in a : $4[$2]
in b : $4[$3]
in s : f64[l]
out c = einsum("$1", a, b)
out t = s
EOF
}

jits=
for jit in tcc cc
do
    program ik,kj-\>ij n,k k,m f64 >p.ilx
    "$ilexc" emit --jit=$jit p.ilx >$jit.c && jits="$jits $jit"
done
"$ilexc" print --stage=schedule p.ilx >out
for line in 'version k0 when n <= 5' 'version k0:else when k <= [0-9]*' \
    'stage b1 at i1.o' 'version k0:else:else when k <= 4096' 'split r0 [0-9]*' \
    'split r0.o/i1.i [0-9]*' 'stage b1 at r0.o/i1.i.o'
do
    grep -q "^    $line\$" out || fail "no $line"
done
expect 0 'tiles of accumulators stand around the chunks' explain p.ilx
# an operand that was packed is that of all versions; what reads the same panel
# stands in its strip
program dikl,jk-\>ldij l,n,k,l m,k f64 >q.ilx
"$ilexc" print --stage=schedule --jit=cc q.ilx >out
for line in 'pack k0 b1 along i3' 'reorder i2.o i3.o i1' 'stage b[0-9]* at i3.o'
do
    grep -q "^    $line\$" out || fail "no $line"
done
# rows are along the last axis of the operand that has them, where that is near
program jli,lk-\>ijk m,n,k n,l f64 >q.ilx
"$ilexc" print --stage=schedule --jit=cc q.ilx | grep -q '^    split i0 [0-9]*$' ||
    fail "rows of an operand are far apart"
# by a small matrix: blocks of the widest vectors, which ask for the next rows
program ik,kj-\>ij n,32 32,32 f64 >q.ilx
"$ilexc" print --stage=schedule --target=avx512 q.ilx >out
for line in 'split i1 32' 'fetch b0 at i0.o ahead 2'
do
    grep -q "^    $line\$" out || fail "no $line"
done
for jit in $jits
do
    expect 0 'same bits as the reference' run q.ilx --in a=random:1 --target=avx512 \
        --in b=random:2 --in s=random:3 --size n=131 --size l=3 \
        --check=reference --jit=$jit -v
done
# arrays on the stack of each kernel, of 4 or 8 bytes an element
awk '/^static.*i32$/ { bytes = 0 }
    match($0, /^ *f(32|64) [a-z][0-9]*\[[0-9]*\];/) {
        split($0, word, /[][]/)
        bytes += word[2]*8
        if (bytes > 32768) exit 1
    }' cc.c || fail "more than 32 KB are on the stack"
[ "$(grep -c '^k[0-9]*_body' tcc.c)" -le 2 ] ||
    fail "tcc has versions of a contraction"
grep -q '^ *ilex_chain_f64(' tcc.c || fail "tcc has one fma at a time"

while read -r labels a b
do
    for dtype in f32 f64
    do
        program "$labels" "$a" "$b" $dtype >p.ilx
        for sizes in 1,1,1,1 5,17,130,3 6,16,260,2 7,70,33,2 9,20,128,2 331,131,19,1 13,37,4097,1
        do
            # shellcheck disable=SC2046
        set -- $(echo "$sizes" | tr , ' ')
            for jit in $jits
            do
                expect 0 'same bits as the reference' run p.ilx --in a=random:1 \
                    --in b=random:2 --in s=random:3 --size n=$1 --size m=$2 \
                    --size k=$3 --size l=$4 --check=reference --jit=$jit -v
            done
        done
    done
done <<'EOF'
ik,kj->ij n,k k,m
ki,kj->ij k,n k,m
ik,jk->ij n,k m,k
bik,bkj->bij l,n,k l,k,m
ibk,bkj->ibj n,l,k l,k,m
ikl,klj->ij n,l,k l,k,m
dikl,jk->ldij l,n,k,l m,k
kik,kj->ij k,n,k k,m
ilk,lkj->ij n,3,k 3,k,m
EOF

# ---- transposes --------------------------------------------------------------------

cat >p.ilx <<'EOF'
ilex 1
program p
size n, m, l
assume l >= 1
assume m >= 1
in x : f64[n, m]
in w : f32[n, l, m]
map y[m, n] = x[_1, _0]*w[_1, 0, 0]
map v[m, l, n] = w[_2, _1, _0]
out a = y
out b = v
EOF
# The directives of the policy, each behind ";", are there.
has_all()
{
    "$ilexc" print --stage=schedule p.ilx >out
    echo "$1" | tr ';' '\n' >lines
    while read -r line
    do
        grep -q "^    $line\$" out || fail "no $line"
    done <lines
}

# Arrays are large from 4096 bytes on, or never.
ILEX_TARGET=vector_bytes=32,vector_registers=16
export ILEX_TARGET
has_all 'split i1 1024;reorder i1 i2.o i0 i2.i;stage b0 at i1.i.o;vector i2.i.i'
for large in '' ,stream_bytes=4096
do
    ILEX_TARGET=$ILEX_TARGET$large
    [ -z "$large" ] || has_all 'align i1 to b2 from 4096;fetch b1 at i2.t.o ahead 2
stream b3 in i0.i.o;reorder i2.o i2.o/i0 i2.i;stage b1 at i2.i.o;vector i2.i.i'
    for sizes in 1,1,1 8,4,1 7,3,2 9,5,3 67,130,2 64,130,2 2050,9,1 9,2050,1
    do
        # shellcheck disable=SC2046
        set -- $(echo "$sizes" | tr , ' ')
        for jit in $jits
        do
            expect 0 'same bits as the reference' run p.ilx --in x=random:1 \
                --in w=random:2 --size n=$1 --size m=$2 --size l=$3 \
                --check=reference --jit=$jit -v
        done
    done
done

# ---- streams -----------------------------------------------------------------------

# Outputs are large from 4096 bytes on; what a stencil reads again, in `d`, stays in
# the caches; `e` has rows behind sums of them.
cat >p.ilx <<'EOF'
ilex 1
program p
size n, m
assume n >= 1
in x : f64[I:n, J:m] halo(I:1:1)
in w : f32[m]
out a = 2.0*w
out f = w + 1.0
out b = x + 1.0
out d : f64[I:1:n, J:m] = x[I+1] - x[I-1]
in v : f32[I:n, J:m]
let c = v - mean[J](v)
out e : f32[I:n, J:m] = c/sqrt(mean[J](c*c) + 1.0)
EOF
"$ilexc" print --stage=schedule p.ilx >out
[ "$(grep -c '^    stream b[0-9]* from 4096$' out)" = 3 ] || fail 'not three streams'
[ "$(grep -c '^    stream b[0-9]* in i0.t.o$' out)" = 1 ] || fail 'no store beside'
grep -q '^    fetch b2 at i0 ahead 2$' out || fail 'no rows are asked for'
"$ilexc" emit --c --jit=cc p.ilx >out
[ "$(grep -A1 '^ *ILEX_STRIP$' out | grep -c 'GCC ivdep$')" = 3 ] ||
    fail 'strips are unrolled before they are vectors'
for sizes in 2,1 3,1023 3,1024 3,1025 40,127
do
    # shellcheck disable=SC2046
    set -- $(echo "$sizes" | tr , ' ')
    for jit in $jits
    do
        expect 0 'same bits as the reference' run p.ilx --in x=random:1 \
            --in w=random:2 --in v=random:3 --size n=$1 --size m=$2 \
            --check=reference --jit=$jit -v
    done
done
# what a scan stores and no level reads, where rows are in the levels and where
# levels are the last axis
while read -r axis length below above
do
    cat >p.ilx <<EOF
ilex 1
program p
size n, m
assume $length >= 1
in x : f64[n, m]
in y : f64[n, m]
map c[i:n, j:m] = 1.0/(1.0 + x[i, j])
scan $axis forward s[i:n, j:m] = where($axis == 0, y[i, j], c[i, j]*s[$below] + y[i, j])
scan $axis backward r[i:n, j:m] = where($axis == $length - 1, s[i, j], s[i, j] - c[i, j]*r[$above])
out o = 2.0*r - y
EOF
    "$ilexc" print --stage=schedule p.ilx >out
    grep -q '^    stream b[0-9]* from 4096$' out || fail "no stream along $axis"
    for sizes in 1,1 2,700 600,3 40,127 33,512
    do
        # shellcheck disable=SC2046
        set -- $(echo "$sizes" | tr , ' ')
        for jit in $jits
        do
            expect 0 'same bits as the reference' run p.ilx --in x=random:1 \
                --in y=random:2 --size n=$1 --size m=$2 --check=reference \
                --jit=$jit -v
        done
    done
done <<'EOF'
i n i-1,j i+1,j
j m i,j-1 i,j+1
EOF
finish
