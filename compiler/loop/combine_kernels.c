/* SPDX-License-Identifier: MIT
 *
 * combine K L N: parts of a reduction, which loop L of K combines pairwise, are
 * combined N at a time by a kernel before K, whose loop threads divide; K
 * combines what that gives:
 *
 *     kernel k1                     kernel k1
 *         for q in [0, n)               for i in [0, ceil(n/N))
 *             p[ones(q)] = T[q]             for q in [0, min(N, n - N*i))
 *             ...                               p[ones(q)] = T[q + N*i]
 *         s = a                                 ...
 *                                           B[i] = a
 *                                   kernel k2
 *                                       for q in [0, ceil(n/N))
 *                                           p[ones(q)] = B[q]
 *                                           ...
 *                                       s = a
 *
 * N is a power of two, so N parts are a slot of the stack, and those that are
 * left at the end are what is combined last: the same pairs in the same order.
 *
 * needs: a kernel that `fission` left behind, where one value is stored.
 */
#include "compiler/loop/loop.h"

typedef struct combining {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    ilex_array *n;          /* how many parts there are */
    const ilex_array *load; /* of one */
    const ix_stmt *store;   /* of what they give */
    int buffer;             /* for what blocks of N give */
    int64_t block;
    ilex_array *from; /* the first part of a block; NULL: of all */
} combining;

/* ---- what it is ---- */

/* Every load is of the same part. */
static bool
note_load(void *user, const ilex_array *load)
{
    combining *x = user;
    const ilex_array *at = load->nops == 1 ? load->ops[0] : NULL;
    bool is_part = at && at->kind == IX_INDEX &&
                   at->attr[0] == x->loop->number &&
                   (!x->load || x->load == load) &&
                   x->u->buffer[load->attr[0]].role == IX_ROLE_TEMP;
    x->load = load;
    return is_part;
}

/* The only statement about a buffer stores a value. */
static bool
note_store(void *user, ix_stmt *s)
{
    combining *x = user;
    if (s->buffer < 0)
        return true;
    bool first = !x->store && ix_stmt_is_output(s) && !s->next;
    x->store = s;
    return first;
}

typedef struct search {
    ix_kind kind;
    ilex_array *found;
    bool several;
} search;

static ix_walk_step
note_found(ix_walk *w, ilex_array *x, size_t *value)
{
    search *s = w->user;
    (void)value;
    if (x->kind == s->kind) {
        s->several |= s->found && s->found != x;
        s->found = x;
    }
    return IX_WALK_IN;
}

/* The only node of a kind in what is stored, or NULL. */
static ilex_array *
only_one(ix_unit *u, const ix_stmt *store, ix_kind kind)
{
    search s = {kind, NULL, false};
    ix_walk w = {
        .ctx = u->ctx, .mem = &u->mem, .enter = note_found, .user = &s};
    ix_walk_body(&w, ix_store_value(store), NULL);
    ix_walk_free(&w);
    return s.several ? NULL : s.found;
}

static bool
look(combining *x, const ix_cursor *c)
{
    ix_unit *u = x->u;
    const ix_stmt *s = x->loop = ix_cursor_loop(c);
    x->n = ix_for_hi(s);
    if (c->depth > 0 || x->k->box->rank > 0 || s->step != 1 ||
        x->k->variable[s->number].role != IX_VARIABLE_CHUNK ||
        s->n[IX_for_lo] + s->n[IX_for_hi] > 2 ||
        !ix_index_is_zero(ix_for_lo(s)) || !ix_index_is_quotient(x->n) ||
        !ix_stmt_loads(u, x->k->body, note_load, x) || !x->load ||
        !ix_stmt_each(x->k->body, note_store, x) || !x->store)
        return false;
    const ilex_array *v = only_one(u, x->store, IX_VALUE);
    return v && v->dtype == x->load->dtype &&
           only_one(u, x->k->nests, IX_REDUCE);
}

/* ---- the kernels ---- */

