# SPDX-License-Identifier: MIT
"""Programs as lists of steps, each with its text and its value.

A step knows its operands, how it is written and its value over its whole
readable box, so that any step can be replaced by an input of this value: that
is how a failing program is made small."""

import itertools

import numpy as np

import meaning
from forms import Axis, Form, box_text, map_text
from meaning import NAME, Undefined

MOST = 70000  # elements of one value


class Step:
    def __init__(self, ops, axes, value, write, how="let", exact=True,
                 body=None):
        self.ops, self.axes, self.value = ops, axes, np.asarray(value)
        self.write, self.how, self.exact = write, how, exact
        self.body = body  # of a map
        self.inline = False
        self.number = -1
        # of values that are not exact: how many units in the last place
        self.slack = max([64] + [s.slack for s in ops])

    dtype = property(lambda self: NAME[self.value.dtype])
    name = property(lambda self: "a%d" % self.number)

    def named(self):
        return bool(self.axes) and self.axes[0].name is not None

    def type_text(self, dtype=None):
        dtype = dtype or self.dtype
        return "%s[%s]" % (dtype, box_text(self.axes)) if self.axes else dtype


def literal_text(v):
    if isinstance(v, float):
        return "nan" if v != v else "inf" if v == np.inf else \
            "-inf" if v == -np.inf else repr(v)
    return str(v)


def operand_text(v):
    t = literal_text(v)
    return "(%s)" % t if t.startswith("-") else t


def op_text(name, refs):
    if name in meaning.INFIX:
        return "%s %s %s" % (refs[0], meaning.INFIX[name], refs[1])
    if name in meaning.PREFIX:
        return meaning.PREFIX[name] + refs[0]
    return "%s(%s)" % (name, ", ".join(refs))


