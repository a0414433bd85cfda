# SPDX-License-Identifier: MIT
"""Fields: named axes, shifts, halos."""

import copy
import pickle
import unittest

import numpy as np

import ilex
from ilex.fields import Axis, domain, field, index, restrict, shift

I, J, K = Axis("I"), Axis("J"), Axis("K")


class Fields(unittest.TestCase):
    def setUp(self):
        self.memory = np.random.default_rng(5).random((6, 7))
        m = self.memory
        self.lap = (m[2:, 1:-1] + m[:-2, 1:-1] + m[1:-1, 2:] + m[1:-1, :-2] -
                    4 * m[1:-1, 1:-1])

    def test_a_halo_is_pickled(self):
        u = field(np.arange(5.0), "I", halo=((1, 1),))
        kept = pickle.loads(pickle.dumps(u))
        np.testing.assert_array_equal(
            np.asarray(restrict(kept[I + 1], "I:3")), [2, 3, 4])

    def test_stencil(self):
        u = field(self.memory, "IJ", halo=((1, 1), (1, 1)))
        self.assertEqual((u.shape, u.axes), ((4, 5), ("I", "J")))
        lap = u[I + 1] + u[I - 1] + u[J + 1] + shift(u, J=-1) - 4 * u
        np.testing.assert_allclose(restrict(lap, u), self.lap)
        part = restrict(lap, domain(I=(1, 3), J=2))
        self.assertEqual(part.shape, (2, 2))
        np.testing.assert_allclose(part, self.lap[1:3, :2])

    def test_copies(self):
        u = field(self.memory, "IJ", halo=((1, 1), (1, 1)))
        inside = self.memory[1:-1, 1:-1]
        for made in (u, copy.copy(u), pickle.loads(pickle.dumps(u)),
                     ilex.asarray(u, copy=True)):
            self.assertEqual((made.shape, made.axes), ((4, 5), ("I", "J")))
            np.testing.assert_array_equal(made, inside)
            self.assertEqual(made.tolist(), inside.tolist())
            np.testing.assert_array_equal(np.from_dlpack(made), inside)

    def test_elements_of_named_axes(self):
        with self.assertRaisesRegex(IndexError, r"u\[I\+1\] shifts one"):
            field(np.ones((2, 3)), "IJ")[0]

    def test_what_leaves_the_halo(self):
        u = field(self.memory, "IJ", halo=((1, 1), (1, 1)))
        with self.assertRaises(IndexError) as caught:
            restrict(u[I + 2], u)
        self.assertIn("I", str(caught.exception))
        with self.assertRaises(IndexError):
            u[K + 1]
        with self.assertRaises(IndexError):
            u[I + 0.25]
        with self.assertRaises(IndexError):
            u[I + 1, 3]

    def test_broadcast_by_name(self):
        a, b = np.arange(3.0), np.arange(4.0)
        x, y = field(a, "I"), field(b, "J")
        made = x + y
        self.assertEqual(made.axes, ("I", "J"))
        np.testing.assert_array_equal(made, a[:, None] + b)
        np.testing.assert_array_equal(x * index(I), a * np.arange(3))
        np.testing.assert_array_equal(ilex.sum(made, axis="J"),
                                      (a[:, None] + b).sum(1))

    def test_jit(self):
        @ilex.jit
        def step(u, rate):
            lap = u[I + 1] + u[I - 1] + u[J + 1] + u[J - 1] - 4 * u
            return restrict(u + rate * lap, u)

        m = self.memory
        for memory in (m, m, np.tile(m, (2, 3)), m):
            want = memory[1:-1, 1:-1] + 0.5 * (
                memory[2:, 1:-1] + memory[:-2, 1:-1] + memory[1:-1, 2:] +
                memory[1:-1, :-2] - 4 * memory[1:-1, 1:-1])
            u = field(memory, "IJ", halo=((1, 1), (1, 1)))
            np.testing.assert_allclose(step(u, 0.5), want)
        self.assertEqual(len(step.traces), 1)
        with self.assertRaises(IndexError):  # no halo on one side
            step(field(m, "IJ", halo=((1, 1), (1, 0))), 0.5)

        @ilex.jit
        def f(u):
            return u * 2
        for halo in (((1, 1), (1, 1)), ((0, 2), (1, 1)), None):
            u = field(m, "IJ", halo)
            for _ in range(2):
                np.testing.assert_array_equal(
                    f(u), np.asarray(restrict(u * 2, u)))
        self.assertEqual(f(m).shape, (6, 7))


if __name__ == "__main__":
    unittest.main()
