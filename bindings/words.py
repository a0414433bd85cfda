# SPDX-License-Identifier: MIT
"""What a function is: its documentation, thread and group, and of functions of
arrays the names that others have for it.
"""

import re

import tables
from tables import Refused

# The group of a header's functions, or of each of its sections.
GROUPS = {
    "base.h": {"dtypes and versions": "library", "statuses": "error",
               "contexts": "context", "errors": "error", "scopes": "context"},
    "expr.h": {"sizes and assumptions": "graph", "leaves": "creation",
               "structural constructors": "structure", "inspection": "query",
               "modules: named programs, as in .ilx text": "module"},
    "program.h": {
        "data": "creation", "compiling": "program", "running": "program",
        "prepared calls": "program", "jit=auto": "program",
        "queries; strings live as long as the program; any thread": "query",
        "text of stages and generated source of a module": "module"},
    "kinds.h": "structure", "elementwise.h": "elementwise",
    "eager.h": "eager", "storage.h": "storage", "memory.h": "memory",
    "exchange.h": "exchange", "domain.h": "domain", "graph.h": "graph",
    "function.h": "function", "group.h": "group", "library.h": "library", "query.h": "query",
    "repro.h": "module",
}
OF_ARRAYS = {"elementwise", "reduction", "structure", "creation"}

ONE_THREAD = re.compile(r"\b(any|context) thread\b|\b(thread of all)", re.I)
HEAD_THREAD = re.compile(r"(?:[.;] )(any|context) thread|"
                         r"functions? (?:here )?(?:is|are) (?:for the )?"
                         r'"?(any|context) thread', re.I)


def thread_in(pattern, text):
    found = pattern.search(text)
    if not found:
        return None
    word = next(w for w in found.groups() if w).lower()
    return "any" if word == "any" else "context"


class Words:
    def __init__(self, headers, include):
        self.headers = headers
        self.operators = tables.operators(include)
        self.attributes = tables.attributes()
        self.rules = tables.dtype_rules()
        self.names = tables.names()

    def describe(self, name):
        f = self.headers.functions[name]
        doc, group = self.doc(name, f), self.group(name, f)
        return {"doc": doc, "group": group, "thread": self.thread(name, f)} | \
            self.of_arrays(name, f, group)

    def row(self, name, f):
        """Of ops.def or reductions.def."""
        plain = name.removeprefix("ilex_")
        if f["header"] == "eager.h":
            plain = plain.removeprefix("storage_")
        elif f["header"] not in ("elementwise.h", "expr.h"):
            return {}
        return self.operators.get(plain, {})

    def doc(self, name, f):
        comment, row = self.headers.comments[name], self.row(name, f)
        if not comment:
            raise Refused(f"{name}: no comment describes it")
        if not row or f["header"] == "elementwise.h":
            return comment
        rule = self.rules[row["dtypes"]]
        return f"{row['meaning']} {rule} {comment}" \
            if row["group"] == "elementwise" else f"{row['meaning']} {comment}"

    def thread(self, name, f):
        takes = {p["type"].removeprefix("const ") for p in f["parameters"]}
        return thread_in(ONE_THREAD, self.headers.comments[name]) or \
            thread_in(ONE_THREAD, self.headers.sections[name]) or \
            thread_in(HEAD_THREAD, self.headers.heads[f["header"]]) or \
            ("context" if takes & {"ilex_context *", "ilex_array *",
                                   "ilex_module *"} else "any")

    def group(self, name, f):
        row = self.row(name, f)
        if row and f["header"] != "eager.h":
            return row["group"]
        groups = GROUPS.get(f["header"])
        if isinstance(groups, dict):
            title = self.headers.sections[name].strip("- ").split(" ----")[0]
            groups = groups.get(title)
        if not groups:
            raise Refused(f"{name}: GROUPS of bindings/words.py has no group "
                          f"for this place of {f['header']}")
        names = {p["name"] for p in f["parameters"]}
        if groups == "structure" and "keep" in names:
            return "reduction"
        if f["header"] == "kinds.h" and (
                name.endswith("_like") or f["parameters"][0]["type"] ==
                "ilex_context *" and "operands" not in names):
            return "creation"
        return groups

    # ---- functions of arrays ----

    def of_arrays(self, name, f, group):
        row = self.row(name, f)
        if not row and (group not in OF_ARRAYS or
                        f["returns"] != "ilex_array *"):
            return {}
        plain = name.removeprefix("ilex_")
        if row and f["header"] == "eager.h":
            plain = plain.removeprefix("storage_")
        numpy, standard, rule = self.names.get(plain, (plain, plain, None))
        roles = [p["role"] for p in f["parameters"]]
        arity = "any" if "operands" in roles else roles.count("operand")
        return {"arity": arity, "numpy": numpy, "standard": standard,
                "dtypes": rule or row.get("dtypes") or self.dtypes(arity)}

    @staticmethod
    def dtypes(arity):
        return {0: "parameter", 1: "first"}.get(arity, "promoted")

    def check(self):
        known = {n.removeprefix("ilex_") for n, f in
                 self.headers.functions.items() if "numpy" in f}
        for name, (_, _, rule) in self.names.items():
            if name not in known:
                raise Refused(f"names.tsv has {name}, which is no function of "
                              "arrays")
            if rule and rule not in self.rules:
                raise Refused(f"names.tsv: {name}: {rule} is no rule of dtypes")
