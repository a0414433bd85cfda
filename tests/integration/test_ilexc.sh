#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command ilexc as users meet it: verbs, sources and targets of a run,
# messages and exit statuses.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"

iota() {
    printf 'ilex 1\nprogram iota\nsize n, m\nout v : f64[I:n, J:m] = %s\n' \
        'f64(10*index(I) + index(J))'
}

# Reads a halo of 1 to the left and 2 to the right, around J only.
reach() {
    printf 'ilex 1\nprogram reach\nsize n, m\n'
    printf 'in u : f64[I:n, J:m] halo(J:1:2)\n'
    printf 'out v : f64[I:n, J:m] = 10000.0*u[J-1] + 100.0*u + u[J+2]\n'
}

iota >iota.ilx
reach >reach.ilx

# ---- about the command ----

expect 0 '^ilexc [0-9]' --version
expect 0 'Exit status' --help
expect 0 'random:SEED' help run
for verb in bench check fmt print explain emit run graph list cache
do
    expect 0 "^ilexc $verb" help $verb
    expect 0 "^ilexc $verb" $verb --help
done
expect 0 '^simplify ' --passes
expect 0 '^threads ' --options
expect 0 '^reference  *built in  *evaluates' --backends
expect 0 ': man ilex_eval$' help ilex_eval
expect 2 'what is to be done'
expect 2 'no verb frob' frob
expect 2 'no verb frob' help frob
expect 2 'no option --frob' --frob

# ---- check ----

for program in axpy bmm_bias_relu hdiff terrain terrain_halo terrain_step \
    hillshade enlarge life spmv black_scholes peaks relax
do
    expect 0 '' check "$examples/$program.ilx"
done
sed 's/halo(I:2:2, J:2:2)/halo(I:1:1, J:2:2)/' "$examples/hdiff.ilx" >small.ilx
expect 1 '^small.ilx:15:5: error\[E401\]: .*reads u at I=.*for example ni=' \
    check small.ilx
expect 1 'small.ilx:15:5: error' run small.ilx --in u=zero --in coeff=zero
expect 2 'no option --frob' check --frob iota.ilx
expect 2 'one program at a time' check iota.ilx reach.ilx
expect 2 'which program' check
expect 1 'no.ilx: No such file' check no.ilx
printf 'ilex 1\nprogram p\000\n' >nul.ilx
expect 1 'byte 17 is 0' check nul.ilx
expect 2 'option jit' check iota.ilx --jit=frob
expect 0 '' check --threads 3 --jit=reference -- iota.ilx
count=$((count + 1))
"$ilexc" check - <iota.ilx >out 2>err || fail 'check - <iota.ilx'
echo frob | "$ilexc" check - >out 2>err
grep -q '^<stdin>:1:1: error' err || fail 'no <stdin> in the message'

# ---- fmt, print, emit, graph ----

printf 'ilex 1\nprogram  iota   # words\nsize n,m\nout v:f64[I:n,J:m]=%s\n' \
    'f64( 10*index( I )+index(J))' >messy.ilx
expect 0 '^program iota  # words$' fmt messy.ilx
cp out neat.ilx
expect 0 . fmt neat.ilx
same out neat.ilx
printf 'ilex 1\nprogram p\nin x : f64[2,3]\nout y=%s\n' \
    'tensordot( x,x;axes=[[0 ,1],[ 0,1]])' >lists.ilx
