/* SPDX-License-Identifier: MIT
 *
 * Statements of reductions: lanes, stacks of partial results.
 */
#include "compiler/emit/emit.h"

#include <stdio.h>

/* a = b for each part. */
static void
copy(ix_emitter *e, const ix_stmt *s, const ix_name *to, const ix_name *from)
{
    ix_emit_put(e, "%s = %s;", to->re, from->re);
    if (ix_dtype_is_complex(s->dtype))
        ix_emit_put(e, "%s = %s;", to->im, from->im);
}

/* l[j] = op(l[j], l[j + h]) for h = lanes/2 ... 1, then a = l[0]. */
void
ix_emit_fold(ix_emitter *e, const ix_stmt *s)
{
    ix_name p = ix_emit_scratch(s->from, "[j]"),
            q = ix_emit_scratch(s->from, "[j + h]"),
            first = ix_emit_scratch(s->from, "[0]"),
            to = ix_emit_scratch(s->to, "");
    ix_emit_open(e, "for (i64 h = %d; h > 0; h >>= 1)",
                 (int)s->from->extent / 2);
    ix_emit_open(e, "for (i64 j = 0; j < h; j++)");
    ix_emit_combine(e, s->op, s->from->dtype, &p, &q, &p);
    ix_emit_close(e);
    ix_emit_close(e);
    copy(e, s->to, &to, &first);
}

/* ---- stacks ---- */

/* The loop over the points of a strip, if there is one; what a point's element
 * is called: "[v]". */
static const char *
open_points(ix_emitter *e, const ix_stmt *s)
{
    if (!s->n[0])
        return "";
    if (*e->dialect->vector_pragma)
        ix_emit_put(e, "%s", e->dialect->vector_pragma);
    ix_emit_open(e, "for (i64 v = 0; v < %s; v++)",
                 ix_emit_leaf(e, s->x[0]).re);
    return "[v]";
}

static void
close_points(ix_emitter *e, const ix_stmt *s)
{
    if (s->n[0])
        ix_emit_close(e);
}

/* The slot at the top of the stack, and an accumulator, of a point. */
static void
name_slot(const ix_stmt *stack, const ix_stmt *a, const char *point,
          ix_name *slot, ix_name *acc)
{
    char index[32];
    snprintf(index, sizeof index, "[d%d]%s", stack->number, point);
    *slot = ix_emit_scratch(stack, index);
    *acc = ix_emit_scratch(a, point);
}

/* a = op(p[--d], a): the left operand is popped first, so that a statement has
 * one effect. */
static void
pop_and_combine(ix_emitter *e, const ix_stmt *s, const ix_stmt *stack,
                const ix_stmt *a)
{
    ix_name slot, acc;
    ix_emit_put(e, "d%d--;", stack->number);
    name_slot(stack, a, open_points(e, s), &slot, &acc);
    ix_emit_combine(e, s->op, stack->dtype, &slot, &acc, &acc);
    close_points(e, s);
}

static void
move_slot(ix_emitter *e, const ix_stmt *s, const ix_stmt *stack,
          const ix_stmt *a, bool push)
{
    ix_name slot, acc;
    name_slot(stack, a, open_points(e, s), &slot, &acc);
    copy(e, stack, push ? &slot : &acc, push ? &acc : &slot);
    close_points(e, s);
}

/* Combines the chunk's result with those on the stack that are as long as it:
 * one for every trailing set bit of the number of chunks before, if pushed. */
void
ix_emit_push(ix_emitter *e, const ix_stmt *s)
{
    int m = s->to->number;
    ix_emit_open(e, "for (i64 m%d = c%d; m%d & 1 && d%d > 0; m%d >>= 1)", m, m,
                 m, m, m);
    pop_and_combine(e, s, s->to, s->from);
    ix_emit_close(e);
    move_slot(e, s, s->to, s->from, true);
    ix_emit_put(e, "d%d++;", m);
    ix_emit_put(e, "c%d++;", m);
}

/* The stack folded from its top, if there is anything. */
void
ix_emit_pop(ix_emitter *e, const ix_stmt *s)
{
    int m = s->from->number;
    ix_emit_open(e, "if (d%d > 0)", m);
    ix_emit_put(e, "d%d--;", m);
    move_slot(e, s, s->from, s->to, false);
    ix_emit_close(e);
    ix_emit_open(e, "while (d%d > 0)", m);
    pop_and_combine(e, s, s->from, s->to);
    ix_emit_close(e);
}
