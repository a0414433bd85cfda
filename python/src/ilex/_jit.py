# SPDX-License-Identifier: MIT
"""Functions, compiled: traced once for arguments of a kind, then run."""

import functools
import re
import types
import warnings

from . import _core
from ._array import Array, Weak, tracing
from ._convert import asarray
from ._generated import Error
from ._lengths import Length, Specialise

MOST_TRACES = 8   # before a warning
MOST_CALLS = 16   # prepared ones of a trace


def _is_array(x):
    return isinstance(x, Array) or (hasattr(x, "__array_interface__") and
                                    not isinstance(x, type))


def _describe(arguments, static):
    """What a trace depends on: of arrays dtype, axes, which lengths are equal
    or less than 2; the type of a number; else the argument itself. "static"
    has lengths and numbers that are part of it, by their names."""
    key, lengths = [], {}
    for i, x in enumerate(arguments):
        if _is_array(x):
            if not isinstance(x, Array):
                x = arguments[i] = asarray(x)
            shape = x.shape
            key.append((x.type, tuple(_place(n, lengths, static)
                                      for n in shape), x.axes))
        elif type(x) in (int, float, complex):
            key.append(x if f"a{i}" in static else type(x))
        else:
            key.append(x)
    return tuple(key), lengths


def _place(n, lengths, static):
    """A length as part of a key: its size's name, or itself."""
    if n < 2:
        return n
    name = lengths.setdefault(n, f"n{len(lengths)}")
    return (name, n) if name in static else name


class Trace:
    """What a function became for arguments of one kind."""

    def __init__(self, function, key, arguments, lengths):
        self.key = key
        self.inputs = []
        for i, (entry, x) in enumerate(zip(key, arguments)):
            self.inputs.append(self._input(i, entry, x))
        tracing.append(self)
        mark = _core.scope_begin()
        try:
            for name in lengths.values():
                _core.assume(f"{name} >= 2")
            result = function(*[x if x is not None else a for x, a in
                                zip(self.inputs, arguments)])
            self.outputs = []
            self.form = _form(result, self.outputs)
            self.program = _core.compile(tuple(self.outputs), _name(function)) \
                if self.outputs else None
        finally:
            _core.scope_end(mark)
            tracing.pop()
        self.calls = {}
        self.used = None

    @staticmethod
    def _input(i, entry, x):
        if type(entry) is tuple and len(entry) == 3 and isinstance(x, Array):
            short, shape, axes = entry
            ranges = [str(n[1] if type(n) is tuple else n) for n in shape]
            if any(axes):
                ranges = [f"{a}:{n}" for a, n in zip(axes, ranges)]
            return _core.input(f"a{i}", x.dtype.number, ", ".join(ranges))
        if entry in (int, float, complex):
            from ._dtypes import as_dtype
            made = _core.input(f"a{i}", as_dtype(entry).number, "")
            made.__class__ = Weak
            return made
        return None

    # ---- runs ----

    def run(self, arguments, owner):
        if self.program is None:
            return self.form
        made = []
        pairs = self._pairs(arguments)
        bound = tuple((n, x) for n, x in pairs if n is not None)
        made = self.program.evaluate(bound, len(self.outputs))
        arrays = [_core.data(s) for s in made]
        if self.form in (0, tuple(range(len(made)))):
            owner.fast = self._call(pairs, made)
        return _filled(self.form, arrays)

    def _pairs(self, arguments):
        """For each argument the name that the program has for it, None if it
        does not read it, and what is bound."""
        if self.used is None:
            self.used = set(self.program.names())
        pairs = []
        for i, (x, own) in enumerate(zip(arguments, self.inputs)):
            name = f"a{i}"
            if isinstance(x, Array) and own is not None:
                _core.compute((x,))
                x = x.storage
            pairs.append((name if name in self.used else None, x))
        return tuple(pairs)

    def _call(self, pairs, made):
        shapes = tuple((x.shape, x.strides) for _, x in pairs
                       if hasattr(x, "strides"))
        if shapes not in self.calls:
            while len(self.calls) >= MOST_CALLS:
                self.calls.pop(next(iter(self.calls)))
            outputs = tuple((f"_ilex_out{i}", s) for i, s in enumerate(made))
            self.calls[shapes] = _core.prepare(self.program, pairs, outputs,
                                               self.form == 0)
        return self.calls[shapes]


