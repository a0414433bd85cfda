/* SPDX-License-Identifier: MIT
 *
 * The module ilex._core: arrays, storages and programs as Python objects. It
 * knows no operator: _functions.inc, which generate.py writes, has a row for
 * each function of the C API, and the callers that these need.
 *
 * There is one context in a process. Whoever uses it holds its lock; who waits
 * for the lock lets other threads of Python run, so a run may take it along.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <ilex.h>
#include <ilex/dlpack.h>
#include <stdbool.h>
#include <structmember.h>

enum { MOST = ILEX_MAX_RANK, MOST_PARAMETERS = 8 };

static ilex_context *ctx;
static PyObject *array_class; /* of results, a subclass of Node */
static PyObject *convert;     /* makes a Node of an operand that is none */
static PyObject *exceptions;  /* by status */

/* ---- the lock of the context ---- */

static PyThread_type_lock lock;
static unsigned long owner; /* the thread that has it */
static int depth;           /* how often it has taken it */

static void
enter(void)
{
    unsigned long self = PyThread_get_thread_ident();
    if (depth > 0 && owner == self) {
        depth++;
        return;
    }
    if (!PyThread_acquire_lock(lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    owner = self;
    depth = 1;
}

static void
leave(void)
{
    if (--depth == 0)
        PyThread_release_lock(lock);
}

/* ---- errors ---- */

/* Raises what a status stands for; an exception that is set stays. */
static PyObject *
raise(ilex_status code, const char *text)
{
    PyObject *key = PyLong_FromLong(code);
    PyObject *class = key && exceptions ? PyDict_GetItem(exceptions, key) : NULL;
    Py_XDECREF(key);
    if (!PyErr_Occurred())
        PyErr_SetString(class ? class : PyExc_RuntimeError,
                        *text ? text : ilex_status_meaning(code));
    return NULL;
}

/* Raises the error of the context, which is forgotten. */
static PyObject *
fail(void)
{
    raise(ilex_error_code(ctx), ilex_error_text(ctx));
    ilex_error_clear(ctx);
    return NULL;
}

/* ---- objects ---- */

typedef struct Storage {
    PyObject_HEAD
    ilex_storage *s;
} Storage;

/* An array of the context. One that has its elements is what they are, whatever
 * it was made of. */
typedef struct Node {
    PyObject_HEAD
    ilex_array *array; /* kept; NULL: the storage's, not made yet */
    Storage *storage;  /* or NULL */
} Node;

typedef struct Program {
    PyObject_HEAD
    ilex_program *p;
} Program;

static PyTypeObject *storage_type, *node_type, *program_type, *function_type,
    *call_type;

/* Takes over a count of "s", which may be NULL: the context then has an error.
 */
static PyObject *
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

/* An object of the class that arrays have. Takes over a count of "a". */
static PyObject *
node_new(ilex_array *a, Storage *storage)
{
    PyTypeObject *type = array_class ? (PyTypeObject *)array_class : node_type;
    Node *self = (Node *)type->tp_alloc(type, 0);
    if (!self) {
        ilex_drop_later(a);
        return NULL;
    }
    self->array = a;
    Py_XINCREF(storage);
    self->storage = storage;
    return (PyObject *)self;
}

static void
node_dealloc(Node *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    ilex_drop_later(self->array);
    Py_CLEAR(self->storage);
    type->tp_free(self);
    Py_DECREF(type);
}

static int
node_traverse(Node *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void
program_dealloc(Program *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ilex_program_release(self->p);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The array of a node; NULL after an error. The lock is held. */
static ilex_array *
array_of(Node *n)
{
    if (!n->array && n->storage) {
        size_t mark = ilex_scope_begin(ctx);
        ilex_array *a = ilex_data(ctx, n->storage->s);
        n->array = ilex_is_poison(a) ? NULL : ilex_keep(a);
        ilex_scope_end(ctx, mark, NULL);
    }
    if (!n->array)
        fail();
    return n->array;
}

/* The end of a scope that made "a": it is the caller's. */
static PyObject *
finish(size_t mark, ilex_array *a)
{
    bool ok = a && !ilex_is_poison(a) && !PyErr_Occurred();
    if (ok)
        ilex_keep(a);
    ilex_scope_end(ctx, mark, NULL);
    return ok ? node_new(a, NULL) : fail();
}

/* ---- functions of the C API ---- */

typedef union Value {
    void *p;
    int64_t i;
    double d;
} Value;

/* A parameter is c the context, a an array, A one or None, s text, S text or
 * None, i l integers, d a number, t a dtype, n a list of arrays and its
 * length; I L T lists of integers and texts, one for each axis of the first
 * array, or None. A result is a an array, s text, S text to be freed, i an
 * integer, l one of 64 bits, x a status, p a pointer that is of no use. */
typedef struct Row {
    const char *name, *doc, *kinds;
    char result;
    const char *const *names; /* of the parameters but c */
    int least;                /* so many have no default */
    void (*call)(const struct Row *row, const Value *v, Value *result);
    void (*function)(void);
} Row;

typedef struct Function {
    PyObject_HEAD
    vectorcallfunc call;
    const Row *row;
} Function;

/* The arguments of one call; what they hold until it is over. */
typedef struct Arguments {
    Value v[MOST_PARAMETERS + 1];
    int n, rank;
    int64_t integers[2][MOST];
    int ints[MOST];
    const char *texts[2][MOST];
    int nintegers, ntexts;
    ilex_array **list;
    PyObject *held[MOST_PARAMETERS]; /* nodes that convert made */
    int nheld;
} Arguments;

static int
as_int(PyObject *o)
{
    long x = PyLong_AsLong(o);
    if (x == (int)x)
        return (int)x;
    PyErr_Format(PyExc_OverflowError, "%ld is too large", x);
    return -1;
}

/* An operand as an array: a node, a number, or what convert makes of it. */
static ilex_array *
operand(Arguments *a, PyObject *o)
{
    if (PyObject_TypeCheck(o, node_type))
        return array_of((Node *)o);
    if (PyBool_Check(o))
        return ilex_bool(ctx, o == Py_True);
    if (PyFloat_CheckExact(o))
        return ilex_lit(ctx, PyFloat_AS_DOUBLE(o));
    if (PyLong_CheckExact(o)) {
        int overflow;
        long long x = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (!overflow)
            return ilex_lit_int(ctx, x);
    }
    PyObject *node = convert ? PyObject_CallOneArg(convert, o) : NULL;
    if (node && !PyObject_TypeCheck(node, node_type)) {
        Py_DECREF(node);
        PyErr_Format(PyExc_TypeError, "'%.100s' is no operand of an array",
                     Py_TYPE(o)->tp_name);
        return NULL;
    }
    if (!node || !a || a->nheld == MOST_PARAMETERS) {
        Py_XDECREF(node);
        return NULL;
    }
    a->held[a->nheld++] = node;
    return array_of((Node *)node);
}

static bool
take_operands(Arguments *a, PyObject *o)
{
    PyObject *all = PySequence_Fast(o, "a sequence of arrays is expected");
    Py_ssize_t n = all ? PySequence_Fast_GET_SIZE(all) : 0;
    if (all)
        a->list = PyMem_Calloc((size_t)n + 1, sizeof *a->list);
    bool ok = a->list != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = (a->list[i] = operand(a, PySequence_Fast_GET_ITEM(all, i)));
    Py_XDECREF(all);
    a->v[a->n++].i = n;
    a->v[a->n++].p = a->list;
    return ok;
}

static bool
take_list(Arguments *a, char kind, PyObject *o)
{
    PyObject *all = PySequence_Fast(o, "a sequence is expected");
    Py_ssize_t n = all ? PySequence_Fast_GET_SIZE(all) : 0;
    bool ok = all != NULL;
    if (ok && n != a->rank)
        ok = (PyErr_Format(PyExc_ValueError,
                           "%zd entries for an array of %d axes", n, a->rank),
              false);
    int at = kind == 'T' ? a->ntexts++ : a->nintegers++;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *x = PySequence_Fast_GET_ITEM(all, i);
        if (kind == 'T')
            a->texts[at][i] = x == Py_None ? NULL : PyUnicode_AsUTF8(x);
        else if (kind == 'I')
            a->ints[i] = as_int(x);
        else
            a->integers[at][i] = PyLong_AsLongLong(x);
        ok = !PyErr_Occurred();
    }
    Py_XDECREF(all); /* texts live as long as the caller's sequence */
    a->v[a->n++].p = kind == 'T'   ? (void *)a->texts[at]
                     : kind == 'I' ? (void *)a->ints
                                   : (void *)a->integers[at];
    return ok;
}

static bool
take_array(Arguments *a, PyObject *o, bool optional)
{
    ilex_array *x = optional && o == Py_None ? NULL : operand(a, o);
    if (x && a->rank < 0)
        a->rank = ilex_array_rank(x);
    a->v[a->n++].p = x;
    return !PyErr_Occurred() && (x || (optional && o == Py_None));
}

static bool
take(Arguments *a, char kind, PyObject *o)
{
    bool none = o == Py_None;
    switch (kind) {
    case 'a':
    case 'A':
        return take_array(a, o, kind == 'A');
    case 'n':
        return take_operands(a, o);
    case 's':
    case 'S':
        a->v[a->n++].p =
            none && kind == 'S' ? NULL : (void *)PyUnicode_AsUTF8(o);
        break;
    case 'd':
        a->v[a->n++].d = PyFloat_AsDouble(o);
        break;
    case 'i':
    case 't':
        a->v[a->n++].i = as_int(o);
        break;
    case 'l':
        a->v[a->n++].i = PyLong_AsLongLong(o);
        break;
    default:
        if (!none)
            return take_list(a, kind, o);
        a->v[a->n++].p = NULL;
    }
    return !PyErr_Occurred();
}

static PyObject *
result_of(const Row *row, const Value *v, size_t mark)
{
    char *text = v->p;
    if (row->result == 'a')
        return finish(mark, v->p);
    ilex_scope_end(ctx, mark, NULL);
    switch (row->result) {
    case 'x':
        if (v->i)
            return fail();
        Py_RETURN_NONE;
    case 'i':
    case 'l':
        return PyLong_FromLongLong(v->i);
    case 's':
        return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
    default: {
        PyObject *o = text ? PyUnicode_FromString(text) : fail();
        ilex_text_free(ctx, text);
        return o;
    }
    }
}

/* Puts the arguments of a call in the order of the parameters. */
static bool
arrange(const Row *row, PyObject *const *args, Py_ssize_t nargs,
        PyObject *kwnames, PyObject **all)
{
    int n = 0;
    while (row->names[n])
        n++;
    if (nargs > n)
        return PyErr_Format(PyExc_TypeError,
                            "%s() takes %d arguments but %zd were given",
                            row->name, n, nargs),
               false;
    for (Py_ssize_t i = 0; i < nargs; i++)
        all[i] = args[i];
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        int i = 0;
        while (i < n && PyUnicode_CompareWithASCIIString(name, row->names[i]))
            i++;
        if (i == n || all[i])
            return PyErr_Format(PyExc_TypeError, "%s() got %s argument '%U'",
                                row->name,
                                i == n ? "an unexpected" : "twice the", name),
                   false;
        all[i] = args[nargs + k];
    }
    for (int i = 0; i < n; i++)
        if (!all[i] && i < row->least)
            return PyErr_Format(PyExc_TypeError, "%s() lacks argument '%s'",
                                row->name, row->names[i]),
                   false;
    return true;
}

static PyObject *
function_call(PyObject *self, PyObject *const *args, size_t nargsf,
              PyObject *kwnames)
{
    const Row *row = ((Function *)self)->row;
    PyObject *all[MOST_PARAMETERS] = {NULL}, *result = NULL;
    Arguments a;
    Value v = {0};
    a.n = a.nintegers = a.ntexts = a.nheld = 0;
    a.rank = -1;
    a.list = NULL;
    if (!arrange(row, args, PyVectorcall_NARGS(nargsf), kwnames, all))
        return NULL;
    enter();
    /* what is assumed holds until the scope of the caller ends */
    size_t mark = row->result == 'x' ? SIZE_MAX : ilex_scope_begin(ctx);
    bool ok = true;
    int at = 0;
    for (const char *k = row->kinds; ok && *k; k++) {
        if (*k == 'c') {
            a.v[a.n++].p = ctx;
            continue;
        }
        if (all[at] || !strchr("il", *k))
            ok = take(&a, *k, all[at] ? all[at] : Py_None);
        else
            a.v[a.n++].i = 0;
        at++;
    }
    if (ok) {
        row->call(row, a.v, &v);
        result = result_of(row, &v, mark);
    } else {
        ilex_scope_end(ctx, mark, NULL);
        fail();
    }
    leave();
    PyMem_Free(a.list);
    while (a.nheld > 0)
        Py_DECREF(a.held[--a.nheld]);
    return result;
}

#include "_functions.inc"

static PyObject *
function_get(Function *self, void *what)
{
    const Row *r = self->row;
    const char kind = *(const char *)what;
    long n = 0;
    while (r->names[n])
        n++;
    return kind == 'a'   ? PyLong_FromLong(n)
           : kind == 'd' ? PyUnicode_FromString(r->doc)
                         : PyUnicode_FromString(r->name);
}

static PyGetSetDef function_getset[] = {
    {"__name__", (getter)function_get, NULL, NULL, "n"},
    {"__doc__", (getter)function_get, NULL, NULL, "d"},
    {"arity", (getter)function_get, NULL, "How many parameters it has.", "a"},
    {NULL},
};

/* ---- storages ---- */

static const struct {
    const char *format;
    ilex_dtype dtype;
} formats[] = {{"?", ILEX_BOOL}, {"b", ILEX_I8},  {"h", ILEX_I16},
               {"i", ILEX_I32},  {"q", ILEX_I64}, {"B", ILEX_U8},
               {"H", ILEX_U16},  {"I", ILEX_U32}, {"Q", ILEX_U64},
               {"f", ILEX_F32},  {"d", ILEX_F64}, {"Zf", ILEX_C64},
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
    if (view->ndim > MOST ||
        ilex_format_read(view->format, &a->dtype, &swapped) || swapped) {
        PyErr_Format(PyExc_TypeError,
                     "a buffer of format '%.40s' with %d axes is no array",
                     view->format ? view->format : "B", view->ndim);
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

/* empty(dtype, shape, axes, layout, halo): a storage of its own. */
static PyObject *
core_empty(PyObject *module, PyObject *args)
{
    PyObject *lengths, *result;
    const char *dtype, *axes = NULL, *layout = NULL;
    int64_t shape[MOST + 1] = {0};
    if (!PyArg_ParseTuple(args, "sO!|zz", &dtype, &PyTuple_Type, &lengths,
                          &axes, &layout))
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
                                  .axes = axes,
                                  .layout = layout}));
    leave();
    return result;
}

static int
storage_getbuffer(Storage *self, Py_buffer *view, int flags)
{
    const char *format = format_of(ilex_storage_dtype(self->s));
    int rank = ilex_storage_rank(self->s);
    Py_ssize_t bytes = (Py_ssize_t)ilex_dtype_bytes(ilex_storage_dtype(self->s));
    bool readonly = !ilex_storage_writable(self->s);
    Py_ssize_t *lengths = PyMem_Calloc(2 * (size_t)rank + 1, sizeof *lengths);
    view->obj = NULL;
    if (!lengths || !format || (readonly && (flags & PyBUF_WRITABLE))) {
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
    if (!dense && !(flags & PyBUF_STRIDES)) {
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
                        .format = (char *)format,
                        .shape = lengths,
                        .strides = lengths + rank,
                        .internal = lengths};
    return 0;
}

static void
storage_releasebuffer(Storage *self, Py_buffer *view)
{
    PyMem_Free(view->internal);
}

static PyObject *
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
    case 'h':
        return integers(ilex_storage_halo(s), 2 * rank);
    case 'd':
        return PyUnicode_FromString(ilex_dtype_name(ilex_storage_dtype(s)));
    default: {
        PyObject *t = PyTuple_New(rank);
        for (int k = 0; t && k < rank; k++)
            PyTuple_SET_ITEM(t, k,
                             PyUnicode_FromString(ilex_storage_axis_name(s, k)));
        return t;
    }
    }
}

