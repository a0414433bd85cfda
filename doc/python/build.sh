#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The documentation of the Python package as pages for browsers:
#
#     sh doc/python/build.sh DIRECTORY [PYTHON]
#
# DIRECTORY is new; PYTHON (python3) has ilex, NumPy, Sphinx, MyST's parser and
# matplotlib. The reference and the figures are made on the way.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir "${1:?the directory}"
cp -r "$here" "$1/python"
cp "$here/../python.md" "$1/"
PYTHONDONTWRITEBYTECODE=1 "${2:-python3}" -m sphinx -q -W --keep-going \
    -b html "$1/python" "$1/html"
echo "$1/html/index.html"
