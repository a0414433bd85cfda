# SPDX-License-Identifier: MIT
"""Compiled functions: when they are traced, and what they give."""

import traceback
import unittest
import warnings
from collections import namedtuple

import numpy as np

import ilex


class Jit(unittest.TestCase):
    def test_a_number_as_text_is_a_part_of_the_trace(self):
        f = ilex.jit(lambda x, k: {f"w{k}": x * len(str(k))})
        for k in (5, 12):
            (name, y), = f(np.ones(2), k).items()
            self.assertEqual(name, f"w{k}")
            self.assertEqual(y.tolist(), [len(str(k))] * 2)
        g = ilex.jit(lambda x, k: ilex.roll(x, k))
        self.assertEqual(g(np.arange(4), 1).tolist(), [3, 0, 1, 2])

    def test_lengths_that_numpy_asks_for(self):
        f = ilex.jit(lambda x: ilex.linalg.det(x) / np.sqrt(x.shape[-1]))
        self.assertEqual(float(f(np.eye(4))), 0.5)

    def test_one_trace_for_all_lengths(self):
        @ilex.jit
        def f(x, y, s):
            return x + s * y

        for n in (5, 2, 70, 5):
            x, y = np.arange(n * 1.0), np.ones(n)
            for s in (0.5, 2.0):
                np.testing.assert_array_equal(f(x, y, s), x + s * y)
        self.assertEqual(len(f.traces), 1)
        f(np.ones(1), np.ones(1), 1.0)
        f(np.ones((2, 2)), np.ones(2), 1.0)
        f(np.ones(3, "f"), np.ones(3), 1.0)
        self.assertEqual(len(f.traces), 4)

    def test_lengths_are_symbols(self):
        @ilex.jit
        def inner(u):
            n = u.shape[0]
            self.assertGreater(n, 0)
            return u[1:n - 1] - ilex.mean(u), u / n

        for n in (4, 9):
            u = np.random.default_rng(n).random(n)
            a, b = inner(u)
            np.testing.assert_allclose(a, u[1:-1] - u.mean())
            np.testing.assert_allclose(b, u / n)
        self.assertEqual(len(inner.traces), 1)

    def test_quotients_of_lengths_are_symbols(self):
        @ilex.jit
        def f(x, u):
            n, half = x.shape[0], x.shape[0] // 2
            even = x[::2]
            return (even, x[::-3], u[1::3, ::2] + 1, even[::2],
                    even[:half] - x[1::2], x[:half], x[n - n % 3:],
                    (2*n + 4) // 2 - n)

        for n, m in ((7, 5), (30, 4), (9001, 6), (2, 3)):
            x, u = np.arange(n * 1.0), np.ones((m, n)).cumsum(1)
            half = n // 2
            want = (x[::2], x[::-3], u[1::3, ::2] + 1, x[::4],
                    x[::2][:half] - x[1::2], x[:half], x[n - n % 3:], 2)
            for a, b in zip(f(x, u), want):
                np.testing.assert_array_equal(a, b)
        self.assertEqual(len(f.traces), 1)

    def test_what_quotients_leave_open(self):
        @ilex.jit
        def f(x):
            n = x.shape[0]
            third = n // 3
            return ilex.sum(x) + 100*(third > 0) + 10*(third == 1) + \
                len(range((n + 1) // 2))

        for n in (2, 3, 4, 9):
            want = n + 100*(n > 2) + 10*(n // 3 == 1) + (n + 1) // 2
            self.assertEqual(float(f(np.ones(n))), want)
        self.assertEqual(len(f.traces), 4)

    def test_values_of_lengths_are_static(self):
        @ilex.jit
        def f(x, k):
            total = x[0] * 0
            for i in range(x.shape[0]):
                total = total + i * x[i]
            return total if x.shape[0] > 4 else -total * k

        for n in (3, 4, 5):
            x = np.arange(n * 1.0)
            want = (np.arange(n) * x).sum() * (1 if n > 4 else -3)
            self.assertEqual(float(f(x, 3)), want)
        self.assertEqual(len(f.traces), 3)

    def test_what_lengths_leave_open(self):
        @ilex.jit
        def f(x, y):
            n, m = x.shape[0], y.shape[0]
            return (ilex.sum(x) + 1000*(n >= 100) + 100*(n == m) +
                    10*(n + 1 > n) + (m == 5))

        for n, m in ((3, 4), (200, 5), (5, 3), (7, 7), (200, 100)):
            want = n + 1000*(n >= 100) + 100*(n == m) + 10 + (m == 5)
            self.assertEqual(float(f(np.ones(n), np.ones(m))), want)

    def test_kinds_alternate(self):
        @ilex.jit
        def f(x, flag):
            return x + 1 if flag else x / 2

        for _ in range(3):
            for x in (np.arange(4), np.arange(4.0), np.arange(4, dtype="f")):
                for flag in (True, False):
                    made = f(x, flag)
                    own = x + 1 if flag else x / 2
                    self.assertEqual(made.dtype, own.dtype)
                    np.testing.assert_array_equal(made, own)

    def test_numbers_that_are_static(self):
        @ilex.jit
        def f(x, k):
            for _ in range(k):
                x = x * 2
            return x

        @ilex.jit
        def g(x, k):
            return x + 1 if k else x

        x = np.ones(2)
        for k in (3, 3, 1, 3, 2, 2, 0, 1):
            self.assertEqual(float(f(x, k)[0]), 2.0 ** k)
        h = ilex.jit(lambda x, k: x if k + 1 > 2 else x[:k + 1] * 0)
        for k in (2, 0, 2, 1):
            self.assertEqual(len(h(x, k)), 2 if k > 1 else k + 1)
        for k in (1, 1, 0, True, False, 1.0, 0.0, 2):
            self.assertEqual(float(g(x, k)[0]), 2.0 if k else 1.0)

    def test_trees(self):
        @ilex.jit
        def step(state, rate):
            w, b = state["w"], state["more"][0]
            return {"w": w - rate * b, "more": [b + 1, None]}

        state = {"w": np.ones(3), "more": [np.zeros(3), None]}
        for i in range(4):
            state = step(state, 0.5)
        self.assertEqual(state["w"].tolist(), [1 - 0.5 * 6] * 3)
        self.assertEqual(len(step.traces), 1)
        with self.assertRaises(TypeError) as caught:
            step({"w": {1, 2}, "more": [1, None]}, 0.5)
        self.assertIn("an unhashable set: arguments are arrays",
                      str(caught.exception))

    def test_lengths_that_decide(self):
        """What symbols leave open is traced with numbers."""
        w, v = np.arange(4.0), np.arange(4.0) + 1
        cases = ((lambda x: x + w, v + w), (lambda x: x[:3], v[:3]),
                 (lambda x: x[3], v[3]), (lambda x: x[::2], v[::2]),
                 (lambda x: ilex.reshape(x, (2, -1)), v.reshape(2, -1)),
                 (lambda x: ilex.zeros(x.shape), np.zeros(4)),
                 (lambda x: x.shape[0], np.array(4)),
                 (lambda x: 0.5 * x.shape[0] * x, 2.0 * v),
                 (lambda x: x[x > 2], v[v > 2]),
                 (lambda x: x if x.shape[0] in (None, 4) else -x, v),
                 (lambda x: ilex.linalg.det(ilex.reshape(x, (2, 2))),
                  np.linalg.det(v.reshape(2, 2))))
        for f, want in cases:
            g = ilex.jit(f)
            for _ in range(3):
                np.testing.assert_allclose(np.asarray(g(v)), want)
        for f in (ilex.unique_values, ilex.nonzero):
            g = ilex.jit(f)
            g(v)
            self.assertEqual(np.asarray(g(v)).ravel().tolist(),
                             np.asarray(f(ilex.asarray(v))).ravel().tolist())

    def test_arrays_of_rank_0_are_no_numbers(self):
        """Nor after calls with these, whose dtype they have."""
        f = ilex.jit(lambda x, k: x * k)
        for x, strong, weak, wide, own in (
                (np.ones(2, "f4"), np.float64(0.1), 0.1, "f8", "f4"),
                (np.full(2, 100, "i1"), np.int64(2), 2, "i8", "i1"),
                (np.ones(2, "?"), np.float32(2), 0.1, "f4", "f8")):
            for k in (strong, weak, strong, np.asarray(strong), weak):
                dtype, made = own if k is weak else wide, f(x, k)
                self.assertEqual(made.dtype.name, np.dtype(dtype).name)
                want = x.astype(dtype) * np.asarray(k).astype(dtype)
                self.assertEqual(made.tolist(), want.tolist())

    def test_integers_that_int64_lacks(self):
        u, most = np.array([5], "u8"), 2**64 - 1
        for g in (lambda x: x + 0, lambda x: x & most):
            for x in (np.uint64(most), np.array(most, "u8"), u):
                self.assertEqual(np.asarray(ilex.jit(g)(x)), g(x))
        f = ilex.jit(lambda x, k: x * k)
        for k in (most, most - 1, 3, 2**63):
            self.assertEqual(f(u, k).tolist(), (u * k).tolist())

    def test_weak_results_are_weak(self):
        x = np.ones(4, "f")
        for f in (lambda x, k: x * (k * 2), lambda x, k: x / x.size * -k,
                  lambda x, k: x + ilex.exp(k)):
            self.assertEqual(ilex.jit(f)(x, 1.5).dtype, ilex.float32)

    def test_arguments_by_name(self):
        @ilex.jit
        def f(x, y=2.0, *more, scale=1, **rest):
            total = x * y * scale
            for z in (*more, *rest.values()):
                total = total + z
            return total

        x = np.ones(2)
        for _ in range(2):
            self.assertEqual(f(x).tolist(), [2.0, 2.0])
            self.assertEqual(f(y=3.0, x=x).tolist(), [3.0, 3.0])
            self.assertEqual(f(x, 1.0, x, scale=x * 4, a=x).tolist(),
                             [6.0, 6.0])
        with self.assertRaises(TypeError):
            f()

    def test_nested_numbers_are_weak(self):
        inner = ilex.jit(lambda x, k: x * k)
        outer = ilex.jit(lambda x, k: inner(x, k))
        self.assertEqual(outer(np.ones(2, "f"), 2.5).dtype, ilex.float32)
        self.assertEqual(inner(np.ones(2, "f"), 2j).dtype, ilex.complex64)
        looked = ilex.jit(lambda x: x * {2: 10.0}.get(x.shape[0], 1.0))
        self.assertEqual(looked(np.ones(2)).tolist(), [10.0, 10.0])
        with self.assertRaises(TypeError):
            ilex.jit(lambda x: int(x[x > 1].shape[0]))(np.ones(3))

    def test_constants_are_told_apart(self):
        f = ilex.jit(lambda x, t: x * t[0] if t[0] else x)
        i = np.arange(4)
        self.assertEqual([f(i, (k,)).dtype.name for k in (2, 2.0, True, 2)],
                         ["int64", "float64", "int64", "int64"])
        g = ilex.jit(lambda x, d: ilex.astype(x, d))
        self.assertEqual(g(i, float).dtype, ilex.float64)
        P = namedtuple("P", "a b")
        h = ilex.jit(lambda x: P(x + 1, x + 2))
        for _ in range(3):
            self.assertIsInstance(h(i), P)

    def test_arguments_are_not_changed(self):
        @ilex.jit
        def inner(u):
            u[0] = 0.0
            return u * 2

        outer = ilex.jit(lambda u: (inner(u), u + 0))
        x = ilex.ones((3,))
        for f in (outer, lambda u: (inner(u), u + 0)):
            self.assertEqual(f(x)[1].tolist(), [1.0, 1.0, 1.0])

    def test_calls_are_prepared(self):
        @ilex.jit
        def f(x):
            return x + 1

        f(np.ones(3))
        first = f.fast
        f(np.ones(3))
        self.assertIs(f.fast, first)
        f(np.ones(4))
        self.assertIsNot(f.fast, first)
        f(np.ones(3))
        self.assertIs(f.fast, first)
        f.clear()
        self.assertEqual((f.fast, len(f.traces)), (None, 0))
        self.assertEqual(f(np.ones(3)).tolist(), [2.0, 2.0, 2.0])

    def test_many_traces_warn(self):
        @ilex.jit
        def f(x):
            return x * int(x.shape[0])

        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for n in range(2, 12):
                f(np.ones(n))
        self.assertEqual(len(seen), 1)
        self.assertIn("traced 8 times", str(seen[0].message))
        self.assertEqual(seen[0].filename, __file__)

    def test_numbers_are_weak(self):
        @ilex.jit
        def f(x, s):
            return x * s, ilex.where(x > s, x, s)

        a, b = f(np.ones(3, "f"), 2.5)
        self.assertEqual((a.dtype, b.dtype), (ilex.float32, ilex.float32))
        self.assertEqual(f(np.ones(3, "i4"), 2)[0].dtype, ilex.int32)
        self.assertEqual(f(np.ones(3, "i4"), 2.5)[0].dtype, ilex.float64)

    def test_integers_that_a_dtype_lacks(self):
        few = ilex.asarray([1, 2, 3], dtype=ilex.int8)
        many = ilex.asarray([1, 2, 3], dtype=ilex.uint64)
        add = ilex.jit(lambda x, n: x + n)
        for n in (3, 4, 5):
            self.assertEqual(add(few, n).tolist(), [1 + n, 2 + n, 3 + n])
        self.assertEqual(len(add.traces), 1)
        for x, n in (few, 300), (many, -1):
            with self.assertRaises(ilex.errors.LiteralError):
                add(x, n)
        self.assertEqual(add(few, 6).tolist(), [7, 8, 9])
        for f, right, wrong in (
                (lambda x, n: x + (n + 1), 126, 127),
                (lambda x, n: x * n + ilex.astype(x, "uint8") * n, 3, -3),
                (lambda x, n: ilex.full(3, n, dtype=ilex.int8), -9, 300),
                (lambda x, n: ilex.full_like(x, n) + (n + 0.5), 127, 128),
                (lambda x, n: x + ilex.asarray(n, dtype="int8"), -9, 300),
                (lambda x, n: ilex.where(x > 1, x, n), 100, 300)):
            traced = ilex.jit(f)
            self.assertEqual(traced(few, right).tolist(),
                             f(few, right).tolist())
            with self.assertRaises((ilex.Error, OverflowError)):
                traced(few, wrong)
        clip = ilex.jit(lambda x, n: ilex.clip(x, n, None))
        self.assertEqual(clip(few, 300).tolist(), [127] * 3)
        self.assertEqual(clip(few, 2).tolist(), [2, 2, 3])
        self.assertEqual(clip(many, -3).tolist(), [1, 2, 3])
        self.assertEqual(len(clip.traces), 2)

    def test_structures(self):
        Pair = namedtuple("Pair", "a b")

        @ilex.jit
        def f(x, flag):
            return {"p": Pair(x, [x + 1, None]), "n": 3 if flag else 4}

        made = f(np.arange(2.0), True)
        self.assertEqual(made["p"].b[0].tolist(), [1.0, 2.0])
        self.assertIsNone(made["p"].b[1])
        self.assertEqual(int(made["n"]), 3)
        self.assertEqual(int(f(np.arange(2.0), flag=False)["n"]), 4)

        @ilex.jit
        def g(x):
            return object()
        with self.assertRaises(TypeError):
            g(np.ones(2))

    def test_other_memory(self):
        @ilex.jit
        def f(x):
            return x * 2

        base = np.arange(24.0).reshape(4, 6)
        for x in (base, base.T, base[::2, ::-1], base[1], np.asfortranarray(base),
                  ilex.asarray(base), ilex.asarray(base) + 1, base):
            np.testing.assert_array_equal(f(x), np.asarray(x) * 2)
        readonly = base.copy()
        readonly.flags.writeable = False
        np.testing.assert_array_equal(f(readonly), base * 2)
        with self.assertRaises((TypeError, ValueError)):
            f(base.astype(object))

    def test_results_are_their_own(self):
        @ilex.jit
        def f(x):
            return x + 1

        made = [f(np.full(3, i * 1.0)) for i in range(10)]
        self.assertEqual([float(m[0]) for m in made], list(range(1, 11)))

    def test_errors(self):
        @ilex.jit
        def f(x, y):
            return x + y  # here

        @ilex.jit
        def g(x):
            return x if x[0] > 0 else -x

        try:
            f(np.ones((3, 2)), np.ones((2, 3)))
        except ValueError:
            text = traceback.format_exc()
        self.assertIn("# here", text)
        self.assertIn("lengths 3 and 2", text)
        with self.assertRaises(TypeError) as caught:
            g(np.ones(3))
        self.assertIn("where", str(caught.exception))
        f(np.ones(3), np.ones(3))

        @ilex.jit
        def h(x, at):
            return x[at]
        with self.assertRaises(IndexError):
            h(np.ones(3), np.array([5]))
        self.assertEqual(h(np.ones(3), np.array([2])).tolist(), [1.0])

    def test_arrays_of_other_traces(self):
        kept = []

        @ilex.jit
        def f(a):
            kept.append(ilex.sum(a))
            return a

        @ilex.jit
        def g(a):
            return a + kept[0]

        @ilex.jit
        def h(a):
            return a + 2*kept[-1]
        f(np.ones(3))
        with self.assertRaisesRegex(RuntimeError, "another call"):
            g(np.ones(3))
        kept.append(kept[0] * 3)  # outside of both
        with self.assertRaisesRegex(RuntimeError, "another call"):
            h(np.ones(3))
        table = []

        def own():  # what is made of no argument belongs to all
            if not table:
                table.append(ilex.arange(3.0) * 2)
            return table[0]
        for function in ilex.jit(lambda a: a + own()), \
                ilex.jit(lambda b: b + own()):
            self.assertEqual(function(np.ones(3)).tolist(), [1.0, 3.0, 5.0])

    def test_masks_that_are_there(self):
        m = np.array([True, False, True])

        @ilex.jit
        def f(a):
            a[m] += 1.5
            return a, a[m]
        a, taken = f(np.ones(3))
        self.assertEqual(a.tolist(), [2.5, 1.0, 2.5])
        self.assertEqual(taken.tolist(), [2.5, 2.5])

    def test_masks_that_are_traced(self):
        f = ilex.jit(lambda x, v: x.at[x > 0].set(v))
        self.assertEqual(f(np.array([1.0, -1.0]), 5.0).tolist(), [5.0, -1.0])
        with self.assertRaisesRegex(ilex.errors.ShapeError,
                                    "how many elements a mask has"):
            f(np.array([1.0, -1.0, 1.0]), np.array([5.0, 6.0]))

    def test_lengths_that_elements_decide(self):
        """They are lengths as others, but what may not be there is refused."""
        x = np.array([1.0, -2, 3])
        for f in (lambda m, y: m.sum(y) / y.shape[0], lambda m, y: 2.5 * y.size,
                  lambda m, y: 1.5 + y.shape[0], lambda m, y: m.zeros_like(y),
                  lambda m, y: y * m.arange(y.shape[0]),
                  lambda m, y: m.roll(y, 1), lambda m, y: y.reshape(-1, 1)):
            with self.subTest(f=f):
                got = ilex.jit(lambda x, f=f: f(ilex, x[x > 0]))(x)
                np.testing.assert_array_equal(np.asarray(got),
                                              f(np, x[x > 0]))
        for f in (lambda y: y[0], lambda y: y[:2], ilex.diff):
            with self.assertRaisesRegex(IndexError, "decided by elements"):
                ilex.jit(lambda x, f=f: f(x[x > 0]))(x)

    def test_numbers_that_a_trace_lacks(self):
        """Who asks for them is named, and what to write."""
        x = np.arange(8.0)
        for f, words in ((lambda x: x[ilex.argmax(x):], "ilex.take"),
                         (np.median, "numpy.median has no"),
                         (lambda x: np.where(x > 1), "numpy.where has no")):
            with self.assertRaisesRegex(TypeError, words):
                ilex.jit(f)(x)

    def test_how_often_is_an_argument(self):
        f = ilex.jit(lambda x, n: ilex.repeat(x, n))
        for n in 2, 3:
            self.assertEqual(f(np.array([1.0, 2.0]), n).tolist(),
                             [1.0] * n + [2.0] * n)

    def test_no_functions(self):
        for wrong in 3, None:
            with self.assertRaisesRegex(TypeError, "is no function"):
                ilex.jit(wrong)
        with self.assertRaisesRegex(TypeError, "ilex.jit made"):
            ilex.explain(ilex.ones(2) + 1)

    def test_methods_and_nesting(self):
        class Model:
            scale = 3

            @ilex.jit
            def step(self, x):
                return x * self.scale

        self.assertEqual(Model().step(np.ones(2)).tolist(), [3.0, 3.0])

        @ilex.jit
        def inner(x):
            return x + 1

        @ilex.jit
        def outer(x):
            return inner(x) * inner(x)
        self.assertEqual(outer(np.ones(2)).tolist(), [4.0, 4.0])

    def test_text(self):
        @ilex.jit
        def f(x):
            """Doubles."""
            return x * 2

        self.assertEqual(f.__doc__, "Doubles.")
        self.assertIn("for (", ilex.source(f)(np.ones(4)))
        self.assertIn("kernel", ilex.explain(f)(np.ones(4)))

    def test_parameters_have_their_names_in_texts(self):
        @ilex.jit
        def f(u, n1, pair, *rest, α=1.0, **other):
            return u*n1 + pair[0] + pair[1]["k"] + rest[0] + α + other["w"]

        text = ilex.explain(f)(np.ones(4), 2.0, (1.0, {"k": np.ones(4)}),
                               np.ones(4), α=3.0, w=1.0)
        for name in ("in u :", "in n1_ :", "in pair_0 :", "in pair_1_k :",
                     "in a3 :", "in α :", "in w :"):
            self.assertIn(name, text)

    def test_pages(self):
        f = ilex.jit(lambda u: u + 1)
        page = ilex.page(f)(np.ones(4))
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn('srcdoc="&lt;!DOCTYPE', page._repr_html_())
        x = ilex.asarray(np.ones(4))
        self.assertNotIn("iframe", x._repr_html_())
        y = x + 1
        self.assertIn("iframe", y._repr_html_())
        for k in range(200):
            y = y*x[::-1] + ilex.sum(y)
        self.assertNotIn("iframe", y._repr_html_())
        self.assertIn("sum", y._repr_html_())


if __name__ == "__main__":
    unittest.main()
