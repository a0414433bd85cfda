#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Constants of lib/ops/elementary_*.inc: polynomials, and numbers in parts.

    elementary.py            prints each with the bound of its error
    elementary.py --check    compares them with the sources beside it

A polynomial is the best approximation in the sense of Chebyshev (Remez's
exchange on a fine grid), rounded to doubles from the lowest coefficient on:
after each, what its rounding lost is made good, by least squares, in those not
yet rounded. Needs mpmath.
"""
import os
import re
import sys

from mpmath import mp, mpf

mp.prec = 200
TABLE = []


class Constants:
    """Doubles of one function's text: "where", a file and a function."""

    def __init__(self, where, doc, values):
        self.where, self.doc = where, doc
        self.texts = [text_of(v) for v in values]
        TABLE.append(self)

    def print(self):
        print("%s: %s" % (self.where, self.doc))
        for t in self.texts:
            print("    " + t)


def text_of(x):
    """A double as C spells it, without zeros that say nothing."""
    text = float(x).hex()
    head, tail = text.split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return head + "p" + tail


# ---- numbers in parts ----

def rounded(x, bits=53):
    """x rounded to so many bits."""
    if x == 0:
        return mpf(0)
    e = int(mp.floor(mp.log(abs(x), 2))) + 1 - bits
    return mp.nint(mp.ldexp(x, -e)) * mp.ldexp(mpf(1), e)


def parts(x, *bits):
    """x as a sum of parts of so many bits, the last one a double."""
    out = []
    for n in bits + (53,):
        out.append(rounded(x, n))
        x = x - out[-1]
    return out


# ---- polynomials ----

def grid(a, b, n):
    """Points of [a, b] that are dense at its ends, none at 0."""
    mid, half = (a + b) / 2, (b - a) / 2
    points = [mid + half * mp.cos(mp.pi * k / n) for k in range(n, -1, -1)]
    return [x for x in points if abs(x) > (b - a) * mpf(2) ** -20]


def solve(xs, fs, ws, basis, keep):
    """Coefficients and error of those that alternate at points "keep"."""
    n = len(basis)
    m = mp.matrix(n + 1, n + 1)
    rhs = mp.matrix(n + 1, 1)
    for row, k in enumerate(keep):
        for col, power in enumerate(basis):
            m[row, col] = xs[k] ** power
        m[row, n] = (-1) ** row / ws[k]
        rhs[row] = fs[k]
    solution = mp.lu_solve(m, rhs)
    return [solution[k] for k in range(n)]


def errors(xs, fs, ws, basis, coefficients):
    """Weighted errors at all points."""
    out = []
    for x, f, w in zip(xs, fs, ws):
        p = mp.fsum(c * x ** k for c, k in zip(coefficients, basis))
        out.append((p - f) * w)
    return out


