# SPDX-License-Identifier: MIT
"""Methods of arrays, with the parameters that NumPy's have: NumPy itself calls
them, `np.sum(x, axis=1)` is `x.sum(axis=1, out=None)`."""

from . import _elementwise, _reductions, _shapes
from ._convert import asarray, astype


def _no_output(out):
    if out is not None:
        raise TypeError("out= of an array of Ilex: take the result")


def _reducing(f):
    def method(self, axis=None, dtype=None, out=None, keepdims=False):
        _no_output(out)
        return f(self, axis, dtype=dtype, keepdims=keepdims)
    return method


def _choosing(f):
    def method(self, axis=None, out=None, *, keepdims=False):
        _no_output(out)
        return f(self, axis, keepdims=keepdims)
    return method


def _spreading(f):
    def method(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False,
               *, correction=None):
        _no_output(out)
        x = self if dtype is None else astype(self, dtype)
        return f(x, axis, keepdims=keepdims,
                 correction=ddof if correction is None else correction)
    return method


def _cumulating(f):
    def method(self, axis=None, dtype=None, out=None):
        _no_output(out)
        x = _shapes.flat(self) if axis is None else self
        return f(x, 0 if axis is None else axis, dtype=dtype)
    return method


def reshape(self, *shape, order="C", copy=None):
    """x.reshape(2, 3), x.reshape((2, -1))"""
    if order != "C":
        raise ValueError(f"order={order!r}: the elements are taken in C order")
    return _shapes.reshape(self, shape[0] if len(shape) == 1 else shape,
                           copy=copy)


def squeeze(self, axis=None):
    """Without axes of length 1: those named, or all."""
    if axis is None:
        axis = tuple(k for k, n in enumerate(self.shape) if n == 1)
    return _shapes.squeeze(self, axis)


def flatten(self):
    """The elements along one axis."""
    return _shapes.reshape(self, (-1,))


def transpose(self, *axes):
    """The axes in another order, turned round without one."""
    if not axes or axes == (None,):
        axes = range(self.ndim)[::-1]
    elif len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        axes = axes[0]
    return _shapes.permute_dims(self, tuple(axes))


def clip(self, min=None, max=None, out=None):
    """The elements, those below or above a bound replaced by it."""
    _no_output(out)
    return _elementwise.clip(self, min, max)


def round(self, decimals=0, out=None):
    """The elements to so many decimals, halves to the even one."""
    _no_output(out)
    if decimals == 0 or self.dtype.kind not in "fc":
        return _elementwise.round(self)
    scale = 10.0 ** decimals
    return _elementwise.round(self * scale) / scale


def copy(self):
    """An array of the same elements, in memory of its own."""
    return asarray(self, copy=True)


def attach(array):
    """Gives a class the methods."""
    made = {"reshape": reshape, "squeeze": squeeze, "flatten": flatten,
            "ravel": flatten, "transpose": transpose, "clip": clip,
            "round": round, "copy": copy}
    for how, names in ((_reducing, "sum prod mean"),
                       (_choosing, "max min any all argmax argmin"),
                       (_spreading, "var std")):
        made |= {n: how(getattr(_reductions, n)) for n in names.split()}
    made |= {"cumsum": _cumulating(_reductions.cumulative_sum),
             "cumprod": _cumulating(_reductions.cumulative_prod)}
    for name, method in made.items():
        method.__doc__ = method.__doc__ or getattr(
            _reductions, name.replace("cum", "cumulative_")).__doc__
        method.__name__ = name
        setattr(array, name, method)
