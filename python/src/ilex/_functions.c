/* SPDX-License-Identifier: MIT
 *
 * Functions of the C API as functions of Python.
 */
#include "_core.h"

enum { MOST_PARAMETERS = 8 };

typedef union Value {
    void *p;
    int64_t i;
    double d;
} Value;

/* A parameter is c the context, a an array, A one or None, s text, S text or
 * None, i l integers, d a number, t a dtype, n a list of arrays and its
 * length, m one of these with names, from a dictionary; I L T lists of integers
 * and texts, one for each axis of the first array, or None. A result is a an
 * array, s text, S text to be freed, i or l an integer, x a status, v nothing.
 */
typedef struct Row {
    const char *name, *doc, *kinds;
    char result;
    const char *const *names; /* of the parameters but c */
    int least;                /* so many have no default */
    void (*call)(const struct Row *row, const Value *v, Value *result);
    void (*function)(void);
} Row;

typedef struct Function {
    PyObject_HEAD vectorcallfunc call;
    const Row *row;
} Function;

/* The arguments of one call; what they hold until it is over. */
typedef struct Arguments {
    Value v[MOST_PARAMETERS + 3]; /* a context, the length of a list, names */
    int n, rank;
    int64_t integers[2][MOST];
    int ints[MOST];
    const char *texts[2][MOST];
    int nintegers, ntexts;
    ilex_array **list;
    const char **keys;
    PyObject *held;       /* a list of what is needed until then, or NULL */
    PyObject *const *all; /* by parameters, NULL where there is none */
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

/* Holds an object until the call is over; takes over a count. */
static PyObject *
hold(Arguments *a, PyObject *o)
{
    if (o && !a->held)
        a->held = PyList_New(0);
    bool kept = o && a->held && !PyList_Append(a->held, o);
    Py_XDECREF(o);
    return kept ? o : NULL;
}

/* The entries of a sequence, which nobody else changes, held; NULL after an
 * error. */
static PyObject *
entries(Arguments *a, PyObject *o, const char *expected)
{
    PyObject *each = PyObject_GetIter(o);
    if (!each)
        return PyErr_SetString(PyExc_TypeError, expected), NULL;
    PyObject *all = PySequence_Tuple(each);
    Py_DECREF(each);
    return hold(a, all);
}

/* An integer that is no i64, beside an array that can have it; NULL, perhaps
 * without an exception: there is none. */
static ilex_array *
large(const Arguments *a, PyObject *o)
{
    bool whole = false, real = false;
    for (int i = 0; i < MOST_PARAMETERS; i++) {
        if (!a->all[i] || !PyObject_TypeCheck(a->all[i], node_type))
            continue;
        ilex_dtype dtype = ilex_array_dtype(array_of((Node *)a->all[i]));
        whole |= dtype == ILEX_U64;
        real |= dtype >= ILEX_F32; /* those of 16 bits are the last */
    }
    unsigned long long bits = whole ? PyLong_AsUnsignedLongLong(o) : 0;
    if (whole && !PyErr_Occurred())
        return ilex_cast(ilex_i64(ctx, (int64_t)bits), ILEX_U64);
    PyErr_Clear();
    double x = real ? PyLong_AsDouble(o) : 0;
    return real && !PyErr_Occurred() ? ilex_lit(ctx, x) : NULL;
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
        ilex_array *made = overflow ? large(a, o) : ilex_lit_int(ctx, x);
        if (made || PyErr_Occurred())
            return made;
    }
    PyObject *node = convert ? PyObject_CallOneArg(convert, o) : NULL;
    if (node && !PyObject_TypeCheck(node, node_type)) {
        Py_DECREF(node);
        PyErr_Format(PyExc_TypeError,
                     "'%.100s' is no operand of an array; ilex.asarray makes "
                     "arrays of lists",
                     Py_TYPE(o)->tp_name);
        return NULL;
    }
    return hold(a, node) ? array_of((Node *)node) : NULL;
}

