# SPDX-License-Identifier: MIT
"""Axes of fields, and reading at other points along them."""

from collections import namedtuple

from . import _core

Shift = namedtuple("Shift", "axis by")


class Axis:
    """The axis of a name: u[I + 1] reads a field one point further along I,
    u[I + 0.5] at the staggered axis."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Axis({self.name!r})"

    def __add__(self, by):
        return Shift(self.name, by)

    def __sub__(self, by):
        return Shift(self.name, -by)


def is_shift(key):
    """Is a subscript one of shifts?"""
    return isinstance(key, (Axis, Shift)) or (
        type(key) is tuple and len(key) > 0 and
        isinstance(key[0], (Axis, Shift)))


def shifted(x, key):
    """x at the points that shifts say."""
    for s in (key,) if isinstance(key, (Axis, Shift)) else key:
        if not isinstance(s, (Axis, Shift)):
            raise IndexError(f"{s!r} beside shifts along axes; those alone "
                             "stand in such a subscript")
        name, by = (s.name, 0) if isinstance(s, Axis) else s
        halves = 2 * by
        if halves != int(halves):
            raise IndexError(f"a shift by {by}: it is a number of halves")
        x = _core.shift(x, name, int(by)) if halves % 2 == 0 else \
            _core.shift_halves(x, name, int(halves))
    return x
