# SPDX-License-Identifier: MIT
"""Subscripts, and arrays with other elements in places."""

import math
import operator

from . import _core
from ._array import Array, SubscriptError, tracing
from ._convert import asarray
from ._generated import ShapeError
from ._lengths import Length, text


class At:
    """What stands behind `x.at`."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __getitem__(self, key):
        return _Place(self.array, key)


class _Place:
    """Elements of an array: others can be put in their place."""

    __slots__ = ("array", "key")

    def __init__(self, array, key):
        self.array, self.key = array, key

    def _with(self, f, value):
        x = self.array.alias()  # whatever becomes of it meanwhile
        _check_number(value, x.dtype)
        value = asarray(value)
        if value.dtype.kind == "c" and x.dtype.kind != "c":
            raise TypeError("complex values are no elements of "
                            f"{x.dtype.name}; take ilex.real of them")
        if value.type != x.type:
            value = _core.cast(value, x.dtype.number)
        items = entries(self.key)
        masks = [i for i in items if is_mask(i)]
        if len(items) == 1 and masks and value.ndim == 0 and (
                is_flag(items[0]) or masks[0].lengths == x.lengths):
            return _core.where(masks[0], self._whole(f, value), x)
        items = without_masks(x, items)
        if None in [i for i in items if not isinstance(i, Array)]:
            if any(isinstance(i, Array) for i in items):
                raise NotImplementedError(
                    "an update of a place with both None and arrays of "
                    "indices; take the None away")
            shape = x[self.key].shape
            while value.ndim > len(shape) and value.shape[0] == 1:
                value = value[0]
            value = _core.broadcast_to(value, text(shape))
            items = tuple(i for i in items if i is not None)
        place = _core.subscript(x, items)
        try:
            if value.ndim > place.ndim:
                value = _core.reshape_to(value, text(place.shape), None)
            if _core.identical(place, x):
                return self._whole(f, value)
            return f(x, place, value)
        except ShapeError:
            if any(map(is_mask, items)):
                raise ShapeError(
                    "how many elements a mask has is not known in a compiled "
                    "function: set one number, or take ilex.where") from None
            raise ShapeError(f"a value of shape ({text(value.shape)}) for "
                             f"elements of shape ({text(place.shape)})") \
                from None

    def _whole(self, f, value):
        """The same where every element is meant."""
        plain = {_core.add_at: _core.add, _core.prod_at: _core.multiply,
                 _core.max_at: _core.maximum, _core.min_at: _core.minimum}
        if f in plain:
            return plain[f](self.array, value)
        return _core.broadcast_to(value, text(self.array.shape))

    def set(self, value):
        """The array with these elements."""
        return self._with(_core.update, value)

    def add(self, value):
        """The array with these added to its elements, one after another."""
        return self._with(_core.add_at, value)

    def multiply(self, value):
        """The array with its elements multiplied by these."""
        return self._with(_core.prod_at, value)

    def max(self, value):
        """The array with the larger of its elements and these."""
        return self._with(_core.max_at, value)

    def min(self, value):
        """The array with the smaller of its elements and these."""
        return self._with(_core.min_at, value)


def _check_number(value, dtype):
    """A number of Python that becomes an element of an integer's dtype."""
    if dtype.kind not in "iu":
        return
    if type(value) is float and not math.isfinite(value):
        raise ValueError(f"{value} is no element of {dtype.name}")
    signed = dtype.kind == "i"
    end = 1 << (8 * dtype.itemsize - signed)
    if type(value) is int and not -end * signed <= value < end:
        raise OverflowError(f"{value} is no element of {dtype.name}")


def is_mask(item):
    """Is it an array that says of elements whether they are meant?"""
    return isinstance(item, Array) and item.type == "bool"


def is_there(x):
    """Are its elements computed?"""
    return not isinstance(x, Array) or x.storage is not None


def is_flag(item):
    """The same of rank 0?"""
    return is_mask(item) and item.ndim == 0


_compiled = {}  # functions whose results have lengths of their own


def counted(f, *args):
    """f(*args), whose length is that of its elements. Outside of a trace it is
    computed at once, by a function that is compiled for all arrays of a kind:
    a context keeps each size that it counts. So it is in one, of what is there.
    """
    if tracing() and not all(map(is_there, args)):
        return f(*args)
    if f not in _compiled:
        from ._jit import Jit
        _compiled[f] = Jit(lambda *args: f(*args))
        _compiled[f].quiet = True
    return _compiled[f](*args)


def _nonzero(mask):
    return tuple(_core.nonzero(mask, k) for k in range(mask.ndim))


def places(mask):
    """For each axis the indices of the elements that are true."""
    return counted(_nonzero, mask)


def without_masks(x, items):
    """The entries with the places where masks are true instead of these; the
    core takes masks that are traced."""
    masks = [i for i in items if is_mask(i)]
    if not masks or (tracing() and not all(map(is_there, masks))):
        return items
    taken = sum(i.ndim if is_mask(i) else 1 for i in items
                if i is not None and i is not Ellipsis)
    made, axis = [], 0
    for i in items:
        n = 0 if i is None else x.ndim - taken if i is Ellipsis else \
            i.ndim if is_mask(i) else 1
        if is_mask(i):
            _check_mask(i.shape, x.shape[axis:axis + n])
        made.extend(places(i) if is_mask(i) and n else (i,))
        axis += n
    return tuple(made)


def _check_mask(own, axes):
    """A mask has the lengths of its axes, or none."""
    if len(own) != len(axes) or not all(m in (n, 0)
                                        for m, n in zip(own, axes)):
        raise SubscriptError(f"a mask of {own} for axes of {axes}")


def entries(key):
    """The entries of a subscript as the core reads them."""
    return tuple(map(_item, key if isinstance(key, tuple) else (key,)))


def _item(i):
    if i is None or i is Ellipsis or type(i) is int:
        return i
    if type(i) is slice:
        return slice(_end(i.start), _end(i.stop),
                     None if i.step is None else operator.index(i.step))
    if isinstance(i, Length):
        return i.form
    if isinstance(i, Array):
        return i
    if type(i) is list and not i:
        return asarray(i, dtype="int64")
    if isinstance(i, (bool, list)) or hasattr(i, "__array_interface__") or \
            hasattr(i, "__dlpack__"):
        return asarray(i)
    try:
        return operator.index(i)
    except TypeError:
        raise IndexError(f"{i!r} is no index: integers, slices, None, ... and "
                         "arrays of integers or bool are") from None


def _end(i):
    if i is None or type(i) is int:
        return i
    return i.form if isinstance(i, Length) else operator.index(i)
