/* SPDX-License-Identifier: MIT
 *
 * What is computed in a kernel behind the one that computed it: what it reads
 * has to be as it was then.
 */
#include "compiler/loop/distances.h"

/* Is it a result, or part of a count, of others than kernels? */
static bool
is_used_outside(const ix_unit *u, int buffer)
{
    int counted = (int)(u->nroots - u->noutputs);
    for (size_t i = 0; i < u->ncalls; i++)
        for (int a = 0; a < u->call[i]->narguments + u->call[i]->nresults; a++)
            if (u->call[i]->slice[a].buffer == buffer)
                return true;
    return counted > 0 && buffer >= u->count_buffer &&
           buffer < u->count_buffer + counted;
}

bool
ix_buffer_is_of_kernels(const ix_unit *u, int buffer)
{
    return u->buffer[buffer].role == IX_ROLE_TEMP &&
           !is_used_outside(u, buffer);
}

/* ---- is what it reads as it was? ---- */

typedef struct writing {
    ix_unit *u;
    ix_accesses a; /* of a kernel */
    bool first;    /* it is the one that computed it before, and others are
                      behind */
} writing;

/* Does the kernel leave a buffer as it was when it was read first? What that
 * kernel itself stores before is as it is for all behind. */
static bool
stays(const writing *w, int buffer)
{
    for (size_t i = 0; i < w->a.n; i++) {
        const ix_access *y = &w->a.item[i];
        bool before =
            w->first && y->buffer == buffer && y->stmt->kind == IX_STMT_STORE;
        if (y->write && y->buffer >= 0 && !before &&
            ix_is_one_buffer(w->u, y->buffer, buffer))
            return false;
    }
    return true;
}

static bool
load_stays(void *user, const ilex_array *load)
{
    return stays(user, (int)load->attr[0]);
}

static bool
element_stays(void *user, ix_stmt *s)
{
    return s->kind != IX_STMT_LOAD || s->buffer < 0 || stays(user, s->buffer);
}

ix_refusal
ix_kernels_keep(ix_unit *u, const ix_kernel *from, const ix_kernel *to,
                ix_stmt *list)
{
    for (const ix_kernel *k = from;; k = k->next) {
        writing w = {u, ix_accesses_in(u, k, k->body), k == from && k != to};
        if (!ix_stmt_loads(u, list, load_stays, &w) ||
            !ix_stmt_each(list, element_stays, &w))
            return ix_refuse(u, IX_REFUSAL_DISTANCE,
                             "k%d writes what it is computed from", k->number);
        if (k == to)
            return (ix_refusal){IX_REFUSAL_NONE, NULL};
    }
}

/* ---- it goes ---- */

bool *
ix_buffers_but(ix_unit *u, int buffer, bool others)
{
    bool *is = ix_arena_new(&u->arena, u->nbuffers * sizeof *is);
    for (int i = 0; i < (int)u->nbuffers; i++)
        is[i] = (i == buffer) != others;
    return is;
}

ix_stmt *
ix_stmts_without(ix_stmt *list, const bool *gone)
{
    ix_stmt *left = NULL, **tail = &left;
    for (ix_stmt *s = list; s; s = s->next) {
        bool empty = ix_stmt_is_output(s) && gone[s->buffer];
        if (s->body) {
            s->body = ix_stmts_without(s->body, gone);
            empty = !s->body && !s->other;
        }
        if (!empty) {
            *tail = s;
            tail = &s->next;
        }
    }
    *tail = NULL;
    return left;
}
