# SPDX-License-Identifier: MIT
"""Exchange, threads, memory, the end of a process."""

import ctypes
import multiprocessing
import os
import pickle
import subprocess
import sys
import sysconfig
import threading
import unittest
import zlib

import numpy as np

import ilex


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def squares(x):
    return np.asarray(ilex.asarray(x) ** 2).tolist()


class Exchange(unittest.TestCase):
    def test_numpy(self):
        x = np.arange(6.0).reshape(2, 3)
        y = ilex.asarray(x[:, ::-1])
        self.assertEqual(np.asarray(y).ctypes.data, x[:, ::-1].ctypes.data)
        np.testing.assert_array_equal(np.from_dlpack(y + 1), x[:, ::-1] + 1)
        self.assertEqual(ilex.from_dlpack(x).tolist(), x.tolist())
        self.assertEqual((ilex.asarray(x) + 0).__dlpack_device__(), (1, 0))

    def test_memory_lives_as_long_as_somebody_looks(self):
        x = np.asarray(ilex.asarray(np.arange(1000.0)) * 2)
        y = np.from_dlpack(ilex.asarray(np.arange(1000.0)) * 3)
        z = ilex.from_dlpack(np.arange(1000.0)) + 1
        for _ in range(50):
            ilex.ones((1000,)).compute()
        self.assertEqual((x[999], y[999], float(z[999])), (1998, 2997, 1000))

    def test_table_of_functions(self):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype = ctypes.c_void_p
        get.argtypes = [ctypes.py_object, ctypes.c_char_p]
        table = (ctypes.c_void_p * 7).from_address(
            get(ilex.Array.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
        self.assertEqual(table[0], 1 | 3 << 32)  # version 1.3
        p, o = ctypes.c_void_p, ctypes.py_object
        give = ctypes.PYFUNCTYPE(ctypes.c_int, o, ctypes.POINTER(p))(table[3])
        take = ctypes.PYFUNCTYPE(ctypes.c_int, p, ctypes.POINTER(o))(table[4])
        show = ctypes.PYFUNCTYPE(ctypes.c_int, o, ctypes.POINTER(p * 8))(
            table[5])
        x = ilex.asarray(np.arange(6.0)) * 2  # not computed yet
        tensor, y = p(), o()
        self.assertEqual(give(x, ctypes.byref(tensor)), 0)
        self.assertEqual(take(tensor, ctypes.byref(y)), 0)
        self.assertEqual(y.value.tolist(), np.arange(0.0, 12, 2).tolist())
        self.assertEqual(np.asarray(y.value).ctypes.data,
                         np.asarray(x).ctypes.data)
        seen = (p * 8)()
        self.assertEqual(show(x, ctypes.byref(seen)), 0)
        self.assertEqual(seen[0], np.asarray(x).ctypes.data)
        for wrong, error in ((3, TypeError), (np.ones(3), TypeError),
                             (ilex.fields.field(np.ones(4), "I", ((1, 1),)),
                              BufferError)):
            with self.assertRaises(error):
                show(wrong, ctypes.byref(seen))

    def test_memory_is_given_back(self):
        x = np.arange(10.0)
        before = sys.getrefcount(x)
        y = ilex.asarray(x)
        z = y + 1
        self.assertGreater(sys.getrefcount(x), before)
        float(z[0])
        del y, z
        ilex.asarray(1) + 1  # what was dropped goes with the next operation
        self.assertEqual(sys.getrefcount(x), before)

    def test_many_operands(self):
        made = ilex.concat([np.full(2, i * 1.0) for i in range(20)])
        self.assertEqual(float(ilex.sum(made)), 380.0)
        x = ilex.ones((3,)) + 1
        ilex.compute(x, x)
        self.assertEqual(x.tolist(), [2.0, 2.0, 2.0])
        with self.assertRaises(TypeError):
            ilex._core.compute(3)
        self.assertEqual(bytes(x.storage), np.full(3, 2.0).tobytes())

    def test_capsules(self):
        x = ilex.ones((3,))
        old, new = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))
        self.assertIn('"dltensor"', repr(old))
        self.assertIn('"dltensor_versioned"', repr(new))
        for capsule in (old, new):
            self.assertEqual(ilex._core.from_dlpack(capsule).shape, (3,))
            with self.assertRaises(ValueError):
                ilex._core.from_dlpack(capsule)
        with self.assertRaises(BufferError):
            x.__dlpack__(dl_device=(2, 0))

    def test_buffers(self):
        x = ilex.asarray([[1, 2], [3, 4]], dtype="int16") + 1
        view = memoryview(x.compute().storage)
        self.assertEqual((view.format, view.tolist()), ("h", [[2, 3], [4, 5]]))
        turned = ilex.asarray(np.arange(6.0).reshape(2, 3).T).storage
        self.assertEqual(memoryview(turned).strides, (8, 24))
        with self.assertRaises(BufferError):
            zlib.crc32(turned)  # which wants bytes without gaps
        self.assertEqual(ilex.asarray(b"abc").tolist(), [97, 98, 99])
        import array
        self.assertEqual(ilex.asarray(array.array("d", [1.5])).tolist(), [1.5])


