/* SPDX-License-Identifier: MIT */
#include "lib/base/errors.h"

void
ix_errors_init(ix_error *first, ix_errors *more, const ix_mem *mem)
{
    ix_error_clear(first);
    *more = (ix_errors){.mem = *mem};
    first->more = more;
}

void
ix_errors_free(ix_errors *more)
{
    for (size_t i = 0; i < IX_COUNT(more->item); i++)
        ix_mem_free(&more->mem, more->item[i]);
}

/* Empties a record that keeps its "more". */
static void
forget(ix_error *e)
{
    struct ix_errors *more = e->more;
    ix_error_clear(e);
    e->more = more;
}

/* Of errors without a place the text decides. */
static bool
same(const ix_error *a, const ix_error *b)
{
    bool place =
        !a->line || !b->line ||
        (a->line == b->line && a->column == b->column && a->file == b->file);
    return place && a->code == b->code && !strcmp(a->text, b->text);
}

/* Has "e" been said? */
static bool
is_known(const ix_error *first, const ix_error *e)
{
    if (same(first, e))
        return true;
    for (size_t i = 0; i < first->more->n; i++)
        if (same(first->more->item[i], e))
            return true;
    return false;
}

/* What is found after memory ran out may be wrong. */
static bool
is_out_of_memory(const ix_error *first)
{
    const ix_errors *more = first->more;
    const ix_error *last = more->n ? more->item[more->n - 1] : first;
    return last->code == ILEX_E_MEMORY;
}

void
ix_errors_add(ix_error *first, const ix_error *e)
{
    ix_errors *more = first->more;
    if (first->code == ILEX_OK) {
        *first = *e;
        first->more = more;
        return;
    }
    if (!more || is_known(first, e) || is_out_of_memory(first))
        return;
    ix_error **item =
        more->n < IX_COUNT(more->item) ? &more->item[more->n] : NULL;
    if (item && !*item) /* kept for the next one when it is forgotten */
        *item = ix_mem_new(&more->mem, sizeof **item);
    if (!item || !*item) {
        more->dropped++;
        return;
    }
    **item = *e;
    (*item)->more = NULL;
    more->n++;
}

void
ix_errors_find(ix_error *first, const ix_error *e)
{
    bool follows = e->code == ILEX_E_ARGUMENT || e->code == ILEX_E_CONTEXT;
    if (first->code == ILEX_OK || !follows)
        ix_errors_add(first, e);
}

ix_error *
ix_errors_last(ix_error *first)
{
    if (first->code == ILEX_OK)
        return NULL;
    return first->more && first->more->n ? first->more->item[first->more->n - 1]
                                         : first;
}

size_t
ix_errors_count(const ix_error *first)
{
    return first->code == ILEX_OK ? 0
           : first->more          ? 1 + first->more->n + first->more->dropped
                                  : 1;
}

const ix_error *
ix_errors_get(const ix_error *first, size_t i)
{
    if (first->code == ILEX_OK || i == 0)
        return first->code == ILEX_OK ? NULL : first;
    return first->more && i - 1 < first->more->n ? first->more->item[i - 1]
                                                 : NULL;
}

void
ix_errors_take(ix_error *first, ix_error *taken)
{
    taken->code = ILEX_OK; /* the text of none is not worth a copy */
    if (first->code != ILEX_OK)
        *taken = *first;
    taken->more = NULL;
    forget(first);
}

void
ix_errors_clear(ix_error *first)
{
    forget(first);
    if (first->more)
        first->more->n = first->more->dropped = 0;
}

void
ix_errors_restore(ix_error *first, const ix_error *taken)
{
    if (taken->code == ILEX_OK)
        return;
    ix_error since = *first;
    struct ix_errors *more = first->more;
    *first = *taken;
    first->more = more;
    if (since.code != ILEX_OK)
        ix_errors_add(first, &since);
}

/* ---- marks ---- */

ix_error_mark
ix_errors_mark(const ix_error *first)
{
    const ix_errors *more = first->more;
    return (ix_error_mark){first->code != ILEX_OK, more ? more->n : 0,
                           more ? more->dropped : 0};
}

/* Error "i", also the first. */
static ix_error *
error_at(ix_error *first, size_t i)
{
    return i == 0 ? first : first->more->item[i - 1];
}

static void
exchange(ix_error *a, ix_error *b)
{
    struct ix_errors *of_a = a->more, *of_b = b->more;
    ix_error kept = *a;
    *a = *b;
    *b = kept;
    a->more = of_a;
    b->more = of_b;
}

/* Those without a place come last. */
static bool
stands_before(const ix_error *a, const ix_error *b)
{
    if (!a->line || !b->line)
        return a->line > b->line;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void
ix_errors_sort(ix_error *first, ix_error_mark mark)
{
    size_t begin = mark.set ? mark.n + 1 : 0;
    size_t end = first->more ? first->more->n + 1 : 1;
    for (size_t i = begin + 1; i < end; i++)
        for (size_t k = i; k > begin && stands_before(error_at(first, k),
                                                      error_at(first, k - 1));
             k--)
            exchange(error_at(first, k), error_at(first, k - 1));
}

ilex_status
ix_errors_since(const ix_error *first, ix_error_mark mark)
{
    if (!mark.set)
        return first->code;
    return first->more && first->more->n > mark.n
               ? first->more->item[first->more->n - 1]->code
               : ILEX_OK;
}

void
ix_errors_rewind(ix_error *first, ix_error_mark mark)
{
    if (!mark.set)
        forget(first);
    if (first->more) {
        first->more->n = mark.n;
        first->more->dropped = mark.dropped;
    }
}
