# SPDX-License-Identifier: MIT
"""GT4Py's iterator IR as arrays of Ilex.

A stencil becomes the body of one map: iterators are evaluated at a place, a
dictionary of coordinates by dimension, and what is left of them is text. All
ranges are numbers here, so a program is lowered for the domains of its
arguments; axes are numbered from 0, which is each domain's first point."""

from dataclasses import dataclass, replace

from gt4py.next.iterator import ir
from gt4py.next.type_system import type_specifications as ts

from . import graph
from ._dtypes import BY_SHORT

_OPERATORS = {"plus": "+", "minus": "-", "multiplies": "*", "divides": "/",
              "floordiv": "//", "mod": "%", "eq": "==", "not_eq": "!=",
              "less": "<", "less_equal": "<=", "greater": ">",
              "greater_equal": ">=", "and_": "&", "or_": "|", "xor_": "^"}
_FUNCTIONS = {n: n for n in (
    "abs sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
    "arctanh sqrt exp log gamma cbrt floor ceil trunc isfinite isinf isnan "
    "fmod power").split()} | {"minimum": "min", "maximum": "max"}
_SHORT = {"bool": "bool", "float32": "f32", "float64": "f64", "int": "i32",
          **{f"{u}int{b}": f"{u[:1] or 'i'}{b}" for u in ("", "u")
             for b in (8, 16, 32, 64)}}


def short(type_):
    """The dtype of a scalar type, as Ilex writes it."""
    return _SHORT[type_.kind.name.lower()]


class Unsupported(NotImplementedError):
    """What the back end does not know."""


# ---- places and iterators ----

@dataclass(frozen=True)
class At:
    """A coordinate: variable + offset, the variable in [0, n) for the points
    from lo on; or text that is data, which counts from 0 of its dimension."""

    variable: str
    offset: int = 0
    lo: int = 0
    n: int = None

    def read(self, start, stop):
        """As an index of a field on [start, stop), and whether it is inside."""
        if self.n is None:
            return _plus(self.variable, self.offset - start), True
        first = self.lo + self.offset
        return (_plus(self.variable, first - start),
                start <= first and first + self.n <= stop)

    @property
    def absolute(self):
        return f"({_plus(self.variable, self.lo + self.offset)})"


def _plus(text, k):
    return text if k == 0 else f"{text} {'-' if k < 0 else '+'} {abs(k)}"


@dataclass(frozen=True)
class Field:
    """An array on ranges by dimension; "local" has the dimension of lists that
    its elements are, if they are. Of a scalar there are none."""

    array: object
    ranges: dict
    local: str = None


@dataclass(frozen=True)
class Index:
    """The field of the index along a dimension."""

    dimension: str


@dataclass(frozen=True)
class Iterator:
    """A field, or a stencil over iterators (lift), and where it is read."""

    source: object
    shifts: tuple = ()


@dataclass(frozen=True)
class Lifted:
    stencil: object
    arguments: tuple


@dataclass(frozen=True)
class Neighbors:
    """A list: values, and for each the condition that it is there, or None.
    One of a constant has its value once, and is as long as others."""

    items: tuple
    there: tuple
    constant: bool = False


def _aligned(lists):
    """Lists of one length, and the conditions of all."""
    own = [x for x in lists if not x.constant]
    n = min(len(x.items) for x in own)
    there = [" && ".join(sorted({x.there[k] for x in own if x.there[k]}))
             or None for k in range(n)]
    return [x.items * n if x.constant else x.items for x in lists], there


