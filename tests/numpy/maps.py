# SPDX-License-Identifier: MIT
"""Bodies of index lambdas, drawn and evaluated on grids of indices.

Every index is a dimension of a grid, those of reductions behind those of the
map; an expression's value is an array that broadcasts over the grid. A read
whose index is guarded by a condition is evaluated everywhere with its index
cut to the range: where the condition is false, nobody looks."""

import numpy as np

import meaning
from forms import Form
from meaning import Undefined
from steps import MOST, literal_text, op_text, operand_text

DIMENSIONS = 8
POINTS = 120000
# Elements that change nothing, which guards may put in place of others.
NEUTRAL = {"sum": 0, "prod": 1, "any": 0, "all": 1}


class Node:
    """An expression: text, value over the grid, parts."""

    def __init__(self, text, value, exact=True, parts=(), reads=()):
        self.text, self.value, self.exact = text, value, exact
        self.parts = parts
        self.reads = list(reads)
        for p in parts:
            self.reads += [r for r in p.reads if r not in self.reads]


class Index:
    """An index expression with the forms between which it lies."""

    def __init__(self, text, value, low, high, weak=False):
        self.text, self.value, self.low, self.high = text, value, low, high
        self.weak = weak  # made of literals alone


class Variable:
    def __init__(self, text, lo, hi, dimension, sizes):
        self.text, self.lo, self.hi, self.dimension = text, lo, hi, dimension
        first, last = sizes.value(lo), sizes.value(hi)
        shape = [1] * DIMENSIONS
        shape[dimension] = max(0, last - first)
        self.length = shape[dimension]
        self.value = np.arange(first, max(first, last), dtype="i8") \
            .reshape(shape)

    def index(self):
        return Index(self.text, self.value, self.lo, self.hi - 1)


