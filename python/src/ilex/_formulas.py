# SPDX-License-Identifier: MIT
"""Scalar expressions of pymbolic as formulas of Ilex."""

from pymbolic.mapper import Mapper

from ._names import number

# What C calls otherwise.
_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan",
              "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
              "atanh": "arctanh", "fmax": "max", "fmin": "min",
              "pow": "power", "fabs": "abs"}
_REDUCTIONS = {"Sum": "sum", "Product": "prod", "Max": "max", "Min": "min",
               "All": "all", "Any": "any"}
_PREFIX = "pytato.c99."
# Nodes that are parts with a sign in between.
_SIGNS = {
    "sum": ("+", "children"), "bitwise_and": ("&", "children"),
    "bitwise_or": ("|", "children"), "bitwise_xor": ("^", "children"),
    "quotient": ("/", "numerator denominator"),
    "floor_div": ("//", "numerator denominator"),
    "remainder": ("%", "numerator denominator"),
    "left_shift": ("<<", "shiftee shift"),
    "right_shift": (">>", "shiftee shift")}


class Formula(Mapper):
    """The text of an expression. `names` has what variables are called; those
    of reductions get names of their own. `number` writes constants."""

    def __init__(self, names, dtype_name, number=number):
        super().__init__()
        self.names, self.dtype_name = dict(names), dtype_name
        self.map_constant = number

    def _joined(self, sign, parts):
        return "(" + f" {sign} ".join(map(self.rec, parts)) + ")"

    def map_nan(self, e):
        return "nan" if e.data_type is None else number(e.data_type("nan"))

    def map_variable(self, e):
        return self.names.get(e.name, e.name)

    def map_subscript(self, e):
        return (f"{self.rec(e.aggregate)}"
                f"[{', '.join(map(self.rec, e.index_tuple))}]")

    def map_product(self, e):
        if type(e.children[0]) is int and e.children[0] == -1:
            return f"(-{self._joined('*', e.children[1:])})"
        return self._joined("*", e.children)

    def map_power(self, e):
        return f"power({self.rec(e.base)}, {self.rec(e.exponent)})"

    def map_comparison(self, e):
        # An integer below 0 compares with unsigned ones, too.
        sides = [f"i64({x})" if type(x) is int and x < 0 else self.rec(x)
                 for x in (e.left, e.right)]
        return f"({f' {e.operator} '.join(sides)})"

    def map_bitwise_not(self, e):
        return f"(~{self.rec(e.child)})"

    def _truth(self, e):
        """A condition: of indices as it is, so that it can split a loop."""
        text = self.rec(e)
        return text if getattr(e, "mapper_method", "") == "map_comparison" \
            else f"bool({text})"

    def map_logical_and(self, e):
        return "(" + " && ".join(map(self._truth, e.children)) + ")"

    def map_logical_or(self, e):
        return "(" + " || ".join(map(self._truth, e.children)) + ")"

    def map_logical_not(self, e):
        return f"(!{self._truth(e.child)})"

    def map_if(self, e):
        return (f"where({self._truth(e.condition)}, {self.rec(e.then)}, "
                f"{self.rec(e.else_)})")

    def map_min(self, e):
        return self._nested("min", e.children)

    def map_max(self, e):
        return self._nested("max", e.children)

    def _nested(self, name, children):
        text = self.rec(children[0])
        for child in children[1:]:
            text = f"{name}({text}, {self.rec(child)})"
        return text

    def map_call(self, e):
        name = e.function.name
        if name == "pytato.zero":
            return "0"
        if not name.startswith(_PREFIX):
            raise NotImplementedError(f"the function {name} in a formula")
        name = name.removeprefix(_PREFIX)
        return (f"{_FUNCTIONS.get(name, name)}"
                f"({', '.join(map(self.rec, e.parameters))})")

    def map_type_cast(self, e):
        return f"{self.dtype_name(e.dtype)}({self.rec(e.inner_expr)})"

    def map_reduce(self, e):
        name = type(e.op).__name__.removesuffix("ReductionOperation")
        if name not in _REDUCTIONS:
            raise NotImplementedError(f"a reduction by {name}")
        ranges = []
        for variable, (low, high) in e.bounds.items():
            own = self.names[variable] = f"r{len(self.names)}_"
            ranges.append(f"{own}:{self.rec(low)}:{self.rec(high)}")
        inner = self._truth(e.inner_expr) if name in ("All", "Any") else \
            self.rec(e.inner_expr)
        return f"{_REDUCTIONS[name]}[{', '.join(ranges)}]({inner})" \
            if ranges else inner


def _signed(sign, parts):
    parts = parts.split()

    def mapped(self, e):
        return self._joined(sign, e.children if parts == ["children"] else
                            [getattr(e, part) for part in parts])
    return mapped


for _name, (_sign, _parts) in _SIGNS.items():
    setattr(Formula, f"map_{_name}", _signed(_sign, _parts))
