# SPDX-License-Identifier: MIT
"""A stencil language in Python, over Ilex's shared library and ctypes.

    @stencil(axes="IJ", halo=1)
    def diffuse(u: Field, rate: float):
        laplacian = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4*u
        return u + rate*laplacian

    diffuse(u, 0.1, out=v)

The function is called once, on symbols: Field records what is done to it as
calls of Ilex, which knows at which line of the function that was. The program
is compiled when it is called first, for arrays of these dtypes; a function with
the same formulas shares it. NumPy's arrays are read and written where they lie,
and a call on other arrays of the same layout changes addresses only.
The environment variables ILEX_LIBRARY and ILEX_API say where the shared library
and ilex-api.json are, which describes what is in it.
"""

import ctypes as c
import inspect
import json
import os
import sys

import numpy as np

lib = c.CDLL(os.environ.get("ILEX_LIBRARY", "libilex.so"))
with open(os.environ.get("ILEX_API", "/usr/include/ilex/ilex-api.json")) as f:
    api = json.load(f)

# ---- the C API, as ilex-api.json describes it ----

P, S, L = c.c_void_p, c.c_char_p, c.c_int64
NUMBERS = {"void": None, "int": c.c_int, "unsigned": c.c_uint,
           "double": c.c_double, "float": c.c_float, "size_t": c.c_size_t,
           "char": c.c_char, "intptr_t": c.c_ssize_t} | {
    f"{u}int{n}_t": getattr(c, f"c_{u}int{n}")
    for u in ("", "u") for n in (8, 16, 32, 64)}
structs = {}


def c_type(text):
    if text.endswith("]"):
        text, count = text[:-1].split("[")
        return c_type(text) * int(count)
    if "*" in text or text in api["callbacks"]:
        return S if text == "const char *" else P
    return structs.get(text) or NUMBERS.get(text, c.c_int)  # an enum


for name, s in api["structs"].items():
    structs[name] = type(name, (c.Structure,), {"_fields_": [
        (f["name"], c_type(f["type"])) for f in s["fields"]]})
    assert c.sizeof(structs[name]) == s["size"]
for name, f in api["functions"].items():
    if "form" not in f:  # else there is another one that Python can call
        function = getattr(lib, name)
        function.restype = c_type(f["returns"])
        function.argtypes = [P if "[" in p["type"] else c_type(p["type"])
                             for p in f["parameters"]]

Binding = structs["ilex_binding"]
STORAGE, F64 = (api["enums"]["ilex_bound"]["ILEX_BOUND_" + kind]
                for kind in ("STORAGE", "F64"))
context = lib.ilex_context_new(None)


class StencilError(Exception):
    """What Ilex refused, at the line that wrote it."""


def sized(kind, /, **members):
    """A struct that begins with its size."""
    return structs[kind](size=c.sizeof(structs[kind]), **members)


def check(result):
    """`result`, unless there was an error."""
    info = sized("ilex_error_info")
    if lib.ilex_error_get(context, 0, c.byref(info)):
        return result
    place = f"{info.file.decode()}:{info.line}: " if info.line else ""
    text = place + info.text.decode()
    lib.ilex_error_clear(context)
    raise StencilError(text)


# ---- symbols ----

tracing = None  # the function that is called on symbols


def here():
    """What is made from now on stands at this line of the function."""
    frame = sys._getframe(1)
    while frame and frame.f_code is not tracing.__code__:
        frame = frame.f_back
    if frame:
        lib.ilex_location(context, frame.f_code.co_filename.encode(),
                          frame.f_lineno, 0)


class Field:
    """An expression: `u[1, 0]` is u at I+1, numbers are taken as they are."""

    def __init__(self, node, axes):
        self.node, self.axes = check(node), axes

    def __getitem__(self, offsets):
        node = self.node
        here()
        offsets = offsets if isinstance(offsets, tuple) else (offsets,)
        if len(offsets) != len(self.axes):
            raise IndexError(f"{len(offsets)} offsets along {self.axes}")
        for axis, offset in zip(self.axes, offsets):
            if offset:
                node = lib.ilex_shift(node, axis.encode(), offset)
        return Field(node, self.axes)


def apply(name, *operands):
    here()
    fields = [x for x in operands if isinstance(x, Field)]
    axes = max((x.axes for x in fields), key=len)
    nodes = [x.node if isinstance(x, Field) else lib.ilex_lit(context, x)
             for x in operands]
    return Field(getattr(lib, "ilex_" + name)(*nodes), axes)


def maximum(x, y):
    return apply("maximum", x, y)


def where(condition, x, y):
    return apply("where", condition, x, y)


Field.__neg__ = lambda x: apply("negative", x)
Field.__abs__ = lambda x: apply("absolute", x)
Field.__lt__ = lambda x, y: apply("less", x, y)
Field.__gt__ = lambda x, y: apply("greater", x, y)
for slot, name in {"add": "add", "sub": "subtract", "mul": "multiply",
                   "truediv": "true_divide"}.items():
    setattr(Field, f"__{slot}__", lambda x, y, n=name: apply(n, x, y))
    setattr(Field, f"__r{slot}__", lambda x, y, n=name: apply(n, y, x))


