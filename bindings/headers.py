# SPDX-License-Identifier: MIT
"""The public headers as data: declarations, with the comments above them.
"""

import os
import re
import subprocess

from tables import Refused

# Who owns what is returned, by type: the owner, what gives it back.
OWNERS = {
    "ilex_array *": ("scope", "ilex_drop"),
    "ilex_storage *": ("caller", "ilex_storage_release"),
    "ilex_program *": ("caller", "ilex_program_release"),
    "ilex_prepared *": ("caller", "ilex_prepared_release"),
    "ilex_group *": ("caller", "ilex_group_release"),
    "ilex_grid *": ("caller", "ilex_grid_release"),
    "ilex_module *": ("caller", "ilex_module_free"),
    "ilex_context *": ("caller", "ilex_context_free"),
    "ilex_array_struct *": ("caller", "ilex_array_struct_free"),
    "struct DLManagedTensor *": ("caller", "its deleter"),
    "struct DLManagedTensorVersioned *": ("caller", "its deleter"),
    "char *": ("caller", "ilex_text_free"),
    "void *": ("borrowed", None),
}
EXCEPTIONS = {
    "ilex_array_operand": ("borrowed", None),
    "ilex_keep": ("caller", "ilex_drop"),
    "ilex_storage_temporary": ("storage scope", "ilex_storage_scope_end"),
    "ilex_grid_group": ("borrowed", None),
    "ilex_storage_grid": ("borrowed", None),
}

# What can be called in place of a function with "..." or of one that returns a
# struct.
FORMS = {
    "ilex_expr": "ilex_expr_n",
    "ilex_map": "ilex_map_n",
    "ilex_eval": "ilex_eval_with",
    "ilex_error_query": "ilex_error_get",
    "ilex_program_argument": "ilex_program_argument_get",
    "ilex_storage_transfers": "ilex_storage_transfers_get",
}

# Structs with a `size` that Ilex fills, not the caller.
FILLED = {"ilex_function_call"}

BYTES = {"char": 1, "int8_t": 1, "uint8_t": 1, "int": 4, "unsigned": 4,
         "int32_t": 4, "uint32_t": 4, "float": 4, "double": 8, "size_t": 8,
         "int64_t": 8, "uint64_t": 8, "intptr_t": 8}

LIVES = re.compile(r"\b((?:lives? as long as|lives? until|valid until) "
                   r"[^.;,:()]+)", re.I)


# ---- text to tokens ----

# Comments that stand for what tokens do not have: an empty line, a new file.
EMPTY, FILE = "//_", "//@"


def preprocessed(include):
    """The headers' own lines after macros, with comments, but for those of
    tables, which headers include between their own."""
    command = os.environ.get("CC", "cc").split() + [
        "-E", "-C", "-x", "c", "-I" + include, os.path.join(include, "ilex.h")]
    text = subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout
    parts, ours, last = [], False, None
    for part in re.split(r"^(# \d+ .*)$", text, flags=re.M):
        marker = re.match(r'# \d+ "([^"]*)"', part)
        if marker:
            name = os.path.abspath(marker[1])
            ours = name.startswith(include + os.sep)
        elif ours and name.endswith(".def"):
            rows = re.sub(r"/\*.*?\*/", "", part, flags=re.S)
            parts.append(re.sub(r"^\s*\n", "", rows, flags=re.M))
        elif ours:
            parts.append(f"\n{FILE}{os.path.basename(name)}\n"
                         if name != last else "\n")
            last = name
            parts.append(part[1:])  # what is left of the marker's line
    return "".join(parts)


TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|[A-Za-z_]\w*|\d\w*|\.\.\.|"
                   r'"(?:[^"\\]|\\.)*"|[^\sA-Za-z_0-9]', re.S)


def tokens(text):
    text = re.sub(r"\n[ \t]*(?=\n)", f"\n{EMPTY}", text)
    found = TOKEN.findall(text)
    result, i = [], 0
    while i < len(found):
        if found[i] == "__attribute__":
            i = closing(found, i + 1) + 1
        else:
            result.append(found[i])
            i += 1
    return result


def closing(words, i):
    """Where the bracket at i closes."""
    depth = 0
    for k in range(i, len(words)):
        depth += words[k] in ("(", "[", "{")
        depth -= words[k] in (")", "]", "}")
        if depth == 0:
            return k
    raise Refused("a bracket does not close")


def is_comment(word):
    return word.startswith(("/*", "//"))


