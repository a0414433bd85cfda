/* SPDX-License-Identifier: MIT
 *
 * lanes L N: N lanes take in what a loop does, by operators of which no order
 * changes a bit, element j lane j mod N; behind it they are folded.
 *
 *     for j in [lo, hi)             l[N] = 0
 *         a = a + x[j]              for w in [lo, m) step N
 *                                       for z in [0, N)
 *                                           l[z] = l[z] + x[w + z]
 *                                   for z in [0, hi - m)
 *                                       l[z] = l[z] + x[m + z]
 *                                   fold l into b
 *                                   a = a + b
 *
 * needs: a loop that does nothing else, and checks no index; gives: the same
 * results, as integers and truth values are exact. Those of floating-point
 * numbers have lanes where their definition says so (lower/lanes.c).
 */
#include "compiler/loop/loop.h"

/* Accumulators of a loop; lanes of each at most. */
enum { MOST_CELLS = 4, MOST_LANES = 64 };

typedef struct taking {
    ix_unit *u;
    ix_kernel *k;
    int64_t n;
    int ncells;
    const ix_stmt *update[MOST_CELLS];
    ilex_array *identity[MOST_CELLS];
    ix_stmt *lanes[MOST_CELLS];
    ilex_array *lane; /* index of the one that takes in an element */
    const char *why;  /* it is not done */
} taking;

/* ---- what the loop does ---- */

static ilex_array *
identity_of(ix_unit *u, ix_op op, ilex_dtype dtype)
{
    for (int r = 0; r < IX_NREDUCTIONS; r++)
        if (ix_reduction_op((ix_reduction)r) == op)
            return ix_scalar_const(
                u->ctx, dtype, ix_reduction_identity((ix_reduction)r, dtype));
    return NULL;
}

static bool
refuse(taking *x, const char *why)
{
    x->why = why;
    return false;
}

static bool
note_update(taking *x, const ix_stmt *s)
{
    const ix_stmt *cell = s->mem;
    if (!cell || s->buffer >= 0 || cell->scratch != IX_SCRATCH_CELL)
        return refuse(x, "it updates what is no accumulator");
    if (!ix_dtype_is_exact(cell->dtype))
        return refuse(x, "the order of what it takes in changes bits");
    for (int i = 0; i < x->ncells; i++)
        if (x->update[i]->mem->number == cell->number)
            return refuse(x, "it updates an accumulator twice");
    if (x->ncells == MOST_CELLS)
        return refuse(x, "it has many accumulators");
    x->identity[x->ncells] = identity_of(x->u, s->op, cell->dtype);
    x->update[x->ncells++] = s;
    return x->identity[x->ncells - 1] ||
           refuse(x, "nothing begins with what leaves all as it is");
}

static bool
look_at(void *user, ix_stmt *s)
{
    taking *x = user;
    if (ix_stmt_has(s, IX_HAS_CHECK))
        return refuse(x, "an index is checked");
    if (s->kind == IX_STMT_UPDATE)
        return note_update(x, s);
    return s->kind == IX_STMT_LET || s->kind == IX_STMT_LOAD ||
           refuse(x, "it does more than take in elements");
}

/* ---- the same in lanes ---- */

static ix_stmt *
scratch(taking *x, char prefix, const ix_stmt *cell, ilex_array *first)
{
    ix_stmt *s = ix_stmt_new(x->u, IX_STMT_SCRATCH,
                             IX_OPERANDS({first != NULL, &first}));
    s->scratch = first ? IX_SCRATCH_CELL : IX_SCRATCH_ARRAY;
    s->extent = first ? 0 : x->n;
    s->prefix = prefix;
    s->number = x->k->nvalues++;
    s->dtype = cell->dtype;
    s->array = cell->array;
    return s;
}

static ix_stmt *
to_lane(void *user, ix_stmt *s)
{
    const taking *x = user;
    if (s->kind != IX_STMT_UPDATE)
        return s;
    int i = 0;
    while (x->update[i]->mem->number != s->mem->number)
        i++;
    ix_stmt *t =
        ix_stmt_update(x->u, s->op, ix_element_scratch(x->lanes[i], x->lane),
                       ix_update_value(s));
    t->array = s->array;
    return t;
}

/* A loop over lanes from 0 on, like another one's. */
static ix_stmt *
over_lanes(taking *x, const ix_stmt *loop, int part_of, int n,
           ilex_array *const *hi)
{
    ilex_array *zero = ix_index_const(x->u->ctx, 0);
    ix_stmt *s = ix_stmt_with(x->u, loop, IX_OPERANDS({1, &zero}, {n, hi}));
    s->number = ix_kernel_part(x->u, x->k, IX_VARIABLE_LANE, part_of);
    s->step = 1;
    s->parallel = true;
    s->next = NULL;
    x->lane = ix_scalar_index(x->u->ctx, s->number);
    return s;
}

