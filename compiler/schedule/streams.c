/* SPDX-License-Identifier: MIT
 *
 * The policy for kernels that only store what each point has: their output goes
 * past the caches if it is larger than these. Not where a buffer is read at
 * several places, as stencils do: what is read again has to come from the
 * caches in the meantime, and the memory is not what they wait for.
 */
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

/* May it be so large, and are its rows not too short? */
static bool
may_be_large(ix_unit *u, const ix_kernel *k, const ix_stmt *store)
{
    const ix_buffer *b = &u->buffer[store->buffer];
    int64_t bytes = (int64_t)ilex_dtype_bytes(b->dtype);
    const ix_stmt *loop = k->body, *last = loop;
    bool known = true;
    for (; loop != store; last = loop, loop = loop->body) {
        int64_t n = ix_loop_length(u, loop);
        known &= n >= 0 && ix_mul(bytes, n, &bytes);
    }
    return !ix_dtype_is_complex(b->dtype) && ix_stmt_moves_along(store, last) &&
           !ix_loop_is_short(u, last) &&
           !(known && bytes < u->target->stream_bytes);
}

bool
ix_policy_may_stream(ix_unit *u, const ix_kernel *k, const ix_stmt *store)
{
    return store && !store->next && store->kind == IX_STMT_STORE &&
           store->buffer >= 0 &&
           u->buffer[store->buffer].role == IX_ROLE_OUTPUT &&
           u->target->stream_bytes <
               ix_targets[IX_TARGET_generic].stream_bytes &&
           may_be_large(u, k, store);
}

bool
ix_policy_carry_stream(ix_holes *h, ix_rule rule, const ix_stmt *store)
{
    ix_holes_set(h, 'B', ix_value_name('b', store->buffer).s);
    ix_holes_number(h, 'N', h->u->target->stream_bytes);
    return ix_rule_carry(h, rule);
}

void
ix_policy_stream(ix_unit *u, ix_kernel *k)
{
    ix_stmt *store = k->box->rank ? ix_kernel_inside(k) : NULL;
    pointwise x = {.n = 0};
    ix_holes h = {.u = u, .k = k};
    if (!ix_policy_may_stream(u, k, store) ||
        !ix_stmt_loads(u, store, look_at_load, &x))
        return;
    u->asks_registers = true;
    if (u->target->vector_registers)
        ix_policy_carry_stream(&h, IX_RULE_past, store);
}
