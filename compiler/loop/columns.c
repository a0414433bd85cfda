/* SPDX-License-Identifier: MIT
 *
 * Pass columns: interleaves independent recurrences, points of a free axis side
 * by side in the levels of a scan, and shrinks temporaries that one iteration
 * alone writes and reads to storage of the thread.
 *
 * A column of levels is a chain in which each operation waits for the one
 * before. Where levels are the last axis, the loop around them is cut into
 * strips of a few columns, which a vector unit takes together:
 *
 *     for h3 in [0, m) step 4
 *         w0 = min(4, m - h3)
 *         if w0 == 4
 *             for i2 in [0, n)
 *                 for z4 in [0, 4)
 *                     b7[i2, z4] = ... b7[i2 - 1, z4] ...
 *         else
 *             for i1 in [h3, h3 + w0)
 *                 for i2 in [0, n)
 *                     b7[i2, 0] = ...
 *
 * Columns are apart in memory, which prefetchers do not follow: level l asks
 * for what column l mod 4 of the next strip reads at that level. So each line
 * is asked for, and no line twice at once.
 *
 * needs: nests of scans, fused; gives: the same; breaks: that a temporary has
 * the axes of its nests. Not for GPUs, where each column has a thread.
 */
#include "compiler/lower/recurrence.h"

/* A strip has points of a vector, and so many at most: more lines would meet in
 * the same sets of a cache where columns are a power of two apart. A sum alone,
 * which costs 1, is done before the elements of some columns are brought
 * together. */
enum { MOST_POINTS = 8, SHORT_CHAIN = 1 };

typedef struct columns {
    ix_unit *u;
    ix_kernel *k;
    int axis;       /* of the levels */
    int side;       /* free axis of which points stand side by side; -1: none */
    int64_t points; /* of a strip */
    ilex_array *first, *point; /* variables: the first point of a strip, which
                                  of its points */
    ilex_array *lane;          /* of the point that statements are made for */
    uint32_t outer;            /* axes that memory of a thread is without */
} columns;

/* ---- memory of a thread ---- */

/* The element at "index" of a thread's memory; how many indices it has. */
static int
own_index(const columns *c, ilex_array *const *index, ilex_array **own)
{
    int n = 0;
    for (int a = 0; a < c->k->box->rank; a++)
        if (!(c->outer >> a & 1))
            own[n++] = index[a];
    if (c->side >= 0)
        own[n++] = c->lane;
    return n;
}

static ilex_array *
load_own(void *user, ilex_array *load, ilex_array *const *index)
{
    const columns *c = user;
    const ix_buffer *b = &c->u->buffer[load->attr[0]];
    ilex_array *own[ILEX_MAX_RANK];
    if (!b->all)
        return NULL;
    int n = own_index(c, index, own);
    return ix_scalar_load(c->u->ctx, b->dtype, (int)load->attr[0], n, own);
}

/* Stores into a thread's memory have its indices. */
static void
store_own(const columns *c, ix_stmt **list)
{
    for (; *list; list = &(*list)->next) {
        ix_stmt *s = *list;
        ilex_array *own[ILEX_MAX_RANK];
        store_own(c, &s->body);
        if (s->kind != IX_STMT_STORE || !c->u->buffer[s->buffer].all)
            continue;
        int n = own_index(c, ix_operands(s, IX_INDICES), own);
        *list = ix_stmt_with_group(c->u, s, IX_INDICES, n, own);
        (*list)->next = s->next;
    }
}

/* The statements for a point of a strip, or for that of the side's variable. */
static ix_stmt *
made_for(columns *c, const ix_stmt *list, bool strip)
{
    ilex_array *index[ILEX_MAX_RANK];
    ilex_context *ctx = c->u->ctx;
    for (int a = 0; a < c->k->box->rank; a++)
        index[a] = ix_scalar_index(ctx, a);
    if (strip)
        index[c->side] = ix_index_fma(ctx, c->first, 1, c->point);
    c->lane = strip ? c->point : ix_index_const(ctx, 0);
    ix_substitution s = {.ctx = ctx,
                         .index = index,
                         .nindex = c->k->box->rank,
                         .load = load_own,
                         .became = ix_origin_keep,
                         .user = c,
                         .listener = c->u};
    ix_stmt *made = ix_stmt_substitute(c->u, &s, list);
    ix_substitution_free(&s);
    store_own(c, &made);
    return made;
}

