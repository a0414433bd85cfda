# SPDX-License-Identifier: MIT
"""Products of matrices, and of more."""

from . import _core

__all__ = ["matmul", "vecdot", "tensordot", "einsum"]


def matmul(x1, x2, /):
    """Products of matrices."""
    return _core.matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """Products of vectors along an axis, the first ones conjugated."""
    n = max(x1.ndim, x2.ndim)
    if not -min(x1.ndim, x2.ndim) <= axis < n:
        raise IndexError(f"vecdot: there is no axis {axis}")
    if axis != -1:
        x1, x2 = (_core.moveaxis(x, str(axis), "-1") for x in (x1, x2))
    return _core.vecdot(x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over axes of both."""
    if not isinstance(axes, int):
        lists = [[a] if isinstance(a, int) else a for a in axes]
        axes = ", ".join("[" + ", ".join(map(str, a)) + "]" for a in lists)
    return _core.tensordot(x1, x2, str(axes))


def einsum(subscripts, *arrays):
    """Sums of products, as NumPy writes them."""
    if not isinstance(subscripts, str):
        raise TypeError("einsum: the subscripts are a text, 'ij,jk->ik'")
    return _core.einsum(subscripts, arrays)
