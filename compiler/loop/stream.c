/* SPDX-License-Identifier: MIT
 *
 * stream B: what is stored in B goes past the caches, which would read each
 * line first and lose others for it. Only stores that stand alone do, of whole
 * lines if they can: a strip of two lines, which is in registers where
 * compilers know its length, is computed on the stack, then copied.
 *
 *     for i in [0, n)               t = aside B[0]
 *         B[i] = ...                for i in [0, min(n, t))
 *                                       B[i] = ...
 *                                   for o in [t, m) step 16
 *                                       scratch d[16]
 *                                       for v in [0, 16)
 *                                           d[v] = ...
 *                                       for z in [0, 16) stream
 *                                           B[o + z] = d[z]
 *                                   for i in [m, n)
 *                                       B[i] = ...
 *                                   fence
 *
 * where t elements are before one at which a line begins (align). Rows of whole
 * lines, as blocks have them, are copied as they are, and a line that does not
 * begin where one of the caches does by plain stores. With "from" all elements
 * are before one where B has fewer bytes, or, if there are loops around the
 * row, which may be short, a branch around those of a row asks that, and has
 * them as they were. Longer strips fill what processors gather such stores in,
 * so that a copy takes twice as long as by plain stores, and so do lines of
 * which two strips store a part.
 */
#include "compiler/loop/distances.h"

/* Elements of a strip that others made. */
enum { MOST_POINTS = 128, MOST_LOOPS = 16, STRIP_LINES = 2 };

typedef struct streaming {
    ix_unit *u;
    ix_kernel *k;
    const ix_directive *d;
    int buffer;
    int64_t line;              /* elements of one */
    ix_stmt *loop[MOST_LOOPS]; /* innermost ones that store a row */
    int n;
    ilex_array *large; /* whether B is, or NULL */
    bool marked;
} streaming;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- what is stored ---- */

/* Is an iteration's statement a store of the next element of B? */
static bool
stores_row(const streaming *x, const ix_stmt *loop)
{
    const ix_stmt *s = loop->body;
    if (loop->how == IX_GRID || loop->how == IX_STREAM || loop->step != 1 ||
        loop->down || ix_for_while(loop) || !ix_stmt_is_innermost(loop))
        return false;
    while (s && !(s->kind == IX_STMT_STORE && s->buffer == x->buffer &&
                  ix_stmt_moves_along(s, loop)))
        s = s->next;
    for (int d = 0; s && d < s->n[IX_INDICES]; d++)
        if (ix_operands(s, IX_INDICES)[d]->flags & IX_HAS_VALUE)
            return false;
    return s != NULL;
}

static bool
note_loop(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && x->n < MOST_LOOPS && stores_row(x, s))
        x->loop[x->n++] = s;
    return true;
}

/* Has it whole lines? */
static bool
is_of_lines(const streaming *x, const ix_stmt *loop)
{
    int64_t n = ix_loop_length(x->u, loop);
    return n > 0 && n <= MOST_POINTS && n % x->line == 0;
}

/* Marks rows that are copied, in some statements. */
static bool
mark(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && stores_row(x, s) && ix_stmt_copies_row(s) &&
        is_of_lines(x, s)) {
        s->how = IX_STREAM;
        x->marked = true;
    }
    return true;
}

/* ---- strips ---- */

/* Is there nothing around the loop but another one, or the loop over strips of
 * which it is one? */
static bool
is_strip_of(const ix_kernel *k, const ix_stmt *loop, const ix_stmt *around)
{
    const ix_variable *v = k->variable;
    return around->kind == IX_STMT_FOR &&
           ((around->body == loop && !loop->next) ||
            (v[loop->number].role == IX_VARIABLE_INNER &&
             v[around->number].role == IX_VARIABLE_OUTER &&
             v[loop->number].part_of == v[around->number].part_of));
}

/* The cursor goes to the loop around, if its loop is a strip already. */
static bool
move_out(const streaming *x, ix_cursor *c)
{
    const ix_stmt *loop = ix_cursor_loop(c);
    return c->depth && is_of_lines(x, loop) &&
           is_strip_of(c->k, loop, c->around[c->depth - 1]) &&
           ix_cursor_at(c->k, c->around[c->depth - 1], c);
}

/* The cursor goes to the loop over strips that begin at a line, of which there
 * are none where B is not large if "asks". */
static ix_refusal
make_strips(const streaming *x, ix_cursor *c, bool asks)
{
    ix_directive align = {.row = IX_LOOP_align,
                          .name = x->d->name,
                          .n = x->d->n,
                          .words = asks ? IX_STREAM_FROM : 0},
                 split = {.row = IX_LOOP_split,
                          .n = STRIP_LINES * x->line,
                          .words = IX_REST_PEEL};
    ix_refusal r = ix_loop_align(x->u, &align, c);
    if (r.class == IX_REFUSAL_NONE)
        r = ix_loop_split(x->u, &split, c);
    if (r.class == IX_REFUSAL_NONE)
        ix_cursor_at(x->k, c->around[c->depth - 1], c);
    return r;
}

/* The cursor's loop, with those around that have nothing else, is in a branch
 * for where B is large, and as it was elsewhere. */
