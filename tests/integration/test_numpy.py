# SPDX-License-Identifier: MIT
"""Passes arrays between NumPy and Ilex, both ways and without a copy, through
ctypes over the shared library: DLPack, __array_interface__, __array_struct__.

Each way in is tried on each array with each way out: the address must stay,
the elements agree, a write on one side be seen on the other, and the owner be
told once, when the last view is gone. Ilex's table of functions gives NumPy
memory and takes NumPy's arrays as storages."""

import ast
import ctypes as c
import gc
import sys
import weakref

import numpy as np

lib = c.CDLL(sys.argv[1])
py = c.pythonapi


class Interface(c.Structure):
    _fields_ = [
        ("size", c.c_size_t), ("kind", c.c_int), ("dtype", c.c_int),
        ("rank", c.c_int), ("readonly", c.c_int), ("has_strides", c.c_int),
        ("shape", c.c_int64 * 16), ("strides", c.c_int64 * 16),
        ("data", c.c_void_p), ("stream", c.c_uint64)]

    def __init__(self):
        self.size = c.sizeof(Interface)


RELEASE = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
DELETER = c.CFUNCTYPE(None, c.c_void_p)


def declare(library, result, name, *arguments):
    function = getattr(library, name)
    function.restype = result
    function.argtypes = arguments


P, I, Z, S = c.c_void_p, c.c_int, c.c_size_t, c.c_char_p
declare(lib, P, "ilex_context_new", P)
declare(lib, None, "ilex_context_free", P)
declare(lib, S, "ilex_error_text", P)
declare(lib, None, "ilex_error_clear", P)
declare(lib, None, "ilex_storage_release", P)
declare(lib, I, "ilex_storage_writable", P)
declare(lib, P, "ilex_dlpack_import", P, P, P)
declare(lib, P, "ilex_dlpack_import_legacy", P, P, P)
declare(lib, P, "ilex_dlpack_export", P, P, c.c_uint)
declare(lib, P, "ilex_dlpack_export_legacy", P, P, c.c_uint)
declare(lib, P, "ilex_dlpack_exchange_api")
declare(lib, I, "ilex_array_interface_get", P, P, I, c.POINTER(Interface))
declare(lib, I, "ilex_array_interface_parse", P, S, I, c.POINTER(Interface))
declare(lib, Z, "ilex_array_interface_print", c.POINTER(Interface), P, Z)
declare(lib, P, "ilex_array_interface_import", P, c.POINTER(Interface), P,
        RELEASE, P)
declare(lib, P, "ilex_array_struct_export", P, P)
declare(lib, None, "ilex_array_struct_free", P)
declare(lib, P, "ilex_array_struct_import", P, P, P, RELEASE, P)
declare(py, c.py_object, "PyCapsule_New", P, S, DELETER)
declare(py, P, "PyCapsule_GetPointer", c.py_object, S)
declare(py, I, "PyCapsule_SetName", c.py_object, S)
declare(py, I, "PyCapsule_IsValid", c.py_object, S)

ctx = lib.ilex_context_new(None)


class Refused(Exception):
    pass


def check(result):
    if not result:
        text = lib.ilex_error_text(ctx).decode()
        lib.ilex_error_clear(ctx)
        raise Refused(text)
    return result


# ---- NumPy to Ilex: each returns the storage -------------------------------

owners = {}  # what Ilex still uses, by the number given to `release`


def let_go(user, data):
    del owners[user]


release = RELEASE(let_go)


def keep(array):
    key = id(array)
    owners[key] = array
    return key


def in_interface(array):
    a = Interface()
    text = repr(array.__array_interface__).encode()
    if lib.ilex_array_interface_parse(ctx, text, 0, a):
        check(None)
    return check(lib.ilex_array_interface_import(ctx, a, None, release,
                                                 keep(array)))


def in_struct(array):
    capsule = array.__array_struct__
    pointer = py.PyCapsule_GetPointer(capsule, None)
    return check(lib.ilex_array_struct_import(ctx, pointer, None, release,
                                              keep(array)))


def consume(capsule, name, function):
    pointer = py.PyCapsule_GetPointer(capsule, name)
    py.PyCapsule_SetName(capsule, names[USED[name]])
    return check(function(ctx, pointer, None))


USED = {b"dltensor": b"used_dltensor",
        b"dltensor_versioned": b"used_dltensor_versioned"}


def in_dlpack_legacy(array):
    return consume(array.__dlpack__(), b"dltensor",
                   lib.ilex_dlpack_import_legacy)


def in_dlpack(array):
    return consume(array.__dlpack__(max_version=(1, 3)),
                   b"dltensor_versioned", lib.ilex_dlpack_import)