def extrema(es, count):
    """Indices of "count" extrema whose signs alternate, the largest ones."""
    peaks = []
    for k, e in enumerate(es):
        if peaks and (es[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(es[peaks[-1]]):
                peaks[-1] = k
        else:
            peaks.append(k)
    while len(peaks) > count:
        peaks.pop(0 if abs(es[peaks[0]]) < abs(es[peaks[-1]]) else -1)
    return peaks


def remez(xs, fs, ws, basis):
    """The best coefficients."""
    n, last = len(basis), len(xs) - 1
    keep = [round(last * k / n) for k in range(n + 1)]
    for _ in range(12):
        coefficients = solve(xs, fs, ws, basis, keep)
        es = errors(xs, fs, ws, basis, coefficients)
        largest = max(abs(e) for e in es)
        peaks = extrema(es, n + 1)
        if len(peaks) < n + 1:
            break
        keep = peaks
        if largest <= min(abs(es[k]) for k in keep) * 1.01:
            break
    return coefficients


def compensation(xs, fs, ws, basis):
    """Coefficients for fs by least squares."""
    n = len(basis)
    columns = [[w * x ** k for x, w in zip(xs, ws)] for k in basis]
    values = [f * w for f, w in zip(fs, ws)]
    m = mp.matrix(n, n)
    rhs = mp.matrix(n, 1)
    for i in range(n):
        rhs[i] = mp.fdot(columns[i], values)
        for j in range(i + 1):
            m[i, j] = m[j, i] = mp.fdot(columns[i], columns[j])
    solution = mp.lu_solve(m, rhs)
    return [solution[k] for k in range(n)]


def fit(f, a, b, basis, weight, bits):
    """Coefficients of "bits" bits each for f on [a, b], and their error."""
    xs = grid(mpf(a), mpf(b), 16 * len(basis) + 64)
    fs, ws = [f(x) for x in xs], [weight(x) for x in xs]
    cs = remez(xs, fs, ws, basis)
    for k in range(len(basis)):
        lost = cs[k] - rounded(cs[k], bits[k])
        cs[k] = cs[k] - lost
        if k + 1 < len(basis) and lost != 0:
            more = compensation(xs, [lost * x ** basis[k] for x in xs], ws,
                                basis[k + 1:])
            cs[k + 1:] = [c + d for c, d in zip(cs[k + 1:], more)]
    return cs, max(abs(e) for e in errors(xs, fs, ws, basis, cs))


def one(x):
    return mpf(1)


def polynomial(where, doc, f, a, b, count, weight=one, step=1, bits=None):
    """f by "count" powers of x, each "step" above the last, on [a, b]; the
    error is multiplied by weight(x). The first coefficients may have fewer
    "bits"."""
    basis = [k * step for k in range(count)]
    width = (list(bits or []) + [53] * count)[:count]
    values, error = fit(f, a, b, basis, weight, width)
    doc = "%s; %d coefficients on [%s, %s], error %s = 2^%.1f" % (
        doc, count, mp.nstr(mpf(a), 5), mp.nstr(mpf(b), 5), mp.nstr(error, 3),
        mp.log(error, 2))
    return Constants(where, doc, values)


def numbers(where, doc, *values):
    return Constants(where, doc, values)


# ---- the check ----

def bodies(folder):
    """The text of each IX_FUNCTION, by "file name"."""
    out = {}
    for name in sorted(os.listdir(folder)):
        if not re.fullmatch(r"elementary_\w+\.inc", name):
            continue
        with open(os.path.join(folder, name)) as f:
            text = f.read()
        for part in text.split("IX_FUNCTION(")[1:]:
            out[name[11:-4] + " " + part.split(",")[0].strip()] = part
    return out


# Not those of 2^52 and more: they are there for their bits.
LONG = r"0x[01]\.[0-9a-f]{5,}p(?!\+52)[+-]\d+"


def check(folder):
    """Whether the sources have these constants, and no other long ones."""
    sources, wrong = bodies(folder), []
    for c in TABLE:
        text = sources.get(c.where, "")
        wrong += ["%s: %s is missing" % (c.where, t) for t in c.texts
                  if t.lstrip("-") not in text]
    for where, text in sources.items():
        known = [t.lstrip("-") for c in TABLE if c.where == where
                 for t in c.texts]
        wrong += ["%s: where is %s from?" % (where, t)
                  for t in re.findall(LONG, text) if t not in known]
    print("\n".join(wrong) if wrong else "constants: as computed")
    return 1 if wrong else 0


# ---- exponentials ----

LN2 = mp.log(2)
HALF_LN2 = LN2 / 2 * mpf("1.00001")


def exponentials():
    numbers("exp exp_reduce", "1 / log 2", 1 / LN2)
    numbers("exp exp_reduce", "log 2 in two parts", *parts(LN2, 41))
    numbers("exp exp2", "log 2 in two parts", *parts(LN2, 26))
    numbers("exp exp2", "log 2", LN2)
    polynomial("exp exp_rest", "(exp(s) - 1 - s - s^2 / 2) / s^3",
               lambda s: (mp.expm1(s) - s - s * s / 2) / s ** 3,
               -HALF_LN2, HALF_LN2, 10)
    polynomial("exp hyperbolic", "(sinh(s) - s) / s^3, in t = s^2",
               lambda t: (mp.sinh(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
               0, HALF_LN2 ** 2, 5)
    polynomial("exp hyperbolic", "(cosh(s) - 1 - s^2 / 2) / s^4, in t = s^2",
               lambda t: (mp.cosh(mp.sqrt(t)) - 1 - t / 2) / t ** 2,
               0, HALF_LN2 ** 2, 5)


# ---- logarithms ----

S_MAX = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.00001")


def log_tail(t, n):
    """log((1 + s) / (1 - s)) / s without its first n terms, over t^n."""
    s = mp.sqrt(t)
    head = mp.fsum(2 * t ** k / (2 * k + 1) for k in range(n))
    return (2 * mp.atanh(s) / s - head) / t ** n


def logarithms():
    for where in "log log", "log log_sum", "power log_parts":
        numbers(where, "log 2 in two parts", *parts(LN2, 41))
    polynomial("log log_rest", "(log((1 + s) / (1 - s)) - 2 s) / s^3, in s^2",
               lambda t: log_tail(t, 1), 0, S_MAX ** 2, 7)
    numbers("log log2", "1 / log 2 in two parts", *parts(1 / LN2, 32))
    numbers("log log10", "1 / log 10 in two parts",
            *parts(1 / mp.log(10), 32))
    numbers("log log10", "log 2 / log 10 in two parts",
            *parts(LN2 / mp.log(10), 41))


# ---- powers ----

def powers():
    numbers("power log_parts", "2 / 3 in two parts", *parts(mpf(2) / 3, 53))
    polynomial("power log_parts",
               "log((1 + s) / (1 - s)) / s - 2 - 2/3 s^2 over s^4, in s^2",
               lambda t: log_tail(t, 2), 0, S_MAX ** 2, 7)
    polynomial("power cbrt", "the cube root", lambda x: mp.cbrt(x), 1, 2, 6,
               lambda x: 1 / mp.cbrt(x))
    numbers("power cbrt", "(1 + d)^(1/3) - 1 = d / 3 - d^2 / 9 + 5/81 d^3",
            mpf(1) / 3, -mpf(1) / 9, mpf(5) / 81)
    numbers("power cbrt", "cube roots of 2 and 1/2",
            mp.cbrt(2), mp.cbrt(mpf(1) / 2))


# ---- on f32 ----

def singles():
    for where in ("f32 exp_wide",):
        numbers(where, "1 / log 2", 1 / LN2)
    for where in "f32 exp_wide", "f32 exp2", "f32 log_wide":
        numbers(where, "log 2", LN2)
    numbers("f32 log2", "1 / log 2", 1 / LN2)
    numbers("f32 log10", "1 / log 10", 1 / mp.log(10))
    polynomial("f32 exp_poly", "exp(s)", mp.exp, -HALF_LN2, HALF_LN2, 10,
               lambda s: 1 / mp.exp(s))
    polynomial("f32 log_wide", "log((1 + s) / (1 - s)) / s, in s^2",
               lambda t: log_tail(t, 0), 0, S_MAX ** 2, 7)


def tables():
    exponentials()
    logarithms()
    powers()
    singles()


def main():
    tables()
    if "--check" in sys.argv[1:]:
        sys.exit(check(os.path.dirname(os.path.abspath(__file__))))
    for c in TABLE:
        c.print()


if __name__ == "__main__":
    main()
