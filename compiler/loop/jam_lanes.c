/* SPDX-License-Identifier: MIT
 *
 * jam: lanes of several points are folded side by side, an element of each
 * point in an iteration: loops over the halves of lanes, which points move
 * past, are in place of the statement that folds those of one.
 */
#include "compiler/loop/jam.h"

/* ---- the loops of a fold ---- */

/* A loop over lanes below "n" of what the lanes of "fold" are lanes of. */
static ix_stmt *
loop_over_lanes(const ix_jam_state *j, const ix_stmt *fold, int64_t n)
{
    const ix_kernel *k = j->k;
    ilex_context *ctx = j->u->ctx;
    ix_variable like = {.part_of = -1};
    const ix_stmt *lanes = ix_jam_lanes(j, j->loop->body, fold->from);
    if (lanes)
        like = k->variable[lanes->number];
    int v = ix_kernel_part(j->u, j->k, IX_VARIABLE_LANE, like.part_of);
    k->variable[v].reduction = like.reduction;
    ix_stmt *loop =
        ix_stmt_for(j->u, v, ix_index_const(ctx, 0), ix_index_const(ctx, n));
    loop->parallel = true;
    loop->optional = false;
    return loop;
}

/* l[i] = op(l[i], l[i + half]) for i < half */
static void
put_halves(const ix_jam_state *j, ix_builder *b, const ix_stmt *fold,
           int64_t half)
{
    ix_unit *u = j->u;
    ix_stmt *loop = loop_over_lanes(j, fold, half);
    ilex_array *i = ix_scalar_index(u->ctx, loop->number);
    ix_build_open(b, loop);
    ilex_array *other =
        ix_build_read(b, fold->from, ix_index_offset(u->ctx, i, half));
    ix_build_put(b, ix_stmt_update(u, fold->op,
                                   ix_element_scratch(fold->from, i), other));
    ix_build_close(b, loop);
}

/* As the statement is emitted (compiler/emit/emit_lanes.c). */
static ix_stmt *
unfold(const ix_jam_state *j, const ix_stmt *fold)
{
    ix_unit *u = j->u;
    ix_builder b;
    ix_element to = ix_element_scratch(fold->to, NULL);
    ix_build_begin(&b, u, j->k);
    for (int64_t half = fold->from->extent / 2; half > 1; half /= 2)
        put_halves(j, &b, fold, half);
    ilex_array *first =
        ix_build_read(&b, fold->from, ix_index_const(u->ctx, 0));
    ilex_array *second =
        ix_build_read(&b, fold->from, ix_index_const(u->ctx, 1));
    ix_build_put(&b, ix_stmt_store(u, to, first));
    ix_build_put(&b, ix_stmt_update(u, fold->op, to, second));
    return ix_build_end(&b);
}

/* ---- all of them ---- */

const ix_stmt *
ix_jam_lanes(const ix_jam_state *j, const ix_stmt *list, const ix_stmt *lanes)
{
    const ix_stmt *found = NULL;
    for (; list && !found; list = list->next) {
        const ix_stmt *first = list->body;
        if (list->kind == IX_STMT_FOR && first && first->mem &&
            first->mem->number == lanes->number &&
            j->k->variable[list->number].role == IX_VARIABLE_LANE)
            return list;
        found = ix_jam_lanes(j, first, lanes);
        found = found ? found : ix_jam_lanes(j, list->other, lanes);
    }
    return found;
}

ix_stmt *
ix_jam_unfold(const ix_jam_state *j, const ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    for (; list; list = list->next) {
        bool folds = list->kind == IX_STMT_FOLD;
        ix_stmt *t = folds ? unfold(j, list) : ix_stmt_copy(j->u, list);
        if (!folds) {
            t->body = ix_jam_unfold(j, list->body);
            t->other = ix_jam_unfold(j, list->other);
        }
        *tail = t;
        tail = ix_stmt_end(tail);
    }
    return first;
}
