/* SPDX-License-Identifier: MIT
 *
 * fetch B at L [ahead N]: in front of each row of B, of a few lines of the
 * caches, that is read in L, those lines of the row that L's N-th next
 * iteration reads there are asked for, N being 1 if it is not said. Rows of
 * blocks are far apart in memory, which prefetchers do not follow.
 *
 *     for l in [0, n) step 8        for l in [0, n) step 8
 *         for z in [0, 8)               for z in [0, 8)
 *             for v in [0, 8)               fetch B[l + 8 + z, 0]
 *                 ... B[l + z, v]           for v in [0, 8)
 *                                               ... B[l + z, v]
 */
#include "compiler/loop/distances.h"

enum { MOST_LINES = 8 };

typedef struct fetching {
    ix_unit *u;
    int buffer;
    const ix_stmt *loop, *row; /* L; the row that is looked at */
    int64_t length, ahead;
    const ilex_array *index; /* that is looked at */
    ix_stmt *list;
    bool some;
} fetching;

/* The index with "to" for that of a loop. */
static ilex_array *
put(const fetching *f, ilex_array *index, const ix_stmt *loop, ilex_array *to)
{
    ix_substitution s = {.ctx = f->u->ctx,
                         .mem = &f->u->mem,
                         .became = ix_made_keep,
                         .user = f->u};
    ix_substitution_set(&s, ix_scalar_index(f->u->ctx, loop->number), to);
    index = ix_substitute(&s, index);
    ix_substitution_free(&s);
    return index;
}

/* Asks for the line of an element "from" behind the row's first one. */
static void
fetch_line(fetching *f, int rank, ilex_array *const *index, int64_t from)
{
    ilex_context *ctx = f->u->ctx;
    ilex_array *at[ILEX_MAX_RANK] = {NULL};
    ilex_array *first =
        ix_index_offset(ctx, ix_loop_end(f->u, f->row, IX_for_lo), from);
    ilex_array *later = ix_index_offset(
        ctx, ix_scalar_index(ctx, f->loop->number), f->ahead * f->loop->step);
    for (int d = 0; d < rank; d++)
        at[d] = put(f, put(f, index[d], f->row, first), f->loop, later);
    ix_stmt *s = ix_stmt_at(f->u, IX_STMT_FETCH,
                            ix_element_of(f->buffer, rank, at), NULL);
    s->next = f->list;
    f->list = s;
    f->some = true;
}

/* Is the index the same for loops inside the row? */
static bool
is_apart(void *user, ix_stmt *s)
{
    const fetching *f = user;
    return s->kind != IX_STMT_FOR || !ix_scalar_uses_index(f->index, s->number);
}

/* Asks for the lines of what is read at such indices, if it is a row, of which
 * the indices are known: one that is data would be read where there is none. */
static void
fetch_lines(fetching *f, int rank, ilex_array *const *index)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(f->u->buffer[f->buffer].dtype);
    bool moves = false;
    for (int d = 0; d < rank; d++) {
        bool along = ix_scalar_uses_index(index[d], f->row->number);
        f->index = index[d];
        if ((index[d]->flags & IX_HAS_VALUE) || along != (d == rank - 1) ||
            (index[d]->flags & IX_HAS_LOAD) ||
            !ix_stmt_each(f->row->body, is_apart, f))
            return;
        moves |= ix_scalar_uses_index(index[d], f->loop->number);
    }
    for (int64_t i = 0; moves && i < f->length; i += IX_LINE_BYTES / bytes)
        fetch_line(f, rank, index, i);
}

static bool
look_at_load(void *user, const ilex_array *load)
{
    fetching *f = user;
    if (load->attr[0] == f->buffer)
        fetch_lines(f, load->nops, load->ops);
    return true;
}

static bool
look_at_statement(void *user, ix_stmt *s)
{
    fetching *f = user;
    if (s->kind == IX_STMT_LOAD && s->buffer == f->buffer)
        fetch_lines(f, s->n[IX_INDICES], ix_operands(s, IX_INDICES));
    return true;
}

/* Asks in front of the rows in a list, and inside. */
static void
fetch_rows(fetching *f, ix_stmt **list)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(f->u->buffer[f->buffer].dtype);
    for (; *list; list = &(*list)->next) {
        ix_stmt *row = *list;
        int64_t length =
            row->kind == IX_STMT_FOR ? ix_loop_length(f->u, row) : 0;
        fetch_rows(f, &row->body);
        fetch_rows(f, &row->other);
        if (length <= 0 || length * bytes > MOST_LINES * IX_LINE_BYTES)
            continue;
        f->row = row;
        f->length = length;
        f->list = NULL;
        ix_stmt_each(row->body, look_at_statement, f);
        ix_stmt_loads(f->u, row->body, look_at_load, f);
        *ix_stmt_end(&f->list) = row;
        *list = f->list;
        while (*list != row)
            list = &(*list)->next;
    }
}

ix_refusal
ix_loop_fetch(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    fetching f = {.u = u,
                  .buffer = ix_buffer_find(u, d->name),
                  .loop = ix_cursor_loop(c),
                  .ahead = d->words ? d->n : 1};
    ix_accesses a = ix_accesses_in(u, c->k, c->k->body);
    if (f.buffer < 0 || ix_accesses_write(&a, f.buffer))
        return ix_refuse(u, IX_REFUSAL_NAME,
                         "no buffer that is only read here is called %s",
                         d->name);
    ix_stmt *list = ix_stmt_clone(u, NULL, f.loop->body);
    fetch_rows(&f, &list);
    if (!f.some)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "no row of %s, of a few lines, that follows it is "
                         "read in it",
                         d->name);
    ix_cursor_loop(c)->body = list;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
