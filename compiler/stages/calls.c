/* SPDX-License-Identifier: MIT
 *
 * Calls of functions of the host, which stand between stages: arguments are
 * stored, so are results, and the function is given the parts of their buffers
 * that its declaration speaks of. Those of the library's routines, which sort,
 * are given all of them, and memory.
 */
#include "compiler/stages/partition.h"
#include "lib/build/foreign.h"
#include "lib/ops/dtype.h"
#include "lib/sort/sort.h"

bool
ix_decide_call(ix_partition *p, size_t i)
{
    ilex_array *x;
    p->of[i].stored = true;
    for (int k = 0; (x = ix_operand(p->u->order[i], k)); k++)
        ix_partition_note_read(p, x)->gathered = true;
    return true;
}

const char *
ix_call_name(const ix_unit *u, const ix_foreign_call *c)
{
    return c->routine ? ix_kind_infos[c->node->kind].text
                      : ix_symbol_text(u->ctx, ix_foreign_name(c->node));
}

/* ---- routines ---- */

/* What a routine works in: so many integers for each element of the result.
 * NULL: nothing, as for rows that are known to be short. */
static const ix_domain *
memory_of(const ilex_array *n)
{
    enum { SORT = 3, OTHER = 5 };
    bool complex = ix_dtype_is_complex((ilex_dtype)n->ops[0]->dtype);
    int64_t words = n->kind == IX_SORT && !complex ? SORT : OTHER;
    ix_axis ax[ILEX_MAX_RANK], *along = &ax[n->attr[n->nattr - 1]];
    if (n->kind == IX_SEARCHSORTED)
        return NULL;
    memcpy(ax, n->interior->ax, (size_t)ix_rank(n) * sizeof *ax);
    if (n->kind != IX_ARG_TOP_K && !complex && along->hi->n == 0 &&
        along->hi->c <= IX_SHORT)
        return NULL;
    along->hi = ix_lin_scale(n->ctx, along->hi, words);
    return ix_domain_new(n->ctx, ix_rank(n), ax);
}

bool
ix_store_routine(ix_partition *p, size_t i)
{
    static const int routines[IX_NKINDS] = {
        [IX_SORT] = IX_ROUTINE_SORT,
        [IX_ARGSORT] = IX_ROUTINE_ARGSORT,
        [IX_SEARCHSORTED] = IX_ROUTINE_SEARCHSORTED,
        [IX_ARG_TOP_K] = IX_ROUTINE_ARG_TOP_K};
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    const ix_domain *memory = memory_of(n);
    ix_foreign_call *c = ix_arena_new(&u->arena, sizeof *c);
    ilex_array *x;
    enum { SLICES = 4 };
    c->node = ix_unit_program(u, n);
    c->routine = routines[n->kind];
    c->axis = (int)n->attr[n->nattr - 1];
    c->slice = ix_arena_new(&u->arena, SLICES * sizeof *c->slice);
    for (; (x = ix_operand(n, c->narguments)); c->narguments++)
        c->slice[c->narguments] =
            (ix_slice){ix_partition_of(p, x)->buffer, x->interior};
    c->slice[c->narguments] =
        (ix_slice){ix_partition_buffer(p, i), n->interior};
    c->nresults = 1;
    if (memory)
        c->slice[c->narguments + c->nresults++] =
            (ix_slice){ix_unit_temporary(u, memory, ILEX_I64), memory};
    ix_unit_call(u, c);
    return u->ctx->error.code == ILEX_OK;
}

/* ---- functions of others ---- */

bool
ix_store_call(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    ix_foreign_call *c = ix_arena_new(&u->arena, sizeof *c);
    c->node = ix_unit_program(u, n);
    c->narguments = n->nops - 1;
    c->nresults = ix_tuple_count(n);
    size_t slices = (size_t)(c->narguments + c->nresults);
    c->slice = ix_arena_new(&u->arena, slices * sizeof *c->slice);
    for (int k = 0; k < c->narguments; k++)
        c->slice[k] = (ix_slice){ix_partition_of(p, n->ops[k + 1])->buffer,
                                 ix_foreign_box(n, k)};
    for (int k = 0; k < c->nresults; k++) {
        const ix_domain *box = ix_tuple_domain(n, k);
        c->slice[c->narguments + k] =
            (ix_slice){ix_result_buffer(p, i, k, box), box};
    }
    ix_unit_call(u, c);
    return true;
}
