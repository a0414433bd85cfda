/* SPDX-License-Identifier: MIT
 *
 * Storages: their memory as buffers and DLPack tensors, both ways.
 */
#include "_core.h"

/* ---- objects ---- */

PyObject *
storage_new(ilex_storage *s)
{
    Storage *self = s ? PyObject_New(Storage, storage_type) : NULL;
    if (!s)
        return fail();
    if (self)
        self->s = s;
    else
        ilex_storage_release(s);
    return (PyObject *)self;
}

static void
storage_dealloc(Storage *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ilex_storage_release(self->s);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- their memory ---- */

static const struct {
    const char *format;
    ilex_dtype dtype;
} formats[] = {{"?", ILEX_BOOL},  {"b", ILEX_I8},  {"h", ILEX_I16},
               {"i", ILEX_I32},   {"q", ILEX_I64}, {"B", ILEX_U8},
               {"H", ILEX_U16},   {"I", ILEX_U32}, {"Q", ILEX_U64},
               {"f", ILEX_F32},   {"d", ILEX_F64}, {"Zf", ILEX_C64},
               {"Zd", ILEX_C128}, {"e", ILEX_F16}};

static const char *
format_of(ilex_dtype dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].dtype == dtype)
            return formats[i].format;
    return NULL;
}

/* The buffer of an object goes once the storage over it does. */
static void
release_buffer(void *user, void *data)
{
    PyGILState_STATE state = PyGILState_Ensure();
    (void)data;
    PyBuffer_Release(user);
    PyMem_Free(user);
    PyGILState_Release(state);
}

/* Shape and strides of a buffer as those of an array interface. */
static bool
read_buffer(const Py_buffer *view, ilex_array_interface *a)
{
    int swapped = 0;
    *a = (ilex_array_interface){.size = sizeof *a,
                                .rank = view->ndim,
                                .readonly = view->readonly,
                                .has_strides = 1,
                                .data = view->buf};
    if (view->ndim > MOST) {
        PyErr_Format(PyExc_TypeError, "an array has %d axes; %d are the most",
                     view->ndim, (int)MOST);
        return false;
    }
    if (ilex_format_read(view->format, &a->dtype, &swapped) || swapped) {
        PyErr_Format(PyExc_TypeError,
                     swapped ? "elements of format '%.40s' have their bytes "
                               "swapped; put them in order: "
                               "x.astype(x.dtype.newbyteorder('='))"
                             : "elements of format '%.40s' are none of Ilex; "
                               "convert them: x.astype('float64')",
                     view->format ? view->format : "B");
        return false;
    }
    for (int k = 0; k < view->ndim; k++) {
        a->shape[k] = view->shape[k];
        a->strides[k] = view->strides[k];
    }
    return true;
}

/* storage(object, axes, halo): a storage over the object's memory. */
static PyObject *
core_storage(PyObject *module, PyObject *args)
{
    PyObject *o, *widths = Py_None, *result = NULL;
    const char *axes = NULL;
    int64_t halo[2 * MOST];
    ilex_array_interface a;
    if (!PyArg_ParseTuple(args, "O|zO", &o, &axes, &widths))
        return NULL;
    Py_buffer *view = PyMem_Calloc(1, sizeof *view);
    if (!view)
        return PyErr_NoMemory();
    if (PyObject_GetBuffer(o, view, PyBUF_STRIDED | PyBUF_FORMAT)) {
        PyErr_Clear();
        if (PyObject_GetBuffer(o, view, PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
            PyMem_Free(view);
            return NULL;
        }
    }
    ilex_storage_spec more = {.size = sizeof more, .axes = axes};
    bool ok = read_buffer(view, &a);
    Py_ssize_t n = widths == Py_None ? 0 : PySequence_Size(widths);
    ok = ok && n >= 0 && n <= 2 * MOST;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *w = PySequence_GetItem(widths, i);
        halo[i] = w ? PyLong_AsLongLong(w) : -1;
        Py_XDECREF(w);
        ok = !PyErr_Occurred();
    }
    more.halo = n ? halo : NULL;
    more.halo_count = (int)n / 2;
    if (!ok) {
        release_buffer(view, NULL);
        return NULL;
    }
    enter();
    result = storage_new(
        ilex_array_interface_import(ctx, &a, &more, release_buffer, view));
    leave();
    return result;
}

