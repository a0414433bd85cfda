# SPDX-License-Identifier: MIT
"""Arrays: lazy expressions over memory."""

import operator

from . import _core
from ._dtypes import BY_SHORT, as_dtype
from ._lengths import Length, text

tracing = []  # the traces that are open, innermost last


class Array(_core.Node):
    """An array. Operations on it make others, and compute nothing; elements
    are computed, with all that they are made of, when somebody looks: NumPy,
    `bool`, `float`, `ilex.compute`. An array that was computed keeps its
    elements."""

    __slots__ = ("__weakref__",)

    # ---- what it is ----

    @property
    def dtype(self):
        """The type of the elements, as `ilex.float64`."""
        return BY_SHORT[self.type]

    @property
    def shape(self):
        """Lengths. Where a length depends on elements, as that of `x[x > 0]`
        does, they are computed."""
        found = self.lengths
        if all(type(n) is int for n in found):
            return found
        if not tracing:
            _core.compute((self,))
            return self.lengths
        return tuple(Length.of(n) for n in found)

    @property
    def size(self):
        """The number of elements."""
        n = 1
        for length in self.shape:
            n = n * length
        return n

    @property
    def device(self):
        return "cpu"

    @property
    def T(self):
        """A matrix with its axes exchanged."""
        if self.ndim != 2:
            raise ValueError(f"T is for 2 axes, not {self.ndim}")
        return _core.permute(self, None)

    @property
    def mT(self):
        """Matrices in the last two axes, each with these exchanged."""
        n = self.ndim
        if n < 2:
            raise ValueError(f"mT is for 2 axes or more, not {n}")
        return _core.permute(self, (*range(n - 2), n - 1, n - 2))

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("an array of rank 0 has no length")
        return operator.index(self.shape[0])

    def __repr__(self):
        lengths = ", ".join(map(str, map(Length.of, self.lengths)))
        if self.storage is None:
            return f"<ilex.Array {self.dtype.name}[{lengths}], not computed>"
        return f"<ilex.Array {self.dtype.name}[{lengths}]: {_shown(self)}>"

    def _repr_html_(self):
        from html import escape
        head = escape(repr(self))
        if self.storage is not None:
            return f"<pre>{head}</pre>"
        program = escape(_core.text((self,), ("y",), "print"))
        return f"<pre>{head}</pre><details><pre>{program}</pre></details>"

    # ---- its elements ----

    def compute(self):
        """The array, with its elements."""
        _core.compute((self,))
        return self

    def _elements(self):
        if self.storage is None:
            _core.compute((self,))
        return memoryview(self.storage)

    def tolist(self):
        """Its elements as numbers in lists."""
        if self.type == "bf16":
            return astype(self, "float32").tolist()
        return _numbers(self._elements(), self.dtype)

    def item(self):
        """The only element."""
        if self.size != 1:
            raise ValueError(f"an array of {self.size} elements is no number")
        found = self.tolist()
        while isinstance(found, list):
            found = found[0]
        return found

    def __bool__(self):
        return bool(self._number())

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __complex__(self):
        return complex(self._number())

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError(f"an array of {self.dtype.name} is no index")
        return int(self._number())

    def _number(self):
        if self.ndim:
            raise TypeError(f"an array with {self.ndim} axes is no number")
        return self.item()

    def __array__(self, dtype=None, copy=None):
        import numpy
        if copy is False and self.storage is None:
            raise ValueError("the array is not computed: there is nothing to "
                             "look at without a copy")
        found = numpy.asarray(self._elements())
        if self.dtype.short == "bf16":
            raise TypeError("NumPy has no bfloat16; use astype(float32)")
        wanted = found.dtype if dtype is None else numpy.dtype(dtype)
        if copy or wanted != found.dtype:
            return found.astype(wanted)
        return found

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        import ilex
        f = getattr(ilex, ufunc.__name__, None) or \
            getattr(_core, ufunc.__name__, None)
        if method != "__call__" or kwargs or f is None:
            return NotImplemented
        return f(*map(asarray, inputs))

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None,
                   copy=None):
        if dl_device is not None and tuple(dl_device) != \
                self.__dlpack_device__():
            raise BufferError(f"the array is not on device {dl_device}")
        self._elements()
        versioned = max_version is not None and max_version[0] >= 1
        return self.storage.dlpack(versioned, bool(copy))

    def __dlpack_device__(self):
        return self.storage.device() if self.storage else (1, 0)

    def to_device(self, device, /, *, stream=None):
        """The array on a device: "cpu" is the only one."""
        if device != "cpu":
            raise ValueError(f"there is no device {device!r}, but 'cpu'")
        return self

    def __array_namespace__(self, *, api_version=None):
        import ilex
        if api_version not in (None, "2021.12", "2022.12", "2023.12",
                               "2024.12", "2025.12"):
            raise ValueError(f"version {api_version!r} of the standard is not "
                             "known")
        return ilex

    # ---- copies ----

    def __copy__(self):
        return asarray(self, copy=True)

    def __deepcopy__(self, memo):
        return asarray(self, copy=True)

    def __reduce__(self):
        return _unpickle, (self.dtype, self.shape,
                           self._elements().tobytes())

    # ---- elements by subscripts ----

    def __getitem__(self, key):
        items = _items(self, key)
        if len(items) == 1 and _is_flag(items[0]):
            return self[None][:int(bool(items[0]))]
        return _core.subscript(self, items)

    def __setitem__(self, key, value):
        """From now on the array is another one, with these elements. Arrays
        that were made of it stay what they are."""
        self.become(self.at[key].set(value))

    @property
    def at(self):
        """`x.at[key].set(v)`, `.add(v)`, ...: x with other elements."""
        return _At(self)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def astype(self, dtype, copy=True):
        """The elements converted."""
        return astype(self, dtype, copy=copy)


