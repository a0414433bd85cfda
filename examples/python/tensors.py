# SPDX-License-Identifier: MIT
"""Tensors in index notation: a small language, compiled by Ilex.

    in a[n, k], b[k, m], bias[m]         # lengths are symbols; `a[n, k]: float32` has a dtype
    c[i, j] = sum[l] a[i, l]*b[l, j]     # an index ranges over the axis that is read at it
    d[i, j] = max(c[i, j] + bias[j], 0.0)
    top[i] = max[j] d[i, j]
    out p[i, j] = exp(d[i, j] - top[i])
    out step[i:n-1] = top[i+1] - top[i]  # or where it says: below n-1; `sum[l:i:k]` from i to k

`compile(text)`, called as f(a=..., b=..., bias=...) with any sizes, returns what is `out` in a
dictionary. Functions are those of Ilex, what is wrong is a SyntaxError at its line and column.
"""
import re
import ilex
import numpy
from ilex import graph

TOKEN = re.compile(r"[^\W\d]\w*|[0-9.]+(?:[eE][-+]?[0-9]+)?|&&|\|\||//|[<>=!]=|\S|$")
END = "the end of the line"
OPERATORS = {"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"}


class compile:
    """A function of arrays. Its text becomes a node of Ilex for each tensor, line by line."""
    def __init__(self, text, file="<tensors>"):
        self.names, self.nodes, self.sizes = graph.Names(), {}, set()   # nodes: the tensors
        self.inputs, self.outputs = [], []
        with graph.scope():
            for line, source in enumerate(text.splitlines(), 1):
                self.tokens = [(found[0] or END, (file, line, found.start() + 1, source))
                               for found in TOKEN.finditer(source.partition("#")[0].rstrip())]
                self.ranges = {}        # of the indices that are known here; "": not found yet
                self.statement()
            self.program = graph.Program([self.nodes[name] for name in self.outputs],
                                         [self.names[name] for name in self.inputs])

    def __call__(self, **arrays):
        results = self.program(*map(arrays.get, self.inputs))
        return dict(zip(self.outputs, map(numpy.asarray, results)))

    def accept(self, text):
        return self.tokens.pop(0) if self.tokens[0][0] == text else None

    def expect(self, text):
        if not self.accept(text):
            raise SyntaxError(f"expected {text}, not {self.tokens[0][0]}", self.tokens[0][1])

    def items(self, item, end):
        found = [item()]
        while self.accept(","):
            found.append(item())
        self.expect(end)
        return found

    def new_name(self):
        text, place = self.tokens.pop(0)
        if not text.isidentifier() or text in {*self.nodes, *self.sizes, *self.ranges}:
            raise SyntaxError(f"expected a new name, not {text}", place)
        return text, place

    def statement(self):
        self.declares = self.accept("in")       # unknown names are sizes then
        if self.declares:
            self.items(self.input, END)
        elif not self.accept(END):
            self.outputs += [self.tokens[0][0]] if self.accept("out") else []
            name, place = self.new_name()
            indices = self.items(self.index, "]") if self.accept("[") else []
            self.expect("=")
            body, axes = self.within(indices)
            self.expect(END)
            operands = {self.names[tensor]: node for tensor, node in self.nodes.items()}
            self.define(name, place, axes, lambda on: graph.map(on, body, operands))

    def input(self):
        name, place = self.new_name()
        axes = self.items(self.expression, "]") if self.accept("[") else []
        dtype = self.tokens.pop(0)[0] if self.accept(":") else "float64"
        self.define(name, place, axes, lambda on: graph.input(self.names[name], dtype, on))
        self.inputs.append(name)

    def define(self, name, place, axes, make):
        graph.location(*place[:3])
        try:
            for axis in axes:
                graph.assume(axis.rpartition(":")[2] + " >= 0")
            self.nodes[name] = make(", ".join(axes))
            graph.name(self.nodes[name], self.names[name])          # for messages
        except (ilex.Error, TypeError) as error:
            raise SyntaxError(getattr(error, "message", str(error)), place) from None

    def index(self):
        (name, place), limits = self.new_name(), ""
        while self.accept(":"):
            limits += ":" + self.expression()
        return name, place, limits

    def within(self, indices):
        self.ranges.update((name, limits) for name, _, limits in indices)
        body = self.expression()
        for name, place, _ in indices:
            if not self.ranges[name]:
                raise SyntaxError(f"no axis is read at {name} alone: give its range", place)
        axes = [self.names[name] + self.ranges[name] for name, _, _ in indices]
        for name, _, _ in indices:
            self.ranges.pop(name, None)         # twice the same is an error of Ilex
        return body, axes

    def expression(self):
        text = self.operand()
        while self.tokens[0][0] in OPERATORS:
            text += f" {self.tokens.pop(0)[0]} {self.operand()}"
        return text

    def operand(self):
        text, place = self.tokens.pop(0)
        if text in ("-", "!"):
            return text + self.operand()
        if text in self.nodes:
            return self.read(text)
        if text in ("sum", "prod", "max", "min") and self.accept("["):
            body, axes = self.within(self.items(self.index, "]"))
            return f"{text}[{', '.join(axes)}]({body})"
        if text == "(" or text.isidentifier() and self.accept("("):
            return f"{text.strip('(')}({', '.join(self.items(self.expression, ')'))})"
        if self.declares and text.isidentifier():
            self.sizes.add(text)
        if text not in self.sizes and text not in self.ranges and text[0] not in "0123456789.":
            raise SyntaxError(f"expected a value, not {text}", place)
        return self.names[text] if text.isidentifier() else text

    def read(self, text):
        indices = self.items(self.expression, "]") if self.accept("[") else []
        lengths = re.split(r", (?![^(]*\))", self.nodes[text].domain)
        found = {index: ":" + length for index, length in zip(indices, lengths)}
        for index in self.ranges:
            self.ranges[index] = self.ranges[index] or found.get(self.names[index], "")
        return self.names[text] + (f"[{', '.join(indices)}]" if indices else "")


if __name__ == "__main__":
    a, b, bias = map(numpy.random.default_rng(1).standard_normal, [(4, 3), (3, 5), 5])
    d = numpy.maximum(a @ b + bias, 0.0)
    p = compile(__doc__[__doc__.index("    in"):__doc__.index("`comp")])(a=a, b=b, bias=bias)["p"]
    print(p, numpy.allclose(p, numpy.exp(d - d.max(axis=1, keepdims=True))))
    try:
        compile("in x[n]\nout y[i] = x[i+1] - x[i]", "wrong.t")
    except SyntaxError as error:
        print(error)
