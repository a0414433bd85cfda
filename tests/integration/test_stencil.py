# SPDX-License-Identifier: MIT
"""examples/python/stencil.py as its users see it: values beside NumPy's, no
copies, programs and prepared calls that are shared, errors at the line."""

import inspect
import os
import sys

import numpy as np

top, os.environ["ILEX_LIBRARY"] = sys.argv[1:3]
sys.path.insert(0, os.path.join(top, "examples", "python"))

from stencil import Field, Stencil, StencilError, maximum, stencil, where


@stencil(axes="IJ", halo=1)
def diffuse(u: Field, rate: float):
    laplacian = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4*u
    return u + rate*laplacian


@stencil(axes="IJ", halo=1)
def spread(u: Field, rate: float):
    around = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4*u[0, 0]
    return u[0, 0] + rate*around


@stencil(axes="IJ", halo=1)
def limit(u: Field, w: Field):
    return where(u < w[0, 1], -u, maximum(w, 0.5)/2)


@stencil(axes="I", halo=1)
def too_wide(u: Field):
    far = u[-2]
    return 0.5*(u + far)


def expected(u, rate):
    inner = u[1:-1, 1:-1]
    around = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
              - 4*inner)
    return inner + rate*around


def values():
    """The bits of NumPy, also of other layouts and of f32, where numbers take
    the dtype of the field."""
    draw = np.random.default_rng(1)
    for shape in (10, 14), (33, 7):
        u = draw.random(shape)
        for given in u, np.asfortranarray(u), u[:, ::-1]:
            v = np.empty((shape[0] - 2, shape[1] - 2))
            diffuse(given, 0.1, out=v)
            assert np.array_equal(v, expected(given, 0.1))
    u, w = draw.random((2, 6, 7), dtype=np.float32)
    v = np.empty((4, 5), np.float32)
    limit(u, w, out=v)
    inner = u[1:-1, 1:-1]
    assert np.array_equal(v, np.where(inner < w[1:-1, 2:], -inner,
                                      np.maximum(w[1:-1, 1:-1], 0.5)/2))


def sharing():
    """A prepared call for each layout, whose addresses and numbers change; one
    program for equal formulas. Outputs are written where they lie."""
    u, calls = np.random.default_rng(2).random((10, 14)), len(diffuse.prepared)
    for step in range(5):
        whole = np.zeros((10, 14))
        diffuse(u, 0.1 + step, out=whole[1:-1, 1:-1])
        assert np.array_equal(whole[1:-1, 1:-1], expected(u, 0.1 + step))
        assert not whole[0].any() and not whole[:, -1].any()
        u = whole
    assert len(diffuse.prepared) == calls + 1
    u, v = np.random.default_rng(3).random((2, 10, 14))
    calls = dict(diffuse.prepared)
    for step in range(3):  # buffers change places
        want = expected(u, 0.1)
        diffuse(u, 0.1, out=v[1:-1, 1:-1])
        assert np.array_equal(v[1:-1, 1:-1], want)
        u, v = v, u
    assert diffuse.prepared == calls
    programs = len(Stencil.programs)
    v = np.empty((8, 12))
    spread(u, 0.2, out=v)
    assert np.array_equal(v, expected(u, 0.2))
    assert len(Stencil.programs) == programs


def fails(text, function, *values, out):
    try:
        function(*values, out=out)
    except StencilError as e:
        assert text in str(e), e
    else:
        raise AssertionError(f"no error with '{text}'")


def errors():
    line = inspect.getsourcelines(too_wide.function)[1] + 2
    fails(f"it is read at {__file__}:{line}", too_wide, np.zeros(8),
          out=np.zeros(6))
    u, v = np.zeros((8, 8)), np.zeros((6, 6))
    fails("f64", diffuse, u, 0.1, out=np.zeros((6, 6), np.float32))
    fails("nj", diffuse, u, 0.1, out=np.zeros((6, 7)))
    v.flags.writeable = False
    fails("out", diffuse, u, 0.1, out=v)
    fails("out", diffuse, u, 0.1, out=u[1:-1, 1:-1])
    diffuse(u, 0.1, out=np.zeros((6, 6)))


values()
sharing()
errors()
print(len(Stencil.programs), "programs")
