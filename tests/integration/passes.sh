#!/bin/sh
# SPDX-License-Identifier: MIT
#
# doc/passes.md as a reader follows it.
set -eu
srcdir=${srcdir:-.}
page=$(cd "$srcdir/doc" && pwd)/passes.md
exec sh "$srcdir/tests/integration/tutorial.sh" "$page"
