# SPDX-License-Identifier: MIT
"""Which parameters may be NULL, as comments say it:

    `axis` may be NULL    "ctx", which may be NULL    `until`, or NULL
    file NULL: no place   NULL for the axis           `skip` (NULL: none)

or as their rows in functions.def and nodes.def do (MAY_...), or because a
comment refers to another function ("as ilex_sum", "The same"), or because they
are given back. What is counted may also be NULL where the count is 0. A comment
that says NULL otherwise, neither of a result nor of a parameter, is refused.
"""

import re

from tables import Refused

# NULL in words about results, errors and examples.
NOT_PARAMETERS = re.compile(
    r"\b(?:returns?|gives?|unless|is|are|else|ended by|of a) NULL\b|"
    r"\bNULL (?:on|after|when|until|past|behind|with|of all|if|where|"
    r"at the end|for all else|for another|and poison|or a number)\b|"
    r"\b(?:poison(?:,| and| or)|ILEX_E_ARGUMENT for|deleter, unless) NULL\b|"
    r"\b(?:must|may) not be NULL\b|\bmay be NULL if size is 0|"
    r"[(,] ?NULL\)|\(NULL, |, NULL, |current_work_stream: NULL", re.I)
SOME = re.compile(r"NULL for (?:a bound|one that|all\b)")  # items of lists
IGNORED = re.compile(r"NULL(?: is|,[^.]* are) ignored|NULL passes through")
REFERS = re.compile(r"(?:\b[Aa]s (?:for |in |of )?|^)(ilex_\w+)|"
                    r"\b(ilex_\w+)\(\) without")
OBJECTS = {"context", "array", "storage", "program", "module", "prepared",
           "given"}


def about(name):
    """Words that say that the parameter of this name may be NULL."""
    it = rf"[`\"*]*\b{name}\b[`\"]?(?:\[[^\]]*\])?(?:\([^)]*\))?"
    more = r"(?:(?:,| and|,? or) [`\"*]*\w+[`\"]?)*"
    return re.compile(
        rf"{it}{more},? \(?(?:which |each of which )?may be NULL\b(?! if)|"
        rf"{it}(?: or [`\"]?\w+[`\"]?)?,? (?:or )?NULL\b|"
        rf"{it} \(or NULL\)|{it}; NULL\b|"
        rf"{it}(?: of \w+)? \((?:[^()]*[;,] )?(?:or )?NULL\b|"
        rf"NULL for (?:the |all )?{name}s?\b")


def is_pointer(p, callbacks):
    return "*" in p["type"] or "[" in p["type"] or p["type"] in callbacks


class Nulls:
    def __init__(self, headers, attributes, given_back):
        self.headers, self.attributes = headers, attributes
        self.given_back = given_back
        # Names of pointers, and of members of structs that they point to, of
        # all functions with one comment.
        self.sharing = {}
        for name, f in headers.functions.items():
            key = (f["header"], headers.comments[name])
            for p in self.pointers(f):
                plain = p["type"].removeprefix("const ").split(" *")[0]
                members = headers.structs.get(plain, {}).get("fields", [])
                self.sharing.setdefault(key, set()).update(
                    [p["name"]], (m["name"] for m in members))

    def pointers(self, function):
        return [p for p in function["parameters"]
                if is_pointer(p, self.headers.callbacks)]

    def describe(self, name):
        f = self.headers.functions[name]
        if f["header"] != "kinds.h":  # whose comments are of rows
            self.check(name, f)
        for p in self.pointers(f):
            p["nullable"] = self.may(name, p, set())
            if p["role"] == "list" and p["type"].count("*") == 2 and \
                    SOME.search(self.headers.comments[name] +
                                self.headers.sections[name]):
                p["null_items"] = True

    def may(self, name, p, seen):
        f = self.headers.functions[name]
        comment = NOT_PARAMETERS.sub("", self.headers.comments[name])
        row = self.attributes.get(name, {}) if f["header"] == "kinds.h" else {}
        if p["role"] == "user" or row.get(p["name"], "").startswith("MAY_"):
            return True
        if row and p["role"] == "operand":
            return False
        if about(p["name"]).search(comment):
            return True
        if p["role"] in OBJECTS and p is self.first(f) and (
                name in self.given_back or
                p["role"] != "context" and IGNORED.search(comment)):
            return True
        head = self.headers.heads[f["header"]]
        if p["role"] in ("context", "struct") and \
                f'"{p["name"]}" must not be NULL' not in \
                self.headers.comments[name] and about(p["name"]).search(head):
            return True
        return self.inherited(name, p, seen | {name})

    def first(self, f):
        """What a function is about: the context only where it is all."""
        pointers = self.pointers(f)
        others = [p for p in pointers if p["role"] != "context"]
        return (others or pointers)[0]

    def inherited(self, name, p, seen):
        comment = self.headers.comments[name]
        others = [a or b for a, b in REFERS.findall(comment)]
        if comment.startswith("The same"):
            others.append(self.headers.before(name))
        return any(self.may(other, q, seen)
                   for other in others
                   if other in self.headers.functions and other not in seen
                   for q in self.headers.functions[other]["parameters"]
                   if (q["name"], q["role"]) == (p["name"], p["role"]))

    def check(self, name, f):
        comment = self.headers.comments[name]
        rest = IGNORED.sub("", SOME.sub("", comment))
        for pointer in self.sharing.get((f["header"], comment), ()):
            rest = about(pointer).sub("", rest)
        rest = NOT_PARAMETERS.sub("", rest)
        at = rest.find("NULL")
        if at >= 0:
            raise Refused(
                f"{name}: its comment says NULL, of which parameter? "
                f"\"...{rest[max(0, at - 40):at + 40]}...\"; write for example "
                "`name` may be NULL")
