# SPDX-License-Identifier: MIT
"""Random programs: what each kind of step draws. A step that does not apply
raises Undefined, and another one is drawn."""

import random

import numpy as np

import meaning
from forms import Axis, Form, Sizes, box_text
from maps import POINTS, Mapper
from meaning import DTYPE, KIND, NAMES, Undefined
import conditions
import counted
import data
import regions
from conditions import Conditions
from counted import Counted
from data import Data
from regions import Regions
from structure import STEPS, Structure
from steps import MOST, Program, Step, literal_text, op_text, operand_text

AXES = ["I", "J", "K", "L"]
REAL_LITERALS = [0.5, 2.0, -1.5, 0.0, 0.1, 3.0, 1e-3, -0.7, 1e10]
FLOATS = ["f64", "f32", "f64", "f32", "c64", "c128"]


class Drawer(Data, Structure, Regions, Conditions, Counted):
    def __init__(self, seed, number):
        self.r = random.Random(seed * 1000003 + number)
        self.np = np.random.Generator(np.random.PCG64(
            [seed & 0xffffffff, number]))
        self.named = self.chance(50)
        self.large = self.chance(4)
        # of programs without names every fourth may count lengths
        self.counts = not self.named and (COUNT_ALL or number % 4 == 1)
        self.p = Program(self.draw_sizes())
        self.extents = [self.draw_extent() for _ in range(4)]

    def chance(self, percent):
        return self.r.random() * 100 < percent

    def draw_sizes(self):
        rows, r = {}, self.r
        for s in ["n", "m", "k"][:r.choice([0, 1, 2, 2, 3, 3])]:
            least = r.choice([0, 1, 2, 3, 4, 5, 5, 6])
            modulus = r.choice([1, 1, 1, 1, 2, 3, 4])
            value = least + r.choice([0, 0, 1, 2, 3, 4, 7])
            if self.large and not rows:
                value = r.choice([4095, 4096, 4097, 8192, 9001, 30011])
            value += -value % modulus
            rows[s] = (least, modulus, value)
        return Sizes(rows)

    def draw_extent(self):
        r, rows = self.r, self.p.sizes.rows
        if rows and self.chance(65):
            s = r.choice(list(rows))
            k = 1 if self.large or self.chance(80) else r.choice([2, 3])
            hi = Form(r.choice([0, 0, 0, 1, -1, 2, 3]), {s: k})
        else:
            hi = Form(r.choice([0, 1, 1, 2, 3, 4, 5, 6, 7, 12, 40]))
        return hi if self.p.sizes.nonneg(hi) else hi + 1

    # ---- leaves ----

    def values(self, dtype, shape):
        kind, style = KIND[dtype], self.r.randrange(4)
        g = self.np
        if kind == "b":
            return g.integers(0, 2, shape).astype(bool)
        if kind in "iu":
            info = np.iinfo(DTYPE[dtype])
            if style:
                return g.integers(-8 if kind == "i" else 0, 9, shape) \
                    .astype(DTYPE[dtype])
            x = g.integers(info.min, info.max, shape, DTYPE[dtype], True)
            at = g.integers(0, 8, shape)
            for k, v in ((0, info.min), (1, info.max)):
                x = np.where(at == k, DTYPE[dtype].type(v), x)
            return x.astype(DTYPE[dtype])
        if kind == "c":
            part = meaning.part_of(dtype)
            return meaning.join(self.values(part, shape),
                                self.values(part, shape), dtype)
        x = g.integers(-8, 9, shape).astype("f8")
        if style == 1:
            x = x / 4
        if style == 2:
            x = g.normal(size=shape) * 10.0 ** self.r.randint(-2, 3)
        if style == 3:
            pool = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30, 1e-40,
                             -1e-310, 3e9, -2.5, 1.0, 127.5, 9.3e18, 1e308])
            x = np.where(g.integers(0, 3, shape) == 0,
                         pool[g.integers(0, len(pool), shape)], x)
        with np.errstate(all="ignore"):
            return np.asarray(x, DTYPE[dtype])

    def draw_axes(self, most=3):
        r = self.r
        rank = r.choice([0, 1, 1, 2, 2, 2, 3, most])
        if self.large:
            rank = min(rank, 2)
        axes = []
        if not self.named:
            return [Axis(None, Form(0), r.choice(self.extents))
                    for _ in range(rank)]
        names = r.sample(AXES, min(rank, 4))
        if self.chance(60):
            names.sort()
        for name in names:
            hi = self.extents[AXES.index(name)]
            lo = Form(r.choice([0, 0, 0, 0, 0, -1, -2, 1]))
            hi = hi + r.choice([0, 0, 0, 0, 1, -1])
            if not self.p.sizes.le(lo, hi):
                lo, hi = Form(0), self.extents[AXES.index(name)]
            low, high = (r.choice([0, 0, 1, 2, 3]), r.choice([0, 0, 1, 2])) \
                if self.chance(50) else (0, 0)
            axes.append(Axis(name, lo, hi, lo - low, hi + high))
        return axes

    def step_input(self):
        axes = self.draw_axes(4)
        shape = self.p.shape(axes)
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        dtype = self.r.choice(NAMES + FLOATS)
        value = np.ascontiguousarray(self.values(dtype, shape)).reshape(shape)
        return self.p.add(Step([], axes, value, None, "in"))

    def step_const(self):
        r = self.r
        shape = r.choice([(1,), (2,), (3,), (5,), (2, 3), (17,)])
        axes = [Axis(r.choice(AXES) if self.named else None, Form(0), Form(n))
                for n in shape]
        if len(shape) == 2 and self.named:
            axes[1].name = r.choice([n for n in AXES if n != axes[0].name])
        dtype = r.choice(NAMES)
        if KIND[dtype] == "c":
            dtype = "f32"
        value = np.ascontiguousarray(self.values(dtype, shape))
        items = value.ravel().tolist()
        if dtype == "f32":  # a decimal that is not a float: the nearest one
            items = [round(v, 3) if abs(v) < 1e5 else v for v in items]
            value = np.array(items, "f4").reshape(shape)
        text = "{%s}" % ", ".join(
            ("true" if v else "false") if KIND[dtype] == "b"
            else literal_text(v) for v in items)
        return self.p.add(Step([], axes, value, lambda refs: text, "const"))

    def step_scalar(self):
        """f32(0.1) and the like, size(n)."""
        r = self.r
        if self.p.sizes.rows and self.chance(40):
            s = r.choice(list(self.p.sizes.rows))
            value = np.array(self.p.sizes.rows[s][2], "i8")
            text = "size(%s)" % s
        else:
            dtype = r.choice(NAMES)
            v = r.choice(REAL_LITERALS) if KIND[dtype] in "fc" \
                else r.randint(0, 100)
            value = meaning.cast(np.array(v), dtype)
            text = "%s(%s)" % (dtype, literal_text(v))
            if KIND[dtype] == "c" and self.chance(60):
                w = r.choice(REAL_LITERALS)
                part = meaning.part_of(dtype)
                value = meaning.join(np.array(v, DTYPE[part]),
                                     np.array(w, DTYPE[part]), dtype)
                text = "%s(%s, %s)" % (dtype, literal_text(v), literal_text(w))
        step = self.p.add(Step([], [], value, lambda refs: text))
        step.inline = True
        return step

    # ---- element-wise ----

    def pick(self, test=lambda s: True):
        found = [s for s in self.p.steps if s.how != "size" and test(s)]
        if not found:
            raise Undefined
        return found[-1] if self.chance(35) else self.r.choice(found)

    def exact(self, test=lambda s: True):
        return self.pick(lambda s: s.exact and test(s))

    def literal(self, like):
        kind = KIND[like.dtype]
        if kind in "fc" or self.chance(15):
            return self.r.choice(REAL_LITERALS)
        return self.r.randint(0 if kind in "ub" else -9, 9)

    def step_op(self):
        r = self.r
        name = r.choice(COMMON) if self.chance(55) else \
            r.choice(list(meaning.OPS))
        arity, rule, _, _ = meaning.OPS[name]
        if rule == "where":
            args = [self.exact(), self.pick(), self.pick()]
        else:
            args = [self.exact() for _ in range(arity)]
        if arity > 1 and not rule.startswith("float") and self.chance(30):
            args[r.randrange(arity - 1, arity)] = self.literal(args[arity - 2])
        if arity == 2 and not rule.startswith("float") and self.chance(8) and \
                isinstance(args[1], Step):
            args[0] = self.literal(args[1])
        if rule == "where" and self.chance(10) and self.named:
            args[0] = self.on_index()
        return self.p.op(name, args)

    def on_index(self):
        """A comparison or sum with index(I)."""
        x = self.exact(lambda s: s.named())
        k = self.r.randrange(len(x.axes))
        a = x.axes[k]
        name = self.r.choice(["add", "multiply", "less", "greater_equal"])
        first = self.p.sizes.value(a.vlo)
        shape = [1] * len(x.axes)
        shape[k] = x.value.shape[k]
        i = (first + np.arange(shape[k], dtype="i8")).reshape(shape)
        value, exact = meaning.apply(name, [x.value, i])

        def write(refs):
            return op_text(name, [refs[0], "index(%s)" % a.name])
        return self.p.add(Step([x], x.axes,
                               np.broadcast_to(value, x.value.shape).copy(),
                               write, exact=exact))

    step_index = on_index

    def step_cast(self):
        return self.p.cast(self.exact(), self.r.choice(NAMES))

    def step_typed(self):
        """A value on a smaller domain, or repeated along new axes."""
        x = self.pick(lambda s: not s.axes or s.named() == self.named)
        axes = []
        for a in x.axes:
            lo, hi = a.lo, a.hi
            if a.name is not None:
                lo = lo + self.r.choice([0, 0, 1, -1, 2])
                hi = hi + self.r.choice([0, 0, -1, 1, -2])
                if not self.p.sizes.le(a.vlo, lo):
                    lo = a.lo
                if not self.p.sizes.le(hi, a.vhi):
                    hi = a.hi
                if not self.p.sizes.le(lo, hi):
                    lo, hi = a.lo, a.hi
            elif hi == Form(1) and self.chance(50):
                hi = self.r.choice(self.extents)
            axes.append(Axis(a.name, lo, hi))
        if self.chance(40) or not axes:
            if self.named:
                free = [n for n in AXES if n not in [a.name for a in axes]]
                if free:
                    name = self.r.choice(free)
                    axes.insert(self.r.randint(0, len(axes)), Axis(
                        name, Form(0), self.extents[AXES.index(name)]))
            else:
                axes.insert(0, Axis(None, Form(0), self.r.choice(self.extents)))
        shape = self.p.shape(axes)
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        value = np.broadcast_to(self.p.view(x, axes), shape).copy()
        return self.p.add(Step([x], axes, value, lambda refs: refs[0], "typed",
                               x.exact))

    # ---- moving ----

    def step_shift(self):
        r = self.r
        x = self.pick(lambda s: s.named())
        entries, axes = [], []
        for a in x.axes:
            if self.chance(40) or (a is x.axes[-1] and not entries):
                base = a.stem()
                stag = base != a.name
                half = self.chance(15)
                o = r.choice([1, -1, 1, -1, 2, -2, 3])
                name = a.name
                if half:
                    h = r.choice([1, -1, 3, -3])
                    name = base if stag else base + "+1/2"
                    if name in [b.name for b in x.axes] or \
                            name in [b.name for b in axes]:
                        raise Undefined
                    entries.append("%s%+d/2" % (base, h))
                    o = (h - 1) // 2 if stag else (h + 1) // 2
                else:
                    entries.append("%s%+d" % (base, o))
                    if stag and base in [b.name for b in x.axes]:
                        raise Undefined
                axes.append(Axis(name, a.lo, a.hi, a.vlo - o, a.vhi - o))
            else:
                axes.append(a)
        x.inline = False
        x.held = True
        subscript = ", ".join(entries)
        return self.p.add(Step([x], axes, x.value,
                               lambda refs: "%s[%s]" % (refs[0], subscript),
                               exact=x.exact))

    def part(self, x, k, lo, hi):
        """x on [lo, hi) of axis k: a selection."""
        a = x.axes[k]
        name = a.spelled(self.r)
        axes = [Axis(a.name, lo, hi) if i == k else Axis(
            b.name, b.lo, b.hi, b.vlo, b.vhi) for i, b in enumerate(x.axes)]
        x.inline, x.held = False, True
        return self.p.add(Step(
            [x], axes, self.p.interior(x, [
                axes[i] if i == k else Axis(b.name, b.vlo, b.vhi)
                for i, b in enumerate(x.axes)]).copy(),
            lambda refs: "%s[%s=%s:%s]" % (refs[0], name, lo.text(),
                                           hi.text()), exact=x.exact))

    def two_sides(self, fits):
        """A field, one on its domain, and an axis with a cut inside of it."""
        r, sizes = self.r, self.p.sizes
        x = self.pick(lambda s: s.named())
        self.p.interior(x)
        k = r.randrange(len(x.axes))
        a = x.axes[k]
        if not fits(x, a):
            raise Undefined
        cut = a.lo + r.choice([1, 2, 3]) if self.chance(50) else \
            a.hi - r.choice([1, 2, 3])
        if not sizes.le(a.lo + 1, cut) or not sizes.le(cut + 1, a.hi):
            raise Undefined
        same = [s for s in self.p.steps
                if s.dtype == x.dtype and s.named() and
                [b.key() for b in s.axes] == [b.key() for b in x.axes]]
        y = r.choice(same)
        self.p.interior(y)
        return x, y, k, cut

    def step_combine(self):
        """A field, and another one on its domain, each on a side."""
        x, y, k, cut = self.two_sides(
            lambda x, a: x.exact or not a.name.endswith("+1/2"))
        a = x.axes[k]
        parts = [self.part(x, k, a.lo, cut), self.part(y, k, cut, a.hi)]
        axes = self.joined_axes(k, cut, parts, [False, False])
        value = np.concatenate(
            [self.p.interior(s, [s.axes[k] if i == k else b.known()
                                 for i, b in enumerate(axes)])
             for s in parts], k)
        order = [0, 1] if self.chance(50) else [1, 0]
        return self.p.add(Step(
            parts, axes, value, lambda refs: "combine(%s, %s)" % (
                refs[order[0]], refs[order[1]]),
            exact=x.exact and y.exact))

    def step_reduce(self):
        r = self.r
        x = self.exact(lambda s: s.axes)
        name = r.choice(meaning.REDUCTIONS)
        which = sorted(r.sample(range(len(x.axes)),
                                r.randint(1, len(x.axes))))
        shape = self.p.shape(x.axes, False)
        elements = int(np.prod([shape[k] for k in which]))

        initial = r.choice([1, 2, 3]) if name in ("max", "min") and \
            x.value.dtype.kind != "b" and self.chance(30) else None
        if elements == 0 and name in ("max", "min", "argmax", "argmin") and \
                initial is None:
            raise Undefined

        def flat(x):
            at = [Axis(a.name, a.lo, a.hi) if k in which else
                  Axis(a.name, a.vlo, a.vhi) for k, a in enumerate(x.axes)]
            v = self.p.interior(x, at)
            v = np.moveaxis(v, which, range(-len(which), 0))
            return v.reshape(v.shape[:len(shape) - len(which)] + (elements,))
        if not meaning.reducible(name, flat(x)):
            x = self.p.tamed(x, name, elements)
            if not meaning.reducible(name, flat(x)):
                raise Undefined
        if initial is not None:
            value, exact = getattr(np, name)(flat(x), -1, initial=initial), True
        else:
            value, exact = meaning.reduce(name, flat(x))
        axes = [a for k, a in enumerate(x.axes) if k not in which]
        listed = ", ".join(
            x.axes[k].spelled(r) if x.named() and self.chance(80) else str(r.choice([k, k - len(x.axes)]))
            for k in which)
        return self.p.add(Step([x], axes, np.array(value),
                               lambda refs: "%s[%s](%s%s)" % (
                                   name, listed, refs[0], "" if initial is None
                                   else "; initial=%d" % initial),
                               exact=exact))

    def step_permute(self):
        x = self.pick(lambda s: len(s.axes) > 1)
        order = list(range(len(x.axes)))
        self.r.shuffle(order)
        text = "permute(%%s; axes=%s)" % [
            self.r.choice([k, k - len(order)]) for k in order]
        return self.node(x, [x.axes[k] for k in order],
                         x.value.transpose(order), text)

    def node(self, x, axes, value, text):
        x.inline = False
        x.held = True
        return self.p.add(Step([x], axes, np.ascontiguousarray(value)
                               .reshape(value.shape),
                               lambda refs: "node @ = " + text % refs[0],
                               "node", x.exact))

    def step_slice(self):
        r, sizes = self.r, self.p.sizes
        x = self.pick(lambda s: s.axes)
        self.p.interior(x)
        axes, starts, stops, steps, at = [], [], [], [], []
        for a in x.axes:
            step = r.choice([1, 1, 1, 2, 2, 3, -1, -1, -2, 4])
            lo, hi = a.lo + r.choice([0, 0, 1, 2]), a.hi - r.choice([0, 0, 1])
            start, stop = (lo, hi) if step > 0 else (hi - 1, lo - 1)
            span = (stop - start) * (1 if step > 0 else -1)
            by = abs(step)
            if not all(k % by == 0 for _, k in span.terms):
                step, by = (1 if step > 0 else -1), 1
            length = Form(-(-span.c // by),
                          {s: k // by for s, k in span.terms})
            if span.constant():
                length = Form(max(0, length.c))
            if not sizes.nonneg(length) or not sizes.le(a.lo, lo) or \
                    not sizes.le(hi, a.hi) or not sizes.nonneg(span):
                start, stop, step = a.lo, a.hi, 1
                length = a.hi - a.lo
            axes.append(Axis(a.name, Form(0), length))
            starts.append(start)
            stops.append(stop)
            steps.append(step)
            first = sizes.value(start) - sizes.value(a.vlo)
            at.append(first + step * np.arange(max(0, sizes.value(length))))
        value = x.value[np.ix_(*at)]
        text = "slice(%%s; start=[%s], stop=[%s], step=%s)" % (
            ", ".join(f.text() for f in starts),
            ", ".join(f.text() for f in stops), steps)
        return self.node(x, axes, value, text)

    def step_roll(self):
        r, sizes = self.r, self.p.sizes
        x = self.pick(lambda s: s.axes)
        k = r.randrange(len(x.axes))
        a = x.axes[k]
        length = a.hi - a.lo
        by = Form(r.choice([0, 1, -1, 2, -2, 3, -5, 9]))
        if sizes.rows and self.chance(30):
            by = by + Form(0, {r.choice(list(sizes.rows)): r.choice([1, -1])})
        near = sizes.le(by, length * 8) and sizes.le(length * -8, by) and \
            (sizes.nonneg(by) or sizes.nonneg(by * -1))
        if not near and not (length.constant() and length.c > 0):
            raise Undefined
        axes = [b.plain() for b in x.axes]
        name = a.spelled(r) if a.name and self.chance(60) \
            else r.choice([k, k - len(axes)])
        value = np.roll(self.p.interior(x), sizes.value(by), k)
        return self.node(x, axes, value, "roll(%%s; axis=%s, by=%s)" % (
            name, by.text()))

    def step_reshape(self):
        r = self.r
        x = self.pick(lambda s: s.axes and not s.named())
        order = r.choice("CF")
        forms = [a.hi for a in x.axes]
        for _ in range(r.randint(1, 3)):
            k = r.randrange(len(forms))
            if self.chance(50) and k + 1 < len(forms):
                a, b = forms[k], forms[k + 1]
                if order == "F":
                    a, b = b, a
                forms[k:k + 2] = [a * b]
            elif len(forms) < 8:
                f = r.choice([2, 3, 4, 5])
                if forms[k].divisible(f) and forms[k] != Form(0):
                    pair = [forms[k].over(f), Form(f)]
                    forms[k:k + 1] = pair if order == "C" else pair[::-1]
        if self.chance(10):
            forms.insert(r.randint(0, len(forms)), Form(1))
        axes = [Axis(None, Form(0), f) for f in forms]
        shape = self.p.shape(axes)
        if x.value.size == 0:
            raise Undefined
        value = np.ascontiguousarray(x.value.reshape(shape, order=order))
        x.inline = False
        x.held = True
        text = "reshape @[%s] = %%s order %s" % (box_text(axes), order)
        return self.p.add(Step([x], axes, value, lambda refs: text % refs[0],
                               "reshape", x.exact))

    # ---- einsum ----

    def step_einsum(self):
        r = self.r
        ops = [self.exact() for _ in range(r.choice([1, 2, 2, 2, 3]))]
        if len({s.named() for s in ops if s.axes}) > 1:
            raise Undefined
        labels, pool = [], {}
        letters = iter("ijklabcdpqrst")
        for s in ops:
            own = []
            for a in s.axes:
                if a.name is not None and (a.lo, a.hi) != (a.vlo, a.vhi):
                    raise Undefined
                known = pool.setdefault(a.key(), [])
                free = [c for c in known if a.name is None or c not in own]
                if free and self.chance(75):
                    own.append(r.choice(free))
                else:
                    known.append(next(letters))
                    own.append(known[-1])
            labels.append(own)
        axis = {c: Axis(*key) for key, cs in pool.items() for c in cs}
        named = [axis[c].name for c in axis]
        kept = [c for c in axis if self.chance(50)]
        r.shuffle(kept)
        kept = [c for c in kept if axis[c].name is None or
                named.count(axis[c].name) == 1]
        implied = self.implied(labels)
        if self.chance(15) and all(axis[c].name is None for c in implied):
            kept = implied
        return self.contract(ops, labels, axis, kept)

    @staticmethod
    def implied(labels):
        """What the result has where it has no brackets."""
        every = [c for own in labels for c in own]
        return sorted(c for c in every if every.count(c) == 1)

    def einsum_dtypes(self, dtype):
        """The dtypes of a result and its sums, and how they are written, of
        factors that have "dtype" in common."""
        result = alike(self.r, dtype) if self.chance(25) else dtype
        acc = default = meaning.promote(dtype, result)
        if KIND[acc] == "f" and KIND[dtype] in "iu":
            acc = default = result
        if self.chance(25):
            wider = [d for d in NAMES if KIND[d] == KIND[dtype] and
                     DTYPE[d].itemsize >= DTYPE[dtype].itemsize]
            acc = self.r.choice(wider)
        return (result, meaning.loop_of(acc),
                " : " + result if result != dtype or self.chance(10) else "",
                " acc " + acc if acc != default or self.chance(20) else "")

    def contract(self, ops, labels, axis, kept):
        casts = [alike(self.r, s.dtype) if self.chance(15) else s.dtype
                 for s in ops]
        dtype = meaning.common(casts)
        result, acc, written, written_acc = self.einsum_dtypes(dtype)
        reduced = [c for c in axis if c not in kept]
        order = kept + reduced
        shape = self.p.shape([axis[c] for c in order])
        if np.prod([max(1.0, n) for n in shape]) > POINTS:
            raise Undefined
        count = int(np.prod(shape[len(kept):], dtype=float))
        factors, bound = [], float(count)
        for s, own in zip(ops, labels):
            if KIND[dtype] in "fc":
                v = s.value
                small = meaning.sum_is_exact(v[..., None]) and \
                    np.isfinite(v).all()
                top = float(np.abs(v).max()) if small and v.size else 1.0
                if not small or top > 200:
                    s = self.p.tamed(s, "sum", count)
                    top = 256.0
                bound *= max(1.0, top * (2 if KIND[dtype] == "c" else 1))
            s.inline = False
            s.held = True
            factors.append(s)
        if KIND[dtype] in "fc" and bound > 2.0**meaning.mantissa(acc):
            raise Undefined
        x = None
        for s, own, cast in zip(factors, labels, casts):
            v = meaning.cast(meaning.cast(s.value, cast), dtype)
            numbers = own_numbers(own, order)
            letters = unique(numbers)
            v = np.einsum(v, numbers, letters) if own else v
            v = meaning.cast(v, acc)
            v = v.transpose(np.argsort(letters))
            full = [1] * len(order)
            for c in letters:
                full[c] = shape[c]
            v = v.reshape(full)
            x = v if x is None else meaning.apply("multiply", [x, v])[0]
        x = np.broadcast_to(x, shape).reshape(shape[:len(kept)] + (count,))
        if KIND[acc] == "b":
            value = x.any(-1)
        elif KIND[acc] in "fc":
            value = meaning.float_sum(x)
        else:
            value = x.sum(-1, dtype=x.dtype)
        value = meaning.cast(np.asarray(value), result)
        terms = ["%s" if not own else "%%s[%s]" % ", ".join(own)
                 for own in labels]
        terms = [t if cast == s.dtype else "%s(%s)" % (cast, t)
                 for t, s, cast in zip(terms, ops, casts)]
        plain = kept == self.implied(labels) and self.chance(50)
        text = "einsum @%s%s = %s%s" % (
            "" if plain else "[%s]" % ", ".join(kept), written,
            "*".join(terms), written_acc)
        # The order of factors shows in the signs of zeros alone.
        exact = KIND[dtype] not in "fc" or (len(ops) < 3 and
                                            KIND[dtype] != "c")
        return self.p.add(Step(factors, [axis[c] for c in kept], value,
                               lambda refs: text % tuple(refs), "einsum",
                               exact))

    # ---- maps ----

    def step_map(self):
        r = self.r
        arrays = [s for s in self.p.steps
                  if s.how != "size" and len(s.axes) <= 4]
        main = self.pick(lambda s: len(s.axes) <= 4)
        axes = []
        for a in main.axes:
            lo, hi = a.lo, a.hi
            if a.name is not None:
                lo = lo + r.choice([0, 0, 0, -1, 1, -2])
            hi = hi + r.choice([0, 0, 0, -1, 1, 2])
            if self.chance(8):
                hi = r.choice(self.extents)
            if not self.p.sizes.le(lo, hi):
                lo, hi = a.lo, a.hi
            axes.append(Axis(a.name, lo, hi))
        if axes and self.chance(10):
            axes.pop(r.randrange(len(axes)))
        if len(axes) < 4 and self.chance(12):
            if axes and axes[0].name is not None:
                free = [n for n in AXES if n not in [a.name for a in axes]]
                name = r.choice(free)
            else:
                name = None
            axes.append(Axis(name, Form(0), r.choice(self.extents)))
        if any(a.name in [b.name for b in axes[:i]]
               for i, a in enumerate(axes) if a.name):
            raise Undefined
        if np.prod([max(1.0, n) for n in self.p.shape(axes)]) > MOST:
            raise Undefined
        some = [main] * 3 + r.sample(arrays, min(len(arrays), 3))
        mapper = Mapper(self.p, r, some, axes)
        body = mapper.expression(r.choice([1, 2, 2, 3]))
        for s in body.reads:
            s.inline = False
            s.held = True
        return self.p.add(map_step(mapper, body, axes))

    # ---- the program ----

    def step(self):
        for _ in range(200):
            before = len(self.p.steps)
            name = self.r.choices(*(COUNTING if self.counts else PLAIN))[0]
            try:
                with np.errstate(all="ignore"):
                    return getattr(self, "step_" + name)()
            except (Undefined, StopIteration):
                del self.p.steps[before:]
        raise Undefined

    def program(self):
        self.step_input_retry()
        for _ in range(self.r.choice([2, 3, 4, 5, 6, 8, 11])):
            self.step()
        if self.chance(4) and self.draw_failure():
            return self.p
        self.draw_outs()
        self.draw_inlining()
        return self.p

    def draw_failure(self):
        """One output, a read at data that fails; False if none was found."""
        for _ in range(20):
            before = len(self.p.steps)
            try:
                with np.errstate(all="ignore"):
                    s = self.step_gather(failing=True)
                if self.is_output(s):
                    self.p.outs.append((s, None, None))
                    return True
            except Undefined:
                pass
            self.p.error = None
            del self.p.steps[before:]
        return False

    def step_input_retry(self):
        for _ in range(self.r.choice([1, 1, 2, 3])):
            for _ in range(50):
                try:
                    self.step_input()
                    break
                except Undefined:
                    pass

    def draw_outs(self):
        p, r = self.p, self.r
        used = {o for s in p.steps for o in s.ops}
        ends = [s for s in p.steps if s not in used and s.how != "in" and
                self.is_output(s)]
        if not ends:
            ends = [s for s in p.steps if self.is_output(s)][-1:]
        r.shuffle(ends)
        ends = ends[:3] or [self.fallback()]
        if self.chance(15) and len(p.steps) > 2:
            more = r.choice(p.steps)
            if self.is_output(more) and more not in ends:
                ends.append(more)
        taken = set()
        for s in ends:
            shared = None
            if self.chance(30):
                same = [i for i in p.steps if i.how == "in" and
                        i.dtype == s.dtype and i not in taken and i.axes and
                        [a.key() for a in i.axes] ==
                        [a.key() for a in p.known(s)]]
                if same:
                    shared = r.choice(same)
                    taken.add(shared)
            axes = p.known(s) if self.chance(30) else None
            p.outs.append((s, axes, shared))

    def fallback(self):
        return self.p.add(Step([], [], np.array(1.0),
                               lambda refs: "f64(1.0)"))

    def is_output(self, s):
        return self.p.known(s) is not None

    def draw_inlining(self):
        users = {}
        for s in self.p.steps:
            for o in s.ops:
                users[o] = users.get(o, 0) + 1
        for s in self.p.steps:
            if s.how == "let" and not getattr(s, "held", False) and \
                    s.how != "in" and not s.inline:
                s.inline = users.get(s, 0) == 1 and self.chance(60)


def alike(r, dtype):
    """A dtype of the same kind; integers for bool."""
    kinds = "iu" if KIND[dtype] in "biu" else KIND[dtype]
    return r.choice([d for d in NAMES if KIND[d] in kinds])


def own_numbers(own, order):
    return [order.index(c) for c in own]


def unique(numbers):
    return list(dict.fromkeys(numbers))


def map_step(mapper, body, axes):
    value = mapper.close(body, axes)
    step = Step(list(body.reads), axes, value, None, "map", body.exact, body)
    text = body.text
    # Operands keep their names, so that the text holds as it is.
    step.write = lambda refs: text
    step.mapper = mapper
    return step


KINDS = """op map reduce shift combine typed einsum permute slice roll reshape
cast index scalar const input""".split()
WEIGHTS = [34, 22, 10, 9, 5, 5, 5, 3, 6, 3, 4, 4, 3, 2, 2, 2]
for steps in STEPS, data.STEPS, regions.STEPS, conditions.STEPS:
    KINDS += list(steps)
    WEIGHTS += list(steps.values())
PLAIN = KINDS, WEIGHTS
COUNTING = (KINDS + list(counted.STEPS),
            WEIGHTS + [3 * w for w in counted.STEPS.values()])
COUNT_ALL = False  # random_programs.py --counted
COMMON = """add subtract multiply add subtract multiply true_divide maximum
minimum negative less greater_equal where where where equal logical_and
absolute sqrt floor_divide remainder square""".split()
