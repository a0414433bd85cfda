/* SPDX-License-Identifier: MIT
 *
 * The policy for transposes: what is stored along the last axis is read along
 * another one, while its elements lie side by side along a third. So a line of
 * the cache is read for each element, and has to stay until its others are: a
 * block is copied as it lies, and stored as it is read. Strips of the last axis
 * keep the lines that are written in the cache; those of a large output go past
 * it, whole ones, and strips of the other axis keep what was asked for there.
 */
#include "compiler/loop/group.h"
#include "compiler/schedule/rules.h"

/* Rows and columns of a block, a line of the cache and a vector of 8 bytes;
 * strips. */
enum { BLOCK_ROWS = 8, BLOCK_COLUMNS = 4, STRIP = 1024, ACROSS = 512 };

/* Rows and columns of a tile on a GPU. */
enum { TILE = 32 };

/* What a kernel reads. */
typedef struct transpose {
    int last;      /* axis, of what is stored */
    int across;    /* axis whose elements lie side by side; -1: none */
    int buffer[4]; /* that are read so */
    int n;
} transpose;

/* Notes a buffer that is read across; false: there are too many, or along
 * several axes. */
static bool
look_at_load(void *user, const ilex_array *load)
{
    transpose *x = user;
    if (load->nops == 0 || !ix_load_uses(load, x->last) ||
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

/* What is in a nest over the box, if it is stores. */
static ix_stmt *
stores_of(const ix_kernel *k)
{
    ix_stmt *stores = k->box->rank < 2 ? NULL : ix_kernel_inside(k);
    for (const ix_stmt *s = stores; s; s = s->next)
        if (s->kind != IX_STMT_STORE)
            return NULL;
    return stores;
}

/* Carries out a rule for each buffer that is read across. */
static bool
carry_each(ix_holes *h, const transpose *x, ix_rule rule)
{
    bool all = true;
    for (int i = 0; i < x->n; i++) {
        ix_holes_set(h, 'A', ix_value_name('b', x->buffer[i]).s);
        all &= ix_rule_carry(h, rule);
    }
    return all;
}

/* Blocks of whole lines of what is stored, where that is large: J then is the
 * loop over what is before them, or all where it is not. */
static void
make_lines(ix_holes *h, const transpose *x, const ix_stmt *store)
{
    int64_t bytes =
        (int64_t)ilex_dtype_bytes(h->u->buffer[store->buffer].dtype);
    if (!ix_policy_may_stream(h->u, h->k) || bytes < 4)
        return;
    ix_holes_number(h, 'L', IX_LINE_BYTES / bytes);
    ix_holes_number(h, 'T', ACROSS);
    if (!ix_policy_carry_stream(h, IX_RULE_lines, store))
        return;
    carry_each(h, x, IX_RULE_line);
    ix_rule_carry(h, IX_RULE_across);
    ix_holes_set(h, 'O', "J.o/I");
    ix_holes_set(h, 'X', "");
}

/* Are there fewer points along an axis than half a tile has? */
static bool
is_thin(const ix_holes *h, int axis)
{
    ilex_context *ctx = h->u->ctx;
    const ix_axis *ax = &h->k->box->ax[axis];
    const ix_lin *n = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    return n && ix_lin_le(ctx, n, ix_lin_const(ctx, TILE / 2 - 1)) == IX_YES;
}

/* On a GPU tiles, whose loops the threads of a block share: none if their
 * copies are no memory that these have. */
static bool
make_tiles(ix_holes *h, const transpose *x)
{
    int64_t most = 1;
    for (int i = 0; i < x->n; i++) {
        int64_t bytes =
            (int64_t)ilex_dtype_bytes(h->u->buffer[x->buffer[i]].dtype);
        most = bytes > most ? bytes : most;
    }
    if (is_thin(h, x->across) || is_thin(h, x->last))
        return false;
    ix_holes_number(h, 'N', most > 8 ? TILE / 2 : TILE);
    ix_attempt a = ix_attempt_begin(h->u, h->k);
    if (ix_rule_carry(h, IX_RULE_shared) &&
        carry_each(h, x, IX_RULE_shared_copy) &&
        ix_block_suits(h->u, h->k, ix_holes_loop(h, "J.o")->body))
        return true;
    ix_attempt_undo(h->k, &a);
    return false;
}

bool
ix_policy_transpose(ix_unit *u, ix_kernel *k)
{
    transpose x = {.last = k->box->rank - 1, .across = -1};
    ix_stmt *stores = stores_of(k);
    ix_holes h = {.u = u, .k = k};
    if (!stores || !ix_stmt_loads(u, stores, look_at_load, &x) || x.n == 0 ||
        !ix_holes_nest(&h, x.across, x.last))
        return false;
    if (u->target->grid)
        return make_tiles(&h, &x);
    u->asks_registers = true;
    if (u->target->vector_registers == 0)
        return false;
    ix_holes_set(&h, 'O', "I");
    make_lines(&h, &x, stores);
    ix_holes_number(&h, 'S', STRIP);
    ix_holes_number(&h, 'H', BLOCK_ROWS);
    ix_holes_number(&h, 'W', BLOCK_COLUMNS);
    if (ix_rule_carry(&h, IX_RULE_block)) {
        carry_each(&h, &x, IX_RULE_copy);
        ix_rule_carry(&h, IX_RULE_vector);
    }
    return true;
}
