# SPDX-License-Identifier: MIT
"""Linear algebra. Products are Ilex's, and solve, inv, det, cholesky of up to 8
rows; what is larger, and the other decompositions, NumPy computes."""

from . import _core
from ._convert import asarray, astype
from ._elementwise import abs, sqrt
from ._host import by_numpy
from ._names import comment
from ._products import matmul, tensordot, vecdot  # noqa: F401
from ._reductions import max, min, sum
from ._shapes import flat, matrix_transpose, moveaxis, reshape

__all__ = ("cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul "
           "matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr "
           "slogdet solve svd svdvals tensordot trace vecdot "
           "vector_norm").split()
MOST_ROWS = 8  # of what is unrolled

def _small(x):
    return x.ndim > 1 and 0 < int(x.shape[-1]) <= MOST_ROWS


def _own(name, f):
    other = by_numpy("linalg." + name)

    def function(x, /):
        return f(x) if _small(x) and x.dtype.kind in "fc" else other(x)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = comment(f)
    return function


det = _own("det", _core.det)
inv = _own("inv", _core.inv)
_cholesky = _own("cholesky", _core.cholesky)
_solve = by_numpy("linalg.solve")
eigh, eigvalsh, slogdet, eig, eigvals = map(
    by_numpy, ["linalg." + name for name in (
        "eigh eigvalsh slogdet eig eigvals").split()])
qr = by_numpy("linalg.qr", "(x, /, *, mode='reduced')")
pinv = by_numpy("linalg.pinv", "(x, /, *, rtol=None)")
matrix_rank = by_numpy("linalg.matrix_rank", "(x, /, *, rtol=None)")


def cholesky(x, /, *, upper=False):
    """The factor of Cholesky, lower or upper."""
    made = _cholesky(x)
    return _core.conjugate(matrix_transpose(made)) if upper else made


def solve(x1, x2, /):
    """The solutions of systems of linear equations."""
    small = _small(x1) and x1.dtype.kind in "fc" and x1.type == x2.type
    return _core.solve(x1, x2) if small and x2.ndim in (1, x1.ndim) and \
        x1.shape[:-2] == x2.shape[:-2] else _solve(x1, x2)


def svd(x, /, *, full_matrices=True):
    """Singular values and vectors."""
    return by_numpy("linalg.svd")(x, full_matrices=full_matrices)


def svdvals(x, /):
    """Singular values."""
    return by_numpy("linalg.svd")(x, compute_uv=False)


def outer(x1, x2, /):
    """x1(i)*x2(j)."""
    return _core.outer(x1, x2)


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices in the last two axes."""
    return _core.diagonal(x, offset, "-2", "-1")


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals."""
    x = astype(x, dtype) if dtype is not None else x
    made = _core.trace(x, offset, "-2", "-1")
    return made if dtype is None else astype(made, dtype)


def cross(x1, x2, /, *, axis=-1):
    """Products of vectors of three."""
    x1, x2 = asarray(x1), asarray(x2)
    a, b = (moveaxis(x, axis, -1) for x in (x1, x2))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("cross: vectors have three elements")
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i]
             for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(_core.stack(parts, parts[0].ndim), -1, axis)


def matrix_power(x, n, /):
    """n matrices multiplied, of inverses if n is negative."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("matrix_power: the matrices are not square")
    if n < 0:
        return matrix_power(inv(x), -n)
    if n == 0:
        from ._creation import eye
        from ._shapes import broadcast_to
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    half = matrix_power(x, n // 2) if n > 1 else None
    made = x if n == 1 else matmul(half, half)
    return matmul(made, x) if n > 1 and n % 2 else made


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors along axes, of integers as float64."""
    kept = x = astype(x, "float64") if x.dtype.kind in "bui" else x
    if axis is None:
        x, axis = flat(x), 0
        made = _norm(abs(x), axis, False, ord)
        return reshape(made, (1,) * kept.ndim) if keepdims else made
    return _norm(abs(x), axis, keepdims, ord)


def _norm(a, axis, keepdims, ord):
    inf = float("inf")
    if ord == inf or ord == -inf:
        return (max if ord > 0 else min)(a, axis=axis, keepdims=keepdims)
    if ord == 0:
        return astype(sum(astype(a != 0, a.dtype), axis=axis,
                          keepdims=keepdims), a.dtype)
    if ord == 2:
        return sqrt(sum(a * a, axis=axis, keepdims=keepdims))
    if ord == 1:
        return sum(a, axis=axis, keepdims=keepdims)
    return sum(a ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices in the last two axes."""
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    return by_numpy("linalg.norm")(x, ord=ord, axis=(-2, -1),
                                   keepdims=keepdims)
