/* SPDX-License-Identifier: MIT
 *
 * Running cases: up to 128 of them share one program, and so one translation
 * unit of generated source. Case i reads "x<i>_<operand>" and writes "y<i>".
 * A batch that does not compile or run is split in two halves until the case
 * is alone that is to blame. Outputs are filled with a pattern before and
 * guarded behind, so that elements not written and stray writes show; so are
 * the elements behind a length that is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"

enum { BATCH = 128, GUARD = 64, PATTERN = 0xa5 };

typedef struct batch {
    const golden_backend *backend;
    ilex_context *ctx;
    size_t live; /* cases that were built */
    golden_case *cases[BATCH];
    ilex_array *value[BATCH];
    char name[BATCH][40];
    const char *names[BATCH];
    size_t bindings;
    ilex_binding binding[BATCH * (GOLDEN_OPERANDS + 1)];
    char input[BATCH * GOLDEN_OPERANDS][40];
} batch;

static void
set_error(golden_case *c, ilex_status status, const char *where,
          const char *text)
{
    c->status = status == ILEX_OK ? ILEX_E_INTERNAL : status;
    snprintf(c->error, sizeof c->error, "%s: %s: %s", where,
             ilex_status_name(c->status), *text ? text : "no message");
}

/* ---- building ---- */

/* The extents of "a" as a domain: "2, 3". */
static void
domain_text(const golden_array *a, char *text, size_t size)
{
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < a->rank && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%lld", k ? ", " : "",
                              (long long)a->shape[k]);
}

/* Gives a case without an expected result the type and extents of its array
 * "y", whose domain is text like "2, 3". */
static void
adopt_type(golden_case *c, const ilex_array *y)
{
    char text[ILEX_MAX_RANK * 22];
    int64_t shape[ILEX_MAX_RANK] = {0}, count = 1;
    int rank = ilex_array_rank(y);
    ilex_array_domain(y, text, sizeof text);
    char *p = text;
    for (int k = 0; k < rank; k++) {
        shape[k] = strtoll(p, &p, 10);
        p += strspn(p, ", ");
        count *= shape[k];
    }
    c->want = golden_array_new(ilex_array_dtype(y), rank, shape, count);
}

/* Whether "y" has the type that the case expects. */
static bool
check_type(golden_case *c, const ilex_array *y)
{
    ilex_dtype dtype = ilex_array_dtype(y);
    int rank = ilex_array_rank(y);
    if (dtype == c->want.dtype && rank == c->want.rank)
        return true;
    c->status = ILEX_E_DTYPE;
    snprintf(c->error, sizeof c->error,
             "is %s of rank %d, expected %s of rank %d",
             golden_dtype_name(dtype), rank, golden_dtype_name(c->want.dtype),
             c->want.rank);
    return false;
}

/* If "y" has lengths that a run counts, the case gets room for any. */
static void
make_room(golden_case *c, const ilex_array *y)
{
    char text[ILEX_MAX_RANK * 90], *axis = text;
    int64_t shape[ILEX_MAX_RANK] = {0}, count = 1, most = 1;
    bool counted = false;
    for (int k = 0; k < c->operands; k++)
        most += c->in[k].count;
    ilex_array_domain(y, text, sizeof text);
    for (int k = 0; k < c->want.rank; k++) {
        bool here =
            !strncmp(axis, "_ilex_len_", 10) || !strncmp(axis, "counted", 7);
        shape[k] = here ? most : c->want.shape[k];
        counted |= here;
        count *= shape[k];
        axis += strcspn(axis, ",");
        axis += strspn(axis, ", ");
    }
    golden_array_free(&c->room);
    c->room = counted
                  ? golden_array_new(c->want.dtype, c->want.rank, shape, count)
                  : (golden_array){.rank = 0};
}

