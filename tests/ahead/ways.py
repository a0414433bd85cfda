# SPDX-License-Identifier: MIT
"""ways.c in Python, without NumPy.

    ways.py module      runs ways_hdiff.py and so on, and prints the checksum
    ways.py write       writes NAME_ARGUMENT.npy, what the programs read
    ways.py read        prints the checksum of what they wrote
"""

import array
import math
import struct
import sys

NI, NJ, NK, N, M, K = 12, 10, 8, 23, 37, 50
state = 1
total = 1


def next_number():
    global state
    state = state*16807 % 2147483647
    return (state % 2001 - 1000)/64


class Array:
    """Elements with NumPy's interface, as a file of NumPy's holds them."""

    def __init__(self, code, *shape):
        self.code, self.shape = code, shape
        kind = {'<f8': 'd', '<f4': 'f', '<i8': 'q'}[code]
        self.data = array.array(kind, bytes(math.prod(shape)*int(code[2])))
        self.__array_interface__ = {
            'version': 3, 'typestr': code, 'shape': shape,
            'data': (self.data.buffer_info()[0], False)}

    def fill(self):
        for i in range(len(self.data)):
            self.data[i] = next_number()
        return self

    def write(self, path):
        head = repr({'descr': self.code, 'fortran_order': False,
                     'shape': self.shape}).ljust(117) + '\n'
        with open(path, 'wb') as f:
            f.write(b'\x93NUMPY\1\0' + struct.pack('<H', len(head)))
            f.write(head.encode() + self.data.tobytes())

    def read(self, path, count=None):
        with open(path, 'rb') as f:
            text = f.read()
        start = 10 + struct.unpack('<H', text[8:10])[0]
        self.data = array.array(self.data.typecode, text[start:])
        return self


def take(values):
    global total
    for x in values:
        bits = struct.pack('<q' if isinstance(x, int) else '<d', x)
        for piece in struct.unpack('<4H', bits):
            total = (total*65536 + piece) % 2147483647


inputs = {('hdiff', 'u'): Array('<f8', NI + 4, NJ + 4, NK).fill(),
          ('hdiff', 'coeff'): Array('<f8', NK).fill(),
          ('norms', 'a'): Array('<f8', N, M).fill(),
          ('peaks', 'h'): Array('<f8', N, M).fill(),
          ('matmul', 'a'): Array('<f4', N, K).fill(),
          ('matmul', 'b'): Array('<f4', K, M).fill()}
outputs = {('hdiff', 'v'): Array('<f8', NI, NJ, NK),
           ('norms', 'largest'): Array('<f8', N),
           ('norms', 'square'): Array('<f8'),
           ('peaks', 'row'): Array('<i8', N*M),
           ('peaks', 'column'): Array('<i8', N*M),
           ('peaks', 'height'): Array('<f8', N*M),
           ('matmul', 'c'): Array('<f4', N, M)}


def run(name, **more):
    """Runs a module; how many lengths it counted."""
    given = {at: x for (program, at), x in {**inputs, **outputs}.items()
             if program == name}
    return __import__('ways_' + name).run(**given, **more)


if sys.argv[1] == 'write':
    for (name, at), x in inputs.items():
        x.write('%s_%s.npy' % (name, at))
    sys.exit()
if sys.argv[1] == 'read':
    for (name, at), x in outputs.items():
        x.read('%s_%s.npy' % (name, at))
    counted = len(outputs['peaks', 'row'].data)
else:
    for name in 'hdiff', 'norms', 'matmul':
        run(name)
    counted = run('peaks', level=3.0)['c']
take(outputs['hdiff', 'v'].data)
take(outputs['norms', 'largest'].data)
take(outputs['norms', 'square'].data)
take([counted])
for i in range(counted):
    for at in 'row', 'column', 'height':
        take([outputs['peaks', at].data[i]])
take(outputs['matmul', 'c'].data)
print('%010d' % total)
