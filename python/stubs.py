# SPDX-License-Identifier: MIT
"""Writes what type checkers and editors read of the package.

    python3 stubs.py ilex-api.json DIRECTORY

DIRECTORY/ilex is the package, built; its modules get a file NAME.pyi each. How
functions are called is asked of themselves, and of the C API for those of
ilex.graph; their types are in the tables here."""

import importlib
import inspect
import json
import keyword
import os
import sys

import generate

MODULES = ("", "linalg", "fft", "fields", "graph", "errors")

HEAD = '''\
"""{doc}"""

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol
{more}'''

# Before the classes of the package.
PROTOCOLS = '''
class _SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

class _SupportsInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

_ArrayLike = Array | complex | _SupportsDLPack | _SupportsInterface
_DType = dtype
_DTypeLike = dtype | str | type
'''

# Types, and the parameters that have them wherever they are.
TYPES = {
    "Any":
        "args axes by dl_device inputs key kind kwargs made max_version "
        "memo named obj operands ord other outputs pairs stream ufunc",
    "Sequence[_ArrayLike]": "first next stack values",
    "_ArrayLike | None": "append max min prepend sorter until",
    "int": "k n n_rows num number",
    "int | Sequence[int]": "destination repetitions shape shift source",
    "str":
        "body declaration direction domain method name short stage "
        "subscripts text",
    "Callable[..., Any]": "function",
    "Sequence[Any]": "leaves",
    "Sequence[Array]": "carry selves",
    "Sequence[int]": "every shapes",
    "Sequence[int] | None": "s",
    "Sequence[str]": "names",
    "Sequence[str] | None": "arguments",
    "Sequence[tuple[int, int]] | None": "halo",
    "_ArrayLike": "arrays indices value",
    "_DTypeLike": "to",
    "_DTypeLike | Array": "from_ type",
    "_DTypeLike | None": "dtype",
    "builtins.bool": "single",
    "builtins.bool | None": "copy",
    "complex": "fill_value start step",
    "complex | None": "stop",
    "float": "correction",
    "float | None": "rtol",
    "int | None": "n_cols",
    "int | Sequence[int] | None": "axis",
    "str | Array": "where",
    "str | None": "api_version device file",
}
# Those of one function each.
OWN_TYPES = {
    "_DTypeLike":
        "Array.astype.dtype astype.dtype graph.cast.dtype graph.input.dtype "
        "isdtype.dtype",
    "Any": "fields.domain.axes loop.first",
    "Array": "graph.loop.step",
    "Mapping[str, _ArrayLike]": "graph.map.operands",
    "Sequence[_ArrayLike]": "concat.arrays stack.arrays",
    "int": "fields.shift.by linalg.matrix_power.n loop.steps",
    "Callable[[Array, Any], Any]": "loop.body",
    "Callable[[Any, Any], Any] | None": "loop.until",
    "Callable[[Any], Any] | None": "loop.stack",
    "str": "fields.field.axes graph.scan.axis",
    "str | Axis": "fields.index.axis",
}

# What functions give that is no array.
RESULT_TYPES = {
    "Any":
        "Array.__array__ Array.__array_namespace__ Array.__dlpack__ "
        "Array.item Array.tolist Program.prepare Program.run _Jit.__call__ "
        "_Jit.trace __array_namespace_info__ compute loop",
    "builtins.bool": "Array.__bool__ can_cast dtype.__eq__ isdtype",
    "int":
        "Array.__index__ Array.__int__ Array.__len__ Array.ndim Array.size "
        "dtype.__hash__",
    "str":
        "Array.device Array.domain Error.message Names.__getitem__ "
        "Program.text fields.domain graph.number",
    "tuple[Array, ...]":
        "Program.__call__ graph.loop graph.parse graph.scan nonzero unstack",
    "AbstractContextManager[None]": "graph.scope",
    "Callable[..., _Page]": "page",
    "Callable[..., str]": "explain source",
    "Callable[[Callable[..., Any]], Callable[..., Any]]": "foreign",
    "Iterator[Array]": "Array.__iter__",
    "None": "Array.__setitem__ Program.into _Jit.clear",
    "Shift": "Axis.__add__ Axis.__sub__",
    "_At": "Array.at",
    "_DType": "Array.dtype result_type",
    "_Jit": "jit",
    "_Place": "_At.__getitem__",
    "_eigh": "linalg.eigh",
    "_qr": "linalg.qr",
    "_slogdet": "linalg.slogdet",
    "_svd": "linalg.svd",
    "_top_k": "top_k",
    "_unique_all": "unique_all",
    "_unique_counts": "unique_counts",
    "_unique_inverse": "unique_inverse",
    "complex": "Array.__complex__",
    "float": "Array.__float__",
    "list[Array]": "broadcast_arrays meshgrid",
    "tuple[int, ...]": "Array.shape broadcast_shapes",
    "tuple[int, int]": "Array.__dlpack_device__",
    "tuple[str, ...]": "Array.axes",
}


