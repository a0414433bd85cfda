# SPDX-License-Identifier: MIT
"""What operators, conversions and reductions of Ilex mean, said with NumPy.

Nothing here knows Ilex's tables or its evaluator. Where NumPy leaves a result
to the platform, the definition of the manual is written out: integer division
by zero, shifts by the width, conversions that saturate.

An operand is an array of one dtype; a weak literal is a Python int or float.
A result is (value, dtype, exact): what is not exact is compared with a
tolerance and never computed with."""

import ctypes
import ctypes.util
import functools
import math

import numpy as np

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))

NAMES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split()
CODES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
DTYPE = {name: np.dtype(code) for name, code in zip(NAMES, CODES)}
NAME = {dtype: name for name, dtype in DTYPE.items()}

KIND = {name: dtype.kind for name, dtype in DTYPE.items()}  # b i u f c


class Undefined(Exception):
    """The operator is not defined for these operands, or not drawn."""


def promote(a, b):
    if "f16" in (a, b) and (is_int(a) or is_int(b)):
        small = a in ("i8", "u8") or b in ("i8", "u8")
        return "f16" if small else "f32"
    return NAME[np.promote_types(DTYPE[a], DTYPE[b])]


def common(dtypes):
    """Of operands in any order: real and complex ones are promoted first."""
    first = sorted(dtypes, key=lambda d: KIND[d] not in "fc")
    dtype = first[0]
    for d in first[1:]:
        dtype = promote(dtype, d)
    return dtype


def is_int(d):
    return KIND[d] in "iu"


def float_of(d):
    if KIND[d] in "fc":
        return d
    return "f32" if DTYPE[d].itemsize <= 2 else "f64"


def part_of(d):
    return {"c64": "f32", "c128": "f64"}.get(d, d)


def mantissa(d):
    """Bits of an integer that the dtype's parts hold exactly."""
    return 24 if part_of(d) in ("f16", "f32") else 53


def loop_of(d):
    """The dtype that numbers of a dtype are computed with in."""
    return "f32" if d == "f16" else d


def in_f32(f):
    """What a function of arrays of f32 gives for those of f16, rounded."""
    @functools.wraps(f)
    def g(*args):
        args = [a.astype("f4") if getattr(a, "dtype", None) == DTYPE["f16"]
                else a for a in args]
        r = f(*args)
        value, rest = (r[0], r[1:]) if isinstance(r, tuple) else (r, None)
        value = np.asarray(value)
        if value.dtype == DTYPE["f32"]:
            value = value.astype(DTYPE["f16"])
        return value if rest is None else (value,) + rest
    return g


def join(re, im, d):
    out = np.empty(np.broadcast(re, im).shape, DTYPE[d])
    out.real = re
    out.imag = im
    return out


# ---- conversions ------------------------------------------------------------

def saturate(x, d):
    info = np.iinfo(DTYPE[d])
    t = np.trunc(np.where(np.isnan(x), 0, x).astype("f8"))
    low, high = t <= float(info.min), t >= float(info.max)
    safe = np.where(low | high, 0, t)
    r = safe.astype(DTYPE[d])
    r = np.where(low, DTYPE[d].type(info.min), r)
    return np.where(high, DTYPE[d].type(info.max), r).astype(DTYPE[d])


def cast(x, d):
    kind = KIND[d]
    if x.dtype == DTYPE[d]:
        return x
    if kind == "b":
        return x != 0
    if x.dtype.kind == "c" and kind != "c":
        return cast(x.real.copy(), d)
    if x.dtype.kind == "f" and kind in "iu":
        return saturate(x, d)
    if kind == "c" and x.dtype.kind != "c":
        re = cast(x, part_of(d))
        return join(re, np.zeros_like(re), d)
    return x.astype(DTYPE[d])


# ---- operators: each takes arrays of the loop dtype --------------------------

def by_kind(b=None, i=None, f=None, c=None):
    return {"b": b, "i": i, "u": i, "f": f, "c": c}


def c_mul(x, y):
    return join(x.real * y.real + -x.imag * y.imag,
                x.real * y.imag + x.imag * y.real, NAME[x.dtype])


