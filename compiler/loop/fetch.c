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
 *
 * A row that is data, B[t[l], v], is asked for at the index of that iteration,
 * or of the last one, which is read for it; what it is checked to be in, it is
 * brought into.
 */
#include "compiler/loop/distances.h"

enum { MOST_LINES = 8 };

typedef struct fetching {
    ix_unit *u;
    int buffer;
    const ix_stmt *loop, *row; /* L; the row that is looked at */
    int64_t length, ahead;
    const ilex_array *index; /* that is looked at */
    ix_stmt *list, **tail;   /* what asks, in front of it */
    int unsure; /* branches and loops around the row that may have no turn */
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

/* An index that is data, in iteration "later" of L. */
static ilex_array *
data_at(const fetching *f, const ilex_array *index, ilex_array *later)
{
    ilex_context *ctx = f->u->ctx;
    ilex_array *one = ix_index_const(ctx, 1), *lo = index->ops[1];
    ilex_array *end = ix_loop_end(f->u, f->loop, IX_for_hi);
    ilex_array *value = index->ops[0];
    later = ix_index_min(ctx, later, ix_index_fma(ctx, end, -1, one));
    value = put(f, value, f->loop, later);
    end = ix_index_fma(ctx, index->ops[2], -1, one);
    return ix_index_max(ctx, ix_index_min(ctx, value, end), lo);
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
        at[d] = index[d]->kind == IX_CHECKED
                    ? data_at(f, index[d], later)
                    : put(f, put(f, index[d], f->row, first), f->loop, later);
    ix_stmt *s = ix_stmt_at(f->u, IX_STMT_FETCH,
                            ix_element_of(f->buffer, rank, at), NULL);
    *f->tail = s;
    f->tail = &s->next;
    f->some = true;
}

/* Is the index the same for loops inside the row? */
static bool
is_apart(void *user, ix_stmt *s)
{
    const fetching *f = user;
    return s->kind != IX_STMT_FOR || !ix_scalar_uses_index(f->index, s->number);
}

/* Is what stands in it there in each iteration? */
static bool
is_sure(void *user, ix_stmt *s)
{
    (void)user;
    return s->kind != IX_STMT_IF &&
           (s->kind != IX_STMT_FOR ||
            (ix_loop_has_iterations(s) && !ix_for_while(s)));
}

/* Is an index data of each iteration of L alone, which is read in all of them,
 * between bounds that are not? */
static bool
is_data(const fetching *f, const ilex_array *index)
{
    unsigned known = IX_HAS_VALUE | IX_HAS_LOAD;
    const ix_stmt *loop = f->loop;
    return index->kind == IX_CHECKED && f->unsure == 0 && loop->step == 1 &&
           !loop->down && ix_loop_has_iterations(loop) &&
           !(index->ops[0]->flags & (IX_HAS_VALUE | IX_HAS_CHECK)) &&
           !((index->ops[1]->flags | index->ops[2]->flags) & known) &&
           ix_scalar_uses_index(index, loop->number) &&
           ix_stmt_each(f->row->body, is_sure, NULL) &&
           ix_stmt_each(loop->body, is_apart, (void *)(uintptr_t)f);
}

/* Asks for the lines of what is read at such indices, if it is a row, of which
 * the indices are known, or such data. */
static void
fetch_lines(fetching *f, int rank, ilex_array *const *index)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(f->u->buffer[f->buffer].dtype);
    bool moves = false;
    for (int d = 0; d < rank; d++) {
        bool along = ix_scalar_uses_index(index[d], f->row->number);
        f->index = index[d];
        bool known = !(index[d]->flags & (IX_HAS_VALUE | IX_HAS_LOAD));
        if ((!known && !is_data(f, index[d])) || along != (d == rank - 1) ||
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
        f->unsure += !is_sure(NULL, row);
        fetch_rows(f, &row->body);
        fetch_rows(f, &row->other);
        f->unsure -= !is_sure(NULL, row);
        if (length <= 0 || length * bytes > MOST_LINES * IX_LINE_BYTES)
            continue;
        f->row = row;
        f->length = length;
        f->list = NULL;
        f->tail = &f->list;
        ix_stmt_each(row->body, look_at_statement, f);
        ix_stmt_loads(f->u, row->body, look_at_load, f);
        *f->tail = row;
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