/* empty(dtype, shape, axes): a storage of its own. */
static PyObject *
core_empty(PyObject *module, PyObject *args)
{
    PyObject *lengths, *result;
    const char *dtype, *axes = NULL;
    int64_t shape[MOST + 1] = {0};
    if (!PyArg_ParseTuple(args, "sO!|z", &dtype, &PyTuple_Type, &lengths,
                          &axes))
        return NULL;
    Py_ssize_t rank = PyTuple_GET_SIZE(lengths);
    for (Py_ssize_t k = 0; k < rank && k < MOST; k++)
        shape[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(lengths, k));
    if (PyErr_Occurred())
        return NULL;
    enter();
    result = storage_new(ilex_storage_new(
        ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                  .dtype = dtype,
                                  .rank = (int)rank,
                                  .shape = shape,
                                  .axes = axes}));
    leave();
    return result;
}

static int
storage_getbuffer(Storage *self, Py_buffer *view, int flags)
{
    const char *format = format_of(ilex_storage_dtype(self->s));
    int rank = ilex_storage_rank(self->s);
    Py_ssize_t bytes =
        (Py_ssize_t)ilex_dtype_bytes(ilex_storage_dtype(self->s));
    bool readonly = !ilex_storage_writable(self->s);
    Py_ssize_t *lengths = PyMem_Calloc(2 * (size_t)rank + 1, sizeof *lengths);
    view->obj = NULL;
    if (!lengths) {
        PyErr_NoMemory();
        return -1;
    }
    if (!format || (readonly && (flags & PyBUF_WRITABLE))) {
        PyMem_Free(lengths);
        PyErr_SetString(PyExc_BufferError,
                        format ? "the storage is read-only"
                               : "bf16 has no format of buffers");
        return -1;
    }
    for (int k = 0; k < rank; k++) {
        lengths[k] = ilex_storage_shape(self->s)[k];
        lengths[rank + k] = ilex_storage_stride(self->s)[k] * bytes;
    }
    bool dense = ilex_storage_contiguous(self->s);
    int contiguous =
        PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS;
    bool wanted = (flags & contiguous & ~PyBUF_STRIDES) ||
                  (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
    if (wanted && (!dense || ((flags & PyBUF_F_CONTIGUOUS & ~PyBUF_STRIDES) &&
                              rank > 1))) {
        PyMem_Free(lengths);
        PyErr_SetString(PyExc_BufferError, "the storage is not dense");
        return -1;
    }
    *view = (Py_buffer){.buf = (void *)ilex_storage_const_data(self->s),
                        .obj = Py_NewRef(self),
                        .len = ilex_storage_bytes(self->s),
                        .itemsize = bytes,
                        .readonly = readonly,
                        .ndim = rank,
                        .format = flags & PyBUF_FORMAT ? (char *)format : NULL,
                        .shape = flags & PyBUF_ND ? lengths : NULL,
                        .strides = lengths + rank,
                        .internal = lengths};
    return 0;
}

static void
storage_releasebuffer(Storage *self, Py_buffer *view)
{
    PyMem_Free(view->internal);
}

PyObject *
integers(const int64_t *x, int n)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++)
        PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(x[i]));
    return t;
}

static PyObject *
storage_get(Storage *self, void *what)
{
    const ilex_storage *s = self->s;
    int rank = ilex_storage_rank(s);
    switch (*(const char *)what) {
    case 's':
        return integers(ilex_storage_shape(s), rank);
    case 't':
        return integers(ilex_storage_stride(s), rank);
    default:
        return integers(ilex_storage_halo(s), 2 * rank);
    }
}