class Stencil:
    """The body of one map over ranges by dimension. "scanned" makes the fields
    of a scan."""

    def __init__(self, ranges, offsets, scanned=None):
        self.ranges, self.offsets, self.scanned = ranges, offsets, scanned
        self.operands, self.lets, self.guards = {}, [], 0
        self.place = self.own_place = {d: At(f"i{k}", 0, lo, hi - lo)
                      for k, (d, (lo, hi)) in enumerate(ranges.items())}

    @property
    def domain(self):
        return ", ".join(f"i{k}:{hi - lo}"
                         for k, (lo, hi) in enumerate(self.ranges.values()))

    def make(self, text):
        """The array whose elements a text is, in the end."""
        return graph.map(self.domain, "".join(self.lets) + text, {
            name: x for x, name in self.operands.values()})

    def name(self, array):
        """What an array is called in the body."""
        return self.operands.setdefault(
            id(array), (array, f"v{len(self.operands)}"))[1]

    # ---- reading ----

    def deref(self, it, place=None):
        place = self.place if place is None else place
        if isinstance(it, Field) and not it.ranges:
            return self.name(it.array)
        if isinstance(it, (Field, Index)):
            return self.deref(Iterator(it), place)
        place = self.moved(it.shifts, place)
        if isinstance(it.source, Lifted):
            outer, self.place = self.place, place
            made = it.source.stencil(*it.source.arguments)
            self.place = outer
            return made
        if isinstance(it.source, tuple):
            return tuple(self.deref(Iterator(x, ()), place) for x in it.source)
        if isinstance(it.source, Index):
            return place[it.source.dimension].absolute
        return self.read(it.source, place)

    def read(self, field, place):
        subscript, inside = [], True
        for dimension, (start, stop) in field.ranges.items():
            if dimension == field.local:
                continue
            if dimension not in place:
                raise Unsupported(f"a field on {dimension} is read where there "
                                  f"is no {dimension}")
            text, ok = place[dimension].read(start, stop)
            subscript.append(text)
            inside = inside and ok
        # A read that is not for all points is for those of a condition.
        kind = field.array.dtype.kind
        outside = "" if inside or not self.guards else \
            "; false" if kind == "b" else "; 0"
        name = self.name(field.array)
        if field.local is None:
            return f"{name}[{', '.join(subscript)}{outside}]" if subscript \
                else name
        at, n = list(field.ranges).index(field.local), field.ranges[field.local]
        return Neighbors(tuple(
            f"{name}[{', '.join(subscript[:at] + [str(k)] + subscript[at:])}"
            f"{outside}]" for k in range(n[1] - n[0])),
            self._there(field.local, place, n[1] - n[0]))

    def _there(self, local, place, n):
        """Which entries of a sparse field are there, by the table of its
        dimension."""
        table = self.offsets.get(local)
        if table is None or table.skip is None:
            return (None,) * n
        return tuple(f"{self.entry(table, place, k)} != {table.skip}"
                     for k in range(n))

    def entry(self, table, place, k):
        row, _ = place[table.source].read(0, 0)
        return f"{self.name(table.array)}[{row}, {k}]"

    # ---- shifts ----

    def moved(self, shifts, place):
        for tag, by in shifts:
            place = self._moved(tag, by, place)
        return place

    def _moved(self, tag, by, place):
        if not isinstance(tag, tuple):
            table = self.offsets[tag]
            made = {d: at for d, at in place.items() if d != table.source}
            return made | {table.target: At(self.entry(table, place, by))}
        source, target = tag
        at = place[source]
        made = replace(at, offset=at.offset + by) if isinstance(by, int) else \
            At(f"({at.absolute} + {by})")
        return {d: a for d, a in place.items() if d != source} | {target: made}

    def there(self, it):
        """Does an iterator stand on an element?"""
        place, conditions = self.place, []
        for tag, by in it.shifts:
            table = None if isinstance(tag, tuple) else self.offsets.get(tag)
            if table and table.skip is not None:
                conditions.append(
                    f"{self.entry(table, place, by)} != {table.skip}")
            place = self._moved(tag, by, place)
        return "(" + " && ".join(conditions) + ")" if conditions else "true"

    def neighbors(self, tag, it):
        table = self.offsets[tag]
        shifted = [replace(it, shifts=it.shifts + ((tag, k),))
                   for k in range(table.count)]
        conditions = [self.there(x) for x in shifted]
        items = []
        for x, c in zip(shifted, conditions):
            self.guards += c != "true"
            items.append(self.deref(x))
            self.guards -= c != "true"
        return Neighbors(tuple(items), tuple(
            None if c == "true" else c for c in conditions))

    def reduce(self, operator, first, lists):
        result = first
        items, there = _aligned(lists)
        for k, condition in enumerate(there):
            made = operator(result, *(x[k] for x in items))
            result = self.let(made if condition is None else
                              _chosen(condition, made, result))
        return result

    def let(self, value):
        """A value that is used more than once, by a name."""
        if isinstance(value, tuple):
            return tuple(map(self.let, value))
        if not isinstance(value, str) or len(value) < 24:
            return value
        name = f"t{len(self.lets)}"
        self.lets.append(f"let {name} = {value}; ")
        return name

    # ---- expressions ----

    def value(self, e, env):
        return getattr(self, "_" + type(e).__name__)(e, env)

    def _Literal(self, e, env):
        return literal(e)

    def _OffsetLiteral(self, e, env):
        return e.value

    _AxisLiteral = _OffsetLiteral

    def _CartesianOffset(self, e, env):
        return (e.domain.value, e.codomain.value)

    def _SymRef(self, e, env):
        if e.id in env:
            return env[e.id]
        if e.id in _OPERATORS or e.id in _FUNCTIONS or \
                hasattr(self, "do_" + str(e.id)):
            return lambda *values: self.call(str(e.id), values)
        return str(e.id)

    def _Lambda(self, e, env):
        def closure(*values):
            own = {str(p.id): v for p, v in zip(e.params, values)}
            return self.value(e.expr, {**env, **own})
        return closure

    def _FunCall(self, e, env):
        name = str(e.fun.id) if isinstance(e.fun, ir.SymRef) and \
            e.fun.id not in env else None
        if name == "if_":
            return self.choose(e, env)
        values = [self.value(a, env) for a in e.args]
        if name is not None:
            return self.call(name, values)
        if _is_scan(e.fun):
            return self.scan(e, values, env)
        if isinstance(e.fun, ir.Lambda):
            values = list(map(self.let, values))
        return self.value(e.fun, env)(*values)

    def scan(self, e, iterators, env):
        """A scan over all points, read at this one."""
        if self.place != self.own_place:
            raise Unsupported("a scan inside of a lifted stencil")
        return self.deref(Iterator(self.scanned(
            e.fun, e.type, iterators, self.ranges, env)))

    def choose(self, e, env):
        condition = self.value(e.args[0], env)
        if condition in ("true", "false"):
            return self.value(e.args[1 if condition == "true" else 2], env)
        condition = self.let(condition)
        self.guards += 1
        made = [self.value(a, env) for a in e.args[1:]]
        self.guards -= 1
        return _chosen(condition, *made)

    def call(self, name, values):
        own = getattr(self, "do_" + name, None)
        return own(*values) if own else scalar(name, values)

    def do_deref(self, it):
        return self.deref(it)

    def do_can_deref(self, it):
        return self.there(it)

    def do_shift(self, *by):
        pairs = tuple(zip(by[::2], by[1::2]))

        def shifted(it):
            it = it if isinstance(it, Iterator) else Iterator(it)
            return replace(it, shifts=it.shifts + pairs)
        return shifted

    def do_lift(self, stencil):
        return lambda *its: Iterator(Lifted(stencil, its))

    def do_make_tuple(self, *values):
        return tuple(values)

    def do_tuple_get(self, k, value):
        return value[int(k)]

    def do_list_get(self, k, value):
        return value.items[int(k)]

    def do_neighbors(self, tag, it):
        return self.neighbors(
            tag, it if isinstance(it, Iterator) else Iterator(it))

    def do_make_const_list(self, value):
        return Neighbors((value,), (None,), True)

    def do_map_list(self, f):
        def mapped(*lists):
            if all(x.constant for x in lists):
                return self.do_make_const_list(f(*(x.items[0] for x in lists)))
            items, there = _aligned(lists)
            return Neighbors(tuple(f(*(x[k] for x in items))
                                   for k in range(len(there))), tuple(there))
        return mapped

    def do_reduce(self, f, first):
        return lambda *lists: self.reduce(f, first, lists)


