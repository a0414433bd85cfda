#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Modules in Python of programs compiled ahead of time (`--python`): what they
# run, and every mistake of a caller. No NumPy: arrays are what ctypes has.
# shellcheck source=tests/ahead/expect.sh
. "${srcdir:-.}/tests/ahead/expect.sh"
python=${PYTHON:-python3}
"$python" -c 'import ctypes, json' 2>/dev/null || exit 77

cat >step.ilx <<'END'
ilex 1
program step
size n, m
in c : c64
in scale : f64
in u : f64[I:n, J:m] halo(I:1:1)
out v : f64[I:n, J:m] = scale*(u[I+1] - u[I-1])
out z : c64[n] = c*2.0
out total : f64 = sum[I, J](u)
END
cat >positive.ilx <<'END'
ilex 1
program positive
size n
in x : i32[n]
size k = count_nonzero(x > 0)
out y : i32[k] = x[x > 0]
END
cat >half.ilx <<'END'
ilex 1
program half
in a : f16
in x : f16[4]
in y : bf16[4]
out v : f16[4] = a*x
out w : bf16[4] = y + y
END
printf 'ilex 1\nprogram größe\nsize n\nin α : f64\nin θ : f64[n]\nout φ : f64[n] = α*θ\n' \
    >letters.ilx
cat >numbers.ilx <<'END'
ilex 1
program numbers
size n
in i : i8
in u : u64
in h : bf16
in x : f32
in b : bool
out j : i8 = i
out v : u64 = u
out k : bf16 = h
out y : f32 = x
out c : bool = b
out s : i64 = n
END
good "$ilexc" compile step.ilx positive.ilx half.ilx letters.ilx numbers.ilx -o . --prefix py --shared --python
good "$ilexc" compile step.ilx -o alone --shared --python
cat >use.py <<'END'
import ctypes
import sys

sys.path.insert(0, 'alone')
import py_größe
import py_half
import py_numbers
import py_positive
import py_step
import step

bad = 0


def check(right, what):
    global bad
    if not right:
        bad += 1
        print('wrong:', what)


class Array:
    """Elements of ctypes with NumPy's interface."""

    def __init__(self, code, element, shape, values=(), strides=None,
                 readonly=False):
        count = 1
        for n in shape:
            count *= n
        parts = 2 if code[1] == 'c' else 1
        self.data = (element * (count * parts + 8))(*values)
        self.__array_interface__ = {
            'version': 3, 'typestr': code, 'shape': shape, 'strides': strides,
            'data': (ctypes.addressof(self.data), readonly)}


def f64(*shape, **more):
    return Array('<f8', ctypes.c_double, shape, **more)


def arguments(**more):
    given = dict(c=1 + 2j, scale=3.0,
                 u=f64(4, 2, values=[i * i for i in range(8)]), v=f64(2, 2),
                 z=Array('<c8', ctypes.c_float, (2,)), total=f64())
    given.update(more)
    return given


def refused(kind, word, module=py_step, **more):
    given = arguments(**more) if module is py_step else more
    try:
        module.run(**{k: x for k, x in given.items() if x is not None})
        check(False, word)
    except kind as e:
        check(word in str(e), '%s in: %s' % (word, e))


for module in py_step, step:
    a = arguments()
    check(module.run(**a) == {}, 'nothing is counted')
    check(list(a['v'].data[:4]) == [48, 72, 96, 120], 'v')
    check(list(a['z'].data[:4]) == [2, 4, 2, 4], 'z')
    check(a['total'].data[0] == 54, 'total')
# columns first, every other element
a = arguments(u=f64(4, 2, values=[0, 4, 16, 36, 1, 9, 25, 49], strides=(8, 32)),
              scale=f64(values=[2.0]), n=2)
py_step.run(**a)
check(list(a['v'].data[:4]) == [32, 48, 64, 80], 'strides')

refused(TypeError, 'argument v is missing', v=None)
refused(TypeError, 'no argument or size w', w=1)
refused(TypeError, 'expected an array of f64 with 2 axes', u=3)
refused(TypeError, 'u is f64; the array is of <f4',
        u=Array('<f4', ctypes.c_float, (4, 2)))
refused(TypeError, 'u is f64; the array is of >f8',
        u=Array('>f8', ctypes.c_double, (4, 2)))
refused(ValueError, 'u has 2 axes; the array has 1', u=f64(8))
refused(ValueError, 'output v is read-only', v=f64(2, 2, readonly=True))
refused(ValueError, 'no multiple', u=f64(4, 2, strides=(20, 8)))
refused(py_step.Error, 'axis J must have length 2', v=f64(2, 3))
refused(py_step.Error, 'size n is given as 3', n=3)

