/* SPDX-License-Identifier: MIT
 *
 * The context, its lock, errors, and what the module has.
 */
#include "_core.h"

ilex_context *ctx;
PyObject *array_class, *convert;
static PyObject *exceptions; /* by status */
PyTypeObject *storage_type, *node_type, *program_type, *function_type,
    *call_type;

/* ---- the lock of the context ---- */

static PyThread_type_lock lock;
static _Atomic unsigned long owner; /* the thread that has it, or 0 */
static int depth;                   /* how often it has taken it */
unsigned long open_trace, used_trace;
static unsigned long last_trace;

void
enter(void)
{
    unsigned long self = PyThread_get_thread_ident();
    if (owner == self) {
        depth++;
        return;
    }
    if (!PyThread_acquire_lock(lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    owner = self;
    depth = 1;
    used_trace = 0;
}

void
leave(void)
{
    if (--depth > 0)
        return;
    owner = 0;
    PyThread_release_lock(lock);
}

/* ---- fields ---- */

#if PY_VERSION_HEX < 0x030D0000 /* the interpreter's lock is enough */
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

PyObject *
field_get(void *object, const void *field)
{
    PyObject *found;
    Py_BEGIN_CRITICAL_SECTION(object);
    memcpy(&found, field, sizeof found);
    Py_XINCREF(found);
    Py_END_CRITICAL_SECTION();
    return found;
}

void
field_set(void *object, void *field, void *to)
{
    PyObject *old;
    Py_BEGIN_CRITICAL_SECTION(object);
    memcpy(&old, field, sizeof old);
    memcpy(field, &to, sizeof to);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
}

/* ---- errors ---- */

PyObject *
raise_status(ilex_status code, const char *text)
{
    PyObject *key = PyLong_FromLong(code);
    PyObject *class =
        key && exceptions ? PyDict_GetItem(exceptions, key) : NULL;
    Py_XDECREF(key);
    if (!PyErr_Occurred())
        PyErr_SetString(class ? class : PyExc_RuntimeError,
                        *text ? text : ilex_status_meaning(code));
    return NULL;
}

/* An attribute of the exception that is set. */
static void
set_attribute(PyObject *e, const char *name, PyObject *value)
{
    if (!value || PyObject_SetAttrString(e, name, value))
        PyErr_Clear();
    Py_XDECREF(value);
}

/* Says in the exception that is set where the array was made (ilex_location).
 */
static void
note_place(const ilex_error_info *at)
{
    PyObject *class, *e, *trace;
    PyErr_Fetch(&class, &e, &trace);
    PyErr_NormalizeException(&class, &e, &trace);
    set_attribute(e, "file", PyUnicode_FromString(at->file));
    set_attribute(e, "line", PyLong_FromLong(at->line));
    set_attribute(e, "column", PyLong_FromLong(at->column));
    PyErr_Restore(class, e, trace);
}

PyObject *
fail(void)
{
    ilex_error_info at = ilex_error_query(ctx);
    bool set = PyErr_Occurred() != NULL;
    raise_status(ilex_error_code(ctx), ilex_error_text(ctx));
    if (!set && at.file && *at.file)
        note_place(&at);
    ilex_error_clear(ctx);
    return NULL;
}

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
    if (!PyErr_Occurred())
        ilex_scope_end(ctx, m, NULL);
    leave();
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* trace_begin(), trace_end(outer): a trace, in the scope of one; the number of
 * that around it. */
static PyObject *
core_trace_begin(PyObject *module, PyObject *none)
{
    unsigned long outer = open_trace;
    open_trace = ++last_trace;
    return PyLong_FromUnsignedLong(outer);
}

static PyObject *
core_trace_end(PyObject *module, PyObject *outer)
{
    open_trace = PyLong_AsUnsignedLong(outer);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
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
    {"scope_begin", core_scope_begin, METH_NOARGS, NULL},
    {"scope_end", core_scope_end, METH_O, NULL},
    {"trace_begin", core_trace_begin, METH_NOARGS, NULL},
    {"trace_end", core_trace_end, METH_O, NULL},
    {NULL},
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
    storage_type =
        add_type(m, "ilex._core.Storage", sizeof(Storage), made, storage_slots);
    node_type = add_type(m, "ilex._core.Node", sizeof(Node),
                         Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, node_slots);
    program_type =
        add_type(m, "ilex._core.Program", sizeof(Program), made, program_slots);
    function_type = add_type(m, "ilex._core.Function", (size_t)function_bytes,
                             made | call, function_slots);
    call_type =
        add_type(m, "ilex._core.Call", (size_t)call_bytes, made, call_slots);
    PyTypeObject *jit =
        add_type(m, "ilex._core.Jit", (size_t)jit_bytes,
                 Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | call, jit_slots);
    if (!ctx || !lock || !storage_type || !node_type || !program_type ||
        !function_type || !call_type || !jit)
        return -1;
    if (PyModule_AddFunctions(m, storage_functions) ||
        PyModule_AddFunctions(m, node_functions) ||
        PyModule_AddFunctions(m, program_functions) ||
        PyModule_AddFunctions(m, call_functions) ||
        PyModule_AddFunctions(m, foreign_functions) ||
        PyModule_AddFunctions(m, exchange_functions))
        return -1;
    return add_functions(m);
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, (void *)core_exec},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0},
};

static PyModuleDef core = {PyModuleDef_HEAD_INIT,
                           "_core",
                           NULL,
                           0,
                           core_methods,
                           core_slots,
                           NULL,
                           NULL,
                           NULL};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&core);
}