def _chosen(condition, a, b):
    if isinstance(a, tuple):
        return tuple(_chosen(condition, x, y) for x, y in zip(a, b))
    return f"where({condition}, {a}, {b})"


def literal(e):
    kind = e.type.kind.name.lower()
    if kind == "bool":
        return e.value.lower()
    if kind.startswith("float"):
        text = e.value if set(e.value) & set(".en") else e.value + ".0"
        text = {"inf": "inf", "-inf": "(-inf)"}.get(text, text)
        return text if kind == "float64" and text[0] != "-" \
            else f"{short(e.type)}({text})"
    return e.value if e.value[0] != "-" else f"({e.value})"


def scalar(name, values):
    """The text of an operator on texts."""
    if name in _OPERATORS:
        return f"({f' {_OPERATORS[name]} '.join(values)})"
    if name == "neg":
        return f"(-{values[0]})"
    if name == "not_":
        return f"(!{values[0]})"
    if name == "cast_":
        return f"{_SHORT[values[1]]}({values[0]})"
    if name in _SHORT:
        return f"{_SHORT[name]}({values[0]})"
    if name in _FUNCTIONS:
        return f"{_FUNCTIONS[name]}({', '.join(values)})"
    raise Unsupported(f"the builtin {name}")


# ---- offsets ----

@dataclass(frozen=True)
class Table:
    """A connectivity: which element of "target" is neighbor k of one of
    "source"; skip where there is none."""

    array: object
    source: str
    target: str
    count: int
    skip: object


def tables(provider, array_of):
    """Tables by offset; array_of(name, connectivity) makes their arrays."""
    return {name: Table(array_of(name, own), type_.source_dim.value,
                        type_.codomain.value, type_.max_neighbors,
                        type_.skip_value)
            for name, own in provider.items() for type_ in (own.__gt_type__(),)}


# ---- fields ----

