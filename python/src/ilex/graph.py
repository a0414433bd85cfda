# SPDX-License-Identifier: MIT
"""Programs made node by node, for those whose language Ilex compiles.

    from ilex import graph
    with graph.scope():
        graph.assume("n >= 3")
        u = graph.input("u", ilex.float64, "I:n")
        v = graph.map("i:n-2", "u[i] - 2.0*u[i+1] + u[i+2]", {"u": u})
        second = graph.Program([v], ["u"])
    y, = second(numpy.arange(9.0)**2)

Each function of the C API that makes an array or asks about one is here, under
its name without "ilex_" and with its comment; lists of arrays are one argument
without their length, lists of names and arrays a dictionary. doc/embedding.md
is the guide."""

from contextlib import contextmanager as _contextmanager

from . import _core
from ._dtypes import as_dtype as _as_dtype
from ._names import Names, number
from ._program import Program

globals().update({f.__name__: f for f in vars(_core).values()
                  if isinstance(f, _core.Function)})
expr = _core.expr_n


def input(name, dtype, domain=""):
    """An argument of a program: "n, 2*m", or "I:n, J:m halo(I:1:1)"."""
    return _core.input(name, _as_dtype(dtype).number, domain)


def map(domain, body, operands):
    """The value of a formula at every index of a domain; operands by the names
    that they have in it."""
    return _core.map_n(domain, body, operands)


def cast(x, dtype):
    """The elements converted to a dtype."""
    return _core.cast(x, _as_dtype(dtype).number)


def scan(axis, direction, selves, values):
    """Arrays that are computed level by level along an axis, "forward" or
    "backward". A self, of scan_self, stands in the values for the array whose
    value it is."""
    return _core.scan(axis, direction, tuple(selves), tuple(values))


def loop(step, carry, first, next, until=None, stack=(), every=(),
         counts=False):
    """Steps of whole arrays: `carry`, of loop_carry, stands for what the step
    before left, `next` is made of it, `first` comes before all; `until` ends
    the steps, `stack` has what each step adds to an array, every so many of
    them. The carried arrays after the last step, the stacks, and, if asked
    for, how many steps were made."""
    return _core.loop(step, tuple(carry), tuple(first), tuple(next), until,
                      tuple(stack), tuple(every), counts)


def parse(text, names, file=None):
    """Arrays of a program in text, by their names; `file` is for messages."""
    return _core.parse(text, tuple(names), file)


@_contextmanager
def scope():
    """What is assumed in it holds there alone; other threads wait."""
    mark = _core.scope_begin()
    try:
        yield
    finally:
        _core.location(None)
        _core.scope_end(mark)