expect 0 '^out y = tensordot(x, x; axes=\[\[0, 1\], \[0, 1\]\])$' fmt lists.ilx
chmod 640 messy.ilx
expect 0 '' fmt -i messy.ilx
same messy.ilx neat.ilx
[ "$(find messy.ilx -perm 640)" ] || fail 'fmt -i changes the mode'
expect 2 '-i wants a file' fmt -i -
expect 0 '^out v' print iota.ilx
"$ilexc" print iota.ilx >printed.ilx
expect 0 . print printed.ilx --stage=parsed
same out printed.ilx
cat >named.ilx <<'END'
ilex 1
program named
size n
in x : f64[n]
let shifted = x + 1.0
out v = shifted*shifted
END
sed 's/shifted/moved/g' named.ilx >renamed.ilx
expect 0 '^let shifted = x + 1.0$' print named.ilx
expect 0 'lambda shifted' print named.ilx --stage=simplify
"$ilexc" print named.ilx --stage=hash >named.hash
"$ilexc" print renamed.ilx --stage=hash >renamed.hash
same named.hash renamed.hash
cat >squares.ilx <<'END'
ilex 1
program squares
size n
in a : f64[n]
in b : f32[n]
in i : i16[n]
in h : f16[n]
in c : c64[n]
out y = power(a, 2.0)
out z = power(b, 2)
out k = power(i, 2)
out e = power(h, 2)
out d = power(c, 2.0) + power(2.0*c, 3.0)
out g = power(a, 3.0)
END
expect 0 'square(' print squares.ilx --stage=simplify
[ "$(grep -c 'square(' out) $(grep -c 'power(' out)" = '4 3' ] ||
    fail 'a power of 2 is no square'
expect 0 'same bits' run squares.ilx --size n=3000 --in a=random:1 \
    --in b=random:2 --in i=random:3 --in h=random:4 --in c=random:5 \
    --check=reference -v
cat >paths.ilx <<'END'
ilex 1
program paths
size n, m
in a : f64[n, m]
in b : f64[m, n]
in x : f64[n]
einsum g[i] = a[i, j]*b[j, k]*x[k]
out o = 2*g
END
expect 0 '^0\*(1\*2): 2\*n\*m flops, n elements$' print paths.ilx --stage=paths
expect 0 '^einsum g$' print paths.ilx --stage=paths
expect 0 '^operations: 4\*n\*m + n$' print paths.ilx --stage=counts
expect 0 '^bytes read: 16\*n\*m + 8\*n$' print paths.ilx --stage=counts
expect 0 '^nodes: 6 (4 input, 1 lambda, 1 csr_matmul)$' print "$examples/spmv.ilx" --stage=counts
expect 0 '^operations: at most 2\*n\*z + 2\*z$' print "$examples/spmv.ilx" --stage=counts
expect 0 '^[0-9a-f]\{32\}$' print iota.ilx --stage=hash
cp out hash
expect 0 . print printed.ilx --stage=hash
same out hash
for pass in $("$ilexc" --passes | cut -d ' ' -f 1)
do
    expect 0 . print "$examples/hdiff.ilx" --stage="$pass"
done
expect 2 'no pass frob' print iota.ilx --stage frob
expect 2 'wants a value: PASS' print iota.ilx --stage
expect 0 'b1\|v' emit iota.ilx
expect 0 '' emit iota.ilx --c -o a.c
expect 0 . emit iota.ilx --c
same out a.c
expect 0 '__global__' emit --cuda iota.ilx
expect 0 'static inline' emit iota.ilx --jit=cc
expect 0 'GCC ivdep' emit iota.ilx --jit=cc --c
expect 0 'GCC ivdep' emit iota.ilx --jit=reference
"$ilexc" emit iota.ilx --jit=tcc >out 2>err || fail 'emit --jit=tcc'
grep -q ivdep out && fail 'emit --jit=tcc prints the dialect of cc'
"$ilexc" emit iota.ilx --jit=tcc --c >out 2>err || fail 'emit --jit=tcc --c'
grep -q ivdep out && fail 'emit --jit=tcc --c prints the dialect of cc'
expect 2 'either --c or --cuda' emit --c --cuda iota.ilx
expect 1 'no/a.c: No such file' emit -ono/a.c iota.ilx
expect 0 '^digraph' graph --dot iota.ilx
expect 2 'takes no value' graph --dot=x iota.ilx
printf 'ilex 1\nprogram p\nsize n\nin x : f64[n+1]\nout y : f64[n] = x[1:]\n' >dot.ilx
expect 0 'v[0-9]*\[_0 *[+] *1\]' graph --dot dot.ilx
printf 'ilex 1\nprogram p\nsize n\nin x : f64[n]\nout o : f64 = sum(compress(x, x > 0.0))\n' >count.ilx
expect 0 'out0 .label="o"' graph --dot count.ilx # what is counted is no output
"$ilexc" graph --dot count.ilx | grep -q 'out1' && fail 'two outputs in the graph'

