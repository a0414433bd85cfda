/* SPDX-License-Identifier: MIT
 *
 * Numbers of an iteration: what it stores once in a temporary, and reads there
 * after that, it has as a value.
 *
 *     for i in [0, n)                for i in [0, n)
 *         a = ...                        a = ...
 *         s[i] = a                       s[i] = a
 *         for k in [0, m)                for k in [0, m)
 *             y[i, k] = x[i, k]/s[i]         y[i, k] = x[i, k]/a
 */
#include "compiler/loop/distances.h"

typedef struct number {
    ix_unit *u;
    const ix_stmt *store;
    ilex_array *value;
    ix_substitution become; /* of what reads it: the value */
} number;

static bool
is_stored(const number *x, int64_t buffer, int rank, ilex_array *const *index)
{
    bool same = buffer == x->store->buffer;
    for (int d = 0; same && d < rank; d++)
        same = ix_operands(x->store, IX_INDICES)[d] == index[d];
    return same;
}

static ilex_array *
take_number(void *user, ilex_array *load, ilex_array *const *index)
{
    const number *x = user;
    bool same = is_stored(x, load->attr[0], load->nops, index);
    return same ? x->value : NULL;
}

/* What a LOAD has. */
static bool
take_loaded(void *user, ix_stmt *s)
{
    number *x = user;
    if (s->kind == IX_STMT_LOAD &&
        is_stored(x, s->buffer, s->n[IX_INDICES], ix_operands(s, IX_INDICES)))
        ix_substitution_set(&x->become, ix_value_of(x->u, s), x->value);
    return true;
}

/* The list without LOADs of it. */
static void
drop_loads(const number *x, ix_stmt **list)
{
    for (ix_stmt **at = list, *s; (s = *at);) {
        drop_loads(x, &s->body);
        drop_loads(x, &s->other);
        if (s->kind == IX_STMT_LOAD && is_stored(x, s->buffer, s->n[IX_INDICES],
                                                 ix_operands(s, IX_INDICES)))
            *at = s->next;
        else
            at = &s->next;
    }
}

/* The value of a store, named before it; NULL: it is an element, which is read
 * by a statement of its own if at all. */
static ilex_array *
name_value(ix_unit *u, ix_kernel *k, ix_stmt **at)
{
    ilex_array *value = ix_store_value(*at);
    if (value->kind == IX_VALUE || value->kind == IX_CONST)
        return value;
    if (!ix_is_operation(value))
        return NULL;
    ix_stmt *let = ix_stmt_new(u, IX_STMT_LET, IX_OPERANDS({1, &value}));
    let->prefix = 't';
    let->number = k->nvalues++;
    let->dtype = (ilex_dtype)value->dtype;
    let->array = (*at)->array;
    let->next = *at;
    value = ix_value_of(u, let);
    ix_set_operand(*at, IX_store_value, value);
    *at = let;
    return value;
}

/* A list in which a store's value stands for its element. */
static ix_stmt *
with_value(ix_unit *u, const ix_stmt *store, ilex_array *value, ix_stmt *list)
{
    number x = {.u = u, .store = store, .value = value};
    x.become = (ix_substitution){.ctx = u->ctx,
                                 .mem = &u->mem,
                                 .load = take_number,
                                 .became = ix_origin_keep,
                                 .user = &x,
                                 .listener = u};
    ix_stmt_each(list, take_loaded, &x);
    drop_loads(&x, &list);
    list = ix_stmt_substitute(u, &x.become, list);
    ix_substitution_free(&x.become);
    return list;
}

/* The same for what the kernel's nests say that it computes. */
static void
forward_in_nests(ix_unit *u, const ix_kernel *k, int buffer)
{
    for (ix_stmt *nest = k->nests; nest; nest = nest->next)
        for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
            if (ix_stmt_is_output(s) && s->buffer == buffer)
                nest->next = with_value(u, s, ix_store_value(s), nest->next);
}

/* What is behind a store has its value for the element. */
static void
forward_number(ix_unit *u, ix_kernel *k, ix_stmt **at)
{
    ix_stmt *store = *at;
    if (!ix_stmts_load(u, store->next, store->buffer))
        return;
    ilex_array *value = name_value(u, k, at);
    if (!value)
        return;
    store->next = with_value(u, store, value, store->next);
    forward_in_nests(u, k, store->buffer);
    u->buffer[store->buffer].forwarded = true;
}

void
ix_drop_forwarded(ix_unit *u)
{
    bool any = false, *gone = ix_arena_new(&u->arena, u->nbuffers + 1);
    for (int i = 0; i < (int)u->nbuffers; i++) {
        gone[i] = u->buffer[i].forwarded && ix_buffer_is_of_kernels(u, i);
        for (ix_kernel *k = u->kernels; k && gone[i]; k = k->next)
            gone[i] =
                !ix_stmts_load(u, k->body, i) && !ix_stmts_load(u, k->nests, i);
        any |= gone[i];
    }
    if (any)
        ix_buffers_drop(u, gone);
}

typedef struct counting {
    int buffer, n;
} counting;

static bool
count_store(void *user, ix_stmt *s)
{
    counting *c = user;
    c->n += ix_stmt_is_output(s) && s->buffer == c->buffer;
    return true;
}

void
ix_forward_numbers(ix_unit *u, ix_kernel *k, ix_stmt *loop)
{
    for (ix_stmt **at = &loop->body, *s; (s = *at);) {
        counting c = {s->buffer, 0};
        if (ix_stmt_is_output(s) && ix_buffer_is_of_kernels(u, s->buffer) &&
            ix_store_value(s)->dtype == u->buffer[s->buffer].dtype) {
            ix_stmt_each(k->body, count_store, &c);
            if (c.n == 1)
                forward_number(u, k, at);
        }
        at = &s->next;
    }
}
