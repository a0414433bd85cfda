#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A stencil language in Python over the shared library; see test_stencil.py.
# Skipped where there is no Python with NumPy, or no shared library that Python
# could load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
ILEX_API=bindings/ilex-api.json
[ -e "$ILEX_API" ] || ILEX_API=$srcdir/bindings/ilex-api.json
export ILEX_API
exec "$python" "$srcdir/tests/integration/test_stencil.py" "$srcdir" "$library"
