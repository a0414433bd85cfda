/* SPDX-License-Identifier: MIT
 *
 * The policy for kernels that only store what each point has, or rows behind
 * reductions of these: their output goes past the caches if it is larger. Not
 * where a buffer is read at several places, as stencils do: what is read again
 * has to come from the caches in the meantime, and the memory is not what they
 * wait for.
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/rules.h"

enum { MOST_READ = 16 };

/* What a kernel reads: one place of each buffer. */
typedef struct pointwise {
    const ilex_array *read[MOST_READ];
    int n;
} pointwise;

static bool
look_at_load(void *user, const ilex_array *load)
{
    pointwise *x = user;
    for (int i = 0; i < x->n; i++)
        if (x->read[i]->attr[0] == load->attr[0])
            return x->read[i] == load;
    if (x->n == MOST_READ)
        return false;
    x->read[x->n++] = load;
    return true;
}

/* May it be so large, and are its rows, which a loop stores, not too short? */
static bool
may_be_large(ix_unit *u, const ix_stmt *store, const ix_stmt *row)
{
    const ix_buffer *b = &u->buffer[store->buffer];
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype);
    bool known = true;
    for (int d = 0; d < b->box->rank; d++) {
        const ix_axis *ax = &b->box->ax[d];
        const ix_lin *n = ix_lin_try_fma(u->ctx, ax->hi, -1, ax->lo);
        known &= n && n->n == 0 && ix_mul(bytes, n->c, &bytes);
    }
    return !ix_dtype_is_complex(b->dtype) && ix_stmt_moves_along(store, row) &&
           !ix_loop_is_short(u, row) &&
           !(known && bytes < u->target->stream_bytes);
}

/* What stands in the innermost loop of a nest, "*row", if it is stores to
 * outputs, of which the first one may be large; or NULL. */
static ix_stmt *
large_stores(ix_unit *u, ix_stmt *nest, const ix_stmt **row)
{
    ix_stmt *stores = nest;
    for (*row = NULL; stores && stores->kind == IX_STMT_FOR && !stores->next;
         stores = stores->body)
        *row = stores;
    for (const ix_stmt *s = stores; s; s = s->next)
        if (s->kind != IX_STMT_STORE || s->buffer < 0 ||
            u->buffer[s->buffer].role != IX_ROLE_OUTPUT)
            return NULL;
    return stores && *row &&
                   u->target->stream_bytes <
                       ix_targets[IX_TARGET_generic].stream_bytes &&
                   may_be_large(u, stores, *row)
               ? stores
               : NULL;
}

bool
ix_policy_may_stream(ix_unit *u, const ix_kernel *k)
{
    const ix_stmt *row, *stores = large_stores(u, k->body, &row);
    return stores && !stores->next;
}

/* Strips of two lines of the first store, and of whole lines of others. */
static void
carry_all(ix_holes *h, const ix_stmt *stores, const ix_stmt *row)
{
    const ix_buffer *b = h->u->buffer;
    size_t first = ilex_dtype_bytes(b[stores->buffer].dtype);
    ix_holes_set(h, 'R', ix_loop_name(h->u, h->k, row));
    if (!ix_policy_carry_stream(h, IX_RULE_past, stores))
        return;
    for (const ix_stmt *s = stores->next; s; s = s->next) {
        size_t bytes = ilex_dtype_bytes(b[s->buffer].dtype);
        ix_holes_set(h, 'B', ix_value_name('b', s->buffer).s);
        if (2 * bytes % first == 0 && !ix_dtype_is_complex(b[s->buffer].dtype))
            ix_rule_carry(h, IX_RULE_others);
    }
}

bool
ix_policy_carry_stream(ix_holes *h, ix_rule rule, const ix_stmt *store)
{
    ix_holes_set(h, 'B', ix_value_name('b', store->buffer).s);
    ix_holes_number(h, 'N', h->u->target->stream_bytes);
    return ix_rule_carry(h, rule);
}

/* ---- rows that wait for reductions ---- */

/* What an iteration reads: rows of its own, or what all iterations do. */
typedef struct own_rows {
    ix_unit *u;
    int stored;              /* a buffer */
    const ilex_array *index; /* of the loop over rows */
    int stores;              /* to buffers */
    int buffer[MOST_READ];   /* of which there are rows */
    int n;
} own_rows;

static bool
count_store(void *user, ix_stmt *s)
{
    own_rows *x = user;
    x->stores += s->kind == IX_STMT_STORE && s->buffer >= 0;
    return true;
}

static bool
look_at_row(void *user, const ilex_array *load)
{
    own_rows *x = user;
    bool own = false;
    if (ix_is_one_buffer(x->u, (int)load->attr[0], x->stored))
        return false;
    for (int d = 0; d < load->nops; d++) {
        const ilex_array *i = load->ops[d];
        bool is = i == x->index && d + 1 < load->nops;
        if ((i->flags & IX_HAS_LOAD) ||
            (!is && ix_scalar_uses_index(i, (int)x->index->attr[0])))
            return false;
        own |= is;
    }
    for (int i = 0; i < x->n && own; i++)
        own = x->buffer[i] != load->attr[0];
    if (own && x->n < MOST_READ)
        x->buffer[x->n++] = (int)load->attr[0];
    return true;
}

/* Each iteration stores a row behind reductions of what it reads, as layer
 * norm does: the memory is busy if the rows of later iterations are asked for
 * in the meantime. */
static void
stream_rows(ix_unit *u, ix_kernel *k)
{
    ix_stmt *rows = ix_kernel_outermost(k);
    ix_stmt *nest = rows ? rows->body : NULL, *store;
    const ix_stmt *row;
    ix_holes h = {.u = u, .k = k};
    while (nest && nest->next)
        nest = nest->next;
    store = nest && nest != rows->body ? large_stores(u, nest, &row) : NULL;
    if (!store || store->next || rows->step != 1 || !rows->parallel)
        return;
    own_rows x = {.u = u,
                  .stored = store->buffer,
                  .index = ix_scalar_index(u->ctx, rows->number)};
    ix_stmt_each(rows->body, count_store, &x);
    if (x.stores > 1 || !ix_stmt_loads(u, rows->body, look_at_row, &x))
        return;
    u->asks_registers = true;
    if (u->target->vector_registers == 0)
        return;
    ix_holes_set(&h, 'I', ix_loop_name(u, k, rows));
    for (int i = 0; i < x.n; i++) {
        ix_holes_set(&h, 'A', ix_value_name('b', x.buffer[i]).s);
        ix_rule_carry(&h, IX_RULE_later);
    }
    ix_policy_carry_stream(&h, IX_RULE_past, store);
}

void
ix_policy_stream(ix_unit *u, ix_kernel *k)
{
    bool nest = k->box->rank && ix_kernel_inside(k);
    const ix_stmt *row;
    ix_stmt *stores = nest ? large_stores(u, k->body, &row) : NULL;
    pointwise x = {.n = 0};
    ix_holes h = {.u = u, .k = k};
    if (!stores) {
        stream_rows(u, k);
        return;
    }
    if (!ix_stmt_loads(u, stores, look_at_load, &x))
        return;
    u->asks_registers = true;
    if (u->target->vector_registers)
        carry_all(&h, stores, row);
}
