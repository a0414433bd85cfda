/* SPDX-License-Identifier: MIT
 *
 * The policy for transposes: what is stored along the last axis is read along
 * another one, while its elements lie side by side along a third. So a line of
 * the cache is read for each element, and has to stay until its others are: a
 * block is copied as it lies, and stored as it is read. Strips of the last axis
 * keep the lines that are written in the cache.
 */
#include "compiler/schedule/rules.h"

/* Rows and columns of a block, a line of the cache and a vector of 8 bytes; a
 * strip; what is too short to be worth it. */
enum { BLOCK_ROWS = 8, BLOCK_COLUMNS = 4, STRIP = 1024, FEW = 16 };

/* What a kernel reads. */
typedef struct transpose {
    ix_unit *u;
    int last;      /* axis, of what is stored */
    int across;    /* axis whose elements lie side by side; -1: none */
    int buffer[4]; /* that are read so */
    int n;
} transpose;

static bool
uses(const ilex_array *load, int axis)
{
    bool any = false;
    for (int i = 0; i < load->nops; i++)
        any |= ix_scalar_uses_index(load->ops[i], axis);
    return any;
}

/* Notes a buffer that is read across; false: there are too many, or along
 * several axes. */
static bool
look_at_load(void *user, const ilex_array *load)
{
    transpose *x = user;
    if (load->nops == 0 || !uses(load, x->last) ||
        ix_scalar_uses_index(load->ops[load->nops - 1], x->last))
        return true;
    int across = x->last - 1;
    while (across >= 0 &&
           !ix_scalar_uses_index(load->ops[load->nops - 1], across))
        across--;
    if (across < 0)
        return true;
    for (int i = 0; i < x->n; i++)
        if (x->buffer[i] == load->attr[0])
            return across == x->across;
    if (x->n == (int)IX_COUNT(x->buffer) || (x->n && across != x->across))
        return false;
    x->across = across;
    x->buffer[x->n++] = (int)load->attr[0];
    return true;
}

/* What is in a nest over the box, with nothing beside it, if it is stores, and
 * no axis is known to be short that matters. */
static ix_stmt *
stores_of(const transpose *x, const ix_kernel *k)
{
    ix_stmt *s = k->body;
    for (int i = 0; i <= x->last; i++, s = s->body) {
        int64_t length = s->kind == IX_STMT_FOR ? ix_loop_length(x->u, s) : 0;
        if (s->kind != IX_STMT_FOR || s->next || !s->parallel ||
            s->number != i || (length >= 0 && length < FEW))
            return NULL;
    }
    for (const ix_stmt *t = s; t; t = t->next)
        if (t->kind != IX_STMT_STORE)
            return NULL;
    return s;
}

static void
name_loops(ix_holes *h, const transpose *x)
{
    ix_text between;
    ix_text_init(&between, &h->u->mem);
    for (const ix_stmt *s = h->k->body; s->kind == IX_STMT_FOR; s = s->body) {
        const char *name = ix_loop_name(h->u, h->k, s);
        if (s->number == x->across)
            ix_holes_set(h, 'I', name);
        else if (s->number == x->last)
            ix_holes_set(h, 'J', name);
        else if (s->number > x->across)
            ix_text_format(&between, "%s ", name);
    }
    ix_holes_set(h, 'X', ix_text_string(&between));
}

bool
ix_policy_transpose(ix_unit *u, ix_kernel *k)
{
    transpose x = {.u = u, .last = k->box->rank - 1, .across = -1};
    ix_stmt *stores = k->box->rank < 2 ? NULL : stores_of(&x, k);
    ix_holes h = {.u = u, .k = k};
    if (!stores || !ix_stmt_loads(u, stores, look_at_load, &x) || x.n == 0)
        return false;
    u->asks_registers = true;
    if (u->target->vector_registers == 0)
        return false;
    name_loops(&h, &x);
    ix_holes_number(&h, 'T', STRIP);
    ix_holes_number(&h, 'H', BLOCK_ROWS);
    ix_holes_number(&h, 'W', BLOCK_COLUMNS);
    bool done = ix_rule_carry(&h, IX_RULE_block);
    for (int i = 0; i < x.n && done; i++) {
        ix_holes_set(&h, 'B', ix_value_name('b', x.buffer[i]).s);
        ix_rule_carry(&h, IX_RULE_copy);
    }
    if (done)
        ix_rule_carry(&h, IX_RULE_vector);
    return true;
}
