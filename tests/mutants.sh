#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every planted bug of mutants.tsv can be planted: its text stands once in the
# sources, its tests and its pass or room are there. mutants.py, run by `make
# mutants`, plants them.
python3 -c 'import concurrent.futures' 2>/dev/null ||
    { echo "skipped: no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/mutants.py" --check "${srcdir:-.}"
