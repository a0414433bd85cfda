/* SPDX-License-Identifier: MIT
 *
 * prefetch L: where points of a strip were moved into the serial loop L (split,
 * jam), L asks for what the next strip reads. Points of a strip may be apart in
 * memory, which prefetchers do not follow: iteration l asks for what point l
 * mod BY of the next strip reads at l. So each line is asked for, and no line
 * twice at once.
 *
 *     for s in [0, m) step 4
 *         for l in [0, n)
 *             fetch x[s + 4 + (l & 3), l]
 *             for v in [0, 4)
 *                 ... x[s + v, l] ...
 */
#include "compiler/loop/loop.h"

typedef struct fetching {
    ix_unit *u;
    const ix_stmt *loop;   /* L */
    const ix_stmt *strips; /* the loop over strips */
    const ix_stmt *points; /* that over the points of one */
    ix_substitution next;  /* the point of the next strip to ask for */
    ix_stmt *list;
} fetching;

/* The index without its constant; whether it has variable "v". */
static bool
moves_with(ilex_context *ctx, ilex_array **index, int v)
{
    ix_index_form f;
    ix_index_form_of(*index, &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom == ix_scalar_index(ctx, v)) {
            *index = ix_index_offset(ctx, *index, -f.c);
            return true;
        }
    return false;
}

static bool
is_asked_for(const fetching *f, const ix_element *e)
{
    for (const ix_stmt *s = f->list; s; s = s->next)
        if (s->buffer == e->buffer &&
            !memcmp(s->x, e->index, (size_t)e->rank * sizeof *e->index))
            return true;
    return false;
}

/* Does an index depend on what only statements in L know: values, loops? */
typedef struct inner {
    const ilex_array *index;
    bool known;
} inner;

static bool
uses(const ilex_array *x, int64_t variable)
{
    bool is = x->kind == IX_INDEX ? x->attr[0] == variable
                                  : x->kind == IX_VALUE && x->attr[0] >= 0;
    for (int i = 0; i < x->nops && !is; i++)
        is = uses(x->ops[i], variable);
    return is;
}

static bool
is_unknown_to(void *user, ix_stmt *s)
{
    inner *i = user;
    i->known &= s->kind != IX_STMT_FOR || !uses(i->index, s->number);
    return i->known;
}

/* Asks for an element that is read at every point in every iteration, once for
 * those that are near. */
static bool
fetch_load(void *user, const ilex_array *load)
{
    fetching *f = user;
    ilex_context *ctx = f->u->ctx;
    ilex_array *index[ILEX_MAX_RANK] = {NULL};
    bool point = false, iteration = false;
    if (ix_buffer_is_written(&f->u->buffer[load->attr[0]]))
        return true;
    for (int a = 0; a < load->nops; a++) {
        index[a] = load->ops[a];
        if (!ix_index_is_affine(index[a]))
            return true;
        point |= moves_with(ctx, &index[a], f->points->number);
        iteration |= moves_with(ctx, &index[a], f->loop->number);
        index[a] = ix_substitute(&f->next, index[a]);
        inner in = {index[a], true};
        if (!ix_stmt_each(f->loop->body, is_unknown_to, &in))
            return true;
    }
    ix_element e = ix_element_of((int)load->attr[0], load->nops, index);
    if (!point || !iteration || is_asked_for(f, &e))
        return true;
    ix_stmt *s = ix_stmt_at(f->u, IX_STMT_FETCH, e, NULL);
    s->next = f->list;
    f->list = s;
    return true;
}

/* The strips of which there are points in the loop: those around it. */
static bool
find_strips(fetching *f, const ix_cursor *c)
{
    for (const ix_stmt *s = f->loop->body; s; s = s->next)
        if (s->kind == IX_STMT_FOR &&
            c->k->variable[s->number].role == IX_VARIABLE_INNER)
            f->points = s;
    for (int d = 0; d < c->depth && f->points; d++) {
        const ix_stmt *s = c->around[d];
        if (s->kind == IX_STMT_FOR &&
            c->k->variable[s->number].role == IX_VARIABLE_OUTER &&
            c->k->variable[s->number].part_of ==
                c->k->variable[f->points->number].part_of)
            f->strips = s;
    }
    return f->strips && (f->strips->step & (f->strips->step - 1)) == 0;
}

ix_refusal
ix_loop_prefetch(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ilex_context *ctx = u->ctx;
    ix_stmt *loop = ix_cursor_loop(c);
    fetching f = {.u = u,
                  .loop = loop,
                  .next = {.ctx = ctx, .became = ix_made_keep, .user = u}};
    (void)d;
    if (!find_strips(&f, c))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "there are no points of strips, a power of two of "
                         "them, in it");
    int64_t by = f.strips->step;
    ilex_array *bits[2] = {ix_scalar_index(ctx, loop->number),
                           ix_index_const(ctx, by - 1)};
    ilex_array *strip = ix_scalar_index(ctx, f.strips->number);
    ix_substitution_set(
        &f.next, ix_scalar_index(ctx, f.points->number),
        ix_scalar_op(ctx, IX_OP_BITWISE_AND, ILEX_I64, ILEX_I64, bits));
    ix_substitution_set(&f.next, strip, ix_index_offset(ctx, strip, by));
    ix_stmt_loads(u, loop->body, fetch_load, &f);
    ix_substitution_free(&f.next);
    *ix_stmt_end(&f.list) = loop->body;
    loop->body = f.list;
    return (ix_refusal){0};
}
