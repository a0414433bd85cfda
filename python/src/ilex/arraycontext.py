# SPDX-License-Identifier: MIT
"""An array context of arraycontext whose programs Ilex compiles.

    from ilex.arraycontext import PytatoIlexArrayContext
    actx = PytatoIlexArrayContext()
    x = actx.from_numpy(numpy.linspace(0, 1))
    actx.to_numpy(actx.np.sin(x)**2)

Arrays are pytato's, as in the contexts over OpenCL and JAX; frozen ones are
NumPy's. It derives from the class that these contexts share, which has no
public name (arraycontext.impl.pytato)."""

import numpy
import pytato
from arraycontext import with_array_context
from arraycontext.container.traversal import (
    multimapped_over_array_containers, rec_keyed_map_array_container)
from arraycontext.impl.pytato import _BasePytatoArrayContext
from arraycontext.impl.pytato.compile import (
    BaseLazilyCompilingFunctionCaller, CompiledFunction)
from arraycontext.impl.pytato.fake_numpy import PytatoFakeNumpyNamespace
from constantdict import constantdict
from pymbolic import var
from pytools.tag import normalize_tags

from . import graph
from .pytato import generate_ilex

__all__ = ["FrozenArray", "PytatoIlexArrayContext"]


class FrozenArray(numpy.ndarray):
    """The elements of an array that was computed."""


class _Functions(PytatoFakeNumpyNamespace):
    """Those of NumPy that pytato lacks and Ilex has: floor, expm1, hypot."""

    def __getattr__(self, name):
        if not hasattr(pytato, name) and name in self._numpy_math_functions \
                and hasattr(graph, name):
            return multimapped_over_array_containers(
                lambda *operands: _elementwise(name, operands))
        return super().__getattr__(name)


def _elementwise(name, operands):
    arrays = [x for x in operands if isinstance(x, pytato.Array)]
    if not arrays:
        return getattr(numpy, name)(*operands)
    shape = arrays[0].shape
    if any(x.shape != shape for x in arrays):
        raise NotImplementedError(f"{name} of arrays of different shapes")
    index = tuple(var(f"_{i}") for i in range(len(shape)))
    bound = {f"x{i}": x for i, x in enumerate(operands)
             if isinstance(x, pytato.Array)}
    own = [x if f"x{i}" not in bound else var(f"x{i}")[index] if shape else
           var(f"x{i}") for i, x in enumerate(operands)]
    like = getattr(numpy, name)(*(
        numpy.ones(1, x.dtype) if hasattr(x, "dtype") else x for x in operands))
    return pytato.IndexLambda(
        expr=var(f"pytato.c99.{name}")(*own), shape=shape, dtype=like.dtype,
        bindings=constantdict(bound), tags=frozenset(),
        axes=tuple(pytato.Axis(frozenset()) for _ in shape),
        var_to_reduction_descr=constantdict())


class PytatoIlexArrayContext(_BasePytatoArrayContext):
    """Arrays of pytato that Ilex computes where they are frozen."""

    array_types = (pytato.Array, FrozenArray)
    _frozen_array_types = (FrozenArray,)

    def _get_fake_numpy_namespace(self):
        return _Functions(self)

    def clone(self):
        return type(self)()

    def from_numpy(self, array):
        return with_array_context(self._rec_map_container(
            lambda x: _wrapped(x.copy()), array, (numpy.ndarray,)), actx=self)

    def thaw(self, array):
        return with_array_context(self._rec_map_container(
            _wrapped, array, self._frozen_array_types), actx=self)

    def to_numpy(self, array):
        return with_array_context(self._rec_map_container(
            numpy.array, self.freeze(array), self._frozen_array_types),
            actx=None)

    def freeze(self, array):
        if numpy.isscalar(array):
            return array
        lazy = {}

        def collect(key, x):
            if isinstance(x, pytato.Array) and \
                    not isinstance(x, pytato.DataWrapper):
                lazy[key] = x
            return x
        rec_keyed_map_array_container(collect, array)
        made = dict(zip(lazy, self._computed(list(lazy.values()))))

        def frozen(key, x):
            if isinstance(x, pytato.DataWrapper):
                return numpy.asarray(x.data).view(FrozenArray)
            if key in made:
                return made[key].view(FrozenArray)
            if isinstance(x, (FrozenArray, *_SCALARS)):
                return x
            raise TypeError(f"{type(self).__name__}.freeze: {type(x).__name__!r}"
                            " is no array of this context")
        return with_array_context(rec_keyed_map_array_container(frozen, array),
                                  actx=None)

    def _computed(self, arrays):
        if not arrays:
            return []
        named = pytato.make_dict_of_named_arrays(
            {f"_ary{i}": x for i, x in enumerate(arrays)})
        dag = self.transform_dag(pytato.transform.deduplicate(named))
        return list(generate_ilex(dag)().values())

    def compile(self, f):
        return _Caller(self, f)

    def tag(self, tags, array):
        return self._rec_map_container(
            lambda x: x.tagged(normalize_tags(tags))
            if isinstance(x, pytato.Array) else x, array)

    def einsum(self, spec, *args, arg_names=None, tagged=()):
        operands = [self.thaw(x) if isinstance(x, FrozenArray) else x for x in args]
        return pytato.einsum(spec, *operands).tagged(normalize_tags(tagged))

    def call_loopy(self, t_unit, **kwargs):
        raise NotImplementedError(
            "a loopy kernel, or a function of NumPy that Ilex lacks: it compiles "
            "expressions of arrays")


_SCALARS = (numpy.generic, int, float, complex)


def _wrapped(x):
    return pytato.make_data_wrapper(x.view(FrozenArray))


class _Compiled(CompiledFunction):
    """A function that was traced for arguments of a kind."""

    def __init__(self, actx, program, inputs, outputs, template):
        self.actx, self.program, self.inputs = actx, program, inputs
        self.outputs, self.template = outputs, template

    def __call__(self, arguments):
        made = self.program(**{
            self.inputs[key]: _argument(key, x) for key, x in arguments.items()
            if self.inputs[key] in self.program.known})
        if self.template is None:
            return _wrapped(made[self.outputs])
        return rec_keyed_map_array_container(
            lambda key, _: _wrapped(made[self.outputs[key]]), self.template)


def _argument(key, x):
    if isinstance(x, pytato.DataWrapper):
        return x.data
    if isinstance(x, pytato.Array):
        raise ValueError(f"argument {key} of a compiled function is an "
                         "expression, which each call would compute anew: "
                         "freeze and thaw it first")
    return x


class _Caller(BaseLazilyCompilingFunctionCaller):
    def _dag_to_transformed_pytato_prg(self, named, *, prg_id=None):
        dag = self.actx.transform_dag(named)
        name = getattr(self.f, "__name__", "compiled")
        program = generate_ilex(
            dag, function_name="".join(c if c.isalnum() else "_" for c in name))
        return program, *({n: getattr(dag[n].expr, what) for n in dag}
                          for what in ("tags", "axes"))

    @staticmethod
    def compiled_function_returning_array_container_class(
            actx, program, input_id_to_name_in_program,
            output_id_to_name_in_program, output_template, **metadata):
        return _Compiled(actx, program, input_id_to_name_in_program,
                         output_id_to_name_in_program, output_template)

    @staticmethod
    def compiled_function_returning_array_class(
            actx, program, input_id_to_name_in_program, output_name,
            **metadata):
        return _Compiled(actx, program, input_id_to_name_in_program,
                         output_name, None)
