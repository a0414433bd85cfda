#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fails when include/ilex/elementwise.h is not what ops.def says.
set -eu
top=${srcdir:-.}
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
sh "$top/lib/ops/elementwise.sh" "$top" >"$scratch"
if ! diff -u "$top/include/ilex/elementwise.h" "$scratch"; then
    echo "elementwise.h is stale: lib/ops/elementwise.sh . >include/ilex/elementwise.h"
    exit 1
fi
