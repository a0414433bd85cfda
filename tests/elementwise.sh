#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fails when elementwise.h is not what ops.def says, or kinds.h is not what
# nodes.def says.
set -eu
top=${srcdir:-.}
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# check SCRIPT HEADER
check() {
    sh "$top/$1" "$top" >"$scratch"
    diff -u "$top/$2" "$scratch" && return
    echo "$2 is stale: $1 . >$2"
    exit 1
}
check lib/ops/elementwise.sh include/ilex/elementwise.h
check lib/build/kinds.sh include/ilex/kinds.h