def i_divide(divide):
    def f(x, y):
        nothing = np.zeros_like(x)
        r = divide(x, np.where(y == 0, np.ones_like(y), y))
        if x.dtype.kind == "i":  # the smallest number by -1 wraps
            least = nothing - x if divide is np.floor_divide else nothing
            r = np.where(y == -1, least, r)
        return np.where(y == 0, nothing, r).astype(x.dtype)
    return f


def fused(x, y, z):
    """The exact x*y + z, rounded once: fma and fmaf of the C library."""
    name, number = (("fmaf", ctypes.c_float) if x.dtype.itemsize == 4 else
                    ("fma", ctypes.c_double))
    f = getattr(LIBM, name)
    f.argtypes, f.restype = [number] * 3, number
    x, y, z = np.broadcast_arrays(x, y, z)
    values = [f(*v) for v in zip(x.flat, y.flat, z.flat)]
    return np.array(values, x.dtype).reshape(x.shape)


def philox(x, y, z):
    """Words 0 and 1 of Philox 4x32-10, from four words of counter and two of
    key: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011)."""
    half, low = np.uint64(32), np.uint64(0xffffffff)
    c = [x & low, x >> half, y & low, y >> half]
    k = [z & low, z >> half]
    for _ in range(10):
        p = c[0] * np.uint64(0xd2511f53)
        q = c[2] * np.uint64(0xcd9e8d57)
        c = [q >> half ^ c[1] ^ k[0], q & low, p >> half ^ c[3] ^ k[1], p & low]
        k = [k[0] + np.uint64(0x9e3779b9) & low,
             k[1] + np.uint64(0xbb67ae85) & low]
    return c[0] | c[1] << half


def i_power(x, y):
    one = np.uint64(1)
    e = np.asarray(np.where(y < 0, np.zeros_like(y), y).astype("u8"))
    r = np.ones(np.broadcast(x, y).shape, x.dtype)
    b = np.broadcast_to(x, r.shape).copy()
    while e.any():
        r = np.where(e & one, r * b, r).astype(x.dtype)
        b = b * b
        e = e >> one
    if x.dtype.kind == "i":
        odd = y % 2 != 0
        minus = np.where(x == 1, 1, np.where(x == -1, np.where(odd, -1, 1), 0))
        r = np.where(y < 0, minus, r)
    return r.astype(x.dtype)


def pick(better):
    """The extremum of ops.def: NaN wins, ties keep x."""
    def f(x, y):
        r = np.where(better(x, y), x, y)
        if x.dtype.kind in "fc":
            r = np.where(np.isnan(x), x, np.where(np.isnan(y), y, r))
        return r.astype(x.dtype)
    return f


def pick_number(better):
    """The same where NaN loses."""
    def f(x, y):
        r = np.where(better(x, y), x, y)
        if x.dtype.kind in "fc":
            r = np.where(np.isnan(y), x, np.where(np.isnan(x), y, r))
        return r.astype(x.dtype)
    return f


def shift_left(x, y):
    width = 8 * x.dtype.itemsize
    out = (y < 0) | (y >= width)
    zero = np.zeros_like(y)
    return np.where(out, zero, x << np.where(out, zero, y)).astype(x.dtype)


def shift_right(x, y):
    width = 8 * x.dtype.itemsize
    out = (y < 0) | (y >= width)
    zero = np.zeros_like(y)
    fill = zero - (x < 0).astype(x.dtype)  # no unsigned x is below 0
    return np.where(out, fill, x >> np.where(out, zero, y)).astype(x.dtype)


def no_lowest(*args):
    for x in args:
        if x.dtype.kind == "i" and (x == np.iinfo(x.dtype).min).any():
            raise Undefined


def i_gcd(x, y):
    no_lowest(x, y)
    return np.gcd(x, y)


def i_lcm(x, y):
    no_lowest(x, y)
    wide = np.abs(x.astype("f8")) * np.abs(y.astype("f8"))
    if (wide > min(2.0**52, float(np.iinfo(x.dtype).max))).any():
        raise Undefined
    return np.lcm(x, y)


