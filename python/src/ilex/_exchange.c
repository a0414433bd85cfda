/* SPDX-License-Identifier: MIT
 *
 * DLPack's table of functions, through which libraries exchange arrays without
 * calls of Python. All of them are called by threads that are the
 * interpreter's.
 */
#include "_core.h"

/* The storage of an array, computed if need be, without a halo. */
static Storage *
elements_of(PyObject *o)
{
    if (!PyObject_TypeCheck(o, node_type)) {
        PyErr_SetString(PyExc_TypeError, "an array of Ilex is expected");
        return NULL;
    }
    return (Storage *)PyObject_CallMethod(o, "_inside", NULL);
}

static int
from_object(void *object, DLManagedTensorVersioned **out)
{
    Storage *s = elements_of(object);
    enter();
    *out = s ? ilex_dlpack_export(ctx, s->s, 0) : NULL;
    if (s && !*out)
        fail();
    leave();
    Py_XDECREF(s);
    return *out ? 0 : -1;
}

static int
to_object(DLManagedTensorVersioned *tensor, void **out)
{
    enter();
    Storage *s = (Storage *)storage_new(ilex_dlpack_import(ctx, tensor, NULL));
    leave();
    *out = s ? node_new(NULL, s) : NULL;
    Py_XDECREF(s);
    return *out ? 0 : -1;
}

/* A tensor that the array goes on to own: one inside of a halo is a copy, which
 * nobody would. */
static int
view_of(void *object, DLTensor *out)
{
    Storage *s = elements_of(object);
    int rc = -1;
    Storage *own = s ? storage_of(object) : NULL;
    if (s && own == s)
        rc = ilex_dlpack_exchange_api()->dltensor_from_py_object_no_sync(s->s,
                                                                         out);
    if (rc && !PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError,
                        "an array that is read-only, or has a halo, is not "
                        "shown without a copy");
    Py_XDECREF(own);
    Py_XDECREF(s);
    return rc;
}

/* exchange_api(): the table in a capsule. */
static PyObject *
core_exchange_api(PyObject *module, PyObject *none)
{
    static DLPackExchangeAPI api;
    enter();
    api = *ilex_dlpack_exchange_api();
    api.managed_tensor_from_py_object_no_sync = from_object;
    api.managed_tensor_to_py_object_no_sync = to_object;
    api.dltensor_from_py_object_no_sync = view_of;
    leave();
    return PyCapsule_New(&api, "dlpack_exchange_api", NULL);
}

PyMethodDef exchange_functions[] = {
    {"exchange_api", core_exchange_api, METH_NOARGS,
     "exchange_api(): DLPack's table of functions."},
    {NULL},
};
