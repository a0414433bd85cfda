# SPDX-License-Identifier: MIT
"""Calls the constructors of kinds.h and expr.h with NULL for each array and
text, and fails unless those that ilex-api.json calls nullable give an array,
and the others none.

    python3 nulls.py ilex-api.json libilex.so
"""

import ctypes as c
import json
import sys

with open(sys.argv[1]) as f:
    api = json.load(f)
lib = c.CDLL(sys.argv[2])

P, L = c.c_void_p, c.c_int64
NUMBERS = {"void": None, "int": c.c_int, "unsigned": c.c_uint,
           "double": c.c_double, "float": c.c_float, "size_t": c.c_size_t,
           "int32_t": c.c_int32, "int64_t": L}
DTYPES = {d["text"]: d["value"] for d in api["dtypes"].values()}


def c_type(text):
    return P if "*" in text or "[" in text else NUMBERS.get(text, c.c_int)


for name, f in api["functions"].items():
    if "form" not in f:
        function = getattr(lib, name)
        function.restype = c_type(f["returns"])
        function.argtypes = [c_type(p["type"]) for p in f["parameters"]]
lib.ilex_error_text.restype = c.c_char_p
context = lib.ilex_context_new(None)
kept = []  # what arguments point to
bad_calls = []  # of this test
made = 0


def keep(thing):
    kept.append(thing)
    return c.addressof(thing)


def text(t):
    return t and keep(c.create_string_buffer(t.encode()))


def pointers(items):
    return keep((P * len(items))(*items))


def numbers(kind, *values):
    return keep((kind * len(values))(*values))


def array(dtype="f64", domain="4, 4"):
    global made
    made += 1
    return lib.ilex_input(context, text(f"u{made}"), DTYPES[dtype],
                          text(domain))


def lit(value):
    return lib.ilex_lit(context, value)


def read(x):
    return lib.ilex_expr_n(context, text("a[0:2, 0:2]"), 1,
                           pointers([text("a")]), pointers([x]))


def update():
    x = array()
    return {"x": x, "where": read(x), "values": array(domain="2, 2")}


# Arguments by name where those of their role would not do; of several of one
# function each is tried: not all go together.
BY_FUNCTION = {
    "arange": [{"length": "4", "step": 1}],
    "bincount": [{"x": array("i64"), "weights": lit(1)}],
    "combine": [{"operands": [array(domain="I:2, J:4"),
                              array(domain="I:2:4, J:4")]}],
    "compress": [{"x": array(domain="4"), "mask": array("bool", "4")}],
    "concat_where": [{"condition": "I < 2", "a": array(domain="I:4"),
                      "b": array(domain="I:4")}],
    "csr_matmul": [{"values": array(domain="7"), "column": array("i64", "7"),
                    "row_start": array("i64", "5"),
                    "dense": array(domain="4"), "columns": "4"}],
    "digitize": [{"bins": array(domain="4")}],
    "einsum": [{"subscripts": "ij,jk->ik"}],
    "expr_n": [{"text": "a + b", "names": ["a", "b"]}],
    "filled": [{"value": lit(1)}],
    "full": [{"value": lit(1), "domain": "4"}],
    "full_like": [{"value": lit(1)}],
    "histogram": [{"start": lit(0), "stop": lit(1)}],
    "linspace": [{"points": "4", "start": lit(0), "stop": lit(1)}],
    "loop_step": [{"range": "t:4"}],
    "loop_step_to": [{"range": "t:4", "count": array("i64", "")}],
    "map_n": [{"domain": "i:4, j:4", "body": "a[i, j] + b[i, j]",
               "names": ["a", "b"]}],
    "moveaxis": [{"to": "1"}],
    "pad": [{"value": None, "mode": "wrap"}, {"value": lit(1), "mode": None}],
    "percentile": [{"q": array(domain="2")}],
    "quantile": [{"q": array(domain="2")}],
    "random": [{"key": array("u64", ""), "words": [array("i64")] * 2}],
    "random_f32": [{"key": array("u64", ""), "words": [array("i64")] * 2}],
    "range": [{"bounds": "4"}],
    "reduce": [{"reduction": "sum", "initial": lit(1),
                "where": array("bool")}],
    "remap": [{"x": array(domain="V:4"), "to": "V", "skip": "-1",
               "connectivity": array("i64", "E:3, W:2"), "value": None},
              {"x": array(domain="V:4"), "to": "V", "skip": "-1",
               "connectivity": array("i64", "E:3, W:2"),
               "value": lib.ilex_f64(context, 1)}],
    "reshape": [{"domain": "16", "order": "C"}],
    "reshape_to": [{"shape": "16", "order": "C"}],
    "restrict": [{"x": array(domain="I:4"), "domain": "I:1:3"}],
    "roll": [{"by": "1"}],
    "scan_self": [{"domain": "k:4"}],
    "searchsorted": [{"sorted": array(domain="4"), "side": "left"}],
    "shift": [{"x": array(domain="I:4"), "axis": "I"}],
    "shift_by": [{"x": array(domain="I:4"), "axis": "I", "mode": "wrap",
                  "by": lib.ilex_i64(context, 0), "value": None},
                 {"x": array(domain="I:4"), "axis": "I", "mode": None,
                  "by": lib.ilex_i64(context, 0),
                  "value": lib.ilex_f64(context, 1)}],
    "shift_halves": [{"x": array(domain="I:4"), "axis": "I"}],
    "squeeze": [{"x": array(domain="1, 4")}],
    "take": [{"index": array("i64", "3")}],
    "take_along_axis": [{"index": array("i64")}],
    "tensordot": [{"axes": "1"}],
    "broadcast_to": [{"shape": "2, 4, 4"}],
}
for name in "gcd", "lcm", "left_shift", "right_shift", "invert", "philox", \
        "from_bits", "bitwise_and", "bitwise_or", "bitwise_xor":
    BY_FUNCTION[name] = [{"x": array("i64"), "y": array("i64"),
                          "z": array("i64")}]
