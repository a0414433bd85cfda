#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Hot loops have no more instructions a point than bench/code.tsv says.
for python in "${PYTHON:-python3}" python3 /usr/bin/python3 ''
do
    [ -n "$python" ] || { echo "no Python"; exit 77; }
    "$python" -c 'import concurrent.futures' >/dev/null 2>&1 && break
done
PYTHONDONTWRITEBYTECODE=1 exec "$python" "${srcdir:-.}/bench/code.py" \
    "${ILEXC:-./ilexc}" bench/gpubench "$@"