/* A part of a block, or what a block gives. */
static ilex_array *
read_other(void *user, ilex_array *load, ilex_array *const *index)
{
    const combining *x = user;
    ilex_context *ctx = x->u->ctx;
    ilex_dtype dtype = (ilex_dtype)load->dtype;
    if (!x->from)
        return ix_scalar_load(ctx, dtype, x->buffer, 1, index);
    ilex_array *at = ix_index_fma(ctx, index[0], 1, x->from);
    return ix_scalar_load(ctx, dtype, (int)load->attr[0], 1, &at);
}

/* The statements with another number of parts, or another reduction, in place
 * of "what"; what they read they find elsewhere. */
static ix_stmt *
over(combining *x, const ix_stmt *list, const ilex_array *what,
     ilex_array *other)
{
    ix_substitution s = {
        .ctx = x->u->ctx, .mem = &x->u->mem, .load = read_other, .user = x};
    ix_substitution_set(&s, what, other);
    ix_stmt *made = ix_stmt_substitute(x->u, &s, list);
    ix_substitution_free(&s);
    return made;
}

/* The kernel of blocks. */
static ix_kernel *
kernel_of_blocks(combining *x, const ix_domain *box)
{
    ix_unit *u = x->u;
    ilex_context *ctx = u->ctx;
    ix_kernel *k = ix_unit_kernel(u, box, x->k->when);
    ilex_array *i = ix_scalar_index(ctx, 0);
    x->from = ix_index_fma(ctx, ix_index_const(ctx, 0), x->block, i);
    ilex_array *left = ix_index_fma(ctx, x->n, -1, x->from);
    ix_stmt *list =
        over(x, ix_kernel_adopt(u, k, x->k), x->n,
             ix_index_min(ctx, left, ix_index_const(ctx, x->block)));
    ix_stmt **at = &list;
    while ((*at)->next)
        at = &(*at)->next;
    ix_element to = ix_element_of(x->buffer, 1, &i);
    const ilex_array *array = (*at)->array;
    *at = ix_stmt_store(u, to, only_one(u, *at, IX_VALUE));
    (*at)->array = array;
    k->body = ix_stmt_for(u, 0, ix_index_lin(ctx, box->ax->lo),
                          ix_index_lin(ctx, box->ax->hi));
    k->body->parallel = true;
    k->body->optional = false;
    k->body->array = array;
    k->body->body = list;
    k->nests = ix_stmt_store(u, to, read_other(x, (ilex_array *)x->load, &i));
    k->nests->array = array;
    k->directed = true;
    x->from = NULL;
    return k;
}

ix_refusal
ix_kernels_combine(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    combining x = {.u = u, .k = *k, .block = d->n};
    ix_kernel *rest = ix_arena_new(&u->arena, sizeof *rest);
    ix_cursor c;
    ix_refusal r = ix_cursor_find(u, *k, d->loop[1], &c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (d->n < 2 || (d->n & (d->n - 1)))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the number is no power of two from 2 on");
    if (!look(&x, &c))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it is no loop that combines parts of a reduction to "
                         "one value");
    const ix_domain *parts = u->buffer[x.load->attr[0]].box;
    ix_axis ax = {.lo = ix_lin_const(u->ctx, 0),
                  .hi = ix_chunk_count(u->ctx, parts->ax, (int)d->n)};
    if (!ax.hi)
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "there may be fewer parts for larger sizes");
    const ix_domain *box = ix_domain_new(u->ctx, 1, &ax);
    x.buffer = ix_unit_temporary(u, box, (ilex_dtype)x.load->dtype);
    ix_kernel *blocks = kernel_of_blocks(&x, box);
    ilex_array *all = ix_index_offset(u->ctx, x.n, d->n - 1);
    *rest = **k;
    ilex_array *sum = only_one(u, rest->nests, IX_REDUCE);
    rest->body =
        over(&x, rest->body, x.n, ix_index_floordiv(u->ctx, all, d->n));
    rest->nests = over(&x, rest->nests, sum,
                       ix_reduction_of_parts(u, sum, box, x.buffer));
    rest->directed = true;
    blocks->next = rest;
    **k = *blocks;
    ix_unit_number(u);
    return r;
}
