# SPDX-License-Identifier: MIT
"""Arrays: what NumPy gives for the same, lazily."""

import copy
import pickle
import random
import threading
import unittest
import warnings

import numpy as np

import ilex


def values(x):
    return np.asarray(x)


class Case(unittest.TestCase):
    def same(self, mine, theirs):
        mine, theirs = values(mine), np.asarray(theirs)
        self.assertEqual(mine.dtype, theirs.dtype)
        np.testing.assert_array_equal(mine, theirs)


class FirstTries(Case):
    """What somebody who knows NumPy writes."""

    def test_several_threads_ask_for_one_number(self):
        for k in range(60):
            x = ilex.sum(ilex.exp(-ilex.asarray(np.arange(1000.0))) + k)
            found = []
            threads = [threading.Thread(target=lambda: found.append(float(x)))
                       for _ in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(found, [float(x)] * 3)

    def test_roll_along_several_axes(self):
        a = np.arange(6.0).reshape(2, 3)
        x = ilex.asarray(a)
        self.same(ilex.roll(x, 1, axis=(0, 1)), np.roll(a, 1, axis=(0, 1)))
        self.same(ilex.roll(x, (1, 1)), np.roll(a, (1, 1)))
        self.same(ilex.roll(x, ilex.asarray(1)), np.roll(a, 1))
        with self.assertRaises(ValueError):
            ilex.roll(x, (1, 1, 1), axis=(0, 1))
        self.same(ilex.sum(x, axis=np.int64(1)), np.sum(a, axis=1))

    def test_halves_are_numbers_of_python(self):
        x = ilex.asarray(np.float16([1.5, 2]))
        self.assertEqual(x.tolist(), [1.5, 2.0])
        self.assertIn("1.5", repr(x))
        self.assertEqual(float(x[0]), 1.5)

    def test_elements_that_do_not_fit(self):
        x = ilex.zeros(3, dtype=ilex.uint8)
        with self.assertRaises(OverflowError):
            x[0] = 300
        with self.assertRaises(OverflowError):
            x[0] = -1
        with self.assertRaises(ValueError):
            x[0] = float("nan")
        x[0] = 255
        self.same(x, np.array([255, 0, 0], np.uint8))

    def test_conversions(self):
        with self.assertRaises(ValueError):
            ilex.asarray([1, 2], copy=False)
        self.assertEqual(f"{ilex.asarray(3.0) + 1:.3f}", "4.000")
        kept = pickle.loads(pickle.dumps(ilex.ones(3, dtype=ilex.bfloat16)))
        self.assertIs(kept.dtype, ilex.bfloat16)


class Operators(Case):
    def test_lazy(self):
        x = ilex.asarray(np.arange(6.0))
        y = x * 2 + 1
        self.assertIsNone(y.storage)
        self.assertIn("not computed", repr(y))
        self.assertIsNone(y.storage)
        self.same(y, np.arange(6.0) * 2 + 1)
        self.assertIsNotNone(y.storage)
        self.assertIn("11.0", repr(y))

    def test_as_numpy(self):
        rng = np.random.default_rng(1)
        names = ["int8", "uint16", "int64", "float32", "float64", "complex64"]
        for a in names:
            for b in names:
                x = rng.integers(1, 9, (3, 4)).astype(a)
                y = rng.integers(1, 9, 4).astype(b)
                for f in ("__add__", "__sub__", "__mul__", "__truediv__",
                          "__eq__", "__ne__"):
                    made = getattr(ilex.asarray(x), f)(ilex.asarray(y))
                    own = getattr(x, f)(y)
                    with self.subTest(a=a, b=b, f=f):
                        if f == "__truediv__" and own.dtype.kind == "c":
                            self.assertEqual(made.dtype, own.dtype)
                            np.testing.assert_allclose(values(made), own, 3e-7)
                        else:
                            self.same(made, own)

    def test_numbers_are_weak(self):
        x = np.arange(3, dtype="float32")
        for made, own in ((ilex.asarray(x) * 2.5, x * np.float32(2.5)),
                          (3 - ilex.asarray(x), 3 - x),
                          (ilex.asarray(x) * 1j, (x * 1j).astype("c8"))):
            self.same(made, own)
        self.assertEqual((ilex.asarray([1, 2]) + 0.5).dtype, ilex.float64)

    def test_numpy_on_the_left(self):
        x = np.arange(3.0)
        y = ilex.asarray(x)
        self.assertIsInstance(x + y, ilex.Array)
        self.same(x + y, x + x)
        self.same(np.exp(y), np.exp(x))
        self.assertIsInstance(np.add(x, y), ilex.Array)

    def test_in_place(self):
        x = ilex.asarray([1.0, 2.0])
        y = x
        x += 1
        self.assertIs(x, y)
        self.same(y, [2.0, 3.0])
        with self.assertRaises(TypeError):
            x += ilex.ones((2, 2))
        with self.assertRaises(TypeError):
            x += 1j
        with self.assertRaises(TypeError):
            x + "a"

    def test_numbers(self):
        self.assertIs(bool(ilex.asarray(3) > 2), True)
        self.assertEqual(float(ilex.sum(ilex.asarray([1.5, 2]))), 3.5)
        self.assertEqual([10, 20, 30][ilex.asarray(1)], 20)
        self.assertEqual(complex(ilex.asarray(1j)), 1j)
        for wrong in (lambda: bool(ilex.ones((2,))),
                      lambda: [0][ilex.asarray(0.0)],
                      lambda: len(ilex.asarray(1))):
            with self.assertRaises(TypeError):
                wrong()

    def test_errors_are_of_python(self):
        x = ilex.ones((3,))
        cases = ((ValueError, lambda: x + ilex.ones((4,))),
                 (IndexError, lambda: x[5]),
                 (IndexError, lambda: x[0, 0]),
                 (TypeError, lambda: x & x),
                 (NotImplementedError, lambda: ilex.linalg._core.det(
                     ilex.ones((20, 20)))))
        for kind, wrong in cases:
            with self.assertRaises(kind) as caught:
                wrong()
            self.assertIsInstance(caught.exception, ilex.Error)
        self.assertEqual(float(ilex.sum(x)), 3.0)  # nothing is left behind


class Subscripts(Case):
    def test_messages_are_of_python(self):
        u8 = ilex.asarray(np.array([1, 2], np.uint8))
        for why, words, call in (
                (OverflowError, "300 is no number", lambda: u8 + 300),
                (OverflowError, "-1 is no number", lambda: u8 / -1),
                (ValueError, r"shape \(2, 2\) for elements of shape \(2\)",
                 lambda: ilex.zeros(5).at[1:3].set(np.ones((2, 2)))),
                (ValueError, r"shape \(3\) for elements of shape \(2\)",
                 lambda: ilex.zeros(5).at[1:3].set(np.ones(3))),
                (TypeError, r"Array.sum\(\) got", lambda: u8.sum(where=1)),
                (TypeError, "are a text", lambda: ilex.einsum(u8, [0], [0])),
                (TypeError, "makes arrays of lists",
                 lambda: ilex.sum([1, 2]))):
            with self.assertRaisesRegex(why, words):
                call()
        self.same(ilex.arange(ilex.asarray(3)), [0, 1, 2])
        self.same(ilex.stack([1, 2]), [1, 2])
        self.same(ilex.concat([ilex.asarray([1]), [2]]), [1, 2])
        for a, b in zip(ilex.meshgrid([1, 2], [3]), np.meshgrid([1, 2], [3])):
            self.same(a, b)

    def test_random(self):
        rng = random.Random(7)
        x = np.arange(60.0).reshape(3, 4, 5)
        y = ilex.asarray(x)
        for _ in range(300):
            key = tuple(self.draw(rng, n) for n in x.shape[:rng.randint(0, 3)])
            if rng.random() < 0.3:
                key += (Ellipsis,)
            if rng.random() < 0.3:
                key = (None, *key)
            with self.subTest(key=key):
                self.same(y[key], x[key])

    @staticmethod
    def draw(rng, n):
        def end():
            return rng.choice([None, rng.randint(-n - 2, n + 2)])
        return rng.choice([rng.randrange(-n, n), slice(end(), end()),
                           slice(end(), end(), rng.choice([-2, -1, 2, 3])),
                           slice(None)])

    def test_arrays(self):
        x = np.arange(12).reshape(3, 4)
        y = ilex.asarray(x)
        at = np.array([2, 0, -1])
        self.same(y[at], x[at])
        self.same(y[[0, 2]], x[[0, 2]])
        self.same(y[:, at], x[:, at])
        self.same(y[at, at], x[at, at])
        self.same(y[y % 2 == 0], x[x % 2 == 0])
        self.same(y[y[:, 0] > 2], x[x[:, 0] > 2])
        self.assertEqual(y[y > 100].shape, (0,))
        self.same(y[np.int32(1), np.int64(2)], x[1, 2])
        with self.assertRaises(IndexError):
            y["a"]

    def test_assignment(self):
        for key, value in ((1, 5), ((slice(None), 2), [1, 2, 3]), (..., 7),
                           (([0, 2], [1, 1]), 9),
                           ((slice(None, None, 2), slice(1, 3)), 0)):
            x = np.arange(12.0).reshape(3, 4)
            y = ilex.asarray(x, copy=True)
            kept = y + 0
            before = x.copy()
            x[key] = value
            y[key] = value
            with self.subTest(key=key):
                self.same(y, x)
                self.same(kept, before)
        x = np.arange(5.0)
        y = ilex.asarray(x, copy=True)
        x[x > 2] = -1
        y[y > 2] = -1
        self.same(y, x)
        y[y < 0] = ilex.asarray([7.0, 8.0])
        self.same(y, [0.0, 1, 2, 7, 8])

    def test_rows(self):
        x = np.arange(12.0).reshape(3, 4)
        y = ilex.asarray(x) * 1  # computed, and not
        for _ in range(2):
            for i in range(-3, 3):
                self.same(y[i], x[i])
                self.same(y[i][1], x[i][1])
                self.same(y[i] + y[0], x[i] + x[0])
            for i in 3, -4:
                with self.assertRaises(IndexError):
                    y[i]
            self.assertEqual([r.tolist() for r in y], x.tolist())
        with self.assertRaises(IndexError):
            ilex.asarray(1.0)[0]
        self.assertIn(5.0, y)
        self.assertNotIn(50.0, y)
        self.assertNotIn(None, y)
        row = y[1]
        y[1] = 7.0
        self.same(row, x[1])
        self.same(y[1], [7.0] * 4)
        own = ilex.asarray(x)  # NumPy's memory, as it is then
        row, x[1] = own[1], -1.0
        self.same(row, [-1.0] * 4)
        self.assertEqual(max(ilex.asarray([3, 1, 2])), 3)
        self.assertEqual(list(map(float, sorted(ilex.asarray([3.0, 1.0])))),
                         [1.0, 3.0])

    def test_new_axes_and_masks(self):
        x = np.arange(12.0).reshape(4, 3)
        y = ilex.asarray(x)
        z = x.copy()
        z[:, None, 1] = [[7.0], [8.0], [9.0], [10.0]]
        self.same(y.at[:, None, 1].set([[7.0], [8.0], [9.0], [10.0]]), z)
        with self.assertRaises(IndexError):
            y[ilex.asarray([True, False])]
        with self.assertRaises(IndexError):
            y[:, ilex.asarray([True] * 4)]
        self.same(y[..., np.array([True, False, True])], x[..., [0, 2]])
        self.same(y[[]], x[[]])
        z = np.arange(8.0).reshape(2, 2, 2)
        self.same(ilex.asarray(z)[:, [0, 1], ..., [1, 0]],
                  z[:, [0, 1], ..., [1, 0]])
        with self.assertRaises(NotImplementedError):
            y.at[None, [0, 1]].set(1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for s in ((2,), (2, 2), (2, 3), (2, 2, 2), (2, 3, 4), (1, 2),
                      (2, 1), (3, 3, 2), (4, 4, 4)):
                ilex.nonzero(ilex.ones(s))

    def test_complex_elements_of_real_arrays(self):
        for value in 3+1j, [1j, 0.0], np.complex64(1j):
            x = ilex.zeros(2)
            with self.assertRaisesRegex(TypeError, "complex"):
                x[:] = value
            self.same(x, [0.0, 0.0])
        x = ilex.zeros(2, dtype=ilex.complex128)
        x[0] = 1j
        self.same(x, [1j, 0])

    def test_repeat(self):
        x = ilex.arange(3)
        for counts in [3, 0, 1], np.array([3, 0, 1]), np.uint8([3, 0, 1]):
            self.same(ilex.repeat(x, counts), [0, 0, 0, 2])
        self.same(ilex.repeat(x, ilex.asarray(2)), [0, 0, 1, 1, 2, 2])
        for counts in [3, -1, 1], [3, -3, 1], -1:
            with self.assertRaises(ValueError):
                ilex.repeat(x, counts)
        for counts in [1.5, 1, 1], 2.5:
            with self.assertRaises(TypeError):
                ilex.repeat(x, counts)

    def test_long_chains_without_arrays(self):
        x = y = ilex.zeros(3)
        for _ in range(2500):
            x = x*0.5 + 1
            y = -y
        self.same(x, [2.0] * 3)
        self.same(y, [0.0] * 3)

    def test_masks_give_memory_back(self):
        v = np.random.default_rng(0).random(100)
        import sys
        before = sys.getrefcount(v)
        for _ in range(300):
            a = ilex.asarray(v)
            a[a > 0.5].compute()
            ilex.unique_values(a)
        del a
        ilex.asarray(1) + 1
        self.assertLess(sys.getrefcount(v), before + 10)

    def test_at(self):
        x = ilex.asarray([1, 2, 3])
        self.same(x.at[[0, 0, 2]].add(10), [21, 2, 13])
        self.same(x.at[1].multiply(5), [1, 10, 3])
        self.same(x.at[:].max(2), [2, 2, 3])
        self.same(x.at[0].min(-1), [-1, 2, 3])
        self.same(x, [1, 2, 3])

    def test_memory_is_shared(self):
        x = np.zeros(3)
        y = ilex.asarray(x)
        x[1] = 5
        self.same(y + 0, [0.0, 5, 0])
        y[0] = 1  # another array from now on
        self.assertEqual(x[0], 0)


class Updates(Case):
    def test_boxes_one_after_another(self):
        r = np.random.default_rng(5)
        x = r.random((9, 7))
        mine = ilex.asarray(x.copy())
        for k in range(40):  # more than loops can be cut for
            a, b = sorted(r.integers(0, 10, 2))
            key = (slice(a, b), int(r.integers(7))) if k % 2 else \
                (int(r.integers(9)), slice(None, None, k % 3 + 1))
            mine = mine.at[key].add(float(k))
            x[key] += k
        self.same(mine, x)

    def test_a_box_is_computed_with_the_rest(self):
        f = ilex.jit(lambda u: u.at[1:-1, 1:-1].set(u[2:, 1:-1] + 1))
        text = ilex.explain(f)(np.ones((5, 6)))
        self.assertIn("k0 on", text)
        self.assertNotIn("k1 on", text)


class Objects(Case):
    def test_copies(self):
        x = ilex.asarray([[1, 2], [3, 4]]) * 2
        for made in (copy.copy(x), copy.deepcopy(x),
                     pickle.loads(pickle.dumps(x))):
            self.same(made, [[2, 4], [6, 8]])
        self.assertEqual(pickle.loads(pickle.dumps(ilex.float32)),
                         ilex.float32)

    def test_from_python(self):
        for obj in (1, 2.5, True, 1j, [], [1, 2], [[1.5], [2]], [1, True],
                    [1j, 2], [[], []]):
            with self.subTest(obj=obj):
                self.same(ilex.asarray(obj), np.asarray(obj))
        self.same(ilex.asarray(range(3)), np.arange(3))
        with self.assertRaises(ValueError):
            ilex.asarray([[1], [1, 2]])

        class Frame:  # of another library
            def __array__(self, dtype=None, copy=None):
                return np.arange(3.0)
        self.same(ilex.ones((3,)) + Frame(), np.arange(3.0) + 1)
        self.same(Frame() * ilex.ones((3,)), np.arange(3.0))
        self.same(ilex.sum(Frame()), 3.0)
        with self.assertRaises(TypeError):
            ilex.asarray(object())
        with self.assertRaises(OverflowError):
            ilex.asarray([300], dtype="uint8")

    def test_dtypes(self):
        self.assertEqual(ilex.float32, np.dtype("float32"))
        self.assertEqual(ilex.asarray([1], dtype=float).dtype, ilex.float64)
        self.assertTrue(ilex.isdtype(ilex.int8, "signed integer"))
        self.assertEqual(ilex.result_type(ilex.int8, ilex.uint8), ilex.int16)
        half = ilex.asarray([1.0, 2.0]).astype("bfloat16")
        self.assertEqual((half + half).tolist(), [2.0, 4.0])
        with self.assertRaises(TypeError):
            ilex.zeros((2,), dtype="float99")

    def test_bounds_and_axes(self):
        u = ilex.asarray([1, 200], dtype="uint8")
        self.assertEqual(ilex.clip(u, -1, 300).tolist(), [1, 200])
        self.same(ilex.clip(ilex.asarray([1, 2, 3]), 1.5, 2.5), [1.5, 2, 2.5])
        self.same(ilex.linspace(-3.5, 3.5, 5, dtype=int),
                  np.linspace(-3.5, 3.5, 5, dtype=int))
        self.same(np.add(ilex.asarray(np.float32([1])), 1), np.float32([2]))
        self.assertEqual(ilex.zeros((1,), dtype="i8").dtype, np.dtype("i8"))
        self.assertEqual(ilex.float64, np.float64)
        m = ilex.ones((2, 3))
        for wrong in (lambda: ilex.cumulative_sum(m, axis=5),
                      lambda: ilex.diff(m, axis=4),
                      lambda: ilex.stack([m, m], axis=7),
                      lambda: ilex.permute_dims(m, (0, 3)),
                      lambda: ilex.sum(m, axis=2)):
            with self.assertRaises(IndexError):
                wrong()
        x = ilex.asarray([1.0, 2.0])
        for made in (ilex.clip(x), ilex.flip(x, axis=())):
            made[0] = 9
        self.assertEqual(x.tolist(), [1.0, 2.0])
        with self.assertRaises(TypeError):
            ilex.Array()
        with self.assertRaises(TypeError):
            ilex._core.compile((1,), "x")

    def test_functions(self):
        x = np.random.default_rng(3).random((4, 5))
        y = ilex.asarray(x)
        self.same(ilex.sort(y, axis=0), np.sort(x, axis=0))
        self.same(ilex.argsort(y, axis=1, descending=True),
                  np.argsort(-x, axis=1, kind="stable"))
        self.same(ilex.concat([y, y], axis=1), np.concatenate([x, x], axis=1))
        self.same(ilex.roll(y, 2, axis=1), np.roll(x, 2, axis=1))
        self.same(ilex.max(y, axis=(0, 1)), x.max())
        self.same(y.reshape((5, 4)).max(axis=0), x.reshape(5, 4).max(axis=0))
        self.same(ilex.unique_values(ilex.asarray([3, 1, 3])), [1, 3])
        self.same(ilex.arange(5, 0, -2), np.arange(5, 0, -2))
        self.same(ilex.reshape(y, (2, -1)), x.reshape(2, -1))
        np.testing.assert_allclose(values(ilex.matmul(y, y.T)), x @ x.T)
        np.testing.assert_allclose(values(ilex.linalg.svdvals(y)),
                                   np.linalg.svd(x)[1])


if __name__ == "__main__":
    unittest.main()
