#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The source that two builds of ilexc make of many programs, compared:
# replay.sh OLD_ILEXC NEW_ILEXC [...], see replay.py.
here=$(dirname "$0")
for python in "${PYTHON:-python3}" python3 /usr/bin/python3
do
    "$python" -c 'import numpy' >/dev/null 2>&1 && break
    python=python3
done
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/replay.py" "$@"
