# SPDX-License-Identifier: MIT
"""A back end of gt4py.next.

    import gt4py.next as gtx
    from ilex.gt4py import backend

    @gtx.program(backend=backend)
    def diffuse(u: Field, out: Field): ...
    u = gtx.as_field([I, J], numpy.ones((10, 10)), allocator=backend)

GT4Py's own passes come first (apply_common_transforms); Ilex gets whole-field
expressions and decides itself what is fused and what is stored. A program is
compiled for the domains of its arguments and the integers that its domains
read, which runs keep."""

import operator
import time
from dataclasses import dataclass

import numpy
from gt4py.next import backend as next_backend
from gt4py.next import common, custom_layout_allocators
from gt4py.next.instrumentation import metrics
from gt4py.next.iterator import ir, transforms
from gt4py.next.iterator.ir_utils import ir_makers as im
from gt4py.next.iterator.type_system.inference import infer
from gt4py.next.type_system import type_specifications as ts

from . import graph
from ._itir import Field, Fields, Stencil, Unsupported, dtype_of, tables

__all__ = ["backend"]

MOST_KINDS = 64  # of arguments, of a program, that are kept


@dataclass(frozen=True)
class _Compiler:
    """The step from GT4Py's intermediate program to one that can be loaded."""

    def __call__(self, given):
        provider = given.args.offset_provider
        program = transforms.apply_common_transforms(
            given.data, offset_provider=provider, extract_temporaries=False)
        program = infer(program, offset_provider_type=common.
                        offset_provider_to_type(provider))
        column = given.args.column_axis
        return _Artifact(program, column.value if column else None)


@dataclass(frozen=True)
class _Artifact:
    program: ir.Program
    column: object

    def load(self):
        return _Executable(self.program, self.column)


class _Executable:
    """A program, compiled for each kind of arguments that it meets."""

    def __init__(self, program, column):
        self.program, self.column = program, column
        self.names = [str(p.id) for p in program.params]
        self.kinds = {}
        self.integers = set()  # whose values domains read
        self.last = ((), False), None
        statements = [s for part in program.body for s in
                      part.pre_walk_values().if_isinstance(ir.SetAt)]
        self.targets = {str(n.id) for s in statements for n in
                        s.target.pre_walk_values().if_isinstance(ir.SymRef)}
        self.several = len(statements) > 1

    def __call__(self, *arguments, offset_provider, out=None, **named):
        bound = dict(zip(self.names, arguments if out is None else
                         (*arguments, out)))
        bound.update(named)
        leaves = {f"table.{n}": x for n, x in offset_provider.items()}
        for name in self.names:  # in one order, however they were given
            _spread(name, bound[name], leaves)
        careful = self.several and self._shares(leaves)
        (kinds, before), steps = self.last  # of all arguments, in order
        if before != careful or len(kinds) != len(leaves) or \
                not all(map(_is_alike, kinds, leaves.values())):
            steps = self._steps(leaves, offset_provider, careful)
        began = time.perf_counter()
        for program, inputs, outputs in steps:
            _run(program, [_memory(leaves[name]) for name in inputs],
                 [leaves[name].ndarray[box] for name, box in outputs])
        if metrics.is_level_enabled(metrics.PERFORMANCE):
            metrics.add_sample_to_current_source(
                metrics.COMPUTE_METRIC, time.perf_counter() - began)

    def _shares(self, leaves):
        """Has a field that is written its memory in common with another
        argument? Then what a statement reads may be what another one wrote."""
        fields = [(name, x.ndarray) for name, x in leaves.items()
                  if _is_field(x)]
        return any(numpy.may_share_memory(x, y) for name, x in fields
                   if name.partition(".")[0] in self.targets
                   for other, y in fields if other != name)

    def _steps(self, leaves, provider, careful):
        """What is run for such arguments."""
        while True:
            kind = tuple(_kind(x, name in self.integers)
                         for name, x in leaves.items()), careful
            if kind not in self.kinds:
                known = set(self.integers)
                steps = _Plan(self, leaves, provider, careful).steps
                if known != self.integers:
                    continue  # a kind has more parts than was known
                while len(self.kinds) >= MOST_KINDS:
                    self.kinds.pop(next(iter(self.kinds)))
                self.kinds[kind] = steps
            self.last = kind, self.kinds[kind]
            return self.kinds[kind]