class Program:
    def __init__(self, sizes):
        self.sizes = sizes
        self.steps = []
        self.outs = []  # (step, axes or None, step of an input or None)
        self.error = None  # what a run fails with

    def add(self, step):
        names = [a.name for a in step.axes]
        if any(n and n + "+1/2" in names for n in names):
            raise Undefined  # an axis and its staggered partner
        step.number = len(self.steps)
        self.steps.append(step)
        return step

    # ---- boxes ----

    def shape(self, axes, valid=True):
        v = self.sizes.value
        return tuple(max(0, v(a.vhi) - v(a.vlo)) if valid
                     else max(0, v(a.hi) - v(a.lo)) for a in axes)

    def known(self, step):
        """The axes of the part that is both defined and known; None where that
        depends on the sizes or is nothing."""
        axes = []
        for a in step.axes:
            lo = self.sizes.larger(a.lo, a.vlo)
            hi = self.sizes.smaller(a.hi, a.vhi)
            if lo is None or hi is None or not self.sizes.le(lo, hi) or \
                    (not a.whole() and self.sizes.le(hi, lo)):
                return None
            axes.append(Axis(a.name, lo, hi))
        return axes

    def interior(self, step, axes=None):
        """The step's value over its interior, or over the box of "axes"."""
        v = self.sizes.value
        at = []
        for own, a in zip(step.axes, axes or step.axes):
            if not (self.sizes.le(own.vlo, a.lo) and
                    self.sizes.le(a.hi, own.vhi)):
                raise Undefined  # not known there
            first = v(a.lo) - v(own.vlo)
            at.append(slice(first, first + max(0, v(a.hi) - v(a.lo))))
        return step.value[tuple(at)]

    def find(self, step, axis, k, rank):
        """The step's axis that lies on axis k of "rank" axes."""
        if step.named():
            for j, own in enumerate(step.axes):
                if own.name == axis.name:
                    return j
            return None
        j = k - rank + len(step.axes)
        return j if j >= 0 else None

    def view(self, step, axes):
        """The step's value over the readable box of "axes", broadcastable."""
        v = self.sizes.value
        order, index = [], []
        for k, a in enumerate(axes):
            j = self.find(step, a, k, len(axes))
            if j is None:
                index.append(None)
                continue
            own = step.axes[j]
            order.append(j)
            length = max(0, v(a.vhi) - v(a.vlo))
            if a.name is None and own.hi == Form(1):
                index.append(slice(None))
                continue
            if not (self.sizes.le(own.vlo, a.vlo) and
                    self.sizes.le(a.vhi, own.vhi)):
                raise Undefined  # not known there
            first = v(a.vlo) - v(own.vlo)
            index.append(slice(first, first + length))
        x = step.value.transpose(order)
        return np.asarray(x[tuple(index)])

    def join(self, steps):
        """The axes on which operands meet; None where that is not proved."""
        steps = [s for s in steps if s.axes]
        if not steps:
            return []
        if len({s.named() for s in steps}) > 1:
            return None
        return (self.join_named if steps[0].named()
                else self.join_positional)(steps)

    def join_positional(self, steps):
        rank = max(len(s.axes) for s in steps)
        axes = []
        for k in range(rank):
            hi = Form(1)
            for s in steps:
                j = k - rank + len(s.axes)
                if j < 0 or s.axes[j].hi == Form(1):
                    continue
                if hi not in (Form(1), s.axes[j].hi):
                    return None
                hi = s.axes[j].hi
            axes.append(Axis(None, Form(0), hi))
        return axes

    def apart(self, met, axes):
        """Have they no point in common, for all sizes?"""
        le = self.sizes.le
        return le(met.hi, met.lo) and all(
            not le(a.hi, a.lo) for a in axes)

    def join_named(self, steps):
        names = []
        for s in steps:
            names += [a.name for a in s.axes if a.name not in names]
        rank = {"I": 0, "J": 1, "K": 2}
        order = sorted(names, key=lambda n: rank.get(n, 3))
        for s in steps:
            own = [a.name for a in s.axes]
            if set(own) == set(names):
                order = own
                break
        axes = []
        for name in order:
            found = [a for s in steps for a in s.axes if a.name == name]
            a = found[0]
            for b in found[1:]:
                bounds = (self.sizes.larger(a.lo, b.lo),
                          self.sizes.smaller(a.hi, b.hi),
                          self.sizes.larger(a.vlo, b.vlo),
                          self.sizes.smaller(a.vhi, b.vhi))
                if any(f is None for f in bounds):
                    return None
                a = Axis(name, *bounds)
            if not self.sizes.le(a.lo, a.hi) or self.apart(a, found):
                return None
            axes.append(a)
        return axes

    # ---- steps that the others are made of ----

    def op(self, name, args):
        """An operator on steps and weak literals; raises Undefined."""
        steps = [a for a in args if isinstance(a, Step)]
        movable = name == "where"
        for i, a in enumerate(args):
            if isinstance(a, Step) and not a.exact and (not movable or i == 0):
                raise Undefined
        if not steps or (movable and not isinstance(args[0], Step)) or \
                (movable and len(steps) == 1):
            raise Undefined
        axes = self.join(steps)
        if axes is None:
            raise Undefined
        shape = self.shape(axes)
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        values = [self.view(a, axes) if isinstance(a, Step) else a
                  for a in args]
        value, exact = meaning.apply(name, values)
        if not all(s.exact or s.value.dtype == value.dtype for s in steps):
            raise Undefined  # rounded once more
        exact = exact and all(s.exact for s in steps)
        value = np.broadcast_to(value, shape).copy()

        def write(refs):
            refs = iter(refs)
            return op_text(name, [next(refs) if isinstance(a, Step)
                                  else operand_text(a) for a in args])
        return self.add(Step(steps, axes, value, write, exact=exact))

    def cast(self, x, dtype):
        if not x.exact:
            raise Undefined
        value = meaning.cast(x.value, dtype)
        return self.add(Step([x], x.axes, value,
                             lambda r: "%s(%s)" % (dtype, r[0])))

    def tamed(self, x, name, elements):
        """x, or what makes of it numbers whose reduction has one value."""
        kind, dtype = meaning.KIND[x.dtype], x.dtype
        if name in ("max", "min") and kind == "f":
            return self.op("add", [x, 0.0])
        if kind == "c":
            x = self.op("real", [x])
        if name == "prod":
            if elements > 20:
                return self.cast(self.cast(x, "bool"), dtype)
            small = self.op("remainder", [self.cast(x, "i8"), 3])
            return self.cast(small, dtype)
        return self.cast(self.cast(x, "u8" if kind == "u" else "i8"), dtype)

    # ---- text ----

    def closure(self, roots, inputs=()):
        need, todo = set(), list(roots)
        while todo:
            s = todo.pop()
            if s in need:
                continue
            need.add(s)
            todo += self.sizes.counts_of(s.axes)
            if s not in inputs:
                todo += s.ops
        return [s for s in self.steps if s in need]

    def reference(self, s, inputs):
        if not s.inline or s in inputs:
            return s.name
        return "(%s)" % self.expression(s, inputs)

    def expression(self, s, inputs):
        return s.write([self.reference(o, inputs) for o in s.ops])

    def input_text(self, s):
        halo = []
        for a in s.axes:
            low, high = a.lo - a.vlo, a.vhi - a.hi
            if not low.constant() or not high.constant():
                raise Undefined
            if low.c or high.c:
                halo.append("%s:%d:%d" % (a.name, low.c, high.c))
        text = "in %s : %s" % (s.name, s.type_text())
        text += " halo(%s)" % ", ".join(halo) if halo else ""
        return text + getattr(s, "arrow", "")

    def statement(self, s, inputs):
        if s.how == "in" or s in inputs:
            return self.input_text(s)
        if s.how == "second":
            return None
        text = self.expression(s, inputs)
        if s.how == "let":
            return "let %s = %s" % (s.name, text)
        if s.how == "typed":
            return "let %s : %s = %s" % (s.name, s.type_text(), text)
        if s.how == "size":
            return "size %s = %s" % (s.name, text)
        if s.how == "const":
            return "const %s : %s = %s" % (s.name, s.type_text(), text)
        if s.how == "map":
            return "map %s[%s] = %s" % (s.name, map_text(s.axes), text)
        return text.replace("@", s.name)  # einsum, reshape, node, scan

    def text(self, inputs=()):
        roots = [s for s, _, _ in self.outs]
        roots += [shared for _, _, shared in self.outs if shared]
        lines = ["ilex 1", "program p"] + self.sizes.text()
        for s in self.closure(roots, inputs):
            if s not in inputs:
                lines += getattr(s, "function", [])
            text = None if s.inline and s not in inputs else \
                self.statement(s, inputs)
            if text:
                lines.append(text)
        for i, (s, axes, shared) in enumerate(self.outs):
            kind = ""
            if axes is not None:
                kind = " : %s" % Step([], axes, s.value, None).type_text()
            lines.append("out o%d%s = %s%s" % (
                i, kind, self.reference(s, inputs),
                " inplace %s" % shared.name if shared else ""))
        return "\n".join(lines) + "\n"

    def inputs_of(self, inputs=()):
        roots = [s for s, _, _ in self.outs]
        roots += [shared for _, _, shared in self.outs if shared]
        return [s for s in self.closure(roots, inputs)
                if s.how == "in" or s in inputs]


def points(shape):
    return itertools.product(*[range(n) for n in shape])
