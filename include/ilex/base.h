/* SPDX-License-Identifier: MIT
 *
 * Base of the Ilex C API: status codes, dtypes, contexts, scopes, errors.
 *
 * Ownership in one sentence: every constructor's result belongs to the
 * current scope of its context; ilex_keep() what must outlive the scope, and
 * ilex_drop() what was kept, before or after the end of the context.
 * A context that never opens a scope frees everything with ilex_context_free().
 *
 * Errors in one sentence: constructors never return NULL and never abort; on
 * error they return the context's poison array, the context records the error,
 * and poison operands give poison; check once, at ilex_compile(). The first
 * error is the cause; those found after it are collected (ilex_error_count).
 *
 * Threads: a context is used by one thread at a time ("context thread");
 * functions marked "any thread" need no such care. The library never prints,
 * exits, changes signal handlers or the locale, and starts no thread at load.
 *
 * NULL: a context, and the object that a query is about, must not be NULL
 * unless the function says so. A NULL operand beside others, and a NULL
 * storage handed to a function that makes, fills, copies or writes one, is
 * ILEX_E_ARGUMENT; a constructor whose only operand is NULL knows no context
 * and returns NULL. Freeing NULL does nothing. Other pointers are NULL where a
 * comment says so, and lists of nothing may be.
 */
#ifndef ILEX_BASE_H
#define ILEX_BASE_H

#include <stddef.h>
#include <stdint.h>

/* Structs with a `size` have a macro of their name that sets it; ILEX_LIST
 * writes an array where its address is wanted, of one number too:
 *
 *     ilex_storage_new(ctx, &ILEX_STORAGE_SPEC(
 *         .rank = 2, .shape = ILEX_LIST(int64_t, 3, 4),
 *         .fill = ILEX_LIST(double, 1)));
 *
 * In C what they make lasts to the end of the block. In C++, from C++11 on with
 * g++ and clang++, it lasts to the end of the statement, and members are named
 * in the order of their declaration. */
#ifdef __cplusplus
extern "C++" {
template <class T>
inline T &
ilex_lasting(T &&value)
{
    return static_cast<T &>(value);
}
template <class T, decltype(sizeof 0) N>
inline const T *
ilex_listed(const T (&items)[N])
{
    return items;
}
}
#define ILEX_STRUCT(type, ...)                                                 \
    ilex_lasting(type{.size = sizeof(type), __VA_ARGS__})
#define ILEX_LIST(type, ...) ilex_listed<type>({__VA_ARGS__})
#else
#define ILEX_STRUCT(type, ...)                                                 \
    (type)                                                                     \
    {                                                                          \
        .size = sizeof(type), __VA_ARGS__                                      \
    }
#define ILEX_LIST(type, ...) ((type[]){__VA_ARGS__})
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ILEX_API __attribute__((visibility("default")))
#else
#define ILEX_API
#endif

#define ILEX_MAX_RANK 16

/* Status of a function that acts; ILEX_OK is 0. See errors.def. */
typedef enum ilex_status {
    ILEX_OK = 0,
#define ILEX_ERROR(name, number, family, kind, meaning) ILEX_E_##name = number,
#include "errors.def"
} ilex_status;

/* Element types. See dtypes.def. */
typedef enum ilex_dtype {
#define ILEX_DTYPE(name, text, numpy, kind, bytes, ctype, part) ILEX_##name,
#include "dtypes.def"
    ILEX_NDTYPES
} ilex_dtype;

typedef struct ilex_context ilex_context;
typedef struct ilex_array ilex_array;
typedef struct ilex_storage ilex_storage;
typedef struct ilex_program ilex_program;

/* Severity of a log message. */
typedef enum ilex_level { ILEX_DEBUG, ILEX_INFO, ILEX_WARNING } ilex_level;

