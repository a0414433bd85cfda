#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What CUDA's compiler makes of kernels (sass.py), where it is found.
exec python3 "${srcdir:-.}/tests/sass/sass.py" ./ilexc \
    "${srcdir:-.}/tests/sass/sass.tsv"