static PyGetSetDef storage_getset[] = {
    {"shape", (getter)storage_get, NULL, "Lengths, halo included.", "s"},
    {"strides", (getter)storage_get, NULL, "Strides in elements.", "t"},
    {"halo", (getter)storage_get, NULL, "Widths, low and high of each axis.",
     "h"},
    {"dtype", (getter)storage_get, NULL, "The name of the dtype.", "d"},
    {"axes", (getter)storage_get, NULL, "Names of the axes, '' for none.", "a"},
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
    PyObject *s = storage_new(versioned
                                  ? ilex_dlpack_import(ctx, t, NULL)
                                  : ilex_dlpack_import_legacy(ctx, t, NULL));
    leave();
    return s;
}

static PyMethodDef storage_methods[] = {
    {"dlpack", (PyCFunction)storage_dlpack, METH_VARARGS,
     "dlpack(versioned, copy): a capsule over the elements."},
    {"device", (PyCFunction)storage_device, METH_NOARGS,
     "Type and number of the device, as DLPack has them."},
    {NULL},
};

/* ---- nodes ---- */

/* The lengths of an array, each an integer or the terms of a form: (constant,
 * factor, size, ...). */
static PyObject *
form_of(const ilex_form *f)
{
    PyObject *t = f->terms ? PyTuple_New(1 + 2 * f->terms) : NULL;
    if (!f->terms)
        return PyLong_FromLongLong(f->constant);
    if (t)
        PyTuple_SET_ITEM(t, 0, PyLong_FromLongLong(f->constant));
    for (int i = 0; t && i < f->terms; i++) {
        PyTuple_SET_ITEM(t, 1 + 2 * i, PyLong_FromLongLong(f->factor[i]));
        PyTuple_SET_ITEM(t, 2 + 2 * i, PyUnicode_FromString(f->size[i]));
    }
    return t;
}