/* Takes the result out of its room, of which nothing else was written. */
static void
leave_room(golden_case *c)
{
    size_t bytes = ilex_dtype_bytes(c->want.dtype);
    int64_t next = 0;
    for (int64_t i = 0; i < c->room.count && c->room.data; i++) {
        const unsigned char *at = golden_array_at(&c->room, i);
        bool inside = true, touched = false;
        int64_t rest = i;
        for (int k = c->room.rank - 1; k >= 0; k--) {
            inside &= rest % c->room.shape[k] < c->want.shape[k];
            rest /= c->room.shape[k];
        }
        if (inside)
            memcpy(golden_array_at(&c->got, next++), at, bytes);
        for (size_t b = 0; b < bytes; b++)
            touched |= at[b] != PATTERN;
        if (!inside && touched)
            set_error(c, ILEX_E_INTERNAL, "running",
                      "wrote more elements than are expected");
    }
}

/* The array of case "c", which is number "i"; poison on error. */
static ilex_array *
build_case(batch *b, golden_case *c, size_t i)
{
    ilex_array *x[GOLDEN_OPERANDS] = {NULL};
    for (int k = 0; k < c->operands; k++) {
        char name[40], domain[ILEX_MAX_RANK * 22];
        snprintf(name, sizeof name, "x%zu_%d", i, k);
        domain_text(&c->in[k], domain, sizeof domain);
        x[k] = ilex_input(b->ctx, name, c->in[k].dtype, domain);
    }
    return c->build(c, b->ctx, x);
}

/* Adds case "c" to the program unless it cannot be built as expected. */
static void
add_case(batch *b, golden_case *c)
{
    ilex_array *y = build_case(b, c, b->live);
    c->status = ILEX_OK;
    if (ilex_is_poison(y) || ilex_error_code(b->ctx)) {
        set_error(c, ilex_error_code(b->ctx), "building",
                  ilex_error_text(b->ctx));
        ilex_error_clear(b->ctx);
        return;
    }
    if (!c->want.data)
        adopt_type(c, y);
    else if (!check_type(c, y))
        return;
    make_room(c, y);
    b->cases[b->live] = c;
    b->value[b->live] = y;
    snprintf(b->name[b->live], sizeof b->name[b->live], "y%zu", b->live);
    b->names[b->live] = b->name[b->live];
    b->live++;
}

/* ---- running ---- */

static void
bind(batch *b, const char *name, const golden_array *a)
{
    b->binding[b->bindings++] = (ilex_binding)ILEX_BIND(
        name, ilex_storage_wrap(b->ctx, a->dtype, a->rank, a->shape, NULL,
                                a->data, NULL, NULL));
}

static void
bind_case(batch *b, size_t i)
{
    golden_case *c = b->cases[i];
    for (int k = 0; k < c->operands; k++) {
        char *name = b->input[i * GOLDEN_OPERANDS + (size_t)k];
        snprintf(name, sizeof b->input[0], "x%zu_%d", i, k);
        bind(b, name, &c->in[k]);
    }
    size_t bytes = (size_t)c->want.count * ilex_dtype_bytes(c->want.dtype);
    free(c->got.data);
    c->got = c->want;
    c->got.data = golden_resize(NULL, bytes + GUARD);
    memset(c->got.data, PATTERN, bytes + GUARD);
    if (c->room.data)
        memset(c->room.data, PATTERN,
               (size_t)c->room.count * ilex_dtype_bytes(c->room.dtype));
    bind(b, b->name[i], c->room.data ? &c->room : &c->got);
}

/* Whether nothing was written behind the result of "c". */
static void
check_guard(golden_case *c)
{
    size_t bytes = (size_t)c->want.count * ilex_dtype_bytes(c->want.dtype);
    for (size_t i = 0; i < GUARD; i++)
        if (c->got.data[bytes + i] != PATTERN) {
            set_error(c, ILEX_E_INTERNAL, "running",
                      "wrote behind the end of its output");
            return;
        }
}

/* Binds every argument and runs; false with "error" set if that fails. */
static ilex_status
run_program(batch *b, const void *p, char *error, size_t size)
{
    ilex_call call = {.size = sizeof call};
    b->bindings = 0;
    for (size_t i = 0; i < b->live; i++)
        bind_case(b, i);
    ilex_status status = ilex_error_code(b->ctx);
    if (status == ILEX_OK)
        status = b->backend->run(p, b->binding, b->bindings, &call);
    const char *why = call.error[0] ? call.error : ilex_error_text(b->ctx);
    snprintf(error, size, "%.*s", (int)size - 1, why);
    for (size_t i = 0; i < b->bindings; i++)
        ilex_storage_release(b->binding[i].storage);
    return status;
}

