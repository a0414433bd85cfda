/* SPDX-License-Identifier: MIT
 *
 * Programs bound to arrays, which calls exchange for others of their kind, and
 * functions that make such calls.
 */
#include "_core.h"

#include <stdatomic.h>

/* What an argument must be for a prepared call. */
typedef struct Slot {
    char kind; /* s a storage's elements, f i c a number, o this object */
    bool written;
    PyObject *object; /* o, and else what was bound first */
    const char *name; /* NULL: the program does not read it */
    ilex_dtype dtype;
    int rank;
    int64_t shape[MOST], stride[MOST];
    const ilex_storage *like; /* s: what was bound first */
} Slot;

/* A program bound to arrays, which are exchanged for others of their kind. */
typedef struct Call {
    PyObject_HEAD ilex_prepared *q;
    Slot *slot; /* of arguments, then of outputs */
    int inputs, outputs;
    bool single;
    atomic_flag busy;
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
    bool read = name != Py_None; /* a number that is not belongs to the trace */
    *slot = (Slot){.kind = PyObject_TypeCheck(o, storage_type) ? 's'
                           : read                              ? kind_of(o)
                                                               : 'o',
                   .object = o,
                   .name = read ? PyUnicode_AsUTF8(name) : NULL};
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

/* Call(program, inputs, outputs, single, written): inputs and outputs are pairs
 * of a name, or None, and a storage, a number, or an object that stays; outputs
 * are made by each call, but the last inputs, so many, are written. */
static PyObject *
core_prepare(PyObject *module, PyObject *args)
{
    PyObject *program, *inputs, *outputs;
    int single, written = 0;
    if (!PyArg_ParseTuple(args, "O!O!O!p|i", program_type, &program,
                          &PyTuple_Type, &inputs, &PyTuple_Type, &outputs,
                          &single, &written))
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
    atomic_flag_clear(&self->busy);
    for (Py_ssize_t i = 0; self->slot && i < n; i++) {
        PyObject *pair = PyTuple_GET_ITEM(all, i);
        slot_of(&self->slot[i], PyTuple_GET_ITEM(pair, 0),
                PyTuple_GET_ITEM(pair, 1));
        self->slot[i].written = i >= self->inputs - written;
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

/* Have two storages the same axes, around the same halo? */
static bool
same_axes(const ilex_storage *a, const ilex_storage *b)
{
    bool same = true;
    for (int k = 0; same && k < ilex_storage_rank(a); k++)
        same =
            !strcmp(ilex_storage_axis_name(a, k),
                    ilex_storage_axis_name(b, k)) &&
            ilex_storage_origin(a)[k] == ilex_storage_origin(b)[k] &&
            ilex_storage_halo(a)[2 * k] == ilex_storage_halo(b)[2 * k] &&
            ilex_storage_halo(a)[2 * k + 1] == ilex_storage_halo(b)[2 * k + 1];
    return same;
}

/* The elements of an argument; NULL, without an exception: it is of another
 * kind. "view" is to be released if it has an object, "held" given back. */
static void *
elements(const Slot *slot, PyObject *o, Py_buffer *view, PyObject **held)
{
    bool node = PyObject_TypeCheck(o, node_type);
    if (node || PyObject_TypeCheck(o, storage_type)) {
        /* held, since what the array is may change meanwhile */
        *held = node ? (PyObject *)storage_of((Node *)o) : Py_NewRef(o);
        if (!*held || slot->written) /* an array of the user's is written */
            return NULL;
        ilex_storage *s = ((Storage *)*held)->s;
        bool same = alike(slot, ilex_storage_dtype(s), ilex_storage_rank(s),
                          ilex_storage_shape(s), ilex_storage_stride(s), 1);
        return same && same_axes(s, slot->like)
                   ? (void *)ilex_storage_const_data(s)
                   : NULL;
    }
    ilex_dtype dtype;
    int swapped = 0;
    if (*ilex_storage_axis_name(slot->like, 0))
        return NULL; /* of a field */
    const int want = slot->written ? PyBUF_STRIDED : PyBUF_STRIDED_RO;
    if (PyObject_GetBuffer(o, view, want | PyBUF_FORMAT)) {
        PyErr_Clear();
        return NULL;
    }
    bool same = !ilex_format_read(view->format, &dtype, &swapped) && !swapped &&
                alike(slot, dtype, view->ndim, (const int64_t *)view->shape,
                      (const int64_t *)view->strides, view->itemsize);
    return same ? view->buf : NULL;
}

/* Is an argument what a trace was made for: this object, or an equal number? */
static bool
is_same(PyObject *o, PyObject *own)
{
    if (o == own || kind_of(own) == 'o' || kind_of(o) != kind_of(own))
        return o == own;
    if (PyFloat_CheckExact(o)) { /* -0.0 is another one */
        double a = PyFloat_AS_DOUBLE(o), b = PyFloat_AS_DOUBLE(own);
        return !memcmp(&a, &b, sizeof a);
    }
    return PyObject_RichCompareBool(o, own, Py_EQ) == 1;
}

/* Sets a number; false: it is of another kind. */
static bool
set_number(Call *c, const Slot *slot, PyObject *o)
{
    ilex_binding b = {.name = slot->name};
    if (kind_of(o) != slot->kind)
        return false;
    if (!read_number(o, &b)) {
        PyErr_Clear();
        return false;
    }
    return ilex_prepared_set(c->q, &b) == ILEX_OK;
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

/* Gives back what the arguments of a run are held by. */
static void
let_go(int n, Py_buffer *view, PyObject **held)
{
    for (int i = 0; i < n; i++) {
        PyBuffer_Release(&view[i]);
        Py_XDECREF(held[i]);
    }
}

/* Looks at the arguments: where their elements are, and what holds these. */
static bool
take_arguments(Call *c, PyObject *const *args, Py_buffer *view, PyObject **held,
               int *n)
{
    bool ok = true;
    for (int i = 0; i < c->inputs; i++) {
        const Slot *slot = &c->slot[i];
        void *at = NULL;
        view[i].obj = NULL;
        held[i] = NULL;
        if (ok && slot->kind == 's')
            ok = (at = elements(slot, args[i], &view[i], &held[i])) != NULL;
        else if (ok && slot->kind == 'o')
            ok = is_same(args[i], slot->object);
        else if (ok)
            ok = set_number(c, slot, args[i]);
        if (slot->name)
            c->data[(*n)++] = at;
    }
    return ok;
}

/* Runs; the outputs. NULL without an exception: the arguments are of another
 * kind. */
static PyObject *
call_run(Call *c, PyObject *const *args)
{
    enum { MOST_ARGUMENTS = 16 };
    Py_buffer view[MOST_ARGUMENTS];
    PyObject *held[MOST_ARGUMENTS], *made = NULL;
    ilex_status rc = ILEX_OK;
    int n = 0;
    if (c->inputs > MOST_ARGUMENTS)
        return NULL;
    if (take_arguments(c, args, view, held, &n))
        made = make_outputs(c, c->data + n);
    if (made)
        rc =
            ilex_prepared_set_pointers(c->q, (size_t)(n + c->outputs), c->data);
    if (made && !rc) {
        Py_BEGIN_ALLOW_THREADS rc = ilex_prepared_run(c->q);
        Py_END_ALLOW_THREADS
    }
    let_go(c->inputs, view, held);
    if (rc)
        raise_status(rc, ilex_prepared_error(c->q));
    if (!made || (!rc && !c->single))
        return made;
    PyObject *one = rc ? NULL : Py_NewRef(PyTuple_GET_ITEM(made, 0));
    Py_DECREF(made);
    return one;
}

/* A function with a call for the arguments that it had last, if these may be
 * exchanged; what else comes is for the method _slow of a subclass. */
typedef struct Jit {
    PyObject_HEAD vectorcallfunc call;
    Call *fast; /* or NULL */
} Jit;

static PyObject *
jit_call(PyObject *o, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Jit *self = (Jit *)o;
    Call *c = (Call *)field_get(self, &self->fast);
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject *result = NULL;
    if (c && !kwnames && n == c->inputs &&
        !atomic_flag_test_and_set(&c->busy)) {
        result = call_run(c, args);
        atomic_flag_clear(&c->busy);
    }
    Py_XDECREF(c);
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
    PyObject *c = field_get(self, &self->fast);
    return c ? c : Py_NewRef(Py_None);
}

static int
jit_set(Jit *self, PyObject *o, void *none)
{
    bool is = o && PyObject_TypeCheck(o, call_type);
    field_set(self, &self->fast, is ? Py_NewRef(o) : NULL);
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

PyType_Slot call_slots[] = {
    SLOT(Py_tp_dealloc, call_dealloc),
    {0},
};

PyType_Slot jit_slots[] = {
    SLOT(Py_tp_new, jit_new),
    SLOT(Py_tp_dealloc, jit_dealloc),
    SLOT(Py_tp_traverse, jit_traverse),
    SLOT(Py_tp_clear, jit_clear),
    SLOT(Py_tp_call, PyVectorcall_Call),
    SLOT(Py_tp_members, jit_members),
    SLOT(Py_tp_getset, jit_getset),
    {0},
};

const int call_bytes = (int)sizeof(Call), jit_bytes = (int)sizeof(Jit);

PyMethodDef call_functions[] = {
    {"prepare", core_prepare, METH_VARARGS,
     "prepare(program, inputs, outputs, single, written)"},
    {NULL},
};
