# SPDX-License-Identifier: MIT
"""Functions of Python that programs call between their loops."""

import functools
import re
import threading

from . import _core
from ._array import Array, Weak
from ._convert import asarray
from ._dtypes import BY_SHORT
from ._generated import ShapeError

__all__ = ["foreign"]

_names = {}  # how many functions have one
_naming = threading.Lock()


class _Foreign:
    """A function of Python, called with arrays that need not be there yet."""

    def __init__(self, function, declaration):
        functools.update_wrapper(self, function)
        base = "py_" + re.sub(r"\W", "_", function.__name__,
                              flags=re.ASCII)[:48]  # none of the language's
        with _naming:
            number = _names[base] = _names.get(base, 0) + 1
        name = base if number == 1 else f"{base}_{number}"
        self.function = function
        self.declaration = f"{name}{declaration.strip()} pure"
        takes, _, gives = declaration.partition("->")
        found = re.findall(r"[(,]\s*\w+\s*:\s*(\w+)(?:\[([^]]*)\])?", takes)
        self.takes = [short for short, _ in found]
        self.domains = [domain.split(",") if domain.strip() else []
                        for _, domain in found]
        gives = re.sub(r"\[[^]]*\]", "", gives)
        self.gives = [BY_SHORT.get(n) for n in re.findall(r"\w+", gives)]
        _core.register(name, self.declaration, self._run)

    def __call__(self, *operands):
        """The results, as arrays: one, or a tuple of several."""
        if len(operands) != len(self.takes):
            raise TypeError(f"{self.__name__} takes {len(self.takes)} arrays, "
                            f"{len(operands)} were given")
        given = tuple(map(_operand, operands, self.takes))
        self._check_lengths(given)
        made = _core.foreign(self.declaration, given, len(self.gives))
        return made[0] if len(made) == 1 else made

    def _check_lengths(self, operands):
        """Of axes without names each length is the one that is declared."""
        known = {}
        for k, (x, domain) in enumerate(zip(operands, self.domains)):
            for axis, (text, n) in enumerate(zip(domain, x.shape)):
                text = text.strip()
                want = int(text) if text.isdigit() else \
                    known.setdefault(text, n) if text.isidentifier() else n
                if n != want:
                    raise ShapeError(
                        f"{self.__name__}: axis {axis} of argument {k} has "
                        f"length {n}, where [{text}] stands for {want}")

    def _run(self, *storages):
        """What a program calls: storages for storages."""
        import numpy
        given = [numpy.asarray(_core.data(s)) for s in storages]
        made = self.function(*given)
        if len(self.gives) == 1:
            made = (made,)
        elif not isinstance(made, (tuple, list)) or \
                len(made) != len(self.gives):
            raise TypeError(f"{self.__name__} returned {made!r:.60}; a tuple "
                            f"of {len(self.gives)} arrays is declared")
        return tuple(_result(numpy.asarray(x), own, k) for k, (x, own) in
                     enumerate(zip(made, self.gives)))


def _operand(x, short):
    """An operand; a number takes the dtype that is declared."""
    own = BY_SHORT[short]
    if type(x) is Weak:
        return _core.cast(x, own.number)
    return asarray(x, dtype=own if isinstance(x, (int, float, complex))
                   and not isinstance(x, Array) else None)


def _result(x, own, k):
    """The storage of a result."""
    import numpy
    wanted = numpy.dtype(own.name)
    if not numpy.can_cast(x.dtype, wanted, "same_kind"):
        raise TypeError(f"result {k} is of dtype {x.dtype}, not {wanted}")
    return asarray(x.astype(wanted)).storage


def foreign(declaration):
    """Makes a function of Python one that programs call:

        @ilex.foreign("(a : f64[n, n], b : f64[n]) -> f64[n]")
        def solve(a, b):
            return numpy.linalg.solve(a, b)

    `solve` takes arrays, inside of `ilex.jit` too, and gives an array, or a
    tuple where several results are declared. When it is computed, the function
    gets NumPy's arrays, which are its own, and returns such; it depends on
    nothing else, and may be called once for equal calls, or not at all. An
    exception of it is one of the run."""
    return lambda function: _Foreign(function, declaration)