class Mapper:
    def __init__(self, program, rng, arrays, axes):
        self.program, self.rng, self.sizes = program, rng, program.sizes
        self.arrays = arrays
        self.rank = len(axes)
        self.dimensions = self.rank
        self.names = 0
        self.vars = []
        for k, a in enumerate(axes):
            text = a.name if a.name and "/" not in a.name else "_%d" % k
            self.vars.append(Variable(text, a.lo, a.hi, k, self.sizes))

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    # ---- indices ----

    def number(self, form):
        return np.full([1] * DIMENSIONS, self.sizes.value(form), "i8")

    def form(self, f):
        return Index("(%s)" % f.text() if f.terms or f.c < 0 else f.text(),
                     self.number(f), f, f, f.constant())

    def plus(self, x, c):
        if c == 0:
            return x
        return Index("%s%+d" % (x.text, c), x.value + c, x.low + c, x.high + c,
                     x.weak)

    def times(self, x, k):
        lo, hi = (x.low, x.high) if k >= 0 else (x.high, x.low)
        return Index("%d*(%s)" % (k, x.text), x.value * k, lo * k, hi * k,
                     x.weak)

    def sum(self, x, y):
        return Index("%s + %s" % (x.text, y.text), x.value + y.value,
                     x.low + y.low, x.high + y.high, x.weak and y.weak)

    def floordiv(self, x, k):
        low = Form(x.low.c // k) if x.low.constant() else None
        high = x.high + 1
        high = high.over(k) - 1 if high.divisible(k) else \
            Form(x.high.c // k) if x.high.constant() else None
        return Index("(%s) // %d" % (x.text, k), x.value // k, low, high,
                     x.weak)

    def modulo(self, x, k):
        return Index("(%s) %% %d" % (x.text, k), x.value % k, Form(0),
                     Form(k - 1), x.weak)

    def clamp(self, x, lo, hi):
        if self.chance(50):
            text = "min(max(%s, %s), %s)" % (x.text, lo.text(), hi.text())
            value = np.minimum(np.maximum(x.value, self.number(lo)),
                               self.number(hi))
        else:
            text = "max(min(%s, %s), %s)" % (x.text, hi.text(), lo.text())
            value = np.maximum(np.minimum(x.value, self.number(hi)),
                               self.number(lo))
        return Index(text, value, lo, hi, x.weak and lo.constant() and
                     hi.constant())

    def any_index(self):
        """Some quasi-affine expression; bounds may be unknown."""
        r = self.rng
        x = self.plus(r.choice(self.vars).index(), r.randint(-2, 2)) \
            if self.vars else self.form(Form(r.randint(0, 3)))
        if self.chance(25):
            x = self.times(x, r.choice([2, 3, -1, -2]))
        if self.chance(25) and self.vars:
            x = self.sum(x, r.choice(self.vars).index())
        if self.chance(15):
            k = r.choice([2, 3, 4])
            x = self.floordiv(x, k) if self.chance(50) else self.modulo(x, k)
            if x.low is None or x.high is None:
                return Index("min(max(%s, -9), 9)" % x.text,
                             np.clip(x.value, -9, 9), Form(-9), Form(9),
                             x.weak)
        return x

    def inside(self, x, lo, hi):
        return x.low is not None and x.high is not None and \
            self.sizes.le(lo, x.low) and self.sizes.le(x.high, hi - 1)

    def index_within(self, lo, hi, k):
        """An index that provably lies in [lo, hi)."""
        r = self.rng
        for _ in range(6):
            v = r.choice(self.vars).index() if self.vars and \
                not (k < self.rank and self.chance(50)) else None
            if v is None:
                v = self.vars[k].index() if k < len(self.vars) else \
                    self.form(lo)
            how = r.randrange(9)
            if how <= 3:
                x = self.plus(v, r.choice([0, 0, 0, 1, -1, 2, -2]))
            elif how == 4:
                f = lo + hi - 1 + r.randint(-1, 1)
                x = self.sum(self.form(f), self.times(v, -1))
            elif how == 5:
                x = self.floordiv(v, r.choice([2, 3]))
            elif how == 6:
                x = self.modulo(self.plus(v, r.randint(-2, 2)),
                                r.choice([2, 3, 4]))
            elif how == 7:
                x = self.plus(self.times(v, r.choice([2, 3])), r.randint(0, 2))
            else:
                x = self.sum(v, r.choice(self.vars).index()) if self.vars \
                    else v
            if self.inside(x, lo, hi):
                return x
        if not self.sizes.le(lo + 1, hi):
            raise Undefined
        if self.chance(15):
            return self.form(lo) if self.chance(50) else self.form(hi - 1)
        return self.clamp(self.any_index(), lo, hi - 1)

    # ---- reads ----

    def read(self, x, at):
        """x at the given indices, cut to what is there."""
        v = self.sizes.value
        text = x.name if not x.axes else "%s[%s]" % (
            x.name, ", ".join(i.text for i in at))
        if not x.axes:
            return Node(text, x.value.reshape([1] * DIMENSIONS), x.exact, (),
                        [x])
        where = []
        for a, i in zip(x.axes, at):
            first, length = v(a.vlo), v(a.vhi) - v(a.vlo)
            if length <= 0:
                raise Undefined
            where.append(np.clip(i.value - first, 0, length - 1))
        return Node(text, x.value[tuple(where)], x.exact, (), [x])

    def load(self):
        if not self.arrays:
            raise Undefined
        x = self.rng.choice(self.arrays)
        at = [self.index_within(a.vlo, a.vhi, k)
              for k, a in enumerate(x.axes)]
        if x.axes and self.chance(30):
            return self.guarded(x, at)
        return self.read(x, at)

    def guarded(self, x, at):
        """where(index in range, x[index], something else), or periodic."""
        r = self.rng
        k = r.randrange(len(x.axes))
        a = x.axes[k]
        i = self.any_index()
        if i.weak:  # conditions on literals alone guard nothing
            raise Undefined
        at[k] = i
        inner = self.read(x, at)
        below = above = None
        if not self.sizes.le(a.vlo, i.low):
            below = Node("%s < %s" % (i.text, a.vlo.text()),
                         i.value < self.number(a.vlo))
        if not self.sizes.le(i.high, a.vhi - 1):
            above = Node("%s >= %s" % (i.text, a.vhi.text()),
                         i.value >= self.number(a.vhi))
        length = a.vhi - a.vlo
        for out, sign in ((below, 1), (above, -1)):
            if out is None:
                continue
            j = self.sum(i, self.form(length * sign))
            if self.inside_once(j, a, sign) and self.chance(70):
                at[k] = j
                other = self.read(x, at)
            else:
                other = self.leaf(x.dtype)
            inner = self.op("where", [out, other, inner])
        return inner

    def inside_once(self, j, a, sign):
        """Does the index, moved by a length, lie inside for all out points?"""
        return self.sizes.le(a.vlo, j.low) if sign > 0 else \
            self.sizes.le(j.high, a.vhi - 1) and \
            self.sizes.le(a.vlo, a.vhi - 1)

    # ---- values ----

    def op(self, name, args):
        nodes = [a for a in args if isinstance(a, Node)]
        if not nodes:
            raise Undefined
        for k, a in enumerate(nodes):
            if not a.exact and (name != "where" or k == 0):
                raise Undefined
        value, exact = meaning.apply(
            name, [a.value if isinstance(a, Node) else a for a in args])
        if not all(a.exact or a.value.dtype == value.dtype for a in nodes):
            raise Undefined  # rounded once more
        texts = ["(%s)" % a.text if isinstance(a, Node) else operand_text(a)
                 for a in args]
        return Node(op_text(name, texts), value,
                    exact and all(a.exact for a in nodes), tuple(nodes))

    def cast(self, x, dtype):
        if not x.exact:
            raise Undefined
        return Node("%s(%s)" % (dtype, x.text), meaning.cast(x.value, dtype),
                    True, (x,))

    def leaf(self, dtype=None):
        r = self.rng
        dtype = dtype or r.choice(meaning.NAMES)
        kind = meaning.KIND[dtype]
        v = r.choice([0.0, 1.0, 0.1, 2.5, -1.5, 3.0]) if kind in "fc" else \
            bool(r.randrange(2)) if kind == "b" else r.randint(0, 3)
        text = "%s(%s)" % (dtype, literal_text(float(v) if kind in "fc"
                                               else int(v)))
        if kind == "b":
            text = "true" if v else "false"
        return Node(text, np.full([1] * DIMENSIONS, v, meaning.DTYPE[dtype]))

    def index_value(self):
        """An index as a number, also with coefficients beyond 32 bits."""
        r = self.rng
        x = self.any_index()
        if self.chance(35):
            big = r.choice([2**31, 2**32, 2**32 + 1, 5 * 10**9, -2**33,
                            -2**31, 2**40 + 3])
            x = self.times(x, big)
            if self.chance(40):
                x = self.plus(x, r.choice([1, -2**32, 2**33 + 5]))
            if self.chance(30) and self.vars:
                x = self.sum(x, r.choice(self.vars).index())
        node = Node("i64(%s)" % x.text if x.weak else x.text, x.value)
        return self.cast(node, r.choice(["f64", "i32", "u8", "i64", "u64"])) \
            if self.chance(40) else node

    def condition(self, depth=1):
        r = self.rng
        if depth and self.chance(35):
            return self.op(r.choice(["logical_and", "logical_or"]),
                           [self.condition(depth - 1),
                            self.condition(depth - 1)])
        if depth and self.chance(10):
            return self.op("logical_not", [self.condition(depth - 1)])
        x = self.any_index()
        v = r.choice(self.vars) if self.vars else None
        how = r.randrange(5)
        if how == 4 and self.sizes.rows:  # any size, whatever the range
            s = r.choice(list(self.sizes.rows))
            y = self.form(Form(r.randint(-3, 1), {s: 1}))
        elif how in (0, 4) or v is None:
            y = self.form(Form(r.randint(-1, 4)))
        elif how == 1:
            y = self.form(v.hi + r.randint(-3, 0))
        elif how == 2:
            y = self.form(v.lo + r.randint(0, 2))
        else:
            y = self.plus(v.index(), r.randint(-1, 1))
        name = r.choice("less less_equal greater greater_equal equal "
                        "not_equal".split())
        text = op_text(name, ["(%s)" % x.text, "(%s)" % y.text])
        return Node(text, meaning.apply(name, [x.value, y.value])[0])

    def tame(self, x, name, elements):
        dtype = meaning.NAME[x.value.dtype]
        kind = meaning.KIND[dtype]
        if name in ("max", "min") and kind == "f":
            return self.op("add", [x, 0.0])
        if kind == "c":
            x = self.op("real", [x])
        if name == "prod":
            if elements > 20:
                return self.cast(self.cast(x, "bool"), dtype)
            return self.cast(self.op("remainder", [self.cast(x, "i8"), 3]),
                             dtype)
        return self.cast(self.cast(x, "i8"), dtype)

    def range(self):
        """Bounds of a reduction's index."""
        r = self.rng
        lo = Form(r.choice([0, 0, 0, 0, 1, 2]))
        if self.chance(50) or not self.sizes.rows:
            return lo, lo + r.choice([1, 2, 3, 4, 5, 8, 33, 70])
        hi = Form(r.choice([0, 0, -1, 1]), {r.choice(list(self.sizes.rows)): 1})
        if self.chance(20):
            return hi - r.randint(1, 3), hi
        if not self.sizes.le(lo, hi):
            raise Undefined
        return lo, hi

    def reduction(self, depth):
        r = self.rng
        count = 1 if self.chance(75) else 2
        if self.dimensions + count > DIMENSIONS:
            raise Undefined
        name = r.choice(meaning.REDUCTIONS)
        outer, new = list(self.vars), []
        for _ in range(count):
            lo, hi = self.range()
            v = Variable("stuvw"[self.names % 5] + str(self.names // 5 or ""),
                         lo, hi, self.dimensions, self.sizes)
            self.names += 1
            self.dimensions += 1
            new.append(v)
        self.vars = self.vars + new
        if np.prod([max(1.0, v.length) for v in self.vars]) > POINTS:
            raise Undefined
        body = self.expression(depth - 1)
        if not body.exact:
            raise Undefined
        value = self.spread(body, new)
        if value.shape[-1] == 0 and name in ("max", "min", "argmax", "argmin"):
            raise Undefined
        if not meaning.reducible(name, value):
            body = self.tame(body, name, value.shape[-1])
            value = self.spread(body, new)
            if not meaning.reducible(name, value):
                raise Undefined
        if self.chance(40) and name in NEUTRAL:
            body = self.op("where", [self.condition(), body,
                                     self.neutral(name, value.dtype)])
            value = self.spread(body, new)
        self.vars = outer
        result, exact = meaning.reduce(name, value)
        result = result.reshape(result.shape + (1,) * (DIMENSIONS -
                                                       result.ndim))
        text = "%s[%s](%s)" % (name, ", ".join(
            "%s:%s" % (v.text, v.hi.text()) if v.lo == Form(0) else
            "%s:%s:%s" % (v.text, v.lo.text(), v.hi.text()) for v in new),
            body.text)
        # Parts use the reduction's index, so that they stand for nothing.
        return Node(text, result, exact, (), body.reads)

    def neutral(self, name, dtype):
        """What a reduction gives of nothing, as an element."""
        one = NEUTRAL[name]
        dtype = meaning.NAME[dtype]
        kind = meaning.KIND[dtype]
        text = "%s(%s)" % (dtype, literal_text(float(one) if kind in "fc"
                                               else one))
        if kind == "b":
            text = "true" if one else "false"
        return Node(text, np.full([1] * DIMENSIONS, one, meaning.DTYPE[dtype]))

    def spread(self, body, new):
        """The value with the reduced dimensions in full, as the last axis."""
        shape = list(body.value.shape)
        for v in new:
            shape[v.dimension] = v.length
        x = np.broadcast_to(body.value, shape)
        first = new[0].dimension
        return x.reshape(tuple(shape[:first]) + (-1,)) \
            if x.size else np.zeros(tuple(shape[:first]) + (
                int(np.prod(shape[first:])),), x.dtype)

    def expression(self, depth):
        for _ in range(8):
            saved = list(self.vars)
            try:
                return self.draw(depth)
            except Undefined:
                self.vars = saved
        return self.leaf()

    def draw(self, depth):
        r = self.rng
        if depth <= 0:
            return self.index_value() if self.chance(20) else self.load()
        how = r.randrange(100)
        if how < 20:
            return self.load()
        if how < 28:
            return self.index_value()
        if how < 45:
            a = self.expression(depth - 1)
            b = self.expression(depth - 1)
            return self.op("where", [self.condition(), a, b])
        if how < 62:
            return self.reduction(depth)
        if how < 68:
            return self.cast(self.expression(depth - 1),
                             r.choice(meaning.NAMES))
        name = r.choice(BODY_OPS)
        args = [self.expression(depth - 1)
                for _ in range(meaning.OPS[name][0])]
        if len(args) == 2 and self.chance(30):
            kind = args[0].value.dtype.kind
            args[r.randrange(2)] = r.choice([0.5, 2.0, 0.1, 0.0, -3.0]) \
                if kind in "fc" else r.randint(0, 5)
        return self.op(name, args)

    # ---- the map ----

    def close(self, body, axes):
        if meaning.NAME[body.value.dtype] not in meaning.NAMES:
            raise Undefined
        shape = self.program.shape(axes)
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        value = body.value.reshape(body.value.shape[:self.rank])
        return np.broadcast_to(value, shape).copy()


BODY_OPS = """add subtract multiply add subtract multiply maximum minimum
negative absolute square true_divide floor_divide remainder less equal
logical_and left_shift right_shift bitwise_xor sqrt rint power""".split()