class Fields:
    """Expressions of whole fields."""

    def __init__(self, offsets, column, ranges_of):
        self.offsets, self.column, self.ranges_of = offsets, column, ranges_of

    def value(self, e, env):
        if isinstance(e, ir.SymRef):
            return env[e.id] if e.id in env else str(e.id)
        if isinstance(e, ir.Literal):
            return Field(graph.map("", literal(e), {}), {})
        if isinstance(e, ir.FunCall):
            return self._call(e, env)
        if isinstance(e, (ir.AxisLiteral, ir.OffsetLiteral)):
            return e.value
        raise Unsupported(f"a {type(e).__name__} among fields")

    def _call(self, e, env):
        f = e.fun
        if isinstance(f, ir.Lambda):
            own = {str(p.id): self.value(a, env)
                   for p, a in zip(f.params, e.args)}
            return self.value(f.expr, {**env, **own})
        if isinstance(f, ir.FunCall) and isinstance(f.fun, ir.SymRef) and \
                f.fun.id == "as_fieldop":
            return self._applied(f, e, env)
        name = str(f.id) if isinstance(f, ir.SymRef) else None
        if name in ("cartesian_domain", "unstructured_domain", "get_domain"):
            return None
        if name == "index":
            return Index(e.args[0].value)
        if name == "tuple_get":
            return self.value(e.args[1], env)[int(e.args[0].value)]
        values = [self.value(a, env) for a in e.args]
        if name == "make_tuple":
            return tuple(values)
        if name == "if_":
            return _pointwise(lambda c, a, b: f"where({c}, {a}, {b})", values)
        return _pointwise(lambda *texts: scalar(name, texts), values)

    def _applied(self, f, e, env):
        arguments = [self.value(a, env) for a in e.args]
        ranges = self.ranges_of(f.args[1], env)
        if _is_scan(f.args[0]):
            return self._scanned(f.args[0], e.type, map(Iterator, arguments),
                                 ranges, env)
        body = Stencil(ranges, self.offsets, self._scanned)
        stencil = body.value(f.args[0], env)
        if isinstance(stencil, str):
            stencil = {"deref": body.deref}[stencil]
        made = stencil(*map(Iterator, arguments))
        return _rebuilt(made, lambda text: Field(body.make(text), ranges))

    def _scanned(self, scan, type_, iterators, ranges, env):
        stencil, forward, first = scan.args
        forward = forward.value == "True"
        body = Stencil(ranges, self.offsets)
        k = list(ranges).index(self.column)
        levels = ranges[self.column][1] - ranges[self.column][0]
        level = f"i{k}"
        at_first = f"{level} == {0 if forward else levels - 1}"
        before = [f"i{j}" for j in range(len(ranges))]
        before[k] = _plus(level, -1 if forward else 1)
        shape = ", ".join(str(hi - lo) for lo, hi in ranges.values())
        selves = []

        def state(value, type_):
            if isinstance(value, tuple):
                return tuple(map(state, value, type_.types))
            own = graph.scan_self(dtype_of(type_), shape)
            selves.append(own)
            return body.let(f"where({at_first}, {value}, "
                            f"{body.name(own)}[{', '.join(before)}])")
        start = state(body.value(first, env), type_)
        made = body.value(stencil, env)(start, *iterators)
        flat = []
        _flatten(made, flat)
        values = [graph.cast(body.make(x), own.dtype)
                  for x, own in zip(flat, selves)]
        results = iter(graph.scan(str(k), "forward" if forward else "backward",
                                  selves, values))
        return _rebuilt(made, lambda _: Field(next(results), ranges))


def _is_scan(e):
    return isinstance(e, ir.FunCall) and isinstance(e.fun, ir.SymRef) and \
        e.fun.id == "scan"


def dtype_of(type_):
    while not isinstance(type_, ts.ScalarType):
        type_ = type_.dtype if isinstance(type_, ts.FieldType) else \
            type_.element_type
    return BY_SHORT[short(type_)]


def _flatten(x, flat):
    if isinstance(x, tuple):
        for y in x:
            _flatten(y, flat)
    else:
        flat.append(x)


def _rebuilt(x, f):
    return tuple(_rebuilt(y, f) for y in x) if isinstance(x, tuple) else f(x)


def _pointwise(formula, values):
    """An operator on fields, of which scalars have no range, at each point
    that all have."""
    if any(isinstance(v, tuple) for v in values):
        n = next(len(v) for v in values if isinstance(v, tuple))
        return tuple(_pointwise(formula, [
            v[k] if isinstance(v, tuple) else v for v in values])
            for k in range(n))
    ranges = {}
    for v in values:
        for d, (lo, hi) in getattr(v, "ranges", {}).items():
            own = ranges.get(d, (lo, hi))
            ranges[d] = (max(lo, own[0]), min(hi, own[1]))
    body = Stencil(ranges, {})
    return Field(body.make(formula(*(
        v if isinstance(v, str) else body.deref(v) for v in values))), ranges)
