/* SPDX-License-Identifier: MIT
 *
 * expand L: elementary functions of what L stores, and quotients and roots that
 * several of them use, have loops of their own, which keep their values in rows
 * of scratch memory (scalar expansion):
 *
 *     for v in [0, 64)              for v in [0, 64)
 *         b[v] = x[v] -                 d0[v] = exp(x[v])
 *             log(1 + exp(x[v]))    for v in [0, 64)
 *                                       d1[v] = log(1 + d0[v])
 *                                   for v in [0, 64)
 *                                       b[v] = x[v] - d1[v]
 *
 * A processor looks ahead over some hundred operations: those of functions that
 * follow each other are one after the other, in loops of one function there are
 * several iterations among them.
 *
 * needs: a constant number of iterations, which do nothing but store, and read
 * nothing that the loop stores; gives: the same stores in the same order.
 */
#include "compiler/loop/distances.h"

enum {
    MOST_ROWS = 32,
    MOST_BYTES = 16 << 10, /* of rows */
    DEAR = 6               /* additions that a value is worth that is kept */
};

typedef struct expansion {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    ilex_array **node; /* of what is stored, operands first */
    size_t n, capacity;
    uint64_t *users; /* by node: rows whose values need it, those before others;
                        the highest bit: what is stored */
    ilex_array *row[MOST_ROWS]; /* last ones first */
    int rows;
} expansion;

/* ---- which values ---- */

static bool
note_node(ix_walk *w, ilex_array *x, const size_t *operand, size_t *value)
{
    expansion *e = w->user;
    (void)operand;
    ix_arena_grow(&e->u->arena, &e->node, &e->capacity, e->n + 1,
                  sizeof *e->node);
    *value = e->n + 1;
    e->node[e->n++] = x;
    return true;
}

static bool
is_real(const ilex_array *x)
{
    return x->kind == IX_OP && !ix_dtype_is_complex(ix_loop_of(x)) &&
           (x->dtype == ILEX_F32 || x->dtype == ILEX_F64);
}

static bool
is_function(const ilex_array *x)
{
    return is_real(x) && ix_op_info_of(ix_op_of(x))->ulp >= IX_ULP_ELEMENTARY;
}

/* Is it worth a row, for such users? */
static bool
is_kept(const expansion *e, size_t i, uint64_t stored)
{
    const ilex_array *x = e->node[i];
    uint64_t users = e->users[i];
    bool several = (users & (users - 1)) != 0;
    return is_real(x) && (!stored || several) &&
           (is_function(x) ||
            (several && ix_op_cost(ix_op_of(x), ix_loop_of(x)) >= DEAR));
}

static size_t
position(const ix_walk *w, const ilex_array *x)
{
    const size_t *at = ix_map_find(&w->own, x);
    return at ? *at - 1 : SIZE_MAX;
}

/* Users first, so that those of a node are known when it is looked at. */
static void
choose(expansion *e, const ix_walk *w, const uint64_t *stored)
{
    for (size_t i = e->n; i-- > 0 && e->rows < MOST_ROWS;) {
        uint64_t users = e->users[i];
        if (is_kept(e, i, stored[i])) {
            users = (uint64_t)1 << e->rows;
            e->row[e->rows++] = e->node[i];
        }
        for (int o = 0; o < e->node[i]->nops; o++) {
            size_t at = position(w, e->node[i]->ops[o]);
            if (at != SIZE_MAX)
                e->users[at] |= users;
        }
    }
}

/* How many functions follow each other up to a node, of operands likewise. */
static int
follow(const expansion *e, const ix_walk *w, size_t i, const int *operands)
{
    int n = 0;
    for (int o = 0; o < e->node[i]->nops; o++) {
        size_t at = position(w, e->node[i]->ops[o]);
        if (at != SIZE_MAX && operands[at] > n)
            n = operands[at];
    }
    return n + is_function(e->node[i]);
}

/* Finds them; how many functions follow each other at most. */
static int
find_rows(expansion *e)
{
    int most = 0;
    ix_walk w = {
        .ctx = e->u->ctx, .mem = &e->u->mem, .leave = note_node, .user = e};
    for (const ix_stmt *s = e->loop->body; s; s = s->next)
        ix_walk_body(&w, ix_store_value(s), NULL);
    e->users = ix_arena_new(&e->u->arena, (e->n + 1) * sizeof *e->users);
    uint64_t *stored = ix_arena_new(&e->u->arena, (e->n + 1) * sizeof *stored);
    for (const ix_stmt *s = e->loop->body; s; s = s->next) {
        size_t at = position(&w, ix_store_value(s));
        if (at != SIZE_MAX)
            e->users[at] = stored[at] = (uint64_t)1 << 63;
    }
    int *length = ix_arena_new(&e->u->arena, (e->n + 1) * sizeof *length);
    for (size_t i = 0; i < e->n; i++) {
        length[i] = follow(e, &w, i, length);
        most = length[i] > most ? length[i] : most;
    }
    choose(e, &w, stored);
    ix_walk_free(&w);
    return most;
}

/* ---- the loops ---- */