# ---- Ilex to NumPy ---------------------------------------------------------

class Storage:
    """Owns one count of a storage; what derives from it says how."""

    def __init__(self, storage):
        self.storage = storage

    def __del__(self):
        lib.ilex_storage_release(self.storage)


class OutInterface(Storage):
    @property
    def __array_interface__(self):
        a = Interface()
        assert not lib.ilex_array_interface_get(ctx, self.storage, 0, a)
        size = lib.ilex_array_interface_print(a, None, 0) + 1
        text = c.create_string_buffer(size)
        lib.ilex_array_interface_print(a, text, size)
        return ast.literal_eval(text.value.decode())


class OutStruct(Storage):
    def __init__(self, storage):
        super().__init__(storage)
        self.struct = check(lib.ilex_array_struct_export(ctx, storage))

    @property
    def __array_struct__(self):
        return py.PyCapsule_New(self.struct, None, DELETER())

    def __del__(self):
        lib.ilex_array_struct_free(self.struct)
        super().__del__()


class OutDLPack(Storage):
    def __init__(self, storage):
        super().__init__(storage)
        self.capsules = []

    def __del__(self):
        """Deletes the tensors that nobody took out of their capsules."""
        for capsule in self.capsules:
            for name, offset in deleter_at.items():
                if py.PyCapsule_IsValid(capsule, name):
                    tensor = py.PyCapsule_GetPointer(capsule, name)
                    DELETER(P.from_address(tensor + offset).value)(tensor)
        super().__del__()

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, max_version=None, **others):
        versioned = max_version is not None and max_version[0] >= 1
        name = b"dltensor_versioned" if versioned else b"dltensor"
        export = (lib.ilex_dlpack_export if versioned
                  else lib.ilex_dlpack_export_legacy)
        try:
            tensor = check(export(ctx, self.storage, 0))
        except Refused as error:
            raise BufferError(str(error)) from None
        self.capsules.append(py.PyCapsule_New(tensor, names[name], DELETER()))
        return self.capsules[-1]


# A capsule does not copy its name, so the names must not move.
names = {name: c.c_char_p(name) for name in [*USED, *USED.values()]}

# Where a tensor has its deleter, in bytes.
deleter_at = {b"dltensor": 56, b"dltensor_versioned": 16}


# ---- Ilex's table of functions: memory for NumPy, arrays as objects --------

