/* SPDX-License-Identifier: MIT
 *
 * shrink T at L: a temporary of which each iteration of L reads only what it
 * wrote becomes memory of one iteration: the axes that the loops up to L run
 * along go, and each part of a run has one of its own.
 *
 *     for i in [0, n)                for i in [0, n)
 *         for k in [0, m)                for k in [0, m)
 *             T[i, k] = ...                  T[k] = ...
 *         for k in [0, m)                for k in [0, m)
 *             y[i, k] = T[i, k]              y[i, k] = T[k]
 */
#include "compiler/loop/loop.h"

#include <stdlib.h>

typedef struct shrinking {
    ix_unit *u;
    int buffer;
    const ix_cursor *at;
    uint32_t gone; /* axes that loops up to L run along, a bit each */
} shrinking;

/* ---- may it? ---- */

/* Axes of an access whose index is the variable of a loop up to L. */
static uint32_t
axes_along(const shrinking *x, int rank, ilex_array *const *index)
{
    uint32_t axes = 0;
    for (int d = 0; d <= x->at->depth; d++) {
        const ix_stmt *loop =
            d == x->at->depth ? ix_cursor_loop(x->at) : x->at->around[d];
        for (int a = 0; a < rank && loop->kind == IX_STMT_FOR; a++)
            if (index[a] == ix_scalar_index(x->u->ctx, loop->number))
                axes |= UINT32_C(1) << a;
    }
    return axes;
}

static bool
narrow_load(void *user, const ilex_array *load)
{
    shrinking *x = user;
    if (load->attr[0] == x->buffer)
        x->gone &= axes_along(x, load->nops, load->ops);
    return true;
}

static bool
narrow_store(void *user, ix_stmt *s)
{
    shrinking *x = user;
    if (s->buffer == x->buffer)
        x->gone &= axes_along(x, s->n[IX_INDICES], ix_operands(s, IX_INDICES));
    return true;
}

/* How many accesses of the buffer there are in a list. */
typedef struct count {
    int buffer, n;
} count;

static bool
count_load(void *user, const ilex_array *load)
{
    count *c = user;
    c->n += load->attr[0] == c->buffer;
    return true;
}

static bool
count_store(void *user, ix_stmt *s)
{
    count *c = user;
    c->n += s->buffer == c->buffer;
    return true;
}

/* Is the buffer used outside of the loop? */
static bool
used_outside(const shrinking *x)
{
    ix_stmt *loop = ix_cursor_loop(x->at), *body = loop->body;
    count c = {x->buffer, 0};
    loop->body = NULL;
    ix_stmt_loads(x->u, x->at->k->body, count_load, &c);
    ix_stmt_each(x->at->k->body, count_store, &c);
    loop->body = body;
    return c.n > 0;
}

/* How many variables loops up to L run over, each of which an axis must go
 * with; loops over parts of one are of that one. */
static int
variables_around(const ix_cursor *c)
{
    int n = 0, whole[IX_DEEP + 1];
    for (int d = 0; d <= c->depth; d++) {
        const ix_stmt *s = d < c->depth ? c->around[d] : ix_cursor_loop(c);
        int known = 0;
        if (s->kind != IX_STMT_FOR)
            continue;
        whole[n] = ix_variable_root(c->k, s->number);
        while (whole[known] != whole[n])
            known++;
        n += known == n;
    }
    return n;
}

static int
bits(uint32_t set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* ---- accesses ---- */

static int
kept(const shrinking *x, int rank, ilex_array *const *index, ilex_array **now)
{
    int n = 0;
    for (int a = 0; a < rank; a++)
        if (!(x->gone >> a & 1))
            now[n++] = index[a];
    return n;
}

static ilex_array *
smaller_load(void *user, ilex_array *load, ilex_array *const *index)
{
    const shrinking *x = user;
    ilex_array *now[ILEX_MAX_RANK];
    if (load->attr[0] != x->buffer)
        return NULL;
    int n = kept(x, load->nops, index, now);
    return ix_scalar_load(x->u->ctx, (ilex_dtype)load->dtype, x->buffer, n,
                          now);
}

static ix_stmt *
smaller_store(void *user, ix_stmt *s)
{
    const shrinking *x = user;
    ilex_array *now[ILEX_MAX_RANK];
    if (s->buffer != x->buffer)
        return s;
    int n = kept(x, s->n[IX_INDICES], ix_operands(s, IX_INDICES), now);
    return ix_stmt_with_group(x->u, s, IX_INDICES, n, now);
}

/* The box without the axes that go. */
static const ix_domain *
smaller_box(const shrinking *x, const ix_domain *box)
{
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    for (int a = 0; a < box->rank; a++)
        if (!(x->gone >> a & 1))
            ax[n++] = box->ax[a];
    return ix_domain_new(x->u->ctx, n, ax);
}

/* "b7" */
static int
buffer_called(const ix_unit *u, const char *name)
{
    char *end;
    long n = name[0] == 'b' ? strtol(name + 1, &end, 10) : -1;
    return n >= 0 && !*end && (size_t)n < u->nbuffers ? (int)n : -1;
}

static ix_refusal
look_at(shrinking *x, const char *name)
{
    ix_stmt *loop = ix_cursor_loop(x->at);
    const ix_buffer *b = x->buffer < 0 ? NULL : &x->u->buffer[x->buffer];
    if (!b || !b->local || b->own)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "%s is no temporary of this kernel alone", name);
    if (x->u->target->grid)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "there is no memory of one thread");
    if (used_outside(x))
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         "%s is used outside of the loop", name);
    x->gone = UINT32_MAX;
    ix_stmt_loads(x->u, loop->body, narrow_load, x);
    ix_stmt_each(loop->body, narrow_store, x);
    if (b->box->rank == 0 || bits(x->gone) != variables_around(x->at))
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         "%s is used at other points than that of the loops",
                         name);
    return (ix_refusal){0};
}

bool
ix_loop_has_temporary(const ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].own == k &&
            ix_is_part_of(k, loop->number, u->buffer[i].within))
            return true;
    return false;
}

ix_refusal
ix_loop_shrink(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    shrinking x = {.u = u, .buffer = buffer_called(u, d->name), .at = c};
    ix_refusal refusal = look_at(&x, d->name);
    if (refusal.class != IX_REFUSAL_NONE)
        return refusal;
    ix_buffer *b = &u->buffer[x.buffer];
    b->interior = b->box = smaller_box(&x, b->box);
    b->own = c->k;
    b->within = ix_cursor_loop(c)->number;
    ix_stmt *loop = ix_cursor_loop(c);
    ix_substitution s = {.ctx = u->ctx,
                         .load = smaller_load,
                         .became = ix_origin_keep,
                         .user = &x,
                         .listener = u};
    loop->body = ix_stmt_rewrite(ix_stmt_substitute(u, &s, loop->body),
                                 smaller_store, &x);
    ix_substitution_free(&s);
    return (ix_refusal){0};
}
