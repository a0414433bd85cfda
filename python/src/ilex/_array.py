# SPDX-License-Identifier: MIT
"""Arrays: lazy expressions over memory."""

import operator
import threading
from contextlib import contextmanager

from . import _core
from ._dtypes import BY_SHORT
from ._fields import is_shift, shifted
from ._generated import (ArgumentError, AxisError, BindingError, BoundsError,
                         Error,
                         LimitError, LiteralError, RankError, ShapeError)
from ._lengths import COUNTED, Length, Narrow, Specialise
from ._page import Page


class SubscriptError(Error, IndexError):
    """A subscript that does not fit the array."""


class NumberError(LiteralError, OverflowError):
    """A number of Python that a dtype lacks."""


MOST_LINES = 100  # of a program that notebooks show a picture of

_open = threading.local()  # its traces: how many this thread is in


@contextmanager
def trace():
    """A trace of this thread: arrays need not have elements in it, what is
    assumed in it holds there alone, and other threads wait. Gives how many
    this thread is in."""
    mark = _core.scope_begin()
    _open.traces = getattr(_open, "traces", 0) + 1
    try:
        yield _open.traces
    finally:
        _open.traces -= 1
        _core.scope_end(mark)


def tracing():
    """Does ilex.jit trace a function on this thread?"""
    return getattr(_open, "traces", 0) > 0


