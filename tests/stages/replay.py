# SPDX-License-Identifier: MIT
"""Compares the source that two builds of Ilex make of the same programs.

    replay.sh OLD_ILEXC NEW_ILEXC [--diff] [--random N] [--seed N]
              [--dialects tcc,cc,cuda] [FILE or FOLDER ...]

Without files: the programs beside this script, those of examples/, and 200
random ones of tests/numpy (which needs NumPy). Two sources are the same if
they are after comments, types and helper functions are dropped, independent
statements of a block are sorted, and local variables are renamed in order of
appearance. Prints which programs differ; --diff how. Exit status 1 if any do.

The source for tcc is taken from the shared library beside each ilexc, if both
have one: early builds of ilexc print that of cc whatever --jit says."""

import argparse
import ctypes as c
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

NAME = re.compile(r"[A-Za-z_]\w*")
# Names that say what they are: buffers, sizes, strides, kernels.
FIXED = re.compile(r"(b|n|s|k)\d+(_\w+)?$")
DECLARED = re.compile(r"^(?:(?:const|static|volatile|unsigned|struct) )*"
                      r"\w+(?: const)?(?: \*(?: ?const)? ?| )"
                      r"(\w+)(\[[^=]*\])?(?: = |$)")
NO_TYPE = {"return", "if", "else", "for", "while", "do", "goto", "break",
           "continue", "switch", "case"}


# ---- statements ---------------------------------------------------------------

