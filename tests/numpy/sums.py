#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The order of sums, from the manual's formulas, with the C library's fma; the
positions of extrema, from NumPy.

    sums.py LIBRARY [--seed N] [--count C]

C random einsums of one and two operands, C/2 sums over rows, columns and both,
C/5 cumulative sums and products, and some of each of more than two chunks; C
positions of extrema. Every bit is compared, NaNs are equal.
"""
import argparse
import ctypes
import itertools
import random

import numpy as np

from library import Library

libm = ctypes.CDLL("libm.so.6")
libm.fma.restype, libm.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
libm.fmaf.restype, libm.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3


# ---- the definition ----

class Arithmetic:
    """Numbers are (re, im), of a real dtype im stays 0."""

    def __init__(self, single, complex_, rounded):
        self.fma = libm.fmaf if single else libm.fma
        self.round = (lambda x: float(np.float32(x))) if single else float
        self.complex, self.rounded = complex_, rounded
        self.lanes = 256 // ((4 if single else 8) * (2 if complex_ else 1))

    def add(self, a, b):
        return self.round(a[0] + b[0]), self.round(a[1] + b[1])

    def product(self, a, b):
        r = self.round
        if not self.complex:
            return r(a[0] * b[0]), 0.0
        return (r(r(a[0] * b[0]) + r(-a[1] * b[1])),
                r(r(a[0] * b[1]) + r(a[1] * b[0])))

    def take(self, total, term):
        """The accumulator with a number, or two factors (number, complex?)."""
        if len(term) == 1:
            return self.add(total, term[0])
        (a, ac), (b, bc) = term
        if self.rounded:
            return self.add(total, self.product(a, b))
        re, im = self.fma(a[0], b[0], total[0]), total[1]
        re = self.fma(-a[1], b[1], re) if ac and bc else re
        im = self.fma(a[0], b[1], im) if bc else im
        im = self.fma(a[1], b[0], im) if ac else im
        return re, im

    def chunk(self, terms, lanes):
        lane = [(-0.0, -0.0 if self.complex else 0.0)] * lanes
        for i, term in enumerate(terms):
            lane[i % lanes] = self.take(lane[i % lanes], term)
        while len(lane) > 1:
            half = len(lane) // 2
            lane = [self.add(lane[j], lane[j + half]) for j in range(half)]
        return lane[0]

    def pairwise(self, r):
        if len(r) == 1:
            return r[0]
        p = 1
        while 2 * p < len(r):
            p *= 2
        return self.add(self.pairwise(r[:p]), self.pairwise(r[p:]))

    def along(self, terms, length, lanes):
        return self.pairwise([self.chunk(terms[i:i + length], lanes)
                              for i in range(0, len(terms), length)])


def nest(ar, terms, lengths, last, few):
    """terms in C order of axes with these lengths; lanes of the last axis,
    elements of a chunk in one lane."""
    if len(lengths) == 1:
        return ar.along(terms, 4096 if last > 1 else few, last)
    n = len(terms) // lengths[0]
    return ar.along([[nest(ar, terms[i:i + n], lengths[1:], last, few)]
                     for i in range(0, len(terms), n)], few, 1)


def einsum(ar, arrays, labels, result, length):
    reduced = [c for c in dict.fromkeys("".join(labels)) if c not in result]
    sets = [set(x) & set(result) for x in labels]
    chain = len(sets) == 2 and sets[0] - sets[1] and sets[1] - sets[0]
    last = all(c.find(reduced[-1]) in (-1, len(c) - 1) for c in labels)
    for at in itertools.product(*(range(length[c]) for c in result)):
        where = dict(zip(result, at))
        terms = []
        for index in itertools.product(*(range(length[c]) for c in reduced)):
            where.update(zip(reduced, index))
            x = [(a[tuple(where[c] for c in l)], np.iscomplexobj(a))
                 for a, l in zip(arrays, labels)]
            x = [((float(v.real), float(v.imag)), c) for v, c in x]
            terms.append([x[0][0]] if len(x) == 1 else x)
        n = [length[c] for c in reduced]
        yield (ar.along(terms, 4096 * len(terms) // n[0], 1) if chain
               else nest(ar, terms, n, ar.lanes if last else 1, 4096))


def cumulated(op, x):
    """What chunks of 4096 elements before give comes before each element."""
    before, local, y = None, None, []
    for k, v in enumerate(x):
        if k % 4096 == 0:
            before = op(before, local) if k > 4096 else local
        local = op(local, v) if k % 4096 else v
        y.append(op(before, local) if k >= 4096 else local)
    return y


# ---- against the library ----

DTYPES = {"f32": np.float32, "f64": np.float64,
          "c64": np.complex64, "c128": np.complex128}


class Tester:
    def __init__(self, library, seed):
        self.library, self.random = Library(library), random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.compared = 0

    def array(self, dtype, shape):
        def part():
            return (self.numbers.standard_normal(shape) *
                    2.0 ** self.numbers.integers(-6, 7, shape))
        x = part() + 1j * part() if dtype[0] == "c" else part()
        return x.astype(DTYPES[dtype])

    def run(self, text, arrays, out, jit):
        context = self.library.context()
        context.option("jit", jit)
        context.parse("ilex 1\nprogram p\n" + text)
        program = context.compile()
        bound = [(name, context.storage(dtype, x.ctypes.data, x.shape,
                                        [s // x.itemsize for s in x.strides],
                                        None, None, None))
                 for name, dtype, x in arrays + [out]]
        context.run(program, bound, [], self.random.choice([1, 2, 3]))
        for _, storage in bound:
            context.free(storage)
        context.release(program)
        context.close()

    def check(self, text, arrays, dtype, shape, want):
        parts = (lambda x: [x.real, x.imag]) if dtype[0] == "c" else \
            (lambda x: [x])
        want = np.array([complex(*w) if dtype[0] == "c" else w[0]
                         for w in want]).astype(DTYPES[dtype]).reshape(shape)
        jits = ["reference", "tcc"] + ["cc"] * (self.random.random() < 0.1)
        for jit in jits:
            got = np.empty(shape, DTYPES[dtype])
            self.run(text, arrays, ("z", dtype, got), jit)
            for g, w in zip(parts(got), parts(want)):
                same = (g == w) & (np.signbit(g) == np.signbit(w))
                assert np.all(same | (np.isnan(g) & np.isnan(w))), \
                    "%s: %r, not %r\n%s" % (jit, got, want, text)
        self.compared += 1

    def declared(self, names, dtypes, shapes):
        return "size %s\n" % ", ".join(sorted(set("".join(shapes)))) + \
            "".join("in %s : %s[%s]\n" % (n, d, ", ".join(s))
                    for n, d, s in zip(names, dtypes, shapes))

    def einsum(self, length=None):
        r = self.random
        single, long = r.random() < 0.5, length is not None
        names = ["f32", "c64"] if single else ["f64", "c128"]
        count = 2 if long else r.choice([1, 2, 2, 2])
        length = length or {c: r.randint(2, 9) for c in "ijkl"}
        while True:
            labels = ["".join(r.sample("ijkl", r.randint(1, 3)))
                      for _ in range(count)]
            all_ = "".join(dict.fromkeys("".join(labels)))
            result = "".join(c for c in all_ if r.random() < 0.5)
            if result != all_ and (not long or "k" in all_) and \
                    ("k" not in result or not long):
                break
        if not long and r.random() < 0.4:
            length[[c for c in all_ if c not in result][-1]] = r.randint(30, 99)
        dtypes = [r.choice(names) for _ in labels]
        complex_ = any(d[0] == "c" for d in dtypes)
        rounded = r.random() < 0.2
        arrays = [self.array(d, [length[c] for c in l])
                  for d, l in zip(dtypes, labels)]
        ar = Arithmetic(single, complex_, rounded)
        want = einsum(ar, arrays, labels, result, length)
        text = self.declared("ab", dtypes, labels) + \
            "einsum t[%s] = %s%s\nout z : %s[%s] = t\n" % (
                ", ".join(result),
                "*".join("%s[%s]" % (n, ", ".join(l))
                         for n, l in zip("ab", labels)),
                " rounded" if rounded else "", names[complex_],
                ", ".join(result))
        self.check(text, list(zip("ab", dtypes, arrays)), names[complex_],
                   [length[c] for c in result], want)

    def sums(self, rows, columns):
        dtype = self.random.choice(list(DTYPES))
        x = self.array(dtype, [rows, columns])
        ar = Arithmetic(dtype in ("f32", "c64"), dtype[0] == "c", False)
        terms = [[[(float(v.real), float(v.imag))] for v in row] for row in x]
        axis = self.random.choice(["0", "1", "0, 1"])
        if axis == "0":
            shape, out = [columns], "m"
            want = [ar.along([row[j] for row in terms], 256, 1)
                    for j in range(columns)]
        elif axis == "1":
            shape, out = [rows], "n"
            want = [ar.along(row, 4096, ar.lanes) for row in terms]
        else:
            shape, out = [], ""
            want = [nest(ar, sum(terms, []), [rows, columns], ar.lanes, 256)]
        self.check(self.declared("a", [dtype], ["nm"]) +
                   "out z : %s[%s] = sum[%s](a)\n" % (dtype, out, axis),
                   [("a", dtype, x)], dtype, shape, want)


    def position(self):
        """Few different numbers, of which the first one counts, by blocks of
        lanes and what is left of them."""
        r = self.random
        dtype = r.choice(["f32", "f64", "i8", "u32", "i64"])
        kind = np.dtype("%s%d" % (dtype[0], int(dtype[1:]) // 8))
        few, many = r.randint(1, 5), r.randint(0, 6) * 64 + r.randint(1, 200)
        shape = r.choice([[few, many], [many, few], [few, 1200]])
        x = self.numbers.integers(0, r.choice([1, 3, 100]), shape).astype(kind)
        if dtype[0] == "f":
            x[self.numbers.random(shape) < r.choice([0.0, 0.9, 1.0])] = -np.inf
            x[self.numbers.random(shape) < r.choice([0.0, 0.003])] = np.nan
            x *= r.choice([1.0, -1.0])
        name, axes = r.choice(["argmax", "argmin"]), r.choice([[0], [1], [0, 1]])
        out = "".join(c for k, c in enumerate("nm") if k not in axes)
        want = getattr(np, name)(x, axis=None if len(axes) > 1 else axes[0])
        text = self.declared("a", [dtype], ["nm"]) + \
            "out z : i64[%s] = %s[%s](a)\n" % (
                out, name, ", ".join(map(str, axes)))
        for jit in ["reference", "tcc"] + ["cc"] * (r.random() < 0.1):
            got = np.empty(want.shape, np.int64)
            self.run(text, [("a", dtype, x)], ("z", "i64", got), jit)
            assert np.array_equal(got, want), \
                "%s: %r, not %r\n%s" % (jit, got, want, text)
        self.compared += 1

    def cumulate(self, shape, axis):
        r = self.random
        dtype, name, reverse = (r.choice(list(DTYPES)),
                                r.choice(["cumsum", "cumprod"]), r.choice([0, 1]))
        x = self.array(dtype, shape)
        if name == "cumprod":
            x /= np.abs(x) + 1e-30
        ar = Arithmetic(dtype in ("f32", "c64"), dtype[0] == "c", False)
        rows = np.moveaxis(x, axis, -1).reshape(-1, shape[axis])
        rows = rows[:, ::-1] if reverse else rows
        want = np.array([[complex(*v) for v in cumulated(
            ar.add if name == "cumsum" else ar.product,
            [(float(v.real), float(v.imag)) for v in row])] for row in rows])
        want = want[:, ::-1] if reverse else want
        shape_moved = [n for k, n in enumerate(shape) if k != axis]
        want = np.moveaxis(want.reshape(shape_moved + [shape[axis]]), -1, axis)
        labels = "nml"[:len(shape)]
        self.check(self.declared("a", [dtype], [labels]) +
                   "out z : %s[%s] = %s(a; axis=%d, reverse=%d)\n" %
                   (dtype, ", ".join(labels), name, axis, reverse),
                   [("a", dtype, x)], dtype, shape,
                   [(v.real, v.imag) for v in want.ravel()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    a = parser.parse_args()
    t = Tester(a.library, a.seed)
    for i in range(a.count):
        t.einsum()
        t.position()
        if i % 2 == 0:
            t.sums(t.random.randint(1, 700), t.random.randint(1, 80))
        if i % 5 == 0:
            length = t.random.randint(8193, 13000)
            t.cumulate(*t.random.choice([([length], 0), ([length, 2], 0),
                                         ([2, length], 1),
                                         ([2, length, 1], 1)]))
            t.sums(t.random.randint(513, 1200), 2)
            t.sums(2, t.random.randint(8193, 13000))
            t.einsum({"i": 2, "j": 1, "k": t.random.randint(8193, 13000),
                      "l": 2})
    print("%d sums and positions are those of the definition" % t.compared)


if __name__ == "__main__":
    main()
