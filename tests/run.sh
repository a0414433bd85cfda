#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the test program "$1" with its arguments and sees to it that the
# output is TAP: a program that prints no plan ("1..N") gets one line from its
# exit status, 77 meaning "skipped", and its output as comments.
# A file DIR/NAME.options stands for the program DIR/DIR with the options in it.
# ILEX_TEST_TIMEOUT is the limit in seconds (900); ILEX_TEST_WRAPPER is put
# before the program, for example "valgrind -q --error-exitcode=9".

name=$1
case $1 in
*.options)
    folder=${1%/*}
    # shellcheck disable=SC2046
    set -- "tests/${folder##*/}/${folder##*/}" $(cat "$1")
    ;;
esac
log=$(mktemp "${TMPDIR:-/tmp}/ilex-run.XXXXXX") || exit 99
trap 'rm -f "$log" "$log.times"' EXIT
trap 'exit 99' HUP INT TERM

limit=
command -v timeout >/dev/null 2>&1 && limit="timeout ${ILEX_TEST_TIMEOUT:-900}"
# shellcheck disable=SC2086
$limit ${ILEX_TEST_WRAPPER:-} "$@" >"$log" 2>&1
status=$?
times >"$log.times"
sed -n 's/^/# times: /; $p' "$log.times" # for budget.sh

if grep -q '^1\.\.[0-9]' "$log"; then
    sed 's|^\(\(not \)\{0,1\}ok [0-9]* - \)[^ ]*/\([^ /]*\.c:\)|\1\3|' "$log"
    if [ "$status" -ne 0 ] && ! grep -q '^not ok' "$log"; then
        echo "Bail out! $name: exit status $status though every check passed"
    fi
    exit "$status"
fi

echo '1..1'
sed 's/^/# /' "$log"
case $status in
0) echo "ok 1 - $name" ;;
77) echo "ok 1 - $name # SKIP $(tail -n 1 "$log")" ;;
124) echo "not ok 1 - $name: time limit exceeded" ;;
*) echo "not ok 1 - $name: exit status $status" ;;
esac
exit "$status"
