# SPDX-License-Identifier: MIT
"""A plugin for pytest: pytato's own tests, with Ilex in the place of loopy.

What a test wants of loopy's programs alone (their statements, their names) is
an error, and listed in pytato.expected."""

from types import SimpleNamespace

import numpy
import pytato
from ilex.pytato import generate_ilex


class _Result(numpy.ndarray):
    """What of arrays of pyopencl the tests use."""

    def get(self, queue=None):
        return numpy.asarray(self)


class _Program:
    """A program that is called as loopy's are: with a queue, for an event and
    the results."""

    def __init__(self, program):
        self.ilex = program
        self.bound_arguments = program.bound_arguments
        self.kernel = SimpleNamespace(arg_dict=dict.fromkeys(
            program.arguments))

    @property
    def program(self):
        return self

    def bind_to_context(self, context):
        return self

    def __call__(self, queue, allocator=None, out_host=None, **arguments):
        made = self.ilex(**{k: v.get() if hasattr(v, "get") else v
                            for k, v in arguments.items()})
        if isinstance(made, dict):
            return None, {k: v.view(_Result) for k, v in made.items()}
        return None, (made.view(_Result),)


def _bound(x):
    """Data of pyopencl as NumPy's."""
    return x.get() if hasattr(x, "get") and hasattr(x, "queue") else x


def generate(expr, target=None, options=None, function_name="_pt_kernel",
             **others):
    if isinstance(expr, pytato.array.AbstractResultWithNamedArrays):
        expr = {name: expr[name].expr for name in expr}
    program = generate_ilex(expr, function_name=function_name)
    program.bound_arguments = {k: _bound(v) for k, v in
                               program.bound_arguments.items()}
    return _Program(program)


pytato.generate_loopy = generate
