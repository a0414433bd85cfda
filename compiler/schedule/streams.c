/* SPDX-License-Identifier: MIT
 *
 * The policy for kernels that only store what each point has, or rows behind
 * reductions of these, or of levels of a scan: their output goes past the
 * caches if it is larger. Not where a buffer is read at more places than the
 * target says, as stencils do: what is read again has to come from the caches
 * in the meantime, and the memory may not be what they wait for.
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/rules.h"

enum { MOST_READ = 16 };

/* What a kernel reads: up to "most" places of each buffer. */
typedef struct pointwise {
    const ilex_array *read[MOST_READ];
    int n;
    int64_t most;
} pointwise;

static bool
look_at_load(void *user, const ilex_array *load)
{
    pointwise *x = user;
    int64_t places = 1;
    for (int i = 0; i < x->n; i++) {
        if (x->read[i] == load)
            return true;
        places += x->read[i]->attr[0] == load->attr[0];
    }
    if (x->n == MOST_READ || places > x->most)
        return false;
    x->read[x->n++] = load;
    return true;
}

/* What a kernel stores: outputs by rows, in innermost loops, and all else. */
typedef struct outputs {
    ix_unit *u;
    const ix_stmt *row[MOST_READ], *store[MOST_READ];
    int n;
    int stores; /* to buffers, of these and others */
} outputs;

/* Is it one, or what a step of a loop makes? */
static bool
is_output(const ix_unit *u, int buffer)
{
    int k;
    return u->buffer[buffer].role == IX_ROLE_OUTPUT ||
           ix_unit_carrier(u, buffer, 1, &k);
}

static bool
note_stores(void *user, ix_stmt *s)
{
    outputs *x = user;
    bool inner = s->kind == IX_STMT_FOR && ix_stmt_is_innermost(s);
    x->stores += s->kind == IX_STMT_STORE && s->buffer >= 0;
    for (const ix_stmt *t = inner ? s->body : NULL; t; t = t->next)
        if (t->kind == IX_STMT_STORE && t->buffer >= 0 && x->n < MOST_READ &&
            is_output(x->u, t->buffer)) {
            x->row[x->n] = s;
            x->store[x->n++] = t;
        }
    return true;
}

/* May the i-th be so large, and are its rows not too short? */
static bool
may_be_large(const outputs *x, int i)
{
    ix_unit *u = x->u;
    const ix_buffer *b = &u->buffer[x->store[i]->buffer];
    int64_t bytes = ix_box_bytes(u, b->box, b->dtype);
    return !ix_dtype_is_complex(b->dtype) &&
           ix_stmt_moves_along(x->store[i], x->row[i]) &&
           !ix_loop_is_short(u, x->row[i]) &&
           (bytes < 0 || bytes >= u->target->stream_bytes) &&
           u->target->stream_bytes < ix_targets[IX_TARGET_generic].stream_bytes;
}

static outputs
outputs_of(ix_unit *u, const ix_kernel *k)
{
    outputs x = {.u = u};
    ix_stmt_each(k->body, note_stores, &x);
    return x;
}

bool
ix_policy_may_stream(ix_unit *u, const ix_kernel *k)
{
    outputs x = outputs_of(u, k);
    return x.n == 1 && x.stores == 1 && may_be_large(&x, 0);
}

/* Strips of two lines of the first store, and of whole lines of others. */
static void
carry_all(ix_holes *h, const outputs *x)
{
    const ix_buffer *b = h->u->buffer;
    size_t first = ilex_dtype_bytes(b[x->store[0]->buffer].dtype);
    ix_holes_set(h, 'R', ix_loop_name(h->u, h->k, x->row[0]));
    if (!ix_policy_carry_stream(h, IX_RULE_past, x->store[0]))
        return;
    for (int i = 1; i < x->n; i++) {
        int buffer = x->store[i]->buffer;
        ix_holes_set(h, 'B', ix_value_name('b', buffer).s);
        if (2 * ilex_dtype_bytes(b[buffer].dtype) % first == 0 &&
            !ix_dtype_is_complex(b[buffer].dtype))
            ix_rule_carry(h, IX_RULE_others);
    }
}