static PyObject *
node_lengths(Node *self)
{
    if (self->storage)
        return integers(ilex_storage_shape(self->storage->s),
                        ilex_storage_rank(self->storage->s));
    const ilex_domain *d = ilex_domain_of(self->array);
    int rank = ilex_array_rank(self->array);
    PyObject *t = PyTuple_New(rank);
    for (int k = 0; t && k < rank; k++) {
        ilex_form f;
        PyObject *length =
            ilex_domain_length(ctx, d, k, &f) ? fail() : form_of(&f);
        PyTuple_SET_ITEM(t, k, length);
        if (!length)
            Py_CLEAR(t);
    }
    return t;
}

static PyObject *
node_axes(Node *self)
{
    ilex_array *a = array_of(self);
    int rank = a ? ilex_array_rank(a) : 0;
    PyObject *t = a ? PyTuple_New(rank) : NULL;
    for (int k = 0; t && k < rank; k++)
        PyTuple_SET_ITEM(
            t, k,
            PyUnicode_FromString(ilex_domain_axis(ctx, ilex_domain_of(a), k)));
    return t;
}

static PyObject *
node_get(Node *self, void *what)
{
    const ilex_storage *s = self->storage ? self->storage->s : NULL;
    PyObject *o;
    enter();
    switch (*(const char *)what) {
    case 'l':
        o = node_lengths(self);
        break;
    case 'n':
        o = PyLong_FromLong(s ? ilex_storage_rank(s)
                              : ilex_array_rank(self->array));
        break;
    case 'd':
        o = PyUnicode_FromString(ilex_dtype_name(
            s ? ilex_storage_dtype(s) : ilex_array_dtype(self->array)));
        break;
    case 'a':
        o = node_axes(self);
        break;
    default:
        o = Py_NewRef(s ? (PyObject *)self->storage : Py_None);
    }
    leave();
    return o;
}

