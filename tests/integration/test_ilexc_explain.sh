#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `ilexc explain`: each reason for storing, fusing and keeping kernels apart in
# a program that has it, halos, loops, memory, bytes.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"

ILEX_TARGET=generic
export ILEX_TARGET

# Writes p.ilx: the lines of the arguments, with "|" for ends of lines.
program() {
    printf 'ilex 1\nprogram p\nsize n, m\n%s\n' "$1" | tr '|' '\n' >p.ilx
}

# Wants line "$2" for the program "$1".
says() {
    program "$1"
    expect 0 "$2" explain p.ilx
}

x='in x : f64[n]'
u='in u : f64[I:n, J:m] halo(I:2:1)'
heavy='exp(sin(x) + cos(x))'

# ---- reasons for storing or not ----

says "$x|let a = 2*x|out y : f64[n] = a + 1" \
    '^  a: computed where it is read, for one array reads it, at one place$'
says "$u|let a = 2*u|out y : f64[I:n, J:m] = a + a[I+1]" \
    '^  a: computed where it is read, for computing it again is cheaper .* (cost 1 an element, 2 distinct reads)$'
says "$x|out y : f64[n] = 2*x" '^  y: stored, for it is an output$'
says "$x|let s = sum(x)|out y : f64[n] = x/s" '^  s: stored, for it holds a reduction$'
says "$x|in k : i64[m]|let a = $heavy|map y[i:m] = a[k[i]]|out z : f64[m] = y" \
    '^  a: stored, for it is read at indices that are data'
says "in x : f64[J:m]|let a = $heavy|let b = a*a|map y[I=I:n, J=J:m] = b[J] + f64(I)|out z : f64[I:n, J:m] = y" \
    '^  [ab]: stored, for it would be computed again for every step of a loop'
says "in x : f64[I:n] halo(I:4:4)|let a = $heavy|out z : f64[I:n] = a + a[I+1] + a[I+2] + a[I-1] + a[I-2] + a[I+3]" \
    '^  a: stored, for computing it again at every place .* (cost [0-9]* an element, 5 distinct reads)$'
says "in x : f64[n]|let a = concat(x, 2*x; axis=0)|out y : f64[2*n] = a[::-1] + a" \
    '^  a: stored, for its parts are written side by side$'
says "$x|let a = concat(x, 2*x; axis=0)|out y : f64[2*n] = a" \
    '^  1 part of expressions without a name: computed where it is read$'
says "$x|in k : i64[m]|let a = update(x[k], 1.0)|out y : f64[n] = a" \
    'single elements of it are changed$'
says "$x|in k : i64[m]|let a = add_at(x[k], 1.0)|out y : f64[n] = a" \
    'single elements of it are changed$'
says "$x|let a = update(x[0:0], 1.0)|out y : f64[n] = a" \
    '^  k0 on \[n\]: writes y; reads x$'
says "in x : f64[9]|let a = update(x[0], 1.0)|let b = add_at(a[1:3], x[4:6])|let c = update(b[2], 1.0)|let d = update(c[3], 1.0)|let e = update(d[4], 1.0)|let f = update(e[5], 1.0)|out y : f64[9] = update(f[6], 1.0)" \
    '^  f: stored, for its value depends on conditions .* or by what has many such$'
says "$x|let a = update(x[x > 0.5], 1.0)|out y : f64[n] = a" \
    '^  k0 on \[n\]: writes y; reads x$'
says "in x : f64[n, m]|let a = add_at(x[:, arange(m) > 2], 1.0)|out y : f64[n, m] = a" \
    '^  k0 on \[n, m\]: writes y; reads x$'
says "scan k forward a[k:n] = where(k == 0, 1.0, 2.0*a[k-1])|out y : f64[n] = a" \
    'stored, for it is computed level by level$'
program "$x|let a = 2*x|out y : f64[n] = a + 1"
expect 0 '^  a: stored, for everything is stored: option fuse is 0$' explain p.ilx --fuse=0
expect 0 '^    apart from k0: it reads what that writes$' explain p.ilx --fuse=0

program "$x|let a = 2*x|out y : f64[n] = a + 1"
expect 0 '^    from p.ilx:' explain "$PWD/p.ilx"

says "$u|let a = exp(u)|out y : f64[I:n, J:m] = a + a[I+1]" \
    '^  a: stored, for computing it again at every place .* (cost [6-9][0-9] an element, 2 distinct reads)$'