/* Compiles and runs the cases that were built. On failure, true with the
 * error recorded if there is one case only, else false. */
static bool
compile_and_run(batch *b)
{
    char error[sizeof b->cases[0]->error] = "";
    void *p = b->backend->compile(b->ctx, b->live, b->value, b->names);
    const char *where = "compiling";
    ilex_status status = ILEX_OK;
    if (!p) {
        status = ilex_error_code(b->ctx);
        status = status == ILEX_OK ? ILEX_E_INTERNAL : status;
        snprintf(error, sizeof error, "%s", ilex_error_text(b->ctx));
    } else {
        where = "running";
        status = run_program(b, p, error, sizeof error);
    }
    b->backend->release(p);
    for (size_t i = 0; i < b->live && status == ILEX_OK; i++) {
        leave_room(b->cases[i]);
        check_guard(b->cases[i]);
    }
    if (status != ILEX_OK && b->live == 1)
        set_error(b->cases[0], status, where, error);
    return status == ILEX_OK || b->live == 1;
}

/* Makes the context of "b"; false if the library has no such back end. The C
 * compiler has to get through 2000 kernels, so it runs with -O2, which takes
 * half the time of the library's own choice, unless the environment says
 * otherwise. */
static bool
make_context(batch *b)
{
    b->ctx = ilex_context_new(NULL);
    if (!b->ctx) {
        fprintf(stderr, "golden: no context\n");
        exit(2);
    }
    if (!getenv("ILEX_CFLAGS"))
        ilex_option_set(b->ctx, "cflags", "-O2");
    return !b->backend->library ||
           ilex_option_set(b->ctx, "jit", b->backend->name) == ILEX_OK;
}

/* Runs at most BATCH cases as one program; false if it has to be split. */
static bool
run_batch(const golden_backend *backend, golden_case *cases, size_t count)
{
    batch *b = golden_resize(NULL, sizeof *b);
    memset(b, 0, sizeof *b);
    b->backend = backend;
    bool known = make_context(b);
    for (size_t i = 0; i < count; i++)
        if (known)
            add_case(b, &cases[i]);
        else
            set_error(&cases[i], ILEX_E_OPTION, "jit", backend->name);
    bool done = b->live == 0 || compile_and_run(b);
    ilex_context_free(b->ctx);
    free(b);
    return done;
}

static void
run_split(const golden_backend *backend, golden_case *cases, size_t count)
{
    if (run_batch(backend, cases, count))
        return;
    run_split(backend, cases, count / 2);
    run_split(backend, cases + count / 2, count - count / 2);
}

void
golden_batch_run(const char *jit, golden_case *cases, size_t count)
{
    const golden_backend *backend = golden_backend_find(jit);
    for (size_t i = 0; i < count; i += BATCH)
        run_split(backend, cases + i, count - i < BATCH ? count - i : BATCH);
}

void
golden_case_free(golden_case *c)
{
    for (int k = 0; k < c->operands; k++)
        golden_array_free(&c->in[k]);
    golden_array_free(&c->want);
    golden_array_free(&c->got);
    golden_array_free(&c->room);
}

/* ---- probing a back end ---- */

static ilex_array *
build_probe(const golden_case *c, ilex_context *ctx, ilex_array **x)
{
    (void)c;
    (void)ctx;
    return ilex_add(x[0], x[0]);
}

bool
golden_backend_there(const char *jit, char *why, size_t size)
{
    const int64_t shape[1] = {1};
    golden_case c = {.build = build_probe,
                     .operands = 1,
                     .in = {golden_array_new(ILEX_F64, 1, shape, 1)},
                     .want = golden_array_new(ILEX_F64, 1, shape, 1)};
    golden_batch_run(jit, &c, 1);
    bool there = c.status != ILEX_E_UNSUPPORTED;
    snprintf(why, size, "%s", c.error);
    golden_case_free(&c);
    return there;
}
