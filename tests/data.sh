#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the files of the tarball that make does not compile, from the top of
# the sources: scripts, tables, texts and what tests alone read. `make dist`
# copies them; a new one needs no list.
set -eu
LC_ALL=C
export LC_ALL
find bench bindings compiler doc lib python runtime tests -type f \
    ! -path "python/build/*" \
    \( -name '*.[ch]' -o -name '*.awk' -o -name '*.cc' -o -name '*.def' \
    -o -name '*.expect' -o -name '*.f90' -o -name '*.ilx' -o -name '*.in' \
    -o -name '*.inc' -o -name '*.loop' -o -name '*.md' -o -name '*.options' \
    -o -name '*.png' -o -name '*.py' -o -name '*.rst' -o -name '*.sh' -o -name '*.syms' -o -name '*.toml' \
    -o -name '*.tsv' -o -name 'README' \
    -o -path 'tests/clients/lock' -o -name '*.expected' \
    -o -path 'tests/cuda/run' -o -path 'tests/ahead/shim/nvcc' \) | sort
