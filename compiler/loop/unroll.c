/* SPDX-License-Identifier: MIT
 *
 * unroll L: a loop of constant length becomes its iterations, each with values
 * and cells of its own:
 *
 *     for i in [s, s + 2)           ...[s]
 *         ...[i]                    ...[s + 1]
 */
#include "compiler/loop/loop.h"

enum { MOST_COPIES = 64, FEW = 16 };

int64_t
ix_loop_length(ix_unit *u, const ix_stmt *loop)
{
    if (loop->n[IX_for_lo] != 1 || loop->n[IX_for_hi] != 1)
        return -1;
    const ilex_array *n =
        ix_index_try_fma(u->ctx, ix_for_hi(loop), -1, ix_for_lo(loop));
    if (!n || n->kind != IX_CONST)
        return -1;
    return n->attr[0] > 0 ? (n->attr[0] - 1) / loop->step + 1 : 0;
}

bool
ix_loop_is_short(ix_unit *u, const ix_stmt *loop)
{
    int64_t length = ix_loop_length(u, loop);
    return length >= 0 && length < FEW;
}

bool
ix_index_most(ix_unit *u, ilex_array *b, ilex_array *a, int64_t *most)
{
    const ilex_array *x = ix_index_try_fma(u->ctx, b, -1, a);
    const ix_lin *lin = x ? ix_index_to_lin(u->ctx, x) : NULL;
    return lin && ix_lin_end(u->ctx, lin, true, most) && *most < INT64_MAX;
}

int64_t
ix_loop_most(ix_unit *u, const ix_stmt *loop)
{
    int64_t most = 0, n;
    for (int i = 0; i < loop->n[IX_for_hi]; i++)
        if (ix_index_most(u, ix_operands(loop, IX_for_hi)[i], ix_for_lo(loop),
                          &n) &&
            (most == 0 || n < most))
            most = n;
    return most;
}

ix_stmt *
ix_loop_put_index(ix_unit *u, const ix_stmt *list, int variable, ilex_array *x)
{
    ilex_context *ctx = u->ctx;
    ix_substitution s = {
        .ctx = ctx, .mem = &u->mem, .became = ix_origin_keep, .user = u};
    ix_substitution_set(&s, ix_scalar_index(ctx, variable), x);
    ix_stmt *now = ix_stmt_substitute(u, &s, list);
    ix_substitution_free(&s);
    return now;
}

ix_stmt *
ix_loop_body_at(ix_unit *u, ix_kernel *k, const ix_stmt *loop, ilex_array *x)
{
    return ix_loop_put_index(u, ix_stmt_clone(u, k, loop->body), loop->number,
                             x);
}

/* Do threads divide it? */
static bool
is_divided(const ix_stmt *loop)
{
    const ilex_array *lo = ix_for_lo(loop);
    return lo->kind == IX_VALUE && lo->attr[0] == IX_VALUE_BEGIN;
}

ix_refusal
ix_loop_unroll(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    (void)d;
    ix_stmt *loop = ix_cursor_loop(c), **tail = c->at;
    int64_t n = ix_loop_length(u, loop);
    if (!ix_loop_is_plain(loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (n <= 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         !n                 ? "it has no iteration"
                         : is_divided(loop) ? "threads divide the loop, so "
                                              "that its length is no constant"
                                            : "the loop's length is no "
                                              "constant");
    if (ix_loop_has_temporary(u, c->k, ix_cursor_loop(c)))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_OWN_TEMPORARY);
    if (n > MOST_COPIES || !ix_loop_has_room(u, c->k, n - 1, loop->body))
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "%lld iterations are too long without a loop",
                         (long long)n);
    ix_stmt *copy[MOST_COPIES + 1];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = loop->down ? n - 1 - i : i;
        ilex_array *x =
            ix_index_offset(u->ctx, ix_for_lo(loop), at * loop->step);
        copy[i] = ix_loop_body_at(u, c->k, loop, x);
    }
    copy[n] = loop->next;
    ix_loop_apart(u, c->k, (int)n + 1, copy);
    for (int64_t i = 0; i <= n; i++) {
        *tail = copy[i];
        tail = ix_stmt_end(tail);
    }
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
