/* SPDX-License-Identifier: MIT
 *
 * Arrays: what they are, their elements, subscripts.
 */
#include "_core.h"

/* ---- objects ---- */

PyObject *
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
    if (!storage)
        self->trace = open_trace ? open_trace : used_trace;
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

/* Stops at an input of a program. */
static int
at_node(void *found, ilex_array *x)
{
    return *(int *)found |= !strcmp(ilex_array_kind(x), "input");
}

/* Is it made of inputs of another trace than the one that is made? Of what
 * needs none it does not matter where it was made. */
static bool
is_of_another(Node *n)
{
    int found = 0;
    if (n->storage || !n->trace || n->trace == open_trace)
        return false;
    ilex_walk(ctx, 1, &n->array, at_node, &found);
    n->trace = found ? n->trace : 0;
    used_trace = found ? n->trace : used_trace;
    return found && open_trace;
}

ilex_array *
array_of(Node *n)
{
    if (is_of_another(n)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "an array that another call of a compiled function "
                        "traced has no elements here: return it from there, "
                        "and give it to this one as an argument");
        return NULL;
    }
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

ilex_array *
array_in(PyObject *o)
{
    if (PyObject_TypeCheck(o, node_type))
        return array_of((Node *)o);
    PyErr_Format(PyExc_TypeError, "'%.100s' is no array of Ilex",
                 Py_TYPE(o)->tp_name);
    return NULL;
}

PyObject *
finish(size_t mark, ilex_array *a)
{
    bool ok = a && !ilex_is_poison(a) && !PyErr_Occurred();
    if (ok)
        ilex_keep(a);
    ilex_scope_end(ctx, mark, NULL);
    return ok ? node_new(a, NULL) : fail();
}

PyObject *
finish_all(size_t mark, Py_ssize_t n, ilex_array *const *a)
{
    bool ok = !PyErr_Occurred() && !ilex_error_code(ctx);
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ilex_keep(a[i]);
    ilex_scope_end(ctx, mark, NULL);
    PyObject *made = ok ? PyTuple_New(n) : fail();
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *node = made ? node_new(a[i], NULL) : NULL;
        if (!made)
            ilex_drop_later(a[i]);
        else
            PyTuple_SET_ITEM(made, i, node);
    }
    if (PyErr_Occurred())
        Py_CLEAR(made);
    return made;
}

/* ---- what arrays are ---- */

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
    if (self->storage) {
        const ilex_storage *s = self->storage->s;
        int64_t length[MOST];
        for (int k = 0; k < ilex_storage_rank(s); k++)
            length[k] = ilex_storage_shape(s)[k] - ilex_storage_halo(s)[2 * k] -
                        ilex_storage_halo(s)[2 * k + 1];
        return integers(length, ilex_storage_rank(s));
    }
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

/* Where each axis begins inside the halo, and the widths of that, of an array
 * that has its elements; ((), ()) of one without names. */
static PyObject *
node_ranges(Node *self)
{
    const ilex_storage *s = self->storage ? self->storage->s : NULL;
    int rank = s && *ilex_storage_axis_name(s, 0) ? ilex_storage_rank(s) : 0;
    return Py_BuildValue(
        "(NN)", integers(rank ? ilex_storage_origin(s) : NULL, rank),
        integers(rank ? ilex_storage_halo(s) : NULL, 2 * rank));
}

static PyObject *
node_domain(Node *self)
{
    char text[1000] = "";
    ilex_array *a = array_of(self);
    if (a)
        ilex_array_domain(a, text, sizeof text);
    return a ? PyUnicode_FromString(text) : NULL;
}

static PyObject *
node_get(Node *self, void *what)
{
    PyObject *o;
    enter(); /* until then another thread may have computed it */
    const ilex_storage *s = self->storage ? self->storage->s : NULL;
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
    case 'r':
        o = node_ranges(self);
        break;
    case 'o':
        o = node_domain(self);
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
    {"ranges", (getter)node_get, NULL, "Origins, and widths of the halo.", "r"},
    {"domain", (getter)node_get, NULL, "The domain as text.", "o"},
    {"storage", (getter)node_get, NULL, "The elements, or None.", "s"},
    {NULL},
};

