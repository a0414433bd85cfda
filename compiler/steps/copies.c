/* SPDX-License-Identifier: MIT
 *
 * Kernels that do nothing but copy whole fields to what a loop of the program
 * carries, or from there to outputs. A run need not make such a copy where both
 * lie alike: the loop reads the one array in its first step, or has it as one
 * of the two memories that take turns (compiler/run/repeats.inc). Where a
 * kernel has several copies it makes all or none; what is where it goes already
 * is then stored again as it is.
 */
#include "compiler/steps/finish.h"
#include "compiler/tree/tree.h"

/* Are that the ranges of the loops of a nest, in order, and nothing beside? */
static bool
runs_over(const ix_unit *u, const ix_stmt *nest, const ix_domain *box)
{
    const ix_stmt *s = nest;
    for (int k = 0; k < box->rank; k++, s = s->body)
        if (s->kind != IX_STMT_FOR || s->number != k || s->n[IX_for_lo] != 1 ||
            s->n[IX_for_hi] != 1 ||
            ix_for_lo(s) != ix_index_lin(u->ctx, box->ax[k].lo) ||
            ix_for_hi(s) != ix_index_lin(u->ctx, box->ax[k].hi))
            return false;
    return s->kind == IX_STMT_STORE;
}

/* The buffer whose element is stored at the same indices, which are those of
 * the loops; -1: another value is. */
static int
copied_by(const ix_unit *u, const ix_stmt *store)
{
    const ilex_array *value = ix_store_value(store);
    bool same = value->kind == IX_LOAD && value->nops == store->n[IX_INDICES];
    for (int d = 0; same && d < value->nops; d++)
        same = value->ops[d] == ix_scalar_index(u->ctx, d) &&
               ix_operands(store, IX_INDICES)[d] == value->ops[d];
    return same ? (int)value->attr[0] : -1;
}

static bool
is_whole(const ix_domain *box, const ix_domain *of)
{
    bool same = box->rank == of->rank;
    for (int k = 0; k < box->rank && same; k++)
        same = box->ax[k].lo == of->ax[k].lo && box->ax[k].hi == of->ax[k].hi;
    return same;
}

/* May an output take the place of a buffer? Where a loop makes no step that is
 * read for as long as what the loop leaves. */
static bool
is_replaced(const ix_unit *u, int buffer)
{
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].inplace == buffer)
            return true;
    return false;
}

/* Is a buffer kept for as long as it may be read in place of another one, what
 * a loop carries (buffers.c)? */
static bool
is_kept(const ix_unit *u, int buffer, int first)
{
    int k;
    const ix_unit_repeat *l = ix_unit_carrier(u, first, 0, &k);
    return l && l->from[k] == buffer;
}

/* Does a kernel behind write to it? Elements that are updated. */
static bool
is_changed(const ix_kernel *k, int buffer)
{
    for (k = k->next; k && !ix_nests_store(k->nests, buffer);)
        k = k->next;
    return k != NULL;
}

/* Is it a copy that may be left out? */
static bool
is_free(const ix_unit *u, const ix_kernel *by, int from, int to)
{
    const ix_buffer *a = &u->buffer[from], *b = &u->buffer[to];
    bool first = is_kept(u, from, to) && !is_replaced(u, from);
    int k;
    bool last = b->role == IX_ROLE_OUTPUT && is_whole(by->box, a->box) &&
                ix_unit_carrier(u, from, 0, &k);
    return !a->turn && !b->turn && !a->own && !b->own && (first || last) &&
           is_whole(by->box, b->interior) && !is_changed(by, last ? to : from);
}

void
ix_finish_copies(const ix_unit *u, const ix_kernel *k, ix_compiled *c,
                 ix_compiled_kernel *to)
{
    size_t room = 0;
    bool all = !ix_kernel_has_levels(k) && k->nests && !k->nests->next &&
               runs_over(u, k->nests, k->box);
    const ix_stmt *s = all ? ix_nest_body(k->nests) : NULL;
    for (; s && all; s = s->next) {
        int from = s->kind == IX_STMT_STORE ? copied_by(u, s) : -1;
        all = from >= 0 && is_free(u, k, from, s->buffer);
        ix_arena_grow(&c->arena, &to->copy, &room, (size_t)to->ncopies + 1,
                      sizeof *to->copy);
        to->copy[to->ncopies][0] = from;
        to->copy[to->ncopies++][1] = s->buffer;
    }
    to->ncopies = all ? to->ncopies : 0;
}
