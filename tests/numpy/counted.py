# SPDX-License-Identifier: MIT
"""Steps with lengths that a run counts: elements under a mask, where a mask is
true, and what is made of the length itself.

A counted size is a step of rank 0, written as a `size` statement. It is a size
of forms like any other, of which only 0 <= c is proved here; steps whose axes
mention it need its statement (Program.closure)."""

import numpy as np

import meaning
from forms import Axis, Form
from meaning import KIND, Undefined
from steps import MOST, Step


class Count(Step):
    """size cN = count_nonzero(mask)"""

    def __init__(self, mask, value):
        super().__init__([mask], [], np.array(value, "i8"),
                         lambda refs: "count_nonzero(%s)" % refs[0], "size")

    name = property(lambda self: "c%d" % self.number)


class Counted:
    # ---- masks and their lengths ----

    def mask(self, fits):
        """An array that fits, true where it is not 0; mostly a comparison."""
        x = self.exact(fits)
        if KIND[x.dtype] in "iuf" and self.chance(70):
            v = x.value[np.isfinite(x.value)].ravel() if KIND[x.dtype] == "f" \
                else x.value.ravel()
            cut = int(v[self.r.randrange(v.size)]) if v.size and \
                abs(float(v[0])) < 1e6 and self.chance(70) else 1
            cut = max(0, min(cut, 100)) if KIND[x.dtype] == "u" else \
                max(-100, min(cut, 100))
            x = self.p.op(self.r.choice(["less", "greater_equal", "not_equal"]),
                          [x, cut])
        x.inline, x.held = False, True
        return x

    def count(self, mask):
        """The size of what the mask chooses, as a form."""
        for s in self.p.sizes.counted.values():
            if s[0].ops[0] is mask:
                return Form(0, {s[0].name: 1})
        chosen = int((mask.value != 0).sum())
        step = self.p.add(Count(mask, chosen))
        most = 1
        for a in mask.axes:
            most *= self.p.sizes.most(a.hi)
        self.p.sizes.counted[step.name] = (step, chosen, most)
        return Form(0, {step.name: 1})

    def boolean(self, m):
        """The mask as a subscript: other arrays are indices there."""
        return "%s" if m.dtype == "bool" else "%s != 0"

    def chosen(self, ops, axes, value, write):
        if value.size > MOST:
            raise Undefined
        for s in ops:
            s.inline, s.held = False, True
        return self.p.add(Step(ops, axes, np.ascontiguousarray(value)
                               .reshape(value.shape), write,
                               exact=ops[0].exact))

    # ---- steps ----

    def step_compress(self):
        """Elements of x under a mask of its shape, or of its first axes."""
        x = self.unnamed(1)
        n = self.r.randint(1, len(x.axes))
        shape = [a.hi for a in x.axes[:n]]

        def fits(s):
            return not s.named() and [a.hi for a in s.axes] == shape
        if not any(fits(s) and s.exact for s in self.p.steps):
            raise Undefined
        m = self.mask(fits)
        axes = self.forms([self.count(m)] + [a.hi for a in x.axes[n:]])
        whole = n == len(x.axes) and self.chance(50)
        text = "compress(%s, %s)" if whole else "%s[" + self.boolean(m) + "]"
        return self.chosen([x, m], axes, x.value[m.value != 0],
                           lambda refs: text % tuple(refs))

    def step_compress_axis(self):
        """What a mask of one axis chooses along it."""
        x = self.unnamed(1)
        k = self.r.randrange(len(x.axes))

        def fits(s):
            return not s.named() and [a.hi for a in s.axes] == [x.axes[k].hi]
        if not any(fits(s) and s.exact for s in self.p.steps):
            raise Undefined
        m = self.mask(fits)
        forms = [a.hi for a in x.axes]
        forms[k] = self.count(m)
        return self.chosen([x, m], self.forms(forms),
                           np.compress(m.value != 0, x.value, k),
                           lambda refs: "compress(%s, %s; axis=%d)" % (
                               refs[0], refs[1], k))

    def step_nonzero(self):
        """Where along an axis the true elements of a mask lie."""
        m = self.mask(lambda s: len(s.axes) > 0 and not s.named())
        k = self.r.randrange(len(m.axes))
        value = np.nonzero(m.value)[k].astype("i8")
        axis = "; axis=%d" % k if len(m.axes) > 1 or self.chance(50) else ""
        return self.chosen([m], self.forms([self.count(m)]), value,
                           lambda refs: "nonzero(%s%s)" % (refs[0], axis))

    def step_scatter(self):
        """What was chosen, changed and put back."""
        x = self.exact(lambda s: len(s.axes) > 0 and not s.named() and
                       KIND[s.dtype] in "iuf")
        m = self.mask(lambda s: not s.named() and
                      [a.hi for a in s.axes] == [a.hi for a in x.axes])
        self.count(m)
        values = self.r.choice(["", "flip"])
        at = m.value != 0
        value = x.value.copy()
        value[at] = value[at][::-1] if values else value[at]
        part = "{0}[" + self.boolean(m).replace("%s", "{1}") + "]"
        text = "update(%s, %s)" % (part, "flip(%s)" % part if values else part)
        return self.chosen([x, m], list(x.axes), value,
                           lambda refs: text.format(*refs))

    def step_counted_map(self):
        """A map over a counted length, which is a number in it, too."""
        if not self.p.sizes.counted:
            raise Undefined
        name = self.r.choice(list(self.p.sizes.counted))
        step, chosen, _ = self.p.sizes.counted[name]
        i = np.arange(chosen, dtype="i8")
        forms = [("size({0}) + 2*i", chosen + 2 * i),
                 ("i*i - size({0})", i * i - chosen),
                 ("size({0}) - 1 - i", chosen - 1 - i)]
        text, value = self.r.choice(forms)
        # no names of axes: the index of the only axis is _0
        body = text.format(name).replace("i*i", "_0*_0").replace("2*i", "2*_0")
        body = body.replace("- i", "- _0")
        s = self.chosen([step], self.forms([Form(0, {name: 1})]), value,
                        lambda refs: body)
        s.how = "map"
        return s

    def step_rest(self):
        """What is behind the first c elements, c <= length."""
        name = self.r.choice(sorted(self.p.sizes.counted) or [None])
        if name is None:
            raise Undefined
        step, chosen, _ = self.p.sizes.counted[name]
        mask = step.ops[0]
        if len(mask.axes) != 1:
            raise Undefined
        x = self.pick(lambda s: len(s.axes) == 1 and not s.named() and
                      s.axes[0].hi == mask.axes[0].hi)
        form = x.axes[0].hi - Form(0, {name: 1})
        behind = self.chance(50)
        value = x.value[chosen:] if behind else x.value[:chosen]
        return self.chosen([x, step],
                           self.forms([form if behind else
                                       Form(0, {name: 1})]), value,
                           lambda refs: "%s[%s]" % (
                               refs[0], name + ":" if behind else ":" + name))


STEPS = {"compress": 8, "compress_axis": 4, "nonzero": 4, "scatter": 3,
         "counted_map": 2, "rest": 3}
