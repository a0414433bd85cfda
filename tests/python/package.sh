#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The Python package over the library that was built: pip installs it in a new
# environment, its own tests and the lines of the README run there, a wheel of
# it works elsewhere without what it was built from, and nothing stays behind.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
. "$srcdir/tests/numpy/python.sh"
"$python" -c 'import setuptools, sysconfig, wheel, venv, os
assert os.path.exists(sysconfig.get_paths()["include"] + "/Python.h")
assert __import__("sys").version_info >= (3, 11)' 2>/dev/null || {
    echo "skipped: no Python 3.11 with headers, setuptools, wheel and venv" \
        "(Debian: python3-dev python3-setuptools python3-wheel python3-venv)"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-python.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
ILEX_LIBRARY=$PWD/$library
ILEX_CACHE=off
HOME=$work
export ILEX_LIBRARY ILEX_CACHE HOME

# A clone, of which the tests write to the copy alone.
sh "$srcdir/tests/python/clone.sh" "$srcdir" "$work/clone"
environment() {
    "$python" -m venv --system-site-packages "$work/$1"
}
install() {
    "$work/$1/bin/python" -m pip install --quiet --no-index --no-deps \
        --no-build-isolation --disable-pip-version-check "$2"
}

environment first
install first "$work/clone/python"
(cd "$work" && first/bin/python -m unittest discover -s clone/python/tests)

# What type checkers read of it; where mypy is there, it finds the lines that are
# wrong, and no other.
stubs=$(find "$work/first/lib" -path '*/ilex/__init__.pyi')
grep -q '^def sin(x: ' "$stubs" && [ -f "${stubs%/*}/py.typed" ] || {
    echo "there are no types"
    exit 1
}
if "$python" -m mypy --version >/dev/null 2>&1
then
    grep -n '# error$' "$srcdir/tests/python/typed.py" | cut -d: -f1 >"$work/want"
    "$python" -m mypy --python-executable "$work/first/bin/python" --cache-dir \
        "$work/mypy" --check-untyped-defs "$srcdir/tests/python/typed.py" |
        sed -n 's/.*typed.py:\([0-9]*\): error.*/\1/p' >"$work/found"
    cmp "$work/want" "$work/found" || exit 1
fi

# The lines of the README, and those of the manual.
python_of() {
    sed -n '/^```python$/,/^```$/p' "$1" | grep -v '^```'
}
python_of "$srcdir/README.md" >"$work/lines.py"
[ -s "$work/lines.py" ] || { echo "README.md has no Python"; exit 1; }
for page in doc/python.md doc/embedding.md python/README.md
do
    python_of "$srcdir/$page" >"$work/page.py"
    [ -s "$work/page.py" ] || { echo "$page has no Python"; exit 1; }
    (cd "$work" && first/bin/python page.py >out)
done
(cd "$work" && PYTHONPATH=$srcdir/examples/python:$srcdir/tests/python \
    PYTHONDONTWRITEBYTECODE=1 first/bin/python -m unittest --quiet test_tensors &&
    first/bin/python "$srcdir/examples/python/tensors.py" >out)
grep -q 'True$' "$work/out" || { echo "examples/python/tensors.py"; exit 1; }
(cd "$work" && first/bin/python lines.py >out)
grep -q . "$work/out" || { echo "the README's lines print nothing"; exit 1; }

# A wheel, where it was built is gone.
(cd "$work/clone/python" && "$work/first/bin/python" setup.py --quiet \
    bdist_wheel --dist-dir "$work/wheels" >"$work/log" 2>&1) || {
    cat "$work/log"
    exit 1
}
rm -r "$work/clone"
environment second
unset ILEX_LIBRARY
install second "$work"/wheels/ilex-*.whl
(cd "$work" && second/bin/python lines.py | cmp - out)

# Nothing stays.
"$work/second/bin/python" -m pip uninstall --quiet --yes ilex
left=$(find "$work/second/lib" -name '*ilex*')
[ -z "$left" ] || { echo "uninstalling leaves $left"; exit 1; }
