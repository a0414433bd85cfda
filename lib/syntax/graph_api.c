/* SPDX-License-Identifier: MIT
 *
 * Public functions that write what a node is as text, and take an array to
 * another context by it.
 */
#include "ilex/graph.h"

#include "lib/build/tuple.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/print.h"

/* Copies what was written to the user's buffer; returns its length. */
static size_t
copy_out(ix_text *t, char *text, size_t size)
{
    const char *s = ix_text_string(t);
    size_t n = s ? t->length : 0;
    if (size > 0) {
        size_t copied = n < size ? n : size - 1;
        if (copied)
            memcpy(text, s, copied);
        text[copied] = 0;
    }
    ix_text_free(t);
    return n;
}

size_t
ilex_array_attributes(const ilex_array *x, char *text, size_t size)
{
    ix_text t;
    ix_text_init(&t, &x->ctx->mem);
    ix_print_attributes(x->ctx, x, &t);
    return copy_out(&t, text, size);
}

/* The scalar that says what elements are; NULL if there is none. */
static const ilex_array *
body_of(const ilex_array *x, int result)
{
    if (x->kind == IX_SCAN)
        return result >= 0 && result < ix_tuple_count(x)
                   ? ix_tuple_body(x, result)
                   : NULL;
    if (result != 0 || ix_is_poison(x))
        return NULL;
    return x->kind == IX_LAMBDA ? x->ops[0] : ix_is_array(x) ? NULL : x;
}

size_t
ilex_array_body(const ilex_array *x, int result, char *text, size_t size)
{
    const ilex_array *body = body_of(x, result);
    ix_text t;
    ix_text_init(&t, &x->ctx->mem);
    if (body)
        ix_print_scalar(x->ctx, body, &t);
    return copy_out(&t, text, size);
}

/* ---- other contexts ---- */

/* "x" as a program with one output; false after an error of its context. */
static bool
write_program(ilex_array *x, const char *name, ix_text *t)
{
    ilex_context *ctx = x->ctx;
    bool clean = ctx->error.code == ILEX_OK;
    bool ok = ix_print_arrays(ctx, 1, &x, &name, t) == ILEX_OK;
    return ok && (!clean || ctx->error.code == ILEX_OK) && !t->failed;
}

/* The output of the program that is read in "ctx"; NULL after an error. */
static ilex_array *
read_program(ilex_context *ctx, const char *name, const ix_text *t)
{
    const char *text = ix_text_string(t);
    ilex_module *m =
        text ? ix_module_parse(ctx, text, t->length, "import") : NULL;
    ilex_array *x = m ? ilex_module_array(m, name) : NULL;
    if (m)
        ilex_module_free(m);
    return x;
}

/* Hands an error of the other context over. */
static ilex_array *
import_failed(ilex_context *ctx, ilex_context *from, ix_error_mark before)
{
    const ix_error *why = ix_errors_last(&from->error);
    ix_poison(ctx, "import", 0, why ? why->code : ILEX_E_MEMORY, "import: %s",
              why ? why->text : "out of memory");
    ix_errors_rewind(&from->error, before);
    return ctx->poison;
}

static ilex_array *
import_text(ilex_context *ctx, ilex_array *x)
{
    static const char name[] = "import_result";
    ix_error_mark before = ix_errors_mark(&x->ctx->error);
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ilex_array *r = NULL;
    if (!write_program(x, name, &t))
        import_failed(ctx, x->ctx, before);
    else
        r = read_program(ctx, name, &t);
    ix_text_free(&t);
    return r ? r : ix_poison_again(ctx);
}

/* A constant is no array that a program could have as its output. */
static ilex_array *
import_number(ilex_context *ctx, const ilex_array *x)
{
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    return ix_is_weak(x) ? ix_scalar_weak(ctx, dtype, ix_const_value(x))
                         : ix_scalar_const(ctx, dtype, ix_const_value(x));
}

/* Does "x" reach a wrapped storage? */
static int
find_data(void *user, ilex_array *node)
{
    return *(bool *)user = node->kind == IX_DATA;
}

ilex_array *
ilex_import(ilex_context *ctx, ilex_array *x)
{
    bool data = false;
    if (!x || ix_is_poison(x))
        return ix_poison(ctx, "import", 0, ILEX_E_ARGUMENT,
                         "import: the array is %s", x ? "poison" : "NULL");
    if (x->ctx == ctx)
        return x;
    if (x->kind == IX_CONST)
        return import_number(ctx, x);
    if (ilex_walk(x->ctx, 1, &x, find_data, &data) != ILEX_OK)
        return import_failed(ctx, x->ctx, ix_errors_mark(&x->ctx->error));
    if (data)
        return ix_poison(ctx, "import", 0, ILEX_E_UNSUPPORTED,
                         "import: the array reads a wrapped storage; put an "
                         "input in its place first (ilex_substitute)");
    ilex_array *r = import_text(ctx, x);
    if (ix_is_poison(r) || ilex_identical(r, x))
        return r;
    return ix_poison(ctx, "import", 0, ILEX_E_UNSUPPORTED,
                     "import: text does not give the %s back as it is; import "
                     "the part where it is known (ilex_restrict)",
                     ix_node_text(x));
}