def _kind(x, by_value):
    """What programs are kept by: of a field its domain and dtype, of a
    number its type or value."""
    if _is_field(x):
        return x.domain, x.dtype, getattr(x, "skip_value", None)
    return (type(x), x) if by_value else type(x)


def _is_alike(kind, x):
    """Is an argument of a kind?"""
    if isinstance(kind, type):
        return type(x) is kind
    if len(kind) == 2:
        return type(x) is kind[0] and x == kind[1]
    domain = getattr(x, "domain", None)
    return (domain is kind[0] or domain == kind[0]) and \
        x.dtype == kind[1] and getattr(x, "skip_value", None) == kind[2]


def _run(program, inputs, outputs):
    """Into fields, which may be what is read, or one another: then by way of a
    copy."""
    others = [x for x in inputs if isinstance(x, numpy.ndarray)]
    if any(numpy.may_share_memory(x, y) for k, y in enumerate(outputs)
           for x in (*others, *outputs[:k])):
        for y, made in zip(outputs, program(*inputs)):
            y[...] = numpy.asarray(made)
    else:
        program.into(inputs, outputs)


def _spread(name, x, leaves):
    """The fields and numbers that an argument is, by names."""
    if isinstance(x, tuple):
        for k, part in enumerate(x):
            _spread(f"{name}.{k}", part, leaves)
    else:
        leaves[name] = x


def _is_field(x):
    return hasattr(x, "ndarray")


def _memory(x):
    return x.ndarray if hasattr(x, "ndarray") else x


