# SPDX-License-Identifier: MIT
"""Compiled programs, and calls of them that were prepared."""

from . import _core
from ._convert import asarray, is_array

MOST_CALLS = 4   # prepared ones of a program, which hold arrays


class Program(_core.Jit):
    """Arrays, compiled: called with what its arguments are, in order, it
    returns the elements of its outputs, an array each, in order. A dictionary
    of outputs says what messages and texts call them.

    `arguments` names the inputs and sizes in the order of calls; one that
    the arrays do not read is passed over, and None is a size that arrays tell.
    Without it they are those that the program has, in its order."""

    def __new__(cls, outputs, arguments=None, name="program"):
        return super().__new__(cls)

    def __init__(self, outputs, arguments=None, name="program"):
        named = outputs if isinstance(outputs, dict) else {
            f"_ilex_out{i}": x for i, x in enumerate(outputs)}
        self.results, self.outputs = tuple(named), tuple(named.values())
        self.name = name
        self.compiled = _core.compile(
            self.outputs, name, self.results if named is outputs else None)
        self.names = self.compiled.names()
        self.arguments = tuple(self.names if arguments is None else arguments)
        missing = [n for n in self.compiled.names(True)
                   if n not in self.arguments]
        if missing or len(set(self.arguments)) < len(self.arguments):
            raise ValueError(
                f"{name}: the arguments {', '.join(self.arguments)} " +
                (f"lack {missing[0]!r}, which is read" if missing else
                 "name one twice"))
        self._read = tuple(n if n in self.names else None
                           for n in self.arguments)
        self._fixed = any("_ilex" in x.domain for x in self.outputs)
        self._calls, self._into = {}, None

    def _pairs(self, leaves):
        """For each argument its name, or None if it is not read, and what is
        bound."""
        pairs = tuple(zip(self._read, map(_bound, leaves)))
        for n, x in pairs:
            if n is not None and not isinstance(x, _NUMBERS):
                raise TypeError(
                    f"{self.name}: argument {n} is bound to {x!r:.60}; arrays, "
                    "numbers, and None for a size are possible")
        return tuple((n if x is not None else None, x) for n, x in pairs)

    def run(self, leaves):
        """The storages of the outputs, and what was bound."""
        pairs = self._pairs(leaves)
        made = self.compiled.evaluate(
            tuple((n, x) for n, x in pairs if n is not None),
            len(self.outputs))
        return made, pairs

    def prepare(self, pairs, made, single=False):
        """A call for arguments laid out like these; None: there is none."""
        if self._fixed:
            return None
        shapes = tuple((x.shape, x.strides) if hasattr(x, "strides") else x
                       for n, x in pairs if n is None or hasattr(x, "strides"))
        call = self._calls.get(shapes)
        if call is None:
            call = _core.prepare(self.compiled, pairs,
                                 tuple(zip(self.results, made)), single)
            for old in list(self._calls)[:1 - MOST_CALLS]:
                self._calls.pop(old, None)
            self._calls[shapes] = call
        return call

    def into(self, leaves, outputs):
        """Runs into arrays that are there, of the outputs' shapes."""
        if self._into is None:
            self._into = _Into()
            self._into.program = self
        self._into(*leaves, *outputs)

    def _slow(self, *leaves):
        if len(leaves) > len(self.arguments):
            raise TypeError(
                f"{self.name} takes {len(self.arguments)} arguments ("
                f"{', '.join(self.arguments)}), {len(leaves)} were given")
        leaves += (None,) * (len(self.arguments) - len(leaves))
        made, pairs = self.run(leaves)
        self.fast = self.prepare(pairs, made)
        return tuple(_core.data(s) for s in made)

    def text(self, stage="print"):
        """What compiling makes of it: "print" its text, "explain" what it
        does in words, "c" its source, "html" a page, "dot" its picture, or
        the name of a stage (`ilexc stages`)."""
        return _core.text(self.outputs, tuple(
            name.removeprefix("_ilex_") for name in self.results), stage,
            self.name)


class _Into(_core.Jit):
    """A program, called with its arguments and what they are written to."""

    def _slow(self, *arrays):
        p = self.program
        n = len(arrays) - len(p.outputs)
        made = tuple((name, asarray(x).storage)
                     for name, x in zip(p.results, arrays[n:]))
        pairs = p._pairs(arrays[:n]) + made
        bound = tuple((k, x) for k, x in pairs if k is not None)
        p.compiled.run(bound)
        self.fast = _core.prepare(p.compiled, pairs, (), False, len(made))


def _bound(x):
    """An argument as what is bound: a storage, or a number."""
    if isinstance(x, _core.Storage):
        return x
    if hasattr(x, "item") and getattr(x, "ndim", 1) == 0 and \
            type(x.item()) in (int, float, complex):
        return x.item()
    if is_array(x):
        return asarray(x)._computed()
    return x


_NUMBERS = (bool, int, float, complex, type(None), _core.Storage)

