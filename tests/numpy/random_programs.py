# SPDX-License-Identifier: MIT
"""Random Ilex programs, evaluated by NumPy and by every back end.

    random_programs.py LIBRARY [--seed N] [--first K] [--count K]
                       [--backends reference,tcc,cc] [--cc-every K] [--print]

Each program is drawn from the seed and its number alone. One that gives
another result than NumPy is made small and printed; to see it again:
--seed N --first NUMBER --count 1. Back ends run with 1, 2 and 3 threads over
storages of random layout, halo and alignment, in which all that may not be
written is checked and all that may not be read is poison."""

import argparse
import collections
import os
import re
import sys
import time

import numpy as np

import draw
import meaning
from draw import Drawer, map_step
from forms import Form
from library import Library, Refused


LARGEST = 1 << 26  # elements of one argument


class Wrong(Exception):
    pass


class TooLarge(Exception):
    """More memory than a test should take."""


# ---- storages ---------------------------------------------------------------

class Buffer:
    """Memory for one argument, with guards; index 0 of axes as programs see
    them."""

    def __init__(self, ctx, program, step, axes, seed, variant, written):
        r = np.random.Generator(np.random.PCG64([seed, variant]))
        v = program.sizes.value
        halo, shape, origins, self.first = [], [], [], []
        for a in axes:
            lo, hi, low, high = v(a.lo), v(a.hi), v(a.vlo), v(a.vhi)
            if a.name is None:
                halo += [0, 0]
                origins.append(0)
                shape.append(program.sizes.most(a.hi))
                self.first.append(0)
                continue
            below = max(0, -min(low, lo)) + int(r.integers(0, 2))
            above, end = int(r.integers(0, 2)), max(hi, high, 0)
            if lo == 0:
                above += max(0, high - hi)
                end = hi
            if r.random() < 0.5:  # a storage that begins where the box does
                origin, length = lo, hi - lo
                below = max(0, lo - low) + int(r.integers(0, 2))
                above = max(0, high - hi) + int(r.integers(0, 2))
            else:
                origin, length = 0, end
            halo += [below, above]
            origins.append(origin)
            shape.append(length + below + above)
            self.first.append(origin - below)
        self.dtype = meaning.DTYPE[step.dtype]
        strides = [0] * len(axes)
        order = list(range(len(axes)))
        if r.random() < 0.5:
            r.shuffle(order)
        span, at = (2 if r.random() < 0.15 else 1), 0
        room = [1] * len(shape) if 0 in shape else shape
        for k in reversed(order):
            strides[k] = span
            if r.random() < 0.15:
                at += (room[k] - 1) * span
                strides[k] = -span
            span *= room[k] + (int(r.integers(0, 3))
                                        if r.random() < 0.2 else 0)
        guard = 32
        if span > LARGEST:
            raise TooLarge()
        self.block = np.empty(span + 2 * guard, self.dtype)
        self.block.view("u1")[:] = 255 if variant % 2 else 1 \
            if self.dtype.kind == "b" else 254
        self.at = guard + at
        first = self.block[self.at:]
        item = self.dtype.itemsize
        self.view = np.lib.stride_tricks.as_strided(
            first, shape, [s * item for s in strides])
        self.storage = ctx.storage(
            step.dtype, first.ctypes.data, shape, strides,
            [a.name for a in axes] if axes and axes[0].name else None, halo,
            origins)

    def over(self, block):
        """The view of this memory, or of a copy of it."""
        if block is None:
            return self.view
        return np.lib.stride_tricks.as_strided(block[self.at:],
                                               self.view.shape,
                                               self.view.strides)

    def window(self, program, axes, valid, block=None):
        v = program.sizes.value
        at = []
        for a, first in zip(axes, self.first):
            lo, hi = (a.vlo, a.vhi) if valid else (a.lo, a.hi)
            at.append(slice(v(lo) - first, max(v(lo), v(hi)) - first))
        return self.over(block)[tuple(at) + (Ellipsis,)]


