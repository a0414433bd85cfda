# SPDX-License-Identifier: MIT
"""Loops of whole arrays, which programs run."""

from . import _core
from ._array import Array, trace, tracing
from ._convert import asarray
from ._generated import DtypeError, ShapeError
from ._lengths import text
from ._tree import fill, flatten

__all__ = ["loop"]


def loop(steps, body, first, *, until=None, stack=None):
    """What so many steps make of arrays, as one loop of the program:

        last = ilex.loop(100, lambda t, u: u + 0.1*(ilex.roll(u, 1) - u), u)

    `first` is an array, or a tuple, list or dict of them. body(t, carried),
    called once, gives what the step t = 0, 1, ... makes of what the step before
    left: arrays of the same dtypes and lengths. until(old, new) is true after
    the last step. stack(new) is what each step adds to an array, along a new
    first axis; the result is then (last, stacked)."""
    leaves = []
    form = flatten(first, leaves)
    starts = [asarray(x) for x in leaves]
    with trace() as depth:  # loops inside of one another have own names
        t = _core.loop_step(f"t{depth}:{text((steps,))}")
        carried = [_core.loop_carry(x.dtype.number, x.domain) for x in starts]
        # Others, as whoever is given them may put elements into them.
        old = fill(form, [x.alias() for x in carried])
        made = body(t, old)
        new = [x.alias() for x in _alike(form, made, starts)]
        if until is not None:
            old = fill(form, [x.alias() for x in carried])
        made = fill(form, [x.alias() for x in new])
        ends = None if until is None else asarray(until(old, made))
        kept, stacked = [], None
        if stack is not None:
            stacked = flatten(stack(fill(form, [x.alias() for x in new])),
                              kept)
        results = _core.loop(t, tuple(carried), tuple(starts), tuple(new), ends,
                             tuple(map(asarray, kept)), (), False)
    if until is not None and kept and not tracing():
        _core.compute(tuple(results))  # how many steps there are is a length
    last = fill(form, results[:len(new)])
    return last if stack is None else (last, fill(stacked, results[len(new):]))


def _alike(form, made, starts):
    """The leaves of what a step made, which has the form of what is carried."""
    new = []
    if flatten(made, new) != form:
        raise TypeError(f"a step of the loop gives {made!r:.80}, which is not "
                        "formed as what is carried")
    new = [x if isinstance(x, Array) else asarray(x, dtype=start.dtype)
           for x, start in zip(new, starts)]
    for x, start in zip(new, starts):
        if x.type != start.type:
            raise DtypeError(
                f"a step of the loop makes {x.dtype.name} of a carried array "
                f"of {start.dtype.name}: begin with x.astype(ilex."
                f"{x.dtype.name}), or end the step with it")
        if not any(start.axes) and x.shape != start.shape:
            raise ShapeError(
                f"a step of the loop makes [{text(x.shape)}] of a carried "
                f"array of [{text(start.shape)}]: its lengths stay as they are")
    return new
