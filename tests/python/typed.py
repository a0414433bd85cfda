# SPDX-License-Identifier: MIT
"""A program as type checkers see it: wrong are the lines that say so."""

import ilex
import numpy as np
from ilex import graph, linalg
from ilex.fields import Axis, field, restrict

x = ilex.asarray(np.ones((3, 3)))
y: ilex.Array = ilex.sum(ilex.exp(-x) * x, axis=1, keepdims=True)
n: int = x.shape[0] + x.ndim
z = x[1:, None].at[0].set(3.0) + np.ones(3) @ x
positive: bool = bool((x > 0)[0, 0])
u, s, vh = linalg.svd(x)
values, places = ilex.top_k(x, 2)
inverse = ilex.unique_all(x).inverse_indices
zeros = ilex.zeros((2, 3), dtype=ilex.float32) + ilex.zeros(3, dtype="float32")
real: bool = ilex.isdtype(x.dtype, "real floating")


@ilex.jit
def f(u, dt: float):
    return u[1:] - dt * u[:-1]


@ilex.foreign("(a : f64[n]) -> f64[n]")
def host(a):
    return np.sort(a)


v = host(f(np.ones(3), 0.1))
text: str = ilex.source(f)(np.ones(3), 0.1)
page: str = ilex.page(f)(np.ones(3), 0.1)
I = Axis("I")
inner = restrict(field(np.ones(5), "I", halo=((1, 1),))[I + 1], "I:1:2")
m = graph.map("i:n-2", "u[i]", {"u": graph.input("u", ilex.float64, "n")})
result, = graph.Program([m], ["u"])(np.ones(4))
try:
    ilex.sum(x, axes=1)  # error
    ilex.sin("text")  # error
    ilex.nothing  # error
    x.shape = (3,)  # error
    ilex.zeros((2, 3), dtype=3)  # error
    linalg.solve(x)  # error
    graph.map("i:n", 3, {})  # error
except ilex.errors.ShapeError as e:
    print(e.line + 1)  # error