static PyGetSetDef storage_getset[] = {
    {"shape", (getter)storage_get, NULL, "Lengths, halo included.", "s"},
    {"strides", (getter)storage_get, NULL, "Strides in elements.", "t"},
    {"halo", (getter)storage_get, NULL, "Widths, low and high of each axis.",
     "h"},
    {NULL},
};

/* ---- DLPack ---- */

/* A capsule that nobody took. */
static void
capsule_free(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        struct DLManagedTensorVersioned *t =
            PyCapsule_GetPointer(capsule, "dltensor_versioned");
        t->deleter(t);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        struct DLManagedTensor *t = PyCapsule_GetPointer(capsule, "dltensor");
        t->deleter(t);
    }
}

/* dlpack(versioned, copy) */
static PyObject *
storage_dlpack(Storage *self, PyObject *args)
{
    int versioned, copy;
    if (!PyArg_ParseTuple(args, "pp", &versioned, &copy))
        return NULL;
    unsigned flags = copy ? ILEX_STORAGE_COPY : 0;
    enter();
    void *t = versioned
                  ? (void *)ilex_dlpack_export(ctx, self->s, flags)
                  : (void *)ilex_dlpack_export_legacy(ctx, self->s, flags);
    if (!t)
        fail();
    leave();
    return t ? PyCapsule_New(t, versioned ? "dltensor_versioned" : "dltensor",
                             capsule_free)
             : NULL;
}

static PyObject *
storage_device(Storage *self, PyObject *none)
{
    int type, number;
    ilex_dlpack_device(self->s, 0, &type, &number);
    return Py_BuildValue("(ii)", type, number);
}

/* row(index): the elements with an index of the first axis, in place. */
static PyObject *
storage_row(Storage *self, PyObject *index)
{
    long long i = PyLong_AsLongLong(index);
    if (PyErr_Occurred())
        return NULL;
    enter();
    PyObject *s = storage_new(ilex_storage_index(ctx, self->s, 0, i));
    leave();
    return s;
}

/* from_dlpack(capsule): a storage over the tensor, which is taken. */
static PyObject *
core_from_dlpack(PyObject *module, PyObject *capsule)
{
    bool versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    const char *name = versioned ? "dltensor_versioned" : "dltensor";
    void *t = PyCapsule_GetPointer(capsule, name);
    if (!t || PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned"
                                                   : "used_dltensor"))
        return NULL;
    enter();
    PyObject *s =
        storage_new(versioned ? ilex_dlpack_import(ctx, t, NULL)
                              : ilex_dlpack_import_legacy(ctx, t, NULL));
    leave();
    return s;
}

static PyMethodDef storage_methods[] = {
    {"dlpack", (PyCFunction)storage_dlpack, METH_VARARGS,
     "dlpack(versioned, copy): a capsule over the elements."},
    {"device", (PyCFunction)storage_device, METH_NOARGS,
     "Type and number of the device, as DLPack has them."},
    {"row", (PyCFunction)storage_row, METH_O,
     "row(index): the elements with an index of the first axis, in place."},
    {NULL},
};

PyType_Slot storage_slots[] = {
    SLOT(Py_tp_dealloc, storage_dealloc),
    SLOT(Py_tp_getset, storage_getset),
    SLOT(Py_tp_methods, storage_methods),
    SLOT(Py_bf_getbuffer, storage_getbuffer),
    SLOT(Py_bf_releasebuffer, storage_releasebuffer),
    {0},
};

PyMethodDef storage_functions[] = {
    {"storage", core_storage, METH_VARARGS,
     "storage(object, axes=None, halo=None): over the object's memory."},
    {"empty", core_empty, METH_VARARGS,
     "empty(dtype, shape, axes=None): a new storage."},
    {"from_dlpack", core_from_dlpack, METH_O, NULL},
    {NULL},
};