# ---- run: sizes and inputs ----

run_axpy="run $examples/axpy.ilx --in a=constant:2"
expect 2 'x : f64\[i:n\]' $run_axpy --size n=4
expect 2 '--in x=random:1 --in y=random:1 --out z=-' $run_axpy --size n=4
expect 2 'add for example --size n=' $run_axpy --in x=zero --in y=zero
expect 0 '' $run_axpy --size n=4 --in x=random:1 --in y=zero
expect 0 '\[3.0 3.0 3.0\]' $run_axpy --size n=3 --in x=constant:1 --in y=constant:1 \
    --out z=-
expect 0 'check     same bits' $run_axpy --size=n=5000 --in x=random:1 \
    --in y=random:2 --check=reference -v --threads=3
expect 2 'was given before' $run_axpy --in a=zero
expect 2 'n was given before' $run_axpy --size n=3,n=4
expect 2 'no input b' $run_axpy --in b=zero
expect 2 'no output a' $run_axpy --out a=-
expect 2 'no size q' $run_axpy --size q=1
expect 2 'NAME=NUMBER' $run_axpy --size n=x
expect 2 'a source is' $run_axpy --in x=random:q
expect 0 '\[4.0 4.0\]' $run_axpy --size n=2 --in x=1 --in y=2.0 --out z=-
expect 2 'a source is' $run_axpy --in x=@x.npy,halo=frob
expect 2 'a target is' $run_axpy --out z=@z.txt
expect 2 'a target is' $run_axpy --out z=z.txt
expect 2 'row is written there already' run "$examples/peaks.ilx" --out row=@p.npy \
    --out column=@p.npy
expect 2 'only --check=reference' $run_axpy --check=tcc
expect 1 'violate the assumption' $run_axpy --size n=0 --in x=zero --in y=zero
expect 1 'no.npy' $run_axpy --in x=@no.npy --in y=zero
expect 3 'E701' $run_axpy --size n=4 --in x=zero --in y=zero --jit=cc \
    --cc=/nonexistent/cc

# ---- run: lengths that are counted ----

run_peaks="run $examples/peaks.ilx --in h=@$examples/data/maunga_whau_10m.npy"
expect 0 'i64\[12\]' $run_peaks --in level=constant:185 --out row=- \
    --check=reference
expect 0 '^\[192.0 191.0 195.0 191.0' $run_peaks --in level=constant:185 \
    --out height=-
expect 0 '^counted   c = 1$' $run_peaks --in level=constant:195 -v
expect 0 'f64\[0\]' $run_peaks --in level=constant:196 --out height=-
expect 2 'no size c' $run_peaks --in level=constant:185 --size c=3

# ---- run: files and halos ----

expect 0 '' run iota.ilx --size n=2,m=3 --out v=@iota.npy
expect 0 '' run iota.ilx --size n=2,m=6 --out v=wide.npy
expect 0 '' run iota.ilx --size n=5,m=3 --out v=odd.npy
run_reach='run reach.ilx --check=reference --out v=-'
expect 0 '2.0  *102.0  *10202.0' $run_reach --in u=@iota.npy
expect 0 '2.0  *100.0  *10200.0' $run_reach --in u=iota.npy,halo=zero
expect 0 '20002.0  *100.0  *10201.0' $run_reach --in u=@iota.npy,halo=periodic
expect 0 '103.0  *10204.0  *20305.0' $run_reach --in u=@wide.npy,halo=file
expect 0 '103.0  *10204.0  *20305.0' $run_reach --in u=@wide.npy --size m=3
expect 1 'wants the shape (2, 4) but has (2, 6)' $run_reach --in u=@wide.npy \
    --size m=4
for length in 2*n 4*n+3 n+7 2*n-20
do
    printf 'ilex 1\nprogram p\nsize n\nassume n >= 10\nin x : f64[%s, 3]\nout z = x\n' \
        "$length" >odd.ilx
    expect 1 "^ilexc: odd.npy: no n >= 0 gives axis 0 of x : f64.*, 3] its length 5$" \
        run odd.ilx --in x=@odd.npy --out z=-
