#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every source file is laid out as .clang-format says. Versions of clang-format
# differ in small things: the test wants the version that wrote the tree, and is
# skipped where that is missing.
set -eu
cd "${srcdir:-.}"
format=
for name in "${CLANG_FORMAT:-clang-format-14}" clang-format
do
    case $($name --version 2>/dev/null) in
    *'version 14.'*) format=$name && break ;;
    esac
done
[ -n "$format" ] || { echo "no clang-format 14"; exit 77; }
folders=$(ls -d include lib compiler runtime tests examples bench 2>/dev/null || :)

# elementwise.h is written by lib/ops/elementwise.sh.
# shellcheck disable=SC2086
find $folders \( -name '*.c' -o -name '*.h' \) ! -name elementwise.h | sort |
    xargs "$format" --dry-run --Werror
