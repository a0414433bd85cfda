#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The rows of einsum.tsv that are not from NumPy are those that rational
# arithmetic gives in the defined order.
set -eu
srcdir=${srcdir:-.}
python3 -c 'import fractions' 2>/dev/null || { echo "no Python"; exit 77; }
python3 "$srcdir/tests/golden/einsum_rows.py" --check \
    "$srcdir/tests/golden/data/einsum.tsv"
