# SPDX-License-Identifier: MIT
"""Figures that programs draw, each a function of a few lines that gives what is
drawn.

    python3 gallery.py DIRECTORY        # of the figures, as PNG files"""

import inspect
import os
import sys

import ilex
import numpy as np
from ilex.fields import Axis, field, restrict

FIGURES = {}  # what draws each, by its name


def figure(title):
    def noted(f):
        FIGURES[f.__name__] = title, f
        return f
    return noted


@figure("Heat in a plate, after 2000 steps")
def heat():
    @ilex.jit
    def step(u):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].set(inner + 0.2*(around - 4*inner))

    u = np.zeros((120, 200))
    u[0, 40:160], u[30:90, 0] = 1, -1
    for _ in range(2000):
        u = step(u)
    return u


@figure("The set of Mandelbrot: one loop, which the program runs")
def mandelbrot():
    @ilex.jit
    def steps(c):
        def step(t, carried):
            z, k = carried
            inside = ilex.real(z)**2 + ilex.imag(z)**2 < 4
            return ilex.where(inside, z*z + c, z), k + inside

        z = ilex.zeros(c.shape, dtype=c.dtype)
        return ilex.loop(200, step, (z, ilex.zeros(c.shape, dtype=int)))[1]

    y, x = np.mgrid[-1.2:1.2:240j, -2.2:1:320j]
    return np.log(np.asarray(steps(x + 1j*y)) + 1)


@figure("Gray and Scott's reaction, after 4000 steps")
def reaction():
    I, J = Axis("I"), Axis("J")

    def laplacian(u):
        return u[I + 1] + u[I - 1] + u[J + 1] + u[J - 1] - 4*u

    @ilex.jit
    def step(u, v):
        r = u*v*v
        return (restrict(u + 0.16*laplacian(u) - r + 0.035*(1 - u), u),
                restrict(v + 0.08*laplacian(v) + r - 0.095*v, v))

    u, v = np.ones((130, 194)), np.zeros((130, 194))
    v[50:80, 80:110], u[50:80, 80:110] = 0.5, 0.5
    v[55:60, 90:120] = 0.9
    halo = ((1, 1), (1, 1))
    for _ in range(4000):
        for x in u, v:  # around
            x[0], x[-1], x[:, 0], x[:, -1] = x[-2], x[1], x[:, -2], x[:, 1]
        u[1:-1, 1:-1], v[1:-1, 1:-1] = map(
            np.asarray, step(field(u, "IJ", halo), field(v, "IJ", halo)))
    return v[1:-1, 1:-1]


@figure("Life, after 300 generations")
def life():
    @ilex.jit
    def step(x):
        n = sum(ilex.roll(x, (i, j), axis=(0, 1)) for i in (-1, 0, 1)
                for j in (-1, 0, 1) if (i, j) != (0, 0))
        return ilex.astype((n == 3) | ((n == 2) & (x == 1)), ilex.int8)

    x = (np.random.default_rng(1).random((120, 200)) < 0.25).astype(np.int8)
    for _ in range(300):
        x = step(x)
    return x


@figure("Sums of ten dice, a million throws")
def dice():
    throws = np.random.default_rng(2).integers(1, 7, (1_000_000, 10))

    @ilex.jit
    def count(x):
        sums = ilex.sum(x, axis=1)
        return ilex.zeros(61).at[sums].add(1)

    return np.asarray(count(throws))


@figure("Forces of 800 stars on each other")
def stars():
    @ilex.jit
    def forces(p):
        d = p[None, :, :] - p[:, None, :]
        r2 = ilex.sum(d*d, axis=2) + 1e-3
        return ilex.sum(d / (r2*ilex.sqrt(r2))[:, :, None], axis=1)

    p = np.random.default_rng(3).standard_normal((800, 2))
    return np.concatenate((p, np.asarray(forces(p))), axis=1)


@figure("What a parabola does not fit: least squares, solved by NumPy")
def fit():
    @ilex.foreign("(a : f64[n, n], b : f64[n]) -> f64[n]")
    def solve(a, b):
        return np.linalg.solve(a, b)

    @ilex.jit
    def residual(x, y):
        a = ilex.stack([ilex.ones_like(x), x, x*x], axis=1)
        return y - a @ solve(a.T @ a, a.T @ y)

    x = np.linspace(-1, 1, 400)
    noise = np.random.default_rng(4).standard_normal(400)
    return np.asarray(residual(x, x**3 + 0.05*noise + 2*x*x))


@figure("Light from above on a terrain of cosines")
def terrain():
    y, x = np.mgrid[0:6:160j, 0:10:260j]

    @ilex.jit
    def shade(x, y):
        h = sum(ilex.cos(k*x + 2*k) * ilex.sin(k*y - k) / k
                for k in (1, 2, 3, 5, 8, 13))
        dx, dy = h[1:, 1:] - h[1:, :-1], h[1:, 1:] - h[:-1, 1:]
        return (1 - 8*dx - 4*dy) / ilex.sqrt(1 + 64*dx*dx + 64*dy*dy)

    return np.asarray(shade(x, y))


def draw(name, path):
    """A figure of what a function gives: a row of numbers, rows of four, or a
    picture."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    _, f = FIGURES[name]
    made = np.asarray(f())
    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    if made.ndim == 1:
        axes.plot(made, ".", markersize=3)
    elif made.shape[1] == 4:
        axes.quiver(*made.T, np.hypot(*made[:, 2:].T), cmap="viridis")
    else:
        axes.imshow(made, cmap="viridis")
        axes.axis("off")
    figure.savefig(path, dpi=100, bbox_inches="tight")
    pyplot.close(figure)


def write(folder):
    """The figures, and the page that shows them beside their programs."""
    made = os.path.join(folder, "made")
    os.makedirs(made, exist_ok=True)
    text = "Gallery\n=======\n"
    for name, (title, f) in FIGURES.items():
        draw(name, os.path.join(made, f"{name}.png"))
        code = inspect.getsource(f).partition("\n")[2]
        text += f"\n{title}\n{'-' * len(title)}\n\n.. image:: {name}.png\n\n" \
            ".. code-block:: python\n\n" + \
            "".join(f"   {line}\n" if line else "\n"
                    for line in code.split("\n"))
    with open(os.path.join(made, "gallery.rst"), "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for each in FIGURES:
        draw(each, os.path.join(sys.argv[1], f"{each}.png"))
