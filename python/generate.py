# SPDX-License-Identifier: MIT
"""Writes what of the package is a list, from ilex-api.json.

    python3 generate.py ilex-api.json DIRECTORY

_rows.inc, for _functions.c: a row for each function of the C API that makes an
array or asks about one, and a caller for each of their signatures.
_generated.py: dtypes, and an exception for each error.
"""

import json
import os
import sys

MOST = 8  # parameters, as in _functions.c

ARRAY, LIST, NAMES = ("ilex_array *", "ilex_array *const *",
                      "const char *const *")
KINDS = {"ilex_context *": "c", ARRAY: "a", "const ilex_array *": "a",
         "const char *": "s", "int": "i", "int64_t": "l", "double": "d",
         "float": "d", "int32_t": "i", "ilex_dtype": "t",
         "const int *": "I", "const int64_t *": "L",
         NAMES: "T"}
C = {"c": "v[%d].p", "a": "v[%d].p", "s": "v[%d].p", "i": "(int)v[%d].i",
     "l": "v[%d].i", "d": "v[%d].d", "t": "(ilex_dtype)v[%d].i",
     "I": "v[%d].p", "L": "v[%d].p", "T": "v[%d].p"}
RESULTS = {ARRAY: "a", "const char *": "s", "char *": "S", "int": "i",
           "ilex_status": "x", "int64_t": "l", "ilex_dtype": "i", "void": "v"}


def quoted(text):
    return json.dumps(text, ensure_ascii=True).replace("\\u", "\\\\u")


class Unfit(Exception):
    """A function whose parameters the module does not know."""


def parameters(f):
    """(kinds, names, types) of a function; a list of arrays and its length are
    one argument, and so are these with a list of names."""
    kinds, names, types = "", [], []
    listed = f["parameters"]
    skip = -1
    for i, p in enumerate(listed):
        types.append(p["type"])
        if i <= skip:
            continue
        follows = [q["type"] for q in listed[i + 1:i + 3]]
        if p["type"] == "size_t" and follows == [NAMES, LIST]:
            kinds, skip = kinds + "m", i + 2
            names.append(listed[i + 2]["name"])
            continue
        if p["type"] in ("int", "size_t") and follows[:1] == [LIST]:
            kinds, skip = kinds + "n", i + 1
            names.append(listed[i + 1]["name"])
            types[-1] = p["type"]
            continue
        kind = KINDS.get(p["type"])
        if not kind:
            raise Unfit(p["type"])
        if p.get("nullable"):
            kind = {"a": "A", "s": "S"}.get(kind, kind)
        kinds += kind
        if kind != "c":
            names.append(p["name"])
    if len(names) > MOST:
        raise Unfit("many")
    return kinds, names, types


def defaults(kinds):
    """For each parameter what it is if it is not given, or None."""
    own = kinds.replace("c", "")
    return [None if i < least(kinds) else "0" if k in "il" else "None"
            for i, k in enumerate(own)]


def documented(short, kinds, names, doc):
    """The comment of a function, with how it is called before it."""
    listed = ", ".join(f"{n}={default}" if default else n
                       for n, default in zip(names, defaults(kinds)))
    return f"{short}({listed})\n\n{doc}"


def least(kinds):
    """How many parameters have no default: those behind are None, or 0."""
    own = kinds.replace("c", "")
    return len(own.rstrip("ASILTil"))


def caller(returns, types):
    """The text of a function that calls one of these types."""
    taken = ", ".join(types) or "void"
    values = []
    for i, t in enumerate(types):
        if t == LIST:
            values.append(f"v[{i}].p")
        elif t == "size_t":
            values.append(f"(size_t)v[{i}].i")
        else:
            values.append(C[KINDS[t]] % i)
    member = "p" if "*" in returns else "i"
    cast = "(void *)" if "*" in returns else ""
    if returns == "void":
        return (f"    (void)result;\n    ((void (*)({taken}))row->function)"
                f"({', '.join(values)});")
    return (f"    result->{member} = {cast}(({returns}(*)({taken}))row->function)"
            f"({', '.join(values)});")


def rows(api):
    callers, table = {}, []
    for name, f in api["functions"].items():
        returns = f["returns"]
        short = name.removeprefix("ilex_")
        if returns not in RESULTS or f.get("form") or not any(
                p["type"] in (ARRAY, "const ilex_array *", LIST)
                for p in f["parameters"]) and returns != ARRAY and \
                short not in ("assume", "option_set", "option_get", "version",
                              "location"):
            continue
        if short in ("keep", "drop", "drop_later", "scope_end", "is_poison",
                     "import"):
            continue
        try:
            kinds, names, types = parameters(f)
        except Unfit:
            continue
        text = caller(returns, types)
        number = callers.setdefault(text, len(callers))
        listed = ", ".join([quoted(n) for n in names] + ["NULL"])
        table.append(
            f"    {{{quoted(short)}, "
            f"{quoted(documented(short, kinds, names, f['doc']))}, "
            f"{quoted(kinds)}, '{RESULTS[returns]}', "
            f"(const char *const[]){{{listed}}}, {least(kinds)}, call_{number}, "
            f"(void (*)(void)){name}}},")
    return callers, table


def print_functions(api, out):
    callers, table = rows(api)
    print("/* Generated by generate.py. */", file=out)
    for text, number in callers.items():
        print(f"static void\ncall_{number}(const Row *row, const Value *v, "
              f"Value *result)\n{{\n    (void)v;\n{text}\n}}\n", file=out)
    print("static const Row rows[] = {", file=out)
    print("\n".join(table), file=out)
    print("    {NULL},\n};", file=out)


EXCEPTIONS = {"value": "ValueError", "type": "TypeError", "index": "IndexError",
              "memory": "MemoryError", "unsupported": "NotImplementedError",
              "internal": "RuntimeError", "os": "OSError",
              "cancelled": "RuntimeError"}


ERROR = '''


class Error(Exception):
    """An error of Ilex. `file`, `line` and `column` are where what was made
    when it was found comes from (ilex.graph.location), or None."""

    file = line = column = None

    @property
    def message(self):
        """What is wrong, without the place in a formula and the formula."""
        first = str(self).splitlines()[0]
        return first[first.find("]: ") + 3:] if "error[E" in first else first
'''


def exception_name(enumerator):
    words = enumerator.removeprefix("ILEX_E_").split("_")
    return "".join(w.capitalize() for w in words) + "Error"


def print_python(api, out):
    print('"""Generated by generate.py from the C API."""\n', file=out)
    print("DTYPES = {", file=out)
    for name, value in api["enums"]["ilex_dtype"].items():
        if name != "ILEX_NDTYPES":
            print(f"    {name.removeprefix('ILEX_').lower()!r}: {value},",
                  file=out)
    print("}" + ERROR, file=out)
    classes = {}
    for name, e in api["errors"].items():
        own = exception_name(name)
        print(f'\nclass {own}(Error, {EXCEPTIONS[e["kind"]]}):\n'
              f'    """{e["meaning"].capitalize()}."""\n', file=out)
        classes[e["number"]] = own
    listed = ", ".join(f"{n}: {c}" for n, c in classes.items())
    print(f"\nEXCEPTIONS = {{{listed}}}", file=out)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as f:
        api = json.load(f)
    os.makedirs(arguments[1], exist_ok=True)
    for name, write in (("_rows.inc", print_functions),
                        ("_generated.py", print_python)):
        with open(os.path.join(arguments[1], name), "w",
                  encoding="utf-8") as out:
            write(api, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
