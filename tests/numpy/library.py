# SPDX-License-Identifier: MIT
"""The library through ctypes: contexts, modules, programs, storages, runs."""

import ctypes as c

import meaning

P, I, Z, S = c.c_void_p, c.c_int, c.c_size_t, c.c_char_p
L = c.c_int64
RANK = 16


class StorageSpec(c.Structure):
    _fields_ = [
        ("size", Z), ("dtype", S), ("rank", I), ("shape", c.POINTER(L)),
        ("axes", S), ("halo", c.POINTER(L)), ("layout", S),
        ("layout_map", P), ("alignment", Z), ("aligned_index", P),
        ("preset", S), ("name", S), ("like", P), ("fill", P),
        ("initialize", P), ("initialize_user", P), ("data", P),
        ("strides", c.POINTER(L)), ("release", P), ("release_user", P),
        ("flags", c.c_uint), ("selector", P), ("layout_count", I),
        ("selector_count", I), ("halo_count", I), ("device", S),
        ("managed", S), ("space", S), ("device_data", P),
        ("device_release", P), ("device_release_user", P), ("sync", I),
        ("sync_with", P), ("fixed", P), ("id", I),
        ("origin", c.POINTER(L))]


class Binding(c.Structure):
    _fields_ = [("name", S), ("storage", P), ("kind", I), ("re", c.c_double),
                ("im", c.c_double), ("integer", L)]


class SizeBinding(c.Structure):
    _fields_ = [("name", S), ("value", L)]


class Call(c.Structure):
    _fields_ = [("size", Z), ("threads", I), ("workspace", P),
                ("workspace_bytes", Z), ("sizes", P), ("size_count", Z),
                ("parallel_for", P), ("user", P), ("error", c.c_char * 1024),
                ("counted", P), ("counted_count", Z), ("box", S)]


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Library:
    def __init__(self, path):
        self.lib = c.CDLL(path)
        for result, name, *args in [
                (P, "ilex_context_new", P), (None, "ilex_context_free", P),
                (I, "ilex_option_set", P, S, S), (S, "ilex_error_text", P),
                (I, "ilex_error_code", P), (None, "ilex_error_clear", P),
                (P, "ilex_module_parse", P, S, S),
                (None, "ilex_module_free", P), (P, "ilex_compile_module", P),
                (None, "ilex_program_release", P),
                (P, "ilex_storage_new", P, P),
                (None, "ilex_storage_release", P),
                (S, "ilex_table", S), (S, "ilex_status_name", I),
                (I, "ilex_run", P, P, Z, P)]:
            f = getattr(self.lib, name)
            f.restype, f.argtypes = result, args

    def backends(self):
        text = self.lib.ilex_table(b"backends").decode()
        return [line.split("\t")[0] for line in text.splitlines()]

    def context(self):
        return Context(self)


class Context:
    def __init__(self, library):
        self.lib = library.lib
        self.ctx = self.lib.ilex_context_new(None)
        self.module = None

    def close(self):
        if self.module:
            self.lib.ilex_module_free(self.module)
        self.lib.ilex_context_free(self.ctx)

    def fail(self):
        text = self.lib.ilex_error_text(self.ctx).decode()
        code = self.lib.ilex_error_code(self.ctx)
        self.lib.ilex_error_clear(self.ctx)
        raise Refused(code, text)

    def option(self, name, value):
        if self.lib.ilex_option_set(self.ctx, name.encode(), value.encode()):
            self.fail()

    def parse(self, text):
        self.module = self.lib.ilex_module_parse(self.ctx, text.encode(),
                                                 b"p.ilx")
        if not self.module:
            self.fail()

    def compile(self):
        program = self.lib.ilex_compile_module(self.module)
        if not program:
            self.fail()
        return program

    def release(self, program):
        self.lib.ilex_program_release(program)

    def storage(self, dtype, address, shape, strides, names, halo,
                origin):
        """A storage over the element at "address"; strides in elements."""
        rank = len(shape)
        n = max(rank, 1)
        spec = StorageSpec(
            size=c.sizeof(StorageSpec), dtype=dtype.encode(), rank=rank,
            shape=(L * n)(*shape), data=address, strides=(L * n)(*strides))
        if names:
            spec.axes = ", ".join(names).encode()
            spec.halo = (L * (2 * rank))(*halo)
            spec.origin = (L * rank)(*origin)
        s = self.lib.ilex_storage_new(self.ctx, c.byref(spec))
        if not s:
            self.fail()
        return s

    def free(self, storage):
        self.lib.ilex_storage_release(storage)

    def run(self, program, bindings, sizes, threads, box=None):
        b = (Binding * len(bindings))(*[(n.encode(), s) for n, s in bindings])
        z = (SizeBinding * max(1, len(sizes)))(
            *[(n.encode(), v) for n, v in sizes])
        call = Call(size=c.sizeof(Call), threads=threads,
                    sizes=c.cast(z, P), size_count=len(sizes),
                    box=box.encode() if box else None)
        status = self.lib.ilex_run(program, b, len(bindings), c.byref(call))
        if status:
            raise Refused(status, call.error.decode())


assert c.sizeof(Call) >= 1024 and len(meaning.NAMES) == 14