class Processes(unittest.TestCase):
    maxDiff = None

    def test_threads(self):
        @ilex.jit
        def f(x, s):
            return x * s + 1

        wrong = []

        def work(k):
            x = np.full(100 + k, float(k))
            y = ilex.asarray(x)
            for i in range(200):
                if float(f(x, float(i))[0]) != k * i + 1:
                    wrong.append((k, i))
                if int(ilex.sum(y + i)) != (100 + k) * (k + i):
                    wrong.append((k, i, "sum"))
                if int(ilex.sum(ilex.add(y, x))) != (100 + k) * 2 * k:
                    wrong.append((k, i, "operand of NumPy"))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_one_array_of_several_threads(self):
        """It is computed, changed, and given to a function meanwhile: what a
        thread sees of it is one of its values, never a mixture."""
        @ilex.jit
        def f(x, y):
            return x + y

        shared = ilex.asarray(np.zeros(1000)) + 0
        same = ilex.asarray(np.full(1000, 5.0))
        f(shared, same)
        wrong, stop = [], threading.Event()

        def write(k):
            for i in range(150):
                shared[:] = np.full(1000, float(k + 4*i))
                if i % 3 == 0:
                    shared.compute()
                if i % 7 == 0:
                    pickle.loads(pickle.dumps(shared))

        def read(k):
            while not stop.is_set():
                for made in f(shared, same), f(same, shared), shared:
                    if np.ptp(np.asarray(made)) != 0:
                        wrong.append("a mixture")

        def work(job, k):
            try:
                job(k)
            except Exception as why:
                wrong.append(why)
            stop.set()

        threads = [threading.Thread(target=work, args=(job, k))
                   for job in (write, read) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(sysconfig.get_config_var("Py_GIL_DISABLED"),
                         "an interpreter that has its lock")
    def test_no_lock_of_the_interpreter(self):
        self.assertFalse(sys._is_gil_enabled())

    def test_lists_that_end_before_the_call(self):
        """An iterator makes what it gives, and keeps nothing of it."""
        x = ilex.asarray(np.arange(4.0))
        widths = ("".join(str(k) for k in (1, 0)) for _ in range(1))
        self.assertEqual(ilex._core.pad(x, widths, None).tolist()[9:],
                         [0, 0, 1, 2, 3])

    def test_fork(self):
        context = multiprocessing.get_context("fork")
        squares([1.0])
        with context.Pool(2) as pool:
            made = pool.map(squares, [[1.0, 2.0], [3.0]])
        self.assertEqual(made, [[1.0, 4.0], [9.0]])

    def test_memory(self):
        @ilex.jit
        def f(x):
            return x + 1

        x = ilex.asarray(np.arange(10.0))

        def lazy():
            for i in range(20000):
                x + i

        def jitted():
            for _ in range(5000):
                f(np.arange(10.0))

        def computed():
            for i in range(2000):
                (x * i).compute()

        for work in (lazy, jitted, computed):
            work()
            before = resident()
            for _ in range(3):
                work()
            with self.subTest(work=work.__name__):
                self.assertLess(resident() - before, 1 << 20)

    def test_the_end(self):
        """A process ends well whoever goes first."""
        program = """if True:
            import numpy, ilex
            x = ilex.asarray(numpy.arange(5.0))
            y = x + 1
            class Holder:
                def __del__(self):
                    globals().get("y") is None or y.tolist()
            h = Holder()
            h.itself = h
            kept = numpy.asarray(x * 2)
            f = ilex.jit(lambda a: a + 1)
            f(kept)
            """
        for last in ("", "del ilex", "del x, y", "import sys; sys.exit(0)"):
            run = subprocess.run([sys.executable, "-X", "dev", "-c",
                                  program + last], capture_output=True,
                                 text=True, timeout=60)
            with self.subTest(last=last):
                self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
