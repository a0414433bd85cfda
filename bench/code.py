#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of hot loops, a point, beside bounds: numbers without noise.

    code.py ILEXC GPUBENCH [--update] [-v] [PROGRAM...]

Each row of code.tsv is a loop of a program of kernels.def or of the folder
`code`. What `ilexc emit --jit=cc` writes for a target is compiled for x86-64-v3
or -v4, as the back end does it, and taken apart by objdump. Of the innermost
loops of the kernel's function the one counts that has most of what the row's
points are counted by: an instruction, of whose vectors each element is one, or
`store`. In it, a point, stand so many instructions, loads and stores; of all
instructions so much percent are on vectors. No more, and of the last no less,
than the row says; --update writes rows, with 1.1 of what is counted. -v prints
the loops. Exit status: 1 if a bound is exceeded, 77 where there is no objdump,
no gcc of the version that the table is for, or another processor.
"""
import concurrent.futures
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

GCC = 12
FLAGS = ('-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math '
         '-fno-strict-aliasing -falign-functions=32 -fPIC '
         '-nostdinc -w').split()
HERE = pathlib.Path(__file__).resolve().parent
COUNTS = 'instructions loads stores'.split()
FIRST_LINE = '# SPDX-License-Identifier: MIT\n'
SLACK = 1.1

INSTRUCTION = re.compile(r'^\s+([0-9a-f]+):\t(?:(?:rep|repz|bnd|notrack|cs|'
                         r'data16) )*(\S+)\s*(.*?)(?:\s+#.*)?$')
FUNCTION = re.compile(r'^[0-9a-f]+ <([^>]+)>:$')
MEMORY = re.compile(r'\([^)]*\)')
WIDTHS = {'%zmm': 64, '%ymm': 32, '%xmm': 16}
MARCH = {'avx2': 'x86-64-v3', 'avx512': 'x86-64-v4'}
NO_ACCESS = ('lea', 'prefetch', 'nop')


class Instruction:
    """One line of objdump."""

    def __init__(self, at, name, operands):
        self.at, self.name, self.operands = at, name, operands
        self.vector = bool(re.search(r'%[xyz]mm', operands)) and not re.search(
            r's[sd]$|s[sd]2si|si2s[sd]|^vmov[dq]$', name)
        memory = MEMORY.search(operands)
        touches = memory and not name.startswith(NO_ACCESS)
        self.store = bool(touches and operands.endswith(memory.group()) and
                          not name.startswith(('cmp', 'test', 'vcomi',
                                               'vucomi')))
        self.load = bool(touches and not
                         (self.store and name.startswith(('mov', 'vmov',
                                                          'vextract'))))
        self.target = None
        if name.startswith('j') and name != 'jmp' or name == 'jmp':
            target = re.match(r'([0-9a-f]+) <', operands)
            self.target = int(target.group(1), 16) if target else None

    def elements(self, size):
        """How many elements of so many bytes it is about."""
        if re.search(r's[sd]$', self.name) or not self.vector:
            return 1
        wide = [x for x in WIDTHS if x in self.operands]
        return WIDTHS[wide[0]] // size


def functions(text):
    """Instructions of each function."""
    found, now = {}, None
    for line in text.splitlines():
        head = FUNCTION.match(line)
        if head:
            now = found.setdefault(head.group(1), [])
        x = INSTRUCTION.match(line)
        if x and now is not None:
            now.append(Instruction(int(x.group(1), 16), *x.groups()[1:]))
    return found


def innermost(code):
    """Loops, as lists of instructions, that have no other one inside."""
    ends = {}
    for x in code:
        if x.target is not None and code[0].at <= x.target <= x.at:
            ends[x.target] = max(x.at, ends.get(x.target, 0))
    return [[x for x in code if lo <= x.at <= hi] for lo, hi in ends.items()
            if not any(lo < a and b <= hi or lo <= a and b < hi
                       for a, b in ends.items())]


def is_unit(x, unit):
    """Are points counted by the instruction?"""
    if unit == 'store':
        return x.store and 'mm' in x.operands and '%rsp' not in x.operands
    return re.fullmatch(unit, x.name) is not None


def points(loop, row):
    """How many points an iteration has."""
    n = sum(x.elements(int(row['bytes'])) for x in loop
            if is_unit(x, row['unit']))
    return n / int(row['times'])


def count(loop, row):
    """What the row bounds, of a loop."""
    n = points(loop, row)
    return {'instructions': len(loop) / n,
            'loads': sum(x.load for x in loop) / n,
            'stores': sum(x.store for x in loop) / n,
            'vectors': 100 * sum(x.vector for x in loop) // len(loop)}


def disassembled(ilexc, name, target, compiler, folder):
    """The functions of a program's kernels for a target."""
    source = folder / f'{name}.ilx'
    if not source.exists():
        source = HERE / 'code' / f'{name}.ilx'
    c, o = folder / f'{name}-{target}.c', folder / f'{name}-{target}.o'
    text = subprocess.run([ilexc, 'emit', '--jit=cc', f'--target={target}',
                           str(source)], check=True, capture_output=True,
                          text=True).stdout
    c.write_text(text)
    subprocess.run([compiler, *FLAGS, f'-march={MARCH[target]}', '-c', '-o',
                    str(o), str(c)], check=True)
    return functions(subprocess.run(
        ['objdump', '-d', '--no-show-raw-insn', str(o)], check=True,
        capture_output=True, text=True).stdout)