/* The lanes take in what the loop does from "first" on. */
static ix_stmt *
take_in(taking *x, const ix_stmt *loop, int part_of, ilex_array *first)
{
    ilex_array *hi[IX_MOST_BOUNDS];
    int n = loop->n[IX_for_hi];
    for (int i = 0; i < n; i++)
        hi[i] = ix_index_fma(x->u->ctx, ix_operands(loop, IX_for_hi)[i], -1,
                             ix_for_lo(loop));
    ix_stmt *s = over_lanes(x, loop, part_of, n, hi);
    s->body = ix_stmt_rewrite(
        ix_loop_body_at(x->u, x->k, loop,
                        ix_index_fma(x->u->ctx, first, 1, x->lane)),
        to_lane, x);
    return s;
}

/* All lanes begin with what leaves an accumulator as it is. */
static ix_stmt *
begin(taking *x, const ix_stmt *loop, int part_of)
{
    ilex_array *n = ix_index_const(x->u->ctx, x->n);
    ix_stmt *first = NULL, **tail = &first;
    for (int i = 0; i < x->ncells; i++, tail = &(*tail)->next)
        *tail = x->lanes[i] = scratch(x, 'l', x->update[i]->mem, NULL);
    ix_stmt *s = over_lanes(x, loop, part_of, 1, &n);
    s->optional = s->rest = false;
    *tail = s;
    for (int i = 0; i < x->ncells; i++) {
        ix_stmt *store = ix_stmt_store(
            x->u, ix_element_scratch(x->lanes[i], x->lane), x->identity[i]);
        store->array = s->array;
        store->next = s->body;
        s->body = store;
    }
    return first;
}

static ix_stmt *
fold(taking *x, int i)
{
    const ix_stmt *update = x->update[i];
    ix_stmt *cell = scratch(x, 'a', update->mem, x->identity[i]);
    ix_stmt *s = cell->next = ix_stmt_new(x->u, IX_STMT_FOLD, NULL);
    s->op = update->op;
    s->from = x->lanes[i];
    s->to = cell;
    s->array = update->array;
    s->next =
        ix_stmt_update(x->u, update->op, ix_element_scratch(update->mem, NULL),
                       ix_value_of(x->u, cell));
    s->next->array = update->array;
    return cell;
}

/* ---- */

static ix_refusal
look_at_loop(taking *x, const ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c);
    const ilex_array *length =
        ix_index_fma(x->u->ctx, ix_loop_end(x->u, loop, IX_for_hi), -1,
                     ix_loop_end(x->u, loop, IX_for_lo));
    if (!ix_loop_is_plain(loop) || loop->step != 1 || loop->down)
        x->why = IX_NOT_PLAIN;
    else if (x->n < 2 || x->n > MOST_LANES || x->n & (x->n - 1))
        x->why = "the number of lanes is no power of two from 2 to 64";
    else if (length->kind == IX_CONST && length->attr[0] < x->n)
        x->why = "there are more lanes than elements";
    else
        ix_stmt_each(loop->body, look_at, x);
    if (!x->why && !x->ncells)
        x->why = "it takes in nothing";
    return x->why ? ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s", x->why)
                  : (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* What is left behind whole strips, or NULL. */
static ix_stmt *
rest_of(const taking *x, const ix_stmt *strips, int variable)
{
    ix_stmt *s = strips->next;
    const ix_variable *v =
        s && s->kind == IX_STMT_FOR ? &x->k->variable[s->number] : NULL;
    return v && v->role == IX_VARIABLE_TAIL && v->part_of == variable ? s
                                                                      : NULL;
}

/* Puts a list behind what is there. */
static void
append(ix_stmt ***tail, ix_stmt *list)
{
    **tail = list;
    *tail = ix_stmt_end(*tail);
}

/* Rounds of lanes are strips; lanes from the first one on take in the rest. */
ix_refusal
ix_loop_lanes(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    taking x = {.u = u, .k = c->k, .n = d->n};
    const ix_directive split = {.n = d->n, .words = IX_REST_PEEL};
    const int variable = ix_cursor_loop(c)->number;
    ix_stmt **at = c->at, **tail = at;
    ix_cursor in = *c;
    ix_refusal r = look_at_loop(&x, c);
    if (r.class == IX_REFUSAL_NONE)
        r = ix_loop_split(u, &split, &in);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_stmt *rounds = *at, *rest = rest_of(&x, rounds, variable);
    ix_stmt *after = rest ? rest->next : rounds->next;
    append(&tail, begin(&x, rounds->body, variable));
    rounds->body =
        take_in(&x, rounds->body, variable, ix_index_const(u->ctx, 0));
    rounds->next = NULL;
    c->at = tail;
    append(&tail, rounds);
    if (rest)
        append(&tail, take_in(&x, rest, variable, ix_for_lo(rest)));
    for (int i = 0; i < x.ncells; i++)
        append(&tail, fold(&x, i));
    *tail = after;
    return r;
}
