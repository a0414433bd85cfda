# SPDX-License-Identifier: MIT
"""The same elements along other axes."""

import builtins as _b
import operator

from . import _core
from ._array import SubscriptError
from ._convert import asarray
from ._lengths import text

__all__ = ["reshape", "permute_dims", "matrix_transpose", "moveaxis",
           "expand_dims", "squeeze", "flip", "roll", "broadcast_to",
           "broadcast_shapes", "broadcast_arrays", "concat", "stack", "unstack",
           "tile"]


def shape_text(shape):
    """A shape as the C API reads it."""
    return text(shape if isinstance(shape, (tuple, list)) else (shape,))


def axis_of(axis, ndim):
    """The number of an axis from the front."""
    k = operator.index(axis)
    if not -ndim <= k < ndim:
        raise SubscriptError(f"there is no axis {k} of {ndim}")
    return k % ndim


def axes_text(x, axis):
    """Axes as the C API has them: NULL for all."""
    if axis is None:
        return None
    listed = axis if isinstance(axis, (tuple, list)) else (axis,)
    return ", ".join(a if isinstance(a, str) else str(axis_of(a, x.ndim))
                     for a in listed)


def flat(x):
    """The elements along one axis."""
    return x if x.ndim == 1 else _core.reshape_to(x, "-1", None)


def reshape(x, /, shape, *, copy=None):
    """The elements in C order on another shape."""
    if copy is False and x.storage is None:
        raise ValueError("copy=False: the array is not computed")
    made = _core.reshape_to(x, shape_text(shape), None)
    return asarray(made, copy=True) if copy else made


def permute_dims(x, /, axes):
    """Axis k of the result is axis axes[k] of x."""
    return _core.permute(x, tuple(axis_of(a, x.ndim) for a in axes))


def matrix_transpose(x, /):
    """Matrices with their axes exchanged."""
    return x.mT


def moveaxis(x, source, destination, /):
    """The axes at other places."""
    return _core.moveaxis(x, axes_text(x, source), axes_text(x, destination))


def expand_dims(x, /, axis):
    """With a new axis of length 1, or several."""
    if isinstance(axis, tuple):
        n = x.ndim + len(axis)
        places = sorted(axis_of(a, n) for a in axis)
        if len(set(places)) < len(places):
            raise ValueError(f"expand_dims: an axis is there twice in {axis}")
        for a in places:
            x = expand_dims(x, a)
        return x
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError(f"expand_dims: axis {axis} of {x.ndim + 1}")
    return _core.expand_dims(x, str(axis))


def squeeze(x, /, axis):
    """Without axes of length 1."""
    if isinstance(axis, tuple) and not axis:
        return x.alias()
    return _core.squeeze(x, axes_text(x, axis))


def flip(x, /, axis=None):
    """The order of elements reversed along axes."""
    if x.ndim == 0 or (isinstance(axis, tuple) and not axis):
        return x.alias()
    return _core.flip(x, axes_text(x, axis))


def roll(x, /, shift, axis=None):
    """Elements moved along axes, round their ends."""
    shifts = shift if isinstance(shift, tuple) else (shift,)
    if axis is None:
        for by in shifts:
            x = reshape(_core.roll(flat(x), "0", text((by,))), x.shape)
        return x
    axes = axis if isinstance(axis, tuple) else (axis,) * len(shifts)
    if len(shifts) == 1:  # the same along all of them
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts along {len(axes)} axes")
    for by, a in zip(shifts, axes):
        x = _core.roll(x, axes_text(x, a), text((by,)))
    return x


def broadcast_to(x, /, shape):
    """Axes of length 1 as long as wanted."""
    return _core.broadcast_to(x, shape_text(shape))


def broadcast_shapes(*shapes):
    """The shape of an operation on arrays of these shapes."""
    n = _b.max(map(len, shapes), default=0)
    made = [1] * n
    for shape in shapes:
        for k, length in enumerate(shape, n - len(shape)):
            if length != 1 and made[k] != 1 and made[k] != length:
                raise ValueError(f"shapes {shapes} do not fit together")
            made[k] = length if made[k] == 1 else made[k]
    return tuple(made)


def broadcast_arrays(*arrays):
    """Arrays on their common shape."""
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


def concat(arrays, /, axis=0):
    """Arrays one after another along an axis; None: as flat ones."""
    arrays = list(map(asarray, arrays))
    if axis is None:
        arrays, axis = [flat(x) for x in arrays], 0
    return _core.concat(arrays, str(axis))


def stack(arrays, /, axis=0):
    """Arrays one after another along a new axis."""
    arrays = list(map(asarray, arrays))
    if not arrays:
        raise ValueError("stack: there is no array")
    return _core.stack(arrays, axis_of(axis, arrays[0].ndim + 1))


def unstack(x, /, axis=0):
    """The parts of an array along an axis."""
    axis = axis_of(axis, x.ndim)
    front = (slice(None),) * axis
    return tuple(x[(*front, i)] for i in range(x.shape[axis]))


def tile(x, repetitions, /):
    """The array several times over along each axis."""
    if repetitions == ():
        return x.alias()
    return _core.tile(x, shape_text(repetitions))
