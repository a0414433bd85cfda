# SPDX-License-Identifier: MIT
"""What the tables of the sources say of functions: rows of ops.def,
reductions.def, errors.def, dtypes.def beside the headers, of rules.def,
functions.def and nodes.def of lib, and names.tsv.
"""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(os.path.dirname(HERE), "lib")


class Refused(Exception):
    """What the headers and tables lack."""


# The class of exception that a binding raises for an error.
KINDS = {"value", "type", "index", "memory", "unsupported", "os", "cancelled",
         "internal"}

# Dtypes of results beside those of rules.def: of reductions, of functions.
DTYPE_RULES = {
    "wide": "i64 or u64 for bool and integers, else that of the first operand.",
    "truth": "bool.",
    "mean": "f64 for bool and integers, else that of the first operand.",
    "spread": "As mean, real for complex.",
    "index": "i64, whatever the operands have.",
    "first": "That of the first operand.",
    "promoted": "The promoted dtype of the operands; literals take it.",
    "data": "The promoted dtype of the operands that are no indices.",
    "floating": "The promoted dtype of the operands if it is a floating or "
                "complex one, else f64.",
    "parameter": "What the parameter `dtype` says.",
    "text": "What the text says, or is.",
    "own": "What the function's name or comment says.",
}


# ---- rows of .def files ----

def rows(path, macro):
    """The arguments of each MACRO(...) that begins a line; strings are read."""
    with open(path) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for at in re.finditer(rf"^{macro}\(", text, re.M):
        yield [value(part) for part in arguments(text, at.end())]


WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^"\']', re.S)


def arguments(text, at):
    """What stands between commas, up to the bracket that closes."""
    parts, depth = [""], 0
    for word in WORD.finditer(text, at):
        w = word[0]
        if w == ")" and depth == 0:
            return parts
        depth += (w == "(") - (w == ")")
        if w == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += w
    raise Refused("a row of a table does not end")


def value(part):
    part = part.strip()
    strings = re.findall(r'"(?:[^"\\]|\\.)*"', part)
    if strings and part.startswith('"'):
        return "".join(json.loads(s) for s in strings)
    return part.strip("'")


def numbered_errors(include):
    result = {}
    path = os.path.join(include, "ilex", "errors.def")
    for row in rows(path, "ILEX_ERROR"):
        if len(row) != 5 or row[3] not in KINDS:
            raise Refused(f"errors.def: {row[0]}: its kind is none of "
                          + ", ".join(sorted(KINDS)))
        result["ILEX_E_" + row[0]] = {
            "number": int(row[1]), "family": row[2], "kind": row[3],
            "meaning": row[4]}
    return result


def dtypes(include):
    path = os.path.join(include, "ilex", "dtypes.def")
    return {"ILEX_" + name: {"text": text, "numpy": numpy, "kind": kind,
                             "bytes": int(size), "value": at,
                             "part": "ILEX_" + part}
            for at, (name, text, numpy, kind, size, _, part)
            in enumerate(rows(path, "ILEX_DTYPE"))}


def dtype_rules():
    """A rule's name, and what it says of operands and of the result."""
    path = os.path.join(LIB, "ops", "rules.def")
    return {row[0].lower(): row[6] for row in rows(path, "IX_RULE")} \
        | DTYPE_RULES


def operators(include):
    """Of a row of ops.def or reductions.def, by name."""
    folder = os.path.join(include, "ilex")
    result = {}
    for row in rows(os.path.join(folder, "ops.def"), "ILEX_OP"):
        result[row[1]] = {"group": "elementwise", "arity": int(row[2]),
                          "dtypes": row[5].lower(), "meaning": row[-1]}
    for row in rows(os.path.join(folder, "reductions.def"), "ILEX_REDUCTION"):
        rule = row[3].lower()
        result[row[1]] = {"group": "reduction", "arity": 1,
                          "dtypes": "first" if rule == "same" else rule,
                          "meaning": row[-1]}
    return result


def attributes():
    """Of the functions of kinds.h: the type of each attribute in its row, and
    what is written in text."""
    result = {}
    for path, macro, name in (("graph/nodes.def", "IX_NODE", 1),
                              ("build/functions.def", "IX_FUNCTION", 0)):
        for row in rows(os.path.join(LIB, path), macro):
            words = re.findall(r"\w+", row[-1])[1:]
            result["ilex_" + row[name]] = dict(zip(words[1::2], words[::2]))
    return result


# ---- names ----

def names():
    """name: (NumPy's, the standard's, rule of dtypes or None), for those of
    which names.tsv says anything."""
    result = {}
    with open(os.path.join(HERE, "names.tsv")) as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            name, numpy, standard, rule = line.rstrip("\n").split("\t")
            result[name] = (named(name, numpy), named(name, standard),
                            None if rule == "=" else rule)
    return result


def named(name, word):
    return {"=": name, "-": None}.get(word, word)
