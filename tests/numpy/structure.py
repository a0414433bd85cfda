# SPDX-License-Identifier: MIT
"""Functions of whole arrays: what a random call draws, and what it means by
NumPy. Values are the interiors of operands: a halo is not read."""

import warnings

import numpy as np

import meaning
from forms import Axis, Form
from meaning import DTYPE, KIND, NAMES, Undefined
from steps import MOST, Step, literal_text

MODES = ["wrap", "edge", "reflect", "symmetric"]


def fold(mode, length, low, high):
    """Which of "length" elements the points -low ... length+high-1 are."""
    j = np.arange(-low, length + high)
    if mode == "edge":
        return np.clip(j, 0, length - 1)
    period = {"wrap": length, "symmetric": 2 * length,
              "reflect": max(1, 2 * length - 2)}[mode]
    j %= period
    if mode == "wrap":
        return j
    return np.minimum(j, period - 1 - j if mode == "symmetric" else period - j)


class Structure:
    """Steps of the class Drawer."""

    # ---- helpers ----

    def call(self, ops, axes, value, text):
        """A step whose text has the operands' references for %s."""
        value = np.asarray(value)
        if value.size > MOST or len(axes) > 6:
            raise Undefined
        exact = all(s.exact or s.value.dtype == value.dtype for s in ops)
        if not exact:
            raise Undefined  # rounded once more
        return self.p.add(Step(list(ops), axes, np.ascontiguousarray(value)
                               .reshape(value.shape),
                               lambda refs: text % tuple(refs),
                               exact=all(s.exact for s in ops)))

    def unnamed(self, least=0):
        return self.pick(lambda s: len(s.axes) >= least and not s.named())

    def forms(self, forms):
        return [Axis(None, Form(0), f) for f in forms]

    def place(self, k, n):
        """Axis k of n, from either end."""
        return self.r.choice([k, k, k - n])

    def drawn_shape(self, least=1):
        forms = [self.r.choice(self.extents)
                 for _ in range(self.r.randint(least, 3))]
        if np.prod([float(self.p.sizes.value(f)) for f in forms]) > MOST:
            raise Undefined
        return forms

    def drawn_number(self, dtype):
        kind = KIND[dtype]
        if kind == "b":
            return self.r.choice([True, False])
        if kind in "fc":
            return self.r.choice([0.5, -1.5, 3.0, 0.25, 2])
        return self.r.randint(0 if kind == "u" else -9, 9)

    def number_text(self, v):
        return ("true" if v else "false") if isinstance(v, bool) \
            else literal_text(v)

    def shape_text(self, forms):
        return ", ".join(f.text() for f in forms)

    # ---- concat and stack ----

    def step_concat(self):
        first = self.unnamed(1)
        n = len(first.axes)
        k = self.r.randrange(n)

        def fits(s):
            return not s.named() and len(s.axes) == n and all(
                a.hi == b.hi or i == k
                for i, (a, b) in enumerate(zip(s.axes, first.axes)))
        parts = [first] + [self.pick(fits)
                           for _ in range(self.r.choice([0, 1, 1, 2, 3, 6]))]
        self.r.shuffle(parts)
        dtype = meaning.common([s.dtype for s in parts])
        value = np.concatenate([meaning.cast(s.value, dtype) for s in parts],
                               k)
        forms = [a.hi for a in first.axes]
        forms[k] = Form(0)
        for s in parts:
            forms[k] = forms[k] + s.axes[k].hi
        axis = "; axis=%d" % self.place(k, n)
        return self.call(parts, self.forms(forms), value, "concat(%s%s)" % (
            ", ".join(["%s"] * len(parts)),
            "" if k == 0 and self.chance(50) else axis))

    def step_stack(self):
        first = self.unnamed()
        forms = [a.hi for a in first.axes]

        def fits(s):
            return not s.named() and [a.hi for a in s.axes] == forms
        parts = [first] + [self.pick(fits)
                           for _ in range(self.r.choice([0, 1, 1, 2]))]
        dtype = meaning.common([s.dtype for s in parts])
        k = self.r.randrange(len(forms) + 1)
        value = np.stack([meaning.cast(s.value, dtype) for s in parts], k)
        axes = self.forms(forms[:k] + [Form(len(parts))] + forms[k:])
        return self.call(parts, axes, value, "stack(%s; axis=%d)" % (
            ", ".join(["%s"] * len(parts)), self.place(k, len(axes))))

    # ---- pad ----

    def step_pad(self):
        r, sizes = self.r, self.p.sizes
        x = self.pick(lambda s: s.axes)
        mode = r.choice(MODES + [None] * 3)
        axes, lows, highs, value = [], [], [], self.p.interior(x)
        for k, a in enumerate(x.axes):
            length = a.hi - a.lo
            low, high = [Form(r.choice([0, 0, 1, 1, 2, 3, 5]))
                         for _ in range(2)]
            if sizes.rows and self.chance(10):
                low = Form(0, {r.choice(list(sizes.rows)): 1})
            if mode and not self.is_long(mode, length, low, high):
                low = high = Form(0)
            widths = sizes.value(low), sizes.value(high)
            if mode and (low, high) != (Form(0), Form(0)):
                value = np.take(value, fold(mode, value.shape[k], *widths), k)
            lows.append(low)
            highs.append(high)
            axes.append(Axis(a.name, a.lo - low, a.hi + high) if a.name else
                        Axis(None, Form(0), a.hi + low + high))
        text = "low=[%s], high=[%s]" % (self.shape_text(lows),
                                        self.shape_text(highs))
        if mode:
            return self.call([x], axes, value, "pad(%%s; %s, %s%s)" % (
                text, r.choice(["", "mode="]), mode))
        fill = self.drawn_number(x.dtype) if self.chance(70) else 0
        value = np.pad(value, [(sizes.value(a), sizes.value(b))
                               for a, b in zip(lows, highs)],
                       constant_values=DTYPE[x.dtype].type(fill))
        if fill or KIND[x.dtype] == "b":
            text += ", value=" + self.number_text(
                bool(fill) if KIND[x.dtype] == "b" else fill)
        return self.call([x], axes, value, "pad(%%s; %s)" % text)

    def is_long(self, mode, length, low, high):
        sizes = self.p.sizes
        if length.constant():
            return length.c > 0 and low.constant()
        need = [Form(1)]
        for width in low, high:
            if mode != "edge" and width != Form(0):
                need.append(width + (1 if mode == "reflect" else 0))
        return all(sizes.le(f, length) for f in need)

    # ---- tile, repeat, diagonals ----

    def step_tile(self):
        r, sizes = self.r, self.p.sizes
        x = self.unnamed()
        forms = [a.hi for a in x.axes]
        by = [Form(r.choice([0, 1, 1, 2, 2, 3]))
              for _ in range(r.randint(1, len(forms) + 1))]
        if sizes.rows and self.chance(15):
            by[0] = Form(0, {r.choice(list(sizes.rows)): 1})
        forms = [Form(1)] * (len(by) - len(forms)) + forms
        full = [Form(1)] * (len(forms) - len(by)) + by
        out = []
        for f, b in zip(forms, full):
            out.append(f * b)
        times = [sizes.value(b) for b in full]
        if x.value.size * np.prod(times, dtype=float) > MOST:
            raise Undefined
        value = np.tile(x.value, times)
        return self.call([x], self.forms(out), value, "tile(%%s; by=%s)" % (
            by[0].text() if len(by) == 1 else "[%s]" % self.shape_text(by)))

    def step_repeat(self):
        x = self.unnamed(1)
        n, by = len(x.axes), Form(self.r.choice([0, 1, 2, 2, 3, 4]))
        if self.p.sizes.rows and self.chance(15):
            by = Form(0, {self.r.choice(list(self.p.sizes.rows)): 1})
        times = self.p.sizes.value(by)
        if x.value.size * times > MOST:
            raise Undefined
        forms = [a.hi for a in x.axes]
        if n == 1 or (self.chance(20) and all(f.constant() for f in forms)):
            total = forms[0] if n == 1 else Form(x.value.size)
            return self.call([x], self.forms([total * by]),
                             np.repeat(x.value, times),
                             "repeat(%%s; by=%s)" % by.text())
        k = self.r.randrange(n)
        forms[k] = forms[k] * by
        return self.call([x], self.forms(forms), np.repeat(x.value, times, k),
                         "repeat(%%s; axis=%d, by=%s)" % (self.place(k, n),
                                                          by.text()))

    def diagonal(self):
        """An array, the text of the attributes, the diagonal and its axes."""
        r, sizes = self.r, self.p.sizes
        x = self.exact(lambda s: len(s.axes) >= 2 and not s.named())
        n = len(x.axes)
        a, b = r.sample(range(n), 2)
        k = r.choice([0, 0, 1, -1, 2, -3])
        first, second = x.axes[a].hi + min(k, 0), x.axes[b].hi - max(k, 0)
        length = sizes.smaller(first, second)
        if length is None:
            raise Undefined
        if length.constant():
            length = Form(max(0, length.c))
        if not sizes.nonneg(length):
            raise Undefined
        text = "; offset=%d, axis1=%d, axis2=%d" % (
            k, self.place(a, n), self.place(b, n))
        if (a, b, k) == (0, 1, 0) and self.chance(60):
            text = ""
        forms = [y.hi for i, y in enumerate(x.axes) if i not in (a, b)]
        return x, text, np.diagonal(x.value, k, a, b), forms + [length]

    def step_diagonal(self):
        x, text, value, forms = self.diagonal()
        return self.call([x], self.forms(forms), value,
                         "diagonal(%%s%s)" % text)

    def step_trace(self):
        x, text, value, forms = self.diagonal()
        if not meaning.reducible("sum", value):
            raise Undefined
        total, exact = meaning.reduce("sum", value)
        if not exact:
            raise Undefined
        return self.call([x], self.forms(forms[:-1]), total,
                         "trace(%%s%s)" % text)

    def step_triangle(self):
        x = self.unnamed(2)
        k = self.r.choice([0, 0, 1, -1, 2, -2])
        name = self.r.choice(["tril", "triu"])
        value = getattr(np, name)(x.value, k)
        return self.call([x], self.forms([a.hi for a in x.axes]), value,
                         "%s(%%s%s)" % (name, "; k=%d" % k if k else ""))

    # ---- numbers ----

    def leaf(self, name, forms, value, attributes=(), positional=None):
        text = positional or self.shape_text(forms)
        if attributes:
            text += "; " + ", ".join(attributes)
        return self.call([], self.forms(forms), value,
                         "%s(%s)" % (name, text))

    def leaf_dtype(self, otherwise):
        """A dtype and the attribute that says it."""
        if self.chance(50):
            return otherwise, []
        dtype = self.r.choice(NAMES)
        return dtype, ["dtype=" + dtype]

    def step_fill(self):
        forms = self.drawn_shape(0 if self.chance(10) else 1)
        shape = [self.p.sizes.value(f) for f in forms]
        name = self.r.choice(["zeros", "ones", "full"])
        if name == "full":
            dtype = self.r.choice(NAMES)
            v = self.drawn_number(dtype)
            return self.leaf(name, forms, np.full(shape, v, DTYPE[dtype]),
                             ["value=" + self.number_text(v),
                              "dtype=" + dtype])
        dtype, text = self.leaf_dtype("f64")
        return self.leaf(name, forms,
                         getattr(np, name)(shape, DTYPE[dtype]), text)

    def step_fill_like(self):
        x = self.pick(lambda s: s.axes)
        name = self.r.choice(["zeros_like", "ones_like", "full_like"])
        dtype, text = self.leaf_dtype(x.dtype)
        v = {"zeros_like": 0, "ones_like": 1}.get(name)
        if v is None:
            v = self.drawn_number(dtype)
            text = ["value=" + self.number_text(v)] + text
        value = np.full(self.p.interior(x).shape, v, DTYPE[dtype])
        step = self.p.add(Step([x], [a.plain() for a in x.axes], value,
                               lambda refs: "%s(%s%s)" % (
                                   name, refs[0], "; " + ", ".join(text)
                                   if text else "")))
        return step

    def step_eye(self):
        forms = self.drawn_shape()[:2]
        forms = (forms * 2)[:2]
        shape = [self.p.sizes.value(f) for f in forms]
        if np.prod(shape) > MOST:
            raise Undefined
        k = self.r.choice([0, 0, 1, -1, 2])
        dtype, text = self.leaf_dtype("f64")
        square = forms[0] == forms[1] and self.chance(50)
        return self.leaf("eye", forms, np.eye(*shape, k, DTYPE[dtype]),
                         (["k=%d" % k] if k else []) + text,
                         forms[0].text() if square else None)

    def step_arange(self):
        r, sizes = self.r, self.p.sizes
        step = r.choice([1, 1, 2, 3, -1, -2])
        start = Form(r.choice([0, 0, 1, -2, 5]))
        stop = r.choice(self.extents)
        if step < 0:
            start, stop = stop, start
        span = (stop - start) * (1 if step > 0 else -1)
        by = abs(step)
        if not all(k % by == 0 for _, k in span.terms):
            raise Undefined
        length = Form(-(-span.c // by), {s: k // by for s, k in span.terms})
        if span.constant():
            length = Form(max(0, length.c))
        if not sizes.nonneg(length) or not sizes.nonneg(span) and \
                not span.constant():
            raise Undefined
        value = np.arange(sizes.value(start), sizes.value(stop), step)
        text = "%s, %s, %d" % (start.text(), stop.text(), step)
        if step == 1:
            text = stop.text() if start == Form(0) else \
                "%s, %s" % (start.text(), stop.text())
        dtype, more = self.leaf_dtype("i64")
        return self.leaf("arange", [length], meaning.cast(value, dtype), more,
                         text)

    def step_linspace(self):
        r = self.r
        form = r.choice(self.extents)
        start, stop = r.choice([0, -1.5, 0.1, 3]), r.choice([1, 2.0, -0.7, 10])
        end = self.chance(70)
        value = np.linspace(start, stop, self.p.sizes.value(form), end)
        return self.leaf("linspace", [form], value,
                         ["start=%s" % literal_text(start),
                          "stop=%s" % literal_text(stop)] +
                         ([] if end else ["endpoint=0"]))

    def step_indices(self):
        forms = self.drawn_shape()
        shape = [self.p.sizes.value(f) for f in forms]
        if np.prod(shape, dtype=float) * len(shape) > MOST:
            raise Undefined
        dtype, text = self.leaf_dtype("i64")
        value = meaning.cast(np.indices(shape), dtype)
        return self.leaf("indices", [Form(len(forms))] + forms, value, text,
                         self.shape_text(forms))

    # ---- products of two arrays ----

    def small(self, x, dtype):
        """x, or of floats small integers >= 0, whose sums are exact and never
        -0."""
        if KIND[dtype] not in "fc":
            return x
        return self.p.op("absolute", [self.p.tamed(x, "sum", 0)])

    def product(self, name, fits, text, value):
        """A call of two arrays without names. "fits": may the second stand
        beside the first? "value": by NumPy, of arrays of one dtype."""
        x = self.unnamed(1)
        y = self.pick(lambda s: not s.named() and fits(x, s))
        dtype = meaning.promote(x.dtype, y.dtype)
        x, y = self.small(x, dtype), self.small(y, dtype)
        dtype = meaning.promote(x.dtype, y.dtype)
        a, b = [meaning.cast(s.value, meaning.loop_of(dtype)) for s in (x, y)]
        if float(a.size) * b.size > 16.0 * MOST:
            raise Undefined
        if KIND[dtype] in "fc" and a.size and b.size and float(a.max()) * \
                float(b.max()) * min(a.size, b.size) > \
                2.0**meaning.mantissa(dtype):
            raise Undefined
        axes, result = value(x, y, a, b)
        if np.prod([max(1.0, n) for n in result.shape]) > MOST:
            raise Undefined
        x.inline = y.inline = False
        x.held = y.held = True
        return self.call([x, y], axes, np.asarray(result, DTYPE[dtype]),
                         "%s(%%s, %%s%s)" % (name, text))

    def step_dot(self):
        name = self.r.choice(["dot", "inner"])

        def at(s):
            return len(s.axes) - (2 if name == "dot" and len(s.axes) > 1
                                  else 1)

        def fits(x, y):
            return y.axes and y.axes[at(y)].hi == x.axes[-1].hi

        def value(x, y, a, b):
            forms = [s.hi for s in x.axes[:-1]] + \
                [s.hi for k, s in enumerate(y.axes) if k != at(y)]
            return self.forms(forms), getattr(np, name)(a, b)
        return self.product(name, fits, "", value)

    def step_matmul(self):
        def batch(x, y):
            a, b = [s.axes[:-2][::-1] for s in (x, y)]
            forms = []
            for k in range(max(len(a), len(b))):
                both = {s[k].hi for s in (a, b) if k < len(s)}
                both = both - {Form(1)} or {Form(1)}
                if len(both) > 1:
                    return None
                forms.append(both.pop())
            return forms[::-1]

        def fits(x, y):
            return y.axes and batch(x, y) is not None and \
                y.axes[-2 if len(y.axes) > 1 else 0].hi == x.axes[-1].hi

        def value(x, y, a, b):
            forms = batch(x, y) + [s.hi for s in x.axes[-2:-1]]
            if len(y.axes) > 1:
                forms.append(y.axes[-1].hi)
            return self.forms(forms), np.matmul(a, b)
        return self.product("matmul", fits, "", value)

    def step_tensordot(self):
        n, pairs = self.r.randint(0, 2), []

        def fits(x, y):
            pairs[:] = []
            left = list(range(len(x.axes)))
            for k, a in enumerate(y.axes):
                same = [i for i in left if x.axes[i].hi == a.hi]
                if same and len(pairs) < n:
                    pairs.append((same[0], k))
                    left.remove(same[0])
            return len(pairs) == n
        x = self.unnamed()
        y = self.pick(lambda s: not s.named() and fits(x, s))
        fits(x, y)
        axes = [list(side) for side in zip(*pairs)] or [[], []]
        shown = [[self.place(k, len(s.axes)) for k in side]
                 for s, side in zip((x, y), axes)]

        def value(x, y, a, b):
            forms = [s.hi for k, s in enumerate(x.axes) if k not in axes[0]]
            forms += [s.hi for k, s in enumerate(y.axes) if k not in axes[1]]
            if not axes[0]:  # NumPy adds the product to 0, which -0.0 shows
                return self.forms(forms), np.multiply.outer(a, b)
            return self.forms(forms), np.tensordot(a, b, axes)
        old, self.unnamed = self.unnamed, lambda least: x
        try:
            return self.product("tensordot", lambda _, s: s is y,
                                "; axes=%s" % shown, value)
        finally:
            self.unnamed = old

    def along(self, x, which):
        """x's interior along the axes that are reduced; the others keep what
        is known beside it."""
        return self.p.interior(x, [
            a.plain() if k in which else Axis(a.name, a.vlo, a.vhi)
            for k, a in enumerate(x.axes)])

    # ---- variance ----

    def step_variance(self):
        r = self.r
        x = self.exact(lambda s: s.axes)
        x = self.p.tamed(x, "sum", 0)
        n = len(x.axes)
        which = sorted(r.sample(range(n), r.randint(1, n)))
        name, ddof = r.choice(["var", "std"]), r.choice([0, 0, 1, -1, 2])
        keep = not x.named() and self.chance(30)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inside = self.along(x, which)
            wide = inside.astype("c16" if KIND[x.dtype] == "c" else "f8")
            value = getattr(np, name)(wide, axis=tuple(which), ddof=ddof,
                                      keepdims=keep)
            value = value.astype(DTYPE[meaning.part_of(x.dtype)]
                                 if KIND[x.dtype] in "fc" else "f8")
        if x.value.dtype.kind == "c" and (value < 1e-6).any():
            raise Undefined  # a complex mean is rounded: equal ones may not be 0
        axes = [a if k not in which else Axis(None, Form(0), Form(1))
                for k, a in enumerate(x.axes) if keep or k not in which]
        more = ["ddof=%d" % ddof] * (ddof != 0) + ["keep=1"] * keep
        step = self.p.add(Step(
            [x], axes, value, lambda refs: "%s[%s](%s%s)" % (
                name, ", ".join(str(self.place(k, n)) for k in which), refs[0],
                "; " + ", ".join(more) if more else ""), exact=False))
        # Along each axis a chunk of 4096 terms, none of them negative, may be
        # added one after another, each sum off by half a unit.
        step.slack += sum(min(inside.shape[k], 4096) for k in which) // 2
        return step

    # ---- axes ----

    def step_squeeze(self):
        x = self.pick(lambda s: any(a.hi - a.lo == Form(1) for a in s.axes))
        ones = [k for k, a in enumerate(x.axes) if a.hi - a.lo == Form(1)]
        which = ones if self.chance(40) else \
            self.r.sample(ones, self.r.randint(1, len(ones)))
        value = np.squeeze(self.p.interior(x), tuple(which))
        axes = [a.plain() for k, a in enumerate(x.axes) if k not in which]
        text = "; axes=[%s]" % ", ".join(
            str(self.place(k, len(x.axes))) for k in which)
        if sorted(which) == ones and self.chance(50):
            text = ""
        return self.call([x], axes, value, "squeeze(%%s%s)" % text)

    def step_expand_dims(self):
        x = self.unnamed()
        count = self.r.randint(1, 2)
        n = len(x.axes) + count
        which = self.r.sample(range(n), count)
        forms = [a.hi for a in x.axes]
        for k in sorted(which):
            forms.insert(k, Form(1))
        text = ", ".join(str(self.place(k, n)) for k in which)
        return self.call([x], self.forms(forms),
                         np.expand_dims(x.value, tuple(which)),
                         "expand_dims(%%s; axes=%s)" % (
                             text if count == 1 else "[%s]" % text))

    def step_broadcast_to(self):
        x = self.unnamed()
        forms = [self.r.choice(self.extents) if a.hi == Form(1) else a.hi
                 for a in x.axes]
        forms = self.drawn_shape(0)[:1] + forms
        shape = [self.p.sizes.value(f) for f in forms]
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        return self.call([x], self.forms(forms),
                         np.broadcast_to(x.value, shape),
                         "broadcast_to(%%s; shape=[%s])" %
                         self.shape_text(forms))

    def step_moveaxis(self):
        x = self.pick(lambda s: len(s.axes) > 1)
        n = len(x.axes)
        count = self.r.randint(1, n)
        source = self.r.sample(range(n), count)
        target = self.r.sample(range(n), count)
        order = np.moveaxis(np.empty(range(n)), source, target).shape
        text = [", ".join(str(self.place(k, n)) for k in at)
                for at in (source, target)]
        return self.call([x], [x.axes[k] for k in order],
                         x.value.transpose(order),
                         "moveaxis(%%s; from=[%s], to=[%s])" % tuple(text))

    def step_transpose(self):
        x = self.pick(lambda s: len(s.axes) > 1)
        n = len(x.axes)
        order = list(range(n))[::-1]
        text = ""
        if self.chance(60):
            self.r.shuffle(order)
            text = "; axes=%s" % [self.place(k, n) for k in order]
        return self.call([x], [x.axes[k] for k in order],
                         x.value.transpose(order), "transpose(%%s%s)" % text)

    def step_flip(self):
        x = self.pick(lambda s: s.axes)
        n = len(x.axes)
        which = sorted(self.r.sample(range(n), self.r.randint(1, n)))
        value = np.flip(self.p.interior(x), tuple(which))
        text = "; axes=%s" % [self.place(k, n) for k in which]
        return self.call([x], [a.plain() for a in x.axes], value,
                         "flip(%%s%s)" % (
                             "" if len(which) == n and self.chance(50)
                             else text))

    def step_count(self):
        x = self.pick(lambda s: s.axes)
        n = len(x.axes)
        which = sorted(self.r.sample(range(n), self.r.randint(1, n)))
        value = np.count_nonzero(self.along(x, which), tuple(which))
        text = "; axes=%s" % [self.place(k, n) for k in which]
        return self.call([x], [a for k, a in enumerate(x.axes)
                               if k not in which],
                         np.array(value, "i8"), "count_nonzero(%%s%s)" % (
                             "" if len(which) == n and self.chance(50)
                             else text))

    def step_cumulative(self):
        x = self.pick(lambda s: s.axes)
        kind = KIND[x.dtype]
        names = ["cumsum"] if kind == "c" else ["cumsum", "cumprod", "cummax",
                                                "cummin"]
        name = self.r.choice(names)
        if name == "cumsum" and not x.exact:
            raise Undefined  # what is rounded otherwise may cancel
        k, n = self.r.randrange(len(x.axes)), len(x.axes)
        back = self.chance(40)
        value = self.p.interior(x)
        value = np.flip(value, k) if back else value
        if kind == "f" and name[3:] in ("max", "min") and (value == 0).any():
            raise Undefined  # NumPy takes either zero for the other
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = meaning.cumulate(name, value, k)
        given = ["axis=%d" % self.place(k, n)] if n > 1 or self.chance(50) \
            else []
        given += ["reverse=1"] if back else []
        return self.call([x], [a.plain() for a in x.axes],
                         np.flip(value, k) if back else value,
                         "%s(%%s%s)" % (name, "; " * bool(given) +
                                        ", ".join(given)))

    def step_order(self):
        """Rows in order, where they go, the largest of them."""
        x = self.unnamed(1)
        k, n = self.r.randrange(len(x.axes)), len(x.axes)
        name = self.r.choice(["sort", "argsort", "top_k", "arg_top_k",
                              "searchsorted"])
        if (KIND[x.dtype] == "c" and "top" in name) or not x.exact:
            raise Undefined  # what is rounded otherwise may change places
        axes = [a.plain() for a in x.axes]
        value = self.p.interior(x)
        at = np.argsort(value, k, kind="stable")
        given = ["axis=%d" % self.place(k, n)] \
            if k < n - 1 or self.chance(50) else []
        if name == "searchsorted":
            if n > 1:
                raise Undefined
            side = self.r.choice(["left", "right"])
            value = np.searchsorted(value[at], value, side)
            return self.call([x, x], axes, value.astype("i8"),
                             "searchsorted(sort(%%s), %%s; side=%s)" % side)
        if "top" in name:
            most = value.shape[k] if x.axes[k].hi.constant() else 0
            given = ["k=%d" % self.r.randint(0, most)] + given
            back = np.argsort(np.flip(value, k), k, kind="stable")
            at = np.flip(value.shape[k] - 1 - back, k)
            at = np.take(at, range(int(given[0][2:])), k)
            axes[k] = Axis(None, Form(0), Form(int(given[0][2:])))
        value = at.astype("i8") if "arg" in name else \
            np.take_along_axis(value, at, k)
        return self.call([x], axes, value, "%s(%%s%s)" % (
            name, "; " * bool(given) + ", ".join(given)))

    def step_reshape_to(self):
        """A shape with -1: two axes merged, or one split."""
        x = self.unnamed(1)
        order = self.r.choice("CF")
        forms = [a.hi for a in x.axes]
        k = self.r.randrange(len(forms))
        f = self.r.choice([2, 3, 5])
        if k + 1 < len(forms) and self.chance(50):
            slow, fast = (forms[k:k + 2] if order == "C"
                          else forms[k:k + 2][::-1])
            if fast == Form(0):
                raise Undefined
            new, at = forms[:k] + [slow * fast] + forms[k + 2:], k
        elif forms[k].divisible(f) and forms[k] != Form(0):
            pair = [forms[k].over(f), Form(f)]
            at = k if order == "C" else k + 1
            pair = pair if order == "C" else pair[::-1]
            new = forms[:k] + pair + forms[k + 1:]
        else:
            raise Undefined
        shape = [self.p.sizes.value(g) for g in new]
        value = x.value.reshape(shape, order=order)
        known = [g for i, g in enumerate(new) if i != at]
        if any(g == Form(0) for g in known) or new.count(new[at]) != 1:
            at = -1
        text = ", ".join("-1" if i == at else g.text()
                         for i, g in enumerate(new))
        return self.call([x], self.forms(new), value,
                         "reshape(%%s; shape=[%s]%s)" % (
                             text, ", order=" + order
                             if order == "F" or self.chance(30) else ""))


STEPS = {"concat": 8, "stack": 3, "pad": 6, "tile": 3, "repeat": 2,
         "diagonal": 2, "trace": 1, "triangle": 2, "fill": 2, "fill_like": 1,
         "eye": 1, "arange": 2, "linspace": 1, "indices": 1, "squeeze": 2,
         "expand_dims": 2, "broadcast_to": 2, "moveaxis": 1, "transpose": 1,
         "flip": 2, "cumulative": 4, "order": 5,
         "count": 2, "reshape_to": 2, "dot": 3, "matmul": 4, "tensordot": 2,
         "variance": 2}
