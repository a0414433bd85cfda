#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lines of the program in generated source (`--line`): what compilers say of a
# statement names the line that it is of, what they say of the rest the file
# they read. But for the directives nothing is different.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
warnings='-Wall -Wextra -Wpedantic -Werror'

# The compiler names "$2" as the place of "$1", which is put before the end of
# the first statement of file "$3" in whose line "$4" stands.
names() {
    count=$((count + 1))
    awk -v word="$1" -v like="$4" \
        'index($0, like) && !done { done = sub(/;/, " " word ";") } { print }' \
        "$3" >broken.c
    grep -q "$1" broken.c || complain "nothing is like '$4' in $3"
    $CC -std=c99 -c broken.c -o broken.o >log 2>&1 && complain "$1 is taken"
    grep -F "$2:" log | grep -q 'error' ||
        { complain "$1 is not at $2"; grep error log | sed 's/^/    /'; }
}

# The lines of "$2" that directives in file "$1" name, before which
# those of the file itself are its own.
check_lines() {
    count=$((count + 1))
    awk -v own="\"$1\"" -v source="\"$2\"" '
        $1 != "#line" { next }
        NF == 3 { file = $3 }
        file == own && $2 != NR + 1 { print own ":" NR ": says " $2; exit }
        file == source && !($2 in seen) { seen[$2] = 1; all = all " " $2 }
        END { print all }' "$1" >lines
    tr ' ' '\n' <lines | sort -n | tr '\n' ' ' >sorted
    [ "$(cat sorted)" = " $3 " ] || complain "$1 has the lines$(cat sorted)"
}

# ---- one program, in C and CUDA ----

cp "$top/examples/hdiff.ilx" .
mkdir plain cuda cuda_plain
good "$ilexc" compile --line hdiff.ilx -o .
good "$ilexc" compile hdiff.ilx -o plain
good "$ilexc" compile --line --language cuda hdiff.ilx -o cuda
good "$ilexc" compile --language cuda hdiff.ilx -o cuda_plain
grep -v '^#line' hdiff.c >without.c
good cmp without.c plain/hdiff.c
good cmp hdiff.h plain/hdiff.h
grep -v '^#line' cuda/hdiff.cu >without.cu
good cmp without.cu cuda_plain/hdiff.cu
check_lines hdiff.c hdiff.ilx '10 11 12 13 14 15'
(cd cuda && check_lines hdiff.cu hdiff.ilx '10 11 12 13 14 15' && exit $bad) ||
    bad=$((bad + 1))
# shellcheck disable=SC2086
good $CC -std=c99 $warnings -Wconversion -O1 -c hdiff.c
names in_lap hdiff.ilx:10 hdiff.c '/* lap['
names in_rx hdiff.ilx:11 hdiff.c '/* rx */'
names in_flx hdiff.ilx:12 hdiff.c '/* flx */'
names in_fly hdiff.ilx:14 hdiff.c '/* fly['
names in_v hdiff.ilx:15 hdiff.c 's2_2] = t'
line=$(grep -n 'return k0_body' hdiff.c | sed 's/:.*//;1q')
names in_call "hdiff.c:$line" hdiff.c 'return k0_body'

# Debuggers are told the same.
$CC -std=c99 -g -S hdiff.c -o hdiff.s >log 2>&1
count=$((count + 1))
file=$(sed -n 's/^[[:space:]]*\.file[[:space:]]*\([0-9]*\).*"hdiff\.ilx".*/\1/p' hdiff.s)
for line in 10 11 12 13 14 15
do
    grep -q "\.loc[[:space:]]*${file:-none} $line " hdiff.s ||
        complain "no code is said to be of hdiff.ilx:$line"
done

# ---- what is not one statement a line ----

cat >many.ilx <<'END'
ilex 1
program many
size n, m
in a : f64[n, m]
in w : f64[n]
let s = sum[1](a*2.0)
let first = s == w
let picked = where(first, w, s + w)
out r = concat(picked, w)
scan i forward y[i:n] = where(i == 0, w[i], y[i-1] + w[i])
out last = y
END
good "$ilexc" compile --line many.ilx -o .
check_lines many.c many.ilx '6 7 8 9 10'
# shellcheck disable=SC2086
good $CC -std=c99 $warnings -Wconversion -O1 -c many.c
count=$((count + 1))
$CC -std=c99 -Wfloat-equal -fsyntax-only many.c >log 2>&1
grep -q '^many.ilx:7:.*float-equal' log || { complain 'no warning of line 7'; cat log; }

# ---- functions that several kernels call ----

cat >twice.ilx <<'END'
ilex 1
program twice
size n, m
in u : f64[I:n]
in w : f64[J:m]
function f(x)
  let y = x*3.0 - 1.0
  return y
end
out c = u*2.0 + 1.0
out d = w*2.0 + 1.0
out e = f(u)
out g = f(w)
END
good "$ilexc" compile --line twice.ilx -o .
count=$((count + 1))
[ "$(grep -c 'the same way' twice.c)" = 2 ] || complain 'no function is shared'
check_lines twice.c twice.ilx 7

# ---- places from elsewhere ----

cat >loc.ilx <<'END'
ilex 1
program loc
size n
in u : f64[I:n]
function f(x)
  let y = x*3.0 @loc("f.py", 12, 3)
  let z = y - 1.0
  return z
end
let a = f(u) @loc("g.py", 40)
out v = a/2.0
END
good "$ilexc" compile --line loc.ilx -o .
check_lines loc.c f.py 12
check_lines loc.c g.py 40
check_lines loc.c loc.ilx 11

# ---- names of files ----

mkdir -p 'a "b\c??/'
cp hdiff.ilx 'a "b\c??/d.ilx'
good "$ilexc" compile --line 'a "b\c??/d.ilx' -o .
grep -q '^#line 15 "a \\"b\\\\c\\?\\?/d.ilx"$' hdiff.c || complain 'the name of the file is told otherwise'
# shellcheck disable=SC2086
good $CC -std=c99 $warnings -Wconversion -O1 -c hdiff.c
names in_rx 'a "b\c??/d.ilx:11' hdiff.c '/* rx */'

# ---- emit ----

cp "$top/examples/hdiff.ilx" .
good "$ilexc" emit --c --line -o printed.c hdiff.ilx
check_lines printed.c hdiff.ilx '10 11 12 13 14 15'
good "$ilexc" emit --c -o plain.c hdiff.ilx
grep -v '^#line' printed.c >without.c
good cmp without.c plain.c
count=$((count + 1))
"$ilexc" emit --cuda --line hdiff.ilx >printed.cu
grep -q '^#line [0-9]* "hdiff.cu"$' printed.cu || complain 'CUDA has no own name'
check_lines printed.cu hdiff.ilx '10 11 12 13 14 15'

echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
