# SPDX-License-Identifier: MIT
"""Functions of Python that programs call."""

import threading
import unittest

import ilex
from ilex import graph

try:
    import numpy as np
except ImportError:
    np = None


class Mine(Exception):
    pass


@unittest.skipUnless(np, "without NumPy")
class Foreign(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        @ilex.foreign("(a : f64[n, n], b : f64[n]) -> f64[n]")
        def solve(a, b):
            return np.linalg.solve(a, b)

        @ilex.foreign("(a : f32[n], k : i32) -> f32[n], i64, bool[n]")
        def several(a, k):
            if len(a) == 3:
                raise Mine("three")
            a *= k  # its own
            return a, k + 1, a > 1

        cls.solve, cls.several = staticmethod(solve), staticmethod(several)

    def test_values(self):
        r = np.random.default_rng(0)
        a, b = r.random((5, 5)) + 5*np.eye(5), r.random(5)
        x = self.solve(ilex.asarray(a.T.copy()).T * 2.0, b)
        self.assertIn("not computed", repr(x))
        self.assertTrue((np.asarray(x + 1) == np.linalg.solve(2*a, b) + 1)
                        .all())
        compiled = ilex.jit(lambda a, b: self.solve(a, b) - b)
        for n in 5, 5, 3:
            a, b = a[:n, :n], b[:n]
            self.assertTrue((np.asarray(compiled(a, b)) ==
                             np.linalg.solve(a, b) - b).all())

    def test_lengths(self):
        @ilex.foreign("(a : f64[n, n], b : f64[3]) -> f64[]")
        def first(a, b):
            return a.sum() + b.sum()
        self.assertEqual(float(first(np.ones((2, 2)), np.ones(3))), 7.0)
        for a, b in ((2, 4), 3), ((4, 2), 3), ((2, 2), 5), ((2, 2), 2):
            with self.assertRaisesRegex(ilex.errors.ShapeError, "length"):
                first(np.ones(a), np.ones(b))
            with self.assertRaisesRegex(ilex.errors.ShapeError, "length"):
                ilex.jit(lambda a, b: first(a, b))(np.ones(a), np.ones(b))

    def test_several_results(self):
        a = np.ones(4, np.float32)
        for call in self.several, ilex.jit(lambda a, k: self.several(a, k)):
            for k in 3, 1:
                x, y, z = call(a, k)
                self.assertEqual(x.tolist(), [k] * 4)
                self.assertEqual(int(y), k + 1)
                self.assertEqual(z.tolist(), [k > 1] * 4)
        self.assertTrue((a == 1).all())

    def test_exceptions_arrive_as_themselves(self):
        for call in self.several, ilex.jit(lambda a, k: self.several(a, k)):
            for _ in range(3):
                with self.assertRaisesRegex(Mine, "^three$"):
                    call(np.ones(3, np.float32), 1)[0].compute()
            x, _, _ = call(np.ones(2, np.float32), 1)
            self.assertEqual(x.tolist(), [1, 1])

    def test_wrong_results(self):
        for text, made, error, words in (
                ("(a : f64[n]) -> f64[n]", lambda a: a[1:], ValueError,
                 r"result 0 has shape \(1,\), not \(2,\)"),
                ("(a : f64[n]) -> i32[n]", lambda a: a, TypeError,
                 "result 0 is of dtype float64, not int32"),
                ("(a : f64[n]) -> f64, f64", lambda a: a, TypeError,
                 "a tuple of 2 arrays is declared"),
                ("(a : f64[n]) -> f64, f64", lambda a: (a[0],), TypeError,
                 "a tuple of 2 arrays is declared")):
            call = ilex.foreign(text)(made)
            x = call(np.ones(2))
            with self.assertRaisesRegex(error, words):
                ilex.compute(*x if isinstance(x, tuple) else (x,))

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(TypeError, "solve takes 2 arrays, 1 "):
            self.solve(np.ones((2, 2)))
        with self.assertRaises(ilex.errors.RankError):
            self.solve(np.ones((2, 2)), np.ones((2, 2)))
        with self.assertRaises(ilex.errors.DtypeError):
            self.solve(np.ones((2, 2)), np.ones(2, np.float32))
        with self.assertRaises(ilex.errors.SyntaxError):
            ilex.foreign("a : f64 -> f64")(abs)

    def test_programs_call_each_their_own(self):
        calls = []
        for k in range(3):
            @ilex.foreign("(a : f64) -> f64")
            def same_name(a, k=k):
                return a + k
            calls.append(same_name)
        self.assertEqual([float(f(ilex.asarray(1.0))) for f in calls],
                         [1, 2, 3])

    def test_arrays_inside_and_threads(self):
        @ilex.foreign("(a : f64[n]) -> f64")
        def total(a):
            return float(ilex.sum(ilex.asarray(a) * 2))

        compiled = ilex.jit(lambda a: total(a) + 1)
        found = []

        def work(n):
            found.extend(float(compiled(np.ones(n))) == 2*n + 1
                         for _ in range(50))
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [True] * 200)

    def test_in_text(self):
        ilex.foreign("(a : f64[n]) -> f64[n]")(np.sort)
        x = graph.input("x", ilex.float64, "n")
        y = graph.expr("py_sort(x)", {"x": x})
        self.assertEqual(float(graph.Program([y])(np.array([3., 1.]))[0][0]), 1)


if __name__ == "__main__":
    unittest.main()
