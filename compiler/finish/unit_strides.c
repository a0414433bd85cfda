/* SPDX-License-Identifier: MIT
 *
 * Pass unit_strides: which strides a variant of a kernel may take for 1. needs:
 * flat elements; gives: for each kernel the buffers along whose last axis an
 * innermost loop runs, or gathers; breaks: nothing.
 *
 * A stride of another axis is seldom 1 and would spoil the choice: a variant
 * exists where all of them are 1. They are parameters of a function; C promises
 * room for 127, and TinyCC has some for 250.
 */
#include "compiler/tree/tree.h"

enum { MOST_STRIDES = 100 };

typedef struct unit_walk {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop; /* innermost */
    bool any;            /* it goes along a buffer */
    int deepest;         /* loops around the one that has most of them */
    bool worth;          /* which goes along a buffer */
} unit_walk;

static void
note_stride(unit_walk *w, int buffer)
{
    ix_kernel *k = w->k;
    for (size_t i = 0; i < k->nunit_strides; i++)
        if (k->unit_stride[i] == buffer)
            return;
    if (k->nunit_strides == MOST_STRIDES)
        return;
    ix_arena_grow(&w->u->arena, &k->unit_stride, &k->unit_stride_capacity,
                  k->nunit_strides + 1, sizeof *k->unit_stride);
    k->unit_stride[k->nunit_strides++] = buffer;
}

/* Does an index move on with the loop? */
static bool
moves(const unit_walk *w, const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++) {
        const ilex_array *atom = f.t[i].atom;
        if (atom->kind == IX_INDEX && atom->attr[0] == w->loop->number)
            return true;
    }
    return false;
}

/* Is an index data, which the loop reads? What is data before it is read by
 * elements that do not move either. */
static bool
is_data(const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom->kind == IX_VALUE && f.t[i].atom->attr[0] >= 0)
            return true;
    return false;
}

/* An element of a buffer that moves along the last axis alone. */
static bool
note_element(void *user, ix_stmt *s)
{
    unit_walk *w = user;
    ilex_array *const *index = ix_operands(s, IX_INDICES);
    int rank = s->n[IX_INDICES];
    if (s->buffer < 0 || rank == 0)
        return true;
    const ilex_array *last = index[rank - 1];
    if (!moves(w, last) && !is_data(last))
        return true;
    for (int k = 0; k + 1 < rank; k++)
        if (moves(w, index[k]))
            return true;
    note_stride(w, s->buffer);
    w->any = true;
    return true;
}

/* Notes strides in a list with so many loops around. */
static void
note_list(unit_walk *w, ix_stmt *list, int depth)
{
    for (ix_stmt *s = list; s; s = s->next) {
        note_list(w, s->body, depth + (s->kind == IX_STMT_FOR));
        note_list(w, s->other, depth);
        if (s->kind != IX_STMT_FOR || !ix_stmt_is_innermost(s))
            continue;
        w->loop = s;
        w->any = false;
        ix_stmt_each(s->body, note_element, w);
        if (depth > w->deepest)
            w->worth = false;
        if (depth >= w->deepest) {
            w->deepest = depth;
            w->worth |= w->any;
        }
    }
}

/* Where the loops that run most often go along no buffer, but through copies on
 * the stack, the variant would not be faster, but compiled for nothing. */
static bool
note_kernel(ix_unit *u, ix_kernel *k)
{
    unit_walk w = {.u = u, .k = k};
    k->nunit_strides = 0;
    note_list(&w, k->body, 0);
    if (!w.worth)
        k->nunit_strides = 0;
    return true;
}

bool
ix_pass_unit_strides(ix_unit *u)
{
    return ix_kernels_each(u, note_kernel);
}