/* Is it a row, at indices of the first loop's iteration that are data? */
static bool
is_row_by_data(const ilex_array *load, const ix_stmt *loop)
{
    bool data = false;
    for (int d = 0; d + 1 < load->nops; d++)
        data |= load->ops[d]->kind == IX_CHECKED &&
                ix_scalar_uses_index(load->ops[d], loop->number);
    return data && !(load->ops[load->nops - 1]->flags & IX_HAS_LOAD);
}

/* The memory does not know which rows data will say: those of a later iteration
 * are asked for, strip by strip. */
static void
fetch_rows_by_data(ix_holes *h, const pointwise *x)
{
    const ix_stmt *rows = h->k->body;
    while (rows && rows->kind != IX_STMT_FOR)
        rows = rows->kind == IX_STMT_IF ? rows->body : rows->next;
    if (!rows || ix_stmt_is_innermost(rows))
        return;
    ix_holes_set(h, 'I', ix_loop_name(h->u, h->k, rows));
    for (int i = 0; i < x->n; i++) {
        bool asked = false;
        for (int j = 0; j < i; j++)
            asked |= x->read[j]->attr[0] == x->read[i]->attr[0];
        if (asked || !is_row_by_data(x->read[i], rows))
            continue;
        ix_holes_set(h, 'A', ix_value_name('b', (int)x->read[i]->attr[0]).s);
        ix_rule_carry(h, IX_RULE_later);
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
    int buffer[MOST_READ];   /* of which there are rows */
    int n;
} own_rows;

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
stream_rows(ix_unit *u, ix_kernel *k, const ix_stmt *store)
{
    ix_stmt *rows = ix_kernel_outermost(k);
    ix_holes h = {.u = u, .k = k};
    if (!rows || !rows->body->next || rows->step != 1 || !rows->parallel)
        return;
    own_rows x = {.u = u,
                  .stored = store->buffer,
                  .index = ix_scalar_index(u->ctx, rows->number)};
    if (!ix_stmt_loads(u, rows->body, look_at_row, &x))
        return;
    ix_holes_set(&h, 'I', ix_loop_name(u, k, rows));
    for (int i = 0; i < x.n; i++) {
        ix_holes_set(&h, 'A', ix_value_name('b', x.buffer[i]).s);
        ix_rule_carry(&h, IX_RULE_later);
    }
    ix_policy_carry_stream(&h, IX_RULE_past, store);
}

/* Rows of the levels of a scan that read no others. */
static void
stream_levels(ix_unit *u, ix_kernel *k, const outputs *x)
{
    ix_holes h = {.u = u, .k = k};
    ix_accesses a = ix_accesses_in(u, k, k->body);
    for (int i = 0; i < x->n; i++) {
        bool again = ix_accesses_read(&a, x->store[i]->buffer);
        for (int j = 0; j < i; j++)
            again |= x->store[j]->buffer == x->store[i]->buffer;
        if (!again && may_be_large(x, i))
            ix_policy_carry_stream(&h, IX_RULE_past, x->store[i]);
    }
}

void
ix_policy_stream(ix_unit *u, ix_kernel *k)
{
    ix_stmt *nest = k->box->rank ? ix_kernel_inside(k) : NULL;
    outputs x = outputs_of(u, k);
    pointwise points = {.most = u->target->stream_places};
    bool levels = ix_kernel_has_levels(k), large = false;
    for (int i = 0; i < x.n && !large && (levels || i == 0); i++)
        large = may_be_large(&x, i);
    if (!large || (!levels && x.n != x.stores))
        return;
    u->asks_registers = true;
    if (u->target->vector_registers == 0)
        return;
    if (levels)
        stream_levels(u, k, &x);
    else if (!nest || nest->kind != IX_STMT_STORE) {
        if (x.n == 1)
            stream_rows(u, k, x.store[0]);
    } else if (ix_stmt_loads(u, nest, look_at_load, &points)) {
        ix_holes h = {.u = u, .k = k};
        carry_all(&h, &x);
        fetch_rows_by_data(&h, &points);
    }
}
