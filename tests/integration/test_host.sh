#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Processes that leave while the compiler is at work in the background; see
# test_host.c. ILEX_HOST_ROUNDS is how many (48). Skipped where there is no
# shared library that a program could load.
set -eu
library=.libs/libilex.so
[ -e "$library" ] || { echo "skipped: no shared library was built"; exit 77; }
[ -z "${SANITIZE_FLAGS:-}" ] || {
    echo "skipped: a program cannot load a library with sanitizers"
    exit 77
}
exec tests/integration/test_host "$library" "${ILEX_HOST_ROUNDS:-48}"
