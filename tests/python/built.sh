#!/bin/sh
# SPDX-License-Identifier: MIT
#
#     built.sh SRCDIR LIBRARY PYTHON DIRECTORY
#
# The Python package, built aside, into DIRECTORY/lib; DIRECTORY/clone has what
# it is built from.
set -eu
mkdir "$4/clone"
cp -r "$1/python" "$4/clone/python"
for part in bindings include LICENSE lib
do
    ln -s "$1/$part" "$4/clone/$part"
done
cd "$4/clone/python"
ILEX_LIBRARY=$2 "$3" setup.py --quiet build_ext --build-lib "$4/lib" \
    --build-temp "$4/temp"
