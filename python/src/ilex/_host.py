# SPDX-License-Identifier: MIT
"""Functions that NumPy computes, of elements that are computed first."""

import functools
import inspect

from ._array import tracing
from ._convert import asarray, astype


def by_numpy(name, signature="(x, /)"):
    """The function of NumPy called `name` ("linalg.svd"), on arrays, with a
    signature of the standard."""
    def function(*args, **kwargs):
        import numpy
        kwargs.pop("device", None)
        dtype = kwargs.pop("dtype", None)
        if tracing():
            raise NotImplementedError(
                f"{name} is computed by NumPy, of elements that are there; "
                "call it outside of what ilex.jit compiles")
        f = functools.reduce(getattr, name.split("."), numpy)
        made = _wrapped(f(*map(_array, args),
                          **{k: _array(v) for k, v in kwargs.items()}))
        return made if dtype is None else astype(made, dtype)
    function.__name__ = function.__qualname__ = name.split(".")[-1]
    function.__doc__ = f"numpy.{name}, which computes it."
    function.__signature__ = _signature(signature)
    return function


def _signature(text):
    """A signature from text, by defining a function that has it."""
    scope = {}
    exec(f"def function{text}: pass", scope)
    return inspect.signature(scope["function"])


def _array(x):
    return x.__array__() if hasattr(x, "__array_namespace__") else x


def _wrapped(made):
    if isinstance(made, tuple) and hasattr(made, "_fields"):
        return type(made)(*map(_wrapped, made))
    if isinstance(made, (tuple, list)):
        return tuple(map(_wrapped, made))
    return asarray(made.copy() if hasattr(made, "copy") else made)
