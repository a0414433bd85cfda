# SPDX-License-Identifier: MIT
"""Steps that read fields at the neighbours of a connectivity, and calls of
functions."""

import numpy as np

import meaning
from forms import Axis, Form
from meaning import DTYPE, KIND, Undefined
from steps import MOST, Step, literal_text

REDUCTIONS = ["sum", "sum", "max", "min", "prod", "any", "all"]


def neutral(name, dtype):
    """What stands for a neighbour that is skipped."""
    if name in ("max", "min"):
        kind, up = KIND[dtype], name == "min"
        if kind == "b":
            return np.array(up)
        if kind in "iu":
            info = np.iinfo(DTYPE[dtype])
            return DTYPE[dtype].type(info.max if up else info.min)
        if kind == "f":
            return DTYPE[dtype].type(np.inf if up else -np.inf)
        raise Undefined
    return DTYPE[dtype].type(name in ("prod", "all"))


class Regions:
    # ---- connectivities ----

    def connectivity(self, a):
        """A table of indices of axis "a", some of which may be skipped."""
        r, v = self.r, self.p.sizes.value
        low, high = v(a.vlo), v(a.vhi)
        extent = Axis("V", Form(0), r.choice(self.extents))
        axes = [extent, Axis("N", Form(0), Form(r.randint(1, 4)))]
        shape = self.p.shape(axes)
        dtype = r.choice(["i32", "i32", "i64", "i16", "u8"])
        skip = 255 if dtype == "u8" else r.choice([-1, -1, low - 1, high + 5])
        if not np.iinfo(DTYPE[dtype]).min <= min(low, skip) or \
                max(high, skip) > np.iinfo(DTYPE[dtype]).max:
            raise Undefined
        table = self.np.integers(low, max(high, low + 1), shape)
        there = self.np.integers(0, 3, shape) > 0
        if high <= low:
            there[...] = False
        if skip >= low and skip < high:  # skipped although it is an index
            there &= table != skip
        table = np.where(there, table, skip).astype(DTYPE[dtype])
        step = self.p.add(Step([], axes, table, None, "in"))
        step.arrow = " -> %s skip %d" % (a.spelled(r), skip) \
            if self.chance(50) else ""
        return step, there, skip

    def neighbours(self, x, k, table, there, other):
        """x at the entries, "other" where there is none."""
        first = self.p.sizes.value(x.axes[k].vlo)
        shape = x.value.shape[:k] + table.value.shape + x.value.shape[k + 1:]
        if np.prod(shape, dtype=float) > MOST:
            raise Undefined
        at = np.where(there, table.value.astype("i8") - first, 0)
        values = np.zeros(shape, x.value.dtype) if x.value.shape[k] == 0 \
            else np.take(x.value, at.ravel(), k).reshape(shape)
        mask = there.reshape(there.shape + (1,) * (x.value.ndim - k - 1))
        return np.where(mask, values, np.asarray(other, x.value.dtype))

    def remap_axes(self, x, k, table):
        return x.axes[:k] + table.axes + x.axes[k + 1:]

    def step_remap(self):
        """With a value for what is skipped, or reduced over the neighbours."""
        r = self.r
        x = self.pick(lambda s: s.named() and len(s.axes) < 4 and
                      not {"V", "N"} & {a.name for a in s.axes})
        k = r.randrange(len(x.axes))
        name = None if self.chance(35) else r.choice(REDUCTIONS)
        if name and not x.exact:
            raise Undefined
        table, there, skip = self.connectivity(x.axes[k])

        def call(refs, value=None):
            if table.arrow:
                return "remap(%s, %s%s)" % (
                    refs[0], refs[1], "; " + value if value else "")
            return "remap(%s, %s; to=%d, skip=%d%s)" % (
                refs[0], refs[1], k, skip,
                ", value=" + value if value else "")
        if name:
            return self.reduced(name, x, k, table, there, call)
        fill = True if KIND[x.dtype] == "b" else self.literal(x)
        if not isinstance(fill, int) and KIND[x.dtype] not in "fc":
            raise Undefined
        text = "true" if fill is True else literal_text(fill)
        return self.p.add(Step(
            [x, table], self.remap_axes(x, k, table),
            self.neighbours(x, k, table, there, fill),
            lambda refs: call(refs, text), exact=x.exact))

    def reduced(self, name, x, k, table, there, call):
        twice = KIND[x.dtype] in "iu" and self.chance(40)

        def flat(x):
            v = x.value + x.value if twice else x.value
            full = Step([], x.axes, v.astype(x.value.dtype), None)
            v = self.neighbours(full, k, table, there, neutral(name, x.dtype))
            return np.moveaxis(v, k + 1, -1)
        if not meaning.reducible(name, flat(x)):
            x = self.p.tamed(x, name, table.value.shape[1])
            if not meaning.reducible(name, flat(x)):
                raise Undefined
        value, exact = meaning.reduce(name, flat(x))
        axes = x.axes[:k] + table.axes[:1] + x.axes[k + 1:]

        def write(refs):
            read = call(refs)
            return "%s[N](%s)" % (name, "%s + %s" % (read, read)
                                  if twice else read)
        return self.p.add(Step([x, table], axes, np.array(value), write,
                               exact=exact))

    # ---- functions ----

    def step_call(self):
        """A function of one or two fields, of a few operators."""
        r, count = self.r, len(self.p.steps)
        args = [self.exact() for _ in range(r.choice([1, 2, 2]))]
        names, lines = ["p", "q"][:len(args)], []
        made = list(zip(args, names))
        try:
            for i in range(r.randint(1, 3)):
                one, other = r.choice(made), r.choice(made)
                name = r.choice(["add", "multiply", "maximum", "negative",
                                 "equal", "square"])
                use = [one, other][:meaning.OPS[name][0]]
                step = self.p.op(name, [s for s, _ in use])
                if not step.exact:
                    raise Undefined
                local = "v%d" % i
                write = step.write([t for _, t in use])
                lines.append("    let %s = %s" % (local, write))
                made.append((step, local))
        finally:
            del self.p.steps[count:]
        result = made[-1][0]
        number = len(self.p.steps)
        call = Step(args, result.axes, result.value,
                    lambda refs: "f%d(%s)" % (number, ", ".join(refs)),
                    exact=result.exact)
        call.function = ["function f%d(%s)" % (number, ", ".join(names))] + \
            lines + ["    return %s" % made[-1][1], "end"]
        return self.p.add(call)


STEPS = {"remap": 5, "call": 5}
