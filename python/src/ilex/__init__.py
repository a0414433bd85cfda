# SPDX-License-Identifier: MIT
"""Lazy array expressions, compiled.

    import ilex
    x = ilex.asarray(numpy_array)
    y = ilex.sum(ilex.exp(x) * x, axis=1)    # nothing is computed yet
    numpy.asarray(y)                         # one program, compiled once

`ilex.jit` compiles functions, `ilex.fields` names axes. The functions here are
those of the Python array API standard, and some more of NumPy."""

import os as _os

from . import _core, _methods, errors, fft, fields, linalg
from ._array import Array
from ._convert import asarray, astype, from_dlpack
from ._convert import convert as _convert
from ._creation import *
from ._dtypes import BY_NAME as _BY_NAME
from ._dtypes import dtype, isdtype
from ._elementwise import *
from ._foreign import foreign
from ._generated import EXCEPTIONS as _EXCEPTIONS
from ._generated import Error
from ._inspect import *
from ._jit import explain, jit, page, source
from ._loop import loop
from ._products import *
from ._reductions import *
from ._search import *
from ._shapes import *

__version__ = "0.1.0"
__array_api_version__ = "2024.12"

_core.setup(Array, _convert, _EXCEPTIONS)
_os.register_at_fork(before=_core.lock_begin, after_in_parent=_core.lock_end,
                     after_in_child=_core.lock_end)
globals().update(_BY_NAME)
_methods.attach(Array)
Array.__dlpack_c_exchange_api__ = _core.exchange_api()

pi, e, inf, nan = (3.141592653589793, 2.718281828459045, float("inf"),
                   float("nan"))
newaxis = None


def compute(*arrays):
    """Computes the elements of arrays together; returns them."""
    _core.compute(arrays)
    return arrays[0] if len(arrays) == 1 else arrays
