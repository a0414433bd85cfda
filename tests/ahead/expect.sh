# SPDX-License-Identifier: MIT
#
# What tests of `ilexc compile` share; read with `.` by scripts that stand in
# the build tree. It leaves the script in a directory of its own, "$dir".
set -u
LC_ALL=C
export LC_ALL
top=$(cd "${srcdir:-.}" && pwd)
ilexc=${ILEXC:-$PWD/ilexc}
: "${CC:=cc}"
dir=$(mktemp -d "${TMPDIR:-/tmp}/ahead.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
unset CPATH C_INCLUDE_PATH
bad=0
count=0

complain() {
    bad=$((bad + 1))
    echo "FAIL: $*"
}

# Runs "$@"; what it says is shown if it fails.
good() {
    count=$((count + 1))
    "$@" >log 2>&1 || { complain "$*"; sed 's/^/    /' log; }
}
