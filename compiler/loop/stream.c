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
 * where t elements are before one at which a line begins. With "from" a branch
 * around all of it asks how many bytes B has, and has the loops as they were.
 * Longer strips fill what processors gather such stores in, so that a copy
 * takes twice as long as by plain stores, and so do lines of which two strips
 * store a part.
 */
#include "compiler/loop/distances.h"

/* Elements of a strip that others made. */
enum { MOST_POINTS = 128, MOST_LOOPS = 16 };

typedef struct streaming {
    ix_unit *u;
    ix_kernel *k;
    const char *name;
    int buffer;
    int64_t strip;
    ix_stmt *loop[MOST_LOOPS]; /* innermost ones that store a row */
    int n;
    ilex_array *large; /* whether B is, or NULL */
    ix_how how;        /* the next ones are copied */
    bool marked;
} streaming;

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- what is stored ---- */

/* The statement by which iterations store one element after the other, or
 * NULL. */
static const ix_stmt *
stored_in(const streaming *x, const ix_stmt *loop)
{
    const ix_stmt *s = loop->body;
    if (loop->how == IX_GRID || loop->step != 1 || loop->down ||
        ix_for_while(loop) || !ix_stmt_is_innermost(loop))
        return NULL;
    while (s && !(s->kind == IX_STMT_STORE && s->buffer == x->buffer &&
                  ix_stmt_moves_along(s, loop)))
        s = s->next;
    for (int d = 0; s && d < s->n[IX_INDICES]; d++)
        if (ix_has_values(x->u, ix_operands(s, IX_INDICES)[d]))
            return NULL;
    return s;
}

static bool
note_loop(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && x->n < MOST_LOOPS && stored_in(x, s))
        x->loop[x->n++] = s;
    return true;
}

/* Marks rows that are copied, in some statements. */
static bool
mark(void *user, ix_stmt *s)
{
    streaming *x = user;
    if (s->kind == IX_STMT_FOR && s->how != IX_LINES && stored_in(x, s) &&
        ix_stmt_copies_row(s)) {
        s->how = x->how;
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
    return c->depth && n > 0 && n <= MOST_POINTS &&
           is_strip_of(c->k, ix_cursor_loop(c), c->around[c->depth - 1]) &&
           ix_cursor_at(c->k, c->around[c->depth - 1], c);
}

/* Has it fewer iterations than a strip? */
static bool
is_short(const streaming *x, const ix_stmt *loop)
{
    int64_t most = ix_loop_most(x->u, loop);
    return most > 0 && most < x->strip;
}

/* Strips of the cursor's loop, which it may be one of, are computed on the
 * stack. */
static ix_refusal
strip(const streaming *x, ix_cursor *c, bool is_one)
{
    ix_directive split = {.row = IX_LOOP_split,
                          .n = x->strip,
                          .words = IX_REST_PEEL},
                 stage = {.row = IX_LOOP_stage,
                          .nloops = 1,
                          .name = x->name,
                          .words = IX_COPY_BACK};
    ix_refusal r = is_one ? fine : ix_loop_split(x->u, &split, c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (!is_one)
        ix_cursor_at(x->k, c->around[c->depth - 1], c);
    return ix_loop_stage(x->u, &stage, c);
}

/* How many of the first elements of the cursor's loop are stored as before: up
 * to where a line begins. */
static ilex_array *
put_aside(const streaming *x, ix_cursor *c, ilex_array *lo)
{
    ix_unit *u = x->u;
    const ix_stmt *loop = ix_cursor_loop(c), *store = stored_in(x, loop);
    ix_stmt *s = ix_stmt_at(u, IX_STMT_ASIDE, ix_stmt_element(store), NULL);
    s = ix_loop_put_index(u, s, loop->number, lo);
    s->prefix = 't';
    s->number = x->k->nvalues++;
    s->dtype = ILEX_I64;
    s->array = store->array;
    s->next = *c->at;
    *c->at = s;
    c->at = &s->next;
    return ix_value_of(u, s);
}

/* The cursor's loop becomes two, the second, at which it then is, from where a
 * line of B begins. */
static void
begin_at_line(const streaming *x, ix_cursor *c)
{
    ix_unit *u = x->u;
    ix_stmt *loop = ix_cursor_loop(c);
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo);
    ilex_array *hi = ix_loop_end(u, loop, IX_for_hi);
    ilex_array *from = ix_index_min(
        u->ctx, hi, ix_index_fma(u->ctx, lo, 1, put_aside(x, c, lo)));
    ix_stmt *rest = ix_loop_rest(u, x->k, loop, from), *head;
    head = ix_stmt_with(u, loop, IX_OPERANDS({1, &lo}, {1, &from}));
    head->body = loop->body;
    head->rest = rest->rest = !loop->optional;
    head->optional = rest->optional = true;
    rest->next = loop->next;
    head->next = rest;
    *c->at = head;
    c->at = &head->next;
}

/* What a loop stores goes past the caches, unless it is short. */
static ix_refusal
stream_row(streaming *x, const ix_stmt *loop)
{
    ix_cursor c;
    ix_refusal r = fine;
    bool copies = ix_stmt_copies_row(loop);
    if (!ix_cursor_at(x->k, loop, &c))
        return r;
    bool is_one = !copies && move_out(x->u, &c);
    if (!copies && !is_one && is_short(x, loop))
        return r;
    if (!copies && !is_one)
        begin_at_line(x, &c);
    if (!copies)
        r = strip(x, &c, is_one);
    x->how = copies || is_one ? IX_STREAM : IX_LINES;
    ix_stmt_each(x->k->body, mark, x);
    return r;
}

/* ---- the directive ---- */

static bool
is_other(void *user, ix_stmt *s)
{
    const streaming *x = user;
    return s->kind != IX_STMT_ASIDE || s->buffer != x->buffer;
}

static ix_refusal
may(streaming *x)
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
    if (!ix_stmt_each(x->k->body, is_other, x))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s goes there already",
                         x->name);
    for (size_t i = 0; i < a.n; i++)
        if (!a.item[i].write && a.item[i].buffer >= 0 &&
            ix_is_one_buffer(x->u, a.item[i].buffer, x->buffer))
            return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s is read here, too",
                             x->name);
    return fine;
}

