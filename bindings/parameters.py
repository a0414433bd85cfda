# SPDX-License-Identifier: MIT
"""What each parameter of a function is for, and whether it may be NULL: by its
type, its name, its function's row in a table and the words of comments.

Roles:
  context   the context, on whose thread the call is, unless `thread` is "any"
  operand   an array, or in eager.h a storage, that a result is computed from
  operands  several of them; `count` names the parameter that counts them
  array     an array that is asked, kept, tagged, bound or put somewhere
  storage, program, module, prepared, domain, group, grid
            such an object
  count     of what other parameters point to, which name it
  number, dtype, enum
            a value of its type
  text      of one of GRAMMARS, in `grammar`
  list      what is read (with `written` also changed): `length` of them, a
            number, the name of a parameter, or "rank(x)", "2*rank(s)"
  struct    one struct that is read (with `written` also changed)
  out       where a result is written: one, or `length` of them
  data      address of elements
  callback  a function; `user` names the pointer that it is called with
  user      a pointer that Ilex does not look at
  foreign   an object of another library
  given     what this function gives back
"""

import re

from tables import Refused

# What texts hold, by name where no row of a table says it.
GRAMMARS = {
    "name": "an identifier",
    "axis": "an axis: a name or a number from either end",
    "axes": "any number of axes: \"I, J\", \"0, -1\"",
    "places": "numbers of axes of the result: \"0, -1\"",
    "pairs": "axes of two operands: \"2\", \"1, 0\", \"[0, 1], [1, 0]\"",
    "bound": "affine in sizes: \"n-1\"",
    "shape": "bounds with commas: \"n, 3\"",
    "domain": "ranges of axes: \"I:1:n-1, J:m\", \"n, m\"",
    "range": "a named range: \"t:lo:hi\"",
    "shifts": "axes and how far: \"I+1, J-n\"",
    "ranges": "parts of axes: \"I=2:5, J=3\"",
    "condition": "comparisons joined by && and ||",
    "formula": "an expression over named operands",
    "subscripts": "of einsum: \"ij,jk->ik\"",
    "declaration": "what stands behind `extern`",
    "program": "a whole program",
    "operator": "a row of ops.def",
    "reduction": "a row of reductions.def, \"var\" or \"std\"",
    "option": "the name of an option",
    "value": "the value of an option",
    "word": "one of the words that the comment has",
    "tag": "a tag: \"tile[I](8)\"",
    "swaps": "pairs of names: \"u=u_new, v=v_new\"",
    "device": "\"cpu\", \"gpu\", \"cuda:N\"",
    "path": "the name of a file, as the system has it",
    "label": "what is said in messages; a key",
    "foreign": "the format of another library",
}
BY_NAME = {
    "name": "name", "names": "name", "inplace": "name", "axis": "axis",
    "axes": "axes", "domain": "domain", "range": "range", "shifts": "shifts",
    "ranges": "ranges", "position": "ranges", "part": "ranges",
    "condition": "condition", "body": "formula", "expression": "formula",
    "subscripts": "subscripts", "declaration": "declaration", "op": "operator",
    "reduction": "reduction", "value": "value", "mode": "word",
    "order": "word", "direction": "word", "property": "word", "pass": "word",
    "dialect": "word", "table": "word", "tag": "tag", "swaps": "swaps",
    "device": "device", "path": "path", "file": "label", "key": "label",
    "length": "bound", "rank": "bound",
}
# Where one name holds different things.
GRAMMAR_OF = {
    "ilex_option_set.name": "option",
    "ilex_option_get.name": "option",
    "ilex_index.axis": "name",
    "ilex_storage_axis.name": "axis",
    "ilex_module_emit_lines.name": "label",
    "ilex_domain_parse.text": "domain",
    "ilex_expr.text": "formula",
    "ilex_expr_n.text": "formula",
    "ilex_module_parse.text": "program",
    "ilex_module_html.text": "program",
    "ilex_text_fmt.text": "program",
    "ilex_array_interface_parse.text": "foreign",
    "ilex_typestr_read.text": "foreign",
    "ilex_format_read.text": "foreign",
}
# Of attributes in rows of functions.def and nodes.def.
BY_ATTRIBUTE = {
    "AXIS": "axis", "SET": "axes", "PLACES": "places", "PAIRS": "pairs",
    "LIN": "bound", "LINS": "bound", "SHAPE": "shape", "WORD": "word",
}

