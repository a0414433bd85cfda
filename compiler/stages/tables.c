/* SPDX-License-Identifier: MIT
 *
 * Pass tables: indices that are data and that many elements are read at are
 * checked in an array of their own, once, for all that read there:
 *
 *     v[e, n, k] = u[c[e, n], k]        t[e, n] = c[e, n], which is checked
 *                                       v[e, n, k] = u[t[e, n], k]
 *
 * so that v, which checks nothing, may be computed wherever it is read. It is
 * done where v would be stored for what it checks alone, or where others read
 * by the same indices. Failures are those of v: an element of t is checked if
 * one of v is needed there, behind the mask that v is, in the order of v, as an
 * index of u. Where u is an input's elements at its own points v reads these,
 * so that no copy is stored. needs: boxes of arrays; gives: the same; breaks:
 * nothing.
 */
#include "compiler/stages/partition.h"
#include "lib/build/structure.h"

/* Of an array that reads u at a checked index, and else at its own. */
typedef struct gather {
    const ilex_array *load, *checked, *entry; /* of u; its index; the data */
    const ilex_array *mask; /* a load: where it reads; NULL: everywhere */
    int along;              /* which index is checked */
    uint32_t axes;          /* those of the array that the entry depends on */
    bool copied;            /* it would read a copy */
} gather;

typedef struct tables {
    ix_unit *u;
    ix_partition p;
    bool *taken; /* by position: is it changed? */
    ix_map uses; /* of a table without an array that it is for */
    ix_map made; /* such a table: the one there is */
    size_t at;   /* position of the array that is rewritten */
} tables;

/* ---- what is changed ---- */

/* The axes that a load depends on, a bit each; 0: not just on some, each once.
 */
static uint32_t
plain_axes(const ilex_array *load)
{
    uint32_t axes = 0;
    for (int k = 0; k < load->nops; k++) {
        const ilex_array *x = load->ops[k];
        uint32_t axis = x->kind == IX_INDEX ? (uint32_t)1 << x->attr[0] : 0;
        if (axis == 0 || axes & axis)
            return 0;
        axes |= axis;
    }
    return axes;
}

/* The one index of a load that is checked, if it is just an element of data and
 * bounds are known. */
static bool
find_checked(gather *g)
{
    for (int k = 0; k < g->load->nops; k++) {
        const ilex_array *x = g->load->ops[k];
        if (!(x->flags & IX_HAS_CHECK))
            continue;
        if (g->checked || x->kind != IX_CHECKED)
            return false;
        g->checked = x;
        g->along = k;
    }
    const ilex_array *x = g->checked;
    if (!x || ix_is_trusted(x) || ix_checked_what_of(x) != IX_CHECKED_INDEX ||
        x->nops != 3 || (x->ops[1]->flags | x->ops[2]->flags) & IX_HAS_LOAD)
        return false;
    g->entry = x->ops[0]->kind == IX_CAST ? x->ops[0]->ops[0] : x->ops[0];
    g->axes = g->entry->kind == IX_LOAD ? plain_axes(g->entry) : 0;
    return g->axes != 0;
}

/* Is it an array whose elements are read along more axes than the index depends
 * on, behind one mask or none? */
static bool
find_gather(const ilex_array *n, gather *g)
{
    *g = (gather){.load = n->kind == IX_LAMBDA ? n->ops[0] : NULL};
    if (!g->load || !(g->load->flags & IX_HAS_CHECK))
        return false;
    if (g->load->kind == IX_OP && ix_op_of(g->load) == IX_OP_WHERE) {
        const ilex_array *where = g->load, *other = where->ops[2];
        g->mask = where->ops[0];
        g->load = where->ops[1];
        if (g->mask->kind != IX_LOAD || other->flags & IX_HAS_LOAD)
            return false;
    }
    if (g->load->kind != IX_LOAD || !find_checked(g) ||
        g->entry->attr[0] == g->load->attr[0])
        return false;
    uint32_t all = ((uint32_t)1 << ix_rank(n)) - 1;
    uint32_t mask = g->mask ? plain_axes(g->mask) : 0;
    return g->axes != all && (!g->mask || mask) && !(mask & ~g->axes) &&
           !(g->mask && g->mask->attr[0] == g->entry->attr[0]);
}

/* ---- tables ---- */

/* The index of a table that is the array's "axis". */
static int
table_axis(const gather *g, int axis)
{
    int k = 0;
    for (int i = 0; i < axis; i++)
        k += (int)(g->axes >> i & 1);
    return k;
}