/* Whether B has so many bytes at least. */
static ix_refusal
find_large(streaming *x, int64_t bytes)
{
    ix_unit *u = x->u;
    ix_condition c;
    ix_text t;
    ix_text_init(&t, &u->mem);
    ix_text_format(&t, "bytes(%s) >= %lld", x->name, (long long)bytes);
    ix_refusal r = ix_condition_read(u, x->k, ix_text_string(&t), &c);
    if (r.class != IX_REFUSAL_NONE || (c.form->n == 0 && c.form->c >= 0))
        return r;
    if (c.form->n == 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "%s has fewer bytes", x->name);
    ilex_array *ops[2] = {ix_index_const(u->ctx, 0),
                          ix_index_lin(u->ctx, c.form)};
    x->large = ix_scalar_op(u->ctx, IX_OP_LESS_EQUAL, ILEX_I64, ILEX_BOOL, ops);
    return r;
}

static ix_refusal
strip_all(streaming *x)
{
    ix_refusal r = fine;
    ix_stmt_each(x->k->body, note_loop, x);
    for (int i = 0; i < x->n && r.class == IX_REFUSAL_NONE; i++)
        r = stream_row(x, x->loop[i]);
    if (r.class == IX_REFUSAL_NONE && !x->marked)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "no loop stores elements of %s side by side", x->name);
    return r;
}

/* The kernel where B is large, and as it was elsewhere. */
static void
where_large(const streaming *x, ix_stmt *was)
{
    ilex_array *large = x->large;
    ix_stmt *branch = ix_stmt_new(x->u, IX_STMT_IF, IX_OPERANDS({1, &large}));
    branch->array = was->array;
    branch->body = x->k->body;
    branch->other = ix_stmt_clone(x->u, x->k, was);
    x->k->body = branch;
}

ix_refusal
ix_loop_stream(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *was = c->k->body, **end;
    streaming x = {.u = u, .k = c->k, .name = d->name};
    x.buffer = ix_buffer_find(u, d->name);
    ix_refusal r = may(&x);
    if (r.class == IX_REFUSAL_NONE && d->words)
        r = find_large(&x, d->n);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    x.strip =
        IX_LINES_BYTES / (int64_t)ilex_dtype_bytes(u->buffer[x.buffer].dtype);
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
    if (x.large)
        where_large(&x, was);
    return r;
}
