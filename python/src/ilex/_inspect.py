# SPDX-License-Identifier: MIT
"""What dtypes hold, and what the standard lets programs ask."""

from ._array import Array
from ._dtypes import BY_NAME, BY_SHORT, as_dtype, isdtype

__all__ = ["finfo", "iinfo", "__array_namespace_info__"]


class finfo:
    """Limits of a floating dtype."""

    def __init__(self, type, /):
        own = type.dtype if isinstance(type, Array) else as_dtype(type)
        if own.kind not in "fc":
            raise TypeError(f"{own.name} is no floating dtype")
        part = own.itemsize * 8 // (2 if own.kind == "c" else 1)
        digits, most = {16: (11, 15), 32: (24, 127), 64: (53, 1023)}[part]
        if own.short == "bf16":
            digits, most = 8, 127
        self.bits = part
        self.eps = 2.0 ** (1 - digits)
        self.max = (2 - self.eps) * 2.0 ** most
        self.min = -self.max
        self.smallest_normal = 2.0 ** (1 - most)
        self.dtype = BY_SHORT["f%d" % part] if own.kind == "c" else own


class iinfo:
    """Limits of an integer dtype."""

    def __init__(self, type, /):
        own = type.dtype if isinstance(type, Array) else as_dtype(type)
        if own.kind not in "iu":
            raise TypeError(f"{own.name} is no integer dtype")
        self.bits = own.itemsize * 8
        signed = own.kind == "i"
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0
        self.dtype = own


class __array_namespace_info__:
    """What the standard lets programs ask."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True,
                "max dimensions": 16}

    def default_device(self):
        return "cpu"

    def default_dtypes(self, *, device=None):
        return {"real floating": BY_SHORT["f64"],
                "complex floating": BY_SHORT["c128"],
                "integral": BY_SHORT["i64"], "indexing": BY_SHORT["i64"]}

    def dtypes(self, *, device=None, kind=None):
        return {name: d for name, d in BY_NAME.items()
                if "float16" not in name and
                (kind is None or isdtype(d, kind))}

    def devices(self):
        return ["cpu"]
