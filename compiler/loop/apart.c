/* SPDX-License-Identifier: MIT
 *
 * Copies of a loop's body that stand beside each other, without the loop. In
 * expressions a load of what the kernel writes is known as long as its index
 * is, and neighbouring stores happen when the values of all are known: both
 * would mix up iterations. So such loads become statements, which stay where
 * they are. Loads of what a fused loop has written in the same iteration, and
 * what stands behind does not write, may be expressions in loops there.
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
    const ilex_array *row;    /* the index of the fused loop; or NULL */
    const ix_accesses *later; /* of what stands behind in it */
    int loops;                /* of that, around */
} apart;

/* Is the element written in the iteration, and by now? */
static bool
is_written_before(const apart *p, const ix_element *at)
{
    bool own = false;
    if (!p->row || p->loops == 0 || ix_accesses_write(p->later, at->buffer))
        return false;
    for (int k = 0; k < at->rank; k++)
        own |= at->index[k] == p->row;
    return own;
}

static ilex_array *
load_apart(void *user, ilex_array *load, ilex_array *const *index)
{
    apart *p = user;
    ix_element at = ix_element_of((int)load->attr[0], load->nops, index);
    if (!ix_accesses_write(p->a, at.buffer) || is_written_before(p, &at))
        return NULL;
    ix_stmt *s = ix_stmt_at(p->u, IX_STMT_LOAD, at, NULL);
    s->prefix = 't';
    s->number = p->k->nvalues++;
    s->dtype = (ilex_dtype)load->dtype;
    s->array = p->array;
    s->next = *p->tail;
    *p->tail = s;
    p->tail = &s->next;
    return ix_value_of(p->u, s);
}

/* The loads of a list and inside, each before the statement that has it, those
 * of neighbouring stores before the first. */
static void
loads_apart(apart *p, ix_stmt **list)
{
    ix_substitution s = {
        .ctx = p->u->ctx, .mem = &p->u->mem, .load = load_apart, .user = p};
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
        p->loops += t->kind == IX_STMT_FOR;
        loads_apart(p, &t->body);
        loads_apart(p, &t->other);
        p->loops -= t->kind == IX_STMT_FOR;
    }
    ix_substitution_free(&s);
}

void
ix_loop_apart(ix_unit *u, ix_kernel *k, int n, ix_stmt **list)
{
    ix_accesses a = ix_accesses_in(u, k, k->body);
    apart p = {.u = u, .k = k, .a = &a};
    for (int i = 0; i < n; i++)
        loads_apart(&p, &list[i]);
}

void
ix_loop_behind(ix_unit *u, ix_kernel *k, int loop, const ix_accesses *later,
               ix_stmt **list)
{
    ix_accesses a = ix_accesses_in(u, k, k->body);
    apart p = {.u = u,
               .k = k,
               .a = &a,
               .row = ix_scalar_index(u->ctx, loop),
               .later = later};
    loads_apart(&p, list);
}
