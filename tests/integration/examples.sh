#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job: runs examples/terrain as `quickstart` does and looks at what
# it says and writes; and every .ilx example is in canonical layout.
set -u
top=$(cd "${srcdir:-.}" && pwd)
build=$PWD
dir=$(mktemp -d "${TMPDIR:-/tmp}/examples.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
bad=0

complain() {
    echo "$*"
    bad=1
}

"$build/examples/terrain" "$top/examples" >table 2>&1 ||
    complain "terrain: exit status $?"
cat table
grep -q '^before  *130.1879 ' table || complain 'the mean before is wrong'
grep -q '^after  *130.2[0-9]* *9[34]\.[0-9]* *191\.' table ||
    complain 'the heights after are wrong'
grep -q '^tcc\|^cc\|^reference' table || complain 'no back end ran'
for picture in before after
do
    if [ -e $picture.png ]; then
        size=$(wc -c <$picture.png)
        [ "$size" -gt 20000 ] || complain "$picture.png has $size bytes"
    else
        grep -q 'libpng' table || complain "there is no $picture.png"
    fi
done

for program in "$top"/examples/*.ilx
do
    "$build/ilexc" fmt "$program" >neat.ilx
    cmp -s "$program" neat.ilx ||
        complain "$program: not laid out as \`ilexc fmt\` does"
done
exit $bad
