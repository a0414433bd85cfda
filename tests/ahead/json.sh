#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs as JSON: what is written can be read, its members are those that
# doc/json.md lists, and files compiled ahead of time say what
# `ilexc explain --json` does of the same program.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
python=${PYTHON:-python3}
"$python" -c 'import json' 2>/dev/null || { echo "no python3"; exit 77; }

cat >own.ilx <<'END'
ilex 1
program own
size n, m
assume n >= 4
assume m % 8 == 0
in class : f64[I:n, J:m]
in left : f32[n]
let a = exp(class)
out v : f64[I:n, J:m] = a*sum[J](a) inplace class
END
printf "kernel k0:\n# two '''' of them\n" >schedule
for file in own.ilx "$top"/examples/*.ilx "$top"/tests/ahead/*.ilx \
    "$top/tests/stages/foreign.ilx"
do
    name=$(basename "$file" .ilx)
    good "$ilexc" explain --json --jit=cc "$file" -o "$name.explained"
    good "$ilexc" explain --json --jit=reference "$file" -o "$name.reference"
    good "$ilexc" compile "$file" --prefix "p_$name" -o .
done
good "$ilexc" explain --json own.ilx --schedule=schedule -o words.explained
good "$ilexc" compile "$top/examples/hdiff.ilx" -o . --line --python \
    --size ni=8,nj=8,nk=8 --size nk=16 --schedule=schedule
good "$ilexc" compile "$top/examples/hdiff.ilx" -o . --prefix grid \
    --language cuda
cat >read.py <<'END'
import ast
import glob
import json
import re
import sys

NAMED = re.compile(r'(library\.(options|names|variants\[\]\.(sizes|strides)))'
                   r'\.\w+')
bad = 0


def check(right, what):
    global bad
    if not right:
        bad += 1
        print('wrong:', what)


def walk(x, path, found):
    """Notes the paths of members, as the document writes them."""
    found.add(NAMED.sub(r'\1.NAME', path))
    if isinstance(x, dict):
        for key, value in x.items():
            walk(value, (path + '.' if path else '') + key, found)
    if isinstance(x, list):
        walk(x[0] if x else None, path + '[]', found)
        for value in x[1:]:
            walk(value, path + '[]', found)


def said_by(rows):
    """A row says that what it is a part of is there, too."""
    said = {''}
    for row in rows:
        while row:
            said.add(row)
            row = row[:-2] if row.endswith('[]') else row.rpartition('.')[0]
    return said


def read(path):
    with open(path) as f:
        return json.load(f)


found = set()
files = [f for end in ('explained', 'reference', 'json')
         for f in glob.glob('*.' + end)]
for path in files:
    program = read(path)
    check(program['schema'] == 1, path)
    walk(program, '', found)
with open(sys.argv[1]) as f:
    said = said_by(re.findall(r'^\| `([^`]+)` \|', f.read(), re.M))
check(found <= said, 'not in the document: %s' % sorted(found - said))
check(said <= found, 'never written: %s' % sorted(said - found))

# Libraries speak of the same program; other kernels may be made for them.
for path in glob.glob('p_*.json'):
    library, explained = read(path), read(path[2:-5] + '.explained')
    for key in ('program', 'arguments', 'sizes', 'assumptions', 'cost'):
        check(library[key] == explained[key], path + ': ' + key)
    check(set(library) - {'library'} == set(explained), path)
    check(not any('locations' in k for k in library['kernels']), path)
    called = {a['name'] for a in library['arguments'] + library['sizes']}
    check(set(library['library']['names']) == called, path + ': names')
own = read('p_own.json')
check(own['arguments'][2]['inplace'] == 'class', 'inplace')
check(own['library']['names']['class'] == 'class_', 'a word of C++')
check(own['assumptions'] == ['n >= 4', 'm % 8 == 0'], 'assumptions')
check(read('peaks.explained')['sizes'][2] ==
      {'name': 'c', 'counted': True, 'most': 'n*m'}, 'what is counted')
hdiff = read('hdiff.json')
check(hdiff['library']['options']['schedule'].endswith("two '''' of them\n"),
      'apostrophes')
check(hdiff['kernels'][0]['locations'][0]['line'] > 0, 'locations')
with open('hdiff.py') as f:
    text = re.search(r"json.loads\((r'''.*?''')\)", f.read(), re.S)
check(json.loads(ast.literal_eval(text[1])) == hdiff, 'PROGRAM in Python')
print(len(files), 'files,', len(found), 'members')
sys.exit(bad != 0)
END
good "$python" read.py "$top/doc/json.md"
grep files log
echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