x = Array('<i4', ctypes.c_int32, (5,), values=[1, -2, 3, 0, 5])
y = Array('<i4', ctypes.c_int32, (5,))
check(py_positive.run(x=x, y=y) == {'k': 3}, 'three are counted')
check(list(y.data[:3]) == [1, 3, 5], 'y')
refused(py_positive.Error, 'needs room for 5', module=py_positive, x=x,
        y=Array('<i4', ctypes.c_int32, (4,)))
# numbers of 16 bits: 0.1 is 11878, 1.5 is 15872 (bf16: 16320)
x = Array('<f2', ctypes.c_uint16, (4,), values=[15360, 15872, 0, 31744])
v = Array('<f2', ctypes.c_uint16, (4,))
y = Array('<V2', ctypes.c_uint16, (4,), values=[16320, 16256, 0, 32640])
w = Array('<V2', ctypes.c_uint16, (4,))
py_half.run(a=0.1, x=x, y=y, v=v, w=w)
check(list(v.data[:4]) == [11878, 12492, 0, 31744], 'v of f16')
check(list(w.data[:4]) == [16448, 16384, 0, 32640], 'w of bf16')
x = Array('<f8', ctypes.c_double, (2,), values=[1.0, 3.0])
y = Array('<f8', ctypes.c_double, (2,))
py_größe.run(α=0.5, θ=x, φ=y)
check(list(y.data[:2]) == [0.5, 1.5], 'φ')
# what numbers become, and which do not fit
outputs = [('j', '<i1', ctypes.c_int8), ('v', '<u8', ctypes.c_uint64),
           ('k', '<V2', ctypes.c_uint16), ('y', '<f4', ctypes.c_float),
           ('c', '|b1', ctypes.c_uint8), ('s', '<i8', ctypes.c_int64)]


def numbers(**more):
    given = dict(i=0, u=0, h=0, x=0, b=False, n=1)
    given.update({name: Array(code, element, ())
                  for name, code, element in outputs})
    given.update(more)
    return given


for of, to, gives in [(dict(i=-128), 'j', -128), (dict(u=2**64 - 1), 'v', 2**64 - 1),
                      (dict(i=True), 'j', 1), (dict(b=1), 'c', 1), (dict(b=2), 'c', 1),
                      (dict(x=0.5), 'y', 0.5), (dict(x=float('inf')), 'y', float('inf')),
                      (dict(n=2**40), 's', 2**40),
                      # 1, -1.5, the first number above 1, halfway, beyond halfway by
                      # less than f32 holds, before it by as much, the largest, inf, nan
                      (dict(h=1), 'k', 0x3f80), (dict(h=-1.5), 'k', 0xbfc0),
                      (dict(h=1 + 2**-7), 'k', 0x3f81), (dict(h=1 + 2**-8), 'k', 0x3f80),
                      (dict(h=1 + 2**-8 + 2**-40), 'k', 0x3f81),
                      (dict(h=1 + 3*2**-8 - 2**-40), 'k', 0x3f81),
                      (dict(h=-1 - 2**-8 - 2**-40), 'k', 0xbf81),
                      (dict(h=255*2.0**120), 'k', 0x7f7f),
                      (dict(h=float('-inf')), 'k', 0xff80), (dict(h=2.0**-133), 'k', 1)]:
    a = numbers(**of)
    py_numbers.run(**a)
    check(a[to].data[0] == gives, '%s: %s' % (of, a[to].data[0]))
a = numbers(h=float('nan'))
py_numbers.run(**a)
check(a['k'].data[0] & 0x7fff > 0x7f80, 'nan')
for kind, word, of in [
        (OverflowError, 'i: 128 does not fit', dict(i=128)),
        (OverflowError, 'u: -1 does not fit', dict(u=-1)),
        (OverflowError, 'n: 18446744073709551616 does not fit', dict(n=2**64)),
        (OverflowError, 'x: 1e+300 does not fit', dict(x=1e300)),
        (OverflowError, 'h: 3.4e+38 does not fit', dict(h=3.4e38)),
        (TypeError, 'i: expected an integer, got 1.5', dict(i=1.5)),
        (TypeError, 'n: expected an integer', dict(n='5'))]:
    refused(kind, word, module=py_numbers, **numbers(**of))
sys.exit(bad != 0)
END
good "$python" use.py
# Of another program than the library's.
sed 's/{"name": "m", "counted": false}/&, {"name": "o", "counted": false}/
     s/"names": {/&"o": "o", /' \
    alone/step.py >alone/other.py
count=$((count + 1))
"$python" -c 'import sys; sys.path.insert(0, "alone"); import other' 2>log &&
    complain "a module of another version is imported"
grep -q 'is of another program or version' log || complain "$(cat log)"
count=$((count + 1))
"$ilexc" compile --language cuda --python step.ilx -o gpu 2>log &&
    complain "there is a module for CUDA"
grep -q 'E105' log || complain "$(cat log)"
echo "$count things tried, $bad wrong"
[ $bad -eq 0 ]
