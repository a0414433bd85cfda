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


def single(x):
    """x as a number of f32."""
    return rounded(x, 24)


# ---- the check ----

def bodies(folder):
    """The text of each IX_FUNCTION, by "file name"."""
    out = {}
    for name in sorted(os.listdir(folder)):
        if not re.fullmatch(r"elementary_\w+\.inc", name):
            continue
        with open(os.path.join(folder, name)) as f:
            text = f.read()
        for part in re.split(r"IX_FUNCTION(?:_APART)?\(", text)[1:]:
            out[name[11:-4] + " " + part.split(",")[0].strip()] = part
    return out


# Not those of 2^23 or 2^52 and more: they are there for their bits.
LONG = r"0x[01]\.[0-9a-f]{5,}p(?!\+52|\+23f)[+-]\d+"


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


def exp_tail(s):
    return (mp.expm1(s) - s) / s ** 2


def exponentials():
    numbers("exp exp_reduce", "1 / log 2", 1 / LN2)
    numbers("exp exp_reduce", "log 2 in two parts", *parts(LN2, 41))
    numbers("exp exp2", "log 2 in two parts", *parts(LN2, 26))
    numbers("exp exp2", "log 2", LN2)
    polynomial("exp exp_rest", "(exp(s) - 1 - s) / s^2", exp_tail,
               -HALF_LN2, HALF_LN2, 10, lambda s: s ** 2)
    polynomial("exp expm1_rest", "(exp(s) - 1 - s - s^2 / 2) / s^3",
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
    for where in "log log", "log log_sum_parts", "power log_parts":
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
               lambda t: log_tail(t, 2), 0, S_MAX ** 2, 8)
    polynomial("power cbrt", "the cube root", lambda x: mp.cbrt(x), 1, 2, 6,
               lambda x: 1 / mp.cbrt(x))
    numbers("power cbrt", "(1 + d)^(1/3) - 1 = d / 3 - d^2 / 9 + 5/81 d^3",
            mpf(1) / 3, -mpf(1) / 9, mpf(5) / 81)
    numbers("power cbrt", "cube roots of 2 and 1/2",
            mp.cbrt(2), mp.cbrt(mpf(1) / 2))


# ---- on f32 ----

def log_on_f32():
    polynomial("f32 log", "(log((1 + s) / (1 - s)) - 2 s) / s^3, in s^2",
               lambda t: log_tail(t, 1), 0, S_MAX ** 2, 3, lambda t: t,
               bits=[24] * 3)
    high, low = parts(LN2, 16)
    numbers("f32 log", "log 2 in two parts", high, single(low))


def exp_on_f32():
    polynomial("f32 exp_rest", "(exp(s) - 1 - s) / s^2", exp_tail,
               -HALF_LN2, HALF_LN2, 6, lambda s: s ** 2, bits=[24] * 6)
    numbers("f32 exp", "1 / log 2", single(1 / LN2))
    high, low = parts(LN2, 16)
    numbers("f32 exp", "log 2 in two parts", high, single(low))
    high, low = parts(LN2, 12)
    numbers("f32 exp2", "log 2 in two parts", high, single(low))
    numbers("f32 exp2", "log 2", single(LN2))


