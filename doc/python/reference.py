# SPDX-License-Identifier: MIT
"""The reference: a page for each module of the package, of its types."""

import ast
import os
import re

import ilex

MODULES = {"__init__": "ilex", "linalg": "ilex.linalg", "fft": "ilex.fft",
           "fields": "ilex.fields", "graph": "ilex.graph",
           "errors": "ilex.errors"}


def plain(annotation):
    """A type, without the underscore of private names."""
    return re.sub(r"\b_(?=[A-Z])|builtins\.", "", ast.unparse(annotation))


def signature(f):
    for a in ast.walk(f.args):
        if isinstance(a, ast.arg) and a.annotation:
            a.annotation = ast.Name(plain(a.annotation))
    gives = f" -> {plain(f.returns)}" if f.returns else ""
    return f"({ast.unparse(f.args)}){gives}" \
        .replace(": ArrayLike, ", ", ").replace(": ArrayLike)", ")")


def own_signature(f):
    """That of a method."""
    return signature(f).replace("(self, ", "(").replace("(self)", "()")


def escaped(line):
    """Letters that mean something to Sphinx, outside of code, as such."""
    parts = line.split("`")
    parts[::2] = [re.sub(r"([*|]|_(?!\w))", r"\\\1", x) for x in parts[::2]]
    return "`".join(parts)


def prose(text, indent):
    """A comment as text of Sphinx: what is indented in it is code."""
    lines, code = [], False
    for line in text.split("\n"):
        if line.startswith(("    ", "\t")) and not code:
            lines += [".. code-block:: python", ""]
        if line.strip():
            code = line.startswith("    ")
        lines.append(line if code else escaped(line))
    return "\n".join(indent + x if x else "" for x in lines)


def entry(kind, name, doc, indent, options=()):
    lines = [f"{indent}.. py:{kind}:: {name}"]
    lines += [f"{indent}   :{o}" for o in options]
    lines += ["", prose(doc or "", indent + "   "), ""]
    return "\n".join(lines)


def members(c, indent):
    for f in c.body:
        if not isinstance(f, ast.FunctionDef) or f.name.startswith("_"):
            continue
        is_property = any(getattr(d, "id", "") == "property"
                          for d in f.decorator_list)
        yield entry("attribute", f.name, ast.get_docstring(f), indent,
                    [f"type: {plain(f.returns)}"]) if is_property else \
            entry("method", f.name + own_signature(f), ast.get_docstring(f),
                  indent)


def page(path, module):
    with open(path, encoding="utf-8") as stub:
        tree = ast.parse(stub.read())
    text = [f"{module}\n{'=' * len(module)}\n", f".. py:module:: {module}\n",
            prose(ast.get_docstring(tree) or "", ""), ""]
    for x in tree.body:
        if isinstance(x, ast.FunctionDef):
            text.append(entry("function", x.name + signature(x),
                              ast.get_docstring(x), ""))
        elif isinstance(x, ast.ClassDef) and not x.name.startswith("_"):
            kind = "exception" if module == "ilex.errors" else "class"
            made = [own_signature(f) for f in x.body
                    if getattr(f, "name", "") == "__init__"]
            call = made[0].removesuffix(" -> None") if made else ""
            text.append(entry(kind, x.name + call, ast.get_docstring(x), ""))
            text += members(x, "   ")
    return "\n".join(text)


def write(folder):
    package = os.path.dirname(ilex.__file__)
    os.makedirs(os.path.join(folder, "reference"), exist_ok=True)
    for stub, module in MODULES.items():
        with open(os.path.join(folder, "reference", f"{module}.rst"), "w",
                  encoding="utf-8") as out:
            out.write(page(os.path.join(package, f"{stub}.pyi"), module))