class NoElements(TypeError):
    """Elements are asked for that a trace does not have."""


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
        if not tracing():
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
        """The axes in the opposite order."""
        return self.transpose()

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
        return f"<ilex.Array {self.dtype.name}[{lengths}]: {shown(self)}>"

    def _repr_html_(self):
        """For notebooks: what `repr` shows, and under it the program."""
        from html import escape
        head = f"<pre>{escape(repr(self))}</pre>"
        if self.storage is not None:
            return head
        text = _core.text((self,), ("y",), "print")
        inner = f"<pre>{escape(text)}</pre>" \
            if text.count("\n") > MOST_LINES else \
            Page(_core.text((self,), ("y",), "html"))._repr_html_()
        return f"{head}<details><summary>program</summary>{inner}</details>"

    # ---- its elements ----

    def compute(self):
        """The array, with its elements."""
        _core.compute((self,))
        return self

    def _computed(self):
        """The storage of its elements, which are computed if need be: one that
        it has or had, as other threads may make it another array."""
        while (storage := self.storage) is None:
            _core.compute((self,))
        return storage

    def _inside(self):
        """The storage of its elements, those inside of a halo."""
        try:
            storage = self._computed()
        except (ArgumentError, BindingError) as why:
            if not tracing() and isinstance(why, ArgumentError):
                raise
            raise NoElements(
                "an array that ilex.jit traces, or a loop carries, has no "
                "elements yet, which `if`, float(), printing, functions of "
                "NumPy alone and NumPy's x[i] ask for: use ilex.where instead "
                "of if, functions of ilex and ilex.asarray(x)[i], or compile "
                "less") from None
        return copied(_core.data(storage))._computed() if any(storage.halo) \
            else storage

    def _elements(self):
        return memoryview(self._inside())

    def tolist(self):
        """Its elements as numbers in lists."""
        if self.type == "bf16":
            return astype(self, "float32").tolist()
        return numbers_of(self._elements(), self.dtype)

    def item(self):
        """The only element."""
        if self.size != 1:
            raise ValueError(f"an array of {self.size} elements is no number")
        found = self.tolist()
        while isinstance(found, list):
            found = found[0]
        return found

    def __bool__(self):
        if self.ndim:
            raise TypeError("whether an array of several elements is true is "
                            "asked by ilex.any or ilex.all")
        return bool(self._number())

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __complex__(self):
        return complex(self._number())

    def __round__(self, digits=None):
        return self.round(digits or 0) if self.ndim else \
            round(self._number(), digits)

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __contains__(self, value):
        found = self == value
        return bool(found.any()) if isinstance(found, Array) else found

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError(f"an array of {self.dtype.name} is no index")
        try:
            return int(self._number())
        except NoElements:
            raise NoElements(
                "what ilex.jit traces, or a loop counts or carries, has no "
                "number yet that could be a bound of a slice, an index of an "
                "array of NumPy or a number of steps: for x[i:i+4] write "
                "ilex.take(x, i + ilex.arange(4)), and ilex.asarray(x)[i] "
                "for x[i]") from None

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
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or f is None:
            return _by_numpy(ufunc, method, inputs, kwargs, out)
        made = f(*weakly([x if isinstance(x, _KNOWN) else asarray(x)
                          for x in inputs]))
        return made if out is None else _into(made, out)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None,
                   copy=None):
        if dl_device is not None and tuple(dl_device) != \
                self.__dlpack_device__():
            raise BufferError(f"the array is not on device {dl_device}")
        versioned = max_version is not None and max_version[0] >= 1
        return self._inside().dlpack(versioned, bool(copy))

    def __dlpack_device__(self):
        storage = self.storage
        return storage.device() if storage else (1, 0)

    def to_device(self, device, /, *, stream=None):
        """The array on a device: "cpu" is the only one."""
        check_device(device)
        return self

    def __array_namespace__(self, *, api_version=None):
        import ilex
        if api_version not in (None, "2021.12", "2022.12", "2023.12",
                               "2024.12", "2025.12"):
            raise ValueError(f"version {api_version!r} of the standard is not "
                             "known")
        return ilex

    # ---- copies ----

    def __copy__(self, memo=None):
        return asarray(self, copy=True)

    __deepcopy__ = __copy__

    def __reduce__(self):
        if self.type == "bf16":  # memory of it has no format
            return astype, (astype(self, "float32").compute(), self.dtype)
        made = self._computed()
        return of_bytes, (self.dtype, made.shape, memoryview(made).tobytes(),
                          self.axes, *[made.halo] * any(made.halo))

    # ---- elements by subscripts ----

    def __getitem__(self, key):
        if is_shift(key):
            return shifted(self, key)
        storage = self.storage if type(key) is int else None
        if storage and self.ndim and not any(self.axes) and \
                not tracing() and -len(self) <= key < len(self):
            return _core.data(storage.row(key % len(self)))
        items = entries(key)
        if len(items) == 1 and is_flag(items[0]):
            return self[None][:int(bool(items[0]))]
        try:
            return _core.subscript(self, without_masks(self, items))
        except BoundsError as why:
            if COUNTED not in str(why):
                raise
            raise BoundsError(
                "the length of this axis is decided by elements, as that of "
                "x[x > 0], and not known while ilex.jit traces: what is asked "
                "for may not be there. Sums, ilex.sort and other functions "
                "take it as it is; do this outside of what is compiled, or "
                "choose by ilex.where") from None
        except AxisError:
            if not any(self.axes):
                raise
            raise SubscriptError(
                f"the axes of [{self.domain}] have names: u[I+1] shifts one, I "
                "being ilex.fields.Axis('I'); numpy.asarray(u)[0] takes "
                "elements") from None
        except (RankError, ShapeError) as why:
            raise SubscriptError(str(why)) from None

    def __setitem__(self, key, value):
        """From now on the array is another one, with these elements. Arrays
        that were made of it stay what they are."""
        self.become(self.at[key].set(value))

    @property
    def at(self):
        """`x.at[key].set(v)`, `.add(v)`, ...: x with other elements."""
        return At(self)

    def __format__(self, how):
        return format(self.item() if how and not self.ndim else repr(self),
                      how)

    def __iter__(self):
        n = len(self)
        if not tracing():
            self.compute()
        return (self[i] for i in range(n))

    def astype(self, dtype, copy=True):
        """The elements converted."""
        return astype(self, dtype, copy=copy)


def _made(f, operands):
    """f of operands, computed before where operations without an array below
    them have become too many."""
    try:
        return f(*operands)
    except LiteralError as why:
        for x in operands:
            if type(x) is int:
                raise NumberError(
                    f"{x} is no number of the other operand's dtype; convert "
                    "that, for example x.astype(ilex.int64)") from why
        raise
    except LimitError:
        if tracing():
            raise
        for x in operands:
            if isinstance(x, Array):
                x.compute()
        return f(*operands)


def _binary(name, f):
    def of(pair):
        return pair if pair is NotImplemented else \
            still_weak(pair, _made(f, pair))

    def forward(self, other):
        return of(_operands(self, other))

    def backward(self, other):
        return of(_operands(other, self))

    def inplace(self, other):
        made = forward(self, other)
        if made is NotImplemented:
            return made
        if made.type != self.type or made.lengths != self.lengths:
            raise TypeError(
                f"{self.dtype.name}[{self.domain}] cannot become "
                f"{made.dtype.name}[{made.domain}]")
        self.become(made)
        return self

    setattr(Array, f"__{name}__", forward)
    if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Array, f"__r{name}__", backward)
        setattr(Array, f"__i{name}__", inplace)


