/* SPDX-License-Identifier: MIT
 *
 * Pass nest: statements. needs: stages; gives: a kernel for each, loops over
 * its box around one store; breaks: stages. And nests of loops in general:
 * chains of FORs with nothing beside them.
 */
#include "compiler/tree/tree.h"

ix_stmt *
ix_nest_body(ix_stmt *nest)
{
    while (nest->kind == IX_STMT_FOR)
        nest = nest->body;
    return nest;
}

ix_stmt *
ix_nest_like(ix_unit *u, const ix_stmt *nest, ix_stmt *body)
{
    if (nest->kind != IX_STMT_FOR)
        return body;
    ix_stmt *loop = ix_stmt_copy(u, nest);
    loop->body = ix_nest_like(u, nest->body, body);
    return loop;
}

bool
ix_nest_has_reduction(ix_stmt *nest)
{
    for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
        if (s->value->flags & IX_HAS_REDUCE)
            return true;
    return false;
}

ix_kernel *
ix_unit_kernel(ix_unit *u, const ix_domain *box)
{
    ix_kernel *k = ix_arena_new(&u->arena, sizeof *k);
    k->box = box;
    for (int i = 0; i < box->rank; i++)
        ix_kernel_variable(u, k, 'i');
    return k;
}

void
ix_kernel_store(ix_unit *u, ix_kernel *k, int buffer, ilex_array *value)
{
    ilex_array *index[ILEX_MAX_RANK];
    const ix_domain *box = k->box;
    for (int i = 0; i < box->rank; i++)
        index[i] = ix_scalar_index(u->ctx, i);
    k->body =
        ix_stmt_store(u, ix_element_of(u, buffer, box->rank, index), value);
    for (int i = box->rank - 1; i >= 0; i--) {
        ix_stmt *loop = ix_stmt_for(u, i, ix_index_lin(u->ctx, box->ax[i].lo),
                                    ix_index_lin(u->ctx, box->ax[i].hi));
        loop->parallel = true;
        loop->optional = false; /* a run launches no kernel with an empty box */
        loop->body = k->body;
        k->body = loop;
    }
}

void
ix_unit_number(ix_unit *u)
{
    u->nkernels = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->number = u->nkernels++;
}

bool
ix_pass_nest(ix_unit *u)
{
    ix_kernel **tail = &u->kernels;
    for (size_t i = 0; i < u->nstages; i++) {
        const ix_stage *stage = &u->stage[i];
        *tail = ix_unit_kernel(u, stage->box);
        ix_kernel_store(u, *tail, stage->buffer, stage->body);
        tail = &(*tail)->next;
    }
    ix_unit_number(u);
    u->level = IX_LEVEL_TREE;
    return u->ctx->error.code == ILEX_OK;
}
