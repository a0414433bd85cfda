#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The kernels of kernels.def by NumPy and, where they can be imported, by
# numexpr, Numba, JAX and PyTorch, beside the plain C in interleaved rounds.
#
#     peers.py [-q] [-k NAME,...] [-r ROUNDS] -p PLAIN.so -o OUT.json FILE.json
#
# FILE.json is what bench/bench wrote: kernels, sizes and shapes are from
# there. OUT.json has the same form (see the README) and can be joined with it
# by report.py. Each library chooses how many threads it uses. Results are
# compared with those of the plain C before anything is timed; a kernel that a
# library has no single good way to write is left out.
import argparse
import ctypes
import json
import sys
import time

import numpy as np


# ---- the kernels by each library: arrays in, result out ----
#
# A table from a kernel's name to a function of its inputs. Those that can,
# write into the output, which is passed last.

class Library:
    """How arrays are given and a function is called."""

    @staticmethod
    def take(arrays):
        return arrays

    @staticmethod
    def call(function, arrays):
        return function(*arrays)


class Numpy(Library):
    """Whole-array operators; matmul is BLAS."""

    name = "NumPy"

    def __init__(self):
        self.version = f"NumPy {np.__version__}"

    @staticmethod
    def chain(x, y, z, w, _r):
        return 1.5 * x + y * z - w

    @staticmethod
    def lap5(u, _v):
        return (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                - 4.0 * u[1:-1, 1:-1])

    @staticmethod
    def hdiff(u, c, _v, where=np.where):
        i, j = c.shape[:2]
        lap = 4.0 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] +
                                     u[1:-1, 2:] + u[1:-1, :-2])
        rx = lap[1:, 1:-1] - lap[:-1, 1:-1]
        fx = where(rx * (u[2:i + 3, 2:-2] - u[1:i + 2, 2:-2]) > 0.0, 0.0, rx)
        ry = lap[1:-1, 1:] - lap[1:-1, :-1]
        fy = where(ry * (u[2:-2, 2:j + 3] - u[2:-2, 1:j + 2]) > 0.0, 0.0, ry)
        return (u[2:-2, 2:-2]
                - c * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1]))

    @staticmethod
    def broadcast(x, y, _v):
        return x[:, :, None] + y

    @staticmethod
    def sum(x, _s):
        return x.sum()

    @staticmethod
    def rowsum(x, _s):
        return x.sum(1)

    @staticmethod
    def colsum(x, _s):
        return x.sum(0)

    @staticmethod
    def matmul(a, b, out):
        return np.matmul(a, b, out=out)

    @staticmethod
    def vadv(us, w, up, ut, uts, dt, v):
        # the last axis is the column: levels are strided views
        turn = lambda a: np.moveaxis(a, -1, 0)
        down = turn(w)
        advect(turn(us), down[:, :-1], down[:, 1:], turn(up), turn(ut),
               turn(uts), dt, turn(v))
        return v

    @staticmethod
    def vadvk(us, w, up, ut, uts, dt, v):
        advect(us, w[:, :, :-1], w[:, :, 1:], up, ut, uts, dt, v)
        return v

    @staticmethod
    def softmax(x, _r):
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    @staticmethod
    def transpose(x, _r):
        return np.ascontiguousarray(x.T)

    @staticmethod
    def compact(x, _r):
        return x[x > 0.5]


def advect(us, west, east, up, ut, uts, dt, v):
    """Vertical advection with levels first, one level after another."""
    cp, dp, last = np.empty(us.shape), np.empty(us.shape), len(us) - 1
    for k in range(last + 1):
        b, d = dt, dt * up[k] + ut[k] + uts[k]
        c = 0.0
        if k < last:
            c = 0.125 * (east[k + 1] + west[k + 1])
            b, d = b - c, d - c * (us[k + 1] - us[k])
        if k > 0:
            a = -0.125 * (east[k] + west[k])
            b = b - a - a * cp[k - 1]
            d = d - a * (us[k - 1] - us[k]) - a * dp[k - 1]
        cp[k], dp[k] = c / b, d / b
    for k in range(last, -1, -1):
        if k < last:
            dp[k] -= cp[k] * dp[k + 1]
        v[k] = dt * (dp[k] - up[k])