for name in "cumsum", "cumprod", "cummax", "cummin", "nonzero":
    BY_FUNCTION[name] = [{"x": array(domain="4")}]
for name in "diagonal", "trace":
    BY_FUNCTION[name] = [{"axis2": "1"}]
for name in "inv", "det", "cholesky", "solve", "triangular_solve":
    BY_FUNCTION[name] = [{"b": array(domain="4")}]
for name in "add_at", "max_at", "min_at", "prod_at", "update":
    BY_FUNCTION[name] = [update()]
for name in "segment_sum", "segment_max", "segment_min":
    BY_FUNCTION[name] = [{"ids": array("i64", "4"), "segments": "3"}]
BY_GRAMMAR = {"axis": "0", "axes": "0", "places": "0", "bound": "2",
              "shape": "4, 4", "domain": "4", "name": "n"}


def argument(p, given):
    """What a function gets for a parameter."""
    name, role, kind = p["name"], p["role"], p["type"]
    value = given.get(name, ...)
    if role == "context":
        return context
    if role == "operand":
        return array() if value is ... else value
    if role == "text":
        return text(BY_GRAMMAR[p["grammar"]] if value is ... else value)
    if role == "operands":
        return pointers([array(), array()] if value is ... else value)
    if role == "list" and "char" in kind:
        return pointers([text(t) for t in ("1", "1")
                         ] if value is ... else [text(t) for t in value])
    if role == "list":
        return numbers(*(c.c_int, 1, 0) if "int *" in kind else (L, 1, 1))
    fallback = {"count": 2, "dtype": DTYPES["f64"], "number": 0}
    return fallback[role] if value is ... else value


def makes(name, arguments):
    """Whether the function makes an array; and what it says else."""
    result = getattr(lib, name)(*arguments)
    says = lib.ilex_error_text(context).decode()
    lib.ilex_error_clear(context)
    return bool(result) and not lib.ilex_is_poison(result), says


def tries(name, given):
    """The parameters that may be NULL beside these arguments, of those that
    are not NULL."""
    parameters = api["functions"][name]["parameters"]
    whole = [argument(p, given) for p in parameters]
    good, says = makes(name, whole)
    if not good:
        bad_calls.append(f"{name}: a call of this test fails: {says}")
        return
    for k, p in enumerate(parameters):
        if "nullable" in p and p["role"] != "context" and \
                whole[k] is not None:
            yield p["name"], makes(name, whole[:k] + [None] + whole[k + 1:])[0]


def wrong(name):
    """What ilex-api.json says otherwise than the library does."""
    may, seen = set(), set()
    for given in BY_FUNCTION.get(name.removeprefix("ilex_"), [{}]):
        for parameter, good in tries(name, given):
            seen.add(parameter)
            if good:
                may.add(parameter)
    for p in api["functions"][name]["parameters"]:
        if p["name"] in seen and (p["name"] in may) != p["nullable"]:
            yield f"{name}: {p['name']}: nullable is {p['nullable']}"


LATER = {"ilex_invoke"}  # not in this version
names = [name for name, f in api["functions"].items()
         if f["header"] in ("kinds.h", "expr.h", "elementwise.h")
         and f["returns"] == "ilex_array *" and "form" not in f
         and f["group"] not in ("query", "module") and name not in LATER]
assert len(names) > 200, "few constructors are left"
found = [line for name in names for line in wrong(name)] + bad_calls
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
