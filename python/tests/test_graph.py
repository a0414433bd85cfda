# SPDX-License-Identifier: MIT
"""ilex.graph: programs made node by node."""

import unittest

import numpy as np

import ilex
from ilex import graph


class Nodes(unittest.TestCase):
    def test_map(self):
        with graph.scope():
            graph.assume("n >= 3")
            u = graph.input("u", ilex.float64, "I:n")
            v = graph.map("i:n-2", "u[i] - 2.0*u[i+1] + u[i+2]", {"u": u})
            second = graph.Program([v], ["u"])
        y, = second(np.arange(9.0) ** 2)
        self.assertEqual(y.tolist(), [2.0] * 7)
        self.assertEqual(second(np.arange(4.0) ** 3)[0].tolist(), [6.0, 12.0])
        self.assertIn("for (", second.text("c"))
        self.assertIn("map", second.text())
        # What was assumed ended with the scope.
        u = graph.input("u", ilex.float64, "I:n")
        with self.assertRaises(ilex.Error):
            graph.map("i:n-2", "u[i]", {"u": u})

    def test_functions_of_c(self):
        a = graph.input("a", "float32", "n, m")
        b = graph.input("b", "float32", "m")
        made = graph.einsum("ij,j", [a, b])
        self.assertIn("einsum", graph.einsum.__doc__)
        p = graph.Program([graph.cast(made, "float64")], ["b", "a"])
        x = np.ones((2, 3), np.float32)
        out, = p(np.arange(3, dtype=np.float32), x)
        self.assertEqual(out.tolist(), [3.0, 3.0])
        self.assertEqual(out.dtype, ilex.float64)
        with self.assertRaises(TypeError):
            graph.map("n", "x[_0]", [("x", a)])
        with self.assertRaises(TypeError):
            graph.map("n", "x[_0]", {"x": object()})
        with self.assertRaises(TypeError):
            graph.map("n", "x[_0]", {1: a})

    def test_scan(self):
        with graph.scope():
            x = graph.input("x", ilex.float64, "n")
            s = graph.scan_self(ilex.float64, "n")
            t = graph.scan_self(ilex.int64, "n")
            v = graph.map("k:n", "where(k == 0, x[k], 0.5*s[k-1] + x[k])",
                          {"x": x, "s": s})
            w = graph.map("k:n", "where(k == 0, 1, t[k-1] + 1)", {"t": t})
            made = graph.scan("0", "forward", [s, t], [v, w])
        p = graph.Program(made, ["x"])
        self.assertEqual([y.tolist() for y in p(np.ones(3))],
                         [[1.0, 1.5, 1.75], [1, 2, 3]])
        with self.assertRaises(ValueError):
            graph.scan("0", "forward", [s, t], [v])
        with self.assertRaises(ilex.Error):
            graph.scan("0", "sideways", [s], [v])

    def test_loop(self):
        with graph.scope():
            start = graph.input("start", ilex.float64, "n")
            t = graph.loop_step("t:steps")
            u = graph.loop_carry(ilex.float64, "n")
            then = 0.5 * u + 1.0
            made = graph.loop(t, [u], [start], [then], ilex.sum(then) > 5.9,
                              [ilex.sum(then)], counts=True)
            p = graph.Program(made, ["start", "steps"])
        last, sums, steps = p(np.zeros(3), 100)
        self.assertEqual(steps.item(), 6)
        self.assertEqual(last.tolist(), [2.0 - 2.0 ** -5] * 3)
        self.assertEqual(sums.tolist(), [6.0 - 6 * 2.0 ** -k
                                         for k in range(1, 7)])
        self.assertEqual(p(np.zeros(3), 2)[2].item(), 2)
        with self.assertRaises(ValueError):
            graph.loop(t, [u], [start, start], [then])

    def test_text(self):
        text = "ilex 1\nprogram p\nsize n\nin x : f64[n]\n" \
               "let c = cumsum(x)\nout y = 2.0*c\n"
        c, y = graph.parse(text, ["c", "y"], "p.ilx")
        p = graph.Program([c, y])
        self.assertEqual([a.tolist() for a in p(np.ones(2))],
                         [[1.0, 2.0], [2.0, 4.0]])
        with self.assertRaises(ilex.Error) as caught:
            graph.parse("ilex 1\nprogram p\nout y = z\n", ["y"], "p.ilx")
        self.assertIn("p.ilx:3", str(caught.exception))
        with self.assertRaises(ilex.Error):
            graph.parse(text, ["nothing"])

    def test_places(self):
        u = graph.input("u", ilex.float64, "n")
        with graph.scope():
            graph.location("f.toy", 12, 3)
            with self.assertRaises(IndexError) as caught:
                graph.map("i:n", "u[i+1]", {"u": u})
        e = caught.exception
        self.assertEqual((e.file, e.line, e.column), ("f.toy", 12, 3))
        with self.assertRaises(ilex.errors.BoundsError) as caught:
            graph.map("i:n", "u[i+1]", {"u": u})  # the place ended, too
        self.assertIsNone(caught.exception.line)
        self.assertEqual(caught.exception.message,
                         "map: reads u at axis 0=1 when i=0; u covers axis 0 "
                         "in [0, n) (for example n=1)")