def _binary(name, f):
    def forward(self, other):
        pair = _operands(self, other)
        return pair if pair is NotImplemented else f(*pair)

    def backward(self, other):
        pair = _operands(other, self)
        return pair if pair is NotImplemented else f(*pair)

    def inplace(self, other):
        made = forward(self, other)
        if made is NotImplemented:
            return made
        if made.type != self.type or made.lengths != self.lengths:
            raise TypeError(
                f"{self.dtype.name}[{text(self.lengths)}] cannot become "
                f"{made.dtype.name}[{text(made.lengths)}]")
        self.become(made)
        return self

    setattr(Array, f"__{name}__", forward)
    if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Array, f"__r{name}__", backward)
        setattr(Array, f"__i{name}__", inplace)


_KNOWN = (Array, bool, int, float, complex, Length)
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


class Weak(Array):
    """A number that a call brings to what `ilex.jit` traced: it takes the
    dtype of what it meets, as a number of Python does."""

    __slots__ = ()


def weakly(operands):
    """Operands of which numbers that are traced have the dtype of the others,
    if these can be such a number."""
    strong = [x for x in operands if isinstance(x, Array) and
              type(x) is not Weak]
    if not strong or len(strong) == len(operands):
        return operands
    most = max(strong, key=lambda x: _RANKS[x.dtype.kind])
    return [_core.cast(x, most.dtype.number) if type(x) is Weak and
            _RANKS[x.dtype.kind] <= _RANKS[most.dtype.kind] else x
            for x in operands]


def _operands(a, b):
    if type(a) is Array and (type(b) is Array or type(b) in _KNOWN[1:4]):
        return a, b
    if not isinstance(a, _KNOWN) or not isinstance(b, _KNOWN):
        if not hasattr(a, "__array_interface__") and \
                not hasattr(b, "__array_interface__"):
            return NotImplemented
    return weakly([a, b])


