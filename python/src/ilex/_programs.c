/* SPDX-License-Identifier: MIT
 *
 * Programs: compiling, running, what they are as text.
 */
#include "_core.h"

/* ---- programs ---- */

static void
program_dealloc(Program *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ilex_program_release(self->p);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The names in a tuple; NULL after an error. */
static const char **
names_of(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    const char **names = PyMem_Calloc((size_t)n + 1, sizeof *names);
    if (!names)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; names && i < n; i++)
        if (!(names[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i)))) {
            PyMem_Free(names);
            return NULL;
        }
    return names;
}

/* compile(nodes, name, names): the outputs are called so, unless names is None.
 */
static PyObject *
core_compile(PyObject *module, PyObject *args)
{
    PyObject *list, *called = Py_None;
    const char *name = "program", **names = NULL;
    if (!PyArg_ParseTuple(args, "O!|sO", &PyTuple_Type, &list, &name, &called))
        return NULL;
    if (called != Py_None && !(names = names_of(called)))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(list);
    ilex_array **x = PyMem_Calloc((size_t)n + 1, sizeof *x);
    Program *self = PyObject_New(Program, program_type);
    enter();
    bool ok = x && self;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = (x[i] = array_in(PyTuple_GET_ITEM(list, i))) != NULL;
    if (self)
        self->p = NULL;
    if (ok)
        self->p =
            ilex_compile(ctx, (size_t)n, x,
                         &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                              .name = name,
                                              .names = names});
    if (self && !self->p) {
        fail();
        Py_CLEAR(self);
    }
    leave();
    PyMem_Free(x);
    PyMem_Free(names);
    return (PyObject *)self;
}

char
kind_of(PyObject *o)
{
    return PyFloat_CheckExact(o)     ? 'f'
           : PyLong_CheckExact(o)    ? 'i'
           : PyComplex_CheckExact(o) ? 'c'
                                     : 'o';
}

bool
read_number(PyObject *o, ilex_binding *b)
{
    switch (PyBool_Check(o) ? 'i' : kind_of(o)) {
    case 'i':
        b->kind = ILEX_BOUND_I64;
        b->integer = PyLong_AsLongLong(o);
        break;
    case 'c':
        b->kind = ILEX_BOUND_C128;
        b->re = PyComplex_RealAsDouble(o);
        b->im = PyComplex_ImagAsDouble(o);
        break;
    default:
        b->kind = ILEX_BOUND_F64;
        b->re = PyFloat_AsDouble(o);
    }
    return !PyErr_Occurred();
}

ilex_binding *
bindings_of(PyObject *pairs, size_t *n)
{
    *n = (size_t)PyTuple_GET_SIZE(pairs);
    ilex_binding *b = PyMem_Calloc(*n + 1, sizeof *b);
    for (size_t i = 0; b && i < *n; i++) {
        PyObject *x;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, (Py_ssize_t)i), "sO",
                              &b[i].name, &x))
            break;
        if (PyObject_TypeCheck(x, storage_type))
            b[i].storage = ((Storage *)x)->s;
        else if (!read_number(x, &b[i]))
            break;
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
        Py_BEGIN_ALLOW_THREADS rc = ilex_evaluate(ctx, self->p, b, n, made);
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

/* run(bindings): into the storages that outputs are bound to. */
static PyObject *
program_run(Program *self, PyObject *pairs)
{
    size_t n;
    ilex_call call = {.size = sizeof call};
    ilex_status rc = ILEX_E_ARGUMENT;
    if (!PyTuple_Check(pairs))
        return PyErr_Format(PyExc_TypeError, "a tuple of pairs is expected");
    ilex_binding *b = bindings_of(pairs, &n);
    if (!b)
        return NULL;
    enter();
    Py_BEGIN_ALLOW_THREADS rc = ilex_run(self->p, b, n, &call);
    Py_END_ALLOW_THREADS leave();
    PyMem_Free(b);
    return rc ? raise_status(rc, call.error) : Py_NewRef(Py_None);
}

/* names(inputs): of the inputs, in order, then, unless these alone are asked
 * for, of the sizes. */
static PyObject *
program_names(Program *self, PyObject *args)
{
    int inputs = 0;
    if (!PyArg_ParseTuple(args, "|p", &inputs))
        return NULL;
    size_t n = ilex_program_argument_count(self->p);
    size_t sizes = inputs ? 0 : ilex_program_size_count(self->p);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n + sizes; i++) {
        ilex_argument_info info = {.size = sizeof info};
        ilex_program_argument_get(self->p, i, &info);
        if (info.output)
            continue;
        PyObject *name = PyUnicode_FromString(
            i < n ? info.name : ilex_program_size_name(self->p, i - n));
        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef program_methods[] = {
    {"names", (PyCFunction)program_names, METH_VARARGS,
     "names(inputs): of the inputs, in order, then of the sizes."},
    {"run", (PyCFunction)program_run, METH_O,
     "run(bindings): into the storages that outputs are bound to."},
    {"evaluate", (PyCFunction)program_evaluate, METH_VARARGS,
     "evaluate(bindings, outputs): the storages of so many outputs."},
    {NULL},
};

/* text(nodes, names, stage, name): what a stage of compiling makes of a program.
 */
static PyObject *
core_text(PyObject *module, PyObject *args)
{
    PyObject *nodes, *names;
    const char *stage, *called = "program";
    if (!PyArg_ParseTuple(args, "O!O!s|s", &PyTuple_Type, &nodes, &PyTuple_Type,
                          &names, &stage, &called))
        return NULL;
    enter();
    ilex_module *m = ilex_module_new(ctx, called);
    for (Py_ssize_t i = 0; m && i < PyTuple_GET_SIZE(nodes); i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        ilex_array *a = array_in(PyTuple_GET_ITEM(nodes, i));
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

PyType_Slot program_slots[] = {
    SLOT(Py_tp_dealloc, program_dealloc),
    SLOT(Py_tp_methods, program_methods),
    {0},
};

PyMethodDef program_functions[] = {
    {"compile", core_compile, METH_VARARGS, "compile(arrays, name)"},
    {"text", core_text, METH_VARARGS, "text(arrays, names, stage, name)"},
    {NULL},
};
