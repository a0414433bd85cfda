# SPDX-License-Identifier: MIT
"""Steps whose meaning depends on data: reads and updates at indices that are
data, shifts by data, sparse matrices; and scans, level by level."""

import numpy as np

import meaning
from forms import Axis, Form, box_text, map_text
from meaning import DTYPE, KIND, Undefined
from steps import MOST, Step
from structure import MODES

SIGNED = ["i8", "i16", "i32", "i64"]
COMBINES = {"add_at": "add", "prod_at": "multiply", "max_at": "maximum",
            "min_at": "minimum"}
INTEGERS = SIGNED + ["u8", "u16", "u32", "u64"]


class Second(Step):
    """The second result of a scan; its first one has the statement."""

    name = property(lambda self: self.ops[0].name + "b")


def plain_names(s):
    return all("/" not in (a.name or "") for a in s.axes)


def one_by_one(x, at, values, combine):
    """x with its rows at[i] combined with values[i], one after another."""
    out = x.copy()
    with np.errstate(all="ignore"):
        for i, v in zip(at, values):
            out[i] = combine(out[i], v)
    return out


class Data:
    """Steps of the class Drawer."""

    def held(self, x):
        """x, which is spoken of by a name."""
        x.inline, x.held = False, True
        return x

    def data(self, dtype, axes, value):
        return self.p.add(Step([], axes, np.asarray(value, DTYPE[dtype]),
                               lambda refs: "", "in"))

    def statement_step(self, ops, axes, value, text, exact):
        """A step with a statement of its own, in which @ is its name."""
        value = np.ascontiguousarray(value).reshape(value.shape)
        if value.size > MOST:
            raise Undefined
        return self.p.add(Step(ops, axes, value, lambda refs: text,
                               "statement", exact))

    def indices(self, shape, low, high, dtypes=SIGNED):
        """Integers in [low, high) as a dtype that has them."""
        dtype = self.r.choice(dtypes)
        info = np.iinfo(DTYPE[dtype])
        low, high = max(low, info.min), min(high, info.max + 1)
        if high <= low and np.prod(shape):
            raise Undefined
        value = self.np.integers(low, max(high, low + 1), shape)
        return dtype, value

    # ---- reads at data ----

    def variables(self, axes):
        return [a.name or "_%d" % k for k, a in enumerate(axes)]

    def step_gather(self, failing=False):
        """map y[...] = x[i, p[j]], also guarded, or with a value outside."""
        r, v = self.r, self.p.sizes.value
        x = self.held(self.pick(lambda s: s.axes and plain_names(s)))
        k = r.randrange(len(x.axes))
        how = "plain" if failing else r.choice(
            ["plain", "plain", "unchecked", "guarded", "behind"])
        a = x.axes[k]
        box = (v(a.lo), v(a.hi)) if how == "behind" else (v(a.vlo), v(a.vhi))
        if how == "behind":
            self.p.interior(x)  # a value stands for what is outside of that
        axes = [b.plain() for b in x.axes]
        hi = r.choice(self.extents)
        axes[k] = Axis(a.name, Form(0), hi)
        if not self.p.sizes.nonneg(hi):
            raise Undefined
        shape = self.p.shape(axes)
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        more = 0 if how in ("plain", "unchecked") and not failing else 3
        dtype, at = self.indices(shape[k:k + 1], box[0] - more, box[1] + more)
        outside = (at < box[0]) | (at >= box[1])
        if failing:
            if not outside.any() or 0 in shape:
                raise Undefined
            self.p.error = "index %d of %s is data and leaves [%d, %d)" % (
                at[outside][0], a.name or "axis %d" % k, box[0], box[1])
        if box[1] <= box[0] and 0 not in shape:
            raise Undefined
        p = self.data(dtype, [axes[k]], at)
        cut = np.clip(at - v(a.vlo), 0, max(0, v(a.vhi) - v(a.vlo) - 1))
        source = self.p.interior(x, [b if i == k else b.plain() for i, b in
                                     enumerate(self.whole_along(x, k))])
        value = np.take(source, cut, k) if source.shape[k] else \
            np.zeros(shape, x.value.dtype)
        index = self.variables(axes)
        index[k] = "%s[%s]" % (p.name, index[k])
        read, other = ", ".join(index), self.drawn_number(x.dtype)
        if how in ("guarded", "behind"):
            wide = outside.reshape([-1 if i == k else 1
                                    for i in range(len(axes))])
            value = np.where(wide, meaning.cast(np.array(other), x.dtype),
                             value)
        text = "%s[%s]" % (x.name, read)
        if how == "unchecked":
            text = "%s[%s; unchecked]" % (x.name, read)
        elif how == "behind":
            text = "%s[%s; %s]" % (x.name, read, self.number_text(other))
        elif how == "guarded":
            text = "where(%s >= %d && %s < %d, %s, %s)" % (
                index[k], box[0], index[k], box[1], text,
                self.typed_text(x.dtype, other))
        return self.statement_step(
            [x, p], axes, value, "map @[%s] = %s" % (map_text(axes), text),
            x.exact)

    def typed_text(self, dtype, v):
        if KIND[dtype] == "b":
            return self.number_text(v)
        return "%s(%s)" % (dtype, float(v) if KIND[dtype] in "fc" else v)

    def whole_along(self, x, k):
        """x's axes, of which axis k is as long as is known of it."""
        return [Axis(a.name, a.vlo, a.vhi) if i == k else a.plain()
                for i, a in enumerate(x.axes)]

    def step_take(self):
        """take(x, p; axis=k), x[:, p]: negative indices count from the end."""
        x = self.held(self.unnamed(1))
        n, k = len(x.axes), self.r.randrange(len(x.axes))
        length = x.value.shape[k]
        hi = self.r.choice(self.extents)
        axes = self.forms([hi if i == k else a.hi
                           for i, a in enumerate(x.axes)])
        shape = self.p.shape(axes)
        if np.prod(shape, dtype=float) > MOST or (length == 0 and shape[k]):
            raise Undefined
        dtype, at = self.indices(shape[k:k + 1], -length, length)
        p = self.data(dtype, [axes[k]], at)
        value = np.take(x.value, at % max(length, 1), k) if length else \
            np.zeros(shape, x.value.dtype)
        if self.chance(50):
            return self.call([x, p], axes, value, "take(%%s, %%s; axis=%d)" %
                             self.place(k, n))
        text = "%s[%s]" % (x.name, ", ".join([":"] * k + [p.name]))
        return self.p.add(Step([x, p], axes, value, lambda refs: text,
                               exact=x.exact))

    # ---- updates ----

    def step_update(self):
        """update(x[p], v), add_at(x[::-1], v), max_at(x[p], v)."""
        r = self.r
        x = self.held(self.exact(lambda s: s.axes and not s.named()))
        length = x.value.shape[0]
        how = "update" if KIND[x.dtype] == "b" or self.chance(40) else r.choice(sorted(COMBINES))
        ops = [x]
        if self.chance(75):
            hi = r.choice(self.extents)
            count = self.p.sizes.value(hi)
            if length == 0 and count:
                raise Undefined
            dtype, at = self.indices((count,), -length, length)
            p = self.data(dtype, self.forms([hi]), at)
            ops.append(p)
            read, at = p.name, at % max(length, 1)
        else:
            hi, read, at = x.axes[0].hi, "::-1", np.arange(length)[::-1]
        axes = self.forms([hi] + [a.hi for a in x.axes[1:]])
        shape = self.p.shape(axes)
        if np.prod(shape, dtype=float) > MOST or x.value.size > MOST:
            raise Undefined
        if self.chance(70):
            value = self.values(x.dtype, shape)
            v = self.data(x.dtype, axes, value)
            ops.append(v)
            text = v.name
        else:
            number = self.drawn_number(x.dtype)
            value = np.full(shape, meaning.cast(np.array(number), x.dtype))
            text = self.number_text(number)
        result = one_by_one(
            x.value, at, value,
            (lambda old, v: v) if how == "update" else
            (lambda old, v: meaning.apply(COMBINES[how], [old, v])[0]))
        text = "%s(%s[%s], %s)" % (how, x.name, read, text)
        return self.p.add(Step(ops, [a.plain() for a in x.axes], result,
                               lambda refs: text))

    def step_segment(self):
        """segment_max(x, p; segments=n), bincount(p; length=n, weights=v)"""
        r = self.r
        x = self.held(self.exact(lambda s: s.axes and not s.named() and
                                 KIND[s.dtype] in "iuf"))
        hi = r.choice(self.extents)
        count = self.p.sizes.value(hi)
        dtype, at = self.indices(x.value.shape[:1], 0, count, INTEGERS)
        p = self.data(dtype, self.forms([x.axes[0].hi]), at)
        how = r.choice(["sum", "max", "min", "count", "weights"])
        if how == "count" or how == "weights" and \
                (len(x.axes) > 1 or KIND[x.dtype] != "f"):
            return self.call([p], self.forms([hi]),
                             np.bincount(at, minlength=count),
                             "bincount(%%s; length=%s)" % hi.text())
        least = np.iinfo if KIND[x.dtype] in "iu" else np.finfo
        start = {"max": -np.inf, "min": np.inf} if KIND[x.dtype] == "f" else \
            {"max": least(x.value.dtype).min, "min": least(x.value.dtype).max}
        value = np.full((count,) + x.value.shape[1:], start.get(how, 0),
                        x.value.dtype)
        by = {"max": "maximum", "min": "minimum"}.get(how, "add")
        wide = np.float32 if x.value.dtype == np.float16 else x.value.dtype
        value = one_by_one(value.astype(wide), at, x.value.astype(wide),
                           lambda old, v: meaning.apply(by, [old, v])[0])
        value = value.astype(x.value.dtype)  # halves are rounded once
        axes = self.forms([hi] + [a.hi for a in x.axes[1:]])
        text = "bincount(%%s; length=%s, weights=%%s)" if how == "weights" \
            else "segment_" + how + "(%%s, %%s; segments=%s)"
        return self.call([p, x] if how == "weights" else [x, p], axes, value,
                         text % hi.text())

    # ---- shifts ----

    def step_shift_by(self):
        """u[I+s], u[I+s; wrap], u[I+s; 0.5]"""
        r, v = self.r, self.p.sizes.value
        x = self.held(self.pick(lambda s: s.named()))
        k = r.randrange(len(x.axes))
        a = x.axes[k]
        mode = r.choice(MODES + ["value", "value", None])
        low, high = (v(a.vlo) - v(a.lo), v(a.vhi) - v(a.hi)) \
            if mode is None else (-9, 9)
        length = v(a.hi) - v(a.lo)
        if length <= 0 and (mode is None or mode in MODES):
            low, high = 0, 0
        if low > high:  # what is known is shorter
            raise Undefined
        by = r.randint(low, high)
        sign = r.choice([1, -1])
        s = self.data(r.choice(SIGNED), [], np.array(by * sign))
        at = np.arange(length) + by
        other = self.drawn_number(x.dtype)
        if mode is None:
            source = self.p.interior(x, self.whole_along(x, k))
            value = np.take(source, at + v(a.lo) - v(a.vlo), k)
            text = ""
        else:
            source = self.p.interior(x)
            inside = (at >= 0) & (at < length)
            if mode == "value":
                cut = np.clip(at, 0, max(0, length - 1))
            elif mode == "edge":
                cut = np.clip(at, 0, max(0, length - 1))
            else:
                period = {"wrap": length, "symmetric": 2 * length,
                          "reflect": max(1, 2 * length - 2)}[mode]
                cut = at % max(1, period)
                if mode == "symmetric":
                    cut = np.minimum(cut, period - 1 - cut)
                if mode == "reflect":
                    cut = np.minimum(cut, period - cut)
            value = np.take(source, cut, k) if length > 0 else source
            if mode == "value":
                value = np.where(
                    inside.reshape([-1 if i == k else 1
                                    for i in range(len(x.axes))]),
                    value, meaning.cast(np.array(other), x.dtype))
            text = "; " + (self.number_text(other) if mode == "value"
                           else mode)
        text = "%s[%s%s%s%s]" % (x.name, a.stem(), "+" if sign > 0 else "-",
                                 s.name, text)
        axes = [b.plain() for b in x.axes]
        if not all(self.p.sizes.le(b.lo, b.hi) for b in axes):
            raise Undefined
        return self.p.add(Step([x, s], axes, np.ascontiguousarray(value),
                               lambda refs: text, "typed", x.exact))

    # ---- sparse matrices ----

    def step_csr(self):
        r, v = self.r, self.p.sizes.value
        x = self.p.tamed(self.exact(lambda s: s.axes and not s.named()), "sum",
                         0)
        rows, elements = r.choice(self.extents), r.choice(self.extents)
        m, z, q = v(rows), v(elements), x.value.shape[0]
        forms = [rows] + [a.hi for a in x.axes[1:]]
        shape = self.p.shape(self.forms(forms))
        if np.prod(shape, dtype=float) > MOST or \
                z * x.value[:1].size > 4 * MOST:
            raise Undefined
        ends = np.sort(self.np.integers(0, z + 1 if q else 1, m + 1))
        ends[0] = 0
        n = int(ends[-1])
        dtype, col = self.indices((z,), 0, q) if q else ("i32", np.zeros(z))
        row = self.data(r.choice(["i64", "i32", "u64"]),
                        self.forms([rows + 1]), ends)
        col = self.data(dtype, self.forms([elements]), col)
        kind = KIND[x.dtype]
        val = self.data(x.dtype, self.forms([elements]), self.np.integers(
            0 if kind in "bu" else -3, 2 if kind == "b" else 4, z))
        wide = {"b": "i8", "i": "i8", "u": "u8", "f": "f8", "c": "c16"}[kind]
        products = val.value[:n].astype(wide).reshape(
            (-1,) + (1,) * (len(forms) - 1)) * \
            x.value[col.value[:n].astype("i8")].astype(wide)
        total = np.zeros(shape, wide)
        if kind in "fc":  # a sum of negative zeros is one, of nothing is not
            total[np.diff(ends) > 0] = complex(-0.0, -0.0) \
                if kind == "c" else -0.0
        np.add.at(total, np.repeat(np.arange(m), np.diff(ends)), products)
        value = total != 0 if kind == "b" else total.astype(DTYPE[x.dtype])
        return self.call([val, col, row, x], self.forms(forms), value,
                         "csr_matmul(%%s, %%s, %%s, %%s%s)" % (
                             "; columns=" + x.axes[0].hi.text()
                             if self.chance(30) else ""))

    # ---- scans ----

    def step_scan(self):
        """One or two results, one or two levels back, from either end."""
        r = self.r
        x = self.held(self.exact(
            lambda s: s.axes and plain_names(s) and KIND[s.dtype] != "b"))
        if not all(self.p.sizes.le(a.lo, a.hi) for a in x.axes):
            raise Undefined
        names = ["add", "subtract", "multiply"]
        if KIND[x.dtype] != "c":
            names += ["maximum", "minimum"]
        ops = [r.choice(names), r.choice(names)]
        if KIND[x.dtype] in "fc":  # the signs of zeros and NaN are no matter
            ops = [o if o in names[:3] else "add" for o in ops]
        kind = r.choice(["one", "deep", "chain", "mutual"])
        k, back = r.randrange(len(x.axes)), self.chance(40)
        values = self.scan_values(x, k, back, ops, kind)
        field = x.named() and self.chance(50)
        text = self.scan_text(x, k, back, ops, kind, field)
        axes = [a.plain() for a in x.axes]
        first = self.statement_step([x], axes, values[0], text, True)
        if len(values) == 1:
            return first
        return self.p.add(Second([first], axes, values[1], lambda refs: "",
                                 "second"))

    def scan_values(self, x, k, back, ops, kind):
        source = np.moveaxis(self.p.interior(x), k, 0)
        source = source[::-1] if back else source
        p, q = [], []

        def op(i, a, b):
            value, exact = meaning.apply(ops[i], [a, b])
            if not exact or value.dtype != source.dtype:
                raise Undefined
            return value
        for level in range(source.shape[0]):
            s = source[level]
            if level == 0:
                p.append(s)
                q.append(s)
            elif kind == "deep":
                p.append(op(0, p[-1], s if level == 1 else p[-2]))
            elif kind == "mutual":
                p.append(op(0, q[-1], s))
                q.append(op(1, p[-2], q[-1]))
            else:
                p.append(op(0, p[-1], s))
                q.append(op(1, q[-1], p[-1]))
        found = []
        for levels in [p] if kind in ("one", "deep") else [p, q]:
            value = np.array(levels, source.dtype).reshape(source.shape)
            value = value[::-1] if back else value
            found.append(np.ascontiguousarray(np.moveaxis(value, 0, k)))
        return found

    def scan_text(self, x, k, back, ops, kind, field):
        a, index = x.axes[k], self.variables(x.axes)
        along = index[k]

        def at(name, levels):
            if field:
                return name if levels == 0 else "%s[%s%+d]" % (
                    name, along, levels if back else -levels)
            here = list(index)
            if levels:
                here[k] += "%+d" % (levels if back else -levels)
            return "%s[%s]" % (name, ", ".join(here))

        def before(levels):
            """Is this one of the first levels?"""
            i = "index(%s)" % along if field else along
            return "%s >= %s" % (i, (a.hi - levels).text()) if back else \
                "%s < %s" % (i, (a.lo + levels).text())

        def op(i, u, w):
            sign = {"add": "+", "subtract": "-", "multiply": "*"}.get(ops[i])
            return "%s %s %s" % (u, sign, w) if sign else \
                "%s(%s, %s)" % (ops[i], u, w)
        here = at(x.name, 0)
        if kind == "deep":
            bodies = ["where(%s, %s, where(%s, %s, %s))" % (
                before(1), here, before(2), op(0, at("@", 1), here),
                op(0, at("@", 1), at("@", 2)))]
        elif kind == "mutual":
            bodies = ["where(%s, %s, %s)" % (before(1), here, op(
                0, at("@b", 1), here)), "where(%s, %s, %s)" % (
                    before(1), here, op(1, at("@", 1), at("@b", 1)))]
        else:
            bodies = ["where(%s, %s, %s)" % (before(1), here, op(
                0, at("@", 1), here))]
            if kind == "chain":
                bodies.append("where(%s, %s, %s)" % (
                    before(1), at("@", 0), op(1, at("@b", 1), at("@", 0))))
        box = box_text([b.plain() for b in x.axes])
        results = ["%s : %s[%s] = %s" % (n, x.dtype, box, b) if field else
                   "%s[%s] : %s = %s" % (n, box, x.dtype, b)
                   for n, b in zip(["@", "@b"], bodies)]
        return "scan %s %s %s" % (along, "backward" if back else "forward",
                                  ",\n     ".join(results))


STEPS = {"gather": 5, "take": 3, "update": 5, "segment": 3, "shift_by": 4, "csr": 3,
         "scan": 7}
