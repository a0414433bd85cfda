#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""solve, inv, det, cholesky, triangular_solve of matrices of 1 to 8 rows beside NumPy's.

    matrices.py LIBRARY [--seed N]

Random batches, the first matrix being a permutation, one of numbers of very
different size; every result is within 32 roundings of NumPy's, times the
condition of the matrix. Back ends give the same bits.
"""
import argparse

import numpy as np

from library import Library

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64,
          "c128": np.complex128}
TEXT = """ilex 1
program matrices
size q
in a : %(t)s[q, %(n)d, %(n)d]
in b : %(t)s[q, %(n)d, 2]
in v : %(t)s[%(n)d]
in h : %(t)s[q, %(n)d, %(n)d]
out x = solve(a, b)
out y = solve(a, v)
out i = inv(a)
out d = det(a)
out l = cholesky(h)
out s = triangular_solve(h, b; lower=1)
out u = triangular_solve(conj(transpose(h; axes=[0, 2, 1])), v)
"""
BATCH = 5


def run(library, text, arrays, outputs, dtype, jit):
    context = library.context()
    context.option("jit", jit)
    context.parse(text)
    program = context.compile()
    bound = []
    for name, x in list(arrays.items()) + list(outputs.items()):
        bound.append((name, context.storage(
            dtype, x.ctypes.data, x.shape,
            [s // x.itemsize for s in x.strides], [], [], [])))
    context.run(program, bound, [], 1)
    for _, storage in bound:
        context.free(storage)
    context.release(program)
    context.close()


def drawn(rng, dtype, *shape):
    x = rng.standard_normal(shape)
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(DTYPES[dtype])


def operands(rng, dtype, n):
    a = drawn(rng, dtype, BATCH, n, n)
    a[0] = np.roll(np.eye(n), 1, 0)
    a[1] *= np.float32(10) ** rng.integers(-3, 3, (n, 1))
    h = a @ np.conj(np.swapaxes(a, 1, 2)) + np.eye(n, dtype=a.dtype)
    upper = np.triu(np.full((BATCH, n, n), 99, a.dtype), 1)
    return {"a": a, "b": drawn(rng, dtype, BATCH, n, 2),
            "v": drawn(rng, dtype, n), "h": np.tril(h) + upper}, h


def close(what, got, want, condition, eps):
    """Within 32 roundings of the largest element of each matrix."""
    axes = tuple(range(1, want.ndim))
    off = np.abs(got - want).max(axis=axes)
    limit = 32 * eps * condition * np.abs(want).max(axis=axes)
    assert (off <= limit).all(), "%s: %s > %s" % (what, off, limit)


def compare(what, out, x, h):
    a, eps = x["a"].astype(np.complex128), np.finfo(x["a"].dtype).eps
    n = a.shape[1]
    condition = np.linalg.cond(a) * n
    v = np.broadcast_to(x["v"][:, None], (BATCH, n, 1))
    close(what + " solve", out["x"], np.linalg.solve(a, x["b"]), condition, eps)
    close(what + " vector", out["y"], np.linalg.solve(a, v)[..., 0], condition,
          eps)
    close(what + " inv", out["i"], np.linalg.inv(a), condition, eps)
    close(what + " det", out["d"], np.linalg.det(a), condition, eps)
    close(what + " cholesky", out["l"],
          np.linalg.cholesky(h.astype(np.complex128)), np.linalg.cond(h) * n,
          eps)
    assert (np.triu(out["l"], 1) == 0).all()
    h = np.tril(h.astype(np.complex128))
    up = np.conj(np.swapaxes(h, 1, 2))
    condition = np.linalg.cond(h) * n
    close(what + " lower", out["s"], np.linalg.solve(h, x["b"]), condition, eps)
    close(what + " upper", out["u"], np.linalg.solve(up, v)[..., 0], condition,
          eps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    library = Library(options.library)
    rng = np.random.default_rng(options.seed)
    jits = [j for j in ["reference", "tcc"] if j in library.backends()]
    count = 0
    for n in range(1, 9):
        for dtype, t in DTYPES.items():
            x, h = operands(rng, dtype, n)
            bits = set()
            for jit in jits:
                out = {"x": np.zeros((BATCH, n, 2), t),
                       "y": np.zeros((BATCH, n), t),
                       "i": np.zeros((BATCH, n, n), t),
                       "d": np.zeros(BATCH, t),
                       "l": np.zeros((BATCH, n, n), t),
                       "s": np.zeros((BATCH, n, 2), t),
                       "u": np.zeros((BATCH, n), t)}
                run(library, TEXT % {"t": dtype, "n": n}, x, out, dtype, jit)
                compare("%s of %d rows, %s:" % (dtype, n, jit), out, x, h)
                bits.add(b"".join(o.tobytes() for o in out.values()))
                count += 1
            assert len(bits) == 1, "back ends differ: %s, %d rows" % (dtype, n)
    print("%d programs of small matrices are as NumPy's" % count)


if __name__ == "__main__":
    main()
