# SPDX-License-Identifier: MIT
"""examples/python/tensors.py: values beside NumPy's, programs that serve all
sizes, errors at the user's line."""

import re
import unittest

import numpy
import tensors

RNG = numpy.random.default_rng(0)
LAYER = """
in a[n, k], b[k, m], bias[m]
c[i, j] = sum[l] a[i, l]*b[l, j]
d[i, j] = max(c[i, j] + bias[j], 0.0)
top[i] = max[j] d[i, j]
e[i, j] = exp(d[i, j] - top[i])
out p[i, j] = e[i, j]/(sum[l] e[i, l])
"""


class Values(unittest.TestCase):
    def check(self, text, expected, **arrays):
        found, = tensors.compile(text)(**arrays).values()
        self.assertEqual(found.dtype, numpy.asarray(expected).dtype)
        numpy.testing.assert_allclose(found, expected, rtol=1e-12 if found.itemsize > 4 else 1e-6)

    def test_layer_of_all_sizes(self):
        layer = tensors.compile(LAYER)
        program = layer.program.text("c")
        for n, k, m in (1, 1, 1), (4, 3, 5), (17, 0, 2), (33, 64, 65), (0, 2, 3):
            a, b, bias = RNG.random((n, k)), RNG.random((k, m)), RNG.random(m) - 1.0
            e = numpy.maximum(a @ b + bias, 0.0)
            e = numpy.exp(e - e.max(axis=1, keepdims=True))
            numpy.testing.assert_allclose(layer(a=a, b=b, bias=bias)["p"],
                                          e/e.sum(axis=1, keepdims=True))
        self.assertEqual(layer.program.text("c"), program)

    def test_ranges(self):
        x, w = RNG.random(9), RNG.random(3)
        self.check("in x[n]\nout d[i:n-1] = x[i+1] - x[i]", numpy.diff(x), x=x)
        self.check("in x[n]\nout s[i:n] = sum[k:i+1] x[k]", numpy.cumsum(x), x=x)
        self.check("in x[n]\nout s = sum[k:1:max(1, n)] x[k]", x[1:].sum(), x=x)
        self.check("in x[n], w[3]\nout y[i:n-2] = sum[s] w[s]*x[i+s]",
                   numpy.convolve(x, w[::-1], "valid"), x=x, w=w)
        self.check("in x[2*n]\nh[i:n] = x[2*i+1]\nout y[i] = h[i]", x[1:8:2], x=x[:8])
        self.check("in a[n], b[m]\nm2[i:min(n, m)] = a[i]*b[i]\nout s = sum[i] m2[i]",
                   x[:3] @ w, a=x, b=w)
        self.check("in a[n, m]\nout s = sum[i, j] a[i, j]/n", 2.0, a=numpy.ones((3, 2)))

    def test_indices_that_are_data(self):
        dense = RNG.random((4, 6))*(RNG.random((4, 6)) < 0.5)
        x, (row, col) = RNG.random(6), dense.nonzero()
        ends = numpy.searchsorted(row, numpy.arange(5))
        self.check("in ends[n+1]: int64, col[nz]: int64, val[nz], x[m]\n"
                   "out y[i:n] = sum[k:ends[i]:ends[i+1]] val[k]*x[col[k]]",
                   dense @ x, ends=ends, col=col, val=dense[row, col], x=x)

    def test_names_and_dtypes(self):
        x = RNG.random(5, numpy.float32)
        self.check("in inf[ñ]: float32, v1_inf: float32\nmax[β] = inf[β]*v1_inf  # twice\n"
                   "out exp[π] = exp(max[π])", numpy.exp(x*numpy.float32(2)),
                   inf=x, v1_inf=numpy.float32(2))
        self.check("in size[let], v0\nout map[in_] = size[in_]*v0*let", 10*x[:2].astype(float),
                   size=x[:2].astype(float), v0=5.0)


class Errors(unittest.TestCase):
    def check(self, text, line, column, message):
        with self.assertRaises(SyntaxError) as caught:
            tensors.compile(text, "file.t")
        error = caught.exception
        self.assertEqual(("file.t", line, column), (error.filename, error.lineno, error.offset))
        self.assertTrue(re.search(message, error.msg), error.msg)

    def test_places(self):
        self.check("in x[n]\nout y[i] = x[i] +", 2, 18, "expected a value, not the end")
        self.check("in x[n]\nout y[i] = (x[i]", 2, 17, r"expected \), not the end")
        self.check("in x[n]\nout y[i] = x[i] $ 2", 2, 17, r"expected the end of the line, not \$")
        self.check("in x[n]\n\nout y[i] = x[i] + z[i]  # z", 3, 19, "a value, not z")
        self.check("in x[n]\nout y[i] = x[i, i]", 2, 5, "x has rank 1 and is given 2")
        self.check("in x[n]\nout y[i] = x[2*i]", 2, 7, "no axis is read at i")
        self.check("in x[n]\nout x[i] = 1.0", 2, 5, "new name, not x")
        self.check("in x[n]: float64\n\nin y: float65", 3, 4, "float65.* no dtype")

    def test_what_ilex_finds(self):
        self.check("in x[n]\nout y[i] = x[i+1] - x[i]", 2, 5, "reads x at .*1 when i=0")
        self.check("in x[n]\nz[i] = 2.0*x[i]\nout y[i] = z[i-1]*x[i]", 3, 5, "reads z at axis 0=-1")
        self.check("in a[n, k], b[m]\nout y[i] = sum[l] a[i, l]*b[l]", 2, 5, "reads b")
        self.check("in x[n]\nout y[i] = x[x[i]]*x[i]", 2, 5, "an index is an integer, not f64")
        self.check("in x[n]\nout y[i] = fop(x[i])", 2, 5, "no function 'fop'")
        self.check("in x[n]\nout y[i, i] = x[i]", 2, 5, "index i appears twice")
        self.check("in x[n]\nout y[i, j:i] = x[i]", 2, 12, "not i")


if __name__ == "__main__":
    unittest.main()
