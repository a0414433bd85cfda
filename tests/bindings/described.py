# SPDX-License-Identifier: MIT
"""Checks what ilex-api.json says of functions beyond their types: every word is
of a closed list, what is counted names its count, and some facts.

    python3 described.py ilex-api.json
"""

import json
import re
import sys

with open(sys.argv[1]) as f:
    api = json.load(f)
functions = api["functions"]

ROLES = set("""context operand operands array storage program module prepared
group grid domain count number dtype enum text list struct out data callback user foreign
given""".split())
GROUPS = set("""elementwise reduction structure creation graph domain module group
program query storage exchange memory eager library function error
context""".split())
KINDS = set("value type index memory unsupported os cancelled internal".split())
LENGTH = re.compile(r"(?:2\*)?(?:ranks?|outputs|results|ends)\((?:argument )?(\w+)\)")


def check(holds, *what):
    assert holds, " ".join(map(str, what))


def parameter(function, p):
    where = f"{function}: {p['name']}:"
    others = {q["name"]: q for q in functions[function]["parameters"]}
    check(p["role"] in ROLES, where, p["role"])
    check(p.get("grammar", "axis") in api["grammars"], where, p.get("grammar"))
    check(("grammar" in p) == (p["role"] == "text" or
                               "const char *const *" == p["type"]), where)
    check(("nullable" in p) == ("*" in p["type"] or "[" in p["type"] or
                                p["type"] in api["callbacks"]), where)
    for counted in p.get("count"), p.get("length"):
        if isinstance(counted, str):
            found = LENGTH.fullmatch(counted)
            check(found and found[1] in others or
                  others.get(counted, {}).get("role") == "count",
                  where, counted)
    check(p.get("user", p["name"]) in others, where, p.get("user"))


for name, f in functions.items():
    check(len(f["doc"]) > 5 and not f["doc"].startswith("----"), name, f["doc"])
    check(f["group"] in GROUPS, name, f["group"])
    check(f["thread"] in ("any", "context"), name)
    check(f.get("dtypes", "same") in api["dtype_rules"], name)
    check(f["header"].endswith(".h"), name)
    for p in f["parameters"]:
        parameter(name, p)
check({f["group"] for f in functions.values()} == GROUPS, "groups are unused")
used = {p.get("grammar") for f in functions.values() for p in f["parameters"]}
check(set(api["grammars"]) == used - {None}, "grammars are unused")
for name, error in api["errors"].items():
    check(error["kind"] in KINDS, name)
    check(api["enums"]["ilex_status"][name] == error["number"], name)
check(len(api["errors"]) == len(api["enums"]["ilex_status"]) - 1, "errors")
for name, dtype in api["dtypes"].items():
    check(api["enums"]["ilex_dtype"][name] == dtype["value"], name)


# ---- facts ----

def fact(path, wanted):
    thing = api
    for word in path.split():
        thing = next(p for p in thing if p["name"] == word) \
            if isinstance(thing, list) else thing[word]
    check(thing == wanted, path, thing)


def of(function, words, wanted):
    fact(f"functions ilex_{function} {words}", wanted)


fact("structs ilex_storage_traits defaults", {"version": 1})
fact("structs ilex_storage_spec defaults", {})
fact("dtypes ILEX_C64 part", "ILEX_F32")
check("sized" not in api["structs"]["ilex_function_call"], "filled by Ilex")
of("add", "dtypes", "same")
of("arctan2", "standard", "atan2")
of("arctan2", "arity", 2)
of("cumsum", "dtypes", "wide")
of("cumsum", "standard", "cumulative_sum")
of("argmax", "dtypes", "index")
of("concat", "arity", "any")
of("fmod", "standard", None)
of("bits", "numpy", None)
of("storage_sum", "group", "eager")
of("storage_sum", "parameters axes nullable", True)
of("sum", "group", "reduction")
of("zeros", "group", "creation")
of("concat", "parameters operands count", "count")
of("expr_n", "parameters names length", "count")
of("foreign", "parameters result length", "result_count")
of("program_solve", "parameters sizes length", "size_count")
of("storage_zeros", "parameters shape length", "rank")
of("array_domain", "parameters text length", "size")
of("hash", "parameters hash length", 16)
of("storage_take", "parameters keys null_items", True)
of("storage_wrap", "parameters release user", "user")
of("storage_wrap", "parameters strides nullable", True)
of("storage_new", "parameters ctx nullable", True)
of("storage_temporary", "parameters ctx nullable", False)
of("eager", "parameters ctx nullable", False)
of("eager", "parameters out nullable", True)
of("run", "parameters call written", True)
of("run", "thread", "any")
of("compile", "thread", "context")
of("typestr_write", "parameters text role", "out")
of("text_free", "parameters text role", "given")
of("tensordot", "parameters axes grammar", "pairs")
of("roll", "parameters by grammar", "bound")