static ilex_array *
load_in_table(const gather *g, const ilex_array *load, int slot)
{
    ilex_array *index[ILEX_MAX_RANK];
    ilex_context *ctx = load->ctx;
    for (int k = 0; k < load->nops; k++)
        index[k] =
            ix_scalar_index(ctx, table_axis(g, (int)load->ops[k]->attr[0]));
    return ix_scalar_load(ctx, (ilex_dtype)load->dtype, slot, load->nops,
                          index);
}

/* "value" where the array, needed on "box", has elements along axes that the
 * table has not. */
static ilex_array *
where_needed(const gather *g, const ix_domain *box, ilex_array *value)
{
    ilex_context *ctx = value->ctx;
    ilex_array *none = ix_structure_number(ctx, (ilex_dtype)value->dtype, 0);
    for (int k = 0; k < box->rank; k++) {
        const ix_lin *lo = box->ax[k].lo, *hi = box->ax[k].hi;
        const ix_lin *first = ix_lin_try_offset(ctx, lo, 1);
        if (g->axes >> k & 1 || (first && ix_lin_le(ctx, first, hi) == IX_YES))
            continue;
        ilex_array *ends[2] = {ix_index_lin(ctx, lo), ix_index_lin(ctx, hi)};
        value = ix_structure_where(
            ctx, ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ends),
            value, none);
    }
    return value;
}

/* An entry, checked as an index of operand "of" - 1. */
static ilex_array *
table_body(const gather *g, const ix_domain *box, int of)
{
    ilex_context *ctx = g->entry->ctx;
    ilex_dtype dtype = (ilex_dtype)g->entry->dtype;
    ilex_array *entry = load_in_table(g, g->entry, 0);
    const ix_checked c = {.what = of && g->copied ? IX_CHECKED_COPIED
                                                  : IX_CHECKED_INDEX,
                          .axis = (int)g->checked->attr[0],
                          .of = of,
                          .value = ix_scalar_cast(ctx, ILEX_I64, entry),
                          .lo = g->checked->ops[1],
                          .hi = g->checked->ops[2]};
    ilex_array *value =
        ix_scalar_cast(ctx, dtype, ix_scalar_checked_as(ctx, &c));
    if (g->mask)
        value = ix_structure_where(ctx, load_in_table(g, g->mask, 1), value,
                                   ix_structure_number(ctx, dtype, 0));
    return where_needed(g, box, value);
}

/* The table of "n", needed on "box", where elements of "n" read it that are not
 * needed, too; as one for the array that it reads, or for any. */
