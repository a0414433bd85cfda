# SPDX-License-Identifier: MIT
"""Fields: arrays whose axes have names. Operands meet by the names of their
axes, a shift reads at other points, a halo lies around a field, and what leaves
it is an error before anything runs.

    from ilex.fields import Axis, field, restrict
    I, J = Axis("I"), Axis("J")
    u = field(memory, "IJ", halo=((1, 1), (1, 1)))
    lap = u[I + 1] + u[I - 1] + u[J + 1] + u[J - 1] - 4*u
    v = restrict(lap, u)             # on the points of u inside its halo
"""

from . import _core
from ._array import Array
from ._convert import asarray
from ._fields import Axis, Shift, shifted
from ._lengths import text

__all__ = ["Axis", "Shift", "domain", "field", "index", "restrict", "shift"]


def field(obj, axes, halo=None):
    """A field over the memory of an array, shared: "IJ", or "I, Cell" for
    longer names. `halo`: the widths, low and high, of each axis; the points
    inside it are numbered from 0."""
    x = asarray(obj)._computed()
    widths = None if halo is None else [w for pair in halo for w in pair]
    return _core.data(_core.storage(x, axes, widths))


def index(axis):
    """The index along an axis, at every point of it."""
    return _core.index(getattr(axis, "name", axis))


def shift(x, **by):
    """x at other points: shift(u, I=1) is u[I + 1]."""
    return shifted(x, tuple(Shift(a, k) for a, k in by.items()))


def restrict(x, where):
    """x on a domain, "I:1:5, J:8", or on that of another field."""
    return _core.restrict(x, where.domain if isinstance(where, Array)
                          else str(where))


def domain(**axes):
    """A domain as text, of lengths that may be symbols: domain(I=n, J=(1, m))
    is "I:n, J:1:m"."""
    return ", ".join(
        f"{a}:{text(r).replace(', ', ':')}" if isinstance(r, tuple)
        else f"{a}:{r}" for a, r in axes.items())
