#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loops that users write, in text and in NumPy.

    loops.py LIBRARY [NAME ...]

Each program of loop_programs.py runs on the reference, tcc and cc, with one and
three threads: the same bits. NumPy's values are those within TOLERANCE of the
largest element, integers are equal."""
import re
import sys

import numpy as np

import meaning
from library import Library, Refused
from loop_programs import PROGRAMS

TOLERANCE = 1e-9
BACKENDS = ("reference", "tcc", "cc")


def axis_names(text, name):
    """The names of the axes of an argument, None where they have none."""
    found = re.search(r"^(?:in|out) %s : \w+\[([^\]]*)\]" % name, text, re.M)
    ranges = found.group(1).split(",") if found else []
    names = [r.split(":")[0].strip() for r in ranges]
    return names if ranges and ":" in ranges[0] else None


class Arrays:
    """Storages over NumPy's arrays."""

    def __init__(self, ctx, text):
        self.ctx, self.text, self.storages = ctx, text, []

    def storage(self, name, a):
        item = a.itemsize
        names = axis_names(self.text, name)
        s = self.ctx.storage(
            meaning.NAME[a.dtype], a.ctypes.data, list(a.shape),
            [k // item for k in a.strides], names,
            [0] * (2 * a.ndim), [0] * a.ndim)
        self.storages.append(s)
        return s

    def close(self):
        for s in self.storages:
            self.ctx.free(s)


def run(ctx, program, text, inputs, want, sizes, threads):
    arrays = Arrays(ctx, text)
    outs = {k: np.empty(v.shape, v.dtype) for k, v in want.items()}
    bound = [(k, arrays.storage(k, v)) for k, v in
             list(inputs.items()) + list(outs.items())]
    ctx.run(program, bound, sizes, threads)
    arrays.close()
    return outs


def same_bits(a, b):
    return all(a[k].tobytes() == b[k].tobytes() for k in a)


def complaint(got, want):
    """What is wrong with the values, or None."""
    for k, w in want.items():
        g = got[k]
        if w.dtype.kind in "iub":
            if not np.array_equal(g, w):
                return "%s is %s, not %s" % (k, g, w)
            continue
        largest = np.max(np.abs(w)) if w.size else 0.0
        bound = (2e-4 if w.dtype.itemsize == 4 else TOLERANCE) * largest
        if not np.all(np.abs(g - w) <= bound):
            return "%s differs by %g:\n%s\nnot\n%s" % (
                k, np.max(np.abs(g - w)), g, w)
    return None


def check(library, program):
    """Messages about a program."""
    text = "ilex 1\nprogram %s\n%s" % (program.name, program.text)
    inputs = {k: np.asarray(v, order="C") for k, v in
              program.inputs(np.random.default_rng(7)).items()}
    want = {k: np.asarray(v) for k, v in
            program.meaning(**{k: v.copy() for k, v in inputs.items()}).items()}
    first = None
    for backend in BACKENDS:
        if backend not in library.backends():
            continue
        ctx = library.context()
        ctx.option("jit", backend)
        ctx.option("cflags", "-O1")
        try:
            ctx.parse(text)
            compiled = ctx.compile()
            for threads in (1, 3):
                got = run(ctx, compiled, text, inputs, want, program.sizes,
                          threads)
                first = first or got
                if not same_bits(first, got):
                    yield "%s with %d threads: other bits" % (backend, threads)
            ctx.release(compiled)
        except Refused as e:
            yield "%s: %s" % (backend, e)
            return
        ctx.close()
    wrong = complaint(first, want)
    if wrong:
        yield wrong


def main(path, *names):
    library = Library(path)
    failures = 0
    for program in PROGRAMS:
        if names and program.name not in names:
            continue
        for message in check(library, program):
            print("FAILED %s: %s" % (program.name, message))
            failures += 1
    print("loops: %d programs on %s, %d failures" % (
        len(PROGRAMS), ", ".join(b for b in BACKENDS
                                 if b in library.backends()), failures))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
