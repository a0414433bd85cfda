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
        if (bytes > x->most && !ix_dtype_is_complex(s->dtype)) {
            x->most = bytes;
            x->largest = s;
            x->variable = variable;
        }
        measure(x, s->body, inside);
        measure(x, s->other, inside);
    }
}

/* An array of numbers is a temporary of an iteration of the loop around it. */
static void
put_in_workspace(ix_unit *u, ix_kernel *k, const scratch *x)
{
    ix_stmt *s = x->largest;
    ix_axis ax = {.lo = ix_lin_const(u->ctx, 0),
                  .hi = ix_lin_const(u->ctx, s->extent)};
    s->buffer = ix_unit_temporary(u, ix_domain_new(u->ctx, 1, &ax), s->dtype);
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