def by_name(table):
    return {name: t for t, names in table.items() for name in names.split()}


PARAMETERS, OWN_PARAMETERS, RETURNS = map(
    by_name, (TYPES, OWN_TYPES, RESULT_TYPES))
TUPLES = {"_top_k": "values indices", "_unique_all":
          "values indices inverse_indices counts", "_unique_counts":
          "values counts", "_unique_inverse": "values inverse_indices",
          "_eigh": "eigenvalues eigenvectors", "_svd": "U S Vh",
          "_slogdet": "sign logabsdet", "_qr": "Q R"}
ATTRIBUTES = {
    "dtype": "short: str\nnumber: int\nname: str\nkind: str\nitemsize: int",
    "finfo": "bits: int\neps: float\nmax: float\nmin: float\n"
             "smallest_normal: float\ndtype: _DType",
    "iinfo": "bits: int\nmax: int\nmin: int\ndtype: _DType",
    "Axis": "name: str", "Shift": "axis: str\nby: float",
    "Error": "file: str | None\nline: int | None\ncolumn: int | None",
    "Names": "given: dict[str, str]\ntaken: dict[str, str]",
    "Program": "name: str\narguments: tuple[str, ...]\noutputs: "
               "tuple[Array, ...]"}
C_TYPES = {"a": "_ArrayLike", "A": "_ArrayLike | None", "s": "str",
           "S": "str | None", "n": "Sequence[_ArrayLike]", "i": "int",
           "l": "int", "d": "float", "t": "int", "I": "Sequence[int] | None",
           "L": "Sequence[int] | None", "T": "Sequence[str] | None",
           "m": "Mapping[str, _ArrayLike]"}
C_RETURNS = {"a": "Array", "s": "str", "S": "str", "i": "int", "l": "int",
             "x": "None", "v": "None"}
BINARY = ("add sub mul truediv floordiv mod pow and or xor lshift rshift "
          "matmul").split()
COMPARED = "eq ne lt le gt ge".split()


def type_of(where, p):
    """The type of a parameter of the function at a place."""
    own = OWN_PARAMETERS.get(f"{where}.{p.name}") or PARAMETERS.get(p.name)
    if own:
        optional = p.default is None and own != "Any" and "None" not in own
        return own + " | None" * optional
    if isinstance(p.default, (bool, int, float, str)):
        return type(p.default).__name__.replace("bool", "builtins.bool")
    return "Any" if p.default is None else "_ArrayLike"


def parameter(where, p):
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = f"{stars}{p.name}"
    if p.name != "self":
        text += f": {type_of(where, p)}"
    if p.default is p.empty:
        return text
    simple = p.default is None or type(p.default) in (bool, int, float, str)
    return f"{text} = {p.default!r}" if simple else f"{text} = ..."


def parameters(where, signature):
    """The text between the parentheses of a definition."""
    listed, before = [], None
    for p in signature.parameters.values():
        if before == p.POSITIONAL_ONLY != p.kind:
            listed.append("/")
        if p.kind == p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY,
                                                       p.VAR_POSITIONAL):
            listed.append("*")
        listed.append(parameter(where, p))
        before = p.kind
    if before == inspect.Parameter.POSITIONAL_ONLY:
        listed.append("/")
    return ", ".join(listed)


def definition(where, name, taken, gives, doc, indent=""):
    lines = [f"{indent}def {name}({taken}) -> {gives}:"]
    if doc:
        lines.append(f'{indent}    """{doc}"""')
    return "\n".join(lines) + ("" if doc else " ...")


def function(where, name, f, indent="", gives="Array"):
    return definition(where, name, parameters(where, inspect.signature(f)),
                      RETURNS.get(where, gives), inspect.getdoc(f), indent)


def operators():
    """Those of arrays; each makes an array."""
    text = [f"    def __{n}__(self, other: _ArrayLike, /) -> Array: ..."
            for b in BINARY for n in (b, f"r{b}", f"i{b}")]
    text += [f"    def __{n}__(self, other: Any, /) -> Array: ..." +
             "  # type: ignore[override]" * (n in ("eq", "ne"))
             for n in COMPARED]
    return text + [f"    def __{n}__(self) -> Array: ..."
                   for n in ("neg", "pos", "abs", "invert")]


