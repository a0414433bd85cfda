/* SPDX-License-Identifier: MIT
 *
 * Public functions that write what a node is as text.
 */
#include "ilex/graph.h"

#include "lib/build/tuple.h"
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