def statements(text):
    """Nested lists of statements: a block is (head, [inner])."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    text = text.replace("\\\n", " ")
    stack, word, depth = [[]], "", 0
    for line in text.split("\n"):
        if line.lstrip().startswith("#"):
            stack[-1].append(" ".join(line.split()))
            continue
        for ch in line + " ":
            depth += (ch == "(") - (ch == ")")
            if depth == 0 and ch in ";{}":
                head = " ".join(word.split())
                word = ""
                if ch == "{":
                    stack[-1].append((head, []))
                    stack.append(stack[-1][-1][1])
                    continue
                if head:
                    stack[-1].append(head)
                if ch == "}" and len(stack) > 1:
                    stack.pop()
            else:
                word += ch
    return stack[0]


def declared(statement):
    """The variable that a statement declares, or None."""
    m = DECLARED.match(statement)
    if not m or NAME.match(statement).group() in NO_TYPE:
        return None
    return m.group(1)


class Block:
    """What sorting needs to know of one statement."""

    def __init__(self, text):
        self.text = text
        self.define = declared(text)
        self.use = set(NAME.findall(text)) - {self.define}
        self.barrier = text.startswith(("#", "return", "goto", "break",
                                        "continue"))
        self.write = set()
        if self.define is None:
            m = re.match(r"\*?(\w+)(\[.*?\])* ?(\+\+|--|[-+*/|&^]?= )", text)
            if m:
                self.write = {m.group(1)}
            else:  # a call, or something else with effects
                self.barrier = True
        # Calls through a pointer may write what they are given.
        self.write |= set(re.findall(r"&(\w+)", text))

    def before(self, other):
        """Must this one, which is earlier, stay before the other one?"""
        if self.barrier or other.barrier:
            return True
        touched = other.use | other.write | {other.define}
        mine = self.use | self.write | {self.define}
        return bool(({self.define} | self.write) & touched - {None} or
                    ({other.define} | other.write) & mine - {None})


# ---- normal form ----------------------------------------------------------------

def value_text(statement, own, values):
    """The statement with local names replaced by what defines them."""
    return NAME.sub(lambda m: "@" if m.group() == own else
                    values.get(m.group(), m.group()), statement)


def shorten(text):
    """A short name for a value, the same in both builds."""
    h = 0
    for ch in text:
        h = (h * 1000003 + ord(ch)) % (1 << 61)
    return "<%x>" % h


def sort_run(run, values):
    """Orders a run of plain statements by dependence, then by value."""
    blocks = [Block(s) for s in run]
    for b in blocks:  # in order: operands first
        text = value_text(b.text, b.define, values)
        b.key = text
        if b.define and not FIXED.match(b.define):
            values[b.define] = shorten(text)
    wait = [{j for j in range(i) if blocks[j].before(b)}
            for i, b in enumerate(blocks)]
    done, out = set(), []
    while len(out) < len(blocks):
        ready = [i for i in range(len(blocks))
                 if i not in done and wait[i] <= done]
        best = min(ready, key=lambda i: (blocks[i].key, i))
        done.add(best)
        out.append(blocks[best].text)
    return out


def normal_block(items, values, depth, out):
    run = []

    def flush():
        out.extend("    " * depth + s for s in sort_run(run, values))
        run.clear()
    for item in items:
        if isinstance(item, str):
            run.append(item)
            continue
        flush()
        head, inner = item
        scope = dict(values)
        m = re.match(r"for \((.*?);", head)
        loop = declared(m.group(1)) if m else None
        if loop and not FIXED.match(loop):
            scope[loop] = shorten("for %d %s" % (
                depth, value_text(m.group(1), loop, values)))
        out.append("    " * depth + head + " {")
        normal_block(inner, scope, depth + 1, out)
        out.append("    " * depth + "}")
    flush()


def renamed(lines):
    """Local variables as v0, v1, ... in order of appearance; a name that two
    blocks declare is two variables."""
    scopes, count, out = [], 0, []
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 4
        text = line.strip()
        del scopes[depth + 1:]
        while len(scopes) <= depth + 1:
            scopes.append({})
        m = re.match(r"for \((.*?);", text)
        own = declared(m.group(1)) if m else \
            None if text.endswith("{") else declared(text)
        if own and not FIXED.match(own):
            scopes[depth + 1 if m else depth][own] = "v%d" % count
            count += 1

        def name(m):
            for scope in reversed(scopes):
                if m.group() in scope:
                    return scope[m.group()]
            return m.group()
        out.append(NAME.sub(name, line))
    return out


def normal(text):
    """The kernels of a source in normal form, a list of lines."""
    out = []
    for item in statements(text):
        if isinstance(item, str) or not re.search(r"\bk\d+\w* ?\(", item[0]):
            continue  # a type, a prototype, a helper function
        lines = [item[0] + " {"]
        normal_block(item[1], {}, 1, lines)
        out += renamed(lines + ["}"])
    if not out and not text.startswith("error: "):
        sys.exit("no kernel was found in a source: this script is out of date")
    return out


# ---- sources of a build ------------------------------------------------------------

def library_of(ilexc):
    path = os.path.join(os.path.dirname(os.path.abspath(ilexc)), ".libs",
                        "libilex.so")
    return path if os.path.exists(path) else None


def worker(path):
    """In a process of its own: tcc's sources of the files on stdin."""
    lib = c.CDLL(path)
    for result, name, *args in [
            (c.c_void_p, "ilex_context_new", c.c_void_p),
            (None, "ilex_context_free", c.c_void_p),
            (c.c_int, "ilex_option_set", c.c_void_p, c.c_char_p, c.c_char_p),
            (c.c_void_p, "ilex_module_parse", c.c_void_p, c.c_char_p,
             c.c_char_p),
            (None, "ilex_module_free", c.c_void_p),
            (c.c_void_p, "ilex_compile_module", c.c_void_p),
            (None, "ilex_program_release", c.c_void_p),
            (c.c_char_p, "ilex_error_text", c.c_void_p),
            (c.c_char_p, "ilex_program_source", c.c_void_p, c.c_size_t)]:
        f = getattr(lib, name)
        f.restype, f.argtypes = result, args
    sources = {}
    for file in json.load(sys.stdin):
        ctx = lib.ilex_context_new(None)
        lib.ilex_option_set(ctx, b"jit", b"tcc")
        with open(file, "rb") as f:
            module = lib.ilex_module_parse(ctx, f.read(), file.encode())
        program = lib.ilex_compile_module(module) if module else None
        units = []
        while program:
            unit = lib.ilex_program_source(program, len(units))
            if unit is None:
                break
            units.append(unit.decode())
        sources[file] = "\n".join(units) if program else \
            "error: " + lib.ilex_error_text(ctx).decode()
        if program:
            lib.ilex_program_release(program)
        if module:
            lib.ilex_module_free(module)
        lib.ilex_context_free(ctx)
    json.dump(sources, sys.stdout)