def out_axes(program, step, axes):
    """The box that an output covers: what is known of its interior."""
    return [a.plain() for a in (axes or program.known(step))]


def set_up(ctx, program, inputs, seed, variant):
    """Buffers of inputs and outputs, and bindings."""
    ins, outs, bindings = {}, [], []
    shared = {s for _, _, s in program.outs if s is not None}
    for s in program.inputs_of(inputs):
        b = Buffer(ctx, program, s, s.axes, seed + s.number, variant,
                   s in shared)
        b.window(program, s.axes, True)[...] = s.value
        ins[s] = b
        bindings.append((s.name, b.storage))
    for i, (s, axes, into) in enumerate(program.outs):
        if into is not None and variant % 3 != 2:
            b = ins[into]
        else:
            b = Buffer(ctx, program, s, out_axes(program, s, axes), seed + 1000 + i,
                       variant, True)
        outs.append(b)
        bindings.append(("o%d" % i, b.storage))
    return ins, outs, bindings


def compare(program, outs, blocks, what):
    for i, ((s, axes, into), b) in enumerate(zip(program.outs, outs)):
        got = b.window(program, out_axes(program, s, axes), False)
        expect = program.interior(s, out_axes(program, s, axes))
        pair = np.ascontiguousarray(got), np.ascontiguousarray(expect)
        equal = np.ones(got.shape, bool) if not got.size else \
            meaning.same(*pair) if s.exact else meaning.close(*pair, s.slack)
        if not np.all(equal):
            first = tuple(int(x) for x in np.argwhere(~np.atleast_1d(
                equal))[0]) if got.ndim else ()
            raise Wrong("%s: o%d%s is %s, NumPy says %s; %d of %d differ" % (
                what, i, list(first), got[first], expect[first],
                int((~np.atleast_1d(equal)).sum()), got.size))
    for (s, axes, _), b in zip(program.outs, outs):
        for other, before in blocks:  # as if the outputs were not written
            if other is b:
                box = out_axes(program, s, axes)
                b.window(program, box, False)[...] = \
                    b.window(program, box, False, before)
    for b, before in blocks:
        if b.block.tobytes() != before.tobytes():
            raise Wrong("%s: memory beside the outputs changed" % what)


# ---- one program ------------------------------------------------------------

def boxes(program, seed):
    """Parts of the outputs that are the whole together: a cut of an axis."""
    axes = [a for s, axes, _ in program.outs
            for a in out_axes(program, s, axes) if a.name]
    r = np.random.Generator(np.random.PCG64(seed % 2**31))
    if seed % 7 != 2 or not axes or program.error or \
            any(shared for _, _, shared in program.outs):
        return [None]
    a, v = axes[int(r.integers(0, len(axes)))], program.sizes.value
    cut = int(r.integers(v(a.lo) - 1, max(v(a.lo), v(a.hi)) + 2))
    parts = ["%s=:%d" % (a.name, cut), "%s=%d:" % (a.name, cut)]
    return parts if r.random() < 0.5 else parts[::-1]


def check(library, program, backends, seed, inputs=(), fuse="1"):
    """Runs the program everywhere; raises Wrong or Refused."""
    text = program.text(inputs)
    ctx = library.context()
    storages = []
    try:
        ctx.option("fuse", fuse)
        ctx.option("verify", "1" if seed % 3 == 0 else "0")
        parts = boxes(program, seed)
        ctx.option("box", "1" if parts[0] else "0")
        ctx.parse(text)
        for k, backend in enumerate(backends):
            ctx.option("jit", backend)
            try:
                compiled = ctx.compile()
            except Refused as e:
                raise Wrong("%s, after `check` accepted it: %s" % (backend, e))
            try:
                for threads in 1, 2, 3:
                    run(ctx, program, compiled, inputs, seed,
                        4 * k + threads, threads, backend, storages, parts)
            finally:
                ctx.release(compiled)
    finally:
        for s in storages:
            ctx.free(s)
        ctx.close()


