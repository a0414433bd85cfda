# SPDX-License-Identifier: MIT
"""pytato's graphs, compiled by Ilex.

    import pytato, ilex.pytato
    x = pytato.make_placeholder(name="x", shape=(10, 4), dtype=float)
    f = ilex.pytato.generate_ilex(2*x + 1)
    f(x=numpy.ones((10, 4)))                # an array of NumPy

It is what pytato.generate_jax is for JAX. Every node becomes an index lambda
of Ilex, as pytato's own to_index_lambda says, but contractions and reshapes,
which are nodes there, too. Calls of loopy's kernels are refused."""

from functools import cached_property

import numpy
import pytato
from pytato.tags import Named, PrefixNamed
from pytato.target import BoundProgram, Target
from pytato.transform import CachedMapper, InputGatherer
from pytools import UniqueNameGenerator

from . import graph
from ._dtypes import as_dtype
from ._formulas import Formula

__all__ = ["BoundIlexProgram", "IlexTarget", "generate_ilex"]


class IlexTarget(Target):
    """Programs that Ilex compiles."""


class BoundIlexProgram(BoundProgram):
    """A compiled program, and the arrays that are bound already. `program` is
    an ilex.graph.Program."""

    def __init__(self, target, program, lower, outputs):
        super().__init__(program=program, bound_arguments=lower.bound,
                         target=target)
        self.arguments, self.outputs = tuple(lower.own), outputs
        self.sizes = dict.fromkeys(lower.sizes)  # arrays tell them
        self.known = lower.inputs

    def __call__(self, **arguments):
        """Runs; an array of NumPy, or a dictionary of them."""
        bound = self.bound_arguments
        if arguments.keys() & bound.keys():
            raise ValueError("bound already: " + ", ".join(
                sorted(arguments.keys() & bound.keys())))
        if not self.known >= arguments.keys():
            raise TypeError("there is no argument " + ", ".join(
                sorted(arguments.keys() - self.known)))
        if not self.outputs and self.outputs is not None:
            return {}
        try:
            made = self.program(*(
                arguments[n] if n in arguments else bound[n]
                if n in bound else self.sizes[n] for n in self.arguments))
        except KeyError as name:
            raise TypeError(f"argument {name} is missing") from None
        arrays = map(numpy.asarray, made)
        return next(arrays) if self.outputs is None else \
            dict(zip(self.outputs, arrays))

    @cached_property
    def source(self):
        """The C that it is."""
        return self.program.text("c")


