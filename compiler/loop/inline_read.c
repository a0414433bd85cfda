/* SPDX-License-Identifier: MIT
 *
 * What a read of a temporary that is inlined becomes. Of a temporary of pieces
 * it is the expression of the one that has the element, where the loops around
 * the read say which: all others have no point there. Else it is a `where` that
 * asks for the bounds of one after the other,
 *
 *     for i in [0, 1)  T[i] = f(i)            for j in [0, n)
 *     for i in [1, n)  T[i] = g(i)              y[j] = where(n - 1 - j < 1,
 *     for j in [0, n)  y[j] = T[n - 1 - j]          f(n - 1 - j), g(n - 1 - j))
 *
 * of which pass guard makes a branch, so that no piece is computed where it is
 * not.
 */
#include "compiler/loop/inline.h"

static ilex_array *read_element(void *user, ilex_array *load,
                                ilex_array *const *index);

/* What stands at each point of a piece, at a point. */
static ilex_array *
at_point(ix_inlining *x, const ix_access *piece, ilex_array *const *index,
         ilex_array *what)
{
    ix_substitution s = {.ctx = x->u->ctx,
                         .mem = &x->u->mem,
                         .load = read_element,
                         .became = ix_origin_keep,
                         .user = x,
                         .listener = x->u,
                         .quiet = true};
    for (int d = 0; piece && d < piece->rank; d++)
        if (piece->index[d]->kind == IX_INDEX)
            ix_substitution_set(&s, piece->index[d], index[d]);
    what = ix_substitute(&s, what);
    x->too_large |= s.too_large;
    ix_substitution_free(&s);
    return what;
}

/* ---- of which pieces ---- */

int
ix_inline_pieces(const ix_inlining *x, ix_accesses *a, const ix_access *read,
                 int *piece)
{
    int n = 0;
    for (int i = 0; i < x->npieces && x->npieces > 1; i++)
        if (ix_accesses_meet(a, x->piece[i], read, 0, NULL) != IX_NO)
            piece[n++] = i;
    if (n == 0)
        piece[n++] = 0;
    return n;
}

/* ---- which one ---- */

/* A condition for one of some pieces that no element of the others satisfies.
 */
typedef struct telling {
    ix_inlining *x;
    const ix_access *read;
    int n;
    const int *piece; /* the others */
    ilex_array *all;  /* NULL: nothing so far */
} telling;

/* May the read be of another one where a condition does not hold and those so
 * far do? */
static bool
is_needed(const telling *t, const ilex_array *condition)
{
    ix_access there = *t->read;
    ix_branch others = {t->all, true, there.branch},
              fails = {condition, false, t->all ? &others : there.branch};
    bool may = false;
    there.branch = &fails;
    for (int i = 0; i < t->n && !may; i++)
        may = ix_accesses_meet(t->x->a, t->x->piece[t->piece[i]], &there, 0,
                               NULL) != IX_NO;
    return may;
}

static void
tell(telling *t, ix_op op, ilex_array *index, ilex_array *bound)
{
    ilex_context *ctx = t->x->u->ctx;
    ilex_array *ops[2] = {index, bound},
               *is = ix_scalar_op(ctx, op, ILEX_I64, ILEX_BOOL, ops);
    ilex_array *both[2] = {t->all, is};
    if (!is_needed(t, is))
        return;
    t->all = t->all ? ix_scalar_op(ctx, IX_OP_LOGICAL_AND, ILEX_BOOL, ILEX_BOOL,
                                   both)
                    : is;
}

/* What of the bounds of a piece others may not satisfy: an element that is in
 * another piece is outside of one of these. */
static ilex_array *
condition_of(telling *t, const ix_access *piece)
{
    ix_inlining *x = t->x;
    ilex_array *const *index = t->read->index;
    for (int d = 0; d < piece->rank; d++)
        if (piece->index[d]->kind == IX_CONST)
            tell(t, IX_OP_EQUAL, index[d], piece->index[d]);
    for (int i = 0; i < piece->depth; i++) {
        const ix_stmt *loop = piece->around[i];
        ilex_array *at =
            at_point(x, piece, index, ix_scalar_index(x->u->ctx, loop->number));
        for (int j = 0; j < ix_operands_before(loop, IX_for_while); j++)
            tell(t, j < loop->n[IX_for_lo] ? IX_OP_GREATER_EQUAL : IX_OP_LESS,
                 at, at_point(x, piece, index, loop->x[j]));
    }
    return t->all;
}

/* ---- what it becomes ---- */

/* The expression for a read of some pieces. */
static ilex_array *
value_of(ix_inlining *x, const ix_access *read, int n, const int *piece)
{
    const ix_access *p = x->piece[piece[0]];
    ilex_array *value = at_point(x, p, read->index, ix_store_value(p->stmt)),
               *other = n > 1 ? value_of(x, read, n - 1, piece + 1) : value;
    if (value == other || x->too_large)
        return value;
    telling t = {x, read, n - 1, piece + 1, NULL};
    ilex_array *ops[3] = {condition_of(&t, p), value, other};
    x->too_large |= !ops[0] || !ix_is_index_condition(ops[0]);
    if (x->too_large)
        return value;
    if ((ops[0]->flags & IX_HAS_VALUE) || x->stmt->kind == IX_STMT_IF) {
        x->unknown = x->stmt->kind == IX_STMT_IF
                         ? "in a condition"
                         : "at an index that is computed";
        x->among = piece[0];
    }
    ilex_dtype dtype = (ilex_dtype)value->dtype;
    return ix_scalar_op(x->u->ctx, IX_OP_WHERE, dtype, dtype, ops);
}

static ilex_array *
read_element(void *user, ilex_array *load, ilex_array *const *index)
{
    ix_inlining *x = user;
    const ix_access *read = x->a->item;
    int piece[IX_MOST_PIECES];
    (void)index;
    if (load->attr[0] != x->buffer)
        return NULL;
    while (read->stmt != x->stmt || read->index != load->ops)
        read++;
    int n = ix_inline_pieces(x, x->a, read, piece);
    return value_of(x, read, n, piece);
}

void
ix_inline_stmt(ix_inlining *x, ix_stmt *s)
{
    x->stmt = s;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        s->x[i] = at_point(x, NULL, NULL, s->x[i]);
}