def in_f64(f):
    """A function whose f32 values are rounded f64 ones."""
    def g(*args):
        r = f(*[np.asarray(a, "f8") for a in args])
        return r.astype(args[0].dtype)
    return g


def tame(f):
    """A complex function, on numbers where its conditioning is harmless."""
    def g(*args):
        for x in args:
            a = np.abs(x.astype("c16"))
            if not np.isfinite(a).all() or ((a > 50) | (a < 0.05)).any():
                raise Undefined
        return f(*[x.astype("c16") for x in args]).astype(args[0].dtype)
    return g


def smooth(f, low=-1e4, high=1e4):
    """A real function away from where it overflows; specials are kept."""
    def g(*args):
        for x in args:
            a = x[np.isfinite(x)]
            if ((a < low) | (a > high)).any():
                raise Undefined
        return in_f64(f)(*args)
    return g


def number(f):
    """A function of Python's numbers, NaN where that raises an error."""
    def g(x):
        try:
            return f(x)
        except ValueError:
            return math.nan
    return np.vectorize(g, otypes=["f8"])


def log_add(x, y):
    """Away from results near 0, of which f64 loses digits in NumPy too."""
    r = np.logaddexp(x, y)
    if (np.abs(r) < 0.1).any():
        raise Undefined
    return r


def sign_f(x):
    return np.where(np.isnan(x), x,
                    np.where(x > 0, 1, np.where(x < 0, -1, 0))).astype(x.dtype)


def nan_free(f):
    """Complex comparisons are lexicographic; NaN is left to other tests."""
    def g(x, y):
        if np.isnan(x).any() or np.isnan(y).any():
            raise Undefined
        less = (x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag))
        same = (x.real == y.real) & (x.imag == y.imag)
        return f(less, same)
    return g


def c_pick(better):
    def f(x, y):
        keep = nan_free(better)(x, y)
        return np.where(keep, x, y)
    return f


def truth(x):
    return x != 0


def each(f):
    return by_kind(f, f, f, f)


def parts(f):
    return lambda x: join(f(x.real), f(x.imag), NAME[x.dtype])


# name: (arity, rule, exact, functions by kind). Rules as in the manual:
# what the operands' promoted dtype becomes before, and the result's dtype.
OPS = {}


def op(name, arity, rule, table, exact=True):
    OPS[name] = (arity, rule, exact, table)


op("add", 2, "same", by_kind(np.logical_or, np.add, np.add, np.add))
op("subtract", 2, "number", by_kind(None, np.subtract, np.subtract,
                                    np.subtract))
op("multiply", 2, "same", by_kind(np.logical_and, np.multiply, np.multiply,
                                  c_mul))
op("true_divide", 2, "divide", by_kind(f=np.true_divide,
                                       c=tame(np.true_divide)))
op("floor_divide", 2, "ordinal", by_kind(i=i_divide(np.floor_divide),
                                         f=np.floor_divide))
op("remainder", 2, "ordinal", by_kind(i=i_divide(np.remainder),
                                      f=np.remainder))
op("fmod", 2, "ordinal", by_kind(i=i_divide(np.fmod), f=np.fmod))
op("power", 2, "count", by_kind(i=i_power, f=smooth(np.power, -12, 12)))
op("negative", 1, "number", by_kind(None, np.negative, np.negative,
                                    parts(np.negative)))
op("positive", 1, "number", by_kind(None, np.positive, np.positive,
                                    np.positive))
op("absolute", 1, "modulus", by_kind(np.array,
                                     np.abs, np.abs,
                                     tame(lambda x: np.abs(x) + 0j)))
op("sign", 1, "number", by_kind(None, np.sign, sign_f,
                                tame(lambda x: x / np.abs(x))))
op("reciprocal", 1, "count", by_kind(
    i=lambda x: np.where((x == 1) | ((x + 1) == 0) & (x.dtype.kind == "i"),
                         x, np.zeros_like(x)),
    f=lambda x: (1 / x).astype(x.dtype), c=tame(lambda x: 1 / x)))
op("square", 1, "count", by_kind(None, lambda x: x * x, lambda x: x * x,
                                 lambda x: c_mul(x, x)))
