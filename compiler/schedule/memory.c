/* SPDX-License-Identifier: MIT
 *
 * Where scratch memory is that iterations keep. A thread's stack may be as
 * small as 64 KB: where a kernel has more than half of that, large arrays are
 * in the workspace, of each part of a run its own.
 */
#include "compiler/schedule/schedule.h"

enum { MOST_STACK = 32 << 10 };

/* What there is on the stack, and the largest array of it. */
typedef struct scratch {
    int64_t bytes, most;
    ix_stmt *largest;
    int variable; /* of the loop around that */
} scratch;

static int64_t
bytes_of(const ix_stmt *s)
{
    return s->kind == IX_STMT_SCRATCH && s->buffer < 0
               ? s->extent * (int64_t)ilex_dtype_bytes(s->dtype)
               : 0;
}

static void
measure(scratch *x, ix_stmt *list, int variable)
{
    for (ix_stmt *s = list; s; s = s->next) {
        int inside = s->kind == IX_STMT_FOR ? s->number : variable;
        int64_t bytes = bytes_of(s);
        x->bytes += bytes;
        if (bytes > x->most) {
            x->most = bytes;
            x->largest = s;
            x->variable = variable;
        }
        measure(x, s->body, inside);
        measure(x, s->other, inside);
    }
}

/* The array is a temporary of an iteration of the loop around it; one of
 * complex numbers has all real parts first. */
static void
put_in_workspace(ix_unit *u, ix_kernel *k, const scratch *x)
{
    ix_stmt *s = x->largest;
    ilex_dtype part = ix_dtype_part(s->dtype);
    int64_t n = bytes_of(s) / (int64_t)ilex_dtype_bytes(part);
    ix_axis ax = {.lo = ix_lin_const(u->ctx, 0), .hi = ix_lin_const(u->ctx, n)};
    s->buffer = ix_unit_temporary(u, ix_domain_new(u->ctx, 1, &ax), part);
    ix_buffer *b = &u->buffer[s->buffer];
    b->slot = u->nslots++;
    b->local = true;
    b->own = k;
    b->within = x->variable;
}

void
ix_scratch_place(ix_unit *u, ix_kernel *k)
{
    for (scratch x; !u->target->grid;) {
        x = (scratch){0};
        measure(&x, k->body, -1);
        if (x.bytes <= MOST_STACK || !x.largest)
            return;
        put_in_workspace(u, k, &x);
    }
}