static ilex_array *
table_of(const ilex_array *n, const gather *g, const ix_domain *box, bool any)
{
    ix_axis ax[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    int rank = 0, count = 1;
    ilex_array *operands[3] = {n->ops[g->entry->attr[0] + 1]};
    for (int k = 0; k < box->rank; k++)
        if (g->axes >> k & 1) {
            valid[rank] = n->valid->ax[k];
            ax[rank++] = box->ax[k];
        }
    if (g->mask)
        operands[count++] = n->ops[g->mask->attr[0] + 1];
    if (!any)
        operands[count++] = n->ops[g->load->attr[0] + 1];
    ilex_array *body = table_body(g, box, any ? 0 : count);
    return ix_node_lambda(n->ctx, ix_domain_new(n->ctx, rank, ax),
                          ix_domain_new(n->ctx, rank, valid), body, count,
                          operands);
}

/* ---- arrays that read by them ---- */

/* The array with another body and another operand. */
static ilex_array *
with_operands(ix_unit *u, ilex_array *n, ilex_array *body, int64_t at,
              ilex_array *operand)
{
    size_t bytes = (size_t)n->nops * sizeof(ilex_array *);
    ilex_array **ops = ix_arena_new(&u->arena, bytes);
    memcpy(ops, n->ops, bytes);
    ops[0] = body;
    ops[at] = operand;
    return ix_with_operands(n, ops);
}

/* The array "n" with "table" in the place of its indices. */
static ilex_array *
by_table(ix_unit *u, ilex_array *n, const gather *g, ilex_array *table)
{
    ilex_context *ctx = n->ctx;
    ilex_array *index[ILEX_MAX_RANK], *body;
    int slot = (int)g->entry->attr[0], rank = 0;
    for (int k = 0; k < ix_rank(n); k++)
        if (g->axes >> k & 1)
            index[rank++] = ix_scalar_index(ctx, k);
    ilex_array *entry =
        ix_scalar_load(ctx, (ilex_dtype)g->entry->dtype, slot, rank, index);
    const ix_checked c = {.what = IX_CHECKED_INDEX,
                          .axis = (int)g->checked->attr[0],
                          .trusted = true,
                          .value = ix_scalar_cast(ctx, ILEX_I64, entry),
                          .lo = g->checked->ops[1],
                          .hi = g->checked->ops[2]};
    memcpy(index, g->load->ops, (size_t)g->load->nops * sizeof *index);
    index[g->along] = ix_scalar_checked_as(ctx, &c);
    body = ix_scalar_load(ctx, (ilex_dtype)g->load->dtype,
                          (int)g->load->attr[0], g->load->nops, index);
    if (g->mask)
        body =
            ix_structure_where(ctx, n->ops[0]->ops[0], body, n->ops[0]->ops[2]);
    return with_operands(u, n, body, slot + 1, table);
}

/* The input that an array has the elements of, at its own points under the same
 * names; NULL: it is none, or an output. */
static ilex_array *
copy_of(tables *t, const ilex_array *x)
{
    const ilex_array *load = x->kind == IX_LAMBDA ? x->ops[0] : NULL;
    ilex_array *from =
        load && load->kind == IX_LOAD ? x->ops[load->attr[0] + 1] : NULL;
    if (!from || from->kind != IX_INPUT || load->nops != ix_rank(x) ||
        ix_partition_of(&t->p, x)->root)
        return NULL;
    for (int k = 0; k < load->nops; k++)
        if (load->ops[k] != ix_scalar_index(x->ctx, k) ||
            x->interior->ax[k].name != from->interior->ax[k].name)
            return NULL;
    return from;
}

/* The array, reading an input in the place of its copy. */
static ilex_array *
without_copy(tables *t, ilex_array *n, gather *g)
{
    int64_t slot = g->load->attr[0] + 1;
    ilex_array *from = copy_of(t, n->ops[slot]);
    g->copied = from != NULL;
    return from ? with_operands(t->u, n, n->ops[0], slot, from) : n;
}

static ilex_array *
rewrite(ix_unit *u, void *user, ilex_array *n)
{
    tables *t = user;
    size_t at = t->at++;
    gather g;
    if (!t->taken[at] || !find_gather(n, &g))
        return n;
    n = without_copy(t, n, &g);
    ilex_array *any = table_of(n, &g, u->need[at], true);
    const size_t *known = ix_map_find(&t->made, any);
    ilex_array *table =
        known ? (ilex_array *)*known : table_of(n, &g, u->need[at], false);
    if (!known)
        ix_map_set(&t->made, &u->mem, any, (size_t)table);
    return ix_is_poison(table) ? table : by_table(u, n, &g, table);
}

/* ---- all ---- */

bool
ix_is_table(const ilex_array *n)
{
    const ilex_array *x = n->ops[0];
    while (x->kind == IX_OP && ix_op_of(x) == IX_OP_WHERE)
        x = x->ops[1];
    x = x->kind == IX_CAST ? x->ops[0] : x;
    return x->kind == IX_CHECKED && ix_checked_of(x) != 0;
}

/* How many arrays want the same table? */
static size_t *
uses_of(tables *t, size_t i, const gather *g)
{
    const ix_unit *u = t->u;
    ilex_array *any = table_of(u->order[i], g, u->need[i], true);
    if (!ix_map_find(&t->uses, any))
        ix_map_set(&t->uses, &u->mem, any, 0);
    return ix_map_find(&t->uses, any);
}

/* Finds out what is changed; is anything? */
static bool
look(tables *t)
{
    ix_unit *u = t->u;
    gather g;
    bool some = false;
    for (size_t i = 0; i < u->norder; i++)
        if (u->need[i] && find_gather(u->order[i], &g))
            ++*uses_of(t, i, &g);
    for (size_t i = 0; i < u->norder; i++) {
        const ix_partition_info *x = &t->p.of[i];
        if (u->need[i] && !x->root && find_gather(u->order[i], &g))
            some |= t->taken[i] = x->apart || *uses_of(t, i, &g) > 1;
    }
    return some;
}

bool
ix_pass_tables(ix_unit *u)
{
    tables t = {.u = u, .p = {.u = u, .mem = ix_arena_mem(&u->arena)}};
    if (u->reference || !ix_option_int(u->ctx, IX_OPTION_fuse))
        return true;
    size_t n = u->norder + 1;
    t.taken = ix_arena_new(&u->arena, n * sizeof *t.taken);
    t.p.of = ix_arena_new(&u->arena, n * sizeof *t.p.of);
    for (size_t i = 0; i < u->nroots; i++)
        ix_partition_of(&t.p, u->root[i])->root = true;
    ix_partition_checks(&t.p);
    return !look(&t) || (ix_unit_rewrite(u, rewrite, &t) && ix_pass_extents(u));
}
