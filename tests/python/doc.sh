#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The documentation of the Python package is built without a warning, its
# figures show something, and the notebook among the examples runs; each where
# what it needs is there.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
. "$srcdir/tests/numpy/python.sh"
has() {
    "$python" -c "import setuptools, $1" 2>/dev/null
}
has 'sphinx, myst_parser, matplotlib' || has 'nbconvert, ipykernel' || {
    echo "skipped: neither Sphinx with MyST and matplotlib nor nbconvert" \
        "(Debian: python3-sphinx python3-myst-parser python3-matplotlib" \
        "python3-nbconvert python3-ipykernel)"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-doc.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
sh "$srcdir/tests/python/built.sh" "$srcdir" "$PWD/$library" "$python" "$work"
PYTHONPATH=$work/lib
HOME=$work
ILEX_CACHE=off
export PYTHONPATH HOME ILEX_CACHE

if has 'sphinx, myst_parser, matplotlib'
then
    sh "$srcdir/doc/python/build.sh" "$work/doc" "$python"
    cat >"$work/look.py" <<'EOF'
import glob
import sys

from matplotlib import image

figures = glob.glob(sys.argv[1] + "/html/_images/*.png")
assert len(figures) == 8, figures
for path in figures:
    colours = {tuple(x) for row in image.imread(path)[::3, ::3] for x in row}
    assert len(colours) > 20, path
pages = glob.glob(sys.argv[1] + "/html/reference/*.html")
assert len(pages) == 6, pages
text = open(sys.argv[1] + "/html/reference/ilex.html").read()
assert 'id="ilex.sort"' in text and "SPDX" not in text
EOF
    "$python" "$work/look.py" "$work/doc"
fi
if has 'nbconvert, ipykernel'
then
    "$python" -m nbconvert --log-level ERROR --execute --to html \
        --output-dir "$work" "$srcdir/examples/python/first.ipynb"
    grep -q 'iframe srcdoc=' "$work/first.html"
    ! command -v dot >/dev/null || grep -q '&lt;svg' "$work/first.html"
    grep -q 'for (i64 i' "$work/first.html"
    grep -q 'leaves' "$work/first.html" # an error, with its reason
fi
