# SPDX-License-Identifier: MIT
"""The C API for other languages, read off the public headers.

    python3 bindings/api.py ffi  >bindings/ffi.h
    python3 bindings/api.py json >bindings/ilex-api.json

ffi.h holds the declarations alone, for small parsers of C. ilex-api.json holds
the same as data, with offsets and sizes (LP64), who owns what is returned and
how long texts live. A header that does not say that, a struct with a `size` and
no macro that sets it, a struct returned by value and a function with "..." that
nothing can replace are errors.

    --include DIRECTORY   the headers (those beside this script)
    CC                    a compiler whose -E -C keeps comments (cc)

`make` writes both into the build tree.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(HERE), "include")

# Who owns what is returned, by type: the owner, what gives it back.
OWNERS = {
    "ilex_array *": ("scope", "ilex_drop"),
    "ilex_storage *": ("caller", "ilex_storage_release"),
    "ilex_program *": ("caller", "ilex_program_release"),
    "ilex_prepared *": ("caller", "ilex_prepared_release"),
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


class Refused(Exception):
    """What the headers lack."""


# ---- text to tokens ----

def preprocessed(include):
    """The headers' own lines after macros, with comments."""
    command = os.environ.get("CC", "cc").split() + [
        "-E", "-C", "-x", "c", "-I" + include, os.path.join(include, "ilex.h")]
    text = subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout
    lines, ours = [], False
    for line in text.split("\n"):
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = os.path.abspath(marker[1]).startswith(include + os.sep)
        elif ours:
            lines.append(line)
    return "\n".join(lines)


TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|[A-Za-z_]\w*|\d\w*|\.\.\.|"
                   r'"(?:[^"\\]|\\.)*"|[^\sA-Za-z_0-9]', re.S)


def tokens(text):
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


class Headers:
    def __init__(self, text, defines):
        self.constants = dict(defines)
        self.enums, self.structs, self.callbacks = {}, {}, {}
        self.functions, self.opaque = {}, []
        self.comment = self.section = ""
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
        text = " ".join(re.sub(r"^\s*\*", "", line)
                        for line in word[2:-2].split("\n"))
        text = " ".join(text.split())
        if text.startswith("----"):
            self.section, self.comment = text, ""
        else:
            self.comment = text

    def declaration(self, w):
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
        self.functions[name] = {
            "returns": returns, "parameters": parameters(inner),
            **({"variadic": True} if "..." in inner else {}),
            **self.owner(name, returns), **self.form(name, returns, inner)}
        self.lines.append(join(self.numbered(w)) + ";")

    def owner(self, name, returns):
        if "*" not in returns:
            return {}
        owner, back = EXCEPTIONS.get(name) or OWNERS.get(returns) or (
            ("borrowed", None) if returns.startswith("const ")
            else (None, None))
        if not owner:
            raise Refused(f"{name}: who owns the {returns} that it returns? "
                          "Add the type to OWNERS of bindings/api.py")
        result = {"owner": owner} | ({"given_back_by": back} if back else {})
        lives = LIVES.search(self.comment) or LIVES.search(self.section)
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
                "a function without and name it in FORMS of bindings/api.py")
        return {"form": FORMS[name]}


def own_text(include):
    """All headers as they are written."""
    folder = os.path.join(include, "ilex")
    text = ""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".h") and name != "dlpack.h":
            with open(os.path.join(folder, name)) as f:
                text += f.read()
    return text


def check(headers, text):
    """What no single declaration shows."""
    for name, f in headers.functions.items():
        form = f.get("form", name)
        if form not in headers.functions:
            raise Refused(f"{name}: {form}, its form for other languages, is "
                          "not there")
    for name in [*FORMS, *EXCEPTIONS]:
        if name not in headers.functions:
            raise Refused(f"bindings/api.py names {name}, which is not there")
    for name, s in headers.structs.items():
        sized = s["fields"][0]["name"] == "size" and name not in FILLED
        if sized and f"#define {name.upper()}(...)" not in text:
            raise Refused(f"{name} has a size: there must be a macro "
                          f"{name.upper()}(...) that sets it")


def read(include):
    text = own_text(include)
    defines = {k: int(v, 0) for k, v in
               re.findall(r"^#define (ILEX_\w+) (\d\w*)$", text, re.M)}
    headers = Headers(preprocessed(include), defines)
    check(headers, text)
    return headers, defines


HEAD = """\
/* SPDX-License-Identifier: MIT
 *
 * All declarations of Ilex in one file without macros, for parsers of C such as
 * that of cffi: generated by bindings/api.py. What they mean is in the other
 * headers; programs in C include those. A compiler of C wants <stddef.h> and
 * <stdint.h> before it.
 */
"""


def print_ffi(headers, defines):
    print(HEAD, end="")
    members = ",\n".join(f"    {k} = {v}" for k, v in defines.items())
    print(f"enum {{\n{members}\n}};")
    print("\n".join(headers.lines))


def print_json(headers):
    """A line for each thing, so that a change is a small one."""
    groups = {"constants": headers.constants, "enums": headers.enums,
              "structs": headers.structs, "callbacks": headers.callbacks,
              "functions": headers.functions}
    print('{"about": "the C API of Ilex: generated by bindings/api.py; offsets '
          'and sizes in bytes, LP64",')
    print('"opaque": ' + json.dumps(headers.opaque) + ",")
    print(",\n".join(
        f'"{group}": {{\n' + ",\n".join(
            f" {json.dumps(name)}: {json.dumps(thing)}"
            for name, thing in things.items()) + "}"
        for group, things in groups.items()) + "}")


def main(arguments):
    include = INCLUDE
    if "--include" in arguments:
        at = arguments.index("--include")
        include = os.path.abspath(arguments[at + 1])
        arguments = arguments[:at] + arguments[at + 2:]
    if arguments not in (["ffi"], ["json"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        headers, defines = read(include)
    except Refused as why:
        print(f"{include}: {why}", file=sys.stderr)
        return 1
    if arguments == ["ffi"]:
        print_ffi(headers, defines)
    else:
        print_json(headers)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
