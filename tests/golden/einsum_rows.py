#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of data/einsum.tsv whose values show the order of sums.

    einsum_rows.py [--check FILE]

Prints the rows exa001 and on. Every sum, with the product that it adds, is an exact
rational that is rounded once, to nearest, ties to even, in the order that Ilex defines
(doc/ilx.md, "The order of sums"); nothing is computed in floating point. With
--check it compares them with those in a file. A row is only made if another
order, products that are rounded before, or subnormal numbers that are zero give
another value; what is drawn at
random is drawn again until then.
"""
import itertools
import math
import random
import sys
from fractions import Fraction

CHUNK = 4096
LANE_BYTES = 256
# precision, least exponent of a unit in the last place, bytes
FORMATS = {"float64": (53, -1074, 8), "float32": (24, -149, 4)}
PARTS = {"complex128": "float64", "complex64": "float32"}


# ---- rounding ----

def rounded(x, form):
    """The nearest value of the format to the rational x, ties to even."""
    bits, least, _ = FORMATS[form]
    if x == 0:
        return Fraction(0)
    size = abs(x)
    e = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** e:
        e -= 1  # 2^e <= size < 2^(e+1)
    unit = Fraction(2) ** max(e - bits + 1, least)
    return round(x / unit) * unit  # of a Fraction: half to even


class Arithmetic:
    """Numbers of a dtype as tuples of rationals: one part or two."""

    def __init__(self, dtype, fused=True, flush=False):
        self.form = PARTS.get(dtype, dtype)
        self.complex = dtype in PARTS
        self.fused = fused  # a product is rounded with the sum it goes into
        self.flush = flush  # subnormal results are zero
        self.lanes = LANE_BYTES // (FORMATS[self.form][2] * (1 + self.complex))

    def part(self, x):
        bits, least, _ = FORMATS[self.form]
        if self.flush and abs(x) < Fraction(2) ** (least + bits - 1):
            return Fraction(0)
        return rounded(x, self.form)

    def product(self, a, b):
        """Rounded by itself."""
        r = self.part
        if not self.complex:
            return (r(a[0] * b[0]),)
        return (r(r(a[0] * b[0]) - r(a[1] * b[1])),
                r(r(a[0] * b[1]) + r(a[1] * b[0])))

    def add(self, total, factors):
        """total + a number, or the product of two."""
        if len(factors) == 1:
            return self.sum(total, factors[0])
        if not self.fused:
            return self.sum(total, self.product(*factors))
        a, b = factors
        if not self.complex:
            return (self.part(a[0] * b[0] + total[0]),)
        re = self.part(a[0] * b[0] + total[0])
        im = self.part(a[0] * b[1] + total[1])
        return (self.part(-a[1] * b[1] + re), self.part(a[1] * b[0] + im))

    def sum(self, a, b):
        return tuple(self.part(x + y) for x, y in zip(a, b))

    def zero(self):
        return (Fraction(0),) * (1 + self.complex)


# ---- the defined order ----

def fold(ar, values):
    """Pairwise: element j with element j + half."""
    while len(values) > 1:
        half = len(values) // 2
        values = [ar.sum(values[j], values[j + half]) for j in range(half)]
    return values[0]


def combined(ar, chunks):
    """Chunks in pairs, as a binary counter adds."""
    stack = []  # (number of chunks, value)
    for value in chunks:
        count = 1
        while stack and stack[-1][0] == count:
            value = ar.sum(stack.pop()[1], value)
            count *= 2
        stack.append((count, value))
    assert len(stack) <= 2
    return ar.sum(stack[0][1], stack[1][1]) if len(stack) > 1 else stack[0][1]


def one_axis(ar, terms, lanes):
    """Chunks of an axis of an einsum; terms are numbers or pairs of factors."""
    chunks = []
    for start in range(0, max(len(terms), 1), CHUNK):
        lane = [ar.zero()] * lanes
        for i, v in enumerate(terms[start:start + CHUNK]):
            lane[i % lanes] = ar.add(lane[i % lanes], v)
        chunks.append(fold(ar, lane))
    return combined(ar, chunks)


class Einsum:
    """Two operands at most, known lengths."""

    def __init__(self, subscripts, shapes):
        inputs, self.result = subscripts.split("->")
        self.labels = inputs.split(",")
        self.length = {}
        for labels, shape in zip(self.labels, shapes):
            self.length.update(zip(labels, shape))
        seen = dict.fromkeys("".join(self.labels))
        self.reduced = [c for c in seen if c not in self.result]
        self.may_be_short = True

    def is_contraction(self):
        if len(self.labels) != 2:
            return False
        a, b = (set(x) & set(self.result) for x in self.labels)
        return bool(a - b) and bool(b - a) and bool(self.reduced)

    def lanes(self, ar):
        """Of the innermost reduced label."""
        r = self.reduced[-1]
        last = all(x.find(r) in (-1, len(x) - 1) for x in self.labels)
        short = self.length[r] < ar.lanes and self.result and self.may_be_short
        return ar.lanes if last and not short else 1

    def element(self, ar, at, order):
        if not self.reduced:
            term = order.term(at)
            return term[0] if len(term) == 1 else ar.product(*term)
        if self.is_contraction():
            return order.chain(self, ar, at)
        return order.nest(self, ar, at, self.reduced)


class Defined:
    """The order of doc/ilx.md."""

    def __init__(self, arrays):
        self.arrays = arrays

    def term(self, at):
        """A number or two factors."""
        return [array[tuple(at[c] for c in labels)]
                for labels, array in self.arrays]

    def chain(self, e, ar, at):
        outer, inner = e.reduced[0], e.reduced[1:]
        chunks = []
        for start in range(0, e.length[outer], CHUNK):
            value = ar.zero()
            stop = min(start + CHUNK, e.length[outer])
            ranges = [range(start, stop)] + [range(e.length[c]) for c in inner]
            for index in itertools.product(*ranges):
                at.update(zip(e.reduced, index))
                value = ar.add(value, self.term(at))
            chunks.append(value)
        return combined(ar, chunks)

    def nest(self, e, ar, at, labels):
        values = []
        for i in range(e.length[labels[0]]):
            at[labels[0]] = i
            values.append(self.term(at) if len(labels) == 1
                          else [self.nest(e, ar, at, labels[1:])])
        return one_axis(ar, values, e.lanes(ar) if len(labels) == 1 else 1)


class Straight(Defined):
    """One chain from the first element to the last: what is not defined."""

    def nest(self, e, ar, at, labels):
        value = ar.zero()
        for index in itertools.product(*(range(e.length[c]) for c in labels)):
            at.update(zip(labels, index))
            value = ar.add(value, self.term(at))
        return value

    def chain(self, e, ar, at):
        return self.nest(e, ar, at, e.reduced)


class Backward(Straight):
    """The same from the last to the first."""

    def nest(self, e, ar, at, labels):
        value = ar.zero()
        ranges = [range(e.length[c]) for c in labels]
        for index in reversed(list(itertools.product(*ranges))):
            at.update(zip(labels, index))
            value = ar.add(value, self.term(at))
        return value


class Nested(Defined):
    """Reductions of one axis in each other, lanes wherever they fit."""

    def chain(self, e, ar, at):
        return self.nest(e, ar, at, e.reduced)

    def nest(self, e, ar, at, labels):
        e.may_be_short = False
        return super().nest(e, ar, at, labels)


def evaluate(subscripts, shapes, arrays, order, ar):
    e = Einsum(subscripts, shapes)
    how = order(list(zip(e.labels, arrays)))
    ranges = [range(e.length[c]) for c in e.result]
    return [e.element(ar, dict(zip(e.result, at)), how)
            for at in itertools.product(*ranges)]


# ---- text ----

def show_part(x):
    """A rational that is a float, in hexadecimal."""
    if x == 0:
        return "0x0p+0"
    sign, x = ("-", -x) if x < 0 else ("", x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    e -= x < Fraction(2) ** e
    digits, rest = "", x / Fraction(2) ** e - 1
    while rest:
        rest *= 16
        digits += "0123456789abcdef"[int(rest)]
        rest -= int(rest)
    return "%s0x1%sp%+d" % (sign, "." + digits if digits else "", e)


def show(values):
    """Elements; "v*n" is n times v."""
    groups = [(k, len(list(g))) for k, g in itertools.groupby(values)]
    texts = [(",".join(map(show_part, v)), n) for v, n in groups]
    return " ".join(v if n == 1 else "%s*%d" % (v, n) for v, n in texts)


def show_array(dtype, shape, values):
    return "%s[%s]{%s}" % (dtype, ",".join(map(str, shape)), show(values))


# ---- rows ----

class Rows:
    def __init__(self):
        self.random = random.Random(1)
        self.lines = []

    def number(self, form, low, high):
        """A random value of the format with an exponent in [low, high)."""
        bits = FORMATS[form][0]
        n = self.random.getrandbits(bits - 1) | 1 << (bits - 1)
        x = Fraction(n, 2 ** (bits - 1)) * Fraction(2) ** \
            self.random.randrange(low, high)
        return rounded(x if self.random.random() < 0.5 else -x, form)

    def values(self, dtype, count, low=-3, high=4):
        ar = Arithmetic(dtype)
        return [tuple(self.number(ar.form, low, high)
                      for _ in range(1 + ar.complex)) for _ in range(count)]

    def add(self, dtype, subscripts, shapes, data, note, unlike=None):
        """One row if it shows the order; "data" are lists of elements. The
        order "unlike" has to give another value."""
        arrays = [dict(zip(itertools.product(*map(range, shape)), values))
                  for shape, values in zip(shapes, data)]
        ar = Arithmetic(dtype)
        result = evaluate(subscripts, shapes, arrays, Defined, ar)
        others = [evaluate(subscripts, shapes, arrays, order, a)
                  for order, a in ((Straight, ar), (Backward, ar),
                                   (Defined, Arithmetic(dtype, fused=False)),
                                   (Defined, Arithmetic(dtype, flush=True)))]
        if all(other == result for other in others):
            return False
        if unlike and result == evaluate(subscripts, shapes, arrays, unlike, ar):
            return False
        length = Einsum(subscripts, shapes).length
        shape = [length[c] for c in subscripts.split("->")[1]]
        operands = ";".join(show_array(dtype, s, v)
                            for s, v in zip(shapes, data))
        self.lines.append("exa%03d\t\"%s\"\t%d\t%s\tok\t%s\t%s\n" % (
            len(self.lines) + 1, subscripts, len(data), operands,
            show_array(dtype, shape, result), note))
        return True

    def must(self, *row):
        """A row that shows the order as it is."""
        if not self.add(*row):
            sys.exit("%s: its numbers do not show the order" % row[1])

    def random_row(self, dtype, subscripts, lengths, note, low=-3, high=4,
                   unlike=None):
        shapes = [[lengths[c] for c in labels]
                  for labels in subscripts.split("->")[0].split(",")]
        for _ in range(100):
            data = [self.values(dtype, math.prod(shape), low, high)
                    for shape in shapes]
            if self.add(dtype, subscripts, shapes, data, note, unlike):
                return
        sys.exit("no numbers show the order of %s" % subscripts)


def cancellation(rows):
    """Large numbers that go away, small ones that were lost or not."""
    for dtype in ("float64", "float32"):
        ar = Arithmetic(dtype)
        big = Fraction(2) ** (FORMATS[dtype][0] + 1)
        third = rounded(Fraction(1, 3), dtype)
        for n in (4, 31, ar.lanes, ar.lanes + 1, 100):
            a = [(third * (1 + i % 3),) for i in range(n)]
            a[0], a[n // 2] = (big,), (-big,)
            a = [tuple(rounded(x, dtype) for x in v) for v in a]
            rows.must(dtype, "i->", [[n]], [a], "cancellation")
        n = ar.lanes + 3
        a = rows.values(dtype, n)
        b = rows.values(dtype, n)
        rows.must(dtype, "i,i->", [[2 * n]] * 2,
                  [a + a, b + [(-x[0],) for x in b[1:] + b[:1]]],
                  "cancellation")
        rows.random_row(dtype, "ij,i->j", {"i": 9, "j": 3}, "cancellation",
                        -20, 21)


def subnormals(rows):
    """Products and sums below the normal numbers."""
    for dtype, low in (("float64", -540), ("float32", -76)):
        rows.random_row(dtype, "i,i->", {"i": 7}, "subnormal", low, low + 6)
        rows.random_row(dtype, "i,i->", {"i": 70}, "subnormal", low, low + 6)
        rows.random_row(dtype, "ij,jk->ik", {"i": 2, "j": 5, "k": 2},
                        "subnormal", low, low + 6)
        rows.random_row(dtype, "i,i->i", {"i": 6}, "subnormal", low, low + 6)
    rows.random_row("complex128", "i,i->", {"i": 5}, "subnormal", -540, -534)
    rows.random_row("complex64", "i,i->", {"i": 5}, "subnormal", -76, -70)


def complex_numbers(rows):
    for dtype in ("complex128", "complex64"):
        rows.random_row(dtype, "i->", {"i": 40}, "complex")
        rows.random_row(dtype, "i,i->", {"i": 9}, "complex")
        rows.random_row(dtype, "i,i->", {"i": 35}, "complex")
        rows.random_row(dtype, "ij,jk->ik", {"i": 2, "j": 4, "k": 2}, "complex")
        rows.random_row(dtype, "ij,i->j", {"i": 6, "j": 2}, "complex")


def roundings(rows):
    """Products that are rounded with the sum alone."""
    for dtype in ("float64", "float32"):
        rows.random_row(dtype, "ij,jk->ik", {"i": 3, "j": 6, "k": 2}, "rounding")
        rows.random_row(dtype, "ij,ij->", {"i": 3, "j": 5}, "rounding")
        rows.random_row(dtype, "ij->", {"i": 2, "j": 37}, "rounding")
        rows.random_row(dtype, "ij,j->i", {"i": 2, "j": 70}, "rounding")


def chunks(rows):
    """Around the ends of chunks; equal elements, of which each sum is rounded."""
    tenth = {f: rounded(Fraction(1, 10), f) for f in FORMATS}
    for n in (4095, 4096, 4097, 8193):
        x = (tenth["float64"],)
        rows.must("float64", "i->", [[n]], [[x] * n], "chunk")
        y = (tenth["float32"],)
        rows.must("float32", "i,i->", [[n]] * 2, [[y] * n] * 2, "chunk")
    x = (tenth["float64"],)
    rows.must("float64", "ij,i->j", [[4100, 2], [4100]],
              [[x] * 8200, [x] * 4100], "chunk")
    rows.must("float64", "ij,jk->ik", [[1, 8193], [8193, 2]],
              [[x] * 8193, [x] * 16386], "chunk")
    rows.must("complex128", "i->", [[4097]], [[x * 2] * 4097], "chunk")


def contractions(rows):
    """One chain over all reduced labels, wherever they stand."""
    for dtype in ("float64", "float32"):
        rows.random_row(dtype, "ji,jk->ik", {"i": 2, "j": 7, "k": 2},
                        "contraction")
        for subscripts, lengths in (("ij,kj->ik", {"i": 2, "j": 40, "k": 2}),
                                    ("ijk,jkl->il",
                                     {"i": 2, "j": 3, "k": 4, "l": 2}),
                                    ("ijk,lkj->il",
                                     {"i": 2, "j": 3, "k": 5, "l": 2})):
            rows.random_row(dtype, subscripts, lengths, "contraction",
                            unlike=Nested)
    x = (rounded(Fraction(1, 10), "float64"),)
    rows.must("float64", "ij,kj->ik", [[1, 4100], [2, 4100]],
              [[x] * 4100, [x] * 8200], "contraction, chunk", Nested)


def short_lanes(rows):
    """A short axis beside a free one has one lane."""
    for dtype in ("float64", "float32"):
        for subscripts, lengths in (("ij->i", {"i": 3, "j": 3}),
                                    ("ij->i", {"i": 2, "j": 31}),
                                    ("ij,j->i", {"i": 2, "j": 13})):
            rows.random_row(dtype, subscripts, lengths, "short", unlike=Nested)


def main():
    rows = Rows()
    for make in (cancellation, subnormals, complex_numbers, roundings, chunks,
                 contractions, short_lanes):
        make(rows)
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as f:
            have = [line for line in f if line.startswith("exa")]
        if have != rows.lines:
            sys.exit("%s: its rows exa... are others" % sys.argv[2])
        return
    sys.stdout.writelines(rows.lines)


if __name__ == "__main__":
    main()
