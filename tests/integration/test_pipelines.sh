#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pipelines: random stages that read points around their own of those before,
# in strips of columns and rings of rows, have the bits of the reference for
# short and long rows, on some threads; ILEX_SEED is another seed. Most are one
# kernel, and what they keep of each stage are as few rows as are read.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"
unset ILEX_SCHEDULE
COUNT=150
figures=vector_bytes=32,vector_registers=32,fma=1
figures=$figures,stream_bytes=20000,line_bytes=64,l1_bytes=49152,l1_ways=12
figures=$figures,l3_bytes=1048576,cores=2

# Writes program number "$1" to p.ilx, its sizes, target and threads to "how".
draw() {
    awk -v seed="${ILEX_SEED:-1}$1" -v figures="$figures" '
    function below(n) { return int(rand()*n) }
    function shift(axis, most, by) {
        by = below(2*most + 1) - most
        return by ? sprintf("%s%s%+d", by_comma, axis, by) : ""
    }
    function read(name, at) {
        by_comma = ""
        at = shift("I", most_rows)
        by_comma = at ? ", " : ""
        at = at shift("J", most_columns)
        by_comma = at ? ", " : ""
        at = at shift("K", most_levels)
        return at ? name "[" at "]" : name
    }
    BEGIN {
        srand(seed)
        split("f64 f32 i32 u8", dtypes, " ")
        dtype = dtypes[1 + below(4)]
        most_rows = 1 + below(2)
        most_columns = below(3)
        depth = 3 + below(7)
        axes = substr("I:n, J:m, K:l", 1, rand() < .5 ? 8 : 13)
        if (rand() < .3) axes = "L:l, I:n, J:m"
        most_levels = axes ~ /K/ ? below(2) : 0
        halo = "I:32:32, J:32:32" (axes ~ /K/ ? ", K:12:12" : "")
        print "ilex 1\nprogram p\nsize n, m, l\nassume n >= 1\nassume m >= 1"
        print "assume l >= 1"
        for (i = 1; i <= 2; i++)
            printf "in s%d : %s[%s] halo(%s)\n", i, dtype, axes, halo
        for (i = 3; i < 3 + depth; i++) {
            from = rand() < .7 ? i - 1 : 1 + below(i - 1)
            value = read("s" from)
            terms = 2 + below(4)
            for (t = 1; t < terms; t++)
                value = value (rand() < .5 ? " + " : " - ") \
                    (dtype ~ /f/ ? "0.5*" : "3*") \
                    read("s" (rand() < .8 ? from : 1 + below(i - 1)))
            if (dtype ~ /f/ && rand() < .4)
                value = "sqrt(absolute(" value "))"
            last = i == 2 + depth
            print last ? "out s = " value : "let s" i " = " value
        }
        if (rand() < .2) print "out t = s" (1 + depth) "[I+1]"
        print "out u = s1*s2"
        split("1 2 3 5 17 40 90", rows, " ")
        split("1 5 37 130 300 700", columns, " ")
        split("20000 100000 1048576", l2, " ")
        printf "--size=n=%d,m=%d,l=%d --threads=%d --target=%s,l2_bytes=%d\n", \
            rows[1 + below(7)], columns[1 + below(axes ~ /l/ ? 4 : 6)], \
            1 + below(4), 1 + below(3), figures, l2[1 + below(3)] >"how"
    }' >p.ilx
}

rings=0
i=0
while [ "$i" -lt $COUNT ]
do
    draw $i
    how=$(cat how)
    jit=tcc
    [ $((i % 15)) -ne 0 ] || jit=cc
    # shellcheck disable=SC2086
    expect 0 '' run p.ilx --jit=$jit --verify=1 --check=reference $how \
        --in s1=random:1 --in s2=random:2
    # shellcheck disable=SC2086
    "$ilexc" print --stage=schedule p.ilx ${how##* } >out 2>err
    ! grep -q window out || rings=$((rings + 1))
    [ "$bad" -eq 0 ] || { cat p.ilx how; exit 1; }
    i=$((i + 1))
done
[ "$rings" -ge $((COUNT / 4)) ] || fail "$rings of $COUNT have rings"

cat >p.ilx <<'EOF'
ilex 1
program p
size n, m
assume n >= 1
assume m >= 1
in u : f64[I:n, J:m] halo(I:10:10, J:10:10)
let a = sqrt(u[I-1] + u[I+1])
let b = sqrt(a[J-1] + a[J+1] + a[J+2])
let c = sqrt(b[I-1] + b + b[I+2])
let d = sqrt(c[I-2] + c[I-1] + c)
out y = d[J-1] + d + d[J+1]
EOF
"$ilexc" print --stage=schedule --target="$figures,l2_bytes=1048576" p.ilx >out
for line in 'threads k4 i1' 'shrink b2 at c0 window 1' 'fuse c0 c2' \
    'shrink b3 at c0 window 4' 'fuse c0 c3 lag 2' 'fuse c0 c4 lag 2' \
    'shrink b4 at c0 window 4' 'shrink b5 at c0 window 1'
do
    grep -q "^    $line\$" out || fail "no $line"
done
cat >p.ilx <<'EOF'
ilex 1
program p
size l, n, m
assume l >= 1
assume n >= 1
assume m >= 1
in u : f64[L:l, I:n, J:m] halo(I:8:8, J:8:8)
let a = sqrt(u[I-1] + u[I+1] + u[J-1] + u[J+1])
let b = sqrt(a[I-1] + a[I+1] + a[J-1] + a[J+1])
let c = sqrt(b[I-1] + b[I+1] + b[J-1] + b[J+1])
out y = c[I-1] + c[I+1] + c[J-1] + c[J+1]
EOF
"$ilexc" print --stage=schedule --target="$figures,l2_bytes=1048576" p.ilx >out
for line in 'reorder i2.o i1 i2.i' 'unroll c0' 'fuse c0 i1 lag 3'
do
    grep -q "^    $line\$" out || fail "no $line"
done
sed 's/L:l, I:n, J:m/I:n, J:m, L:l/' p.ilx >q.ilx
"$ilexc" print --stage=schedule --target="$figures,l2_bytes=1048576" q.ilx >out
for line in 'threads k3 i1' 'split i1 [0-9]*' 'fuse c0 i0 lag 3'
do
    grep -q "^    $line\$" out || fail "no $line"
done
finish