/* Host allocator. `resize(user, NULL, n)` allocates n bytes aligned for any C
 * object, `resize(user, p, n)` resizes, `resize(user, p, 0)` frees and returns
 * NULL. NULL for n > 0 means "no memory"; Ilex turns it into ILEX_E_MEMORY.
 * It may be called from any thread that uses objects of the context, until the
 * last of them is given back: programs, storages and what is kept outlive it.
 */
typedef struct ilex_allocator {
    void *(*resize)(void *user, void *block, size_t bytes);
    void *user;
} ilex_allocator;

/* What a context is made with; zero means default. Set `size` to
 * sizeof(ilex_context_spec); where it is not set, the new context begins with
 * an error that says so. */
typedef struct ilex_context_spec {
    size_t size;
    ilex_allocator allocator; /* resize == NULL: malloc, realloc, free */
    void (*log)(void *user, ilex_level level, const char *text);
    void *log_user;
} ilex_context_spec;
#define ILEX_CONTEXT_SPEC(...) ILEX_STRUCT(ilex_context_spec, __VA_ARGS__)

/* ---- dtypes and versions ---- */

/* Bytes of one element; 0 for an invalid dtype. Any thread. */
ILEX_API size_t ilex_dtype_bytes(ilex_dtype dtype);

/* Name as written in text ("f64"); "?" for an invalid dtype. It lives as long
 * as the library is loaded. Any thread. */
ILEX_API const char *ilex_dtype_name(ilex_dtype dtype);

/* The dtype both operands of an arithmetic operation are converted to, by
 * NumPy's promotion table. Any thread. */
ILEX_API ilex_dtype ilex_dtype_promote(ilex_dtype a, ilex_dtype b);

/* "0.1.0"; lives as long as the library is loaded. Any thread. */
ILEX_API const char *ilex_version(void);

/* ---- statuses ---- */

/* Name of a status code ("ILEX_E_SHAPE") and its meaning, which live as long as
 * the library is loaded. Any thread. */
ILEX_API const char *ilex_status_name(ilex_status status);
ILEX_API const char *ilex_status_meaning(ilex_status status);

/* What class of exception a language that has them raises for a status:
 * "value", "type", "index", "memory", "unsupported", "os", "cancelled" or
 * "internal" (see errors.def); "none" for ILEX_OK, "?" for what is no status.
 * It lives as long as the library is loaded. Any thread. */
ILEX_API const char *ilex_status_kind(ilex_status status);

/* ---- contexts ---- */

/* A new context, or NULL when there is no memory (the only constructor that
 * can return NULL). `spec` may be NULL. Owned by the caller. Any thread. */
ILEX_API ilex_context *ilex_context_new(const ilex_context_spec *spec);

/* Frees the context and every array of it; programs and storages live on. Of
 * arrays that are kept, and of modules, some bytes stay until they are dropped
 * (ilex_module_free), the only thing that may be done with them then. NULL is
 * ignored. Context thread. */
ILEX_API void ilex_context_free(ilex_context *ctx);

/* How often memory ran out in GMP, which isl computes proofs with, and what isl
 * had allocated, some kB each time, could not be freed: 0 but for hosts that go
 * on after ILEX_E_MEMORY. Context thread. */
ILEX_API size_t ilex_context_leaked(const ilex_context *ctx);

/* Sets an option by name, e.g. ("jit", "cc"); ilex(7) and `ilexc list options`
 * have them all. ILEX_E_OPTION for an unknown name or value: nothing changes
 * then. Context thread. */
ILEX_API ilex_status ilex_option_set(ilex_context *ctx, const char *name,
                                     const char *value);

/* The value of an option, NULL if there is none of that name; valid until the
 * option is set again. */
ILEX_API const char *ilex_option_get(const ilex_context *ctx, const char *name);

/* ---- errors ---- */

/* The first error since the last ilex_error_clear(): ILEX_OK if none. */
ILEX_API ilex_status ilex_error_code(const ilex_context *ctx);

