# SPDX-License-Identifier: MIT
"""Parts of fields by a condition on indices: concat_where.

Each comparison is a place where two fields meet, one below it and one from
there on, as in Ilex; joined conditions and == are several. Along other axes
domains and what is known intersect, so the result is known beyond its domain
where both are."""

import numpy as np

from forms import Axis
from meaning import Undefined
from steps import MOST, Step


class Conditions:
    def end(self, own, at, side, gone, known):
        """Where the result ends on a side, 0 below and 1 above: where the
        field of this side does, or, if it has no point, the other one."""
        le = self.p.sizes.le
        mine, theirs = [
            (a.vhi if known else a.hi) if side else (a.vlo if known else a.lo)
            for a in (own[side], own[1 - side])]
        if gone[side]:
            nearer = self.p.sizes.smaller if side else self.p.sizes.larger
            end = nearer(theirs, at)
        else:
            some = le(at, own[1].hi) if side else le(own[0].lo, at)
            end = mine if some or mine == theirs else None
        if end is None:
            raise Undefined
        return end

    def joined_axes(self, k, at, sides, gone):
        """The axes of the result, which those of the sides are called like."""
        own = [s.axes[k] for s in sides]
        rest = self.p.join_named([
            Step([], s.axes[:k] + s.axes[k + 1:], 0, None) for s in sides])
        if rest is None:
            raise Undefined
        for a in rest:
            each = [b for s in sides for b in s.axes if b.name == a.name]
            if not self.p.sizes.le(a.vlo, a.vhi) or \
                    self.p.apart(a.known(), [b.known() for b in each]):
                raise Undefined
        axis = Axis(own[0].name, *[self.end(own, at, side, gone, known)
                                   for known in (False, True)
                                   for side in (0, 1)])
        if not self.p.sizes.le(axis.lo, axis.hi):
            raise Undefined
        return [axis if i == k else next(b for b in rest if b.name == a.name)
                for i, a in enumerate(sides[0].axes)]

    def meet(self, k, at, below, above):
        """below where the index of axis k is less than "at", else above."""
        sizes, sides = self.p.sizes, [below, above]
        gone = [sizes.le(at, below.axes[k].lo),
                sizes.le(above.axes[k].hi, at)]
        if all(gone):
            raise Undefined
        axes = self.joined_axes(k, at, sides, gone)
        if np.prod(self.p.shape(axes), dtype=float) > MOST:
            raise Undefined
        a, v = axes[k], sizes.value
        if not any(gone) and not v(a.vlo) <= v(at) <= v(a.vhi):
            raise Undefined

        def part(side, lo, hi):
            return self.p.interior(sides[side], [
                Axis(b.name, *((lo, hi) if b is a else (b.vlo, b.vhi)))
                for b in axes])
        value = part(int(gone[0]), a.vlo, a.vhi) if any(gone) else \
            np.concatenate([part(0, a.vlo, at), part(1, at, a.vhi)], k)
        return Step([], axes, value, None)

    def compared(self, k, op, at, x, y):
        """x where the index of axis k compares so with "at", else y."""
        after = at + 1
        return {
            "<": lambda: self.meet(k, at, x, y),
            "<=": lambda: self.meet(k, after, x, y),
            ">": lambda: self.meet(k, after, y, x),
            ">=": lambda: self.meet(k, at, y, x),
            "==": lambda: self.meet(k, at, y, self.meet(k, after, x, y)),
            "!=": lambda: self.meet(k, at, x, self.meet(k, after, y, x)),
        }[op]()

    def comparison(self, x):
        """An axis, an operator, a bound near an end of the axis."""
        r = self.r
        k = r.randrange(len(x.axes))
        a = x.axes[k]
        by = r.choice([0, 1, 1, 2, 3])
        at = a.lo + by if self.chance(50) else a.hi - by
        return k, r.choice(["<", "<", ">=", ">=", "<=", ">", "==", "!="]), at

    def condition_text(self, x, comparison):
        k, op, at = comparison
        name, bound = x.axes[k].spelled(self.r), at.text()
        if self.chance(30):
            name = "index(%s)" % name
        if self.chance(30):
            op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
            return "%s %s %s" % (bound, op, name)
        return "%s %s %s" % (name, op, bound)

    def step_concat_where(self):
        r = self.r
        x = self.pick(lambda s: s.named())
        y = r.choice([s for s in self.p.steps if s.dtype == x.dtype and
                      [a.name for a in s.axes] == [a.name for a in x.axes]])
        tests = [self.comparison(x) for _ in range(r.choice([1, 1, 1, 2]))]
        either = self.chance(50)
        made = [x, y]
        for k, op, at in reversed(tests):
            made[either] = self.compared(k, op, at, *made)
        condition = (" || " if either else " && ").join(
            self.condition_text(x, t) for t in tests)
        x.inline = y.inline = False
        x.held = y.held = True
        return self.p.add(Step(
            [x, y], made[either].axes, made[either].value,
            lambda refs: "concat_where(%s, %s, %s)" % (condition, refs[0],
                                                       refs[1]),
            exact=x.exact and y.exact))


STEPS = {"concat_where": 4}