def determined(program, inputs):
    """Is every size the length of some argument's axis, up to a constant?
    Storages of axes that do not begin at 0 may be longer than their domain."""
    boxes = [s.axes for s in program.inputs_of(inputs)]
    boxes += [out_axes(program, s, axes) for s, axes, _ in program.outs]
    axes = [a for box in boxes for a in box]
    if any(a.hi.terms and a.lo != Form(0) for a in axes):
        return False
    alone = {a.hi.terms[0][0] for a in axes if len(a.hi.terms) == 1}
    return alone >= set(program.sizes.rows)


def run(ctx, program, compiled, inputs, seed, variant, threads, backend,
        storages, parts):
    ins, outs, bindings = set_up(ctx, program, inputs, seed % 2**31, variant)
    blocks = list(ins.values()) + [b for b in outs
                                   if b not in list(ins.values())]
    storages += [b.storage for b in blocks]
    before = [(b, b.block.copy()) for b in blocks]
    what = "%s, threads=%d%s" % (backend, threads,
                                 ", " + parts[0] if parts[0] else "")
    sizes = [(s, row[2]) for s, row in program.sizes.rows.items()]
    if variant % 2 and determined(program, inputs):
        sizes = []
    try:
        for box in parts:
            ctx.run(compiled, bindings, sizes, threads, box)
    except Refused as e:
        if program.error and program.error in str(e):
            return
        raise Wrong("%s: the run fails: %s" % (what, e))
    if program.error:
        raise Wrong("%s: the run does not fail: %s" % (what, program.error))
    compare(program, outs, before, what)


# ---- small programs ---------------------------------------------------------

class Shrinker:
    """Makes a failing program small: one output, operands replaced by inputs
    of their values, bodies of maps by parts of them."""

    def __init__(self, fails, program):
        self.fails, self.p = fails, program
        self.inputs = set()

    def attempt(self, outs, inputs):
        saved = self.p.outs
        self.p.outs = outs
        try:
            if self.fails(self.p, inputs):
                self.inputs = inputs
                return True
        except Exception:
            pass
        self.p.outs = saved
        return False

    def one_output(self):
        for s, axes, shared in self.p.outs:
            for out in ((s, None, None), (s, axes, None), (s, axes, shared)):
                if self.attempt([out], set()):
                    return

    def earlier_output(self):
        for s in self.p.steps:
            if self.p.error:
                return
            if len(self.p.outs) == 1 and s is self.p.outs[0][0]:
                return
            if s.how != "in" and \
                    all(self.p.sizes.le(a.lo, a.hi) for a in s.axes):
                if self.attempt([(s, None, None)], set()):
                    return

    def cut_operands(self):
        roots = [o[0] for o in self.p.outs]
        for s in reversed(self.p.closure(roots, self.inputs)):
            if s.how not in ("in", "size") and s not in self.inputs and \
                    s not in roots:
                self.attempt(self.p.outs, self.inputs | {s})

    def cut_body(self):
        again = True
        while again and len(self.p.outs) == 1:
            again = False
            s = self.p.outs[0][0]
            if s.how != "map":
                return
            for part in s.body.parts:
                try:
                    t = map_step(s.mapper, part, s.axes)
                except meaning.Undefined:
                    continue
                t.number = s.number
                at = self.p.steps.index(s)
                self.p.steps[at] = t
                if self.attempt([(t, None, None)], self.inputs):
                    again = True
                    break
                self.p.steps[at] = s

    def run(self):
        self.one_output()
        self.earlier_output()
        self.cut_operands()
        self.cut_body()
        self.cut_operands()
        return self.p.text(self.inputs)


def small_text(library, seed, number, backends, fuse):
    program = Drawer(seed, number).program()

    def fails(p, inputs):
        try:
            check(library, p, backends, seed + number, inputs, fuse)
        except Wrong:
            return True
        except Refused:
            pass
        return False
    shrinker = Shrinker(fails, program)
    text = shrinker.run()
    try:
        check(library, shrinker.p, backends, seed + number, shrinker.inputs,
              fuse)
        what = "(the small program passes)"
    except (Wrong, Refused) as e:
        what = str(e)
    return text + "# sizes: %s\n# %s\n" % (
        ", ".join("%s=%d" % (s, row[2])
                  for s, row in program.sizes.rows.items()), what)


