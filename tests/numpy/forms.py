# SPDX-License-Identifier: MIT
"""Sizes, linear forms in them, boxes; what can be proved from assumptions.

A form is proved to be >= 0 if its coefficients are and its least value is:
weaker than what Ilex knows, so that a refusal is worth a look."""

from meaning import Undefined


class Form:
    """c + sum of k*size; a product of sizes is the text "m*n", sorted."""

    def __init__(self, c=0, terms=()):
        self.c = c
        self.terms = tuple(sorted((s, k) for s, k in dict(terms).items() if k))

    def __add__(self, other):
        if not isinstance(other, Form):
            return Form(self.c + other, self.terms)
        t = dict(self.terms)
        for s, k in other.terms:
            t[s] = t.get(s, 0) + k
        return Form(self.c + other.c, t)

    def __mul__(self, k):
        if isinstance(k, Form):
            total = self * k.c
            for s, v in k.terms:
                total += Form(0, {s: v * self.c})
                for t, w in self.terms:
                    names = sorted(s.split("*") + t.split("*"))
                    if len(names) > 4:
                        raise Undefined
                    total += Form(0, {"*".join(names): v * w})
            return total
        return Form(self.c * k, {s: k * v for s, v in self.terms})

    def __sub__(self, other):
        return self + (other * -1 if isinstance(other, Form) else -other)

    def __eq__(self, other):
        return (self.c, self.terms) == (other.c, other.terms)

    def __hash__(self):
        return hash((self.c, self.terms))

    def constant(self):
        return not self.terms

    def divisible(self, k):
        return self.c % k == 0 and all(v % k == 0 for _, v in self.terms)

    def over(self, k):
        return Form(self.c // k, {s: v // k for s, v in self.terms})

    def text(self):
        out = ""
        for s, k in self.terms:
            sign = "-" if k < 0 else "+" if out else ""
            out += sign + (s if abs(k) == 1 else "%d*%s" % (abs(k), s))
        if self.c or not out:
            out += ("+" if out and self.c > 0 else "") + str(self.c)
        return out


class Sizes:
    """Names of sizes with least values, moduli and values of this run."""

    def __init__(self, rows):
        self.rows = rows  # name: (least, modulus, value)
        self.counted = {}  # name: (its step, the number, the most it may be)

    def row(self, name):
        return self.rows[name] if name in self.rows else \
            (0, 1, self.counted[name][1])

    def product(self, names, column):
        value = 1
        for name in names.split("*"):
            value *= self.row(name)[column]
        return value

    def most(self, form):
        """The largest value, whatever the run counts."""
        total = form.c
        for s, k in form.terms:
            low = high = 1
            for name in s.split("*"):
                free = name in self.counted
                low *= 0 if free else self.row(name)[2]
                high *= self.counted[name][2] if free else self.row(name)[2]
            total += k * (high if k > 0 else low)
        return total

    def counts_of(self, axes):
        """The steps of the counted sizes that axes mention."""
        names = {name for a in axes for f in (a.lo, a.hi, a.vlo, a.vhi)
                 for s, _ in f.terms for name in s.split("*")}
        return [self.counted[n][0] for n in sorted(names) if n in self.counted]

    def value(self, form):
        return form.c + sum(k * self.product(s, 2) for s, k in form.terms)

    def nonneg(self, form):
        """Provably >= 0."""
        least = form.c
        for s, k in form.terms:
            if k < 0:
                return False
            least += k * self.product(s, 0)
        return least >= 0

    def le(self, a, b):
        return self.nonneg(b - a)

    def larger(self, a, b):
        """The larger one, None if that depends on the sizes."""
        return b if self.le(a, b) else a if self.le(b, a) else None

    def smaller(self, a, b):
        return a if self.le(a, b) else b if self.le(b, a) else None

    def text(self):
        if not self.rows:
            return []
        lines = ["size " + ", ".join(self.rows)]
        parts = []
        for s, (least, modulus, _) in self.rows.items():
            if least > 0:
                parts.append("%s >= %d" % (s, least))
            if modulus > 1:
                parts.append("%s %% %d == 0" % (s, modulus))
        if parts:
            lines.append("assume " + " && ".join(parts))
        return lines


class Axis:
    """A range with an optional name; what is readable beyond it."""

    def __init__(self, name, lo, hi, vlo=None, vhi=None):
        self.name, self.lo, self.hi = name, lo, hi
        self.vlo = lo if vlo is None else vlo
        self.vhi = hi if vhi is None else vhi

    def text(self):
        if self.name is None:
            return self.hi.text()
        if self.lo == Form(0):
            return "%s:%s" % (self.name, self.hi.text())
        return "%s:%s:%s" % (self.name, self.lo.text(), self.hi.text())

    def plain(self):
        return Axis(self.name, self.lo, self.hi)

    def known(self):
        return Axis(self.name, self.vlo, self.vhi)

    def stem(self):
        return self.name.replace("+1/2", "")

    def spelled(self, rng):
        """A name by which an array's axis is found: its own, or without the
        half."""
        return rng.choice([self.name, self.stem()])

    def key(self):
        return (self.name, self.lo, self.hi)

    def whole(self):
        return self.lo == self.vlo and self.hi == self.vhi


def box_text(axes):
    return ", ".join(a.text() for a in axes)


def map_text(axes):
    """The same where axes are named on purpose, whatever is read. A staggered
    one is; its index is called by its number."""
    return ", ".join("%s=%s" % (a.name, a.text())
                     if a.name and "/" not in a.name else a.text()
                     for a in axes)
