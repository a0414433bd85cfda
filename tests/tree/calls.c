/* SPDX-License-Identifier: MIT
 *
 * Calls of the library's routines between kernels that are interpreted: their
 * arrays are laid out as the routines want them, and back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/ops/eval.h"
#include "lib/sort/sort.h"
#include "tests/tree/interpret.h"

/* A part of a buffer, dense in C order. */
typedef struct part {
    const tree_memory *memory;
    int64_t shape[ILEX_MAX_RANK], stride[ILEX_MAX_RANK], lower[ILEX_MAX_RANK];
    int64_t upper[ILEX_MAX_RANK];
    size_t count;
    char *data;
} part;

static void
open_part(const tree_run *r, const ix_slice *slice, part *p)
{
    p->memory = &r->memory[slice->buffer];
    p->count = 1;
    for (int k = slice->box->rank; k-- > 0;) {
        if (!ix_lin_eval(slice->box->ax[k].lo, r->size, &p->lower[k]) ||
            !ix_lin_eval(slice->box->ax[k].hi, r->size, &p->upper[k]))
            abort();
        p->shape[k] = p->upper[k] > p->lower[k] ? p->upper[k] - p->lower[k] : 0;
        p->stride[k] = (int64_t)p->count;
        p->count *= (size_t)p->shape[k];
    }
    p->data = tree_allocate(p->count, ilex_dtype_bytes(p->memory->dtype));
}

/* Copies elements out of the memory, or back; false if one was never written.
 */
static bool
copy_part(part *p, bool back)
{
    const tree_memory *m = p->memory;
    int64_t index[ILEX_MAX_RANK];
    char *at = p->data;
    memcpy(index, p->lower, sizeof index);
    if (p->count == 0)
        return true;
    do {
        int64_t i = tree_memory_at(m, index);
        if (i < 0 || (!back && m->state[i] != TREE_KNOWN))
            return false;
        if (back)
            m->element[i] = ix_value_load(m->dtype, at);
        else
            ix_value_store(m->dtype, at, m->element[i]);
        m->state[i] = TREE_KNOWN;
        at += ilex_dtype_bytes(m->dtype);
    } while (tree_next_index(m->rank, p->lower, p->upper, index));
    return true;
}

/* The last slice is the result, or memory behind that. */
static bool
call(tree_run *r, const ix_foreign_call *c)
{
    enum { ARRAYS = 4 };
    part p[ARRAYS];
    ilex_function_array array[ARRAYS];
    const ix_routine routine = {
        .what = c->routine, .axis = c->axis, .array = array, .parts = 1};
    bool ok = true;
    for (int k = 0; k < c->narguments + c->nresults; k++) {
        open_part(r, &c->slice[k], &p[k]);
        ok = ok && (k >= c->narguments || copy_part(&p[k], false));
        array[k] =
            (ilex_function_array){p[k].data,         (int)p[k].memory->dtype,
                                  p[k].memory->rank, p[k].shape,
                                  p[k].stride,       p[k].lower};
    }
    if (ok && p[c->narguments].count > 0)
        ix_call_routine(&routine);
    ok = ok && copy_part(&p[c->narguments], true);
    for (int k = 0; k < c->narguments + c->nresults; k++)
        free(p[k].data);
    return ok;
}

bool
tree_make_calls(tree_run *r, const ix_kernel *k, int *made, int end)
{
    for (; *made < end; ++*made) {
        if (call(r, r->u->call[*made]))
            continue;
        r->kernel = k;
        snprintf(r->failure, sizeof r->failure,
                 "a call is given what was never written");
        return false;
    }
    return true;
}
