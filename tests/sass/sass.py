#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# What CUDA's compiler makes of kernels, without a GPU: instructions of a point,
# registers, memory that a thread has of its own, calls (divisions of 64 bits).
#
#     sass.py [--seen] ILEXC TABLE
#
# The table (sass.tsv) has a program a row and the most that is allowed; --seen
# prints it with what was counted. Needs NVRTC, and cuobjdump and nvdisasm, which
# NVIDIA has as Python packages, too (nvidia-cuda-nvrtc, nvidia-cuda-cuobjdump,
# nvidia-cuda-nvdisasm); exit status 77 where they are not.
import ctypes
import datetime
import glob
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile

ARCHITECTURE = 'sm_90'


def packaged(pattern):
    """Files of NVIDIA's Python packages."""
    roots = site.getsitepackages() + [site.getusersitepackages()] + sys.path
    return [f for r in roots for f in glob.glob(f'{r}/nvidia/*/{pattern}')]


def open_nvrtc():
    known = [f'libnvrtc.so.{n}' for n in (13, 12)] + ['libnvrtc.so']
    known += packaged('lib/libnvrtc.so.*')
    known += glob.glob('/usr/local/cuda*/lib*/libnvrtc.so')
    for name in known:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def find_tool(name):
    found = shutil.which(name) or next(iter(packaged(f'bin/{name}')), None)
    return found


class Compiler:
    """NVRTC: CUDA source to a cubin."""

    def __init__(self, library):
        self.library = library

    def text(self, program, size, get):
        n = ctypes.c_size_t()
        getattr(self.library, size)(program, ctypes.byref(n))
        block = ctypes.create_string_buffer(n.value + 1)
        getattr(self.library, get)(program, block)
        return block.raw[:n.value]

    def compile(self, source):
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(),
                                        b'k.cu', 0, None, None)
        options = [f'-arch={ARCHITECTURE}'.encode(), b'-fmad=false',
                   b'-DILEX_NARROW']
        array = (ctypes.c_char_p * len(options))(*options)
        wrong = self.library.nvrtcCompileProgram(program, len(options), array)
        log = self.text(program, 'nvrtcGetProgramLogSize',
                        'nvrtcGetProgramLog').decode(errors='replace')
        if wrong:
            sys.exit(f'NVRTC: {log}')
        return self.text(program, 'nvrtcGetCUBINSize', 'nvrtcGetCUBIN')


def disassemble(cubin, cuobjdump, nvdisasm):
    """By function: instructions as (address, text); registers and stack."""
    path = os.path.dirname(nvdisasm) + os.pathsep + os.environ.get('PATH', '')
    with tempfile.NamedTemporaryFile(suffix='.cubin') as f:
        f.write(cubin)
        f.flush()
        out = [subprocess.run([cuobjdump, what, f.name], check=True, text=True,
                              capture_output=True,
                              env=dict(os.environ, PATH=path)).stdout
               for what in ('-sass', '-res-usage')]
    code, name = {}, None
    for line in out[0].splitlines():
        function = re.search(r'Function : (\S+)', line)
        instruction = re.match(r'\s+/\*([0-9a-f]{4,})\*/\s+(.*?);', line)
        if function:
            name = function[1]
            code[name] = []
        elif instruction and name:
            code[name].append((int(instruction[1], 16), instruction[2]))
    usage = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(
        r'Function (\S+):\s+REG:(\d+) STACK:(\d+)', out[1])}
    return code, usage


def innermost(code):
    """Instructions of each loop that has none inside."""
    loops = {}
    for at, text in code:
        to = re.search(r'\bBRA\S*\s.*?0x([0-9a-f]+)', text)
        # the last branch goes to itself
        if to and int(to[1], 16) < at:
            start = int(to[1], 16)
            loops[start] = max(loops.get(start, 0), at)
    ends = loops.items()
    return [sum(a <= at <= b for at, _ in code) for a, b in ends
            if not any((c, d) != (a, b) and a <= c and d <= b
                       for c, d in ends)]


def count(row, ilexc, compiler, tools):
    """What the program's kernels take: the most of any."""
    text = 'ilex 1\nprogram ' + row['name'] + '\n' + row['text']
    emitted = subprocess.run([ilexc, 'emit', '--cuda', '-'], input=text,
                             text=True, capture_output=True)
    if emitted.returncode:
        sys.exit(f'{row["name"]}: {emitted.stderr}')
    code, usage = disassemble(compiler.compile(emitted.stdout), *tools)
    return {'kernels': len(code),
            'point': max(max(innermost(c), default=0) for c in code.values()),
            'static': max(len(c) for c in code.values()),
            'registers': max(usage[k][0] for k in code),
            'stack': max(usage[k][1] for k in code),
            'calls': sum('CALL' in t for c in code.values() for _, t in c)}


COLUMNS = ('kernels', 'point', 'static', 'registers', 'stack', 'calls')


def read(path):
    rows = []
    with open(path) as f:
        for line in f:
            if line.startswith('#') or not line.strip():
                continue
            name, *most, text = line.rstrip('\n').split('\t')
            rows.append({'name': name, 'text': text.replace('\\n', '\n') + '\n',
                         'most': dict(zip(COLUMNS, map(int, most)))})
    return rows


def main(arguments):
    seen = arguments[:1] == ['--seen']
    ilexc, table = arguments[seen:]
    library = open_nvrtc()
    tools = [find_tool(t) for t in ('cuobjdump', 'nvdisasm')]
    if not library or None in tools:
        print('skipped: NVRTC, cuobjdump or nvdisasm is not here')
        return 77
    wrong = 0
    compiler = Compiler(library)
    if seen:
        print(f'# seen {datetime.date.today()}, {ARCHITECTURE}')
    for row in read(table):
        have = count(row, ilexc, compiler, tools)
        print(row['name'], *(have[c] for c in COLUMNS), sep='\t')
        for c in COLUMNS:
            if have[c] > row['most'][c] and not seen:
                print(f'FAIL {row["name"]}: {have[c]} {c}, at most '
                      f'{row["most"][c]}')
                wrong += 1
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