static bool
take_operands(Arguments *a, PyObject *o)
{
    PyObject *all = entries(a, o, "a sequence of arrays is expected");
    Py_ssize_t n = all ? PyTuple_GET_SIZE(all) : 0;
    if (all)
        a->list = PyMem_Calloc((size_t)n + 1, sizeof *a->list);
    bool ok = a->list != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = (a->list[i] = operand(a, PyTuple_GET_ITEM(all, i)));
    a->v[a->n++].i = n;
    a->v[a->n++].p = a->list;
    return ok;
}

/* The entries of a dictionary: how many, their names, the arrays. */
static bool
take_named(Arguments *a, PyObject *o)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, n = 0;
    if (!PyDict_Check(o))
        return PyErr_SetString(PyExc_TypeError,
                               "a dictionary of names and arrays is expected"),
               false;
    PyObject *own = hold(a, PyDict_Copy(o)); /* which nobody else changes */
    size_t most = own ? (size_t)PyDict_Size(own) + 1 : 1;
    a->keys = PyMem_Calloc(most, sizeof *a->keys);
    a->list = PyMem_Calloc(most, sizeof *a->list);
    bool ok = own && a->keys && a->list;
    while (ok && PyDict_Next(own, &at, &key, &value)) {
        ok = (a->keys[n] = PyUnicode_AsUTF8(key)) &&
             (a->list[n] = operand(a, value));
        n++;
    }
    a->v[a->n++].i = n;
    a->v[a->n++].p = a->keys;
    a->v[a->n++].p = a->list;
    return ok;
}

/* A dtype: its number, or an object that has it. */
static int64_t
take_dtype(PyObject *o)
{
    PyObject *number =
        PyLong_Check(o) ? Py_NewRef(o) : PyObject_GetAttrString(o, "number");
    int64_t n = number ? as_int(number) : -1;
    Py_XDECREF(number);
    return n;
}

static bool
take_list(Arguments *a, char kind, PyObject *o)
{
    PyObject *all = entries(a, o, "a sequence is expected");
    Py_ssize_t n = all ? PyTuple_GET_SIZE(all) : 0;
    bool ok = all != NULL;
    if (ok && n != a->rank)
        ok = (PyErr_Format(PyExc_ValueError,
                           "%zd entries for an array of %d axes", n, a->rank),
              false);
    int at = kind == 'T' ? a->ntexts++ : a->nintegers++;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *x = PyTuple_GET_ITEM(all, i);
        if (kind == 'T')
            a->texts[at][i] = x == Py_None ? NULL : PyUnicode_AsUTF8(x);
        else if (kind == 'I')
            a->ints[i] = as_int(x);
        else
            a->integers[at][i] = PyLong_AsLongLong(x);
        ok = !PyErr_Occurred();
    }
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
    case 'm':
        return take_named(a, o);
    case 's':
    case 'S':
        a->v[a->n++].p =
            none && kind == 'S' ? NULL : (void *)PyUnicode_AsUTF8(o);
        break;
    case 'd':
        a->v[a->n++].d = PyFloat_AsDouble(o);
        break;
    case 'i':
        a->v[a->n++].i = as_int(o);
        break;
    case 't':
        a->v[a->n++].i = take_dtype(o);
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
    case 'v':
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
    a.all = all;
    a.n = a.nintegers = a.ntexts = 0;
    a.held = NULL;
    a.rank = -1;
    a.list = NULL;
    a.keys = NULL;
    if (!arrange(row, args, PyVectorcall_NARGS(nargsf), kwnames, all))
        return NULL;
    enter();
    /* what is assumed holds until the scope of the caller ends */
    size_t mark = strchr("xv", row->result) ? SIZE_MAX : ilex_scope_begin(ctx);
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
    PyMem_Free(a.keys);
    Py_XDECREF(a.held);
    return result;
}

#include "_rows.inc"

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

static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY,
     NULL},
    {NULL},
};

PyType_Slot function_slots[] = {
    SLOT(Py_tp_call, PyVectorcall_Call),
    SLOT(Py_tp_getset, function_getset),
    SLOT(Py_tp_members, function_members),
    {0},
};

const int function_bytes = (int)sizeof(Function);

int
add_functions(PyObject *m)
{
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