def tcc_sources(library, files):
    r = subprocess.run([sys.executable, os.path.abspath(__file__), "--worker",
                        library], input=json.dumps(files),
                       capture_output=True, text=True)
    if r.returncode:
        sys.exit("%s: %s" % (library, r.stderr or r.returncode))
    return json.loads(r.stdout)


def emitted(ilexc, dialect, file):
    how = ["--cuda"] if dialect == "cuda" else ["--jit=" + dialect]
    r = subprocess.run([ilexc, "emit"] + how + [file], capture_output=True,
                       text=True)
    return r.stdout if r.returncode == 0 else "error: " + r.stderr


# ---- programs ------------------------------------------------------------------------

def random_files(folder, seed, count):
    sys.path.insert(0, os.path.join(TOP, "tests", "numpy"))
    sys.dont_write_bytecode = True
    try:
        from draw import Drawer
    except ImportError as e:
        print("no random programs: %s" % e)
        return []
    files = []
    for number in range(count):
        path = os.path.join(folder, "random_%d_%d.ilx" % (seed, number))
        with open(path, "w") as f:
            f.write(Drawer(seed, number).program().text())
        files.append(path)
    return files


def files_of(paths):
    files = []
    for path in paths:
        files += sorted(glob.glob(os.path.join(path, "*.ilx"))) \
            if os.path.isdir(path) else [path]
    return files


def changes(a, b):
    """A diff of two normal forms in which a variable more does not make every
    line after it differ: lines are matched without the numbers of variables,
    unless these are the only difference."""
    bare = [[re.sub(r"\bv\d+\b", "v", s) for s in x] for x in (a, b)]
    if bare[0] == bare[1]:
        return list(difflib.unified_diff(a, b, "old", "new", lineterm=""))[2:]
    out = []
    matcher = difflib.SequenceMatcher(None, *bare, autojunk=False)
    for group in matcher.get_grouped_opcodes(3):
        out.append("@@ -%d +%d @@" % (group[0][1] + 1, group[0][3] + 1))
        for tag, i, k, j, n in group:
            if tag == "equal":
                out += [" " + s for s in b[j:n]]
                continue
            out += ["-" + s for s in a[i:k]] + ["+" + s for s in b[j:n]]
    return out


def compare(o, files):
    tcc = {}
    libraries = [library_of(o.old), library_of(o.new)]
    if "tcc" in o.dialects and all(libraries):
        tcc = [tcc_sources(lib, files) for lib in libraries]
    elif "tcc" in o.dialects:
        print("tcc: a build has no shared library; taken from `ilexc emit`")
    differ, compared, refused = [], 0, 0
    for file in files:
        for dialect in o.dialects:
            old, new = [t[file] for t in tcc] if dialect == "tcc" and tcc \
                else [emitted(x, dialect, file) for x in (o.old, o.new)]
            failed = [s.startswith("error: ") for s in (old, new)]
            if all(failed):
                refused += 1
                continue
            compared += 1
            a, b = normal(old), normal(new)
            if any(failed):
                a, b = ([s] if f else t for s, t, f in
                        zip((old, new), (a, b), failed))
            if a == b:
                continue
            lines = changes(a, b)
            differ.append((file, dialect))
            print("%s, %s: %d lines removed, %d added%s" % (
                os.path.basename(file), dialect,
                sum(s.startswith("-") for s in lines),
                sum(s.startswith("+") for s in lines),
                ", refused by %s" % ("old" if failed[0] else "new")
                if any(failed) else ""))
            if o.diff:
                print("\n".join("    " + s for s in lines))
    print("%d sources of %d programs compared, %d differ, %d refused by both"
          % (compared, len(files), len(differ), refused))
    return 1 if differ else 0


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--random", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dialects", default="tcc,cc,cuda")
    o = parser.parse_intermixed_args()
    o.dialects = o.dialects.split(",")
    paths = o.paths or [HERE, os.path.join(TOP, "examples")]
    count = o.random if o.random is not None else 0 if o.paths else 200
    for name in [n for n in os.environ if n.startswith("ILEX_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="ilex-replay.") as folder:
        files = [os.path.abspath(f) for f in files_of(paths)]
        return compare(o, files + random_files(folder, o.seed, count))


if __name__ == "__main__":
    sys.exit(main())
