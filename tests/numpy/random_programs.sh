#!/bin/sh
# SPDX-License-Identifier: MIT
#
# 5,000 random programs, evaluated by NumPy and by the back ends; see
# random_programs.py, which also replays one and gets this script's arguments.
# ILEX_NUMPY_COUNT is another number of programs, ILEX_SEED another seed. Skipped
# where there is no Python with NumPy, or no shared library that Python could
# load.
set -eu
srcdir=${srcdir:-.}
library=.libs/libilex.so

[ -e "$library" ] || { echo "skipped: no shared library was built"; exit 77; }
[ -z "${SANITIZE_FLAGS:-}" ] || {
    echo "skipped: python3 cannot load a library with sanitizers"
    exit 77
}
for python in "${PYTHON:-python3}" python3 /usr/bin/python3
do
    "$python" -c 'import ctypes, numpy' >/dev/null 2>&1 || continue
    PYTHONDONTWRITEBYTECODE=1 exec "$python" \
        "$srcdir/tests/numpy/random_programs.py" "$library" \
        --seed "${ILEX_SEED:-1}" --count "${ILEX_NUMPY_COUNT:-5000}" "$@"
done
echo "skipped: no python3 with NumPy (Debian: python3-numpy)"
exit 77
