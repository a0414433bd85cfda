# SPDX-License-Identifier: MIT
"""Functions, compiled: traced once for arguments of a kind, then run."""

import functools
import inspect
import re
import types
import warnings
from contextlib import contextmanager

from . import _core
from ._array import Array, Weak, trace, tracing
from ._convert import asarray, is_array, is_large
from ._dtypes import as_dtype, dtype
from ._generated import Error, SizeError
from ._lengths import Length, Narrow, Specialise
from ._names import Names
from ._page import Page
from ._program import Program
from ._tree import fill, flatten, is_flat

MOST_TRACES = 8   # before a warning


def _leaf_names(function, form):
    """What leaves are called in programs: as the parameters they belong to."""
    names, taken = [], Names()
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []

    def add(part, name):
        if isinstance(part, int):  # n0, n1, ... are lengths
            names.append(taken[name + "_" * bool(re.match(r"n\d", name))])
        elif part is not None:
            for key, x in (part[1] if part[0] is dict else enumerate(part[1])):
                add(x, f"{name}_{key}")

    for k, part in enumerate(form[1][0][1]):
        own = parameters[k] if k < len(parameters) else None
        add(part, own.name if own and own.kind < own.VAR_POSITIONAL else
            f"a{k}")
    for key, part in form[1][1][1]:
        add(part, key)
    return names


def _describe(leaves, names, static):
    """What a trace depends on: of arrays dtype, axes, which lengths are equal
    or less than 2; of a number the dtype that it has in it; else the argument
    itself. "static" has of lengths and numbers that are part of it the names,
    and the dtype of integers that have to be of one."""
    key, lengths = [], {}
    for name, x in zip(names, leaves):
        if isinstance(x, Array):
            key.append((x.type, tuple(_place(n, lengths, static)
                                      for n in x.shape), x.axes, x.ranges))
        elif type(x) in (int, float, complex) and static.get(name, True) and \
                not is_large(x):
            key.append(static.get(name) or as_dtype(type(x)))
        else:
            _check_constant(name, x)
            key.append((type(x), x.hex() if type(x) is float else x))
    return tuple(key), lengths


def _check_constant(name, x):
    """What is no array is a constant of the trace, which others are found by."""
    try:
        hash(x)
    except TypeError:
        raise TypeError(
            f"argument {name} of a compiled function is an unhashable "
            f"{type(x).__name__}: arguments are arrays, numbers, tuples, "
            "lists and dicts of them, or constants, which are hashed") from None


def _place(n, lengths, static):
    """A length as part of a key: its size's name, or itself."""
    if n < 2:
        return n
    name = lengths.setdefault(n, f"n{len(lengths)}")
    return (name, n) if name in static else name


def _input(name, entry, x):
    """What stands for an argument in a trace: an input for an array or a
    number, itself for what is part of the trace."""
    if isinstance(x, Array):
        _, shape, axes, (origin, halo) = entry
        ranges = [str(n[1] if type(n) is tuple else n) for n in shape]
        if any(axes):
            ranges = [f"{a}:{lo}:{n}+{lo}" for a, n, lo in
                      zip(axes, ranges, origin)]
        around = ", ".join(f"{a}:{halo[2 * k]}:{halo[2 * k + 1]}"
                           for k, a in enumerate(axes)) if any(halo) else ""
        return _core.input(name, x.dtype.number, ", ".join(ranges) +
                           (f" halo({around})" if around else ""))
    if isinstance(entry, dtype):
        made = _core.input(name, entry.number, "")
        if entry.kind in "iu" and entry.short != "i64":
            made = _core.cast(made, as_dtype(int).number)
        made.__class__ = Weak
        return made
    return x


@contextmanager
def _of_its_own():
    """Arrays that are made of inputs in here are for this trace alone."""
    outer = _core.trace_begin()
    try:
        yield
    finally:
        _core.trace_end(outer)


class Trace:
    """What a function became for arguments of one kind, leaves in a form."""

    def __init__(self, function, key, form, leaves, names, lengths):
        self.flat = form[1][1] == (dict, ()) and \
            is_flat(form[1][0], len(leaves))
        with trace(), _of_its_own():
            inputs = list(map(_input, names, key, leaves))
            for name in lengths.values():
                _core.assume(f"{name} >= 2")
            made = []
            args, named = fill(form, inputs)
            self.form = flatten(function(*args, **named), made)
            self.program = Program(
                map(_output, made), names, _name(function)) if made else None

    # ---- runs ----

    def run(self, leaves, owner):
        if self.program is None:
            return fill(self.form, ())
        made, pairs = self.program.run(
            [x._computed() if isinstance(x, Array) else x for x in leaves])
        if self.flat and (self.form == 0 or is_flat(self.form, len(made))):
            owner.fast = self.program.prepare(pairs, made, self.form == 0)
        return fill(self.form, [_core.data(s) for s in made])