def bases(own):
    listed = ["builtins." * (b.__module__ == "builtins") + b.__name__
              for b in own.__bases__
              if b not in (object, tuple) and b.__module__ != "ilex._core"]
    return f"({', '.join(listed)})" if listed else ""


def method(class_name, name, f):
    where = f"{class_name}.{name}"
    if isinstance(f, property):
        return "    @property\n" + definition(
            where, name, "self", RETURNS.get(where, "Array"),
            inspect.getdoc(f.fget), "    ")
    return function(where, name, f, indent="    ",
                    gives="None" if name == "__init__" else "Array"
                    if class_name in ("Array", "_Place") else "Any")


def class_(own, name):
    if hasattr(own, "_fields"):
        return f"class {name}(NamedTuple):\n    " + \
            ATTRIBUTES[name].replace("\n", "\n    ")
    lines = [f"class {name}{bases(own)}:",
             f'    """{inspect.getdoc(own) or name}"""']
    lines += ["    " + a for a in ATTRIBUTES.get(name, "").splitlines()]
    skipped = {"__reduce__", "__repr__", "__new__"}
    if name == "Array":
        lines += operators()
        lines += [f"    @property\n    def {n}(self) -> "
                  f"{RETURNS[f'Array.{n}']}: ..."
                  for n in ("ndim", "axes", "domain")]
        skipped |= {line.split("(")[0].split()[-1] for line in lines}
    for key, f in vars(own).items():
        public = not key.startswith("_") or key.startswith("__")
        if public and key not in skipped and \
                (inspect.isfunction(f) or isinstance(f, property)):
            lines.append(method(name, key, f))
    if name in ("_Jit", "Program"):
        lines.append("    def __call__(self, *args: Any, **named: Any) -> "
                     f"{RETURNS[f'{name}.__call__']}: ...")
    return "\n".join(lines)


def public(module):
    """Its names with what they are, in order."""
    listed = getattr(module, "__all__", None) or [
        n for n in vars(module) if not n.startswith("_")]
    more = ("__all__", "__version__", "__array_api_version__",
            "__array_namespace_info__")
    listed = [*listed, *(n for n in more if hasattr(module, n))]
    return {n: getattr(module, n) for n in sorted(set(listed))}


def one(prefix, name, x, api):
    """The text of one name."""
    where = prefix + name
    if inspect.ismodule(x):
        return f"from . import {name} as {name}"
    if inspect.isclass(x):
        return class_(x, name)
    if type(x).__name__ == "Function":
        return of_c(name, api)
    if callable(x):
        return function(where, name, x)
    if name == "__all__":
        return f"__all__ = {list(x)!r}"
    return f"{name}: {'None' if x is None else type(x).__name__}"


def of_c(name, api):
    """A function that the C API has under this name."""
    f = api["functions"]["ilex_" + name]
    kinds, names, _ = generate.parameters(f)
    listed = [n + "_" * keyword.iskeyword(n) + f": {C_TYPES[k]}" +
              (f" = {default}" if default else "") for k, n, default in
              zip(kinds.replace("c", ""), names, generate.defaults(kinds))]
    if listed:
        listed.append("/")
    return definition(name, name, ", ".join(listed),
                      C_RETURNS[generate.RESULTS[f["returns"]]], f["doc"])


def text_of(name, api):
    module = importlib.import_module("ilex" + (name and "." + name))
    found = public(module)
    more = ""
    prefix = name and name + "."
    if name:
        more = ("from . import Array, _ArrayLike, _DTypeLike, Error, dtype\n"
                if name != "errors" else "from . import Error as Error\n")
        found = {k: x for k, x in found.items() if k not in ("Error",)}
    parts = [one(prefix, k, x, api) for k, x in found.items()]
    if not name:
        from ilex._jit import Jit
        from ilex._page import Page
        from ilex._places import At, _Place
        parts += [class_(c, n) for n, c in (
            ("_Jit", Jit), ("_Page", Page), ("_At", At), ("_Place", _Place))]
        parts.append(PROTOCOLS)
    used = "\n".join(parts)
    parts += [f"class {t}(NamedTuple):\n" +
              "\n".join(f"    {f}: Array" for f in fields.split())
              for t, fields in TUPLES.items() if t in used]
    return HEAD.format(doc=module.__doc__, more=more) + "\n\n" + \
        "\n\n".join(parts) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    sys.path.insert(0, arguments[1])
    with open(arguments[0], encoding="utf-8") as f:
        api = json.load(f)
    for name in MODULES:
        path = os.path.join(arguments[1], "ilex", f"{name or '__init__'}.pyi")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text_of(name, api))
    with open(os.path.join(arguments[1], "ilex", "py.typed"), "w"):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
