#!/bin/sh
# SPDX-License-Identifier: MIT
#
# 2,000 random programs, evaluated by NumPy and by the back ends; see
# random_programs.py, which also replays one and gets this script's arguments.
# ILEX_NUMPY_COUNT is another number of programs, ILEX_SEED another seed. Skipped
# where there is no Python with NumPy, or no shared library that Python could
# load.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/numpy/python.sh"
exec "$python" "$srcdir/tests/numpy/random_programs.py" "$library" \
    --seed "${ILEX_SEED:-1}" --count "${ILEX_NUMPY_COUNT:-2000}" "$@"
