/* SPDX-License-Identifier: MIT
 *
 * Copies of a loop's body that stand beside each other, without the loop. In
 * expressions a load of what the kernel writes is known as long as its index
 * is, and neighbouring stores happen at once: both would mix up iterations. So
 * such loads become statements, which stay where they are, and so does the
 * value of a store that comes first.
 */
#include "compiler/loop/distances.h"

/* ---- how long they are ---- */

/* About how many lines a list becomes. */
typedef struct measuring {
    ix_unit *u;
    int64_t lines;
} measuring;

static bool
measure(void *user, ix_stmt *s)
{
    measuring *m = user;
    m->lines += ix_stmt_rows[s->kind].lines +
                ix_measure(m->u, ix_operands_before(s, IX_GROUPS), s->x);
    return true;
}

bool
ix_loop_has_room(ix_unit *u, const ix_kernel *k, int64_t copies, ix_stmt *list)
{
    measuring all = {u, 0}, one = {u, 0};
    ix_stmt_each(k->body, measure, &all);
    ix_stmt_each(list, measure, &one);
    return all.lines + copies * one.lines <= IX_FUNCTION;
}

/* ---- beside each other ---- */

typedef struct apart {
    ix_unit *u;
    ix_kernel *k;
    const ix_accesses *a; /* of the kernel */
    ix_stmt **tail;       /* where loads go */
    const ilex_array *array;
} apart;

/* A statement that defines a value, as a temporary. */
static ilex_array *
put_value(apart *p, ix_stmt *s, ilex_dtype dtype)
{
    s->prefix = 't';
    s->number = p->k->nvalues++;
    s->dtype = dtype;
    s->array = p->array;
    s->next = *p->tail;
    *p->tail = s;
    p->tail = &s->next;
    return ix_value_of(p->u, s);
}

static ilex_array *
load_apart(void *user, ilex_array *load, ilex_array *const *index)
{
    apart *p = user;
    ix_element at = ix_element_of((int)load->attr[0], load->nops, index);
    if (!ix_accesses_write(p->a, at.buffer))
        return NULL;
    return put_value(p, ix_stmt_at(p->u, IX_STMT_LOAD, at, NULL),
                     (ilex_dtype)load->dtype);
}

/* The loads of a list and inside, each before the statement that has it, those
 * of neighbouring stores before the first. */
static void
loads_apart(apart *p, ix_stmt **list)
{
    ix_substitution s = {.ctx = p->u->ctx, .load = load_apart, .user = p};
    for (ix_stmt *before = NULL; *list; before = *list, list = &(*list)->next) {
        ix_stmt *t = *list;
        if (!before || !ix_stmt_is_output(before) || !ix_stmt_is_output(t)) {
            ix_substitution_forget(&s);
            p->tail = list;
        }
        p->array = t->array;
        for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
            if (t->x[i]->flags & IX_HAS_LOAD)
                t->x[i] = ix_substitute(&s, t->x[i]);
        while (*list != t)
            list = &(*list)->next;
        loads_apart(p, &t->body);
        loads_apart(p, &t->other);
    }
    ix_substitution_free(&s);
}

/* What defines a value: a load, a cell for a leaf, a LET for an operation. */
static ix_stmt *
definition_of(ix_unit *u, ilex_array *value)
{
    if (value->kind == IX_LOAD)
        return ix_stmt_at(
            u, IX_STMT_LOAD,
            ix_element_of((int)value->attr[0], value->nops, value->ops), NULL);
    return ix_stmt_new(u, value->nops ? IX_STMT_LET : IX_STMT_SCRATCH,
                       IX_OPERANDS({1, &value}));
}

/* The value of a store that comes first. */
static void
store_apart(apart *p, ix_stmt **list)
{
    ix_stmt *s = *list;
    if (!s || !ix_stmt_is_output(s))
        return;
    ilex_array *value = ix_store_value(s);
    p->tail = list;
    p->array = s->array;
    value = put_value(p, definition_of(p->u, value), (ilex_dtype)value->dtype);
    ix_stmt *t = ix_stmt_with_group(p->u, s, IX_store_value, 1, &value);
    t->next = s->next;
    *p->tail = t;
}

void
ix_loop_apart(ix_unit *u, ix_kernel *k, int n, ix_stmt **list)
{
    ix_accesses a = ix_accesses_in(u, k, k->body);
    apart p = {.u = u, .k = k, .a = &a};
    for (int i = 0; i < n; i++) {
        loads_apart(&p, &list[i]);
        store_apart(&p, &list[i]);
    }
}
