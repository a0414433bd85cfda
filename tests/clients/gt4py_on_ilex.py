# SPDX-License-Identifier: MIT
"""A plugin for pytest: GT4Py's own tests, with Ilex in the place of the back
end "roundtrip", and nothing left out for what that one lacks. With BITS=1 in
the environment every program is run by all back ends of the host."""

import os

import ilex.gt4py
import numpy
from gt4py.next.program_processors.runners import roundtrip
from ilex import graph
from ilex.gt4py import backend

roundtrip.default = backend


def pytest_collection_modifyitems(config, items):
    """The tests of that back end alone."""
    from next_tests import definitions
    definitions.BACKEND_SKIP_TEST_MATRIX[
        definitions.ProgramBackendId.ROUNDTRIP] = []
    own = [x for x in items if "roundtrip.default" in x.nodeid]
    config.hook.pytest_deselected(items=[x for x in items if x not in own])
    items[:] = own


def _by_all(program, inputs, outputs):
    """Runs by every back end of the host, whose bits are the same."""
    held = [x.copy() if isinstance(x, numpy.ndarray) else x for x in inputs]
    run(program, inputs, outputs)
    for jit in "reference", "tcc", "cc":
        graph.option_set("jit", jit)
        try:
            own = graph.Program(program.outputs, program.arguments)
        finally:
            graph.option_set("jit", "auto")
        for x, y in zip(map(numpy.asarray, own(*held)), outputs):
            same = (x == y) & (numpy.signbit(x) == numpy.signbit(y)) \
                if x.dtype.kind == "f" else x == y
            assert (same | ((x != x) & (y != y))).all(), jit


if os.environ.get("BITS"):
    run, ilex.gt4py._run = ilex.gt4py._run, _by_all
