# SPDX-License-Identifier: MIT
"""Lengths that are not numbers yet: those of what `ilex.jit` traces."""

import math
import operator
import re

from . import _core


class Specialise(BaseException):
    """A trace wants the value of sizes: it is made again with them. What it
    traces does not catch it."""

    def __init__(self, sizes):
        super().__init__("the value of a length is needed: " +
                         ", ".join(sizes))
        self.sizes = sizes


class Narrow(BaseException):
    """A trace meets an integer with a dtype that may lack it: it is made again
    with an argument of that dtype."""

    def __init__(self, name, dtype):
        super().__init__(f"{name} has to be of {dtype.name}")
        self.entry = (name, dtype)


def _least(size):
    """The least value of a size, of a product or a quotient of sizes: a trace
    assumes that those that a call brings are at least 2."""
    return 1 if size.startswith("ceil(") else 0 if "(" in size else 2

# How lengths are called that elements decide.
COUNTED = "_ilex_len_"


class Length:
    """constant + factor*size + ...: an integer that a call brings. What asks
    for its value, as `int` and `range` do, makes a trace one for this value."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant, terms):
        self.constant, self.terms = constant, terms

    @staticmethod
    def of(form):
        """A length as the core tells it: an integer, or (constant, factor,
        size, ...)."""
        if isinstance(form, int):
            return form
        terms = dict(zip(form[2::2], form[1::2]))
        return Length(form[0], terms)

    @property
    def form(self):
        flat = [x for size, k in self.terms.items() for x in (k, size)]
        return (self.constant, *flat)

    @property
    def sizes(self):
        """The sizes that the value depends on, those in quotients too."""
        words = re.findall(r"[A-Za-z_]\w*", " ".join(self.terms))
        return tuple(w for w in words if w not in ("ceil", "min", "max"))

    def __repr__(self):
        words = [s if k == 1 else f"{k}*{s}" for s, k in self.terms.items()]
        if self.constant or not words:
            words.append(str(self.constant))
        return "+".join(words).replace("+-", "-")

    __str__ = __repr__

    # ---- arithmetic ----

    def _plus(self, other, sign):
        if isinstance(other, Length):
            constant, more = other.constant, other.terms
        elif isinstance(other, int):
            constant, more = other, {}
        elif isinstance(other, (float, complex)):
            return self._number() + sign * other
        else:
            return NotImplemented
        terms = dict(self.terms)
        for size, k in more.items():
            terms[size] = terms.get(size, 0) + sign * k
        terms = {s: k for s, k in terms.items() if k}
        constant = self.constant + sign * constant
        return Length(constant, terms) if terms else constant

    def __add__(self, other):
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return self._plus(other, -1)

    def __rsub__(self, other):
        return (-self)._plus(other, 1)

    def __neg__(self):
        return self * -1

    def __mul__(self, other):
        if isinstance(other, Length):
            return int(self) * int(other)
        if isinstance(other, (float, complex)):
            return self._number() * other
        if not isinstance(other, int):
            return NotImplemented
        if other == 0:
            return 0
        return Length(self.constant * other,
                      {s: k * other for s, k in self.terms.items()})

    __rmul__ = __mul__

    def _number(self):
        """An array where elements decide, which no trace has."""
        return self.array if any(COUNTED in s for s in self.sizes) else \
            int(self)

    def __int__(self):
        raise Specialise(self.sizes)

    __index__ = __int__

    def __float__(self):
        return float(int(self))

    def __format__(self, spec):
        return format(int(self), spec) if spec else str(self)

    def __floordiv__(self, other):
        if type(other) is not int or other < 1:
            return int(self) // other
        whole, rest = (
            Length(f(self.constant, other),
                   {s: f(k, other) for s, k in self.terms.items()}) + 0
            for f in (operator.floordiv, operator.mod))
        if isinstance(rest, Length):  # of which no number is negative
            from ._dtypes import as_dtype
            made = _core.filled(f"({rest})//{other}", False,
                                as_dtype("bool").number)
            return whole + Length.of(made.lengths[0])
        return whole

    def __rfloordiv__(self, other):
        return other // int(self)

    def __mod__(self, other):
        return self - self // other * other

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, other):
        return int(self) ** other

    def __rpow__(self, other):
        return other ** int(self)

    def __rmod__(self, other):
        return other % int(self)

    def __rdivmod__(self, other):
        return divmod(other, int(self))

    def __abs__(self):
        return abs(int(self))

    def __round__(self, digits=None):
        return self

    def __pos__(self):
        return self

    def __truediv__(self, other):
        return self.array / other

    def __rtruediv__(self, other):
        return other / self.array

    def sqrt(self):
        """What NumPy's sqrt calls."""
        return math.sqrt(int(self))

    @property
    def array(self):
        """The length as an array of rank 0."""
        from ._array import Weak
        total = _core.i64(self.constant)
        for size, k in self.terms.items():
            total = _core.add(total, _core.multiply(_core.size(size), k))
        total.__class__ = Weak
        return total

    # ---- comparisons ----

    def _sign(self, other):
        """-1, 0 or 1 of self - other, if all sizes agree in it."""
        d = self - other
        if d is NotImplemented:
            raise TypeError(f"a length is not compared with {other!r}")
        if not isinstance(d, Length):
            return (d > 0) - (d < 0)
        up = all(k > 0 for k in d.terms.values())
        down = all(k < 0 for k in d.terms.values())
        least = d.constant + sum(k * _least(s) for s, k in d.terms.items())
        if up and least > 0:
            return 1
        if down and least < 0:
            return -1
        raise Specialise(d.sizes)

    def __eq__(self, other):
        if not isinstance(other, (int, Length)):
            return isinstance(other, float) and int(self) == other
        return self._sign(other) == 0

    def __lt__(self, other):
        return self._sign(other) < 0

    def __le__(self, other):
        return self._sign(other) <= 0

    def __gt__(self, other):
        return self._sign(other) > 0

    def __ge__(self, other):
        return self._sign(other) >= 0

    def __bool__(self):
        return self._sign(0) != 0

    def __hash__(self):
        return hash(int(self))


def text(lengths):
    """A shape as the C API reads it."""
    return ", ".join(str(n if isinstance(n, Length) else operator.index(n))
                     for n in lengths)