static void
where_large(const streaming *x, ix_cursor *c)
{
    ilex_array *large = x->large;
    const ix_stmt *loop = ix_cursor_loop(c), *all = loop;
    ix_stmt *branch = ix_stmt_new(x->u, IX_STMT_IF, IX_OPERANDS({1, &large}));
    for (int d = c->depth - 1;
         d >= 0 && !all->next && c->around[d]->kind == IX_STMT_FOR &&
         c->around[d]->body == all;
         d--)
        all = c->around[d];
    ix_cursor_at(x->k, all, c);
    branch->array = all->array;
    branch->next = all->next;
    branch->body = *c->at;
    branch->body->next = NULL;
    branch->other = ix_stmt_clone(x->u, x->k, all);
    *c->at = branch;
    ix_cursor_at(x->k, loop, c);
}

/* What an iteration of the cursor's loop stores is copied to B by lines. */
static ix_refusal
copy_strip(streaming *x, ix_cursor *c)
{
    ix_directive stage = {.row = IX_LOOP_stage,
                          .nloops = 1,
                          .name = x->d->name,
                          .words = IX_COPY_BACK};
    ix_refusal r = ix_loop_stage(x->u, &stage, c);
    if (r.class == IX_REFUSAL_NONE)
        ix_stmt_each(ix_cursor_loop(c)->body, mark, x);
    return r;
}

/* What a loop stores goes past the caches, unless it is short. */
static ix_refusal
stream_row(streaming *x, const ix_stmt *loop)
{
    ix_cursor c;
    int64_t most = ix_loop_most(x->u, loop);
    bool copies = ix_stmt_copies_row(loop), lines = is_of_lines(x, loop);
    ix_refusal r = fine;
    if (!ix_cursor_at(x->k, loop, &c) || (copies && !lines) ||
        (!lines && most > 0 && most < 2 * x->line))
        return r;
    bool asks = x->large && !lines && c.depth == 0;
    if (x->large && !asks)
        where_large(x, &c);
    if (copies)
        mark(x, ix_cursor_loop(&c));
    else if (!move_out(x, &c))
        r = make_strips(x, &c, asks);
    return r.class == IX_REFUSAL_NONE && !copies ? copy_strip(x, &c) : r;
}

/* ---- the directive ---- */

static bool
is_other(void *user, ix_stmt *s)
{
    const streaming *x = user;
    return s->kind != IX_STMT_FOR || s->how != IX_STREAM ||
           !ix_stmt_copies_row(s) || s->body->next->buffer != x->buffer;
}

static ix_refusal
may(streaming *x)
{
    const char *name = x->d->name;
    ix_accesses a = ix_accesses_in(x->u, x->k, x->k->body);
    if (x->buffer < 0 || !ix_accesses_write(&a, x->buffer))
        return ix_refuse(x->u, IX_REFUSAL_NAME,
                         "no buffer that is stored here is called %s", name);
    if (x->u->target->grid)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, IX_THREADS);
    if (ix_dtype_is_complex(x->u->buffer[x->buffer].dtype))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "parts of complex numbers are stored in turn");
    if (!ix_stmt_each(x->k->body, is_other, x))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s goes there already", name);
    if (ix_accesses_read(&a, x->buffer))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s is read here, too", name);
    if (x->d->words & IX_STREAM_FROM)
        return ix_loop_large(x->u, x->k, name, x->d->n, &x->large);
    return fine;
}

/* What the cursor's loop, or the kernel, stores. */
static ix_refusal
strip_all(streaming *x, ix_cursor *c)
{
    ix_refusal r = fine;
    ix_stmt *in = x->k->body;
    if (x->d->nloops) {
        r = ix_cursor_find(x->u, x->k, x->d->loop[0], c);
        in = r.class ? NULL : ix_cursor_loop(c)->body;
    }
    ix_stmt_each(in, note_loop, x);
    for (int i = 0; i < x->n && r.class == IX_REFUSAL_NONE; i++)
        r = stream_row(x, x->loop[i]);
    if (r.class == IX_REFUSAL_NONE && !x->marked)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "no loop stores lines of %s side by side", x->d->name);
    return r;
}

/* Other threads see what was stored, where it was. */
static void
put_fence(const streaming *x)
{
    ix_stmt *fence = ix_stmt_new(x->u, IX_STMT_FENCE, NULL), *branch;
    ilex_array *large = x->large;
    if (large) {
        branch = ix_stmt_new(x->u, IX_STMT_IF, IX_OPERANDS({1, &large}));
        branch->array = x->k->body->array;
        branch->body = fence;
        fence = branch;
    }
    *ix_stmt_end(&x->k->body) = fence;
}

ix_refusal
ix_loop_stream(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *was = c->k->body;
    streaming x = {.u = u, .k = c->k, .d = d};
    x.buffer = ix_buffer_find(u, d->name);
    ix_refusal r = may(&x);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    x.line =
        IX_LINE_BYTES / (int64_t)ilex_dtype_bytes(u->buffer[x.buffer].dtype);
    c->k->body = ix_stmt_clone(u, NULL, was);
    r = strip_all(&x, c);
    if (r.class != IX_REFUSAL_NONE)
        c->k->body = was;
    else
        put_fence(&x);
    return r;
}
