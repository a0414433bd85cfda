/* SPDX-License-Identifier: MIT
 *
 * Temporaries that go: what stores them, kernels that do nothing else, and what
 * is known of them beside kernels. Those behind have other numbers then.
 */
#include "compiler/loop/distances.h"

/* Numbers of buffers, by those they had; -1: it goes. */
typedef struct renumbering {
    ix_unit *u;
    ix_substitution s;
    int *number;
} renumbering;

static ilex_array *
load_renumbered(void *user, ilex_array *load, ilex_array *const *index)
{
    renumbering *r = user;
    int number = r->number[load->attr[0]];
    return number == load->attr[0]
               ? NULL
               : ix_scalar_load(r->u->ctx, (ilex_dtype)load->dtype, number,
                                load->nops, index);
}

static bool
renumber_stmt(void *user, ix_stmt *s)
{
    renumbering *r = user;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++)
        s->x[i] = ix_substitute(&r->s, s->x[i]);
    if (s->buffer >= 0)
        s->buffer = r->number[s->buffer];
    return true;
}

static ix_stmt *
list_left(renumbering *r, const ix_stmt *list, const bool *gone)
{
    ix_stmt *left = ix_stmts_without(ix_stmt_clone(r->u, NULL, list), gone);
    ix_stmt_each(left, renumber_stmt, r);
    return left;
}

static void
drop_of_kernels(renumbering *r, const bool *gone)
{
    for (ix_kernel **at = &r->u->kernels; *at;) {
        ix_kernel *k = *at;
        bool one = k->nests == k->body;
        k->body = list_left(r, k->body, gone);
        k->nests = one ? k->body : list_left(r, k->nests, gone);
        if (k->body)
            at = &k->next;
        else
            *at = k->next;
    }
}

static void
drop_of_calls(ix_unit *u, const int *number)
{
    for (size_t i = 0; i < u->ncalls; i++) {
        ix_foreign_call *c = u->call[i];
        for (int a = 0; a < c->narguments + c->nresults; a++)
            c->slice[a].buffer = number[c->slice[a].buffer];
    }
}

static void
drop_of_decisions(ix_unit *u, const int *number)
{
    for (size_t i = 0; i < u->norder && u->decision; i++) {
        ix_decision *d = &u->decision[i];
        if (d->buffer < 0)
            continue;
        if (number[d->buffer] < 0)
            *d = (ix_decision){IX_REASON_INLINED, d->reads, d->work, -1};
        else
            d->buffer = number[d->buffer];
    }
}

void
ix_buffers_drop(ix_unit *u, const bool *gone)
{
    int left = 0, before_count = 0;
    renumbering r = {.u = u,
                     .number = ix_arena_new(&u->arena, (u->nbuffers + 1) *
                                                           sizeof *r.number)};
    r.s = (ix_substitution){.ctx = u->ctx,
                            .mem = &u->mem,
                            .load = load_renumbered,
                            .became = ix_origin_keep,
                            .user = &r,
                            .listener = u};
    for (int i = 0; i < (int)u->nbuffers; i++) {
        before_count += gone[i] && i < u->count_buffer;
        r.number[i] = gone[i] ? -1 : left++;
    }
    drop_of_kernels(&r, gone);
    ix_substitution_free(&r.s);
    drop_of_calls(u, r.number);
    drop_of_decisions(u, r.number);
    for (int i = 0; i < (int)u->nbuffers; i++)
        if (!gone[i])
            u->buffer[r.number[i]] = u->buffer[i];
    u->nbuffers = (size_t)left;
    u->count_buffer -= before_count;
    u->ncalled = SIZE_MAX;
}