/* Its sentence, with shapes, operation and operand; "" if there is none. With
 * a source line and caret when it stems from text. Valid until the next call
 * on the context. */
ILEX_API const char *ilex_error_text(const ilex_context *ctx);

/* The first error, for programs: what ilex_error_text() says in words. `size`
 * says which members this version of Ilex has filled in. */
typedef struct ilex_error_info {
    size_t size;
    ilex_status code;      /* ILEX_OK: there is no error */
    const char *operation; /* what failed: "add", "restrict"; "": not said */
    int operand;           /* of it, from 0; -1: none in particular */
    const char *file;      /* of ilex_location(), or of the text; "": none */
    int line, column;      /* from 1; line 0: no place is known */
    const char *text;      /* as ilex_error_text() */
} ilex_error_info;
#define ILEX_ERROR_INFO(...) ILEX_STRUCT(ilex_error_info, __VA_ARGS__)

/* Asks for it. Texts are valid until the next call on the context. Context
 * thread. */
ILEX_API ilex_error_info ilex_error_query(const ilex_context *ctx);

/* How many errors there are since the last ilex_error_clear(), in the order in
 * which they were found. A program in text goes on behind a statement with an
 * error: it has those of all statements, by place, but for what uses the names
 * of failed ones. Arrays that are made after an error add theirs, unless an
 * operand is poison; not what is wrong with an argument as such
 * (ILEX_E_ARGUMENT, ILEX_E_CONTEXT), which may come of a NULL that an error
 * gave. What is there already is not added. Compiling and running end with
 * their first error. */
ILEX_API size_t ilex_error_count(const ilex_context *ctx);

/* Error number "i", from 0, by a pointer: as many members as info->size, which
 * is set before, has room for. ILEX_E_ARGUMENT if there is none; ILEX_E_LIMIT
 * from the 21st on: they are only counted. */
ILEX_API ilex_status ilex_error_get(const ilex_context *ctx, size_t i,
                                    ilex_error_info *info);

/* Forgets all errors. Poison arrays stay poison. Context thread. */
ILEX_API void ilex_error_clear(ilex_context *ctx);

/* Where the arrays that are made from now on come from, for authors of
 * languages: their file, line and column, from 1. Errors of constructors report
 * it (ilex_error_query) until the next call; file NULL: no place. The name,
 * of any length, is copied. The first 8 different places of an array are noted,
 * as equal arrays are one: an error that is found later, where the array is
 * used, names them, and kernels know them (ilex_program_location_get). In text
 * a statement's tag says it, @loc("f.py", 12, 3). Context thread. */
ILEX_API void ilex_location(ilex_context *ctx, const char *file, int line,
                            int column);

/* ---- scopes ---- */

/* Opens a scope; arrays constructed and assumptions made from now on belong to
 * it. Returns a mark for ilex_scope_end(). */
ILEX_API size_t ilex_scope_begin(ilex_context *ctx);

/* Closes the scope `mark` and every scope opened inside it: their arrays are
 * released, except `result` (may be NULL), which moves to the enclosing scope
 * and is returned. */
ILEX_API ilex_array *ilex_scope_end(ilex_context *ctx, size_t mark,
                                    ilex_array *result);

/* Takes and gives back a count, independent of scopes. ilex_keep returns its
 * argument. What is kept is dropped once; more often is an error of the context
 * (ILEX_E_ARGUMENT). NULL, and poison that is not kept, are ignored. Context
 * thread; what is still kept when the context ends may be dropped later, from
 * any thread. */
ILEX_API ilex_array *ilex_keep(ilex_array *array);
ILEX_API void ilex_drop(ilex_array *array);

/* As ilex_drop, from any thread at any time, also while the context ends: the
 * count is given back at the next constructor call or scope end of the context.
 */
ILEX_API void ilex_drop_later(ilex_array *array);

#ifdef __cplusplus
}
#endif
#endif