# How many there are where no parameter counts them.
LENGTH_OF = {
    "ilex_is_shift.offset": "rank(x)",
    "ilex_program_extents.lo": "rank(argument i)",
    "ilex_program_extents.hi": "rank(argument i)",
    "ilex_evaluate.results": "outputs(p)",
    "ilex_loop.result": "results(spec)",
    "ilex_program_extents.halo": "2*rank(argument i)",
    "ilex_grid_halo.halo": "2*rank(argument name)",
    "ilex_grid_order.owner": "count",
    "ilex_grid_order.order": "count",
    "ilex_grid_order.boundaries": "ends(ranks)",
    "ilex_group_new.members": "ranks(spec)",
}
# Lists with an entry for each axis of the first object, or two.
PER_AXIS = {"index": "rank({})", "order": "rank({})", "origin": "rank({})",
            "low": "rank({})", "high": "rank({})", "keys": "rank({})",
            "halo": "2*rank({})", "axes": "rank({})", "start": "rank({})",
            "stop": "rank({})", "step": "rank({})"}

HANDLES = {"ilex_storage": "storage", "ilex_program": "program",
           "ilex_module": "module", "ilex_prepared": "prepared",
           "ilex_domain": "domain", "ilex_array": "array",
           "ilex_context": "context", "ilex_group": "group",
           "ilex_grid": "grid"}
WRITTEN = {"ilex_call"}  # structs that are read and written
INTEGERS = {"int", "unsigned", "size_t"}
NUMBERS = INTEGERS | {"uint8_t", "int32_t", "int64_t", "uint64_t", "float",
                      "double"}