done
expect 1 'holds f64 of rank 2' $run_axpy --in x=@iota.npy --in y=zero
expect 0 '' run iota.ilx --size n=2,m=3 --out v=@again.npy --jit=reference
same iota.npy again.npy
expect 0 '' run iota.ilx --size n=2,m=3 --out \
    v=@iota.png,map=uniform,scale=4,flip=xy,low=0,high=12
count=$((count + 1))
[ "$(head -c 4 iota.png | tail -c 3)" = PNG ] || fail 'iota.png is no picture'
expect 1 'E' run iota.ilx --size n=2,m=3 --out v=@no/v.npy

# Random numbers: the same ones each time, others for another seed.
for seed in 1 1 2
do
    "$ilexc" run reach.ilx --size n=9,m=9 --in u=random:$seed \
        --out v=@random$seed.npy --check=reference ||
        fail "random:$seed"
    [ -e first.npy ] || cp random1.npy first.npy
done
same first.npy random1.npy
cmp -s random1.npy random2.npy && fail 'two seeds, one result'

# Ranks that are threads, beside the reference back end in one process.
run_ranks="run $examples/hdiff.ilx --size ni=9,nj=7,nk=8 --in u=random:3 \
    --in coeff=constant:0.1 --check=reference"
expect 0 'ranks     3 on I:3 (threads), of which the first sent 1 messages, 1408 bytes' \
    $run_ranks --ranks 3 -v
expect 0 'ranks     4 on I:2,J:2 (threads), of which the first sent 2 messages' \
    $run_ranks --grid I:2,J:2 -v
expect 0 'same bits' $run_ranks --grid J:4,I:2 --transport delay -v
expect 2 'a number from 1 to 4096' $run_ranks --ranks 0
expect 2 'wants axes and numbers' $run_ranks --grid I2
expect 2 'runs of one rank' $run_ranks --grid I:2 --profile
expect 2 'is of --ranks and --grid' $run_ranks --transport delay
foresee="explain $examples/hdiff.ilx --size ni=16,nj=12,nk=3"
expect 0 'least loaded  *0  *144  *2  *[0-9]' $foresee --grid I:2,J:2
expect 0 ' 8192 .* I:128, J:64' $foresee --grid I:100,J:100 \
    --size ni=2048,nj=2048 --latency 1e-6
expect 0 '' $foresee --grid I:4 -o scaling.svg
grep -q '^<polyline' scaling.svg || fail 'no picture of scaling'
expect 2 'is told as text' $foresee --grid I:2 --json
expect 2 'no argument has the axis Q' $foresee --grid Q:2
"$ilexc" explain "$examples"/hdiff.ilx --grid I:4 --size ni=0,nj=0,nk=0 >out ||
    fail 'nothing is not foreseen'
grep -q nan out && fail 'nothing takes nan seconds'
expect 2 'a million at most' $foresee --grid I:2000,J:2000
expect 2 'bandwidth 0: wants a number above 0' $foresee --grid I:2 --bandwidth 0
expect 2 'size is of --grid' $foresee
expect 2 'step is of --grid' explain "$examples"/hdiff.ilx --step 1e-3
expect 2 "wants the value of size ni" explain "$examples"/hdiff.ilx --grid I:2
expect 2 "wants axes and numbers" explain "$examples"/hdiff.ilx --grid I:2,,J:2 \
    --size ni=9,nj=9,nk=9
expect 2 'axes that go along with others' explain $examples/hdiff.ilx \
    --grid I:2,J=I --size ni=9,nj=7,nk=8
expect 2 'has 4 ranks, --ranks 3' $run_ranks --grid I:2,J:2 --ranks 3
expect 1 'no argument has the axis Q' $run_ranks --grid Q:2
expect 1 "no transport 'thread'" $run_ranks --ranks 2 --transport thread
expect 0 '^threads  *ranks are threads' --transports

# Ranks that send each other messages: each runs the command.
cat >ring.ilx <<'END'
ilex 1
program ring
size n, left, right
in x : f64[n]
in xl : f64[n]
recv xl from left
send x to right
out y = x - 10.0*xl
END
ring="run ring.ilx --size n=2,left=rank-1,right=rank+1 --in x=constant:%r"
expect 0 '^\[-20.0 -20.0\]$' $ring --ranks 3 --out y=-
expect 0 '' $ring --ranks 3 --out y=@y%r.npy --check=reference
expect 0 '^\[72.0 72.0\]$' run ring.ilx --in x=@y2.npy --in xl=@y2.npy \
    --size left=0,right=0 --out y=-
