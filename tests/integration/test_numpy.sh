#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Arrays to NumPy and back without a copy; see test_numpy.py. Skipped where
# there is no Python with NumPy, or no shared library that Python could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/integration/test_numpy.py" "$library"
