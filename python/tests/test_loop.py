# SPDX-License-Identifier: MIT
"""Loops of whole arrays."""

import unittest

import numpy as np

import ilex


def smooth(t, u):
    inner = u[1:-1]
    return u.at[1:-1].set(inner + 0.25*(u[2:] - 2*inner + u[:-2]))


class Loops(unittest.TestCase):
    def setUp(self):
        self.u = np.random.default_rng(3).random(9)

    def test_elements_are_put_into_what_is_carried(self):
        def body(t, x):
            x[0] = t
            return x

        def until(old, new):
            new[0] = 5
            return new[0] > 2

        self.assertEqual(ilex.loop(3, body, np.zeros(2)).tolist(), [2, 0])
        last = ilex.loop(3, lambda t, x: x + 1, np.zeros(2), until=until)
        self.assertEqual(last.tolist(), [1, 1])

    def test_as_python_would(self):
        step = ilex.asarray(self.u)
        for t in range(7):
            step = smooth(t, step)
        want = np.asarray(step).tolist()
        self.assertEqual(ilex.loop(7, smooth, self.u).tolist(), want)
        compiled = ilex.jit(lambda u, n: ilex.loop(n, smooth, u))
        self.assertEqual(compiled(self.u, 7).tolist(), want)
        self.assertEqual(compiled(self.u, 0).tolist(), self.u.tolist())

    def test_the_step_and_lengths(self):
        f = ilex.jit(lambda u: ilex.loop(u.shape[0] - 1,
                                         lambda t, v: 0.5*v + t, u))
        for n in 9, 4:
            want = self.u[:n].copy()
            for t in range(n - 1):
                want = 0.5*want + t
            self.assertEqual(f(self.u[:n]).tolist(), want.tolist())
        self.assertEqual(len(f.traces), 1)

    def test_several_until_and_stack(self):
        for make in ilex.jit, lambda f: f:
            (last, count), stacked = make(lambda u: ilex.loop(
                100, lambda t, c: (0.5*c[0] + 1, c[1] + 1), (u, 0),
                until=lambda old, new: ilex.max(ilex.abs(new[0] - old[0]))
                < 1e-3,
                stack=lambda new: {"sum": ilex.sum(new[0]), "k": new[1]}))(
                    np.zeros(3))
            self.assertEqual(last.tolist(), [2 - 2.0**-10] * 3)
            self.assertEqual(int(count), 11)
            self.assertEqual(stacked["k"].tolist(), list(range(1, 12)))
            self.assertEqual(stacked["sum"].tolist(),
                             [6 - 6*2.0**-k for k in range(1, 12)])

    def test_compiled_functions_inside(self):
        half = ilex.jit(lambda u: 0.5*u)
        self.assertEqual(ilex.loop(3, lambda t, u: half(u), self.u).tolist(),
                         (self.u/8).tolist())
        self.assertEqual(half(self.u).tolist(), (self.u/2).tolist())
        with self.assertRaisesRegex(TypeError, "has no elements"):
            ilex.loop(3, lambda t, u: u if u[0] > 0 else -u, self.u)
        self.assertEqual(half(self.u).tolist(), (self.u/2).tolist())

    def test_nested_in_a_dictionary(self):
        made = ilex.loop(3, lambda t, c: {"v": ilex.loop(
            2, lambda s, v: v + 10*t + s, c["v"])}, {"v": np.array([0., 1.])})
        self.assertEqual(made["v"].tolist(), [63, 64])

    def test_more_than_a_context_has_sizes(self):
        u = self.u
        for _ in range(4200):
            u = ilex.loop(2, lambda t, x: 0.5*x + 1.0, u).compute()
        self.assertEqual(u.tolist(), [2.0] * 9)

    def test_stacks_of_steps_that_were_made(self):
        """Outside of a trace their length is a number."""
        last, all_ = ilex.loop(10, lambda t, x: x + 1, 0.0, stack=lambda x: x,
                               until=lambda old, new: new >= 3)
        self.assertEqual(float(all_[-1]), 3)
        self.assertEqual((all_ + np.ones(3)).tolist(), [2, 3, 4])
        self.assertEqual(float(last), 3)

    def test_lengths_that_steps_count(self):
        def halve(t, carried):
            u, total = carried
            return 0.5 * u, total + ilex.sum(u[u > 0.5])

        x = np.array([3, -1, 2, 0.25, -4, 1])
        want = sum((x * h)[x * h > 0.5].sum() for h in (1, 0.5, 0.25))
        f = ilex.jit(lambda x: ilex.loop(3, halve, (x, 0.0))[1])
        self.assertEqual(float(f(x)), want)
        self.assertEqual(float(ilex.loop(3, halve, (x, 0.0))[1]), want)

    def test_mistakes(self):
        for body, error, words in (
                (lambda t, u: (u, u), TypeError, "not formed as"),
                (lambda t, u: ilex.astype(u, ilex.float32),
                 ilex.errors.DtypeError, "makes float32 of"),
                (lambda t, u: u[1:], ilex.errors.ShapeError,
                 r"makes \[8\] of a carried array of \[9\]"),
                (lambda t, u: ilex.concat([u, u]), ilex.errors.ShapeError,
                 r"makes \[18\] of"),
                (lambda t, u: ilex.sum(u), ilex.errors.ShapeError,
                 r"makes \[\] of")):
            with self.assertRaisesRegex(error, words):
                ilex.loop(3, body, self.u)
        with self.assertRaises(TypeError):
            ilex.loop(2.5, smooth, self.u)
        kept = []
        ilex.loop(3, lambda t, u: kept.append(u) or u, self.u)
        with self.assertRaisesRegex(ValueError, "outside of the loop"):
            kept[0].compute()


if __name__ == "__main__":
    unittest.main()