op("gcd", 2, "integer", by_kind(i=i_gcd))
op("lcm", 2, "integer", by_kind(i=i_lcm))

op("maximum", 2, "same", by_kind(np.logical_or, pick(np.greater_equal),
                                 pick(np.greater_equal),
                                 c_pick(lambda less, same: ~less)))
op("minimum", 2, "same", by_kind(np.logical_and, pick(np.less_equal),
                                 pick(np.less_equal),
                                 c_pick(lambda less, same: less | same)))
op("fmax", 2, "same", by_kind(np.logical_or, pick_number(np.greater_equal),
                              pick_number(np.greater_equal),
                              c_pick(lambda less, same: ~less)))
op("fmin", 2, "same", by_kind(np.logical_and, pick_number(np.less_equal),
                              pick_number(np.less_equal),
                              c_pick(lambda less, same: less | same)))

op("equal", 2, "test", each(np.equal))
op("not_equal", 2, "test", each(np.not_equal))
op("less", 2, "test", by_kind(
    np.less, np.less, np.less, nan_free(lambda less, same: less)))
op("less_equal", 2, "test", by_kind(
    np.less_equal, np.less_equal, np.less_equal,
    nan_free(lambda less, same: less | same)))
op("greater", 2, "test", by_kind(
    np.greater, np.greater, np.greater,
    nan_free(lambda less, same: ~(less | same))))
op("greater_equal", 2, "test", by_kind(
    np.greater_equal, np.greater_equal, np.greater_equal,
    nan_free(lambda less, same: ~less)))
op("logical_and", 2, "test", each(lambda x, y: truth(x) & truth(y)))
op("logical_or", 2, "test", each(lambda x, y: truth(x) | truth(y)))
op("logical_xor", 2, "test", each(lambda x, y: truth(x) ^ truth(y)))
op("logical_not", 1, "test", each(lambda x: ~truth(x)))

op("bitwise_and", 2, "bits", by_kind(np.bitwise_and, np.bitwise_and))
op("bitwise_or", 2, "bits", by_kind(np.bitwise_or, np.bitwise_or))
op("bitwise_xor", 2, "bits", by_kind(np.bitwise_xor, np.bitwise_xor))
op("invert", 1, "bits", by_kind(np.invert, np.invert))
op("left_shift", 2, "shift", by_kind(i=shift_left))
op("right_shift", 2, "shift", by_kind(i=shift_right))

for name in "floor ceil trunc".split():
    op(name, 1, "whole", by_kind(np.array, np.array, getattr(np, name)))
WORD = {2: np.uint16, 4: np.uint32, 8: np.uint64}
FLOATING = {2: np.float16, 4: np.float32, 8: np.float64}
WIDENED = {1: 4}  # bytes of what has no floating dtype as wide
op("bits", 1, "to bits", by_kind(f=lambda x: np.where(
    np.isnan(x), np.array(np.nan, x.dtype), x).view(WORD[x.itemsize])))
op("from_bits", 1, "from bits", by_kind(i=lambda x: x.astype(
    "i%d" % WIDENED.get(x.itemsize, x.itemsize)).view(
        FLOATING[WIDENED.get(x.itemsize, x.itemsize)])))
op("philox", 3, "word", by_kind(i=philox))
op("rint", 1, "float", by_kind(f=np.rint, c=parts(np.rint)))
op("round", 1, "nearest", by_kind(i=np.array, f=np.rint, c=parts(np.rint)))
op("sqrt", 1, "float", by_kind(f=np.sqrt, c=tame(np.sqrt)))
for name in "cbrt arctan arcsinh tanh".split():
    op(name, 1, "float" if name != "cbrt" else "float real",
       by_kind(f=in_f64(getattr(np, name))), False)
for name in "exp exp2 expm1 sinh cosh".split():
    op(name, 1, "float", by_kind(f=smooth(getattr(np, name), -60, 60),
                                 c=tame(getattr(np, name))
                                 if name == "exp" else None), False)
for name in "log log2 log10 log1p".split():
    op(name, 1, "float", by_kind(f=in_f64(getattr(np, name))), False)
