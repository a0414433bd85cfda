/* SPDX-License-Identifier: MIT
 *
 * Functions of Python that programs call between their loops.
 */
#include "_core.h"

/* A copy of an argument, for the function to keep. */
static PyObject *
argument_of(const ilex_function_array *a)
{
    ilex_storage *all = ilex_storage_wrap(NULL, a->dtype, a->rank, a->shape,
                                          a->stride, a->data, NULL, NULL);
    ilex_storage *own =
        all ? ilex_storage_empty(NULL, a->dtype, a->rank, a->shape) : NULL;
    if (own)
        ilex_storage_assign(NULL, own, all);
    ilex_storage_release(all);
    return own ? storage_new(own) : PyErr_NoMemory();
}

static PyObject *
arguments_of(const ilex_function_call *c)
{
    PyObject *all = PyTuple_New((Py_ssize_t)c->argument_count);
    for (size_t i = 0; all && i < c->argument_count; i++) {
        PyObject *own = argument_of(&c->argument[i]);
        PyTuple_SET_ITEM(all, (Py_ssize_t)i, own);
        if (!own)
            Py_CLEAR(all);
    }
    return all;
}

/* Writes a result, which has to have its shape. */
static bool
give(const ilex_function_array *to, PyObject *o, size_t number)
{
    const ilex_storage *s = ((Storage *)o)->s;
    bool same =
        ilex_storage_rank(s) == to->rank && ilex_storage_dtype(s) == to->dtype;
    for (int k = 0; same && k < to->rank; k++)
        same = ilex_storage_shape(s)[k] == to->shape[k];
    if (!same) {
        PyObject *is = integers(ilex_storage_shape(s), ilex_storage_rank(s)),
                 *want = integers(to->shape, to->rank);
        PyErr_Format(PyExc_ValueError, "result %zu has shape %R, not %R",
                     number, is, want);
        Py_XDECREF(is);
        Py_XDECREF(want);
        return false;
    }
    ilex_storage *all = ilex_storage_wrap(NULL, to->dtype, to->rank, to->shape,
                                          to->stride, to->data, NULL, NULL);
    if (all)
        ilex_storage_assign(NULL, all, s);
    else
        PyErr_NoMemory();
    ilex_storage_release(all);
    return all != NULL;
}

/* An exception stays set on the thread, which is that of the run: it is what
 * the run raises. */
static int
call_python(const ilex_function_call *c)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *arguments = arguments_of(c);
    PyObject *made = arguments ? PyObject_CallObject(c->user, arguments) : NULL;
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < c->result_count; i++)
        ok = give(&c->result[i], PyTuple_GET_ITEM(made, (Py_ssize_t)i), i);
    Py_XDECREF(made);
    Py_XDECREF(arguments);
    PyGILState_Release(state);
    snprintf(c->error, c->error_bytes, "%s", ok ? "" : "an exception");
    return !ok;
}

/* register(name, declaration, function): what programs call by this name from
 * now on, with storages; it returns a tuple of these, one for each result, of
 * its dtype. */
static PyObject *
core_register(PyObject *module, PyObject *args)
{
    const char *name, *declaration;
    PyObject *function;
    if (!PyArg_ParseTuple(args, "ssO", &name, &declaration, &function))
        return NULL;
    enter();
    ilex_status rc = ilex_function_register(
        ctx, name,
        &(ilex_function_spec){.size = sizeof(ilex_function_spec),
                              .host = call_python,
                              .user = function,
                              .declaration = declaration});
    if (!rc)
        Py_INCREF(function); /* for programs, which may live as long as this */
    PyObject *result = rc ? fail() : Py_NewRef(Py_None);
    leave();
    return result;
}

/* foreign(declaration, arrays, results): so many arrays, which a call gives. */
static PyObject *
core_foreign(PyObject *module, PyObject *args)
{
    const char *declaration;
    PyObject *arrays;
    int count;
    ilex_array *x[MOST_RESULTS], *made[MOST_RESULTS];
    if (!PyArg_ParseTuple(args, "sO!i", &declaration, &PyTuple_Type, &arrays,
                          &count))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(arrays);
    if (count > MOST_RESULTS)
        return PyErr_Format(PyExc_ValueError, "%d results; at most %d", count,
                            MOST_RESULTS);
    enter();
    size_t mark = ilex_scope_begin(ctx);
    bool ok =
        arrays_of(arrays, n, x) &&
        !ilex_foreign(ctx, declaration, (size_t)n, x, (size_t)count, made);
    PyObject *result = finish_all(mark, ok ? count : 0, made);
    leave();
    return result;
}

PyMethodDef foreign_functions[] = {
    {"register", core_register, METH_VARARGS,
     "register(name, declaration, function)"},
    {"foreign", core_foreign, METH_VARARGS,
     "foreign(declaration, arrays, results)"},
    {NULL},
};
