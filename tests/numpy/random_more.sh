#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The 2,000 random programs behind those of random_programs.sh.
exec sh "${srcdir:-.}/tests/numpy/random_programs.sh" --first 2000 "$@"
