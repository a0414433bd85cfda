# SPDX-License-Identifier: MIT
"""What pytato's own tests do not ask of a target: numbers without axes, sizes in
values, wrong arguments; a context of arraycontext over data that it did not
make."""

import numpy as np
import pytato as pt
import pytest
from ilex.arraycontext import PytatoIlexArrayContext
from ilex.pytato import generate_ilex


@pytest.mark.parametrize("dtype", (np.int8, np.int32, np.uint64, np.float32))
def test_numbers_without_axes(dtype):
    x = np.array([1, 2, 100], dtype)
    made = generate_ilex(pt.make_placeholder("x", (3,), dtype)
                         * pt.full((), 100, dtype=dtype))(x=x)
    assert made.dtype == dtype
    assert (made == x * np.full((), 100, dtype)).all()


def test_sizes_in_values():
    n, m = pt.make_size_param("n"), pt.make_size_param("m")
    y = pt.make_placeholder("y", (n, m), np.float64)
    assert generate_ilex(n*n + m)(n=3, m=4) == 13
    made = generate_ilex(y*(n % 3) + n//2)(y=np.ones((4, 2)))
    assert made.tolist() == [[3.0, 3.0]] * 4
    z = pt.make_placeholder("z", (n, 2), np.float64)
    columns = generate_ilex(pt.stack((z[:, 0], pt.roll(z[:, 1], 1))))
    assert columns(z=np.arange(6.0).reshape(3, 2)).tolist() == \
        [[0, 2, 4], [5, 1, 3]]


@pytest.mark.parametrize("dtype", (np.uint8, np.uint64))
def test_unsigned_beside_what_is_below_0(dtype):
    u = pt.make_placeholder("u", (2,), dtype)
    x = np.array([0, 200], dtype)
    for name in "less", "equal", "greater", "greater_equal":
        made = generate_ilex(getattr(pt, name)(u, -1))(u=x)
        assert made.tolist() == getattr(np, name)(x, -1).tolist()


def test_arguments():
    x = pt.make_placeholder("x", (2,), np.float64)
    f = generate_ilex({"y": 2*x, "z": x + pt.make_data_wrapper(np.ones(2))})
    assert {k: v.tolist() for k, v in f(x=np.ones(2)).items()} == \
        {"y": [2, 2], "z": [2, 2]}
    for wrong in {}, {"x": np.ones(2), "w": 3}:
        with pytest.raises(TypeError):
            f(**wrong)
    assert "for (" in f.source


def test_context():
    actx = PytatoIlexArrayContext()
    theirs = np.ones(3, np.float32)
    frozen = actx.freeze(pt.make_data_wrapper(theirs))
    assert actx.to_numpy(actx.thaw(frozen) + 1).tolist() == [2] * 3
    x = actx.from_numpy(theirs)
    theirs[:] = 7
    y = actx.np.hypot(x, 2.0)
    assert y.dtype == np.float32
    assert np.allclose(actx.to_numpy(y), np.hypot(np.ones(3), 2))