static PyGetSetDef node_getset[] = {
    {"lengths", (getter)node_get, NULL, "Lengths: integers, or forms.", "l"},
    {"ndim", (getter)node_get, NULL, "The number of axes.", "n"},
    {"type", (getter)node_get, NULL, "The name of the dtype.", "d"},
    {"axes", (getter)node_get, NULL, "Names of the axes, '' for none.", "a"},
    {"storage", (getter)node_get, NULL, "The elements, or None.", "s"},
    {NULL},
};

/* become(other): this object is another array from now on. */
static PyObject *
node_become(Node *self, PyObject *o)
{
    if (!PyObject_TypeCheck(o, node_type))
        return PyErr_Format(PyExc_TypeError, "an array is expected");
    Node *other = (Node *)o;
    enter();
    ilex_array *array = other->array ? ilex_keep(other->array) : NULL;
    ilex_drop_later(self->array);
    self->array = array;
    Py_XINCREF(other->storage);
    Py_XSETREF(self->storage, other->storage);
    leave();
    Py_RETURN_NONE;
}

static PyMethodDef node_methods[] = {
    {"become", (PyCFunction)node_become, METH_O,
     "become(other): this object is another array from now on."},
    {NULL},
};

/* data(storage): an array whose elements are a storage's. */
static PyObject *
core_data(PyObject *module, PyObject *o)
{
    if (!PyObject_TypeCheck(o, storage_type))
        return PyErr_Format(PyExc_TypeError, "a storage is expected");
    return node_new(NULL, (Storage *)o);
}

/* compute(nodes): from now on these have their elements. */
static PyObject *
core_compute(PyObject *module, PyObject *o)
{
    PyObject *all = PySequence_Fast(o, "a sequence of arrays is expected");
    Py_ssize_t n = all ? PySequence_Fast_GET_SIZE(all) : 0, todo = 0;
    ilex_array **array = PyMem_Calloc((size_t)n + 1, sizeof *array);
    ilex_storage **made = PyMem_Calloc((size_t)n + 1, sizeof *made);
    Node **node = PyMem_Calloc((size_t)n + 1, sizeof *node);
    ilex_status rc = ILEX_OK;
    enter();
    for (Py_ssize_t i = 0; i < n && array && made && node; i++) {
        Node *x = (Node *)PySequence_Fast_GET_ITEM(all, i);
        if (PyObject_TypeCheck((PyObject *)x, node_type) && !x->storage) {
            node[todo] = x;
            array[todo++] = x->array;
        }
    }
    if (todo) {
        Py_BEGIN_ALLOW_THREADS
        rc = ilex_compute(ctx, (size_t)todo, array, made);
        Py_END_ALLOW_THREADS
    }
    for (Py_ssize_t i = 0; !rc && i < todo; i++) {
        node[i]->storage = (Storage *)storage_new(made[i]);
        ilex_drop(node[i]->array);
        node[i]->array = NULL;
    }
    PyObject *result = rc ? fail() : Py_NewRef(Py_None);
    leave();
    PyMem_Free(array);
    PyMem_Free(made);
    PyMem_Free(node);
    Py_XDECREF(all);
    return result;
}

/* An end of a slice: an integer, a form, or None. */
static bool
read_form(PyObject *o, ilex_form *f)
{
    *f = (ilex_form){0};
    if (!PyTuple_Check(o)) {
        f->constant = PyLong_AsLongLong(o);
        return !PyErr_Occurred();
    }
    f->constant = PyLong_AsLongLong(PyTuple_GET_ITEM(o, 0));
    for (Py_ssize_t i = 1; i + 1 < PyTuple_GET_SIZE(o); i += 2) {
        if (f->terms == ILEX_FORM_TERMS)
            return PyErr_SetString(PyExc_ValueError, "too many sizes"), false;
        f->factor[f->terms] = PyLong_AsLongLong(PyTuple_GET_ITEM(o, i));
        f->size[f->terms++] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(o, i + 1));
    }
    return !PyErr_Occurred();
}

