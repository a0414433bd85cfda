#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A stencil language in Python over the shared library; see test_stencil.py.
# Skipped where there is no Python with NumPy, or no shared library that Python
# could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/integration/test_stencil.py" "$srcdir" "$library"
