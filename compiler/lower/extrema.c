/* SPDX-License-Identifier: MIT
 *
 * Updates that keep the larger or smaller of an element and a value: the value
 * is stored where it is better, which it seldom is, in place of one or the
 * other, for which the next one of the same element would have to wait.
 */
#include "compiler/lower/reduce.h"

/* When a value replaces the element that is stored, and that value, into
 * "value"; NULL where it is no such update. */
static ilex_array *
when_better(ix_unit *u, ix_stmt *s, ilex_array **value)
{
    ilex_array *v = ix_store_value(s);
    bool max = v->kind == IX_OP && ix_op_of(v) == IX_OP_MAXIMUM;
    if (!max && (v->kind != IX_OP || ix_op_of(v) != IX_OP_MINIMUM))
        return NULL;
    ilex_array *element =
        ix_scalar_load(u->ctx, (ilex_dtype)v->dtype, s->buffer,
                       s->n[IX_INDICES], ix_operands(s, IX_INDICES));
    *value = v->ops[v->ops[0] == element];
    ilex_array *ops[2] = {*value, element};
    return v->ops[0] != element && v->ops[1] != element
               ? NULL
               : ix_scalar_op(u->ctx, max ? IX_OP_ABOVE : IX_OP_BELOW,
                              ix_loop_of(v), ILEX_BOOL, ops);
}

static ix_stmt *
extremum_stmt(ix_builder *b, ix_stmt *s)
{
    ilex_array *value = NULL, *better = NULL;
    ix_stmt *t = ix_stmt_copy(b->u, s);
    if (s->kind == IX_STMT_STORE && s->buffer >= 0)
        better = when_better(b->u, s, &value);
    if (!better)
        return t;
    ix_stmt *branch = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &better}));
    ix_set_operand(t, IX_store_value, value);
    ix_build_open(b, branch);
    ix_build_put(b, t);
    ix_build_close(b, branch);
    return NULL;
}

bool
ix_reduce_extremum(ix_unit *u, ix_kernel *k)
{
    const ilex_array *n = ix_nest_body(k->nests)->array;
    bool combines = n && n->kind == IX_UPDATE && n->nattr;
    return !combines || !k->ordered || ix_rebuild(u, k, extremum_stmt);
}
