# SPDX-License-Identifier: MIT
"""Elements that are looked for, sorted, counted."""

from collections import namedtuple

from . import _core
from ._array import Weak
from ._convert import asarray, astype
from ._creation import arange, zeros
from ._lengths import Length, text
from ._places import counted, places
from ._reductions import min as _least
from ._shapes import axis_of, broadcast_to, flat, reshape, stack

__all__ = ["repeat", "take", "take_along_axis", "nonzero", "argwhere",
           "searchsorted", "sort", "argsort", "top_k", "unique_values",
           "unique_counts", "unique_inverse", "unique_all", "isin"]


def repeat(x, repeats, /, axis=None):
    """Each element several times over."""
    if type(repeats) is Weak:
        repeats = int(repeats)  # of which the trace is made
    if not isinstance(repeats, (int, Length)):
        counts = asarray(repeats)
        if counts.dtype.kind not in "iu" and counts.shape != (0,):
            raise TypeError("repeat: how often is told by integers, not "
                            f"{counts.dtype.name}")
        if counts.size and int(_least(counts)) < 0:
            raise ValueError("repeat: how often is no negative number")
        counts = astype(counts, "int64")
        x = flat(x) if axis is None else x
        axis = axis or 0
        ends = _core.cumsum(broadcast_to(counts, (x.shape[axis],)), "0", 0)
        n = int(ends[-1]) if ends.shape[0] else 0
        at = searchsorted(ends, arange(n), side="right")
        return take(x, at, axis=axis)
    return _core.repeat(x, str(repeats), None if axis is None else str(axis))


def take(x, indices, /, axis=None):
    """The elements at indices along an axis."""
    if axis is None and x.ndim != 1:
        raise ValueError("take: say which axis")
    return _core.take(x, asarray(indices), str(axis or 0))


def take_along_axis(x, indices, /, *, axis=-1):
    """In each row along an axis the elements at indices."""
    return _core.take_along_axis(x, indices, str(axis))


def nonzero(x, /):
    """For each axis the indices of the elements that are not 0."""
    if x.ndim == 0:
        raise ValueError("nonzero: the array has rank 0")
    return places(x)


def argwhere(x, /):
    """The indices of the elements that are not 0, a row for each."""
    return stack(nonzero(x), axis=1)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where elements would be put into an array that is in order."""
    if sorter is not None:
        x1 = take(x1, sorter, axis=0)
    made = _core.searchsorted(x1, x2, side)
    return made


def _sorted(f, x, axis, descending, stable):
    if x.ndim == 0:
        return x if f is _core.sort else zeros((), dtype="int64")
    if axis is None:
        x, axis = flat(x), 0
    name = str(axis)
    if not descending:
        return f(x, name)
    n = x.shape[axis_of(axis, x.ndim)]
    order = _core.flip(_core.argsort(_core.flip(x, name), name), name)
    order = (n - 1) - order
    return take_along_axis(x, order, axis=axis) if f is _core.sort else order


def sort(x, /, axis=-1, *, descending=False, stable=True):
    """The elements of each row in order."""
    return _sorted(_core.sort, x, axis, descending, stable)


def argsort(x, /, axis=-1, *, descending=False, stable=True):
    """The indices that put each row in order."""
    return _sorted(_core.argsort, x, axis, descending, stable)


def top_k(x, k, /, *, axis=-1):
    """The k largest elements of each row, and their indices."""
    at = _core.arg_top_k(x, text((k,)), str(axis))
    return take_along_axis(x, at, axis=axis), at


def unique_values(x, /):
    """The elements that differ, in order."""
    return counted(_core.unique_values, flat(x))


def unique_counts(x, /):
    """The elements that differ, and how often each is there."""
    x = flat(x)
    return namedtuple("unique_counts", "values counts")(
        counted(_core.unique_values, x), counted(_core.unique_counts, x))


def unique_inverse(x, /):
    """The elements that differ, and which of them each element is."""
    row = flat(x)
    return namedtuple("unique_inverse", "values inverse_indices")(
        counted(_core.unique_values, row),
        reshape(_core.unique_inverse(row), x.shape))


def unique_all(x, /):
    """The elements that differ, where each is first, which of them each
    element is, and how often each is there."""
    row = flat(x)
    return namedtuple("unique_all",
                      "values indices inverse_indices counts")(
        counted(_core.unique_values, row),
        counted(_core.unique_indices, row),
        reshape(_core.unique_inverse(row), x.shape),
        counted(_core.unique_counts, row))


def isin(x, elements, /, *, invert=False):
    """Which elements are among others?"""
    made = _core.isin(asarray(x), flat(asarray(elements)))
    return _core.logical_not(made) if invert else made