class _Plan:
    """What is run for arguments of a kind: steps, each a program with the
    names of what it reads and what it writes."""

    def __init__(self, owner, leaves, provider, careful):
        self.owner, self.leaves, self.careful = owner, leaves, careful
        self.steps, self.names = [], graph.Names()
        self.inputs, self.outputs = {}, []
        with graph.scope():
            self.offsets = tables(provider, self._table)
            self.fields = Fields(self.offsets, owner.column, self._ranges)
            self.env = {str(p.id): self._argument(str(p.id), p.type)
                        for p in owner.program.params}
            self._statements(owner.program.body)
            self._flush()

    # ---- arguments ----

    def _argument(self, name, type_):
        if isinstance(type_, ts.TupleType):
            return tuple(self._argument(f"{name}.{k}", t)
                         for k, t in enumerate(type_.types))
        x = self.leaves[name]
        ranges = _ranges_of(x) if _is_field(x) else {}
        array = self.inputs[name] = graph.input(
            self.names[name], dtype_of(type_),
            ", ".join(str(hi - lo) for lo, hi in ranges.values()))
        local = next((d.value for d in x.domain.dims
                      if d.kind is common.DimensionKind.LOCAL), None) \
            if _is_field(x) else None
        return Field(array, ranges, local)

    def _table(self, name, connectivity):
        own = f"table.{name}"
        self.inputs[own] = graph.input(
            self.names[own], connectivity.ndarray.dtype.name,
            ", ".join(map(str, connectivity.ndarray.shape)))
        return self.inputs[own]

    # ---- statements ----

    def _statements(self, body):
        for s in body:
            if isinstance(s, ir.IfStmt):
                taken = self._integer(s.cond)
                self._statements(s.true_branch if taken else s.false_branch)
                continue
            used = {str(n.id) for e in (s.expr, s.target) for n in
                    e.pre_walk_values().if_isinstance(ir.SymRef)}
            if self.careful or any(name.partition(".")[0] in used
                                   for name, _, _ in self.outputs):
                self._flush()
            self._set(self.fields.value(s.expr, self.env), s.domain, s.target)

    def _set(self, value, domain, target):
        if isinstance(value, tuple):
            n = range(len(value))
            domains = domain.args if domain.fun.id == "make_tuple" else \
                [domain] * len(value)
            targets = target.args if _is_call(target, "make_tuple") else \
                [im.tuple_get(k, target) for k in n]
            for k in n:
                self._set(value[k], domains[k], targets[k])
            return
        name = self._name(target)
        ranges = self._ranges(domain, self.env)
        if any(hi <= lo for lo, hi in ranges.values()):
            return
        own = self.fields.value(target, self.env)
        for d, (lo, hi) in own.ranges.items():
            if ranges[d][0] < lo or ranges[d][1] > hi:
                raise IndexError(
                    f"{self.owner.program.id}: {name} is set on {d} in "
                    f"[{ranges[d][0]}, {ranges[d][1]}), but is on [{lo}, {hi})")
        self._store(name, own, value, ranges)

    def _name(self, target):
        if isinstance(target, ir.SymRef):
            return str(target.id)
        if _is_call(target, "tuple_get"):
            return f"{self._name(target.args[1])}.{target.args[0].value}"
        raise Unsupported(f"a statement that sets {target}")

    def _store(self, name, own, value, ranges):
        body = Stencil({d: ranges[d] for d in own.ranges}, self.offsets)
        made = graph.cast(body.make(body.deref(value)), own.array.dtype)
        box = tuple(slice(ranges[d][0] - lo, ranges[d][1] - lo)
                    for d, (lo, hi) in own.ranges.items()) or ...
        self.outputs.append((name, box, made))

    def _flush(self):
        """Ends a program: what comes reads what it wrote."""
        if self.outputs:
            program = graph.Program([x for _, _, x in self.outputs], None,
                                    str(self.owner.program.id)[:60])
            own = {self.names[n]: n for n in self.inputs}
            self.steps.append((program, [own[n] for n in program.arguments],
                               [(n, b) for n, b, _ in self.outputs]))
        self.outputs = []

    # ---- domains ----

    def _ranges(self, e, env):
        """A domain: the ranges by dimension."""
        if _is_call(e, "get_domain"):
            return dict(env[str(e.args[0].id)].ranges)
        ranges = {r.args[0].value: [self._integer(x, env) for x in r.args[1:]]
                  for r in e.args}
        return {d: (lo, max(lo, hi)) for d, (lo, hi) in ranges.items()}

    def _integer(self, e, env=None):
        """The value of an expression of numbers that are known."""
        env = self.env if env is None else env
        if isinstance(e, ir.Literal):
            kind = e.type.kind.name.lower()
            return e.value == "True" if kind == "bool" else \
                float(e.value) if kind.startswith("float") else int(e.value)
        if isinstance(e, ir.SymRef):
            return self._number(str(e.id))
        name = e.fun.id
        if name == "tuple_get" and _is_call(e.args[1], "get_domain_range"):
            field, axis = e.args[1].args
            ranges = self.fields.value(field, env).ranges
            return ranges[axis.value][int(e.args[0].value)]
        if name == "tuple_get":
            return self._number(self._name(e))
        if name == "if_":
            return self._integer(e.args[1 if self._integer(e.args[0], env)
                                        else 2], env)
        values = [self._integer(a, env) for a in e.args]
        return _INTEGERS[name](*values)

    def _number(self, name):
        self.owner.integers.add(name)
        x = self.leaves[name]
        return x.item() if hasattr(x, "item") else x


_INTEGERS = {
    "plus": operator.add, "minus": operator.sub, "multiplies": operator.mul,
    "floordiv": operator.floordiv, "mod": operator.mod, "minimum": min,
    "maximum": max, "neg": operator.neg, "not_": operator.not_,
    "and_": operator.and_, "or_": operator.or_, "eq": operator.eq,
    "not_eq": operator.ne, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge,
    "cast_": lambda a, to: int(a) if "int" in to else a,
}


def _is_call(e, name):
    return isinstance(e, ir.FunCall) and e.fun == im.ref(name)


def _ranges_of(x):
    return {d.value: (r.start, r.stop)
            for d, r in zip(x.domain.dims, x.domain.ranges)}


backend = next_backend.Backend(
    name="ilex", executor=_Compiler(),
    allocator=custom_layout_allocators.StandardCPUFieldBufferAllocator(),
    transforms=next_backend.DEFAULT_TRANSFORMS)