class Numexpr(Library):
    """One expression on blocks that fit the cache; no stencils' temporaries."""

    name = "numexpr"

    def __init__(self):
        import numexpr
        self.evaluate = numexpr.evaluate
        self.version = f"numexpr {numexpr.__version__}"

    def chain(self, x, y, z, w, r):
        return self.evaluate("1.5*x + y*z - w", out=r)

    def lap5(self, u, v):
        n, s, e, w, c = (u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:],
                         u[1:-1, 1:-1])
        return self.evaluate("n + s + e + w - 4.0*c", out=v)

    def broadcast(self, x, y, v):
        x = x[:, :, None]
        return self.evaluate("x + y", out=v)

    def sum(self, x, _s):
        return self.evaluate("sum(x)")


class Numba(Library):
    """Loops as in the plain C, the outermost one in parallel."""

    name = "Numba"

    def __init__(self):
        import numba
        self.version = f"Numba {numba.__version__}"
        kernels = numba_kernels(numba.njit, numba.prange)
        for function in kernels:
            setattr(self, function.__name__, function)


def numba_kernels(njit, prange):
    parallel = njit(parallel=True)

    @parallel
    def chain(x, y, z, w, r):
        for i in prange(x.size):
            r[i] = 1.5 * x[i] + y[i] * z[i] - w[i]
        return r

    @parallel
    def lap5(u, v):
        for i in prange(v.shape[0]):
            for j in range(v.shape[1]):
                v[i, j] = (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] +
                           u[i + 1, j + 2] - 4.0 * u[i + 1, j + 1])
        return v

    @njit(inline="always")
    def laplace(u, i, j, k):
        return 4.0 * u[i, j, k] - (u[i + 1, j, k] + u[i - 1, j, k] +
                                   u[i, j + 1, k] + u[i, j - 1, k])

    @njit(inline="always")
    def limit(r, d):
        return 0.0 if r * d > 0.0 else r

    @parallel
    def hdiff(u, c, v):
        for i in prange(2, v.shape[0] + 2):
            for j in range(2, v.shape[1] + 2):
                for k in range(v.shape[2]):
                    m = laplace(u, i, j, k)
                    here = u[i, j, k]
                    x0 = limit(m - laplace(u, i - 1, j, k),
                               here - u[i - 1, j, k])
                    x1 = limit(laplace(u, i + 1, j, k) - m,
                               u[i + 1, j, k] - here)
                    y0 = limit(m - laplace(u, i, j - 1, k),
                               here - u[i, j - 1, k])
                    y1 = limit(laplace(u, i, j + 1, k) - m,
                               u[i, j + 1, k] - here)
                    v[i - 2, j - 2, k] = here - c[i - 2, j - 2, k] * (
                        x1 - x0 + y1 - y0)
        return v

    @parallel
    def broadcast(x, y, v):
        for i in prange(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(y.size):
                    v[i, j, k] = x[i, j] + y[k]
        return v

    @njit(parallel=True, fastmath={"reassoc", "nsz"})
    def sum(x, _s):
        total = 0.0
        for i in prange(x.size):
            total += x[i]
        return total

    @njit(parallel=True, fastmath={"reassoc", "nsz"})
    def rowsum(x, s):
        for i in prange(x.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                total += x[i, j]
            s[i] = total
        return s

    @njit(inline="always")
    def eliminate(us, below, above, w, wa, east, up, ut, uts, dt, cp, dp,
                  lower, upper):
        a = -0.125 * (east + w) if lower else 0.0
        c = wa if upper else 0.0
        l = a * (below - us) if lower else 0.0
        m = c * (above - us) if upper else 0.0
        b = dt - a - c
        d = dt * up + ut + uts - l - m
        if lower:
            b -= a * cp
            d -= a * dp
        return c / b, d / b

    @parallel
    def vadv(us, w, up, ut, uts, dt, v):
        ni, nj, nk = us.shape
        for i in prange(ni):
            cp, dp = np.empty(nk), np.empty(nk)
            for j in range(nj):
                for k in range(nk):
                    under, over = max(k - 1, 0), min(k + 1, nk - 1)
                    cp[k], dp[k] = eliminate(
                        us[i, j, k], us[i, j, under], us[i, j, over],
                        w[i, j, k],
                        0.125 * (w[i + 1, j, over] + w[i, j, over]),
                        w[i + 1, j, k], up[i, j, k], ut[i, j, k],
                        uts[i, j, k], dt[i, j], cp[under], dp[under], k > 0,
                        k < nk - 1)
                x = dp[nk - 1]
                for k in range(nk - 1, -1, -1):
                    if k < nk - 1:
                        x = dp[k] - cp[k] * x
                    v[i, j, k] = dt[i, j] * (x - up[i, j, k])
        return v

    @parallel
    def vadvk(us, w, up, ut, uts, dt, v):
        nk, nj, ni = us.shape
        for j in prange(nj):
            cp, dp = np.empty((nk, ni)), np.empty((nk, ni))
            for k in range(nk):
                under, over = max(k - 1, 0), min(k + 1, nk - 1)
                for i in range(ni):
                    cp[k, i], dp[k, i] = eliminate(
                        us[k, j, i], us[under, j, i], us[over, j, i],
                        w[k, j, i],
                        0.125 * (w[over, j, i + 1] + w[over, j, i]),
                        w[k, j, i + 1], up[k, j, i], ut[k, j, i],
                        uts[k, j, i], dt[j, i], cp[under, i], dp[under, i],
                        k > 0, k < nk - 1)
            for k in range(nk - 1, -1, -1):
                for i in range(ni):
                    if k < nk - 1:
                        dp[k, i] -= cp[k, i] * dp[k + 1, i]
                    v[k, j, i] = dt[j, i] * (dp[k, i] - up[k, j, i])
        return v

    @parallel
    def softmax(x, r):
        for i in prange(x.shape[0]):
            most = x[i, 0]
            for j in range(x.shape[1]):
                most = max(most, x[i, j])
            total = 0.0
            for j in range(x.shape[1]):
                r[i, j] = np.exp(x[i, j] - most)
                total += r[i, j]
            for j in range(x.shape[1]):
                r[i, j] /= total
        return r

    @parallel
    def transpose(x, r):
        for j in prange(r.shape[0]):
            for i in range(r.shape[1]):
                r[j, i] = x[i, j]
        return r

    @njit
    def compact(x, r):
        kept = 0
        for value in x:
            if value > 0.5:
                r[kept] = value
                kept += 1
        return r[:kept]

    return (chain, lap5, hdiff, broadcast, sum, rowsum, vadv, vadvk, softmax,
            transpose, compact)


class Jax(Library):
    """Whole-array operators, compiled together; no lengths from data."""

    name = "JAX"

    def __init__(self):
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        self.jnp, self.version = jnp, f"JAX {jax.__version__}"
        kernels = {
            "chain": Numpy.chain, "lap5": Numpy.lap5,
            "hdiff": lambda u, c, v: Numpy.hdiff(u, c, v, jnp.where),
            "broadcast": Numpy.broadcast, "sum": Numpy.sum,
            "rowsum": Numpy.rowsum, "colsum": Numpy.colsum,
            "matmul": lambda a, b, _c: a @ b,
            "softmax": lambda x, _r: jax.nn.softmax(x, 1),
            "transpose": lambda x, _r: x.T}
        for name, function in kernels.items():
            setattr(self, name, jax.jit(function))

    def take(self, arrays):
        return [self.jnp.asarray(a) for a in arrays]

    @staticmethod
    def call(function, arrays):
        return function(*arrays).block_until_ready()


class Torch(Library):
    """Whole-array operators, one after another."""

    name = "PyTorch"

    def __init__(self):
        import torch
        self.torch, self.version = torch, f"PyTorch {torch.__version__}"
        kernels = {
            "chain": Numpy.chain, "lap5": Numpy.lap5,
            "hdiff": lambda u, c, v: Numpy.hdiff(u, c, v, torch.where),
            "broadcast": Numpy.broadcast, "sum": Numpy.sum,
            "rowsum": Numpy.rowsum, "colsum": Numpy.colsum,
            "matmul": lambda a, b, c: torch.matmul(a, b, out=c),
            "softmax": lambda x, _r: torch.softmax(x, 1),
            "transpose": lambda x, _r: x.T.contiguous(),
            "compact": Numpy.compact}
        for name, function in kernels.items():
            setattr(self, name, function)

    def take(self, arrays):
        return [self.torch.from_numpy(a) for a in arrays]


def find_libraries():
    """One of each that can be imported; says which cannot."""
    found = []
    for library in (Numpy, Numexpr, Numba, Jax, Torch):
        try:
            found.append(library())
        except ImportError as error:
            print(f"peers.py: without {library.name}: {error}",
                  file=sys.stderr)
    return found


# ---- the plain C ----

class Plain:
    """The functions of bench_kernels.c, built as a shared object."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            sys.exit(f"peers.py: {path}: {error}; `make bench/plain.so` "
                     "makes it")

    def bind(self, kernel, arrays):
        function = getattr(self.library, "plain_" + kernel["kernel"])
        sizes = (ctypes.c_int64 * len(kernel["sizes"]))(*kernel["sizes"])
        bases = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data
                                                  for a in arrays])
        function.restype = None
        # the default keeps the arrays alive as long as the call
        return lambda _arrays=arrays: function(sizes, bases)


# ---- one kernel at one size ----

def make_arrays(kernel):
    """Numbers in [0.1, 1); the output is NaN where nothing is written."""
    random = np.random.default_rng(1)
    arrays = [np.array(0.1 + 0.9 * random.random(a["shape"]))
              for a in kernel["arrays"]]
    arrays[-1][...] = np.nan
    return arrays


def differs(result, right, tolerance):
    """The difference relative to the largest value, None where small enough.

    Of a result shorter than the room for it, what is left out must be NaN.
    """
    result, right = np.ravel(np.asarray(result)), np.ravel(right)
    if np.count_nonzero(~np.isnan(right)) != result.size:
        return np.inf
    right = right[:result.size]
    most = np.max(np.abs(result - right)) / np.max(np.abs(right))
    return None if most <= max(tolerance, 1e-12) else most


def prepare(kernel, plain, libraries):
    """What is timed, by name: calls whose results are those of plain C."""
    arrays = make_arrays(kernel)
    calls = {"C": plain.bind(kernel, arrays)}
    calls["C"]()
    right = arrays[-1].copy()
    for library in libraries:
        function = getattr(library, kernel["kernel"], None)
        if function is None:
            continue
        own = library.take(arrays[:-1] + [np.full_like(right, np.nan)])
        call = lambda l=library, f=function, a=own: l.call(f, a)
        most = differs(call(), right, kernel["tolerance"])
        if most is not None:
            sys.exit(f"peers.py: {kernel['kernel']} {kernel['size']} by "
                     f"{library.name} differs from C by {most:g}")
        calls[library.name] = call
    return calls


def seconds_of(call, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def summary(values):
    values = sorted(values)
    return {"low": values[0], "median": values[len(values) // 2],
            "high": values[-1]}


def measure(calls, rounds, least):
    """Variants of the JSON: all calls in turn, round by round."""
    repeats = {n: max(1, int(least / max(seconds_of(c, 1), 1e-7)))
               for n, c in calls.items()}
    seconds = {n: [] for n in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            seconds[name].append(seconds_of(call, repeats[name]))
    return [{"by": name, "threads": 1 if name == "C" else "auto",
             "seconds": summary(values),
             "ratio": summary([v / c for v, c in zip(values, seconds["C"])])}
            for name, values in seconds.items()]


# ---- the command ----

def read_options():
    parser = argparse.ArgumentParser(description="Kernels by other libraries.")
    parser.add_argument("-q", action="store_true", help="measure quickly")
    parser.add_argument("-k", metavar="NAMES", help="kernels, with commas")
    parser.add_argument("-r", metavar="ROUNDS", type=int)
    parser.add_argument("-p", metavar="SO", required=True,
                        help="the plain C, bench/plain.so")
    parser.add_argument("-o", metavar="JSON", required=True)
    parser.add_argument("file", help="what bench/bench -o wrote")
    options = parser.parse_args()
    options.r = options.r or (3 if options.q else 15)
    if options.r < 1:
        parser.error("-r wants at least one round")
    return options


def main():
    options = read_options()
    with open(options.file, encoding="utf-8") as file:
        results = json.load(file)
    plain, libraries = Plain(options.p), find_libraries()
    names = options.k.split(",") if options.k else None
    results["kernels"] = [k for k in results["kernels"]
                          if names is None or k["kernel"] in names]
    for kernel in results["kernels"]:
        kernel["variants"] = measure(prepare(kernel, plain, libraries),
                                     options.r, 1e-3 if options.q else 20e-3)
        print(f"{kernel['kernel']:10s} {kernel['size']:12s}" + "".join(
            f"  {v['by']} {v['ratio']['median']:.2f}"
            for v in kernel["variants"]), flush=True)
    results["rounds"] = options.r
    results["versions"] = [library.version for library in libraries]
    with open(options.o, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