/* An entry of a subscript: None, ..., (start, stop, step), an array, or an
 * index. */
static bool
read_item(PyObject *o, ilex_item *item, ilex_form f[2])
{
    if (o == Py_None || o == Py_Ellipsis) {
        item->kind = o == Py_None ? ILEX_ITEM_NEW : ILEX_ITEM_REST;
    } else if (PySlice_Check(o)) {
        PySliceObject *s = (PySliceObject *)o;
        item->kind = ILEX_ITEM_SLICE;
        item->step = s->step == Py_None ? 1 : PyLong_AsLongLong(s->step);
        if (s->start != Py_None && read_form(s->start, &f[0]))
            item->start = &f[0];
        if (s->stop != Py_None && read_form(s->stop, &f[1]))
            item->stop = &f[1];
        if (item->step == 0 && !PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "the step of a slice is not 0");
    } else if (PyObject_TypeCheck(o, node_type)) {
        item->kind = ILEX_ITEM_ARRAY;
        item->array = array_of((Node *)o);
    } else {
        item->kind = ILEX_ITEM_INDEX;
        item->start = read_form(o, &f[0]) ? &f[0] : NULL;
    }
    return !PyErr_Occurred();
}

/* subscript(array, items) */
static PyObject *
core_subscript(PyObject *module, PyObject *args)
{
    enum { MOST_ITEMS = 2 * MOST + 1 };
    PyObject *x, *items, *result = NULL;
    ilex_item item[MOST_ITEMS] = {0};
    ilex_form form[MOST_ITEMS][2];
    if (!PyArg_ParseTuple(args, "O!O!", node_type, &x, &PyTuple_Type, &items))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    if (n > MOST_ITEMS)
        return PyErr_Format(PyExc_IndexError, "%zd entries of a subscript", n);
    enter();
    size_t mark = ilex_scope_begin(ctx);
    ilex_array *a = array_of((Node *)x);
    bool ok = a != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = read_item(PyTuple_GET_ITEM(items, i), &item[i], form[i]);
    result = finish(mark, ok ? ilex_subscript(a, (size_t)n, item) : NULL);
    leave();
    return result;
}

/* ---- programs ---- */

/* compile(nodes, name) */
static PyObject *
core_compile(PyObject *module, PyObject *args)
{
    PyObject *list;
    const char *name = "program";
    if (!PyArg_ParseTuple(args, "O!|s", &PyTuple_Type, &list, &name))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(list);
    ilex_array **x = PyMem_Calloc((size_t)n + 1, sizeof *x);
    Program *self = PyObject_New(Program, program_type);
    enter();
    for (Py_ssize_t i = 0; x && i < n; i++)
        x[i] = array_of((Node *)PyTuple_GET_ITEM(list, i));
    if (self)
        self->p = ilex_compile(ctx, (size_t)n, x,
                               &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                                    .name = name});
    if (self && !self->p) {
        fail();
        Py_CLEAR(self);
    }
    leave();
    PyMem_Free(x);
    return (PyObject *)self;
}

static ilex_binding *
bindings_of(PyObject *pairs, size_t *n)
{
    *n = (size_t)PyTuple_GET_SIZE(pairs);
    ilex_binding *b = PyMem_Calloc(*n + 1, sizeof *b);
    for (size_t i = 0; b && i < *n; i++) {
        PyObject *x;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, (Py_ssize_t)i), "sO",
                              &b[i].name, &x))
            break;
        if (PyObject_TypeCheck(x, storage_type)) {
            b[i].storage = ((Storage *)x)->s;
        } else if (PyLong_Check(x)) {
            b[i].kind = ILEX_BOUND_I64;
            b[i].integer = PyLong_AsLongLong(x);
        } else if (PyComplex_Check(x)) {
            b[i].kind = ILEX_BOUND_C128;
            b[i].re = PyComplex_RealAsDouble(x);
            b[i].im = PyComplex_ImagAsDouble(x);
        } else {
            b[i].kind = ILEX_BOUND_F64;
            b[i].re = PyFloat_AsDouble(x);
        }
    }
    if (!PyErr_Occurred())
        return b;
    PyMem_Free(b);
    return NULL;
}

/* evaluate(bindings, outputs): a list of so many storages. */
static PyObject *
program_evaluate(Program *self, PyObject *args)
{
    PyObject *pairs, *list = NULL;
    int count;
    size_t n;
    if (!PyArg_ParseTuple(args, "O!i", &PyTuple_Type, &pairs, &count))
        return NULL;
    ilex_binding *b = bindings_of(pairs, &n);
    ilex_storage **made = PyMem_Calloc((size_t)count + 1, sizeof *made);
    ilex_status rc = ILEX_E_MEMORY;
    enter();
    if (b && made) {
        Py_BEGIN_ALLOW_THREADS
        rc = ilex_evaluate(ctx, self->p, b, n, made);
        Py_END_ALLOW_THREADS
    }
    list = rc ? fail() : PyList_New(count);
    for (int i = 0; list && i < count; i++)
        PyList_SET_ITEM(list, i, storage_new(made[i]));
    leave();
    PyMem_Free(b);
    PyMem_Free(made);
    return list;
}