for name in "sin cos tan".split():
    op(name, 1, "float", by_kind(f=smooth(getattr(np, name))), False)
for name in "arcsin arccos arctanh arccosh".split():
    op(name, 1, "float", by_kind(f=in_f64(getattr(np, name))), False)
op("logaddexp", 2, "float real", by_kind(f=smooth(log_add)), False)
for name in "arctan2 hypot".split():
    op(name, 2, "float real", by_kind(f=smooth(getattr(np, name))), False)
for name, low, high in (("erf", -1e4, 1e4), ("erfc", -5, 5),
                        ("gamma", 0.5, 20), ("lgamma", 3, 1e4)):
    op(name, 1, "float real",
       by_kind(f=smooth(number(getattr(math, name)), low, high)), False)
op("angle", 1, "angle", by_kind(
    f=in_f64(lambda x: np.arctan2(0.0, x)),
    c=tame(lambda x: np.arctan2(x.imag, x.real) + 0j)), False)

op("fma", 3, "real", by_kind(f=fused))
op("copysign", 2, "float real", by_kind(
    f=lambda x, y: np.copysign(x, np.where(np.isnan(y), 1, y)).astype(x.dtype)))
op("nextafter", 2, "float real", by_kind(f=np.nextafter))
op("signbit", 1, "test real", by_kind(
    np.zeros_like, lambda x: x < 0, lambda x: np.signbit(x) & ~np.isnan(x)))
op("real", 1, "modulus", by_kind(np.array, np.array, np.array, np.array))
op("imag", 1, "modulus", by_kind(np.zeros_like, np.zeros_like, np.zeros_like,
                                 lambda x: join(x.imag, 0, NAME[x.dtype])))
op("conjugate", 1, "count", by_kind(None, np.array, np.array, np.conj))
op("isnan", 1, "test", each(np.isnan))
op("isinf", 1, "test", each(np.isinf))
op("isfinite", 1, "test", each(np.isfinite))
op("where", 3, "where", each(np.where))

# Exact for reals, approximate for complex numbers.
LOOSE_COMPLEX = {"true_divide", "absolute", "sign", "reciprocal", "sqrt"}

INFIX = {"add": "+", "subtract": "-", "multiply": "*", "true_divide": "/",
         "floor_divide": "//", "remainder": "%", "equal": "==",
         "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
         "greater_equal": ">=", "logical_and": "&&", "logical_or": "||",
         "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
         "left_shift": "<<", "right_shift": ">>"}
PREFIX = {"negative": "-", "logical_not": "!", "invert": "~"}


def loop_dtype(rule, dtypes):
    """The dtype that the operator computes in; Undefined if there is none."""
    if rule.startswith("float"):
        dtypes = [float_of(d) for d in dtypes]
    if rule == "word":
        kinds = {KIND[d] for d in dtypes}
        if kinds & set("fc") or kinds == {"b"}:
            raise Undefined
        return "u64"
    d = dtypes[0]
    for other in dtypes[1:]:
        d = promote(d, other)
    kind = KIND[d]
    if rule in ("number", "integer", "from bits") and kind == "b":
        raise Undefined
    if rule in ("count", "ordinal", "shift") and kind == "b":
        return "i8"
    if rule == "divide" and kind in "biu":
        return "f64"
    if rule == "angle" and kind in "biu":
        return "f64" if kind == "b" else float_of(d)
    if rule in ("integer", "bits", "shift", "from bits") and kind in "fc":
        raise Undefined
    if rule == "nearest" and kind == "b":
        return "f32"
    if rule in ("real", "to bits") and kind in "biu":
        raise Undefined
    if kind == "c" and rule in ("ordinal", "whole", "float real", "test real",
                                "real", "to bits"):
        raise Undefined
    return d


def weak_dtype(value, d):
    """The dtype that a literal takes beside dtype d."""
    if isinstance(value, float):
        return d if KIND[d] in "fc" else "f64"
    if KIND[d] == "b":
        return "i64"
    if is_int(d):
        info = np.iinfo(DTYPE[d])
        if not info.min <= value <= info.max:
            raise Undefined
    return d