expect 1 'comes from rank 0, which is this one' $ring --ranks 1
expect 2 'a number from 1 to 4096' $ring --ranks 1x
expect 2 'what do these inputs hold' run ring.ilx --size n=2,left=0,right=0
expect 2 "NAME=NUMBER" $ring --ranks 2 --size left=rank*2

# Every back end, on programs with halos, einsum and reductions.
for jit in reference tcc cc
do
    "$ilexc" list backends | grep -q "^$jit  *\(built in\|found\)" || continue
    expect 0 '' run "$examples/hdiff.ilx" --size ni=9,nj=7,nk=8 \
        --in u=random:3 --in coeff=constant:0.1 --check=reference --jit=$jit
    expect 0 '' run "$examples/bmm_bias_relu.ilx" --size nb=2,mo=2,n=3,k=5 \
        --in A=random:3 --in B=random:4 --in bias=random:5 --check=reference \
        --jit=$jit
done

# Complex numbers, scalars, options from the environment, dumps.
cat >complex.ilx <<'END'
ilex 1
program complex
size n
in z : c128[n]
in m : bool[n]
in k : i16[n]
out w : c128[n] = where(m, z*z, z) + k
out total : c128 = sum[0](w)
END
expect 0 '^total: c128' run complex.ilx --size n=1000 --in z=random:-7 \
    --in m=random:8 --in k=random:9 --check=reference --out total=-
export ILEX_JIT=reference
expect 0 '^back end  reference' run iota.ilx --size n=1,m=1 -v
ILEX_JIT=
unset ILEX_JIT
expect 0 '^after extents' check iota.ilx --dump=all

# The manual knows every verb and every option.
manual=$top/doc/ilexc.1
for verb in bench check fmt print explain emit run graph list cache
do
    count=$((count + 1))
    grep -q "^\.SS $verb\$" "$manual" || fail "$manual: no verb $verb"
    for option in $("$ilexc" help $verb | sed -n 's/^    \(-[-a-z]*\) .*/\1/p')
    do
        spelled=$(printf '%s' "$option" | sed 's/-/\\-/g')
        grep -qF -e "$spelled" "$manual" || fail "$manual: no option $option"
    done
done

# Option target: of what is compiled ahead of time it stands in the JSON.
expect 2 "option target: 'avx' is not one of.*did you mean 'avx2'" check \
    "$examples/hdiff.ilx" --target=avx
expect 1 'E101.*the directory has no name' compile "$examples/hdiff.ilx" -o ''
expect 0 '' compile "$examples/axpy.ilx" --shared --object --static -o kinds
for kind in o a so; do
    [ -f "$(ls kinds/*.$kind)" ] || fail "compile: no library .$kind"
done
expect 2 "option target: 'sm80' is not one of" compile "$examples/hdiff.ilx" \
    -o ahead --target=sm80
expect 1 "E108.*no field 'l4_bytes'; did you mean 'l1_bytes'" compile \
    "$examples/hdiff.ilx" -o ahead --target=cores=1,l4_bytes=1
expect 0 '^target native$' explain "$examples/hdiff.ilx"
expect 0 '^  vector_bytes=.*,line_bytes=64,.*,cores=3$' explain \
    "$examples/hdiff.ilx" --target=cores=3
for target in generic avx2 native cores=3
do
    expect 0 '' compile "$examples/hdiff.ilx" -o ahead --target $target
    grep -q "\"target\": \"\($target\|.*,cores=\)" ahead/hdiff.json ||
        fail "compile --target $target: $(grep target ahead/hdiff.json)"
    rm -r ahead
done

# A schedule of several lines is one string of it.
printf 'kernel k0:\n# "a\\b"\n' >none.schedule
expect 0 '' compile "$examples/hdiff.ilx" -o ahead --schedule="$PWD/none.schedule"
grep -qF '"schedule": "kernel k0:\n# \"a\\b\"\n",' ahead/hdiff.json ||
    fail "JSON: $(grep -A3 schedule ahead/hdiff.json)"
