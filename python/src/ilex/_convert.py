# SPDX-License-Identifier: MIT
"""Arrays of what is none: numbers, sequences, arrays of other libraries; and
their elements as numbers of Python."""

import struct

from . import _core
from ._array import Array, held
from ._dtypes import as_dtype
from ._lengths import Length


def check_device(device):
    """The only one is "cpu"."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, but 'cpu'")


def is_array(x):
    """Is it an array, of Ilex or of another library?"""
    return isinstance(x, Array) or not isinstance(x, type) and (
        hasattr(x, "__array_interface__") or hasattr(x, "__dlpack__"))


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of a number, a sequence of them, or another library's array,
    whose memory is shared unless `copy` is true or its dtype has to change."""
    check_device(device)
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Array):
        if wanted is not None:
            held(obj, wanted)
        return _copied(obj, wanted, copy)
    if isinstance(obj, Length):
        return _copied(obj.array, wanted, None)
    if copy is False and isinstance(obj, (bool, int, float, complex, list,
                                          tuple, range)):
        raise ValueError("numbers of Python become an array by a copy alone")
    if isinstance(obj, (bool, int, float, complex)):
        return _of_numbers([obj], (), as_dtype(_kind_of(obj)), wanted)
    if isinstance(obj, (list, tuple, range)):
        flat, dtypes = [], set()
        shape = _flatten(obj, flat, dtypes)
        return _of_numbers(flat, shape, _common(dtypes), wanted)
    return _copied(_core.data(_foreign(obj)), wanted, copy)


def _foreign(obj):
    """A storage over an array of another library."""
    try:
        return _core.storage(obj)
    except (TypeError, ValueError, BufferError) as why:
        if type(why) is ValueError and hasattr(obj, "astype"):
            raise TypeError(  # NumPy's says what a buffer lacks
                f"elements of {obj.dtype} are none of Ilex; convert them: "
                "x.astype('float32')") from None
        if hasattr(obj, "__array_interface__"):
            raise
        if hasattr(obj, "__dlpack__"):
            return _imported(obj)
        if hasattr(obj, "__array__"):
            return _core.storage(obj.__array__())
        raise TypeError(f"{type(obj).__name__!r} is no array: it has neither "
                        "a buffer, __dlpack__ nor __array__") from None


def _imported(obj):
    try:
        capsule = obj.__dlpack__(max_version=(1, 3))
    except TypeError:
        capsule = obj.__dlpack__()
    return _core.from_dlpack(capsule)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's."""
    check_device(device)
    made = _core.data(_imported(x))
    return asarray(made, copy=True) if copy else made


def _copied(x, wanted, copy):
    if wanted is not None and wanted.short != x.type:
        if copy is False:
            raise ValueError(f"{x.dtype.name} becomes {wanted.name} by a copy "
                             "alone")
        return astype(x, wanted)
    if not copy:
        return x
    if x.storage is None or any(x.axes):
        return copied(x)
    made = _core.empty(x.type, x.shape)
    if 0 not in made.shape:
        memoryview(made).cast("B")[:] = x._elements().tobytes()
    return _core.data(made)


def copied(x):
    """An expression of the same elements, those inside of a halo."""
    return _core.logical_or(x, False) if x.dtype.kind == "b" else \
        _core.positive(x)


def is_large(x):
    """Is it an integer that int64 lacks?"""
    return type(x) is int and not -2**63 <= x < 2**63


def _flatten(obj, flat, dtypes):
    """The shape of nested sequences, whose numbers are added to a list, and
    their dtypes, or types of Python, to a set."""
    if isinstance(obj, Array) or hasattr(obj, "__array_interface__"):
        obj = asarray(obj)
        dtypes.add(obj.dtype)
        return _flatten(obj.tolist(), flat, set())
    if not isinstance(obj, (list, tuple, range)):
        flat.append(obj)
        dtypes.add(_kind_of(obj))
        return ()
    shapes = {_flatten(o, flat, dtypes) for o in obj} or {()}
    if len(shapes) > 1:
        raise ValueError("sequences of different lengths are no array: "
                         + ", ".join(map(str, shapes)))
    return (len(obj), *shapes.pop())