# ---- arrays ----

def dtype_of(dtype):
    number = c.c_int()
    if lib.ilex_typestr_read(np.dtype(dtype).str.encode(), c.byref(number),
                             None):
        raise StencilError(f"Ilex has no dtype {dtype}")
    return number.value


def storage(array, axes, halo):
    """The array's own memory with names for its axes and a halo."""
    a = sized("ilex_array_interface", dtype=dtype_of(array.dtype),
              rank=array.ndim, readonly=not array.flags.writeable,
              has_strides=1, data=array.ctypes.data)
    a.shape[:array.ndim], a.strides[:array.ndim] = array.shape, array.strides
    widths = (L * (2 * array.ndim))(*[halo] * (2 * array.ndim))
    plain = check(lib.ilex_array_interface_import(context, c.byref(a), None,
                                                  None, None))
    named = lib.ilex_storage_reinterpret(context, plain,
                                         ", ".join(axes).encode())
    lib.ilex_storage_release(plain)
    whole = lib.ilex_storage_with_halo(context, check(named), widths)
    lib.ilex_storage_release(named)
    return check(whole)


# ---- stencils ----

class Stencil:
    programs = {}  # by the hashes of what they compute

    def __init__(self, function, axes, halo):
        self.function, self.axes, self.halo = function, axes, halo
        self.names = list(inspect.signature(function).parameters)
        self.fields = [n for n in self.names
                       if function.__annotations__.get(n) is Field]
        self.compiled, self.prepared = {}, {}

    def input(self, name, dtype):
        if name not in self.fields:
            return Field(lib.ilex_input(context, name.encode(),
                                        dtype_of("f8"), b""), "")
        widths = ", ".join(f"{a}:{self.halo}:{self.halo}" for a in self.axes)
        domain = self.domain() + f" halo({widths})"
        return Field(lib.ilex_input(context, name.encode(), dtype_of(dtype),
                                    domain.encode()), self.axes)

    def domain(self):
        return ", ".join(f"{a}:n{a.lower()}" for a in self.axes)

    def trace(self, dtypes):
        """What the function computes, where the outputs are."""
        global tracing
        tracing = self.function
        lib.ilex_location(context, None, 0, 0)
        inputs = [self.input(n, dtypes.get(n)) for n in self.names]
        try:
            result = self.function(*inputs)
        finally:
            lib.ilex_location(context, None, 0, 0)
        return check(lib.ilex_restrict(result.node, self.domain().encode()))

    def program(self, dtypes):
        key = tuple(dtypes.items())
        if key not in self.compiled:
            node = P(self.trace(dict(dtypes)))
            digest = c.create_string_buffer(16)
            lib.ilex_hash(node, digest)
            if digest.raw not in Stencil.programs:
                names = (S * 1)(b"out")
                spec = sized("ilex_compile_spec",
                             name=self.function.__name__.encode(),
                             names=c.cast(names, P))
                Stencil.programs[digest.raw] = check(
                    lib.ilex_compile(context, 1, c.byref(node), c.byref(spec)))
            self.compiled[key] = Stencil.programs[digest.raw]
        return self.compiled[key]

    def bind(self, program, arrays, numbers):
        bindings = (Binding * (len(arrays) + len(numbers)))()
        storages = []
        for i, (name, array) in enumerate(arrays.items()):
            storages.append(storage(array, self.axes,
                                    0 if name == "out" else self.halo))
            bindings[i] = Binding(name.encode(), storages[-1], STORAGE)
        for i, (name, number) in enumerate(numbers.items(), len(arrays)):
            bindings[i] = Binding(name.encode(), None, F64, number)
        prepared = lib.ilex_bind(context, program, bindings, len(bindings),
                                 None)
        for s in storages:  # the prepared call has a count of its own
            lib.ilex_storage_release(s)
        return check(prepared)

    def __call__(self, *values, out):
        given = dict(zip(self.names, values, strict=True))
        arrays = {n: given[n] for n in self.fields} | {"out": out}
        numbers = {n: given[n] for n in self.names if n not in self.fields}
        dtypes = {n: arrays[n].dtype.str for n in self.fields}
        layout = tuple((a.dtype.str, a.shape, a.strides, a.flags.writeable)
                       for a in arrays.values())
        program = self.program(dtypes)
        q = self.prepared.get(layout)
        if q is None:
            q = self.prepared[layout] = self.bind(program, arrays, numbers)
        at = (P * len(arrays))(*(a.ctypes.data for a in arrays.values()))
        self.check(q, lib.ilex_prepared_set_pointers(q, len(at), at))
        for name, number in numbers.items():
            self.check(q, lib.ilex_prepared_set(q, c.byref(
                Binding(name.encode(), None, F64, number))))
        self.check(q, lib.ilex_prepared_run(q))

    @staticmethod
    def check(q, status):
        if status:
            raise StencilError(lib.ilex_prepared_error(q).decode())


def stencil(axes, halo=0):
    return lambda function: Stencil(function, axes, halo)
