# SPDX-License-Identifier: MIT
"""Elementary functions beside NumPy's, SLEEF's and libmvec's.

    ILEX_LIBRARY=build/.libs/libilex.so python3 bench/functions.py [-n ELEMENTS]
        [-r ROUNDS] [NAME ...]

Each is an eager operator on one thread, compiled by cc. SLEEF's are those of at
most 1 ulp without fused multiply-adds, in vectors of the same width; a loop that
gcc compiles with -ffast-math calls libmvec's, with fused ones, of 4 ulp. All are
called in turn; reported are the lowest times in nanoseconds an element, and
Ilex's over NumPy's and SLEEF's.
"""
import argparse
import ctypes as c
import os
import subprocess
import tempfile

import numpy as np

import eager

# name: name in C, arguments from, to, second ones from, to
FUNCTIONS = {
    "exp": ("exp", -10, 10), "exp2": ("exp2", -10, 10),
    "expm1": ("expm1", -3, 3), "log": ("log", 0.01, 100),
    "log2": ("log2", 0.01, 100), "log10": ("log10", 0.01, 100),
    "log1p": ("log1p", -0.9, 10), "sin": ("sin", -10, 10),
    "cos": ("cos", -10, 10), "tan": ("tan", -10, 10),
    "arcsin": ("asin", -1, 1), "arccos": ("acos", -1, 1),
    "arctan": ("atan", -10, 10), "sinh": ("sinh", -5, 5),
    "cosh": ("cosh", -5, 5), "tanh": ("tanh", -5, 5),
    "arcsinh": ("asinh", -10, 10), "arccosh": ("acosh", 1, 10),
    "arctanh": ("atanh", -1, 1), "erf": ("erf", -4, 4),
    "erfc": ("erfc", -4, 10), "gamma": ("tgamma", 0.5, 20),
    "lgamma": ("lgamma", 0.5, 20), "cbrt": ("cbrt", -10, 10),
    "power": ("pow", 0, 10, -5, 5), "hypot": ("hypot", -5, 5, -5, 5),
    "arctan2": ("atan2", -5, 5, -5, 5), "logaddexp": (None, -5, 5, -5, 5),
}


def compiled(folder, name, source, flags):
    """Functions of a C source, or None where it cannot be had."""
    path = os.path.join(folder, name + ".so")
    run = subprocess.run(
        ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-x", "c", "-",
         "-o", path, *flags], input=source.encode(), capture_output=True)
    return c.CDLL(path) if run.returncode == 0 else None


def mvec_source(f, arity, t):
    letter = "f" if t == "float" else ""
    y = ", y[i]" if arity == 2 else ""
    return f"""#include <math.h>
void loop(const {t} *x, const {t} *y, {t} *restrict z, long n)
{{ for (long i = 0; i < n; i++) z[i] = {f}{letter}(x[i]{y}); }}
"""


def sleef_source(f, arity, t):
    """A loop over vectors as wide as the processor has them."""
    wide = "avx512f" in open("/proc/cpuinfo").read()
    bits = 512 if wide else 256
    part, d = ("ps", "f") if t == "float" else ("pd", "d")
    vector = f"__m{bits}" + ("" if t == "float" else "d")
    lanes = bits // (32 if t == "float" else 64)
    ulp = {"hypot": "u05"}.get(f, "u10")
    ulp = "u15" if f == "erfc" else ulp
    call = f"Sleef_cinz_{f}{d}{lanes}_{ulp}" + (
        "avx512fnofma" if wide else "avx")
    p = f"_mm{bits}_"
    more = f", {p}loadu_{part}(y + i)" if arity == 2 else ""
    types = ", ".join([vector] * arity)
    return f"""#include <immintrin.h>
{vector} {call}({types});
void loop(const {t} *x, const {t} *y, {t} *restrict z, long n)
{{
    for (long i = 0; i < n; i += {lanes})
        {p}storeu_{part}(z + i, {call}({p}loadu_{part}(x + i){more}));
}}
"""


def loop_of(library, operands, out):
    addresses = [a.ctypes.data for a in operands * 2][:2] + [out.ctypes.data]
    library.loop.argtypes = [c.c_void_p] * 3 + [c.c_long]
    return lambda: library.loop(*addresses, out.size)


def peers(folder, name, operands, out):
    """Calls by who computes them; of those that are there."""
    f = FUNCTIONS[name][0]
    t = "float" if out.dtype == np.float32 else "double"
    tag = f"{name}_{t}_{out.size}"
    calls = {}
    if hasattr(np, name):
        calls["numpy"] = lambda: getattr(np, name)(*operands, out=out)
    if not f:
        return calls
    arity = len(operands)
    for who, source, flags in (
            ("sleef", sleef_source(f, arity, t), ["-lsleef", "-Wl,-z,defs"]),
            ("libmvec", mvec_source(f, arity, t), ["-ffast-math", "-lm"])):
        library = compiled(folder, tag + who, source, flags)
        if library:
            calls[who] = loop_of(library, operands, out)
    return calls


def lowest(calls, rounds):
    """The lowest time of each, called in turn."""
    best = dict.fromkeys(calls, 1e9)
    repeats = max(1, int(3e-4 / max(eager.time_of(calls["ilex"], 1), 1e-7)))
    for _ in range(rounds):
        for who, call in calls.items():
            best[who] = min(best[who], eager.time_of(call, repeats))
    return best


def measure(folder, name, dtype, n, rounds):
    _, *ranges = FUNCTIONS[name]
    rng = np.random.default_rng(1)
    operands = [rng.uniform(ranges[k], ranges[k + 1], n).astype(dtype)
                for k in range(0, len(ranges), 2)]
    out = np.zeros(n, dtype)
    calls = {"ilex": eager.ilex_call(name, operands, out)}
    calls.update(peers(folder, name, operands, out))
    best = lowest(calls, rounds)
    times = [f"{1e9 * best[w] / n:9.3f}" if w in best else f"{'-':>9s}"
             for w in ("ilex", "numpy", "sleef", "libmvec")]
    ratios = [f"{best['ilex'] / best[w]:8.2f}" if w in best else f"{'-':>8s}"
              for w in ("numpy", "sleef")]
    print(f"{name:10s} {dtype} {n:8d}", *times, *ratios, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, action="append", help="elements")
    parser.add_argument("-r", type=int, default=41, help="rounds")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    eager.option(eager.context, b"jit", b"cc")
    eager.option(eager.context, b"threads", b"1")
    print(f"{'':23s}", *(f"{w:>9s}" for w in
                         ("ilex", "numpy", "sleef", "libmvec")),
          f"{'/numpy':>8s} {'/sleef':>8s}  (ns an element)")
    with tempfile.TemporaryDirectory() as folder:
        for dtype in ("f8", "f4"):
            for n in options.n or [8192, 1 << 22]:
                for name in options.names or FUNCTIONS:
                    measure(folder, name, dtype, n, options.r)


if __name__ == "__main__":
    main()
