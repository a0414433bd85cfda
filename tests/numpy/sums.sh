#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The order of sums by the manual's formulas in Python; see sums.py, which also
# gets this script's arguments. Skipped where there is no Python with NumPy, or
# no shared library that Python could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/numpy/sums.py" "$library" "$@"