Storage *
storage_of(Node *n)
{
    return (Storage *)field_get(n, &n->storage);
}

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
    field_set(self, &self->storage, Py_XNewRef(other->storage));
    leave();
    Py_RETURN_NONE;
}

/* alias(): another object that is this array, whatever becomes of this one. */
static PyObject *
node_alias(Node *self, PyObject *none)
{
    PyTypeObject *type = Py_TYPE(self);
    Node *made = (Node *)type->tp_alloc(type, 0);
    enter();
    if (made && self->array)
        made->array = ilex_keep(self->array);
    if (made)
        made->storage = (Storage *)Py_XNewRef(self->storage);
    leave();
    return (PyObject *)made;
}

static PyObject *
node_tp_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyErr_SetString(PyExc_TypeError,
                    "arrays are made by functions, for example ilex.asarray");
    return NULL;
}

static PyMethodDef node_methods[] = {
    {"alias", (PyCFunction)node_alias, METH_NOARGS,
     "alias(): another object that is this array."},
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
    PyObject *all = PySequence_Tuple(o); /* which nobody else changes */
    Py_ssize_t n = all ? PyTuple_GET_SIZE(all) : 0, todo = 0;
    ilex_array **array = PyMem_Calloc((size_t)n + 1, sizeof *array);
    ilex_storage **made = PyMem_Calloc((size_t)n + 1, sizeof *made);
    Node **node = PyMem_Calloc((size_t)n + 1, sizeof *node);
    ilex_status rc = ILEX_OK;
    enter();
    for (Py_ssize_t i = 0; i < n && array && made && node; i++) {
        Node *x = (Node *)PyTuple_GET_ITEM(all, i);
        if (PyObject_TypeCheck((PyObject *)x, node_type) && !x->storage) {
            node[todo] = x;
            array[todo++] = x->array;
        }
    }
    if (todo) {
        Py_BEGIN_ALLOW_THREADS rc =
            ilex_compute(ctx, (size_t)todo, array, made);
        Py_END_ALLOW_THREADS
    }
    for (Py_ssize_t i = 0; !rc && i < todo; i++) {
        if (node[i]->storage) { /* it is listed twice */
            ilex_storage_release(made[i]);
            continue;
        }
        PyObject *s = storage_new(made[i]);
        if (!s)
            continue; /* no memory: it stays what it is */
        field_set(node[i], &node[i]->storage, s);
        ilex_drop(node[i]->array);
        node[i]->array = NULL;
    }
    PyObject *result = rc ? fail() : all ? Py_NewRef(Py_None) : NULL;
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

/* An entry of a subscript: None, ..., a slice, an array, or an index. */
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

bool
arrays_of(PyObject *tuple, Py_ssize_t n, ilex_array **to)
{
    if (PyTuple_GET_SIZE(tuple) != n || n > MOST_RESULTS)
        return PyErr_Format(PyExc_ValueError,
                            "%zd arrays where there are %zd; at most %d",
                            PyTuple_GET_SIZE(tuple), n, MOST_RESULTS),
               false;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(to[i] = array_in(PyTuple_GET_ITEM(tuple, i))))
            return false;
    return true;
}

/* scan(axis, direction, selves, values): the arrays of a recurrence. */
static PyObject *
core_scan(PyObject *module, PyObject *args)
{
    const char *axis, *direction;
    PyObject *selves, *values;
    ilex_array *self[MOST_RESULTS], *value[MOST_RESULTS], *made[MOST_RESULTS];
    if (!PyArg_ParseTuple(args, "ssO!O!", &axis, &direction, &PyTuple_Type,
                          &selves, &PyTuple_Type, &values))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(selves);
    enter();
    size_t mark = ilex_scope_begin(ctx);
    bool ok = arrays_of(selves, n, self) && arrays_of(values, n, value) &&
              !ilex_scan(ctx, axis, direction, (int)n, self, value, made);
    PyObject *result = finish_all(mark, ok ? n : 0, made);
    leave();
    return result;
}

