#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the test suites of others over the Python package:
#
#     make check-clients CLIENTS=DIR [PYTHON=python3] [SUITES="gt4py pytato"]
#
# DIR has checkouts by the names and commits in the file lock, with their
# submodules; those that are not there are passed over. The Python has what they
# need, in the versions there (of GT4Py, itself, installed from its checkout).
# Tests that are expected to fail are listed by cause in NAME.expected; one more
# is an error. Nothing is fetched.
set -eu
clients=$(cd "${1:?the directory of the checkouts}" && pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
here=$srcdir/tests/clients
library=$PWD/.libs/libilex.so
: "${PYTHON:=python3}"
: "${SUITES:=array-api-tests pytato arraycontext gt4py}"
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-clients.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

locked() {
    sed -n "s/^$1 //p" "$here/lock"
}

# The versions of packages; a missing one ends it.
packages() {
    for package
    do
        found=$("$PYTHON" -c "from importlib.metadata import version
print(version('$package'))" 2>/dev/null) || {
            echo "check-clients: $PYTHON has no $package $(locked $package)" >&2
            exit 1
        }
        case $found in
        "$(locked "$package")"*) ;;
        *) echo "check-clients: $package is $found, not $(locked "$package")" ;;
        esac
    done
}

sh "$srcdir/tests/python/built.sh" "$srcdir" "$library" "$PYTHON" "$work"

# suite DIRECTORY PLUGIN [ARGUMENT ...]: pytest there.
suite() {
    cd "$clients/$name/$1"
    plugin=${2:+-p $2}
    shift 2
    # shellcheck disable=SC2086 # the plugin is two words
    ILEX_CACHE=off PYTHONPATH=$work/lib:$here PYTHONDONTWRITEBYTECODE=1 \
        "$PYTHON" -m pytest -q -p no:cacheprovider -p no:warnings \
        -p expected --expected="$here/$name.expected" $plugin "$@" || failed=1
}

failed=0
for name in $SUITES
do
    [ -d "$clients/$name" ] || {
        echo "check-clients: there is no $clients/$name: passed over"
        continue
    }
    commit=$(git -C "$clients/$name" rev-parse HEAD)
    [ "$commit" = "$(locked "$name")" ] || {
        echo "check-clients: $name is at $commit, not $(locked "$name")" >&2
        exit 1
    }
    echo "check-clients: $name"
    packages numpy pytest
    case $name in
    array-api-tests)
        packages hypothesis ndindex
        ARRAY_API_TESTS_MODULE=ilex
        export ARRAY_API_TESTS_MODULE
        suite . '' array_api_tests --max-examples=100 \
            --hypothesis-disable-deadline
        ;;
    pytato)
        packages loopy pymbolic islpy pytools pyopencl constantdict bidict \
            orderedsets
        suite test pytato_on_ilex test_codegen.py test_apps.py test_linalg.py
        suite test '' "$here/own_pytato.py"
        ;;
    arraycontext)
        packages loopy pymbolic pytools pyopencl constantdict
        ARRAYCONTEXT_TEST=pytato:ilex
        export ARRAYCONTEXT_TEST
        suite test arraycontext_on_ilex test_arraycontext.py test_utils.py
        ;;
    gt4py)
        GT4PY_BUILD_JOBS=0
        export GT4PY_BUILD_JOBS
        suite . gt4py_on_ilex tests/next_tests/integration_tests
        suite . '' "$here/own_gt4py.py"
        ;;
    esac
done
exit $failed