def strengthen(args):
    """Literals among arrays as arrays of the dtype they take."""
    strong = [a for a in args if isinstance(a, np.ndarray)]
    if len(strong) == len(args):
        return args
    d = NAME[strong[0].dtype]
    for a in strong[1:]:
        d = promote(d, NAME[a.dtype])
    return [a if isinstance(a, np.ndarray)
            else np.array(a, DTYPE[weak_dtype(a, d)]) for a in args]


def apply(name, args):
    """The operator on arrays and weak literals: (value, exact)."""
    arity, rule, exact, table = OPS[name]
    args = [np.asarray(a) if isinstance(a, np.generic) else a for a in args]
    with np.errstate(all="ignore"):
        if rule == "where":
            values = strengthen(list(args[1:]))
            d = promote(NAME[values[0].dtype], NAME[values[1].dtype])
            x, y = (cast(v, d) for v in values)
            return np.where(truth(args[0]), x, y).astype(DTYPE[d]), True
        args = strengthen(list(args))
        d = loop_dtype(rule, [NAME[a.dtype] for a in args])
        function = table[KIND[d]]
        if function is None:
            raise Undefined
        args = [np.asarray(cast(a, d)) for a in args]
        if d == "f16" and name not in ("bits", "nextafter"):
            function = in_f32(function)
        r = np.asarray(function(*args))
    if KIND[d] == "c" and name in LOOSE_COMPLEX or \
            KIND[d] in "fc" and name == "power":
        exact = False
    if rule.startswith("test"):
        return r.astype(bool), exact
    if rule in ("to bits", "from bits"):
        return r, exact
    if rule in ("modulus", "angle"):
        return cast(r, part_of(d)), exact
    return r.astype(DTYPE[d]), exact


# ---- reductions: over the last axis ------------------------------------------

REDUCTIONS = "sum prod max min all any argmax argmin mean".split()


def finite(x):
    return np.where(np.isfinite(x), x, 0)


def cumulate(name, x, axis):
    """NumPy's, but that rounded sums and products are in chunks of 4096."""
    if x.dtype == DTYPE["f16"]:
        return in_f32(cumulate)(name, x, axis)
    op = {"cumsum": np.add, "cumprod": np.multiply,
          "cummax": np.maximum, "cummin": np.minimum}[name]
    if x.dtype.kind not in "fc" or name[3:] in ("max", "min"):
        return (getattr(np, name) if name[3:] in ("sum", "prod")
                else op.accumulate)(x, axis=axis)
    y, before = np.moveaxis(x.copy(), axis, 0), None
    for i in range(0, len(y), 4096):
        y[i:i + 4096] = op.accumulate(y[i:i + 4096], axis=0)
        end = y[i + len(y[i:i + 4096]) - 1].copy()
        if i:
            y[i:i + 4096] = op(before, y[i:i + 4096])
        before = op(before, end) if i else end
    return np.moveaxis(y, 0, axis)


def sum_is_exact(x):
    """Are all partial sums of x over its last axis exact, in any order?"""
    if x.dtype.kind == "c":
        return sum_is_exact(x.real) and sum_is_exact(x.imag)
    if x.dtype.kind != "f":
        return True
    y = finite(x)
    if (y != np.trunc(y)).any() or (np.abs(y) > 2.0**53).any():
        return False
    limit = 2.0**mantissa(NAME[x.dtype])
    return bool((np.abs(y.astype("f8")).sum(-1) <= limit).all())


def prod_is_exact(x):
    if x.dtype.kind == "c":
        return False
    if x.dtype.kind != "f":
        return True
    y = finite(x)
    if (y != np.trunc(y)).any():
        return False
    a = np.maximum(np.abs(y.astype("f8")), 1)
    return bool((np.log2(a).sum(-1) <= mantissa(NAME[x.dtype])).all())


def has_minus_zero(x):
    if x.dtype.kind == "c":
        return has_minus_zero(x.real) or has_minus_zero(x.imag)
    return x.dtype.kind == "f" and bool(((x == 0) & np.signbit(x)).any())


