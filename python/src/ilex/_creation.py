# SPDX-License-Identifier: MIT
"""New arrays."""

import builtins as _b
import math

from . import _core
from ._array import Array, Weak
from ._convert import asarray, check_device, is_large
from ._dtypes import BY_SHORT, as_dtype
from ._lengths import text
from ._shapes import broadcast_to, flat, reshape, shape_text

__all__ = ["full", "zeros", "ones", "empty", "full_like", "zeros_like",
           "ones_like", "empty_like", "arange", "linspace", "eye", "meshgrid",
           "tril", "triu"]


def full(shape, fill_value, *, dtype=None, device=None):
    """A value everywhere."""
    check_device(device)
    own = asarray(fill_value).dtype if dtype is None else as_dtype(dtype)
    if own.kind == "b" and not isinstance(fill_value, Array):
        fill_value = bool(fill_value)
    if isinstance(fill_value, (complex, Weak)) or is_large(fill_value):
        fill_value = asarray(fill_value, dtype=own)
    return _core.filled(shape_text(shape), fill_value, own.number)


def zeros(shape, *, dtype=None, device=None):
    """0 everywhere."""
    return full(shape, 0, dtype=dtype or "float64", device=device)


def ones(shape, *, dtype=None, device=None):
    """1 everywhere."""
    return full(shape, 1, dtype=dtype or "float64", device=device)


empty = zeros


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """A value on the shape of an array."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """0 on the shape of an array."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """1 on the shape of an array."""
    return full_like(x, 1, dtype=dtype, device=device)


empty_like = zeros_like


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... up to before stop."""
    check_device(device)
    if stop is None:
        start, stop = 0, start
    start, stop, step = (x.item() if isinstance(x, Array) and x.ndim == 0 and
                         not isinstance(x, Weak) else x
                         for x in (start, stop, step))
    numbers = (start, stop, step)
    whole = not [x for x in numbers if isinstance(x, float)]
    own = as_dtype(dtype) if dtype else as_dtype(int if whole else float)
    if whole:
        n = stop - start if step == 1 else -((start - stop) // step)
        n = n if n > 0 else 0
    else:
        n = _b.max(0, math.ceil((stop - start) / step))
    made = _core.arange(str(n), 0, 1)
    if whole:
        made = made * step + start
    else:
        made = _core.cast(made, BY_SHORT["f64"].number) * step + start
    return made if made.type == own.short else _core.cast(made, own.number)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """num numbers from start to stop at equal distances."""
    check_device(device)
    own = as_dtype(dtype) if dtype else None
    if own is None:
        own = BY_SHORT["c128"] if isinstance(start, complex) or \
            isinstance(stop, complex) else BY_SHORT["f64"]
    via = BY_SHORT["c128" if own.kind == "c" else "f64"]
    ends = [_core.filled("", x, via.number) for x in (start, stop)]
    made = _core.linspace(text((num,)), *ends, endpoint)
    if own.kind in "iu":
        made = _core.floor(made)
    return made if made.type == own.short else _core.cast(made, own.number)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """1 on a diagonal, else 0."""
    check_device(device)
    cols = n_rows if n_cols is None else n_cols
    k = _b.max(-2**62, _b.min(k, 2**62))
    return _core.eye(f"{n_rows}, {cols}", k, as_dtype(dtype or "float64").number)


def meshgrid(*arrays, indexing="xy"):
    """Arrays of one axis as arrays of a grid of all of them."""
    n, arrays = len(arrays), tuple(map(asarray, arrays))
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing is 'xy' or 'ij'")
    swap = indexing == "xy" and n > 1
    place = [1, 0, *range(2, n)] if swap else list(range(n))
    shape = [0] * n
    for x, k in zip(arrays, place):
        shape[k] = flat(x).shape[0]
    made = []
    for x, k in zip(arrays, place):
        own = tuple(flat(x).shape[0] if j == k else 1 for j in range(n))
        made.append(broadcast_to(reshape(x, own), tuple(shape)))
    return made


def tril(x, /, *, k=0):
    """The lower triangle of matrices."""
    return _core.tril(x, k)


def triu(x, /, *, k=0):
    """The upper triangle of matrices."""
    return _core.triu(x, k)