# ---- reductions in the kernels of what reads them ----

there='for it is computed once a point in the one kernel that reads it$'
stored='stored, for it holds a reduction$'
w='in x : f64[I:n, J:m]'
t='f64[I:n, J:m]'
says "$w|let s = sum[J](x)|out y : $t = x - s" "^  s: computed where it is read, $there"
says "$w|let s = sum[J](x)/m|out y : $t = x - s" "^  s: computed where it is read, $there"
says "$w|let s = sum[J](x)|let v = sum[J]((x - s)*(x - s))|out y : $t = (x - s)/sqrt(v)" \
    '^  bytes read 8\*n\*m$'
for jit in tcc cc
do
    expect 0 . run p.ilx --jit=$jit --size n=3,m=70 --in x=random:1 --out y=- --check=reference
done
ab='in a : f64[n, m]|in b : f64[m, n]|einsum c[i, j] = a[i, k]*b[k, j]'
says "$ab|out y = exp(c)" \
    "^  c: computed where it is read, $there"
says "$w|let s = sum[I](x)|out y : $t = x - s" "^  s: $stored"
says "$w|let s = sum[J](x)|out y : $t = x - s|out z : $t = x + s" "^  s: $stored"
says "in x : f64[n, m]|let s = sum[1](x)|out y : f64[n, m] = x - expand_dims(s; axes=1)|out z : f64[2*n] = concat(s, s; axis=0)" \
    "^  s: $stored"
says "$w|let s = sum[J](x)|map y[I:n, J:m] = where(I + J < n, x[I, J] - s[I], 0.0)|out z = y" "^  s: $stored"
says "in x : f64[n, m]|in a : f64[m, n]|let s = sum[1](x)|map r[n] = sum[i:m](a[i, _0]*s[_0])|out y = r" "^  s: $stored"
says "$x|in a : f64[m, n]|let s = $heavy|map r[n] = sum[i:m](a[i, _0]*s[_0])|out y = r" \
    '^  s: stored, for it would be computed again for every step of a loop'
says "$x|in a : f64[n, m]|let s = $heavy|map r[n] = sum[i:m](a[_0, i]*s[_0])|out y = r" \
    "^  s: computed where it is read, $there"
says "$x|let s = sum(x)|out y : f64 = sum(x*s)" "^  s: $stored"
says "$w|let s = sum[J](x)|out y : $t = x - s inplace x" "^  s: $stored"
program "$w|let s = sum[J](x)|out y : $t = x - s"
expect 0 "^  s: $stored" explain p.ilx --order=F
expect 0 '^/\* k0 computes y on \[I:n\] \*/$' emit p.ilx --cuda # by rows
says "in x : i64[I:n, J:m]|let s = sum[J](x)|out y : i64[I:n, J:m] = x - s" "^  s: computed where it is read, $there"
says "in x : i64[n, m]|let s = sum[0](x)|map y[j:m, i:n] = x[i, j] - s[j]|out z = y" "^  s: $stored"
says "in x : f64[n, m]|let s = max[1](x; keep=1)|out y = x - s|out z = 2*max[1](x)" \
    '^  bytes read 16\*n\*m + 16\*n$'
says "in x : f32[n, m]|let s = sum[1](x)|out y = x + 2*expand_dims(s; axes=1)" \
    '^    operations 3\*n\*m, of f32 8 at a time$'
says "in x : f64[n, m]|let s = max[1](x; keep=1)|out y = x - s*s" "^  s: computed where it is read, $there"
says "$ab|einsum d[i, j] = b[k, i]*a[j, k]|out y = c + d" \
    "^  [cd]: $stored"

# ---- kernels ----

expect 0 '^    apart from k0: it covers another domain$' explain "$examples/bmm_bias_relu.ilx"
says "$w|out y : f64[I:n] = sum[J](x)|out z : f64[I:n] = max[J](x; initial=0)" \
    '^    apart from k0: one of them holds a reduction$'