# ---- many programs ------------------------------------------------------------

def one(library, o, number):
    """What became of the program: "ok", "refused CODE" or a report."""
    try:
        program = Drawer(o.seed, number).program()
    except MemoryError:  # NumPy's
        return "refused as too large"
    if o.print:
        print(program.text())
    fuse = "0" if number % 5 == 4 else "1"
    backends = [b for b in o.backends
                if b != "cc" or number % o.cc_every == 0]
    try:
        check(library, program, backends, o.seed + number, (), fuse)
        return "ok"
    except TooLarge:
        return "refused as too large"
    except Refused as e:
        if o.refusals:
            print("refused %d: %s" % (number, e))
        return "refused %d" % e.status
    except Wrong as e:
        small = small_text(library, o.seed, number, backends, fuse)
        return "program %d of seed %d (fuse=%s): %s\n%s" % (
            number, o.seed, fuse, e, small)


def child(o, first, count, pipe):
    """Runs numbers in a process of its own; writes the tally to the pipe."""
    library = Library(o.library)
    o.backends = [b for b in o.backends if b in library.backends()]
    with os.fdopen(pipe, "w") as out:
        for number in range(first, first + count):
            out.write("at %d\n" % number)
            out.flush()
            result = one(library, o, number)
            out.write("%s\n" % result.replace("\n", "\x01"))
            out.flush()
    sys.stdout.flush()
    os._exit(0)


def chunk(o, first, count, tally, failures):
    """Numbers in a child; goes on behind one that crashes it."""
    while count > 0:
        read, write = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            child(o, first, count, write)
        os.close(write)
        at = None
        with os.fdopen(read) as lines:
            for line in lines:
                line = line.rstrip("\n").replace("\x01", "\n")
                if line.startswith("at "):
                    at = int(line[3:])
                    continue
                kind = line if line.startswith(("ok", "refused")) else "wrong"
                tally[kind] += 1
                if kind == "wrong":
                    failures.append(line)
                    print(line)
                count -= 1
                first = at + 1
                at = None
        status = os.waitpid(pid, 0)[1]
        if at is None and status == 0:
            return
        text = "program %s of seed %d: the process died, status %d" % (
            at, o.seed, status)
        print(text)
        failures.append(text)
        tally["died"] += 1
        if at is None:
            return
        count -= 1
        first = at + 1


def rows_without_meaning():
    """Operators of the library that meaning.py does not have."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    path = os.path.join(top, "include", "ilex", "ops.def")
    if not os.path.exists(path):
        return []
    with open(path) as f:
        rows = re.findall(r"^ILEX_OP\([A-Z0-9_]+, (\w+),", f.read(), re.M)
    return [name for name in rows if name not in meaning.OPS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--backends", default="reference,tcc,cc")
    parser.add_argument("--cc-every", type=int, default=250)
    parser.add_argument("--most", type=int, default=10,
                        help="stop after so many wrong programs")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--counted", action="store_true",
                        help="all programs may count lengths")
    o = parser.parse_args()
    missing = rows_without_meaning()
    if missing:
        print("meaning.py lacks rows of ops.def: " + ", ".join(missing))
        return 1
    o.backends = o.backends.split(",")
    draw.COUNT_ALL = o.counted
    tally, failures = collections.Counter(), []
    start = time.time()
    for first in range(o.first, o.first + o.count, 500):
        chunk(o, first, min(500, o.first + o.count - first), tally, failures)
        if len(failures) >= o.most:
            print("enough")
            break
    print("NumPy %s: %d programs in %.0f s: %s" % (
        np.__version__, sum(tally.values()), time.time() - start,
        ", ".join("%d %s" % (n, k) for k, n in sorted(tally.items()))))
    refused = sum(n for k, n in tally.items() if k.startswith("refused"))
    if refused > max(5, sum(tally.values()) // 200):
        print("more than one program in two hundred was refused")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