def float_sum(x):
    if x.dtype.kind == "c":
        return join(float_sum(x.real), float_sum(x.imag), NAME[x.dtype])
    r = x.astype("f8").sum(-1).astype(x.dtype)
    if x.shape[-1] == 0:
        return np.zeros_like(r)
    minus = ((x == 0) & np.signbit(x)).all(-1)
    return np.where(minus, -0.0, np.where(r == 0, 0.0, r)).astype(x.dtype)


def wide(d):
    kind = KIND[d]
    return "i64" if kind in "bi" else "u64" if kind == "u" else d


def reducible(name, x):
    """Does the reduction of x have one value, whatever the order?"""
    x = cast(x, "f32") if x.dtype == DTYPE["f16"] else x
    if name in ("max", "min", "argmax", "argmin"):
        if x.shape[-1] == 0:
            return x.size == 0 and 0 in x.shape[:-1]
        if x.dtype.kind == "c" and (np.isnan(x).any() or has_minus_zero(x)):
            return False
        return name.startswith("arg") or not has_minus_zero(x)
    if name == "mean":
        d = NAME[x.dtype]
        if KIND[d] == "c" and (x.shape[-1] == 0 or not np.isfinite(x).all()):
            return False
        return sum_is_exact(cast(x, "f64" if KIND[d] in "biu" else d))
    if name == "sum":
        return sum_is_exact(x)
    if name == "prod":
        return prod_is_exact(x)
    return True


def c_best(x, greater):
    key = np.lexsort((x.imag, x.real), axis=-1)
    at = key[..., -1:] if greater else key[..., :1]
    return np.take_along_axis(x, at, -1)


def reduce(name, x):
    """(value, exact) of the reduction over x's last axis."""
    d = NAME[x.dtype]
    if d == "f16":
        return in_f32(reduce)(name, x)
    with np.errstate(all="ignore"):
        if name == "all":
            return truth(x).all(-1), True
        if name == "any":
            return truth(x).any(-1), True
        if name == "sum":
            y = cast(x, wide(d))
            if y.dtype.kind in "fc":
                return float_sum(y), True
            return y.sum(-1, dtype=y.dtype), True
        if name == "prod":
            y = cast(x, wide(d))
            return y.prod(-1, dtype=y.dtype), True
        if name == "mean":
            y = cast(x, "f64" if KIND[d] in "biu" else d)
            count = np.array(x.shape[-1], y.real.dtype)
            r = float_sum(y)
            if y.dtype.kind == "c":
                return join(r.real / count, r.imag / count, d), False
            return r / count, True
        if x.size == 0:
            shape = x.shape[:-1]
            return np.zeros(shape, "i8" if name[0] == "a" else x.dtype), True
        if x.dtype.kind == "c":
            best = c_best(x, name.endswith("max"))
        elif name.endswith("max"):
            best = x.max(-1, keepdims=True)
        else:
            best = x.min(-1, keepdims=True)
        if name in ("max", "min"):
            return best[..., 0].copy(), True
        hit = (x == best) | (np.isnan(x) if x.dtype.kind in "fc" else False)
        nan = np.isnan(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)
        hit = np.where(nan.any(-1, keepdims=True), nan, hit)
        return hit.argmax(-1).astype("i8"), True


# ---- comparing -------------------------------------------------------------

def same(a, b):
    """Equal bits, all NaN alike."""
    if a.dtype.kind == "c":
        return same(np.ascontiguousarray(a.real),
                    np.ascontiguousarray(b.real)) & \
            same(np.ascontiguousarray(a.imag), np.ascontiguousarray(b.imag))
    if a.dtype.kind != "f":
        return a == b
    bits = "u%d" % a.dtype.itemsize
    return (a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))


def close(a, b, slack=64):
    """Equal within so many units in the last place: what libm's functions may
    be off, or sums of many."""
    if a.dtype.kind not in "fc":
        return same(a, b)
    part = a.real.dtype
    eps = np.finfo(part).eps
    with np.errstate(all="ignore"):
        far = np.abs(a.astype("c16") - b.astype("c16"))
        near = far <= slack * eps * np.abs(b.astype("c16")) + np.finfo(part).tiny
    return near | same(a, b) | (a == b)