def _by_numpy(ufunc, method, inputs, kwargs, out):
    """What NumPy makes of the elements."""
    import numpy
    if out is not None:
        kwargs["out"] = tuple(map(_writable, out))
    return getattr(ufunc, method)(*map(numpy.asarray, inputs), **kwargs)


def _into(made, out):
    """Puts the elements where NumPy is told to: `a += x`, `out=a`."""
    import numpy
    numpy.copyto(_writable(out[0]), made, casting="same_kind")
    return out[0]


def _writable(out):
    if isinstance(out, Array):
        raise TypeError("elements of an array of Ilex are not written to: take "
                        "the result, or an array of NumPy for out=")
    return out


def _unary(name, f):
    setattr(Array, f"__{name}__",
            lambda self: still_weak((self,), _made(f, (self,))))


_KNOWN = (Array, bool, int, float, complex, Length)
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


class Weak(Array):
    """A number that a call brings to what `ilex.jit` traced: it takes the
    dtype of what it meets, as a number of Python does."""

    __slots__ = ()

    def __index__(self):
        raise Specialise(self.name)

    __int__ = __index__

    def __float__(self):
        raise Specialise(self.name)

    def __bool__(self):
        raise Specialise(self.name)

    def __complex__(self):
        raise Specialise(self.name)

    def __round__(self, digits=None):
        raise Specialise(self.name)

    def __str__(self):
        raise Specialise(self.name)

    def __format__(self, how):
        raise Specialise(self.name)

    def __hash__(self):
        raise Specialise(self.name)

    @property
    def name(self):
        """Of the inputs that it is made of."""
        return tuple(_inputs(self))


def _inputs(x):
    own = _core.array_name(x)
    found = {own} if own else set()
    for i in range(_core.array_operand_count(x)):
        found |= _inputs(_core.array_operand(x, i))
    return found


def weakly(operands):
    """Operands of which numbers that are traced, and complex ones, have the
    dtype of the others, if these can be such a number."""
    operands = [x.array if type(x) is Length else x for x in operands]
    strong = [x for x in operands if isinstance(x, Array) and
              type(x) is not Weak]
    if not strong or len(strong) == len(operands):
        return operands
    most = max(strong, key=lambda x: _RANKS[x.dtype.kind]).dtype
    return [_weak(x, most) for x in operands]


def still_weak(operands, made):
    """What is made of numbers alone is one of them."""
    if type(operands[0]) is Array or type(operands[-1]) is Array:
        return made
    if any(type(x) is Weak for x in operands):
        made.__class__ = Weak
    return made


def _weak(x, most):
    if type(x) is complex:
        narrow = most.short in ("f16", "bf16", "f32", "c64")
        return _core.cast(_core.c128(x.real, x.imag),
                          BY_SHORT["c64" if narrow else "c128"].number)
    if type(x) is Weak and x.dtype.kind == "c" and most.kind == "f":
        most = BY_SHORT["c128" if most.short == "f64" else "c64"]
    if type(x) is Weak and _RANKS[x.dtype.kind] <= _RANKS[most.kind]:
        held(x, most)
        return _core.cast(x, most.number)
    return x


def held(x, dtype):
    """A traced integer is cast to a dtype that may lack it: the argument
    becomes one of this dtype, which each call checks; what is made of such
    arguments is known by their values alone."""
    if type(x) is not Weak or x.dtype.kind != "i" or \
            dtype.kind not in "iu" or dtype.short == "i64":
        return
    bare = _core.array_operand(x, 0) if _core.array_operator(x) == "cast" else x
    own = _core.array_name(bare)
    if own is None:
        raise Specialise(x.name)
    if bare.type != dtype.short:
        raise Narrow(own, dtype) if bare.type == "i64" else Specialise(x.name)


def _operands(a, b):
    if type(a) is Array and (type(b) is Array or type(b) in _KNOWN[1:4]):
        return a, b
    if not isinstance(a, _KNOWN) or not isinstance(b, _KNOWN):
        if not hasattr(a if isinstance(b, Array) else b, "__array__"):
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
    _unary(_name, _f)
Array.__hash__ = None


# These make arrays, and arrays use them.
from ._convert import (asarray, astype, check_device, copied,  # noqa: E402
                       numbers_of, of_bytes, shown)
from ._places import At, entries, is_flag, without_masks  # noqa: E402
