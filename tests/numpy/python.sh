# SPDX-License-Identifier: MIT
#
# Read by the tests that need NumPy: "$library" is the shared library that was
# built, "$python" a Python with NumPy. Skips the test where there is none of
# either, or no library that Python could load.
library=.libs/libilex.so
[ -e "$library" ] || { echo "skipped: no shared library was built"; exit 77; }
[ -z "${SANITIZE_FLAGS:-}" ] || {
    echo "skipped: python3 cannot load a library with sanitizers"
    exit 77
}
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
for python in "${PYTHON:-python3}" python3 /usr/bin/python3 none
do
    "$python" -c 'import ctypes, numpy' >/dev/null 2>&1 && break
done
[ "$python" != none ] || {
    echo "skipped: no python3 with NumPy (Debian: python3-numpy)"
    exit 77
}