/* names(): of the arguments, in order. */
static PyObject *
program_names(Program *self, PyObject *none)
{
    size_t n = ilex_program_argument_count(self->p);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) {
        ilex_argument_info info = {.size = sizeof info};
        ilex_program_argument_get(self->p, i, &info);
        PyObject *name = PyUnicode_FromString(info.name);
        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef program_methods[] = {
    {"names", (PyCFunction)program_names, METH_NOARGS,
     "names(): of the arguments, in order."},
    {"evaluate", (PyCFunction)program_evaluate, METH_VARARGS,
     "evaluate(bindings, outputs): the storages of so many outputs."},
    {NULL},
};

/* text(nodes, names, stage): what a stage of compiling makes of a program. */
static PyObject *
core_text(PyObject *module, PyObject *args)
{
    PyObject *nodes, *names;
    const char *stage;
    if (!PyArg_ParseTuple(args, "O!O!s", &PyTuple_Type, &nodes, &PyTuple_Type,
                          &names, &stage))
        return NULL;
    enter();
    ilex_module *m = ilex_module_new(ctx, "program");
    for (Py_ssize_t i = 0; m && i < PyTuple_GET_SIZE(nodes); i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        ilex_array *a = array_of((Node *)PyTuple_GET_ITEM(nodes, i));
        if (!name || !a || ilex_module_output(m, name, a, NULL))
            break;
    }
    char *text = NULL;
    if (!PyErr_Occurred() && !ilex_error_code(ctx))
        text = !strcmp(stage, "print")  ? ilex_module_print(m)
               : !strcmp(stage, "dot")  ? ilex_module_dot(m)
               : !strcmp(stage, "html") ? ilex_module_html(m, NULL)
               : !strcmp(stage, "c")    ? ilex_module_emit(m, "c")
                                        : ilex_module_stage(m, stage);
    PyObject *o = text ? PyUnicode_FromString(text) : fail();
    ilex_text_free(ctx, text);
    ilex_module_free(m);
    leave();
    return o;
}

/* ---- prepared calls ---- */

/* What an argument must be for a prepared call. */
typedef struct Slot {
    char kind; /* s a storage's elements, f i c a number, o this object */
    PyObject *object;  /* o, and else what was bound first */
    const char *name;  /* NULL: the program does not read it */
    ilex_dtype dtype;
    int rank;
    int64_t shape[MOST], stride[MOST];
    const ilex_storage *like; /* s: what was bound first */
} Slot;

/* A program bound to arrays, which are exchanged for others of their kind. */
typedef struct Call {
    PyObject_HEAD
    ilex_prepared *q;
    Slot *slot; /* of arguments, then of outputs */
    int inputs, outputs;
    bool single, busy;
    void **data;
    PyObject *owners; /* of names, of what was bound first */
} Call;

static void
call_dealloc(Call *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ilex_prepared_release(self->q);
    PyMem_Free(self->slot);
    PyMem_Free(self->data);
    Py_XDECREF(self->owners);
    type->tp_free(self);
    Py_DECREF(type);
}

static void
slot_of(Slot *slot, PyObject *name, PyObject *o)
{
    *slot = (Slot){.kind = PyObject_TypeCheck(o, storage_type) ? 's'
                           : PyFloat_CheckExact(o)             ? 'f'
                           : PyLong_CheckExact(o)              ? 'i'
                           : PyComplex_CheckExact(o)           ? 'c'
                                                               : 'o',
                   .object = o,
                   .name = name == Py_None ? NULL : PyUnicode_AsUTF8(name)};
    if (slot->kind != 's')
        return;
    const ilex_storage *s = slot->like = ((Storage *)o)->s;
    slot->dtype = ilex_storage_dtype(s);
    slot->rank = ilex_storage_rank(s);
    for (int k = 0; k < slot->rank; k++) {
        slot->shape[k] = ilex_storage_shape(s)[k];
        slot->stride[k] = ilex_storage_stride(s)[k];
    }
}

/* Call(program, inputs, outputs, single): inputs and outputs are pairs of a
 * name, or None, and a storage, a number, or an object that stays. */
static PyObject *
core_prepare(PyObject *module, PyObject *args)
{
    PyObject *program, *inputs, *outputs;
    int single;
    if (!PyArg_ParseTuple(args, "O!O!O!p", program_type, &program,
                          &PyTuple_Type, &inputs, &PyTuple_Type, &outputs,
                          &single))
        return NULL;
    PyObject *all = PySequence_Concat(inputs, outputs);
    Py_ssize_t n = all ? PyTuple_GET_SIZE(all) : 0;
    PyObject *used = PyList_New(0);
    Call *self = PyObject_New(Call, call_type);
    if (!all || !used || !self)
        return NULL;
    self->q = NULL;
    self->owners = all;
    self->slot = PyMem_Calloc((size_t)n + 1, sizeof *self->slot);
    self->data = PyMem_Calloc((size_t)n + 1, sizeof *self->data);
    self->inputs = (int)PyTuple_GET_SIZE(inputs);
    self->outputs = (int)PyTuple_GET_SIZE(outputs);
    self->single = single;
    self->busy = false;
    for (Py_ssize_t i = 0; self->slot && i < n; i++) {
        PyObject *pair = PyTuple_GET_ITEM(all, i);
        slot_of(&self->slot[i], PyTuple_GET_ITEM(pair, 0),
                PyTuple_GET_ITEM(pair, 1));
        if (self->slot[i].name)
            PyList_Append(used, pair);
    }
    PyObject *pairs = PyList_AsTuple(used);
    size_t count = 0;
    ilex_binding *b = pairs ? bindings_of(pairs, &count) : NULL;
    enter();
    if (b)
        self->q = ilex_bind(ctx, ((Program *)program)->p, b, count, NULL);
    if (!self->q) {
        fail();
        Py_CLEAR(self);
    }
    leave();
    PyMem_Free(b);
    Py_XDECREF(pairs);
    Py_DECREF(used);
    return (PyObject *)self;
}

/* Is an array laid out as the slot's? */
static bool
alike(const Slot *slot, ilex_dtype dtype, int rank, const int64_t *shape,
      const int64_t *stride, int64_t unit)
{
    bool same = dtype == slot->dtype && rank == slot->rank;
    for (int k = 0; same && k < rank; k++)
        same = shape[k] == slot->shape[k] &&
               (stride[k] == slot->stride[k] * unit || shape[k] <= 1);
    return same;
}

/* The elements of an argument; NULL, without an exception: it is of another
 * kind. "view" is to be released if it has an object. */
static void *
elements(const Slot *slot, PyObject *o, Py_buffer *view)
{
    if (PyObject_TypeCheck(o, node_type))
        o = (PyObject *)((Node *)o)->storage;
    if (!o)
        return NULL;
    if (PyObject_TypeCheck(o, storage_type)) {
        ilex_storage *s = ((Storage *)o)->s;
        bool same = alike(slot, ilex_storage_dtype(s), ilex_storage_rank(s),
                          ilex_storage_shape(s), ilex_storage_stride(s), 1);
        return same ? (void *)ilex_storage_const_data(s) : NULL;
    }
    ilex_dtype dtype;
    int swapped = 0;
    if (PyObject_GetBuffer(o, view, PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
        PyErr_Clear();
        return NULL;
    }
    bool same = !ilex_format_read(view->format, &dtype, &swapped) && !swapped &&
                alike(slot, dtype, view->ndim, (const int64_t *)view->shape,
                      (const int64_t *)view->strides, view->itemsize);
    return same ? view->buf : NULL;
}

/* Sets a number; false: it is of another kind. */
static bool
set_number(Call *c, const Slot *slot, PyObject *o)
{
    ilex_binding b = {.name = slot->name};
    if (slot->kind == 'f' && PyFloat_CheckExact(o)) {
        b.kind = ILEX_BOUND_F64;
        b.re = PyFloat_AS_DOUBLE(o);
    } else if (slot->kind == 'i' && PyLong_CheckExact(o)) {
        int overflow;
        b.kind = ILEX_BOUND_I64;
        b.integer = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow)
            return false;
    } else if (slot->kind == 'c' && PyComplex_CheckExact(o)) {
        b.kind = ILEX_BOUND_C128;
        b.re = PyComplex_RealAsDouble(o);
        b.im = PyComplex_ImagAsDouble(o);
    } else {
        return false;
    }
    return !slot->name || ilex_prepared_set(c->q, &b) == ILEX_OK;
}

/* New storages for the outputs; NULL after an error. */
static PyObject *
make_outputs(Call *c, void **data)
{
    PyObject *all = PyTuple_New(c->outputs);
    for (int i = 0; all && i < c->outputs; i++) {
        const Slot *slot = &c->slot[c->inputs + i];
        ilex_storage *s = ilex_storage_empty_like(NULL, slot->like);
        Storage *o = s ? (Storage *)storage_new(s) : NULL;
        PyObject *node = o ? node_new(NULL, o) : PyErr_NoMemory();
        Py_XDECREF(o);
        data[i] = s ? ilex_storage_data(s) : NULL;
        PyTuple_SET_ITEM(all, i, node);
        if (!node)
            Py_CLEAR(all);
    }
    return all;
}

/* Runs; the outputs. NULL without an exception: the arguments are of another
 * kind. */
static PyObject *
call_run(Call *c, PyObject *const *args)
{
    Py_buffer view[16];
    PyObject *made = NULL;
    bool ok = c->inputs <= 16;
    int n = 0;
    for (int i = 0; i < c->inputs && ok; i++) {
        const Slot *slot = &c->slot[i];
        view[i].obj = NULL;
        void *at = NULL;
        ok = slot->kind == 's'   ? (at = elements(slot, args[i], &view[i])) != NULL
             : slot->kind == 'o' ? args[i] == slot->object
                                 : set_number(c, slot, args[i]);
        if (slot->name)
            c->data[n++] = at;
        if (!ok)
            for (int k = 0; k <= i; k++)
                PyBuffer_Release(&view[k]);
    }
    if (!ok)
        return NULL;
    made = make_outputs(c, c->data + n);
    ilex_status rc = made ? ilex_prepared_set_pointers(
                                c->q, (size_t)(n + c->outputs), c->data)
                          : ILEX_OK;
    if (made && !rc) {
        Py_BEGIN_ALLOW_THREADS
        rc = ilex_prepared_run(c->q);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < c->inputs; i++)
        PyBuffer_Release(&view[i]);
    if (rc)
        raise(rc, ilex_prepared_error(c->q));
    if (rc || (made && c->single)) {
        PyObject *one = rc ? NULL : Py_NewRef(PyTuple_GET_ITEM(made, 0));
        Py_DECREF(made);
        return one;
    }
    return made;
}

/* A function with a call for the arguments that it had last, if these may be
 * exchanged; what else comes is for the method _slow of a subclass. */
typedef struct Jit {
    PyObject_HEAD
    vectorcallfunc call;
    Call *fast; /* or NULL */
} Jit;

static PyObject *
jit_call(PyObject *o, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Jit *self = (Jit *)o;
    Call *c = self->fast;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject *result = NULL;
    if (c && !kwnames && n == c->inputs && !c->busy) {
        Py_INCREF(c);
        c->busy = true;
        result = call_run(c, args);
        c->busy = false;
        Py_DECREF(c);
    }
    if (result || PyErr_Occurred())
        return result;
    PyObject *slow = PyObject_GetAttrString(o, "_slow");
    if (slow)
        result = PyObject_Vectorcall(slow, args, (size_t)n, kwnames);
    Py_XDECREF(slow);
    return result;
}

static PyObject *
jit_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Jit *self = (Jit *)type->tp_alloc(type, 0);
    if (self)
        self->call = jit_call;
    return (PyObject *)self;
}

