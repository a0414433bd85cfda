#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The order of sums, and the positions of extrema, in Python; see sums.py, which
# gets this script's arguments. Skipped where there is no Python with NumPy, or
# no shared library that Python could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/numpy/sums.py" "$library" "$@"
