# SPDX-License-Identifier: MIT
#
# What tests of the command ilexc share; read with `.` by scripts that stand in
# the build tree. It leaves the script in a directory of its own, "$dir".
set -u
LC_ALL=C
export LC_ALL
top=$(cd "${srcdir:-.}" && pwd)
ilexc=${ILEXC:-$PWD/ilexc}
examples=$top/examples
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilexc.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
count=0
bad=0

fail() {
    bad=$((bad + 1))
    echo "FAIL: $*"
    sed 's/^/    stdout: /' out
    sed 's/^/    stderr: /' err
}

# Runs "ilexc $3 ...", wants exit status "$1" and a line like "$2" ("": no
# output at all) on either stream.
expect() {
    status=$1
    pattern=$2
    shift 2
    count=$((count + 1))
    "$ilexc" "$@" >out 2>err </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        fail "ilexc $*: exit status $got, not $status"
    elif [ -z "$pattern" ]; then
        [ ! -s out ] && [ ! -s err ] || fail "ilexc $*: should be silent"
    else
        cat out err | grep -q -e "$pattern" || fail "ilexc $*: no '$pattern'"
    fi
}

same() {
    count=$((count + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# The script's last line: how many checks there were; its exit status.
finish() {
    echo "$count checks, $bad failed"
    [ "$bad" -eq 0 ]
}