def join(words):
    """Tokens as clang-format spaces them."""
    text = ""
    for i, w in enumerate(words):
        call = w == "(" and words[i + 1:i + 2] != ["*"]
        touches = w in (",", ")", "]", "[") or text[-1:] in "([*" or call
        text += w if not text or touches else " " + w
    return re.sub(r"\)\(", ")(", text)


# ---- tokens to declarations ----

def split(words, by):
    """Parts between the separators outside of brackets."""
    parts, depth = [[]], 0
    for w in words:
        depth += w in ("(", "[", "{")
        depth -= w in (")", "]", "}")
        if w == by and depth == 0:
            parts.append([])
        else:
            parts[-1].append(w)
    return [p for p in parts if p]


NOT_NAMES = set(BYTES) | {"const", "void", "struct", "enum"}


def declared(words):
    """The name that a declarator gives and its tokens without it."""
    if "(" in words and words[words.index("(") + 1] == "*":
        at = words.index("(") + 2  # void (*release)(...)
    else:
        ends = [i for i, w in enumerate(words) if w == "["]
        at = (ends[0] if ends else len(words)) - 1
    if at == 0 or not re.match(r"[A-Za-z_]", words[at]) or \
            words[at] in NOT_NAMES or at == len(words):
        return "", words
    return words[at], words[:at] + words[at + 1:]


def without_names(words):
    """A type, with the names of what its functions take left out."""
    if "(" not in words:
        return join(words)
    at = words.index("(")
    inner = words.index("(", at + 1)
    taken = [without_names(declared(p)[1])
             for p in split(words[inner + 1:closing(words, inner)], ",")]
    head = join(words[:at])
    return head + ("" if head.endswith("*") else " ") + "(*)(" + \
        ", ".join(taken) + ")"


def parameters(words):
    result = []
    for part in split(words, ","):
        name, kind = declared(part)
        if part not in (["void"], ["..."]):
            result.append({"name": name, "type": without_names(kind)})
    return result


def prose(comment):
    """Without the title of a section."""
    return comment.strip("- ").partition(" ---- ")[2] \
        if comment.startswith("----") else comment


def paragraph(comment):
    text = " ".join(re.sub(r"^\s*\*", "", line)
                    for line in comment[2:-2].split("\n"))
    return " ".join(text.split())


