#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the test suites of others over the Python package:
#
#     make check-clients CLIENTS=DIR [PYTHON=python3]
#
# DIR has checkouts by the names and commits in the file lock, with their
# submodules; the Python has the packages there, in these versions. Tests that
# are expected to fail are listed by cause in NAME.expected; one more is an
# error. Nothing is fetched.
set -eu
clients=${1:?the directory of the checkouts}
srcdir=$(cd "${srcdir:-.}" && pwd)
here=$srcdir/tests/clients
library=$PWD/.libs/libilex.so
: "${PYTHON:=python3}"
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-clients.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

locked() {
    sed -n "s/^$1 //p" "$here/lock"
}
for package in numpy hypothesis pytest ndindex
do
    found=$("$PYTHON" -c "import $package; print($package.__version__)") || {
        echo "check-clients: $PYTHON has no $package $(locked $package)" >&2
        exit 1
    }
    case $found in
    "$(locked $package)"*) ;;
    *) echo "check-clients: $package is $found, not $(locked $package)" ;;
    esac
done

# The package, built aside.
mkdir "$work/clone"
cp -r "$srcdir/python" "$work/clone/python"
for part in bindings include LICENSE lib
do
    ln -s "$srcdir/$part" "$work/clone/$part"
done
(cd "$work/clone/python" && ILEX_LIBRARY=$library "$PYTHON" setup.py --quiet \
    build_ext --build-lib "$work/lib" --build-temp "$work/temp" &&
    cp src/ilex/*.py "$work/lib/ilex")

suite=$clients/array-api-tests
commit=$(git -C "$suite" rev-parse HEAD)
[ "$commit" = "$(locked array-api-tests)" ] || {
    echo "check-clients: $suite is at $commit, not $(locked array-api-tests)" >&2
    exit 1
}
cd "$suite"
ILEX_CACHE=off PYTHONPATH=$work/lib ARRAY_API_TESTS_MODULE=ilex \
    PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -m pytest array_api_tests -q \
    -p no:cacheprovider -p no:warnings --max-examples=100 \
    --hypothesis-disable-deadline \
    --xfails-file="$here/array-api-tests.expected"