for _name, _f in {
        "add": _core.add, "sub": _core.subtract, "mul": _core.multiply,
        "truediv": _core.true_divide, "floordiv": _core.floor_divide,
        "mod": _core.remainder, "pow": _core.power, "and": _core.bitwise_and,
        "or": _core.bitwise_or, "xor": _core.bitwise_xor,
        "lshift": _core.left_shift, "rshift": _core.right_shift,
        "matmul": _core.matmul, "eq": _core.equal, "ne": _core.not_equal,
        "lt": _core.less, "le": _core.less_equal, "gt": _core.greater,
        "ge": _core.greater_equal}.items():
    _binary(_name, _f)
for _name, _f in {"neg": _core.negative, "pos": _core.positive,
                  "abs": _core.absolute, "invert": _core.invert}.items():
    setattr(Array, f"__{_name}__", lambda self, f=_f: f(self))
Array.__hash__ = None


class _At:
    """What stands behind `x.at`."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __getitem__(self, key):
        return _Place(self.array, key)


class _Place:
    """Elements of an array: others can be put in their place."""

    __slots__ = ("array", "key")

    def __init__(self, array, key):
        self.array, self.key = array, key

    def _with(self, f, value):
        x = self.array
        value = asarray(value)
        if value.type != x.type:
            value = _core.cast(value, x.dtype.number)
        items = _items(x, self.key)
        masks = [i for i in items if isinstance(i, Array) and i.type == "bool"]
        if masks and value.ndim == 0 and (_is_flag(items[0]) or
                                          masks[0].lengths == x.lengths):
            return _core.where(masks[0], self._whole(f, value), x)
        if masks:
            items = tuple(j for i in items for j in
                          (_places(i) if _is_mask(i) else (i,)))
        place = _core.subscript(x, items)
        if _core.identical(place, x):
            return self._whole(f, value)
        return f(x, place, value)

    def _whole(self, f, value):
        """The same where every element is meant."""
        plain = {_core.add_at: _core.add, _core.prod_at: _core.multiply,
                 _core.max_at: _core.maximum, _core.min_at: _core.minimum}
        if f in plain:
            return plain[f](self.array, value)
        return _core.broadcast_to(value, text(self.array.shape))

    def set(self, value):
        """The array with these elements."""
        return self._with(_core.update, value)

    def add(self, value):
        """The array with these added to its elements, one after another."""
        return self._with(_core.add_at, value)

    def multiply(self, value):
        """The array with its elements multiplied by these."""
        return self._with(_core.prod_at, value)

    def max(self, value):
        """The array with the larger of its elements and these."""
        return self._with(_core.max_at, value)

    def min(self, value):
        """The array with the smaller of its elements and these."""
        return self._with(_core.min_at, value)


def _is_mask(item):
    return isinstance(item, Array) and item.type == "bool"


def _is_flag(item):
    return _is_mask(item) and item.ndim == 0


def _places(mask):
    return tuple(_core.nonzero(mask, k) for k in range(mask.ndim))


def _items(x, key):
    """The entries of a subscript as the core reads them."""
    return tuple(map(_item, key if isinstance(key, tuple) else (key,)))


def _item(i):
    if i is None or i is Ellipsis or type(i) is int:
        return i
    if type(i) is slice:
        return slice(_end(i.start), _end(i.stop),
                     None if i.step is None else operator.index(i.step))
    if isinstance(i, Length):
        return i.form
    if isinstance(i, Array):
        return i
    if isinstance(i, (bool, list)) or hasattr(i, "__array_interface__") or \
            hasattr(i, "__dlpack__"):
        return asarray(i)
    try:
        return operator.index(i)
    except TypeError:
        raise IndexError(f"{i!r} is no index: integers, slices, None, ... and "
                         "arrays of integers or bool are") from None


def _end(i):
    if i is None or type(i) is int:
        return i
    return i.form if isinstance(i, Length) else operator.index(i)


# ---- arrays of what is none ----

def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of a number, a sequence of them, or another library's array,
    whose memory is shared unless `copy` is true or its dtype has to change."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, but 'cpu'")
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Array):
        return _copied(obj, wanted, copy)
    if isinstance(obj, Length):
        return _copied(obj.array, wanted, None)
    if isinstance(obj, (bool, int, float, complex)):
        return _of_numbers([obj], (), wanted)
    if isinstance(obj, (list, tuple)):
        flat = []
        return _of_numbers(flat, _flatten(obj, flat), wanted)
    return _copied(_core.data(_foreign(obj)), wanted, copy)


def _foreign(obj):
    """A storage over an array of another library."""
    try:
        return _core.storage(obj)
    except TypeError:
        if hasattr(obj, "__dlpack__"):
            return _imported(obj)
        if hasattr(obj, "__array__"):
            return _core.storage(obj.__array__())
        raise TypeError(f"{type(obj).__name__!r} is no array: it has neither "
                        "a buffer, __dlpack__ nor __array__") from None


def _imported(obj, **more):
    try:
        capsule = obj.__dlpack__(max_version=(1, 3), **more)
    except TypeError:
        capsule = obj.__dlpack__(**more)
    return _core.from_dlpack(capsule)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, but 'cpu'")
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
    if x.storage is None:
        return _core.positive(x) if x.dtype.kind != "b" else \
            _core.logical_or(x, False)
    made = _core.empty(x.type, x.shape)
    if 0 not in made.shape:
        memoryview(made).cast("B")[:] = x._elements().tobytes()
    return _core.data(made)


def _flatten(obj, flat):
    """The shape of nested sequences, whose numbers are added to a list."""
    if isinstance(obj, Array) or hasattr(obj, "__array_interface__"):
        obj = asarray(obj).tolist()
    if not isinstance(obj, (list, tuple)):
        flat.append(obj)
        return ()
    shapes = {_flatten(o, flat) for o in obj} or {()}
    if len(shapes) > 1:
        raise ValueError("sequences of different lengths are no array: "
                         + ", ".join(map(str, shapes)))
    return (len(obj), *shapes.pop())


_ORDER = (bool, int, float, complex)
_CODES = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
          "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f32": "f",
          "f64": "d", "f16": "e"}


def _kind_of(numbers):
    most = 0
    for x in numbers:
        for i, kind in enumerate(_ORDER):
            if isinstance(x, kind):
                most = max(most, i)
                break
        else:
            if hasattr(x, "__float__") or hasattr(x, "__index__"):
                most = max(most, 1 if hasattr(x, "__index__") else 2)
                continue
            raise TypeError(f"{x!r} is no number")
    return as_dtype(_ORDER[most]) if numbers else as_dtype(float)


def _of_numbers(numbers, shape, wanted):
    import struct
    own = _kind_of(numbers)
    to = wanted or own
    made = _core.empty(to.short, shape)
    if numbers:
        if to.kind == "c":
            parts = [p for x in map(complex, numbers) for p in (x.real, x.imag)]
            code = "f" if to.itemsize == 8 else "d"
        elif to.short not in _CODES or (to.kind in "iub" and own.kind in "fc"):
            return astype(_of_numbers(numbers, shape, own), to)
        else:
            parts, code = numbers, _CODES[to.short]
        try:
            memoryview(made).cast("B")[:] = struct.pack(
                f"={len(parts)}{code}", *parts)
        except (struct.error, OverflowError) as why:
            raise OverflowError(f"{to.name} cannot hold all numbers: {why}") \
                from None
    return _core.data(made)


def _numbers(view, dtype):
    if dtype.kind != "c" and dtype.short in _CODES:
        return view.tolist()
    import struct
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


def _shown(x):
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
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, but 'cpu'")
    to = as_dtype(dtype)
    if to.short == x.type:
        return _copied(x, None, copy)
    return _core.cast(x, to.number)


def convert(obj):
    """An operand that the core does not know, as an array."""
    if isinstance(obj, (Length, int, float, complex)) or \
            hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__"):
        if type(obj) is complex:
            return _core.c128(obj.real, obj.imag)
        return asarray(obj)
    return NotImplemented


def _unpickle(dtype, shape, data):
    made = _core.empty(dtype.short, shape)
    if data:
        memoryview(made).cast("B")[:] = data
    return _core.data(made)
