# SPDX-License-Identifier: MIT
"""Functions that go element by element."""

from . import _core
from ._array import Array, Weak, still_weak, weakly
from ._dtypes import as_dtype
from ._names import comment

_ELEMENTWISE = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin",
    "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
    "conj": "conjugate", "divide": "true_divide", "pow": "power",
    **{name: name for name in (
        "add bitwise_and bitwise_or bitwise_xor ceil copysign cos cosh equal "
        "exp exp2 expm1 floor floor_divide greater greater_equal hypot imag "
        "isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp "
        "logical_and logical_not logical_or logical_xor maximum minimum "
        "multiply negative nextafter not_equal positive real reciprocal "
        "remainder round sign signbit sin sinh sqrt square subtract tan tanh "
        "trunc cbrt erf erfc gamma lgamma fmax fmin fmod gcd lcm rint "
        "angle").split()}}


def _named(function, name, f):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = comment(f)
    return function


def _unary(f):
    def function(x, /):
        return still_weak((x,), f(x))
    return function


def _binary(f):
    def function(x1, x2, /):
        pair = weakly((x1, x2))
        return still_weak(pair, f(*pair))
    return function


def where(condition, x1, x2, /):
    """x1 where the condition holds, else x2."""
    return _core.where(condition, *weakly((x1, x2)))


__all__ = [*_ELEMENTWISE, "where", "clip", "can_cast", "result_type"]
for _name, _own in _ELEMENTWISE.items():
    _f = getattr(_core, _own)
    _make = _unary if _f.arity == 1 else _binary
    globals()[_name] = _named(_make(_f), _name, _f)
maximum, minimum = globals()["maximum"], globals()["minimum"]


def clip(x, /, min=None, max=None):
    """The elements, not below min and not above max."""
    if x.dtype.kind in "iu":
        real = _is_real(min) or _is_real(max)
        min, max = (_bound(b, x) if not real else
                    float(b) if type(b) is int else b for b in (min, max))
    lo = x.alias() if min is None else maximum(x, min)
    return lo if max is None else minimum(lo, max)


def _is_real(x):
    return x.dtype.kind == "f" if isinstance(x, Array) else type(x) is float


def _bound(bound, x):
    """A bound; an integer that the dtype lacks is its nearest one."""
    traced = type(bound) is Weak and bound.dtype.kind == "i"
    if traced or type(bound) is int:
        bits, signed = 8 * x.dtype.itemsize, x.dtype.kind == "i"
        least = -(1 << bits - 1) if signed else 0
        most = (1 << bits - signed) - 1
        if traced:
            inside = _core.maximum(bound, least)
            return _core.cast(_core.minimum(inside, most & 2**63 - 1),
                              x.dtype.number)
        bound = least if bound < least else most if bound > most else bound
    return bound


def can_cast(from_, to, /):
    """Do all numbers of a dtype, or of an array's, stay what they are?"""
    own = from_.dtype if isinstance(from_, Array) else as_dtype(from_)
    return result_type(own, to) == as_dtype(to)


def result_type(*operands):
    """The dtype of an operation on arrays and dtypes."""
    if not operands:
        raise TypeError("result_type: of no array and no dtype")
    made = None
    weak = (bool, int, float, complex)
    for x in sorted(operands, key=lambda x: isinstance(x, weak)):
        if type(x) is not Weak and not isinstance(x, weak):
            own = x.dtype if isinstance(x, Array) else as_dtype(x)
            x = _core.filled("", False, own.number)
        made = x if made is None else where(True, made, x)
    if not isinstance(made, Array):
        return as_dtype(type(made))
    return made.dtype