class Headers:
    def __init__(self, text, defines):
        self.constants = dict(defines)
        self.enums, self.structs, self.callbacks = {}, {}, {}
        self.functions, self.opaque = {}, []
        self.heads, self.sections, self.comments = {}, {}, {}
        self.header = self.comment = self.section = ""
        self.used, self.past = False, []  # of this header: all comments
        self.lines = []  # of ffi.h
        words = tokens(text)
        i = 0
        while i < len(words):
            i = self.item(words, i)
        self.opaque = [o for o in self.opaque if o not in self.structs]

    def item(self, words, i):
        if is_comment(words[i]):
            self.read_comment(words[i])
            return i + 1
        end = i
        while words[end] != ";":
            if words[end] in "({[":
                end = closing(words, end)
                if words[i] == "static" and words[end] == "}":
                    break
            end += 1
        found = [w for w in words[i:end] if not is_comment(w)]
        if found and found[0] != "static":
            self.declaration(found)
        return end + 1

    def read_comment(self, word):
        if word == EMPTY:
            if self.used:
                self.comment = ""
        elif word.startswith(FILE):
            self.header, self.past = word.removeprefix(FILE), []
            self.section = self.comment = ""
        else:
            self.take_comment(paragraph(word))

    def take_comment(self, text):
        if text.startswith("SPDX"):
            self.heads[self.header] = text
        elif text.startswith("----"):
            self.section, self.comment = text, ""
        else:
            self.comment, self.used = text, False
        self.past.append(text)

    def described(self, name):
        """The comment above, the last one that names it, or the section's."""
        if self.comment:
            return self.comment
        named = [c for c in self.past if re.search(rf"\b{name}\b", c)]
        return prose(named[-1]) if named else prose(self.section)

    def declaration(self, w):
        self.used = True
        if w[0] == "typedef" and w[1] in ("struct", "enum") and "{" in w:
            body = w[w.index("{") + 1:closing(w, w.index("{"))]
            {"struct": self.struct, "enum": self.enum}[w[1]](w[-1], body)
        elif w[:2] == ["typedef", "struct"]:
            self.opaque.append(w[-1])
            self.lines.append(join(w) + ";")
        elif w[0] == "typedef":
            name, kind = declared(w[1:])
            self.callbacks[name] = without_names(kind)
            self.lines.append(join(w) + ";")
        elif w[0] == "enum":
            self.enum("", w[2:-1])
        elif w[0] == "struct" and len(w) == 2:
            self.lines.append(join(w) + ";")
        else:
            self.function(w)

    def enum(self, name, body):
        values, at = {}, 0
        for part in split(body, ","):
            if len(part) > 2:
                at = int("".join(part[2:]), 0)
            values[part[0]] = at
            at += 1
        if name:
            self.enums[name] = values
        else:
            self.constants.update(values)
        members = ",\n".join(f"    {k} = {v}" for k, v in values.items())
        self.lines.append(f"typedef enum {name} {{\n{members}\n}} {name};"
                          if name else f"enum {{\n{members}\n}};")

    def struct(self, name, body):
        fields, offset, alignment = [], 0, 1
        for member in split(body, ";"):
            for field in self.members(member):
                size, align, count = self.layout(field["type"])
                offset = -(-offset // align) * align
                fields.append(field | {"offset": offset, "size": size * count}
                              | ({"count": count} if "[" in field["type"]
                                 else {}))
                offset += size * count
                alignment = max(alignment, align)
        size = -(-offset // alignment) * alignment
        self.structs[name] = {"size": size, "align": alignment,
                              "fields": fields}
        members = "\n".join("    " + join(self.numbered(m)) + ";"
                            for m in split(body, ";"))
        self.lines.append(f"typedef struct {name} {{\n{members}\n}} {name};")

    def members(self, member):
        """int64_t shape[16], stride[16];"""
        parts = split(self.numbered(member), ",")
        name, kind = declared(parts[0])
        base = parts[0][:1 + (parts[0][0] in ("const", "struct"))]
        yield {"name": name, "type": without_names(kind)}
        for part in parts[1:]:
            name, kind = declared(base + part)
            yield {"name": name, "type": without_names(kind)}

    def numbered(self, words):
        return [str(self.constants.get(w, w)) for w in words]

    def layout(self, kind):
        """Bytes, alignment and number of elements of a type."""
        count = 1
        for n in re.findall(r"\[(\d+)\]", kind):
            count *= int(n)
        kind = re.sub(r"\[\d+\]", "", kind).strip()
        if "*" in kind or kind in self.callbacks:
            return 8, 8, count
        kind = kind.removeprefix("const ")
        if kind in self.structs:
            s = self.structs[kind]
            return s["size"], s["align"], count
        size = 4 if kind in self.enums else BYTES[kind]
        return size, size, count

    # ---- functions ----

    def function(self, w):
        at = w.index("(")
        name, end = w[at - 1], closing(w, at)
        returns = join(w[:at - 1])
        inner = w[at + 1:end]
        self.comments[name] = self.described(name)
        self.sections[name] = self.section
        self.functions[name] = {
            "header": self.header,
            "returns": returns, "parameters": parameters(inner),
            **({"variadic": True} if "..." in inner else {}),
            **self.owner(name, returns), **self.form(name, returns, inner)}
        self.lines.append(join(self.numbered(w)) + ";")

    def before(self, name):
        names = list(self.functions)
        return names[names.index(name) - 1]

    def owner(self, name, returns):
        if "*" not in returns:
            return {}
        owner, back = EXCEPTIONS.get(name) or OWNERS.get(returns) or (
            ("borrowed", None) if returns.startswith("const ")
            else (None, None))
        if not owner:
            raise Refused(f"{name}: who owns the {returns} that it returns? "
                          "Add the type to OWNERS of bindings/headers.py")
        result = {"owner": owner} | ({"given_back_by": back} if back else {})
        lives = LIVES.search(self.comments[name]) or \
            LIVES.search(self.section) or \
            LIVES.search(self.heads.get(self.header, ""))
        if owner == "borrowed" and lives:
            result["lives"] = lives[1]
        if returns == "const char *" and not lives:
            raise Refused(f"{name}: its comment does not say how long the text "
                          'lives, for example "lives as long as the program"')
        return result

    def form(self, name, returns, inner):
        by_value = returns in self.structs
        if not by_value and "..." not in inner:
            return {}
        if name not in FORMS:
            raise Refused(f"{name}: " + (
                f"returns the struct {returns}" if by_value else
                'takes "..."') + ", which other languages cannot call: add "
                "a function without and name it in FORMS of bindings/headers.py")
        return {"form": FORMS[name]}
