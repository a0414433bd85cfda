#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Small matrices beside NumPy's: solve, inv, det, cholesky, triangular_solve; see
# matrices.py, which also gets this script's arguments. Skipped where there is no
# Python with NumPy, or no shared library that Python could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/numpy/matrices.py" "$library" "$@"