/* loop(step, carry, first, next, until, stack, every, counts): what is carried
 * after the last step, the stacks, the number of steps. */
static PyObject *
core_loop(PyObject *module, PyObject *args)
{
    PyObject *step, *list[4], *until, *every;
    ilex_array *carry[MOST_RESULTS], *first[MOST_RESULTS], *next[MOST_RESULTS],
        *stack[MOST_RESULTS], *made[2 * MOST_RESULTS + 1];
    int64_t each[MOST_RESULTS];
    int counts;
    if (!PyArg_ParseTuple(args, "OO!O!O!OO!O!p", &step, &PyTuple_Type, &list[0],
                          &PyTuple_Type, &list[1], &PyTuple_Type, &list[2],
                          &until, &PyTuple_Type, &list[3], &PyTuple_Type,
                          &every, &counts))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(list[0]), m = PyTuple_GET_SIZE(list[3]);
    enter();
    size_t mark = ilex_scope_begin(ctx);
    ilex_loop_spec spec = {.size = sizeof spec,
                           .carry_count = (size_t)n,
                           .carry = carry,
                           .first = first,
                           .next = next,
                           .stack_count = (size_t)m,
                           .stack = stack,
                           .counts = counts,
                           .every = PyTuple_GET_SIZE(every) ? each : NULL};
    bool ok = arrays_of(list[0], n, carry) && arrays_of(list[1], n, first) &&
              arrays_of(list[2], n, next) && arrays_of(list[3], m, stack) &&
              (spec.step = array_in(step)) &&
              (until == Py_None || (spec.until = array_in(until)));
    for (Py_ssize_t i = 0; ok && i < m && spec.every; i++) {
        each[i] = i < PyTuple_GET_SIZE(every)
                      ? PyLong_AsLongLong(PyTuple_GET_ITEM(every, i))
                      : 1;
        ok = !PyErr_Occurred();
    }
    ok = ok && !ilex_loop(ctx, &spec, made);
    PyObject *result = finish_all(mark, ok ? n + m + (counts != 0) : 0, made);
    leave();
    return result;
}

/* parse(text, names, file): what these are called in a program. */
static PyObject *
core_parse(PyObject *module, PyObject *args)
{
    const char *text, *file = NULL;
    PyObject *names;
    if (!PyArg_ParseTuple(args, "sO!|z", &text, &PyTuple_Type, &names, &file))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(names);
    ilex_array **made = PyMem_Calloc((size_t)n + 1, sizeof *made);
    enter();
    size_t mark = ilex_scope_begin(ctx);
    ilex_module *m = made ? ilex_module_parse(ctx, text, file) : NULL;
    bool ok = m != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        ok = name && (made[i] = ilex_module_array(m, name));
    }
    PyObject *result = finish_all(mark, ok ? n : 0, made);
    ilex_module_free(m);
    leave();
    PyMem_Free(made);
    return result;
}

PyType_Slot node_slots[] = {
    SLOT(Py_tp_dealloc, node_dealloc), SLOT(Py_tp_traverse, node_traverse),
    SLOT(Py_tp_new, node_tp_new),      SLOT(Py_tp_getset, node_getset),
    SLOT(Py_tp_methods, node_methods), {0},
};

PyMethodDef node_functions[] = {
    {"data", core_data, METH_O, "data(storage): an array of its elements."},
    {"compute", core_compute, METH_O, "compute(arrays): their elements."},
    {"subscript", core_subscript, METH_VARARGS, "subscript(array, items)"},
    {"scan", core_scan, METH_VARARGS,
     "scan(axis, direction, selves, values): the arrays of a recurrence."},
    {"loop", core_loop, METH_VARARGS,
     "loop(step, carry, first, next, until, stack, every, counts)"},
    {"parse", core_parse, METH_VARARGS,
     "parse(text, names, file): arrays of a program in text, by name."},
    {NULL},
};