def read_table(path):
    """The rows, by column."""
    lines = [x.split('\t') for x in path.read_text().splitlines()
             if not x.startswith('#')]
    return [dict(zip(lines[0], x)) for x in lines[1:]], lines[0]


def gcc_of_table():
    """The compiler that the bounds are for, or None."""
    for name in (f'gcc-{GCC}', 'gcc'):
        path = shutil.which(name)
        said = path and subprocess.run([path, '-dumpversion'], check=False,
                                       capture_output=True, text=True).stdout
        if said and said.split('.')[0].strip() == str(GCC):
            return path
    return None


def exceeded(row, got):
    """Which bounds of a row are."""
    bad = [x for x in COUNTS if got[x] > float(row[x]) + 1e-9]
    return bad + ['vectors'] * (got['vectors'] < int(row['vectors']))


def bounds(got):
    """Those of a new row."""
    row = {x: f'{SLACK * got[x] + 0.0005:.3f}' for x in COUNTS}
    row['vectors'] = str(int(got['vectors'] / SLACK))
    return row


def compared(row, code, verbose):
    """What the loop of a row has, as text, and the row as it would be now."""
    name = ' '.join(row[x] for x in 'program target function unit'.split())
    loops = [x for part in ('', '_body', '_body.constprop.0')
             for x in innermost(code.get(row['function'] + part, []))
             if points(x, row) > 0]
    if not loops:
        return f'{name}: no loop has {row["unit"]}', None
    loop = max(loops, key=lambda x: (points(x, row), -len(x)))
    got = count(loop, row)
    bad = exceeded(row, got) if row.get('instructions') else []
    said = ', '.join(f'{got[x]:.3f} {x}' for x in COUNTS)
    print(f'{name}: a point {said}, {got["vectors"]} % on vectors'
          f'{"  MORE " + " ".join(bad) if bad else ""}')
    for x in loop if verbose else []:
        print(f'    {x.name} {x.operands}')
    return (f'{name}: {" ".join(bad)}' if bad else None), bounds(got)


def write_table(path, rows, columns):
    """The rows, with the comment that stands above them."""
    text = [x for x in path.read_text().splitlines() if x.startswith('#')]
    text.append('\t'.join(columns))
    text += ['\t'.join(row[x] for x in columns) for row in rows]
    path.write_text('\n'.join(text) + '\n')


def main():
    """The whole."""
    words = [x for x in sys.argv[1:] if not x.startswith('-')]
    compiler = gcc_of_table()
    if platform.machine() != 'x86_64' or not shutil.which('objdump') or \
            not compiler:
        print(f'no objdump, no gcc {GCC}, or no x86-64')
        return 77
    rows, columns = read_table(HERE / 'code.tsv')
    wanted = sorted({(x['program'], x['target']) for x in rows
                     if not words[2:] or x['program'] in words[2:]})
    wrong = []
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        subprocess.run([words[1], '-w', room], check=True,
                       stdout=subprocess.DEVNULL)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            code = dict(zip(wanted, pool.map(
                lambda x: disassembled(words[0], *x, compiler, folder),
                wanted)))
    for row in rows:
        key = row['program'], row['target']
        if key in code:
            bad, now = compared(row, code[key], '-v' in sys.argv)
            wrong += [bad] if bad else []
            if now and '--update' in sys.argv:
                row.update(now)
    if '--update' in sys.argv:
        write_table(HERE / 'code.tsv', rows, columns)
        return 0
    for x in wrong:
        print(f'code.py: {x}: more than code.tsv says')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
