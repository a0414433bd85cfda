/* SPDX-License-Identifier: MIT
 *
 * The module ilex._core: arrays, storages and programs as Python objects. It
 * knows no operator: rows that generate.py writes have the functions of the C
 * API, and the callers that these need. _core.c has the context, its lock,
 * errors, the module; _storage.c storages and exchange; _node.c arrays;
 * _functions.c calls of the C API; _programs.c programs; _calls.c calls of
 * these that were prepared; _foreign.c functions that they call;
 * _exchange.c DLPack's table.
 *
 * There is one context in a process. Whoever uses it holds its lock; who waits
 * for the lock lets other threads of Python run, so a run may take it along.
 * Interpreters without a lock of their own are no exception: what of an object
 * changes after it was made is read and written by field_get and field_set, or
 * under the lock of the context; writers have both.
 */
#ifndef ILEX_PYTHON_CORE_H
#define ILEX_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <ilex.h>
#include <ilex/dlpack.h>
#include <stdbool.h>
#include <structmember.h>

enum { MOST = ILEX_MAX_RANK, MOST_RESULTS = 64 }; /* of a scan, a function */
#define SLOT(slot, function)                                                   \
    {                                                                          \
        slot, (void *)(function)                                               \
    }

/* ---- _core.c ---- */

extern ilex_context *ctx;
extern PyObject *array_class; /* of results, a subclass of Node */
extern PyObject *convert;     /* makes a Node of an operand that is none */

/* The trace of ilex.jit that is made, or 0; under the lock that of arrays that
 * were used outside of one: what is made of them is of it. */
extern unsigned long open_trace, used_trace;

/* Takes the lock of the context, which the thread may have; gives it back. */
void enter(void);
void leave(void);

/* Raises what a status stands for; an exception that is set stays. NULL. */
PyObject *raise_status(ilex_status code, const char *text);
/* Raises the error of the context, which is forgotten. NULL. */
PyObject *fail(void);

/* An object that a field of another one points to, of which the caller gets a
 * count, or NULL; another one for it, of which a count is taken over. */
PyObject *field_get(void *object, const void *field);
void field_set(void *object, void *field, void *to);

/* ---- objects ---- */

typedef struct Storage {
    PyObject_HEAD ilex_storage *s;
} Storage;

/* An array of the context. One that has its elements is what they are, whatever
 * it was made of. */
typedef struct Node {
    PyObject_HEAD ilex_array
        *array;       /* kept; NULL: the storage's, not made yet */
    Storage *storage;    /* or NULL */
    unsigned long trace; /* in which it was made, or what it was made of; 0 */
} Node;

typedef struct Program {
    PyObject_HEAD ilex_program *p;
} Program;

/* By type: its slots, and what of it is a function of the module. */
extern PyTypeObject *storage_type, *node_type, *program_type, *function_type,
    *call_type;
extern PyType_Slot storage_slots[], node_slots[], program_slots[],
    function_slots[], call_slots[], jit_slots[];
extern PyMethodDef storage_functions[], node_functions[], program_functions[],
    call_functions[], foreign_functions[], exchange_functions[];

/* The storage of an array, a count of which is the caller's; NULL without an
 * exception: it has not been computed. Takes no lock. */
Storage *storage_of(Node *n);

/* A storage as an object, which takes over a count. NULL: the context then has
 * an error. */
PyObject *storage_new(ilex_storage *s);
PyObject *integers(const int64_t *x, int n);

/* An object of the class that arrays have. Takes over a count of "a". */
PyObject *node_new(ilex_array *a, Storage *storage);
/* The array of a node; NULL after an error. The lock is held. */
ilex_array *array_of(Node *n);
/* The same of any object; one that is no array raises. */
ilex_array *array_in(PyObject *o);
/* The end of a scope that made "a": it is the caller's. */
PyObject *finish(size_t mark, ilex_array *a);
/* The same of several arrays, which become a tuple. */
PyObject *finish_all(size_t mark, Py_ssize_t n, ilex_array *const *a);
/* The arrays of a tuple; false after an error, or if these are not "n", or more
 * than MOST_RESULTS. */
bool arrays_of(PyObject *tuple, Py_ssize_t n, ilex_array **to);

/* f i c for a number, as ilex_binding has them; o for anything else. */
char kind_of(PyObject *o);
/* Reads a number; false, with an exception, if it is too large. */
bool read_number(PyObject *o, ilex_binding *b);
/* The bindings that pairs of a name and a storage or a number are, "*n" of
 * them; NULL after an error. To be freed by PyMem_Free. */
ilex_binding *bindings_of(PyObject *pairs, size_t *n);

/* Adds the functions of the C API to the module; -1 after an error. */
int add_functions(PyObject *m);

/* Bytes of the structs behind the types. */
extern const int function_bytes, call_bytes, jit_bytes;

#endif
