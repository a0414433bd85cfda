# SPDX-License-Identifier: MIT
"""What GT4Py's own tests do not ask of a back end: statements that read what
others wrote, under whatever name; domains that are none; names."""

import gt4py.next as gtx
import numpy as np
import pytest
from gt4py.next import Dims, Field, float64
from gt4py.next.iterator.builtins import (
    cartesian_domain, deref, named_range, scan, shift)
from gt4py.next.iterator.runtime import fundef
from ilex.gt4py import backend

I = gtx.Dimension("I")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
Ioff = gtx.CartesianConnectivity(I)
F = Field[Dims[I], float64]


def field(x, start=0):
    return gtx.as_field(gtx.domain({I: (start, start + len(x))}), x)


def over(memory):
    """A field over memory that is there."""
    return gtx.common._field(memory, domain=gtx.domain({I: len(memory)}))


@gtx.field_operator
def same(a: F) -> F:
    return a + 0.0


@gtx.field_operator
def two(b: F) -> tuple[F, F]:
    return b + 1.0, b*2.0


@gtx.field_operator
def sums(a: tuple[F, F], a_0: F) -> F:
    return a[0] + 10.0*a[1] + 100.0*a_0


@gtx.program(backend=backend)
def swap(x: F, a: F, b: F):
    same(x, out=a, domain={I: (0, 5)})
    two(b, out=(b, a), domain={I: (0, 5)})


@gtx.program(backend=backend)
def names(a: tuple[F, F], a_0: F, out: F):
    sums(a, a_0, out=out)


@gtx.program(backend=backend)
def copies(a: F, b: F, c: F, d: F):
    same(a, out=b)
    same(c, out=d)


@gtx.program(backend=backend)
def below(x: F, a: F):
    same(x, out=a, domain={I: (-3, -1)})


@gtx.program(backend=backend)
def nothing(x: F, a: F):
    same(x, out=a, domain={I: (3, 1)})


def test_values_of_a_statement_come_first():
    x, a, b = field(np.arange(5.0) + 10), field(np.zeros(5)), field(np.arange(5.0))
    swap(x, a, b, offset_provider={})
    assert a.ndarray.tolist() == [0, 2, 4, 6, 8]
    assert b.ndarray.tolist() == [1, 2, 3, 4, 5]


def test_names_of_parts():
    out = field(np.zeros(2))
    one, two_, three = (field(np.full(2, v)) for v in (1.0, 2.0, 3.0))
    names((one, two_), three, out, offset_provider={})
    assert out.ndarray.tolist() == [321, 321]


def test_memory_that_is_shared():
    for _ in range(2):
        m, d = np.arange(5.0), field(np.zeros(5))
        copies(field(m + 5), over(m), over(m), d, offset_provider={})
        assert d.ndarray.tolist() == [5, 6, 7, 8, 9]
        m = np.arange(7.0)
        copies(field(np.ones(5)), over(m[:5]), field(np.full(5, 2.0)),
               over(m[2:]), offset_provider={})
        assert m.tolist() == [1, 1, 2, 2, 2, 2, 2]
        a, b, d = field(np.ones(5)), field(np.zeros(5)), field(np.zeros(5))
        copies(a, b, b, d, offset_provider={})
        assert d.ndarray.tolist() == [1] * 5


def test_keywords_in_any_order():
    a, c, b, d = (field(x) for x in (np.ones(3), np.ones(5), np.zeros(3),
                                     np.zeros(5)))
    for order in "abcd", "dcba", "cdab":
        given = {"a": a, "b": b, "c": c, "d": d}
        copies(**{k: given[k] for k in order}, offset_provider={})
    copies(c, d, a, b, offset_provider={})
    assert b.ndarray.tolist() == [1] * 3 and d.ndarray.tolist() == [1] * 5


def test_domains():
    x, a = field(np.arange(5.0), -4), field(np.zeros(5))
    with pytest.raises(IndexError, match=r"a is set on I in \[-3, -1\)"):
        below(x, a, offset_provider={})
    nothing(field(np.arange(5.0)), a, offset_provider={})
    assert a.ndarray.tolist() == [0] * 5


@fundef
def add(state, x, y):
    return state + deref(x)*deref(y)


@fundef
def column(x):
    return scan(add, False, 1.0)(x, shift(Ioff, 1)(x)) + 10.0*deref(x)


def test_scan_inside_of_a_stencil():
    x = np.random.default_rng(1).random((4, 5))
    out = gtx.as_field([I, K], np.zeros((3, 5)))
    column[cartesian_domain(named_range(I, 0, 3), named_range(K, 0, 5))](
        gtx.as_field([I, K], x), out=out, backend=backend, column_axis=K,
        offset_provider={})
    state, expected = np.ones(3), np.zeros((3, 5))
    for k in reversed(range(5)):
        state = state + x[:3, k]*x[1:, k]
        expected[:, k] = state + 10.0*x[:3, k]
    assert (out.asnumpy() == expected).all()
