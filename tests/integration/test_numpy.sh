#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Arrays to NumPy and back without a copy; see test_numpy.py. Skipped where
# there is no Python with NumPy, or no shared library that Python could load.
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
        "$srcdir/tests/integration/test_numpy.py" "$library"
done
echo "skipped: no python3 with NumPy (Debian: python3-numpy)"
exit 77
