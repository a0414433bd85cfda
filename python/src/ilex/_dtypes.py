# SPDX-License-Identifier: MIT
"""Element types."""

from ._generated import DTYPES

_STANDARD = {"bool": "bool", "i": "int", "u": "uint", "f": "float",
             "c": "complex", "bf": "bfloat"}


class dtype:
    """An element type, as `ilex.float64`. Equal to what NumPy calls it."""

    __slots__ = ("short", "number", "name", "kind", "itemsize")

    def __init__(self, short, number):
        letters = short.rstrip("0123456789")
        bits = short[len(letters):]
        self.short, self.number = short, number
        self.name = _STANDARD[letters] + bits
        self.kind = "b" if short == "bool" else letters[-1]
        self.itemsize = int(bits) // 8 if bits else 1

    @property
    def dtype(self):
        """As one of NumPy, which asks for it: np.zeros(3, x.dtype)."""
        import numpy
        return numpy.dtype(self.name)

    def __repr__(self):
        return f"ilex.{self.name}"

    def __eq__(self, other):
        if isinstance(other, dtype):
            return self is other
        if isinstance(other, type):
            return other.__name__ == self.name
        return getattr(other, "name", other) == self.name

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return as_dtype, (self.name,)


BY_SHORT = {short: dtype(short, number) for short, number in DTYPES.items()}
BY_NAME = {d.name: d for d in BY_SHORT.values()}
# As NumPy writes them: "i8" has 8 bytes.
_CODES = {f"{d.kind}{d.itemsize}": d for d in BY_SHORT.values()
          if d.short != "bf16"} | {"?": BY_SHORT["bool"]}
_PYTHON = {bool: "bool", int: "int64", float: "float64",
           complex: "complex128"}
_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u",
          "integral": "iu", "real floating": "f", "complex floating": "c",
          "numeric": "iufc"}


def as_dtype(x):
    """The dtype that a dtype, its name, a type of Python, or a dtype of
    another library stands for."""
    if isinstance(x, dtype):
        return x
    if isinstance(x, type):
        x = _PYTHON.get(x, getattr(x, "__name__", x))
    name = x if isinstance(x, str) else getattr(x, "name", None)
    found = BY_NAME.get(name) or _CODES.get(name)
    if found is None:
        raise TypeError(f"{x!r} is no dtype of Ilex, which are: "
                        + ", ".join(BY_NAME))
    return found


def isdtype(dtype, kind):
    """Is a dtype of a kind ("integral", "real floating", ...), or one of
    several?"""
    x = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(x, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return x.kind in _KINDS[kind]
    if isinstance(kind, str):
        raise ValueError(f"{kind!r} is no kind of dtypes, which are: "
                         + ", ".join(_KINDS))
    return x == as_dtype(kind)
