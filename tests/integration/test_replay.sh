#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ilexc replay: files that ilex_repro() wrote run as they were recorded; files
# that were damaged are refused in a sentence, whatever was damaged.
set -u
LC_ALL=C
export LC_ALL
ilexc=${ILEXC:-$PWD/ilexc}
writer=$PWD/tests/unit/test_repro
[ -x "$writer" ] || { echo "skipped: built without Check"; exit 77; }
unset ILEX_JIT ILEX_VERIFY
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-replay.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
bad=0

# expect STATUS PATTERN FILE [OPTION...]
expect() {
    status=$1 pattern=$2
    shift 2
    "$ilexc" replay "$@" >out 2>&1
    got=$?
    [ "$got" -eq "$status" ] && grep -q -e "$pattern" out && return
    echo "replay $*: exit status $got, not $status, or no '$pattern':"
    cat out
    bad=1
}

CK_VERBOSITY=silent ILEX_REPRO_FAILS=$dir/fails \
    ILEX_REPRO_RUNS=$dir/runs "$writer" || exit 1
expect 0 'the error that was recorded' fails
expect 0 'index 7' fails
expect 0 'v: checksum .* as the reference back end' runs
expect 0 'w: checksum .* as the reference back end' runs
"$ilexc" replay runs --jit=reference | grep -q 'runs with reference' || bad=1
grep checksum out >first
"$ilexc" replay runs --jit=reference | grep checksum >second
cmp first second || bad=1

# The target is that of the machine that wrote the file, until another is said.
sed 's/^option target .*/option target cores=3,l4_bytes=1/' runs >target
expect 4 "no field 'l4_bytes'" target
expect 0 'v: checksum .* as the reference back end' target --target=native

# A schedule goes along as text.
sed '/^threads/s/^/option schedule kernel k0: vector i0\\n\n/' runs >schedule
expect 0 'v: checksum .* as the reference back end' schedule
sed 's/k0: vector/k0: vektor/' schedule >misspelt
expect 4 'schedule, line 1: there is no directive vektor' misspelt

# What is no file.
expect 1 'directory' "$dir"
expect 1 'No such file' missing

# Another outcome than the recorded one.
sed 's/^threads/error 401 it failed\nthreads/' runs >claims
expect 4 'the recorded error does not come' claims
sed 's/^error 0 .*/error 201 other/' fails >other
expect 4 'another error was recorded' other
sed '/^error/d' fails >silent
expect 4 'no error was recorded' silent

# Without its elements it runs on made-up ones, the same each time.
{
    printf 'ilex 1\nprogram p\nsize n, m\nin u : c64[I:n, J:m]\n'
    printf 'out v : c64[I:n, J:m] = u + u\n'
} >program
{
    printf 'ilex-repro 1\nversion x\noption jit reference\n'
    printf 'program %d\n' "$(wc -c <program)"
    cat program
    printf '\n'
    printf 'storage u c64 0 2 I 3 4 0 0 0 J 4 1 0 0 0\n'
    printf 'storage v c64 1 2 I 3 -4 0 0 0 J 4 1 0 0 0\nend\n'
} >bare
expect 0 'v: checksum' bare
cp out again
expect 0 'v: checksum' bare
cmp out again || bad=1
grep -v '^storage' bare >compiled
expect 0 'it compiles with reference' compiled

# Damage.
: >empty
expect 1 "begin with 'ilex-repro 1'" empty
expect 1 'missing' missing
for line in 'storage x f64 1 17' 'storage x f64 1 1 I -3 1 0 0 0' \
    'storage x f64 1 1 I 99999999999 1 0 0 0' 'storage x f9 1 0' \
    'storage x f64 1 1 I 9 999999999999 0 0 0' 'storage u f64 1 0' \
    'storage x f64 1 2 I 100000 1 0 0 0 J 100000 1 0 0 0' 'same x x' \
    'same x y' 'number x 9 0 0 0' 'number x 1 0 0' 'data u 7' 'data y 1' \
    'data u 999999999' 'threads -1' 'threads 2x' 'size n' 'program 5' 'what' ''
do
    sed "s/^end\$/$line\nend/" bare >damaged
    expect 1 'a file of ilex_repro() is expected' damaged
done
sed 's/^program \(.*\)/program 1\1/' bare >damaged
expect 1 'is damaged' damaged
sed 's/out v/out 5/' bare >damaged
expect 4 'error\[E103\]' damaged

# Cut anywhere, and bytes exchanged: never a crash.
bytes=$(wc -c <runs)
n=0
while [ "$n" -lt "$bytes" ]
do
    head -c "$n" runs >cut
    expect 1 'is expected' cut
    { head -c "$n" bare; printf '9'; tail -c +$((n + 2)) bare; } >mixed
    "$ilexc" replay mixed --threads=1 >out 2>&1
    got=$?
    [ "$got" -lt 70 ] || { echo "byte $n: exit status $got"; cat out; bad=1; }
    n=$((n + 7))
done
exit $bad
