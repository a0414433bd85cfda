/* SPDX-License-Identifier: MIT
 *
 * How large sizes may be. Indices have 64 bits, and 4*n + i leaves them for an
 * n above 2^61; the ends of ranges are looked at by each run, what bodies
 * compute is not. An index is at most a multiple of the largest size, and twice
 * that has to fit, as two are subtracted to compare them. Integers that are
 * data are checked where they become indices.
 */
#include <math.h>

#include "compiler/compiler.h"
#include "compiler/unit.h"

/* Multiples of the largest size. */
typedef struct multiples {
    double index; /* that an index of an array is at most */
    double most;  /* of what bodies compute */
} multiples;

/* Of what stands in index arithmetic; what is nested deeper is taken to be an
 * index. */
static double
multiple_of(const multiples *m, const ilex_array *x, int deep)
{
    enum { DEEP = 6 };
    double most = 0;
    ix_index_form f;
    if (x->dtype != ILEX_I64 || x->kind == IX_CONST)
        return 0;
    if (x->kind == IX_SIZE)
        return 1;
    if (deep == DEEP || (x->kind != IX_LINEAR && x->kind != IX_OP))
        return m->index;
    if (x->kind == IX_OP) {
        for (int i = 0; i < x->nops; i++)
            most = fmax(most, multiple_of(m, x->ops[i], deep + 1));
        return most;
    }
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++)
        most += fabs((double)f.t[i].k) * multiple_of(m, f.t[i].atom, deep + 1);
    return most;
}

static ix_walk_step
meet(ix_walk *w, ilex_array *n, size_t *value)
{
    multiples *m = w->user;
    (void)value;
    if (n->kind == IX_LINEAR)
        m->most = fmax(m->most, multiple_of(m, n, 0));
    return IX_WALK_IN;
}

static double
multiple_of_end(const ix_lin *end)
{
    double sum = 0;
    for (int i = 0; i < end->n; i++)
        sum += fabs((double)end->t[i].k);
    return sum;
}

static void
note_domain(multiples *m, const ix_domain *dom)
{
    for (int k = 0; dom && k < dom->rank; k++)
        m->index = fmax(m->index, fmax(multiple_of_end(dom->ax[k].lo),
                                       multiple_of_end(dom->ax[k].hi)));
}

int64_t
ix_largest_size(ix_unit *u)
{
    enum { LEAST = 40 }; /* bits: no array has so many elements */
    multiples m = {1, 1};
    ix_walk w = {.ctx = u->ctx, .mem = &u->mem, .enter = meet, .user = &m};
    for (size_t i = 0; i < u->norder; i++)
        note_domain(&m, u->order[i]->interior);
    for (size_t i = 0; i < u->norder; i++)
        if (u->order[i]->kind == IX_LAMBDA)
            (void)ix_walk_body(&w, u->order[i]->ops[0], NULL);
    ix_walk_free(&w);
    return (int64_t)fmax(floor(0x1p62 / m.most), ldexp(1, LEAST));
}
