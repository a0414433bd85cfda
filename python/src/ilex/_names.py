# SPDX-License-Identifier: MIT
"""Names and numbers of other languages in formulas of Ilex."""

import cmath
import re

from ._dtypes import as_dtype


class Names:
    """Names of a language as names of Ilex: itself where it is one that is
    free, else one made from it. `given` has the names of Ilex by these of the
    language, `taken` the other way round."""

    _TAKEN = re.compile(r"_ilex_|_\d+$|_r\d+$|_in\d+$|true$|false$|nan$|inf$")

    def __init__(self):
        self.given, self.taken = {}, {}

    def __getitem__(self, name):
        if name not in self.given:
            own = re.sub(r"\W", "_", name).encode()[:48].decode(errors="ignore")
            made, k = name, 0
            while made in self.taken or not self._is_free(made):
                k += 1
                made = f"v{k}_{own}"
            self.taken[made] = name
            self.given[name] = made
        return self.given[name]

    def _is_free(self, name):
        """Is it a name of Ilex that means nothing else?"""
        return name.isidentifier() and len(name.encode()) <= 64 and \
            not self._TAKEN.match(name)


def comment(f):
    """What a function of the C API says of itself, without how it is called."""
    return f.__doc__.partition("\n\n")[2]


def number(x):
    """A number as it stands in a formula: one of NumPy has its dtype, one of
    Python is weak."""
    if hasattr(x, "dtype"):
        short = as_dtype(x.dtype).short
        return f"{short}({number(x.item())})"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, complex):
        return f"c128({number(x.real)}, {number(x.imag)})" \
            if not cmath.isfinite(x) else f"({x.real!r} + {x.imag!r}*1.0j)"
    if isinstance(x, int):
        return str(x) if x >= 0 else f"({x})"
    if x != x:
        return "nan"
    text = repr(float(x))
    return text if x >= 0 else f"({text})"
