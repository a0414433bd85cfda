#!/bin/sh
# SPDX-License-Identifier: MIT
#
#     built.sh SRCDIR LIBRARY PYTHON DIRECTORY
#
# The Python package, built aside, into DIRECTORY/lib; DIRECTORY/clone has what
# it is built from.
set -eu
sh "$1/tests/python/clone.sh" "$1" "$4/clone"
cd "$4/clone/python"
ILEX_LIBRARY=$2 "$3" setup.py --quiet build_ext --build-lib "$4/lib" \
    --build-temp "$4/temp"