class _Lower(CachedMapper):
    """pytato's nodes as arrays of Ilex."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.inputs = inputs
        self.free = UniqueNameGenerator(inputs | outputs)
        self.names, self.own = graph.Names(), {}
        self.bound, self.sizes = {}, set()

    # ---- sizes ----

    def length(self, n, size="{}"):
        """A length, or another number made of sizes, as text, in which a size
        is written so."""
        if not isinstance(n, pytato.Array):
            return str(n)
        if isinstance(n, pytato.SizeParam):
            own = self.own.setdefault(n.name, self.names[n.name])
            if n.name not in self.sizes:
                self.sizes.add(n.name)
                graph.size(own)  # from now on texts know it
            return size.format(own)
        if not isinstance(n, pytato.IndexLambda):
            n = pytato.to_index_lambda(n)
        names = {k: self.length(v, size) for k, v in n.bindings.items()}
        return Formula(names, _short, lambda k: str(int(k)))(n.expr)

    def domain(self, shape):
        return ", ".join(map(self.length, shape))

    # ---- nodes ----

    def _input(self, name, x):
        made = self.own[name] = self.names[name]
        return graph.input(made, x.dtype, self.domain(x.shape))

    def map_placeholder(self, x):
        return self._input(x.name, x)

    def map_data_wrapper(self, x):
        name = self.free(self._hint(x) or "_pt_data")
        self.bound[name] = x.data
        return self._input(name, x)

    def _hint(self, x):
        """What a tag calls a node, or None."""
        for tag in x.tags_of_type(Named):
            if tag.name in self.free.existing_names:
                raise ValueError(f"two nodes are called {tag.name!r}")
            return tag.name
        return next((t.prefix for t in x.tags_of_type(PrefixNamed)), None)

    def map_size_param(self, x):
        return graph.size(self.length(x))

    def map_index_lambda(self, x):
        names, operands = {}, {}
        for name, operand in x.bindings.items():
            if operand.shape == () and _of_sizes(operand):
                names[name] = self.length(operand, "size({})")
            else:
                names[name] = f"v{len(operands)}"
                operands[names[name]] = self.rec(operand)
        made = graph.cast(graph.map(
            self.domain(x.shape), Formula(names, _short)(x.expr), operands),
            x.dtype)
        hint = self._hint(x)
        if hint and made.ndim:
            name = self.free(hint) if hint in self.free.existing_names else hint
            self.free.add_name(name, conflicting_ok=True)
            graph.name(made, self.names[name])
        return made

    def map_einsum(self, x):
        spec = _subscripts(x)
        if spec is None:
            return self.map_other(x)
        made = graph.einsum(spec, [self.rec(a) for a in x.args])
        return graph.cast(made, x.dtype)

    def map_reshape(self, x):
        return graph.reshape(self.rec(x.array), self.domain(x.shape),
                             x.order.upper())

    def map_other(self, x):
        return self.rec(pytato.to_index_lambda(x))

    map_stack = map_concatenate = map_roll = map_axis_permutation = map_other
    map_basic_index = map_contiguous_advanced_index = map_other
    map_non_contiguous_advanced_index = map_csr_matmul = map_other

    def map_named_array(self, x):
        return self.rec(x.expr)

    def map_loopy_call_result(self, x):
        raise NotImplementedError(
            "a call of a loopy kernel: Ilex compiles arrays, not loops of "
            "others")


def _short(dtype):
    return as_dtype(numpy.dtype(dtype)).short


def _of_sizes(x):
    """Is a number a sum or product of sizes and integers?"""
    if isinstance(x, pytato.SizeParam):
        return True
    return isinstance(x, pytato.IndexLambda) and x.shape == () and \
        x.dtype == numpy.int64 and len(x.bindings) > 0 and \
        all(map(_of_sizes, x.bindings.values()))


def _subscripts(x):
    """An einsum as NumPy writes it; None where a length of 1 is repeated."""
    letters, lengths, parts = {}, {}, []
    if len({a for axes in x.access_descriptors for a in axes}) > 26:
        return None
    for operand, axes in zip(x.args, x.access_descriptors):
        for axis, n in zip(axes, operand.shape):
            if lengths.setdefault(axis, n) != n:
                return None
        parts.append("".join(letters.setdefault(a, chr(97 + len(letters)))
                             for a in axes))
    result = {a.dim: k for a, k in letters.items()
              if isinstance(a, pytato.array.EinsumElementwiseAxis)}
    return ",".join(parts) + "->" + "".join(result[i] for i in sorted(result))


def generate_ilex(expr, *, target=None, function_name="_pt_kernel"):
    """A program for an array, or for a dictionary of them."""
    single = isinstance(expr, pytato.Array)
    named = {"_pt_out": expr} if single else dict(expr)
    outputs = pytato.make_dict_of_named_arrays(named)
    pytato.codegen.check_validity_of_outputs(outputs)
    outputs = pytato.inline_calls(pytato.tag_all_calls_to_be_inlined(outputs))
    with graph.scope():
        inputs = InputGatherer()(outputs)
        lower = _Lower({x.name for x in inputs if x.name}, set(named))
        made = [lower.rec(outputs[name].expr) for name in named]
        results = [lower.names[f"out.{n}" if n in lower.own else n]
                   for n in named]
        program = graph.Program(dict(zip(results, made)), lower.own.values(),
                                function_name) if made else None
    return BoundIlexProgram(target or IlexTarget(), program, lower,
                            None if single else list(named))