program 'in x : f64[n, m]|out y : f64[m] = sum[0](x)'
expect 0 '^    for strips of axis 0, parts of which threads take, by 1024$' explain p.ilx
expect 0 '^    for axis 0 in \[0, m), parts of which threads take$' explain p.ilx --schedule=none
program 'in x : f64[n]|in p : i32[n]|map t[i:n] = where(p[i] >= 0 && p[i] < n, x[p[i]], 1.0)|out y : f64 = sum(t)'
expect 0 '^  k1 on \[\]: writes y' explain p.ilx
expect 0 '^    for chunks of a reduction' explain p.ilx --schedule=none
expect 0 'apart from k2: sizes are counted in between$' explain "$examples/peaks.ilx"
expect 0 '^    for I in \[0, ni), parts of which threads take$' explain "$examples/hdiff.ilx"
expect 0 '^        for K in \[0, nk), vector instructions$' explain "$examples/hdiff.ilx"
expect 0 '^    for I in \[0, ni), threads along z$' explain "$examples/hdiff.ilx" --jit=nvrtc
expect 0 '^        for K in \[0, nk), threads along x$' explain "$examples/hdiff.ilx" --jit=nvrtc
expect 0 '^    for axis 0 in \[0, k), threads along y$' \
    explain "$top/tests/stages/gather.ilx" --jit=nvrtc
expect 0 '^    computes on the way lap, rx, flx, ry, fly$' explain "$examples/hdiff.ilx"
expect 0 '^    from .*hdiff.ilx:10, 11, 12, 13, 14, 15$' explain "$examples/hdiff.ilx"
expect 0 'chunks of a reduction, whose results are combined pairwise$' \
    explain "$examples/spmv.ilx"
expect 0 '^      for strips of j, by 4$' explain "$examples/vadv.ilx"
expect 0 '^  workspace of threads()\*64\*ceil(32\*nk/64) + ' explain "$examples/vadv.ilx"
expect 0 '^      for what is left of j$' explain "$examples/vadv.ilx"
expect 0 '^        for k in \[0, nk - 1), downwards$' explain "$examples/vadv.ilx"
expect 0 '^          for a strip of j, vector instructions$' explain "$examples/vadv.ilx"
says "$x|in p : i64[n]|map y[i:n] = sum[j:n](where(max(3 - j, j - i - 7) > 0, x[p[j]], 0.0))|out o = y" \
    '^        for ranges of elements that a condition lets in$'
expect 0 '^ *local->index = t[0-9]*;$' emit p.ilx --cuda # where the check stands in the grid
expect 0 'call of .*, a function of the host$' explain "$top/tests/stages/foreign.ilx"

# ---- arguments, memory, bytes ----

says "$u|out y : f64[I:n, J:m] = u[I-2] + u[I+1]" \
    '^  in u : f64\[I:n, J:m\], read on \[I:-2:n+1, J:m\]; halo I 2:1$'
expect 0 '^  bytes read 8\*n\*m + 24\*m$' explain p.ilx
expect 0 '^bytes read: 8\*n\*m$' explain p.ilx
expect 0 '^temporaries: none, the workspace is empty$' explain p.ilx
says "$u|out y : f64[I:n, J:m] = u*u inplace u" 'may have the storage of u: nothing is copied for that$'
expect 0 'may have the storage of x: it is written at the end' \
    explain "$top/tests/stages/inplace_moved.ilx"
says "$w|let s = sum[I](x)|out y : $t = x - s" \
    '^  s : f64\[J:m\], place 0, bytes 8\*m$'
expect 0 '^  cp : .* bytes 32\*nk for each thread' explain "$examples/vadv.ilx"

# ---- messages ----

says "$x|in a : f64[n]|recv a from m+1 tag 3|let e = $heavy|out y = e + x|out z = e*a|send y to 0|send y to m" \
    '^  in a : f64\[n\], from rank m+1 with tag 3$'
expect 0 '^  out y : f64\[n\], to rank 0 with tag 0, to rank m with tag 0$' explain p.ilx
expect 0 '^  at once: e for other parts, y$' explain p.ilx
expect 0 '^  when there is a: z$' explain p.ilx

says "in x : f64[I:n] halo(I:1:1)|in a : f64[I:n]|recv a from 1|let e = $heavy|out w = a*e[I-1] + e[I+1]" \
    '^  at once: e for other parts$'

# All programs there are, and to a file.
for file in "$examples"/*.ilx "$top"/tests/stages/*.ilx
do
    expect 0 '^kernels, in this order$' explain "$file"
done
expect 0 '' explain p.ilx -o text
expect 0 . explain p.ilx
same out text
finish