class Parameters:
    """Of one function, of `headers`."""

    def __init__(self, headers, name, attributes):
        self.headers, self.name = headers, name
        self.function = headers.functions[name]
        self.all = self.function["parameters"]
        self.attributes = attributes.get(name, {}) \
            if self.function["header"] == "kinds.h" else {}

    def describe(self, given_back):
        for i, p in enumerate(self.all):
            p.update(self.role(i, p, given_back))
            if p["role"] is None:
                raise Refused(f"{self.name}: what is {p['type']} {p['name']} "
                              "for? No rule of bindings/parameters.py says it")
        counts = {p.get(key) for p in self.all for key in ("count", "length")}
        for p in self.all:
            if p["role"] == "number" and p["name"] in counts:
                p["role"] = "count"

    def role(self, i, p, given_back):
        kind = p["type"]
        plain = re.match(r"(?:const )?(?:struct )?(\w+)", kind)[1]
        if "*" not in kind and "[" not in kind:
            return {"role": self.value_role(kind)} | self.user_of(kind)
        if "(*)" in kind:
            return {"role": "callback"} | self.user_of(kind)
        if plain == "char" or kind.startswith("const char *"):
            return self.text(i, p, given_back)
        if plain in HANDLES:
            return self.handle(i, p, HANDLES[plain])
        if plain in self.headers.structs:
            return self.struct(i, p, plain, given_back)
        if kind.startswith("struct DL") or kind.startswith("const struct DL") \
                or p["name"] == "object":
            return {"role": "foreign"}
        if plain == "void":
            return self.address(i, p)
        return self.numbers(i, p, plain)

    def value_role(self, kind):
        if kind == "ilex_dtype":
            return "dtype"
        if kind in self.headers.enums:
            return "enum"
        if kind in self.headers.callbacks:
            return "callback"
        return "number" if kind in NUMBERS else None

    def user_of(self, kind):
        names = [p["name"] for p in self.all if p["type"] == "void *"]
        calls = "(*)" in kind or kind in self.headers.callbacks
        user = [n for n in names if n in ("user", "value")]
        return {"user": user[0]} if calls and user else {}

    def address(self, i, p):
        if p["name"] in ("user", "value"):
            return {"role": "user"}
        if "const *" in p["type"].removeprefix("const "):
            return {"role": "list", "length": self.counted(i, p)}
        return {"role": "data"}

    # ---- texts ----

    def text(self, i, p, given_back):
        kind = p["type"]
        size = re.search(r"\[(\d+)\]", kind)
        if size:
            return {"role": "out", "length": int(size[1])}
        if kind == "char *":
            if self.name in given_back:
                return {"role": "given"}
            ends = i + 1 < len(self.all) and self.all[i + 1]["name"] == "size"
            return {"role": "out", "length": "size"} if ends else {"role": None}
        if kind == "const char **":
            return {"role": "out"}
        text = {"role": "text", "grammar": self.grammar(p["name"])}
        if kind == "const char *const *":
            return text | {"role": "list", "length": self.counted(i, p)}
        return text

    def grammar(self, name):
        attribute = self.attributes.get(name, "").removeprefix("MAY_")
        found = GRAMMAR_OF.get(f"{self.name}.{name}") \
            or BY_ATTRIBUTE.get(attribute) or BY_NAME.get(name)
        if not found:
            raise Refused(f"{self.name}: what does the text {name} hold? Name "
                          "its grammar in BY_NAME of bindings/parameters.py")
        return found

    # ---- objects ----

    def handle(self, i, p, role):
        kind, several = p["type"], "*const *" in p["type"]
        if kind.endswith("**"):
            return {"role": "out", "length": self.counted(i, p)}
        if several and role in ("array", "storage"):
            if p["name"] in PER_AXIS:
                return {"role": "list", "length": self.counted(i, p)}
            return {"role": "operands", "count": self.counted(i, p)}
        if several:
            return {"role": "list", "length": self.counted(i, p)}
        if role == "array" and self.function["returns"] == "ilex_array *" and \
                not kind.startswith("const") and \
                self.function["header"] != "base.h":
            return {"role": "operand"}
        if role == "storage" and self.function["header"] == "eager.h" and \
                p["name"] not in ("out", "to"):
            return {"role": "operand"}
        return {"role": role}

    def struct(self, i, p, plain, given_back):
        read_only = p["type"].startswith("const ")
        written = {} if read_only else {"written": True}
        if self.name in given_back:
            return {"role": "given"}
        if p["name"].endswith("s") and self.counts(i, p):
            return {"role": "list", "length": self.counted(i, p)} | written
        if read_only or plain in WRITTEN:
            return {"role": "struct"} | written
        return {"role": "out"}

    # ---- how many ----

    def numbers(self, i, p, plain):
        kind = p["type"]
        if kind.count("*") + kind.count("[") != 1 or not (
                plain in NUMBERS or plain in self.headers.enums):
            return {"role": None}
        role = "list" if kind.startswith("const ") else "out"
        size = re.search(r"\[(\d+)\]", kind)
        if size:
            return {"role": role, "length": int(size[1])}
        if role == "list":
            return {"role": "list", "length": self.counted(i, p)}
        length = LENGTH_OF.get(f"{self.name}.{p['name']}")
        return {"role": "out"} | ({"length": length} if length else {})

    def counted(self, i, p):
        """How many there are of what this one points to."""
        found = LENGTH_OF.get(f"{self.name}.{p['name']}") or self.per_axis(p) \
            or self.counts(i, p)
        if not found:
            raise Refused(f"{self.name}: how many {p['name']} are there? No "
                          "parameter counts them and LENGTH_OF of "
                          "bindings/parameters.py does not say it")
        return found

    def per_axis(self, p):
        objects = [q["name"] for q in self.all
                   if q["type"].removeprefix("const ") in
                   ("ilex_array *", "ilex_storage *")]
        if p["name"] in PER_AXIS and objects:
            return PER_AXIS[p["name"]].format(objects[0])
        return None

    def counts(self, i, p):
        """The parameter that counts this one: called so, or the nearest one
        before it with nothing but lists between, else the one behind it."""
        own = p["name"].removesuffix("s") + "_count"
        names = [q["name"] for q in self.all]
        if own in names:
            return own
        after = self.all[i + 1:i + 2]
        if after and self.is_count(after[0]):
            return after[0]["name"]
        for q in reversed(self.all[:i]):
            if self.is_count(q):
                return q["name"]
        return None

    def is_count(self, q):
        return q["type"] in INTEGERS and (
            q["name"] in ("count", "n", "rank") or
            q["name"].endswith("_count"))
