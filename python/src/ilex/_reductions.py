# SPDX-License-Identifier: MIT
"""Sums, means, extrema, along axes."""

from . import _core
from ._convert import astype
from ._creation import full
from ._names import comment
from ._shapes import axes_text, axis_of, concat


def _reduction(name, f, own_dtype=False):
    def plain(x, /, axis=None, *, keepdims=False):
        if isinstance(axis, tuple) and not axis:  # of each element by itself
            return f(_core.expand_dims(x, "0"), "0", False)
        return f(x, axes_text(x, axis), keepdims)

    def typed(x, /, axis=None, *, dtype=None, keepdims=False):
        if dtype is not None:
            x = astype(x, dtype)
        made = plain(x, axis=axis, keepdims=keepdims)
        return made if dtype is None else astype(made, dtype)

    function = typed if own_dtype else plain
    function.__name__ = function.__qualname__ = name
    function.__doc__ = comment(f)
    return function


__all__ = ["max", "min", "all", "any", "mean", "sum", "prod", "argmax", "argmin",
           "var", "std", "count_nonzero", "cumulative_sum", "cumulative_prod",
           "diff"]
for _name in ("max", "min", "all", "any"):
    globals()[_name] = _reduction(_name, getattr(_core, _name))
for _name in ("sum", "prod", "mean"):
    globals()[_name] = _reduction(_name, getattr(_core, _name), True)


def argmax(x, /, axis=None, *, keepdims=False):
    """The index of the largest element, the first of several."""
    return _core.argmax(x, axes_text(x, axis), keepdims)


def argmin(x, /, axis=None, *, keepdims=False):
    """The index of the smallest element, the first of several."""
    return _core.argmin(x, axes_text(x, axis), keepdims)


def _spread(f, x, axis, correction, keepdims):
    if isinstance(axis, tuple) and not axis:
        x, axis, keepdims = _core.expand_dims(x, "0"), 0, False
    if correction == int(correction) and correction >= 0:
        return f(x, axes_text(x, axis), keepdims, int(correction))
    n = 1
    listed = axis if isinstance(axis, tuple) else (axis,)
    for k, length in enumerate(x.shape):
        if axis is None or k in [axis_of(a, x.ndim) for a in listed]:
            n = n * length
    factor = n / (n - correction) if n > correction else float("inf")
    if f is _core.std:
        factor = factor ** 0.5
    return f(x, axes_text(x, axis), keepdims, 0) * factor


def var(x, /, axis=None, *, correction=0.0, keepdims=False):
    """The mean of the squared distances from the mean, of n - correction."""
    return _spread(_core.var, x, axis, correction, keepdims)


def std(x, /, axis=None, *, correction=0.0, keepdims=False):
    """The root of `var`."""
    return _spread(_core.std, x, axis, correction, keepdims)


def count_nonzero(x, /, axis=None, *, keepdims=False):
    """How many elements are not 0."""
    return sum(_core.not_equal(x, 0), axis=axis, keepdims=keepdims)


def _cumulative(name, f):
    def function(x, /, axis=None, *, dtype=None, include_initial=False):
        if axis is None:
            if x.ndim > 1:
                raise ValueError(f"{name}: say which of {x.ndim} axes")
            axis = 0
        axis = axis_of(axis, x.ndim)
        if dtype is not None:
            x = astype(x, dtype)
        made = f(x, str(axis), 0)
        if dtype is not None:
            made = astype(made, dtype)
        if include_initial:
            shape = tuple(1 if k == axis else n
                          for k, n in enumerate(made.shape))
            first = full(shape, 0 if f is _core.cumsum else 1,
                         dtype=made.dtype)
            made = concat((first, made), axis=axis)
        return made
    function.__name__ = function.__qualname__ = name
    function.__doc__ = comment(f)
    return function


cumulative_sum = _cumulative("cumulative_sum", _core.cumsum)
cumulative_prod = _cumulative("cumulative_prod", _core.cumprod)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours, n times."""
    if n < 0:
        raise ValueError(f"diff: {n} times")
    parts = [p for p in (prepend, x, append) if p is not None]
    x = concat(parts, axis=axis) if len(parts) > 1 else x
    front = (slice(None),) * axis_of(axis, x.ndim)
    for _ in range(n):
        hi, lo = x[(*front, slice(1, None))], x[(*front, slice(None, -1))]
        x = _core.not_equal(hi, lo) if x.dtype.kind == "b" else hi - lo
    return x
