# SPDX-License-Identifier: MIT
"""Methods of arrays, called as NumPy's and by NumPy; NumPy's values."""

import unittest

import numpy as np

import ilex

CALLS = """
sum() sum(0) sum(axis=(0,1)) sum(1,keepdims=True) sum(dtype='f4') prod(1)
mean() mean(0) mean(1,dtype='f4') mean(-1,None,None,True) max() max(1) min(axis=0,keepdims=True)
any() all(1) argmax() argmax(0) argmin(1) var() var(0) std(1,ddof=1)
std(axis=0,keepdims=True) reshape(6) reshape(3,2) reshape((3,-1)) squeeze()
flatten() ravel() transpose() transpose(1,0) transpose((1,0)) clip(1,4)
clip(min=2.5) round() round(1) copy() cumsum() cumsum(1) cumsum(axis=0,dtype='f4') cumprod(0)
T real imag conj() dot(x.T) dot(3.0) swapaxes(0,1) take([2,0]) take([2,0],1) repeat(2) repeat([1,0,2],1)
argsort() argsort(0) nonzero() itemsize nbytes __contains__(9.0) __divmod__(2)
""".split()
FUNCTIONS = """
sum(x) sum(x,axis=1) sum(x,0) mean(x) mean(x,axis=0,keepdims=True) max(x,axis=1)
min(x) any(x>3) all(x>-1,axis=0) prod(x,axis=0) argmax(x) argmin(x,axis=0)
var(x) std(x,axis=1,ddof=1) reshape(x,(3,2)) squeeze(x) ravel(x) transpose(x)
clip(x,1,4) round(x/7,2) cumsum(x,axis=1) cumprod(x,axis=0) copy(x) add.reduce(x)
add.reduce(x,axis=1) multiply.outer(x,x) maximum.accumulate(x,axis=1) modf(x)
add(x,1,dtype='f8') sort(x,0) sort(x,axis=None)
""".split()
# Those that give arrays of Ilex, in functions that are compiled, too.
OWN = """
where(x>2,x,0) where(x>2,x,-x) stack([x,x],axis=1) stack([x,-x]) concatenate([x,x])
concatenate((x,2*x),axis=1) dot(x,x.T) dot(x,[1,2,3]) einsum('ij,kj->ik',x,x) sort(x)
argsort(x,axis=0) tile(x,2) tile(x,(2,1)) roll(x,1) roll(x,1,axis=0) roll(x,1,1) moveaxis(x,0,1)
tensordot(x,x,axes=((1,),(1,))) expand_dims(x,0) expand_dims(x,(0,1)) broadcast_to(x,(4,2,3))
flip(x) flip(x,1) repeat(x,2,axis=1) diff(x,axis=1) take(x,[1,0],axis=1) take(x,[4,0])
count_nonzero(x>2) count_nonzero(x-1,axis=1) tril(x) tril(x,1) triu(x,k=-1) isin(x,[1,4]) angle(-x)
take_along_axis(x,np.argsort(-x,1),1) linalg.inv(x@x.T) linalg.det(x@x.T) linalg.solve(x@x.T,x[:,:2])
""".split()