class Tensor(c.Structure):
    _fields_ = [
        ("data", P), ("device_type", c.c_int32), ("device_id", c.c_int32),
        ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
        ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


SET_ERROR = c.CFUNCTYPE(None, P, S, S)


class Table(c.Structure):
    _fields_ = [
        ("major", c.c_uint32), ("minor", c.c_uint32), ("previous", P),
        ("allocate", c.CFUNCTYPE(I, c.POINTER(Tensor), c.POINTER(P), P,
                                 SET_ERROR)),
        ("tensor_of", c.CFUNCTYPE(I, P, c.POINTER(P))),
        ("object_of", c.CFUNCTYPE(I, P, c.POINTER(P))),
        ("describe", c.CFUNCTYPE(I, P, c.POINTER(Tensor))),
        ("stream", c.CFUNCTYPE(I, c.c_int32, c.c_int32, c.POINTER(P)))]


class Given:
    """Hands one tensor to NumPy."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **others):
        return py.PyCapsule_New(self.tensor, names[b"dltensor_versioned"],
                                DELETER())


def object_of(table, tensor):
    storage = P()
    assert table.object_of(tensor, storage) == 0
    return storage.value


def array_over(table, tensor):
    """An old NumPy cannot read the tensors of DLPack 1."""
    if in_dlpack in ways_in:
        return np.from_dlpack(Given(tensor))
    return np.asarray(OutInterface(object_of(table, tensor)))


def storage_over(table, array):
    if in_dlpack not in ways_in:
        return in_interface(array)
    capsule = array.__dlpack__(max_version=(1, 3))
    tensor = py.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
    py.PyCapsule_SetName(capsule, names[b"used_dltensor_versioned"])
    return object_of(table, tensor)


def through_table():
    table = Table.from_address(lib.ilex_dlpack_exchange_api())
    assert (table.major, table.minor) == (1, 3)
    refusals, tensor, view = [], P(), Tensor()
    note = SET_ERROR(lambda user, kind, text: refusals.append((kind, text)))
    shape = (c.c_int64 * 2)(3, 5)
    like = Tensor(device_type=1, ndim=2, code=2, bits=64, lanes=1, shape=shape)
    assert table.allocate(like, tensor, None, note) == 0
    array = array_over(table, tensor.value)
    assert array.shape == (3, 5) and array.dtype == np.float64
    assert array.flags.c_contiguous and array.flags.writeable
    assert address(array) % 256 == 0
    array[:] = np.arange(15).reshape(3, 5)

    storage = storage_over(table, array)
    assert table.describe(storage, view) == 0
    assert view.data == address(array) and list(view.shape[:2]) == [3, 5]
    assert table.tensor_of(storage, tensor) == 0
    lib.ilex_storage_release(storage)
    del array
    gc.collect()
    assert array_over(table, tensor.value)[2, 4] == 14

    like.bits = 8
    assert table.allocate(like, tensor, None, note) == -1
    assert refusals[0][0] == b"BufferError" and b"8 bits" in refusals[0][1]
    assert len(refusals) == 1


# ---- the arrays ------------------------------------------------------------

def arrays():
    for code in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
        yield code, np.arange(24).reshape(2, 3, 4).astype(code)
    base = np.arange(120, dtype="f8").reshape(4, 5, 6)
    yield "F order", np.asfortranarray(base)
    yield "transposed", base.transpose(1, 2, 0)
    yield "reversed", base[::-1, ::2, ::-2]
    yield "repeated", np.broadcast_to(base[0, 0], (3, 6))
    yield "a field", np.zeros(5, dtype=[("a", "f8"), ("b", "f8")])["b"]
    yield "scalar", np.array(2.5)
    yield "one element", base[:1, :1, :1]
    yield "one row", base[:, 1:2]
    yield "empty", np.zeros((3, 0, 2), dtype="i4")
    yield "read-only", base.view()
    base.flags.writeable = False
    yield "read-only", base.view()


def address(array):
    return array.__array_interface__["data"][0]


def compare(array, back, what):
    assert back.dtype == array.dtype and back.shape == array.shape, what
    assert np.array_equal(back, array), what
    if array.size == 0:
        return
    assert address(back) == address(array), what + ": copied"
    real = [k for k in range(array.ndim) if array.shape[k] > 1]
    assert all(back.strides[k] == array.strides[k] for k in real), what
    if not array.flags.writeable:
        assert not back.flags.writeable, what
    elif back.flags.writeable:
        first = (0,) * array.ndim
        back[first] = not array[first]
        assert array[first] == back[first], what


def out_with(kind, owner):
    return np.from_dlpack(owner) if kind is OutDLPack else np.asarray(owner)


def there_and_back(name, array, into, kind):
    what = "%s: %s, %s" % (name, into.__name__, kind.__name__)
    source = array.view()
    gone = weakref.ref(source)
    try:
        storage = into(source)
    except (BufferError, TypeError, RuntimeError) as error:
        return "NumPy: %s" % error
    assert bool(lib.ilex_storage_writable(storage)) == array.flags.writeable \
        or into is in_dlpack_legacy or array.size == 0, what
    owner = kind(storage)
    del source
    try:
        back = out_with(kind, owner)
    except (BufferError, TypeError, RuntimeError) as error:
        return "NumPy: %s" % error
    del owner
    compare(array, back, what)
    assert gone() is not None or array.size == 0, what + ": let go too early"
    del back
    gc.collect()
    assert gone() is None, what + ": not let go"
    return None


def refused(array, into, words):
    try:
        into(array)
    except Refused as error:
        assert words in str(error), str(error)
    else:
        raise AssertionError("not refused: " + words)


ways_in = [in_interface, in_struct, in_dlpack_legacy]
try:
    np.zeros(1).__dlpack__(max_version=(1, 3))
    ways_in.append(in_dlpack)
except TypeError:
    pass

through_table()

passed, left_out = 0, 0
for name, array in arrays():
    for into in ways_in:
        for kind in OutInterface, OutStruct, OutDLPack:
            why = there_and_back(name, array, into, kind)
            left_out += why is not None
            passed += why is None
            if why:
                print("%s: %s, %s: left out, %s"
                      % (name, into.__name__, kind.__name__, why))

refused(np.zeros(3, dtype=">f8"), in_interface, "byte order")
refused(np.zeros(3, dtype=">f8"), in_struct, "order of another machine")
refused(np.zeros(3, dtype="f16"), in_interface, "<f16")
refused(np.zeros(3, dtype="U4"), in_interface, "typestr")
refused(np.zeros(3, dtype=[("a", "f4"), ("b", "f8")])["b"], in_interface,
        "multiple")
refused(np.zeros((1,) * 17), in_struct, "16 axes")

gc.collect()
assert not owners, "arrays not let go: %r" % owners
lib.ilex_context_free(ctx)
print("NumPy %s: %d exchanges without a copy, %d that NumPy refused"
      % (np.__version__, passed, left_out))
assert passed > 150