rm -r ahead

# What cannot be compiled ahead of time, and what is no way to ask for it.
mkdir ahead bin
: >bin/cc
expect 1 'E105.*no modules in Fortran for CUDA' compile "$examples/hdiff.ilx" \
    -o ahead --language cuda --fortran
for name in exp I complex close M_PI int64_t
do
    expect 1 "E102.*my_$name" compile "$examples/hdiff.ilx" -o ahead \
        --prefix $name
done
expect 1 'E102.*prefix' compile "$examples/hdiff.ilx" -o ahead --prefix 3d
expect 1 'E106.*hdiff' compile "$examples/hdiff.ilx" "$examples/hdiff.ilx" \
    -o ahead
cp "$examples/hdiff.ilx" ahead/other.ilx
expect 0 '' compile ahead/other.ilx -o ahead/stem --stem --prefix by
expect 0 '' compile ahead/other.ilx "$examples/vadv.ilx" -o ahead/stem --stem
[ "$(cd ahead/stem && echo *.c)" = \
    'by_other.c other.c other_support.c vadv.c' ] ||
    fail "compile --stem: $(ls ahead/stem)"
cp "$examples/hdiff.ilx" ahead/an-other.ilx
expect 1 "E102.*prefix 'an-other'" compile ahead/an-other.ilx -o ahead --stem
expect 1 'E106.*called other' compile ahead/other.ilx ahead/../ahead/other.ilx \
    -o ahead --stem
rm -r ahead/stem ahead/*other.ilx
expect 1 'E101.*Give a prefix' compile "$examples/hdiff.ilx" \
    "$examples/vadv.ilx" -o ahead --shared
expect 1 'E101.*generic,avx2' compile "$examples/hdiff.ilx" -o ahead \
    --target avx2,avx512 --static
expect 1 'E101.*libraries' compile "$examples/hdiff.ilx" -o ahead \
    --target generic,avx2
expect 1 "E901.*'bin/cc/x': Not a dir" compile "$examples/hdiff.ilx" -o bin/cc/x
expect 0 '' compile "$examples/hdiff.ilx" -o new/deep/
[ -s new/deep/hdiff.h ] || fail 'compile -o makes no directory'
expect 3 'E701' compile "$examples/hdiff.ilx" -o ahead --object --cc=/bin/false
expect 1 'E107.*the sizes ni, nj, nk' compile "$examples/hdiff.ilx" -o ahead \
    --size n=4
expect 3 'E701.*nvcc, which is not at' compile "$examples/hdiff.ilx" -o ahead \
    --language cuda --static --cc=/nowhere/nvcc
expect 2 'c or cuda' compile "$examples/hdiff.ilx" -o ahead --language d
# of several programs that one of them is refused leaves no file of the others
printf 'ilex 1\nprogram sorted\nsize n\nin x : f64[n]\nout y = sort(x)\n' \
    >bin/sorted.ilx
expect 1 'E105.*sort (.*runs on the host' compile "$examples/hdiff.ilx" \
    bin/sorted.ilx -o none --language cuda
[ ! -e none ] || fail "a program that is refused leaves $(ls none)"
# A compiler is found in PATH; one for another processor, or that does not know
# a target, is told before anything is written.
cat >bin/some-cc <<'END'
#!/bin/sh
case $* in
-dumpmachine) echo "$0" | sed 's/.*some-cc/some_processor-linux/' ;;
*) exit 1 ;;
esac
END
sed -e 's/echo .*;;/echo x86_64-linux ;;/' bin/some-cc >bin/old-cc
chmod +x bin/some-cc bin/old-cc
path=$PATH
PATH=$dir/bin:$PATH
targets='-o none --static --target generic,avx2'
expect 2 "option cc: 'no-cc' is not a program that PATH has" check \
    "$examples/hdiff.ilx" --cc=no-cc
expect 2 "option cc: 'bin/old-cc' is not" check "$examples/hdiff.ilx" \
    --cc=bin/old-cc
# shellcheck disable=SC2086
{
    expect 1 "E105.*x86-64.*/bin/some-cc' compiles for some_processor-linux" \
        compile "$examples/hdiff.ilx" $targets --cc=some-cc
    expect 3 "E701.*target avx2.*/bin/old-cc' failed with status 1" \
        compile "$examples/hdiff.ilx" $targets --cc=old-cc
    expect 3 "E701.*target avx512.*/bin/old-cc' failed with status 1" \
        compile "$examples/hdiff.ilx" -o none --object --target avx512 \
        --cc=old-cc
}
PATH=$path
[ ! -e none ] || fail 'compile writes before it asks the compiler'
expect 0 '' compile "$examples/hdiff.ilx" -o ahead --prefix mine
[ "$(cd ahead && echo mine*)" = 'mine.c mine.h mine.json' ] ||
    fail "compile leaves $(cd ahead && echo *)"