_CODES = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
          "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f32": "f",
          "f64": "d", "f16": "e"}


def _kind_of(x):
    """Of a number: bool, int, float or complex."""
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind
    if hasattr(x, "__index__"):
        return int
    if hasattr(x, "__float__"):
        return float
    raise TypeError(f"{x!r} is no number")


def _common(dtypes):
    """The dtype that has the numbers of all of them."""
    from ._elementwise import result_type
    dtypes = {as_dtype(t) for t in dtypes or (float,)}
    return dtypes.pop() if len(dtypes) == 1 else result_type(*dtypes)


def _of_numbers(numbers, shape, own, wanted):
    if not wanted and own.short == "i64" and any(map(is_large, numbers)):
        own = as_dtype("uint64")
    to = wanted or own
    made = _core.empty(to.short, shape)
    if numbers:
        if to.kind == "c":
            parts = [p for x in map(complex, numbers) for p in (x.real, x.imag)]
            code = "f" if to.itemsize == 8 else "d"
        elif to.short not in _CODES or (to.kind in "iub" and own.kind in "fc"):
            wide = as_dtype(complex if own.kind == "c" else float)
            return astype(_of_numbers(numbers, shape, wide, None), to)
        else:
            parts, code = numbers, _CODES[to.short]
        try:
            memoryview(made).cast("B")[:] = struct.pack(
                f"={len(parts)}{code}", *parts)
        except (struct.error, OverflowError) as why:
            raise OverflowError(f"{to.name} cannot hold all numbers: {why}") \
                from None
    return _core.data(made)


def numbers_of(view, dtype):
    if dtype.short == "f16":  # of which Python 3.11 makes no numbers
        flat = struct.unpack(f"={view.nbytes // 2}e", view.tobytes())
        return _nested(list(flat), view.shape)
    if dtype.kind != "c" and dtype.short in _CODES:
        return view.tolist()
    code, each = ("2f", 8) if dtype.itemsize == 8 else ("2d", 16)
    flat = [complex(*struct.unpack_from("=" + code, view.tobytes(), i))
            for i in range(0, view.nbytes, each)]
    return _nested(flat, view.shape)


def _nested(flat, shape):
    if not shape:
        return flat[0]
    n = 1
    for length in shape[1:]:
        n *= length
    return [_nested(flat[i * n:(i + 1) * n], shape[1:])
            for i in range(shape[0])]


def shown(x):
    """The elements as text, of many the first ones."""
    if 0 in x.shape:
        return "[]"
    few = x
    for k, n in enumerate(x.shape):
        if n > 8:
            few = few[(slice(None),) * k + (slice(0, 6),)]
    words = str(few.compute().tolist())
    return words if few is x else words + " ..."


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements converted to a dtype."""
    check_device(device)
    to = as_dtype(dtype)
    if to.short == x.type:
        return _copied(x, None, copy)
    return _core.cast(x, to.number)


def convert(obj):
    """An operand that the core does not know, as an array."""
    if isinstance(obj, (Length, int, float, complex)) or \
            hasattr(obj, "__array__") or hasattr(obj, "__dlpack__"):
        if type(obj) is complex:
            return _core.c128(obj.real, obj.imag)
        if is_large(obj):
            raise OverflowError(f"{obj} is beside no array that can have it; "
                                "int64, which integers are here, cannot")
        return asarray(obj)
    return NotImplemented


def of_bytes(dtype, shape, data, axes=(), halo=None):
    names = ", ".join(axes) if any(axes) else None
    made = _core.empty(dtype.short, shape, None if halo else names)
    if data:
        memoryview(made).cast("B")[:] = data
    return _core.data(_core.storage(made, names, halo) if halo else made)