/* The box of what a thread has of a temporary with this one. */
static const ix_domain *
own_box(const columns *c, const ix_domain *all)
{
    ilex_context *ctx = c->u->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    for (int a = 0; a < all->rank; a++)
        if (!(c->outer >> a & 1))
            ax[n++] = all->ax[a];
    if (c->side >= 0)
        ax[n++] = (ix_axis){.name = all->ax[c->side].name,
                            .lo = ix_lin_const(ctx, 0),
                            .hi = ix_lin_const(ctx, c->points)};
    return ix_domain_new(ctx, n, ax);
}

/* Temporaries that this kernel alone uses, at one point after the other: what
 * others wrote is read at the point that is computed alone. */
static bool
note_own(void *user, ix_stmt *s)
{
    columns *c = user;
    ix_buffer *b = s->kind == IX_STMT_STORE ? &c->u->buffer[s->buffer] : NULL;
    if (b && b->local && !b->all) {
        b->all = b->box;
        b->box = own_box(c, b->all);
    }
    return true;
}

/* ---- asking for what will be read ---- */

typedef struct fetching {
    columns *c;
    ix_stmt *list;
    ix_substitution next; /* the point of the next strip to ask for */
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

/* Asks for an element that is read in every column at every level, once for
 * those that are near. */
static bool
fetch_load(void *user, const ilex_array *load)
{
    fetching *f = user;
    columns *c = f->c;
    ilex_context *ctx = c->u->ctx;
    ilex_array *index[ILEX_MAX_RANK] = {NULL};
    bool side = false, level = false;
    if (ix_buffer_is_written(&c->u->buffer[load->attr[0]]))
        return true;
    for (int a = 0; a < load->nops; a++) {
        index[a] = load->ops[a];
        if (!ix_index_is_affine(index[a]))
            return true;
        side |= moves_with(ctx, &index[a], c->side);
        level |= moves_with(ctx, &index[a], c->axis);
        index[a] = ix_substitute(&f->next, index[a]);
    }
    ix_element e = ix_element_of((int)load->attr[0], load->nops, index);
    if (!side || !level || is_asked_for(f, &e))
        return true;
    ix_stmt *s = ix_stmt_at(c->u, IX_STMT_FETCH, e, NULL);
    s->next = f->list;
    f->list = s;
    return true;
}

/* Statements that ask for what the next strip reads in this loop. */
static ix_stmt *
fetches(columns *c, ix_stmt *stores)
{
    ilex_context *ctx = c->u->ctx;
    ilex_array *point[ILEX_MAX_RANK];
    ilex_array *l = ix_scalar_index(ctx, c->axis);
    for (int a = 0; a < c->k->box->rank; a++)
        point[a] = ix_scalar_index(ctx, a);
    ilex_array *bits[2] = {l, ix_index_const(ctx, c->points - 1)};
    ilex_array *mod =
        ix_scalar_op(ctx, IX_OP_BITWISE_AND, ILEX_I64, ILEX_I64, bits);
    point[c->side] =
        ix_index_fma(ctx, ix_index_offset(ctx, c->first, c->points), 1, mod);
    fetching f = {.c = c,
                  .next = {.ctx = ctx,
                           .index = point,
                           .nindex = c->k->box->rank,
                           .became = ix_made_keep,
                           .user = c->u}};
    ix_stmt_loads(c->u, stores, fetch_load, &f);
    ix_substitution_free(&f.next);
    return f.list;
}

/* ---- strips ---- */

/* Puts statements where a list ends; where it ends then. */
static ix_stmt **
append(ix_stmt **tail, ix_stmt *list)
{
    for (*tail = list; *tail; tail = &(*tail)->next)
        ;
    return tail;
}

static ix_stmt *
loop_of_points(columns *c, ilex_array *width, ix_stmt *body)
{
    ilex_context *ctx = c->u->ctx;
    ix_stmt *loop = ix_stmt_for(c->u, (int)c->point->attr[0],
                                ix_index_const(ctx, 0), width);
    loop->parallel = true;
    loop->optional = false;
    loop->body = body;
    return loop;
}

/* The loops over the levels, each with the points of a full strip inside. What
 * is no scan goes along each column. */
static ix_stmt *
levels_of_strip(columns *c, const ix_stmt *levels, ilex_array *width)
{
    ix_stmt *list = NULL, **tail = &list;
    for (; levels; levels = levels->next) {
        ix_stmt *loop = ix_stmt_copy(c->u, levels);
        ix_stmt *made = made_for(c, levels->body, true);
        if (levels->parallel) {
            loop->body = made;
            loop = loop_of_points(c, width, loop);
        } else {
            ix_stmt **end = append(&loop->body, fetches(c, levels->body));
            append(end, loop_of_points(c, width, made));
        }
        tail = append(tail, loop);
    }
    return list;
}

/* w = min(points, hi - first), as a statement. */
static ix_stmt *
width_of(columns *c, const ix_stmt *side)
{
    ilex_context *ctx = c->u->ctx;
    ilex_array *w = ix_index_const(ctx, c->points);
    for (int i = 0; i < side->n[IX_for_hi]; i++)
        w = ix_index_min(
            ctx,
            ix_index_fma(ctx, ix_operands(side, IX_for_hi)[i], -1, c->first),
            w);
    ix_stmt *let = ix_stmt_new(c->u, IX_STMT_LET, IX_OPERANDS({1, &w}));
    let->prefix = 'w';
    let->number = c->k->nvalues++;
    let->dtype = ILEX_I64;
    return let;
}

/* The loop over the side once more, for a strip that is not full. */
static ix_stmt *
one_by_one(columns *c, const ix_stmt *side, ilex_array *width)
{
    ilex_array *end = ix_index_fma(c->u->ctx, c->first, 1, width);
    ix_stmt *loop = ix_stmt_for(c->u, side->number, c->first, end);
    loop->parallel = true;
    loop->optional = false;
    loop->body = made_for(c, side->body, false);
    return loop;
}

/* The loop over the side, with its levels, in strips. */
static ix_stmt *
strips(columns *c, const ix_stmt *side)
{
    ilex_context *ctx = c->u->ctx;
    ix_stmt *loop = ix_stmt_copy(c->u, side), *w = width_of(c, side);
    ilex_array *full[2] = {ix_value_of(c->u, w),
                           ix_index_const(ctx, c->points)};
    ilex_array *is_full =
        ix_scalar_op(ctx, IX_OP_EQUAL, ILEX_I64, ILEX_BOOL, full);
    ix_stmt *branch = ix_stmt_new(c->u, IX_STMT_IF, IX_OPERANDS({1, &is_full}));
    loop->number = (int)c->first->attr[0];
    loop->step = c->points;
    loop->body = w;
    w->next = branch;
    branch->body = levels_of_strip(c, side->body, full[1]);
    branch->other = one_by_one(c, side, full[0]);
    return loop;
}

/* Loops with that over the side in strips. */
static ix_stmt *
in_strips(columns *c, const ix_stmt *list)
{
    ix_stmt *made = NULL, **tail = &made;
    for (; list; list = list->next) {
        ix_stmt *loop;
        if (list->number == c->side) {
            loop = strips(c, list);
        } else {
            loop = ix_stmt_copy(c->u, list);
            loop->body = in_strips(c, list->body);
        }
        tail = append(tail, loop);
    }
    return made;
}

/* ---- which ---- */

/* Is it a load from the level before? */
static bool
is_carried(const columns *c, const ilex_array *x)
{
    return x->kind == IX_LOAD && ix_recurrence_writes(c->k, x->attr[0]) &&
           (x->ops[c->axis]->kind != IX_INDEX ||
            x->ops[c->axis]->attr[0] != c->axis);
}

/* How much an expression computes, one operation after the other, from what
 * the level before has; 0: nothing. */
static ix_walk_step
enter_chain(ix_walk *w, ilex_array *x, size_t *cost)
{
    const columns *const *c = w->user;
    *cost = is_carried(*c, x);
    return x->kind == IX_LOAD ? IX_WALK_OVER : IX_WALK_IN;
}

static bool
leave_chain(ix_walk *w, ilex_array *x, const size_t *operand, size_t *cost)
{
    (void)w;
    for (int i = 0; i < x->nops; i++)
        *cost = operand[i] > *cost ? operand[i] : *cost;
    if (*cost && x->kind == IX_OP)
        *cost += (size_t)ix_op_info_of(ix_op_of(x))->cost;
    return true;
}

/* A level takes as long as its chain, if that is longer than bringing the
 * operands of some columns together. */
static bool
is_long(const columns *c)
{
    ix_mem mem = ix_arena_mem(&c->u->arena);
    ix_walk w = {.ctx = c->u->ctx,
                 .mem = &mem,
                 .within = IX_HAS_LOAD,
                 .enter = enter_chain,
                 .leave = leave_chain,
                 .user = &c};
    size_t most = 0;
    for (ix_stmt *nest = c->k->nests; nest; nest = nest->next)
        for (ix_stmt *s = ix_nest_body(nest); s; s = s->next) {
            size_t cost = 0;
            ix_walk_body(&w, ix_store_value(s), &cost);
            most = cost > most ? cost : most;
        }
    ix_walk_free(&w);
    return most > 1 + SHORT_CHAIN;
}

static bool
suits(const columns *c)
{
    int rank = c->k->box->rank;
    if (c->axis != rank - 1 || rank < 2 || ix_kernel_has(c->k, IX_HAS_CHECK))
        return false;
    for (ix_stmt *nest = c->k->nests; nest; nest = nest->next)
        if (!ix_nest_is_rectangular(nest, rank))
            return false;
    return 2 * ix_measure_kernel(c->u, c->k) <= IX_FUNCTION && is_long(c);
}

/* Points of a strip, a power of two. */
static int64_t
points_of(const columns *c)
{
    const ix_stmt *store = ix_nest_body(c->k->nests);
    size_t bytes = ilex_dtype_bytes(c->u->buffer[store->buffer].dtype);
    int64_t points = c->u->target->vector_bytes / (int64_t)bytes;
    return points > MOST_POINTS ? MOST_POINTS : points;
}

static void
set_out(ix_unit *u, ix_kernel *k)
{
    columns c = {.u = u, .k = k, .axis = k->levels.axis, .side = -1};
    if (suits(&c)) {
        c.side = c.axis - 1;
        c.points = points_of(&c);
        c.first = ix_scalar_index(u->ctx,
                                  ix_kernel_variable(u, k, IX_VARIABLE_STRIPS));
        c.point = ix_scalar_index(u->ctx,
                                  ix_kernel_variable(u, k, IX_VARIABLE_COLUMN));
    }
    if (ix_recurrence_is_one(k->nests, NULL, c.axis))
        c.outer = ix_recurrence_outer(&k->levels, k->box->rank);
    if (c.outer)
        ix_stmt_each(k->body, note_own, &c);
    if (c.side >= 0)
        k->body = in_strips(&c, k->body);
    else if (c.outer)
        k->body = made_for(&c, k->body, false);
    u->changed |= c.side >= 0 || c.outer;
}

bool
ix_pass_columns(ix_unit *u)
{
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].all) { /* as it is for another target */
            u->buffer[i].box = u->buffer[i].all;
            u->buffer[i].all = NULL;
        }
    for (ix_kernel *k = u->kernels; k && !u->reference && !u->target->grid;
         k = k->next)
        if (ix_kernel_has_levels(k))
            set_out(u, k);
    return u->ctx->error.code == ILEX_OK;
}