/* Memory for the i-th row. */
static ix_stmt *
make_row(expansion *e, int i, int64_t length)
{
    ix_stmt *s = ix_stmt_new(e->u, IX_STMT_SCRATCH, NULL);
    s->scratch = IX_SCRATCH_ARRAY;
    s->prefix = 'd';
    s->number = e->k->nvalues++;
    s->dtype = (ilex_dtype)e->row[i]->dtype;
    s->extent = length;
    s->array = e->loop->body->array;
    return s;
}

/* What an iteration loads of a row. */
static ix_stmt *
load_of(expansion *e, ix_stmt *row, ilex_array *index)
{
    ix_stmt *s =
        ix_stmt_at(e->u, IX_STMT_LOAD, ix_element_scratch(row, index), NULL);
    s->prefix = 't';
    s->number = e->k->nvalues++;
    s->dtype = row->dtype;
    s->array = row->array;
    return s;
}

/* The loop around statements, behind loads of what they use of rows from "i"
 * on. */
static ix_stmt *
loop_of(expansion *e, ix_stmt *list, ix_stmt *const *load, int i)
{
    ix_stmt *loop = ix_stmt_copy(e->u, e->loop);
    bool *used = ix_arena_new(&e->u->arena, (size_t)e->k->nvalues + 1);
    ix_note_uses(e->u, list, used, used);
    for (; i < e->rows; i++)
        if (used[load[i]->number]) {
            ix_stmt *s = ix_stmt_copy(e->u, load[i]);
            s->next = list;
            list = s;
        }
    loop->body = list;
    return ix_stmt_clone(e->u, e->k, loop);
}

/* A row and a loop for each value, operands first, then one that stores. */
static ix_stmt *
expanded(expansion *e)
{
    ilex_context *ctx = e->u->ctx;
    ix_stmt *first = NULL, **at = &first, *load[MOST_ROWS];
    ilex_array *index = ix_index_fma(ctx, ix_scalar_index(ctx, e->loop->number),
                                     -1, ix_for_lo(e->loop));
    ix_substitution to = {.ctx = ctx,
                          .mem = &e->u->mem,
                          .became = ix_origin_keep,
                          .user = e,
                          .listener = e->u};
    for (int i = e->rows - 1; i >= 0; i--) {
        ix_stmt *row = make_row(e, i, ix_loop_length(e->u, e->loop));
        ix_stmt *store = ix_stmt_store(e->u, ix_element_scratch(row, index),
                                       ix_substitute(&to, e->row[i]));
        store->array = row->array;
        load[i] = load_of(e, row, index);
        ix_substitution_set(&to, e->row[i], ix_value_of(e->u, load[i]));
        *at = row;
        row->next = loop_of(e, store, load, i + 1);
        at = &row->next->next;
    }
    *at = loop_of(e, ix_stmt_substitute(e->u, &to, e->loop->body), load, 0);
    ix_substitution_free(&to);
    return first;
}

/* ---- what it wants ---- */

/* Does it do nothing but store, what may be computed before? */
static bool
only_stores(const ix_stmt *loop)
{
    const unsigned apart = IX_HAS_CHECK | IX_HAS_GUARD | IX_HAS_REDUCE;
    const ix_stmt *s = loop->body;
    while (s && s->kind == IX_STMT_STORE && !ix_stmt_has(s, apart) &&
           !(s->mem && s->mem->scratch == IX_SCRATCH_CELL))
        s = s->next;
    return !s;
}

static bool
is_not_written(void *user, const ilex_array *load)
{
    return !ix_accesses_write(user, (int)load->attr[0]);
}

int
ix_loop_functions(ix_unit *u, ix_kernel *k, const ix_stmt *loop)
{
    expansion e = {.u = u, .k = k, .loop = loop};
    if (!loop->parallel || !only_stores(loop))
        return 0;
    ix_accesses a = ix_accesses_in(u, k, loop->body);
    int most = find_rows(&e);
    bool reads = ix_stmt_loads(u, loop->body, is_not_written, &a);
    return reads && e.rows > 0 ? most : 0;
}

ix_refusal
ix_loop_expand(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    expansion e = {.u = u, .k = c->k, .loop = ix_cursor_loop(c)};
    int64_t n = ix_loop_length(u, e.loop), bytes;
    (void)d;
    if (!ix_loop_is_plain(e.loop) || e.loop->step != 1 || n < 1)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it has no constant number of iterations: split it "
                         "with peel");
    if (!only_stores(e.loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it does not only store what is read at any time");
    find_rows(&e);
    if (e.rows == 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "what it stores is made of no elementary function");
    ix_accesses a = ix_accesses_in(u, c->k, e.loop->body);
    if (!ix_stmt_loads(u, e.loop->body, is_not_written, &a))
        return ix_refuse(u, IX_REFUSAL_DISTANCE,
                         "it reads a buffer that it stores in");
    if (!ix_mul(n, 8 * e.rows, &bytes) || bytes > MOST_BYTES)
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "%d rows of %lld values are more than %d bytes",
                         e.rows, (long long)n, MOST_BYTES);
    ix_stmt *next = e.loop->next;
    *c->at = expanded(&e);
    *ix_stmt_end(c->at) = next;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