class Methods(unittest.TestCase):
    def setUp(self):
        self.own = np.array([[3.0, 1, 4], [1, 5, 9]])
        self.x = ilex.asarray(self.own)

    def check(self, call, made, want):
        if not isinstance(want, tuple):
            made, want = (made,), (want,)
        for a, b in zip(made, want):
            a = np.asarray(a)
            self.assertEqual((call, a.shape, a.dtype),
                             (call, b.shape, b.dtype))
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=call)

    def test_methods(self):
        for call in CALLS:
            made = eval("x." + call, {"x": self.x})
            want = eval("x." + call, {"x": self.own})
            if isinstance(want, (np.ndarray, np.generic)):
                self.assertIsInstance(made, ilex.Array, call)
            self.check(call, made, want if isinstance(want, tuple) else
                       np.asarray(want))

    def test_functions_of_numpy(self):
        for call in FUNCTIONS:
            want = eval("np." + call, {"np": np, "x": self.own})
            made = eval("np." + call, {"np": np, "x": self.x})
            self.check(call, made, want if isinstance(want, tuple) else
                       np.asarray(want))

    def test_functions_that_are_ours(self):
        for call in OWN:
            def f(x):
                return eval("np." + call, {"np": np, "x": x})
            want = np.asarray(f(self.own))
            for made in f(self.x), ilex.jit(f)(self.own):
                self.assertIsInstance(made, ilex.Array, call)
                self.check(call, made, want)
        self.assertIsInstance(np.zeros_like(self.x), np.ndarray)
        self.assertEqual(np.zeros(2, dtype=self.x.dtype).dtype, np.float64)
        self.check("round", round(self.x / 7, 1), np.round(self.own / 7, 1))
        made = ilex.jit(lambda x: x + np.ones_like(x))(self.own)
        self.check("ones_like", made, self.own + 1)

    def test_numbers(self):
        x = self.x / 7
        self.assertEqual(round(x[0, 0], 2), 0.43)
        self.assertEqual(round(x[1, 2]), 1)
        self.assertIs(type(round(x[1, 2])), int)

    def test_axes_by_position(self):
        for name in ("sum prod mean max min any all argmax argmin var std "
                     "count_nonzero cumulative_sum cumulative_prod").split():
            f = getattr(ilex, name)
            self.assertEqual(f(self.x, 1).tolist(),
                             f(self.x, axis=1).tolist(), name)

    def test_arrays_of_numpy_are_written(self):
        a = self.own.copy()
        a += self.x
        self.assertIs(type(a), np.ndarray)
        self.assertEqual(a.tolist(), (2*self.own).tolist())
        out = np.empty((2, 3))
        self.assertIs(np.multiply(self.x, 3, out=out), out)
        self.assertEqual(out.tolist(), (3*self.own).tolist())
        counts = np.zeros((2, 3), int)
        with self.assertRaises(TypeError):
            counts += self.x  # floats
        for wrong in (lambda: np.add(a, a, out=self.x),
                      lambda: np.add.reduce(a, out=self.x),
                      lambda: np.sum(self.x, out=np.empty(())),
                      lambda: np.max(self.x, out=np.empty(()))):
            with self.assertRaisesRegex(TypeError, "take the result"):
                wrong()
        with self.assertRaisesRegex(ValueError, "C order"):
            self.x.reshape(6, order="F")

    def test_what_is_none_of_them(self):
        for other in (np.ones(2, np.longdouble), np.array([object()]),
                      np.ones(2, "M8[D]")):
            with self.assertRaisesRegex(TypeError, "convert them"):
                ilex.asarray(other)
        with self.assertRaisesRegex(TypeError, r"newbyteorder\('='\)"):
            ilex.asarray(np.ones(2, ">i2"))
        with self.assertRaisesRegex(IndexError, "which the array covers"):
            self.x[:, ilex.asarray([7])].compute()

    def test_large_integers(self):
        own = np.array([5, 2**64 - 1], "u8")
        x, most = ilex.asarray(own), 2**64 - 1
        for f in (lambda x: x & 0x9E3779B97F4A7C15, lambda x: most - x,
                  lambda x: x == most, lambda x: x + 2**63):
            self.assertEqual(f(x).tolist(), f(own).tolist())
        self.assertEqual(x.at[0].set(most).tolist(), [most, most])
        self.assertEqual(ilex.where(x > 5, x, most).tolist(), [most, most])
        self.assertEqual(ilex.full(1, most, dtype="uint64").tolist(), [most])
        self.assertEqual(ilex.asarray([1, most]).dtype, ilex.uint64)
        self.assertEqual((self.x + 2**64).tolist(), (self.own + 2**64).tolist())
        for f in (lambda: ilex.asarray([1]) + 2**63, lambda: x + 2**64):
            with self.assertRaisesRegex(OverflowError, "beside no array"):
                f()

    def test_integers_become_real_first(self):
        norm, whole = ilex.linalg.vector_norm, np.array([-128, 100], "i1")
        for order in (0, 1, 2, -1, np.inf):
            np.testing.assert_allclose(
                np.asarray(norm(ilex.asarray(whole), ord=order)),
                np.linalg.norm(whole.astype("f8"), order))
        for numbers in ([123, 155, -15], [1234.5, -55.0, 0.05]):
            own = np.array(numbers)
            for n in (-2, -1, 0, 1):
                made = np.round(ilex.asarray(own), n)
                self.check(f"round {n}", made, np.round(own, n))
        own = np.array([5], "u1")
        for bounds in ((300, 1000.5), (300, None), (2, 4.5)):
            want = np.array([255], "u1") if None in bounds else \
                np.clip(own, *bounds)
            self.check(bounds, ilex.clip(ilex.asarray(own), *bounds), want)
        self.check("linspace", ilex.linspace(-2e38, 3e38, 3, dtype="float32"),
                   np.linspace(-2e38, 3e38, 3).astype("f4"))

    def test_traces(self):
        @ilex.jit
        def f(x):
            return np.mean(x, axis=0) + x.sum(0), np.exp(x).max()

        made = f(self.x)
        np.testing.assert_allclose(np.asarray(made[0]),
                                   self.own.mean(0) + self.own.sum(0))
        self.assertEqual(float(made[1]), np.exp(9.0))

    def test_lists_have_the_dtypes_of_numpy(self):
        for numbers in ([np.float16(1.5), np.float16(2)],
                        [np.float32(1.5), np.float32(2)],
                        [np.float32(1.5), 2], [np.int8(1), np.int16(2)],
                        [np.float32(1), np.complex64(2j)], [True, 2], [1, 2.5],
                        [np.uint8(200), np.int8(-1)], [1j, 2], [True, False],
                        [[np.float32(1)], [np.float32(2)]], [],
                        [np.ones(2, "f4"), np.zeros(2, "f4")],
                        [np.uint64(2**63), np.uint64(1)]):
            want = np.array(numbers)
            made = ilex.asarray(numbers)
            self.assertEqual((made.dtype.name, made.shape, made.tolist()),
                             (want.dtype.name, want.shape, want.tolist()))
        self.assertEqual(ilex.asarray([ilex.asarray(1, dtype="float32"),
                                       ilex.asarray(2, dtype="float32")])
                         .dtype, ilex.float32)
        self.assertEqual(ilex.asarray([1.7, 2], dtype="int8").tolist(), [1, 2])
        self.assertEqual(ilex.asarray([1, 2], dtype="bfloat16").tolist(),
                         [1, 2])


if __name__ == "__main__":
    unittest.main()