def _name(function):
    """The name of a function as one of a program."""
    name = getattr(function, "__name__", "function")
    return "jit_" + re.sub(r"\W", "_", name, flags=re.ASCII)[:48]


def _output(x):
    """A result of a function as an array."""
    if isinstance(x, Length):
        return x.array
    if isinstance(x, (Array, bool, int, float, complex)) or is_array(x):
        return asarray(x)
    raise TypeError(f"a compiled function returned {x!r}: arrays, numbers, and "
                    "tuples, lists and dicts of them are possible")


class Jit(_core.Jit):
    """A compiled function."""

    quiet = False  # about many traces

    def __new__(cls, function):
        self = super().__new__(cls)
        functools.update_wrapper(self, function)
        return self

    def __init__(self, function):
        self.function = function
        self.traces = {}
        self.static = {}
        self.names = {}

    def __get__(self, owner, cls=None):
        return self if owner is None else types.MethodType(self, owner)

    def clear(self):
        """Forgets all traces, and the arrays that prepared calls hold."""
        self.fast = None
        self.traces.clear()
        self.static.clear()
        self.names.clear()

    def trace(self, *args, **kwargs):
        """The trace for such arguments."""
        return self._find(*self._arguments(args, kwargs))

    def _arguments(self, args, kwargs):
        """The form of the arguments, and the leaves: arrays as such."""
        if kwargs:
            bound = inspect.signature(self.function).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        leaves = []
        form = flatten((tuple(args), kwargs), leaves)
        for i, x in enumerate(leaves):
            if not isinstance(x, Array) and is_array(x):
                leaves[i] = asarray(x)
        return form, leaves

    def _find(self, form, leaves):
        names = self.names.get(form)
        if names is None:
            names = self.names[form] = _leaf_names(self.function, form)
        general, _ = _describe(leaves, names, {})
        static = self.static.setdefault((form, general), {})
        while True:
            key, lengths = _describe(leaves, names, static)
            if (form, key) in self.traces:
                return self.traces[form, key]
            open_ = {n: v for n, v in lengths.items() if v not in static}
            try:
                trace = Trace(self.function, key, form, leaves, names, open_)
            except Specialise as why:
                known = {*lengths.values(), *names}
                known -= {k for k, v in static.items() if v is None}
                wanted = set(why.sizes) or known
                if not wanted or not wanted <= known:
                    raise TypeError(
                        "a length that elements decide is not known while "
                        "ilex.jit traces a function") from None
                static.update(dict.fromkeys(wanted))
                continue
            except Narrow as why:
                static.update((why.entry,))
                continue
            except Error:
                if not open_:
                    raise
                # With numbers it may be right.
                static.update(dict.fromkeys(open_.values()))
                continue
            self.traces[form, key] = trace
            if len(self.traces) == MOST_TRACES and not self.quiet:
                warnings.warn(
                    f"{self.__name__} was traced {MOST_TRACES} times: for "
                    "other dtypes, lengths that it asks the value of (int, "
                    "range, if), or arguments that are no arrays",
                    RuntimeWarning, stacklevel=3)
            return trace

    def _slow(self, *args, **kwargs):
        form, leaves = self._arguments(args, kwargs)
        leaves = [x.alias() if isinstance(x, Array) else x for x in leaves]
        if tracing() and any(isinstance(x, Array) and x.storage is None
                             for x in leaves):
            args, named = fill(form, leaves)
            return self.function(*args, **named)
        try:
            return self._find(form, leaves).run(leaves, self)
        except SizeError:  # a length that no array has that is read
            general, lengths = _describe(leaves, self.names[form], {})
            self.static[form, general].update(
                dict.fromkeys(lengths.values()))
        return self._find(form, leaves).run(leaves, self)


def jit(function):
    """The function, compiled for the kinds of arguments that it meets.

    It is called with arrays that have no elements, whose lengths may be
    symbols, and what it returns becomes one program. What it asks of a length
    (`int`, `range`, `if`) makes the trace one for that length."""
    if not callable(function):
        raise TypeError(f"{function!r:.60} is no function")
    return Jit(function)


def _text(function, stage):
    if not isinstance(function, Jit):
        raise TypeError(f"{function!r:.60} is no function that ilex.jit made")

    def of(*args, **kwargs):
        program = function.trace(*args, **kwargs).program
        if program is None:
            raise TypeError("the function returns no array")
        return program.text(stage)
    return of


def explain(function):
    """explain(f)(x, ...): what a compiled function does, in words."""
    return _text(function, "explain")


def source(function):
    """source(f)(x, ...): the C that a compiled function is."""
    return _text(function, "c")


def page(function):
    """page(f)(x, ...): a page for browsers of what a compiled function became:
    its program, the arrays as a picture, kernels, source. Notebooks show it;
    it is a string."""
    text = _text(function, "html")
    return lambda *args, **kwargs: Page(text(*args, **kwargs))
