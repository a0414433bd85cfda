# SPDX-License-Identifier: MIT
"""Eager operators beside NumPy's, on the same arrays; functions.py has those that
are elementary functions.

    ILEX_LIBRARY=build/.libs/libilex.so python3 bench/eager.py [-n ELEMENTS]

Every operator of the table, in every dtype it has there, writes to a given
array, on one thread. Results are compared before anything is timed. In each
round all variants are called once, in turn, so that what else the machine does
hits all of them; reported are medians in milliseconds, the ratio of these and
that of the lowest, which is steadier on a busy machine.
"""
import argparse
import ctypes as c
import os
import statistics
import time

import numpy as np

OPERATORS = {"add": 2, "multiply": 2, "maximum": 2, "less": 2, "sqrt": 1}
DTYPES = ["f64", "f32", "i8"]
MOST = 1.3  # what ratios are to be, at most

lib = c.CDLL(os.environ.get("ILEX_LIBRARY", "libilex.so"))
P, Z, S, I = c.c_void_p, c.c_size_t, c.c_char_p, c.c_int


def declare(result, name, *arguments):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    return function


context = declare(P, "ilex_context_new", P)(None)
option = declare(I, "ilex_option_set", P, S, S)
error = declare(S, "ilex_error_text", P)
wrap = declare(P, "ilex_storage_wrap", P, I, I, c.POINTER(c.c_int64), P, P, P,
               P)
eager = declare(P, "ilex_eager", P, S, Z, c.POINTER(P), P)
release = declare(None, "ilex_storage_release", P)
dtype_name = declare(S, "ilex_dtype_name", I)


def storage(a):
    """A storage over the memory of an array."""
    name = {"?": b"bool", "b": b"i8", "f": b"f32", "d": b"f64"}[a.dtype.char]
    dtype = next(i for i in range(32) if dtype_name(i) == name)
    shape = (c.c_int64 * 1)(a.size)
    return wrap(context, dtype, 1, shape, None, a.ctypes.data, None, None)


def ilex_call(name, operands, out):
    x = (P * len(operands))(*[storage(a) for a in operands])
    y = storage(out)
    text = name.encode()

    def call():
        result = eager(context, text, len(operands), x, y)
        if not result:
            raise SystemExit(error(context).decode())
        release(result)
    return call


def numbers(dtype, n):
    """Numbers without zeros and signs, so that every operator likes them."""
    rng = np.random.default_rng(1)
    if dtype == "i8":
        return rng.integers(1, 100, n, dtype=np.int8)
    return (rng.random(n) + 0.5).astype({"f64": "f8", "f32": "f4"}[dtype])


def time_of(call, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def measure(title, calls, rounds, most):
    """Medians of calls that take turns; the first is compared with the other."""
    samples = [[] for _ in calls]
    for call in calls:
        call()
    repeats = max(1, int(2e-3 / max(time_of(calls[0], 1), 1e-7)))
    for k in range(rounds):
        for i in range(len(calls)):
            j = (i + k) % len(calls)
            samples[j].append(time_of(calls[j], repeats))
    ours, other = (1e3 * statistics.median(x) for x in samples)
    low = min(samples[0]) / min(samples[1])
    met = "" if ours <= most * other else f"  more than {most}"
    print(f"{title:22s} {ours:9.4f} {other:9.4f} {ours / other:7.2f} {low:7.2f}"
          f"{met}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1 << 22, help="elements")
    parser.add_argument("-r", type=int, default=31, help="rounds")
    parser.add_argument("-j", default="cc", help="back end: cc, tcc or auto")
    options = parser.parse_args()
    if option(context, b"jit", options.j.encode()):
        raise SystemExit(error(context).decode())
    n, rounds = options.n, options.r
    print(f"{n} elements, jit={options.j}, NumPy {np.__version__}; milliseconds")
    print(f"{'':22s} {'Ilex':>9s} {'other':>9s} {'ratio':>7s} {'lowest':>7s}")
    for dtype in DTYPES:
        for name, arity in OPERATORS.items():
            operands = [numbers(dtype, n), numbers(dtype, n)[::-1].copy()][:arity]
            function = getattr(np, name)
            want = function(*operands)
            if want.dtype == np.float16:  # sqrt of i8: Ilex has no half
                continue
            out = np.zeros_like(want)
            call = ilex_call(name, operands, out)
            call()
            assert np.array_equal(out, want), (name, dtype)
            measure(f"{name} {dtype}",
                    [call, lambda: function(*operands, out=out)], rounds,
                    MOST)


if __name__ == "__main__":
    main()
