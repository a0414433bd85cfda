# SPDX-License-Identifier: MIT
"""Methods of arrays, with the parameters that NumPy's have: NumPy itself calls
them, `np.sum(x, axis=1)` is `x.sum(axis=1, out=None)`."""

import inspect

from . import (_creation, _elementwise, _products, _reductions, _search,
               _shapes)
from ._array import NoElements, tracing
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
    if decimals == 0 or (decimals > 0 and self.dtype.kind not in "fc"):
        return _elementwise.round(self)
    if self.dtype.kind in "ui":
        return astype(round(astype(self, "float64"), decimals), self.dtype)
    scale = float(f"1e{abs(decimals)}")
    if decimals < 0:
        return _elementwise.round(self / scale) * scale
    return _elementwise.round(self * scale) / scale


def copy(self):
    """An array of the same elements, in memory of its own."""
    return asarray(self, copy=True)


def dot(self, other, out=None):
    """The product of vectors and matrices; of more axes the sum over the last
    one of the first array and the last but one of the second."""
    _no_output(out)
    x, y = asarray(self), asarray(other)
    if 0 in (x.ndim, y.ndim):
        return x * y
    if y.ndim <= 2:
        return x @ y
    return _products.tensordot(x, y, axes=((x.ndim - 1,), (y.ndim - 2,)))


def swapaxes(self, axis1, axis2):
    """Two axes exchanged."""
    axes = list(range(self.ndim))
    i, j = (_shapes.axis_of(a, self.ndim) for a in (axis1, axis2))
    axes[i], axes[j] = j, i
    return _shapes.permute_dims(self, tuple(axes))


def take(self, indices, axis=None):
    """The elements at indices along an axis; without one as if flat."""
    x = _shapes.flat(self) if axis is None else self
    return _search.take(x, asarray(indices), axis=axis or 0)


def repeat(self, repeats, axis=None):
    """Each element several times over."""
    return _search.repeat(self, repeats, axis=axis)


def argsort(self, axis=-1):
    """The order in which the elements along an axis do not fall."""
    return _search.argsort(self, axis=axis)


def nonzero(self):
    """For each axis the indices of the elements that are not 0."""
    return _search.nonzero(self)


def conj(self):
    """The conjugate of complex elements; others as they are."""
    return _elementwise.conj(self) if self.dtype.kind == "c" else self.alias()


def _real(self):
    """The real parts of the elements."""
    return _elementwise.real(self) if self.dtype.kind == "c" else self.alias()


def _imag(self):
    """The imaginary parts of the elements."""
    return _elementwise.imag(self) if self.dtype.kind == "c" else \
        _creation.zeros_like(self)


# Functions of NumPy that are Ilex's where these take the arguments.
_SAME = (
    "where stack concatenate einsum sort argsort tile roll tensordot "
    "expand_dims moveaxis broadcast_to flip searchsorted repeat meshgrid diff "
    "angle argwhere count_nonzero cumulative_prod cumulative_sum isin "
    "matrix_transpose permute_dims take take_along_axis tril triu unstack "
    "cholesky det inv solve").split()
_LIKE = "zeros_like", "ones_like", "full_like", "empty_like"


def _counterpart(func):
    """What is called for a function of NumPy, or None. Arrays like others are
    those of NumPy, which can be written to, outside of traces."""
    import ilex
    name, own = func.__name__, {"concatenate": ilex.concat, "dot": dot,
                                "take": take}
    if name in _LIKE and tracing():
        return getattr(ilex, name)
    if name != "dot" and name not in _SAME:
        return None
    return getattr(ilex.linalg, name, None) \
        if func.__module__ == "numpy.linalg" else \
        own.get(name) or getattr(ilex, name, None)


def _takes(f, args, kwargs):
    try:
        inspect.signature(f).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _arguments(func, f, args, kwargs):
    """Those of f for those of NumPy's function, which may come in order where
    f takes them by name; None: f does not take them."""
    if _takes(f, args, kwargs):
        return args, kwargs
    try:
        names = list(inspect.signature(func).parameters)
    except ValueError:  # of a function in C
        return None
    named = {**dict(zip(names[1:], args[1:])), **kwargs}
    return (args[:1], named) if _takes(f, args[:1], named) else None


def array_function(self, func, types, args, kwargs):
    """What NumPy's function gives: what Ilex's does, or NumPy's of the
    elements."""
    f = _counterpart(func)
    own = f and _arguments(func, f, args, kwargs)
    if own:
        return f(*own[0], **own[1])
    try:
        return func._implementation(*args, **kwargs)
    except NoElements:
        raise NoElements(
            f"{func.__module__}.{func.__name__} has no counterpart in Ilex "
            "that takes these arguments, and NumPy's asks for elements, which "
            "an array that ilex.jit traces, or a loop carries, does not have "
            "yet: write it with functions of ilex, or call it outside of what "
            "is compiled") from None


def attach(array):
    """Gives a class the methods."""
    made = {"reshape": reshape, "squeeze": squeeze, "flatten": flatten,
            "ravel": flatten, "transpose": transpose, "clip": clip,
            "round": round, "copy": copy, "dot": dot, "swapaxes": swapaxes,
            "take": take, "repeat": repeat, "argsort": argsort,
            "nonzero": nonzero, "conj": conj, "conjugate": conj,
            "__array_function__": array_function}
    for how, names in ((_reducing, "sum prod mean"),
                       (_choosing, "max min any all argmax argmin"),
                       (_spreading, "var std")):
        made |= {n: how(getattr(_reductions, n)) for n in names.split()}
    made |= {"cumsum": _cumulating(_reductions.cumulative_sum),
             "cumprod": _cumulating(_reductions.cumulative_prod)}
    array.real, array.imag = property(_real), property(_imag)
    array.itemsize = property(lambda self: self.dtype.itemsize,
                              doc="Bytes of an element.")
    array.nbytes = property(lambda self: self.size * self.dtype.itemsize,
                            doc="Bytes of the elements.")
    for name, method in made.items():
        method.__doc__ = method.__doc__ or getattr(
            _reductions, name.replace("cum", "cumulative_")).__doc__
        method.__name__, method.__qualname__ = name, f"Array.{name}"
        setattr(array, name, method)
