#!/bin/sh
# SPDX-License-Identifier: MIT
#
#     clone.sh SRCDIR DIRECTORY
#
# What the Python package is built from, laid out in DIRECTORY: a copy of it, to
# write to, beside what it reads.
set -eu
mkdir "$2"
cp -r "$1/python" "$2/python"
for part in bindings include LICENSE lib
do
    ln -s "$1/$part" "$2/$part"
done