class Programs(unittest.TestCase):
    def program(self):
        x = graph.input("x", ilex.float64, "n")
        k = graph.input("k", ilex.int32, "")
        return graph.Program([x * k, ilex.sum(x)], ["x", "unread", "k", "n"])

    def test_arguments(self):
        p = self.program()
        for n in (None, 3):
            for _ in range(3):  # the first call, then prepared ones
                a, b = p(np.arange(3.0), "anything", 2, n)
                self.assertEqual((a.tolist(), b.tolist()),
                                 ([0.0, 2.0, 4.0], 3.0))
        self.assertEqual(p(np.arange(2.0), 0, np.int32(3))[0].tolist(),
                         [0.0, 3.0])
        with self.assertRaisesRegex(ilex.Error, "the shapes say 3"):
            p(np.arange(3.0), 0, 2, 4)
        with self.assertRaisesRegex(ilex.Error, "k : i32"):
            p(np.arange(3.0))
        with self.assertRaises(TypeError):
            p(np.arange(3.0), 0, 2, 3, 4)
        with self.assertRaisesRegex(TypeError, "argument x is bound to"):
            p([0.0, 1.0], 0, 2)
        x = graph.input("x", ilex.float64, "n")
        for wrong in (["y"], ["x", "x"], []):
            with self.assertRaises(ValueError):
                graph.Program([x + 1], wrong)
        with self.assertRaises(ilex.errors.LiteralError):
            p(np.arange(3.0), 0, 2 ** 40)
        with self.assertRaisesRegex(ilex.Error, "n is a size"):
            p(np.arange(3.0), 0, 2, np.arange(3))

    def test_named_outputs(self):
        x = graph.input("x", ilex.float64, "n")
        p = graph.Program({"twice": x * 2, "total": ilex.sum(x)}, ["x"])
        for _ in range(3):
            made = p(np.arange(3.0))
            self.assertEqual([a.tolist() for a in made], [[0, 2, 4], 3.0])
        self.assertIn("out twice", p.text())
        with self.assertRaisesRegex(ilex.Error, "twice"):
            p.into((np.arange(3.0),), (np.zeros(2), np.zeros(())))
        with self.assertRaises(ilex.Error):
            graph.Program({"not a name": x * 2})
        with self.assertRaises(ilex.Error):
            graph.Program({"x": x * 2})

    def test_into(self):
        p = self.program()
        y, total = np.zeros((3, 2)), np.zeros(())
        p.into((np.arange(3.0), 0, 2, None), (y[:, 1], total))
        self.assertEqual(y.tolist(), [[0, 0], [0, 2], [0, 4]])
        self.assertEqual(total, 3.0)
        with self.assertRaises(ilex.Error):
            p.into((np.arange(3.0), 0, 2, None), (y[:, 1], np.zeros(2)))
        y.flags.writeable = False
        with self.assertRaises(ilex.Error):
            p.into((np.arange(3.0), 0, 2, None), (y[:, 1], total))


class Names(unittest.TestCase):
    def test_names(self):
        names = graph.Names()
        given = ["x", "inf", "\u00fc", "_0", "_r3", "v1_inf", "x" * 80, "a b",
                 "3", "_ilex_x", ""]
        made = [names[g] for g in given]
        self.assertEqual(made[0], "x")
        self.assertEqual(made, [names[g] for g in given])
        self.assertEqual(len(set(made)), len(made))
        self.assertEqual([names.taken[name] for name in made], given)
        for name in made:
            graph.input(name, ilex.float64, "")

    def test_numbers(self):
        for x in (0, -3, 2 ** 40, 0.1, -1e300, 1e-7, float("inf"),
                  -float("inf"), True, 2 - 3j, -0.0, np.float32(0.1),
                  np.int8(-5), np.complex64(1 + 2j), np.bool_(False)):
            y = graph.Program([graph.map("", graph.number(x), {})])()[0]
            self.assertEqual(y.item(), complex(x) if isinstance(x, complex)
                             else x, graph.number(x))
            if hasattr(x, "dtype"):
                self.assertEqual(y.dtype, x.dtype)
        y = graph.Program([graph.map("", graph.number(-0.0), {})])()[0]
        self.assertEqual(str(y.item()), "-0.0")
        y = graph.Program([graph.map("", graph.number(complex("nan+infj")),
                                     {})])()[0].item()
        self.assertTrue(np.isnan(y.real) and y.imag == np.inf)


if __name__ == "__main__":
    unittest.main()