def singles():
    numbers("f32 exp_reduce", "1 / log 2", 1 / LN2)
    for where in "f32 exp_reduce", "f32 log_poly":
        numbers(where, "log 2", LN2)
    numbers("f32 log2", "1 / log 2", 1 / LN2)
    numbers("f32 log10", "1 / log 10", 1 / mp.log(10))
    polynomial("f32 expm1_poly", "(exp(s) - 1) / s",
               lambda s: mp.expm1(s) / s, -HALF_LN2, HALF_LN2, 9)
    polynomial("f32 hyperbolic", "(sinh(s) - s) / s^3, in t = s^2",
               lambda t: (mp.sinh(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
               0, HALF_LN2 ** 2, 4)
    polynomial("f32 hyperbolic", "(cosh(s) - 1) / s^2, in t = s^2",
               lambda t: (mp.cosh(mp.sqrt(t)) - 1) / t,
               0, HALF_LN2 ** 2, 5)
    polynomial("f32 log_poly", "log((1 + s) / (1 - s)) / s, in s^2",
               lambda t: log_tail(t, 0), 0, S_MAX ** 2, 7)


# ---- angles ----

QUARTER = mp.pi / 4 * mpf("1.0001")
HALF_TURN = mp.pi / 2 * mpf("1.00001")


class Words(Constants):
    """64-bit words of the binary digits of a number."""

    def __init__(self, where, doc, x, count):
        super().__init__(where, doc, [])
        for k in range(count):
            word = mp.floor(mp.ldexp(x, 64))
            x = mp.ldexp(x, 64) - word
            self.texts.append("0x%016x" % int(word))


def sin_rest(z):
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / r ** 3


def cos_rest(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z ** 2


def angles():
    for where in "trig sin_turned", "trig sin_cos":
        polynomial(where, "(sin(r) - r) / r^3, in r^2", sin_rest,
                   mpf(2) ** -30, QUARTER ** 2, 6, lambda z: z)
        polynomial(where, "(cos(r) - 1 + r^2 / 2) / r^4, in r^2", cos_rest,
                   mpf(2) ** -30, QUARTER ** 2, 6, lambda z: z ** 2)
    numbers("trig turn_core", "2 / pi", 2 / mp.pi)
    numbers("trig turn_core", "pi / 2 in four parts",
            *parts(mp.pi / 2, 29, 29, 29))
    numbers("trig turn_part", "pi / 2 in two parts", *parts(mp.pi / 2, 53))
    numbers("trig turn_part", "the first one in halves",
            *parts(rounded(mp.pi / 2, 53), 25))
    with mp.workprec(1600):
        Words("trig turn_digits", "digits of 2 / pi", 2 / mp.pi, 19)


def arcs():
    polynomial("arc arctan_rest", "(arctan(t) - t) / t^3, in t^2",
               lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
               mpf(2) ** -60, mpf(49) / 256 * mpf("1.0001"), 12,
               lambda z: z)
    polynomial("arc arcsin_rest", "(arcsin(t) - t) / t^3, in t^2",
               lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
               mpf(2) ** -60, mpf(1) / 4, 12, lambda z: z)
    numbers("arc arctan_step", "arctan(1/2) in two parts",
            *parts(mp.atan(mpf(1) / 2), 49))
    numbers("arc arctan_step", "arctan(1) in two parts",
            *parts(mp.pi / 4, 53))
    for name in "arctan", "arctan2", "arcsin", "arccos":
        numbers("arc " + name, "pi / 2 in two parts", *parts(mp.pi / 2, 53))
    for name in "arctan2", "arccos":
        numbers("arc " + name, "pi in two parts", *parts(mp.pi, 53))


# ---- error function, gamma function ----

def erf_rest(z):
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1 if z else 2 / mp.sqrt(mp.pi) - 1


def scaled_erfc(a):
    return mp.exp(a * a) * mp.erfc(a)


def between(k, a):
    """(a - k) / (a + k)"""
    return (mpf(a) - k) / (mpf(a) + k)


def back(k, t):
    return k * (1 + t) / (1 - t)


ERF_1 = rounded(mp.erf(1), 30)


def errors_of_measurement():
    quarter, k = mpf(1) / 4, mpf(15) / 4
    where = "gamma erf_poly"
    polynomial(where, "erf(x) / x - 1, in x^2 - 1/4",
               lambda v: erf_rest(v + quarter),
               -quarter, mpf(729) / 1024 - quarter, 12)
    numbers("gamma erf", "erf(1) of 30 bits", ERF_1)
    numbers("gamma erf", "2 / sqrt(pi)", 2 / mp.sqrt(mp.pi))
    polynomial(where, "erf(1 + d) less that",
               lambda d: mp.erf(1 + d) - ERF_1, -mpf(5) / 32, quarter / 2, 12)
    polynomial(where, "exp(a^2) erfc(a), in t = (a - 5/2) / (a + 5/2)",
               lambda t: scaled_erfc(back(mpf(5) / 2, t)),
               between(mpf(5) / 2, mpf(9) / 8), between(mpf(5) / 2, 6), 12,
               lambda t: mp.exp(-back(mpf(5) / 2, t) ** 2))
    polynomial("gamma erfc_scaled", "(1 + 2 a) exp(a^2) erfc(a) - 5/4, "
               "in t = (a - 15/4) / (a + 15/4)",
               lambda t: (1 + 2 * back(k, t)) * scaled_erfc(back(k, t)) -
               mpf(5) / 4, between(k, mpf(11) / 16), between(k, 28), 21)
    polynomial("gamma erfc_near", "erf(x) / x - 1, in x^2 - 1/4",
               lambda v: erf_rest(v + quarter),
               -quarter, mpf(121) / 256 - quarter, 11)


LOG_SQRT_2PI = mp.log(2 * mp.pi) / 2


def stirling_rest(s):
    x = 1 / s
    return (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x -
            LOG_SQRT_2PI) / s


def near_zero(where, at, slope, low, high, count):
    """log gamma(at + u) = u (g + slope u + P(u)), g of 26 bits."""
    g = rounded(mp.psi(0, at), 26)
    numbers("gamma gamma_terms", "slope of log gamma at %d" % at, g)
    polynomial(where, "log gamma(%d + u) / u - %s u less that" % (at, slope),
               lambda u: mp.loggamma(at + u) / u - g - slope * u,
               low, high, count)


def between_zeros(where, at, low, high, count):
    """log gamma(at + u) = sum + P(u), sum of 26 bits."""
    at = mpf(at)
    g = rounded(mp.loggamma(at), 26)
    numbers("gamma gamma_terms", "log gamma(%s)" % at, g)
    polynomial(where, "log gamma(%s + u) less that" % at,
               lambda u: mp.loggamma(at + u) - g, low, high, count)


def gammas():
    near_zero("gamma gamma_at_1", 1, mpf(3) / 4, -mpf(3) / 16, mpf(3) / 16, 16)
    between_zeros("gamma gamma_low", "1.28125", -mpf(3) / 32, mpf(1) / 16, 13)
    between_zeros("gamma gamma_high", "1.5", -mpf(5) / 32, mpf(3) / 16, 14)
    near_zero("gamma gamma_at_2", 2, mpf(5) / 16, -mpf(5) / 16, mpf(15) / 32,
              16)
    polynomial("gamma gamma_far", "Stirling's series, in 1 / x, times x",
               stirling_rest, mpf(2) ** -20, mpf(32) / 79, 14, lambda s: s)
    numbers("gamma gamma_terms", "log(2 pi) / 2 in two parts",
            *parts(LOG_SQRT_2PI, 53))
    numbers("gamma log_reflection", "pi in two parts", *parts(mp.pi, 53))
    numbers("gamma log_reflection", "log(pi) in two parts",
            *parts(mp.log(mp.pi), 53))


def angles_on_f32():
    polynomial("f32 tan_core", "(sin(r) - r) / r^3, in r^2", sin_rest,
               mpf(2) ** -30, QUARTER ** 2, 5, lambda z: z)
    polynomial("f32 tan_core", "(cos(r) - 1) / r^2, in r^2",
               lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, mpf(2) ** -30,
               QUARTER ** 2, 5, lambda z: z)
    polynomial("f32 sin_half_turn", "(sin(r) - r) / r^3, in r^2", sin_rest,
               mpf(2) ** -30, HALF_TURN ** 2, 6, lambda z: z)
    numbers("f32 tan_core", "2 / pi", 2 / mp.pi)
    numbers("f32 tan_core", "pi / 2 in two parts", *parts(mp.pi / 2, 32))
    for where in "f32 sin_core", "f32 cos_core":
        numbers(where, "1 / pi", 1 / mp.pi)
        numbers(where, "pi in two parts", *parts(mp.pi, 32))


def gammas_on_f32():
    polynomial("f32 gamma_at_1", "log(gamma(1 + u)) / u",
               lambda u: mp.loggamma(1 + u) / u, -mpf(3) / 16, mpf(5) / 16, 14)
    polynomial("f32 gamma_at_2", "log(gamma(2 + u)) / u",
               lambda u: mp.loggamma(2 + u) / u, -mpf(11) / 16, mpf(1) / 2, 16)
    polynomial("f32 gamma_far", "Stirling's series, in 1 / x, times x",
               stirling_rest, mpf(2) ** -20, mpf(2) / 5, 10, lambda s: s)
    numbers("f32 log_gamma", "log(2 pi) / 2", LOG_SQRT_2PI)
    numbers("f32 sin_pi", "pi", mp.pi)
    numbers("f32 lgamma", "log(pi)", mp.log(mp.pi))
    numbers("f32 gamma", "pi", mp.pi)


def tables():
    exponentials()
    logarithms()
    powers()
    exp_on_f32()
    log_on_f32()
    singles()
    angles()
    arcs()
    errors_of_measurement()
    gammas()
    angles_on_f32()
    gammas_on_f32()


def main():
    tables()
    if "--check" in sys.argv[1:]:
        sys.exit(check(os.path.dirname(os.path.abspath(__file__))))
    for c in TABLE:
        c.print()


if __name__ == "__main__":
    main()
