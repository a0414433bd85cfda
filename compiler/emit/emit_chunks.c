/* SPDX-License-Identifier: MIT
 *
 * Reductions: chunks of IX_CHUNK elements, combined pairwise in index order
 * with a stack that holds one partial result per set bit of the number of
 * chunks so far.
 */
#include <stdio.h>

#include "compiler/emit/emit_reduce.h"

enum { STACK = 52 };

/* a = op(p[--d], a): the left operand is popped first, so that a statement has
 * one effect. */
static void
pop_and_combine(ix_reduce_axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    char slot[32];
    ix_emit_put(e, e->depth, "d%d--;", x->number);
    snprintf(slot, sizeof slot, "[d%d]", x->number);
    ix_name top = ix_reduce_name(x, "p", slot);
    ix_reduce_open_strip(x);
    ix_emit_combine(e, x->op, x->acc, &top, a, a);
    ix_reduce_close_strip(x);
}

/* Copies a result to the top slot of the stack, or back. */
static void
move_slot(ix_reduce_axis *x, const ix_name *a, bool push)
{
    char slot[40], fmt[64];
    snprintf(slot, sizeof slot, "p%d#[d%d]%s", x->number, x->number,
             x->e->strip ? "[v]" : "");
    snprintf(fmt, sizeof fmt, push ? "%s = @;" : "@ = %s;", slot);
    ix_reduce_open_strip(x);
    ix_reduce_put(x, fmt, a->re, a->im);
    ix_reduce_close_strip(x);
}

/* Combines the chunk's result with those on the stack that are as long as it:
 * one for every trailing set bit of the number of chunks before. */
static void
push_chunk(ix_reduce_axis *x, const ix_name *a)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[96];
    ix_emit_open(e);
    pop_and_combine(x, a);
    snprintf(header, sizeof header, "for (i64 m%d = c%d; m%d & 1; m%d >>= 1)",
             m, m, m, m);
    ix_emit_close(e, header);
    move_slot(x, a, true);
    ix_emit_put(e, e->depth, "d%d++;", m);
    ix_emit_put(e, e->depth, "c%d++;", m);
}

/* result = the stack folded from its top, or the value over nothing. */
static void
fold_stack(ix_reduce_axis *x, const ix_name *result)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[64];
    ix_emit_open(e);
    ix_emit_put(e, e->depth, "d%d--;", m);
    move_slot(x, result, false);
    snprintf(header, sizeof header, "if (d%d > 0)", m);
    ix_emit_close(e, header);
    ix_emit_open(e);
    pop_and_combine(x, result);
    snprintf(header, sizeof header, "while (d%d > 0)", m);
    ix_emit_close(e, header);
}

/* Chunks of IX_CHUNK, combined pairwise in index order. */
ix_name
ix_reduce_chunks(ix_reduce_axis *x)
{
    ix_emitter *e = x->e;
    int m = x->number;
    char header[256], fmt[64], from[16], to[16];
    if (e->names)
        ix_emit_put(e, e->depth,
                    "/* chunks of %d; p%d: stack of %s, d%d deep; c%d: chunks "
                    "so far */",
                    IX_CHUNK, m, e->strip ? "strips" : "partial results", m, m);
    snprintf(fmt, sizeof fmt, "%s p%d#[%d]%s;", x->type, m, STACK,
             ix_reduce_strip_size(x));
    ix_reduce_put(x, fmt, "", "");
    ix_emit_put(e, e->depth, "i32 d%d = 0;", m);
    ix_emit_put(e, e->depth, "i64 c%d = 0;", m);
    ix_emit_open(e);
    snprintf(from, sizeof from, "q%d", m);
    snprintf(to, sizeof to, "e%d", m);
    ix_emit_put(e, e->depth, "const i64 %s = %s + %d < %s ? %s + %d : %s;", to,
                from, IX_CHUNK, x->hi, from, IX_CHUNK, x->hi);
    ix_name a = ix_reduce_declare_accumulator(x);
    ix_reduce_chunk(x, from, to, &a);
    push_chunk(x, &a);
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s += %d)",
             from, x->lo, from, x->hi, from, IX_CHUNK);
    ix_emit_close(e, header);
    ix_name t = ix_reduce_declare_empty(x);
    fold_stack(x, &t);
    return t;
}
