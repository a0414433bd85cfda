#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the shell test "$1" and says last how many seconds of a core it took, for
# budget.sh.
sh "$@"
status=$?
seconds=$(mktemp "${TMPDIR:-/tmp}/ilex-timed.XXXXXX") || exit 99
times >"$seconds"
sed -n 's/^/# times: /; $p' "$seconds"
rm -f "$seconds"
exit "$status"