static int
jit_traverse(Jit *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->fast);
    return 0;
}

static int
jit_clear(Jit *self)
{
    Py_CLEAR(self->fast);
    return 0;
}

static void
jit_dealloc(Jit *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    jit_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
jit_get(Jit *self, void *none)
{
    return Py_NewRef(self->fast ? (PyObject *)self->fast : Py_None);
}

static int
jit_set(Jit *self, PyObject *o, void *none)
{
    bool is = o && PyObject_TypeCheck(o, call_type);
    Py_XSETREF(self->fast, is ? (Call *)Py_NewRef(o) : NULL);
    return 0;
}

static PyGetSetDef jit_getset[] = {
    {"fast", (getter)jit_get, (setter)jit_set, "The prepared call, or None.",
     NULL},
    {NULL},
};

static PyMemberDef jit_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Jit, call), READONLY, NULL},
    {NULL},
};

/* ---- the module ---- */

/* setup(Array, convert, exceptions): what the package in Python adds. */
static PyObject *
core_setup(PyObject *module, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "OOO", &array_class, &convert, &exceptions))
        return NULL;
    Py_INCREF(array_class);
    Py_INCREF(convert);
    Py_INCREF(exceptions);
    Py_RETURN_NONE;
}

/* scope_begin(), scope_end(mark): assumptions hold in between. */
static PyObject *
core_scope_begin(PyObject *module, PyObject *none)
{
    enter();
    size_t mark = ilex_scope_begin(ctx);
    return PyLong_FromSize_t(mark);
}