# ---- bench: what is printed; times are another matter ----

bench="bench $examples/axpy.ilx --threads=1"
expect 0 '^program axpy: n=3000$' $bench --size n=3000
expect 0 'moves at least 0.07201 MB (0.04801 read, 0.024 written) and takes 0.006 million' \
    $bench --size n=3000
expect 0 '^copy by 1 thread, arrays in cache: [0-9.]* GB/s ([0-9.]* to ' \
    $bench --size n=3000
expect 0 '^reference  *1  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9]*%' \
    $bench --size n=3000 --jit=reference
"$ilexc" $bench --size n=3000 >out 2>err
grep -q '^reference' out && fail 'bench runs the reference back end unasked'
expect 0 '^cc: left out, it is not there$' $bench --size n=3000 --cc=/no/cc
expect 3 'E701' $bench --size n=3000 --jit=cc --cc=/no/cc
expect 2 'no input q' $bench --in q=zero
expect 2 'no size q' $bench --size q=3

# ---- times of kernels: which, how often ----

says="run $examples/bmm_bias_relu.ilx --size nb=3,mo=2,n=40,k=30"
says="$says --in A=random:1 --in B=random:2 --in bias=zero --profile"
for jit in reference cc
do
    expect 0 "^kernels of $jit in 1 run\$" $says --jit=$jit
    expect 0 '^kernel  *calls  *ms  *ms each  *share  writes$' $says --jit=$jit
    expect 0 '^k0  *1  *[0-9.]*  *[0-9.]*  *[0-9.]*%  [A-Za-z]' $says --jit=$jit
    expect 0 '^the rest  *1  *[0-9.]*  *[0-9.]*  *[0-9.]*%' $says --jit=$jit
done
# k1 and k2 are versions of k0: for more elements, for more than one chunk
expect 0 '^k3  *7  *[0-9.]*  *[0-9.]*  *[0-9.]*%  S, M$' $says --jit=cc --steps 7
expect 0 '^k1  *0  ' $says --jit=cc --steps 7
expect 0 '^k2  *0  ' $says --jit=cc --steps 7
expect 0 '^k0  *[1-9][0-9]*  *[0-9.]*  *[0-9.]*  *[0-9.]*%  z$' \
    $bench --size n=3000 --jit=cc --profile
"$ilexc" $says --jit=cc >out 2>err
[ "$(grep -c '^k[0-9]' out)" = 4 ] || fail 'not one line for each kernel'
expect 0 '^stage     partition  *[0-9.]* ms$' $says --jit=cc -v -v
expect 0 '^stage     compile  *[0-9.]* ms$' $says --jit=cc -v -v --cache=off

# A full disk is no success.
# what is no file of its own is written to, and stays what it is
ln -s /proc/self/fd/1 standard
if [ -e standard ]; then
    { "$ilexc" print iota.ilx -o standard && echo behind; } >whole ||
        fail 'standard output has a path that is refused'
    grep -q '^program' whole || fail 'nothing came to standard output'
    [ "$(tail -n 1 whole)" = behind ] || fail 'standard output was replaced'
    [ -L standard ] || fail 'a link to standard output was replaced'
fi
expect 0 '' print iota.ilx -o /dev/null
if [ -w /dev/full ]; then
    count=$((count + 1))
    "$ilexc" --help >/dev/full 2>err && fail 'a full disk is not noticed'
fi

finish