def _name(function):
    """The name of a function as one of a program."""
    name = getattr(function, "__name__", "function")
    return "jit_" + re.sub(r"\W", "_", name, flags=re.ASCII)[:48]


def _form(result, arrays):
    """Results with numbers in the place of arrays, which are listed."""
    if isinstance(result, Length):
        result = result.array
    if isinstance(result, Array):
        arrays.append(result)
        return len(arrays) - 1
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(_form(x, arrays) for x in result))
    if isinstance(result, (tuple, list)):
        return type(result)(_form(x, arrays) for x in result)
    if isinstance(result, dict):
        return {k: _form(x, arrays) for k, x in result.items()}
    if result is None:
        return None
    if isinstance(result, (bool, int, float, complex)) or _is_array(result):
        return _form(asarray(result), arrays)
    raise TypeError(f"a compiled function returned {result!r}: arrays, "
                    "numbers, and tuples, lists and dicts of them are possible")


def _filled(form, arrays):
    if isinstance(form, tuple) and hasattr(form, "_fields"):
        return type(form)(*(_filled(x, arrays) for x in form))
    if isinstance(form, (tuple, list)):
        return type(form)(_filled(x, arrays) for x in form)
    if isinstance(form, dict):
        return {k: _filled(x, arrays) for k, x in form.items()}
    return None if form is None else arrays[form]


class Jit(_core.Jit):
    """A compiled function."""

    def __new__(cls, function):
        self = super().__new__(cls)
        functools.update_wrapper(self, function)
        return self

    def __init__(self, function):
        self.function = function
        self.traces = {}
        self.static = {}

    def __get__(self, owner, cls=None):
        return self if owner is None else types.MethodType(self, owner)

    def trace(self, *args, **kwargs):
        """The trace for such arguments."""
        return self._find(self._arguments(args, kwargs))

    def _arguments(self, args, kwargs):
        if not kwargs:
            return list(args)
        import inspect
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"{self.__name__}: arguments that have no place "
                            "are not compiled: " + ", ".join(bound.kwargs))
        return list(bound.args)

    def _find(self, arguments):
        general, _ = _describe(arguments, ())
        static = self.static.setdefault(general, set())
        while True:
            key, lengths = _describe(arguments, static)
            if key in self.traces:
                return self.traces[key]
            try:
                names = {v: k for k, v in lengths.items()}
                open_ = {n: v for n, v in lengths.items() if v not in static}
                trace = Trace(self.function, key, arguments, open_)
            except Specialise as why:
                if set(why.sizes) <= static or not set(why.sizes) <= {
                        *names, *(f"a{i}" for i in range(len(arguments)))}:
                    raise
                static.update(why.sizes)
                continue
            except Error as why:
                if open_:
                    why.add_note("where " + ", ".join(
                        f"{v} is {n}" for n, v in open_.items()))
                raise
            self.traces[key] = trace
            if len(self.traces) == MOST_TRACES:
                warnings.warn(
                    f"{self.__name__} was traced {MOST_TRACES} times: for "
                    "other dtypes, lengths that it asks the value of (int, "
                    "range, if), or arguments that are no arrays",
                    RuntimeWarning, stacklevel=3)
            return trace

    def _slow(self, *args, **kwargs):
        arguments = self._arguments(args, kwargs)
        if tracing and any(isinstance(x, Array) and x.storage is None
                           for x in arguments):
            return self.function(*arguments)
        return self._find(arguments).run(arguments, self)


def jit(function):
    """The function, compiled for the kinds of arguments that it meets.

    It is called with arrays that have no elements, whose lengths may be
    symbols, and what it returns becomes one program. What it asks of a length
    (`int`, `range`, `if`) makes the trace one for that length."""
    return Jit(function)


def _text(function, stage):
    def of(*args, **kwargs):
        trace = function.trace(*args, **kwargs)
        names = tuple(f"out{i}" for i in range(len(trace.outputs)))
        return _core.text(tuple(trace.outputs), names, stage)
    return of


def explain(function):
    """explain(f)(x, ...): what a compiled function does, in words."""
    return _text(function, "explain")


def source(function):
    """source(f)(x, ...): the C that a compiled function is."""
    return _text(function, "c")