static PyObject *
core_scope_end(PyObject *module, PyObject *mark)
{
    size_t m = PyLong_AsSize_t(mark);
    if (PyErr_Occurred())
        return NULL;
    ilex_scope_end(ctx, m, NULL);
    leave();
    Py_RETURN_NONE;
}

/* lock_begin(), lock_end(): around a fork. */
static PyObject *
core_lock_begin(PyObject *module, PyObject *none)
{
    enter();
    Py_RETURN_NONE;
}

static PyObject *
core_lock_end(PyObject *module, PyObject *none)
{
    leave();
    Py_RETURN_NONE;
}

static PyMethodDef core_methods[] = {
    {"setup", core_setup, METH_VARARGS, NULL},
    {"lock_begin", core_lock_begin, METH_NOARGS, NULL},
    {"lock_end", core_lock_end, METH_NOARGS, NULL},
    {"storage", core_storage, METH_VARARGS,
     "storage(object, axes=None, halo=None): over the object's memory."},
    {"empty", core_empty, METH_VARARGS,
     "empty(dtype, shape, axes=None, layout=None): a new storage."},
    {"from_dlpack", core_from_dlpack, METH_O, NULL},
    {"data", core_data, METH_O, "data(storage): an array of its elements."},
    {"compute", core_compute, METH_O, "compute(arrays): their elements."},
    {"subscript", core_subscript, METH_VARARGS, "subscript(array, items)"},
    {"compile", core_compile, METH_VARARGS, "compile(arrays, name)"},
    {"text", core_text, METH_VARARGS, "text(arrays, names, stage)"},
    {"prepare", core_prepare, METH_VARARGS,
     "prepare(program, inputs, outputs, single)"},
    {"scope_begin", core_scope_begin, METH_NOARGS, NULL},
    {"scope_end", core_scope_end, METH_O, NULL},
    {NULL},
};

#define SLOT(slot, function) {slot, (void *)(function)}
static PyType_Slot storage_slots[] = {
    SLOT(Py_tp_dealloc, storage_dealloc),
    SLOT(Py_tp_getset, storage_getset),
    SLOT(Py_tp_methods, storage_methods),
    SLOT(Py_bf_getbuffer, storage_getbuffer),
    SLOT(Py_bf_releasebuffer, storage_releasebuffer),
    {0},
};
static PyType_Slot node_slots[] = {
    SLOT(Py_tp_dealloc, node_dealloc),
    SLOT(Py_tp_traverse, node_traverse),
    SLOT(Py_tp_getset, node_getset),
    SLOT(Py_tp_methods, node_methods),
    {0},
};
static PyType_Slot program_slots[] = {
    SLOT(Py_tp_dealloc, program_dealloc),
    SLOT(Py_tp_methods, program_methods),
    {0},
};
static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY,
     NULL},
    {NULL},
};
static PyType_Slot function_slots[] = {
    SLOT(Py_tp_call, PyVectorcall_Call),
    SLOT(Py_tp_getset, function_getset),
    SLOT(Py_tp_members, function_members),
    {0},
};
static PyType_Slot call_slots[] = {
    SLOT(Py_tp_dealloc, call_dealloc),
    {0},
};
static PyType_Slot jit_slots[] = {
    SLOT(Py_tp_new, jit_new),
    SLOT(Py_tp_dealloc, jit_dealloc),
    SLOT(Py_tp_traverse, jit_traverse),
    SLOT(Py_tp_clear, jit_clear),
    SLOT(Py_tp_call, PyVectorcall_Call),
    SLOT(Py_tp_members, jit_members),
    SLOT(Py_tp_getset, jit_getset),
    {0},
};

static PyTypeObject *
add_type(PyObject *m, const char *name, size_t size, unsigned long flags,
         PyType_Slot *slots)
{
    PyType_Spec spec = {name, (int)size, 0,
                        (unsigned)(Py_TPFLAGS_DEFAULT | flags), slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (type)
        PyModule_AddType(m, type);
    return type;
}

static int
core_exec(PyObject *m)
{
    const unsigned long made = Py_TPFLAGS_DISALLOW_INSTANTIATION;
    const unsigned long call = Py_TPFLAGS_HAVE_VECTORCALL;
    if (ctx)
        return PyErr_SetString(PyExc_ImportError,
                               "ilex is loaded once in a process"),
               -1;
    ctx = ilex_context_new(NULL);
    lock = PyThread_allocate_lock();
    storage_type = add_type(m, "ilex._core.Storage", sizeof(Storage), made,
                            storage_slots);
    node_type = add_type(m, "ilex._core.Node", sizeof(Node),
                         Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, node_slots);
    program_type = add_type(m, "ilex._core.Program", sizeof(Program), made,
                            program_slots);
    function_type = add_type(m, "ilex._core.Function", sizeof(Function),
                             made | call, function_slots);
    call_type =
        add_type(m, "ilex._core.Call", sizeof(Call), made, call_slots);
    PyTypeObject *jit =
        add_type(m, "ilex._core.Jit", sizeof(Jit),
                 Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | call, jit_slots);
    if (!ctx || !lock || !storage_type || !node_type || !program_type ||
        !function_type || !call_type || !jit)
        return -1;
    for (const Row *r = rows; r->name; r++) {
        Function *f = PyObject_New(Function, function_type);
        if (!f)
            return -1;
        f->call = function_call;
        f->row = r;
        if (PyModule_AddObject(m, r->name, (PyObject *)f))
            return -1;
    }
    return 0;
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, (void *)core_exec},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0},
};

static PyModuleDef core = {PyModuleDef_HEAD_INIT, "_core", NULL, 0,
                           core_methods, core_slots, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&core);
}
