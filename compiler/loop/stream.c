/* SPDX-License-Identifier: MIT
 *
 * stream B: what is stored in B goes past the caches, which would read each
 * line first and lose others for it. Only stores that stand alone do, of whole
 * lines if they can: a strip is computed on the stack, then copied.
 *
 *     for i in [0, n)               for o in [0, n) step 128
 *         B[i] = ...                    scratch d[128]
 *                                       for v in [0, min(128, n - o))
 *                                           d[v] = ...
 *                                       for z in [0, min(128, n - o)) stream
 *                                           B[o + z] = d[z]
 *                                   fence
 */
#include "compiler/loop/distances.h"

enum { STRIP = 128, MOST_LOOPS = 16 };

typedef struct streaming {
    ix_unit *u;
    ix_kernel *k;
    const char *name;
    int buffer;
    ix_stmt *loop[MOST_LOOPS]; /* innermost ones that store a row */
    int n;
    bool marked;
} streaming;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- what is stored ---- */

/* Do its iterations store one element after the other? */
static bool
stores_row(const streaming *x, const ix_stmt *loop)
{
    bool stores = false;
    if (loop->how == IX_GRID || loop->step != 1 || loop->down ||
        ix_for_while(loop) || !ix_stmt_is_innermost(loop))
        return false;
    for (const ix_stmt *s = loop->body; s; s = s->next)
        stores |= s->kind == IX_STMT_STORE && s->buffer == x->buffer &&
                  ix_stmt_moves_along(s, loop);
    return stores;
}

static bool
note_loop(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && x->n < MOST_LOOPS && stores_row(x, s))
        x->loop[x->n++] = s;
    return true;
}

/* Marks rows that are copied. */
static bool
mark(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && stores_row(x, s) && ix_stmt_copies_row(s)) {
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

/* The loop around, if the cursor's is a strip already. */
static bool
move_out(ix_unit *u, ix_cursor *c)
{
    int64_t n = ix_loop_most(u, ix_cursor_loop(c));
    return c->depth && n > 0 && n <= STRIP &&
           is_strip_of(c->k, ix_cursor_loop(c), c->around[c->depth - 1]) &&
           ix_cursor_at(c->k, c->around[c->depth - 1], c);
}

/* Strips of the loop are computed on the stack. */
static ix_refusal
strip(const streaming *x, const ix_stmt *loop)
{
    ix_directive split = {.row = IX_LOOP_split, .n = STRIP},
                 stage = {.row = IX_LOOP_stage,
                          .nloops = 1,
                          .name = x->name,
                          .words = IX_COPY_BACK};
    ix_cursor c;
    if (ix_stmt_copies_row(loop) || !ix_cursor_at(x->k, loop, &c))
        return fine;
    if (!move_out(x->u, &c)) {
        ix_refusal r = ix_loop_split(x->u, &split, &c);
        if (r.class != IX_REFUSAL_NONE)
            return r;
        ix_cursor_at(x->k, c.around[c.depth - 1], &c);
    }
    return ix_loop_stage(x->u, &stage, &c);
}

/* ---- the directive ---- */

static ix_refusal
may(const streaming *x)
{
    ix_accesses a = ix_accesses_in(x->u, x->k, x->k->body);
    if (x->buffer < 0 || !ix_accesses_write(&a, x->buffer))
        return ix_refuse(x->u, IX_REFUSAL_NAME,
                         "no buffer that is stored here is called %s", x->name);
    if (x->u->target->grid)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, IX_THREADS);
    if (ix_dtype_is_complex(x->u->buffer[x->buffer].dtype))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "parts of complex numbers are stored in turn");
    for (size_t i = 0; i < a.n; i++)
        if (!a.item[i].write && a.item[i].buffer >= 0 &&
            ix_is_one_buffer(x->u, a.item[i].buffer, x->buffer))
            return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s is read here, too",
                             x->name);
    return fine;
}

static ix_refusal
strip_all(streaming *x)
{
    ix_refusal r = fine;
    ix_stmt_each(x->k->body, note_loop, x);
    for (int i = 0; i < x->n && r.class == IX_REFUSAL_NONE; i++)
        r = strip(x, x->loop[i]);
    ix_stmt_each(x->k->body, mark, x);
    if (r.class == IX_REFUSAL_NONE && !x->marked)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "no loop stores elements of %s side by side", x->name);
    return r;
}

ix_refusal
ix_loop_stream(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *was = c->k->body, **end;
    streaming x = {.u = u, .k = c->k, .name = d->name};
    x.buffer = ix_buffer_find(u, d->name);
    ix_refusal r = may(&x);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    c->k->body = ix_stmt_clone(u, NULL, was);
    r = strip_all(&x);
    if (r.class != IX_REFUSAL_NONE) {
        c->k->body = was;
        return r;
    }
    for (end = &c->k->body; (*end)->next; end = &(*end)->next)
        ;
    if ((*end)->kind != IX_STMT_FENCE)
        (*end)->next = ix_stmt_new(u, IX_STMT_FENCE, NULL);
    return r;
}
