#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Loops that users write beside NumPy; see loops.py, which also gets this
# script's arguments. Skipped where there is no Python with NumPy, or no shared
# library that Python could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/numpy/loops.py" "$library" "$@"
