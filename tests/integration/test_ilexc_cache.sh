#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The disk cache as users of ilexc meet it: what a second run finds, why one
# does not, what looks after the directory, exit statuses.
set -u
LC_ALL=C
export LC_ALL
ilexc=${ILEXC:-$PWD/ilexc}
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilexc-cache.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
unset ILEX_CACHE ILEX_CACHE_SIZE
ILEX_CACHE_DIR=$dir/cache
HOME=$dir/home
XDG_CACHE_HOME=
export HOME ILEX_CACHE_DIR XDG_CACHE_HOME
mkdir home
count=0
bad=0

fail() {
    bad=$((bad + 1))
    echo "FAIL: $*"
    sed 's/^/    /' out
}

# Runs "ilexc $3 ...", wants exit status "$1" and a line like "$2".
expect() {
    status=$1
    pattern=$2
    shift 2
    count=$((count + 1))
    "$ilexc" "$@" >out 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$status" ] || fail "ilexc $*: exit status $got, not $status"
    [ -z "$pattern" ] || grep -q -e "$pattern" out ||
        fail "ilexc $*: no '$pattern'"
}

# Wants "$1" entries in the cache.
entries() {
    count=$((count + 1))
    n=$(ls cache 2>/dev/null | grep -c '^[0-9a-f]*$')
    [ "$n" -eq "$1" ] || fail "$n entries, not $1"
}

program() {
    printf 'ilex 1\nprogram p\nin x : f64[3]\nout y : f64[3] = %s\n' "$1"
}
program '2*x' >twice.ilx
program '3*x' >thrice.ilx
twice='run twice.ilx --jit=cc --in x=constant:1 --out y=-'

# ---- runs ----

expect 0 'not there yet' cache stat
expect 4 '^miss: .*there is no directory' cache why twice.ilx
entries 0
# shellcheck disable=SC2086
{
    expect 3 'must_hit' $twice --cache=must_hit
    expect 0 '^cache: miss of .*no entry has the same source' $twice -v
    entries 1
    expect 0 '^cache: [0-9a-f]* is used' $twice -v
    expect 0 '2.*2.*2' $twice --cache=must_hit
    expect 0 '' $twice --cache=off --cflags=-O1
    entries 1
    expect 0 "differs: command was '', is '-O1'" $twice --cflags=-O1 -v
    entries 2
    # of a target, what it makes of the source is in the key
    expect 0 '^cache: [0-9a-f]* is used' $twice --target=cores=3 -v
    entries 2
}
expect 0 '^hit$' cache why twice.ilx
expect 4 '^miss: .*no entry has the same source' cache why thrice.ilx
expect 4 "^miss: .*command was '.*is '-O2" cache why twice.ilx --cflags=-O2
expect 4 '^miss: option cache is off' cache why twice.ilx --cache=off
expect 1 'No such file' cache why missing.ilx
entries 2

# ---- looking after it ----

expect 0 '^[-0-9]* [:0-9]*  *[0-9]*  [0-9a-f]*  ..*' cache ls
expect 0 '^entries    2$' cache stat
expect 0 '^limit      2048 bytes$' cache stat --cache_size=2K
expect 0 '^2 good, 0 bad$' cache verify
first=$(ls cache | grep '^[0-9a-f]*$' | head -n 1)
printf x | dd of="cache/$first" bs=1 seek=12000 conv=notrunc 2>dd
expect 4 "^$first: its sum is wrong" cache verify --cache=ro
entries 2
expect 4 '^1 good, 1 bad$' cache verify
entries 1
expect 0 '^1 good, 0 bad$' cache verify
expect 0 '^removed 0 entries, 0 temp' cache gc
: >cache/tmp.0.1.2
touch -d '2 hours ago' cache/tmp.0.1.2
expect 0 '^removed 0 entries, 1 temp' cache gc
expect 0 '^removed 1 entries' cache gc --cache_size=1K
entries 0
# shellcheck disable=SC2086
expect 0 '' $twice
entries 1
expect 0 '^removed 1 entries' cache clear
entries 0
expect 0 '^removed 0 entries' cache clear

# ---- what is no entry ----

# shellcheck disable=SC2086
{
    expect 0 '' $twice
    first=$(ls cache | grep '^[0-9a-f]*$' | head -n 1)
    for inside in '' /file; do
        rm "cache/$first" && mkdir "cache/$first"
        [ -z "$inside" ] || : >"cache/$first$inside"
        expect 0 '^cache: miss of .*it is no file' $twice -v
        [ -f "cache/$first" ] || fail "the directory $first stays"
        expect 0 '2.*2.*2' $twice --cache=must_hit
    done
    rm "cache/$first" && mkdir "cache/$first"
    expect 0 "^$first.directory stays: it is not the cache's" cache clear
    entries 0
    rm -r "cache/$first.directory"
}

# ---- places ----

chmod 755 cache
expect 1 'other users may enter' cache stat
# shellcheck disable=SC2086
{
    expect 0 'warning: the disk cache is not used.*other users' $twice
    expect 0 '' $twice --cache_dir=
    expect 2 'not an absolute path' $twice --cache_dir=here
    expect 2 'not a number of bytes' $twice --cache_size=much
    [ -d home/.cache/ilex ] || fail "nothing in ~/.cache"
    rm -r home/.cache
    expect 0 "the disk cache is empty: .*/home/.cache'" $twice --jit=auto \
        --cache_dir= -v
    expect 0 "the disk cache is not used: .*/home/.cache'" $twice --jit=auto \
        --cache_dir= --cache=ro -v
    unset HOME
    expect 0 'warning: .*HOME' $twice --cache_dir=
}

# ---- the command line ----

expect 2 'what is to be done' cache
expect 2 'no action list' cache list
expect 2 'takes no file' cache ls twice.ilx
expect 2 'which program' cache why
expect 0 'why  *FILE' help cache

echo "$count checks, $bad failed"
[ "$bad" -eq 0 ]
