/* SPDX-License-Identifier: MIT
 *
 * Many elements: filling a view and copying between views.
 *
 * Both are one loop nest over two operands (a fill reads one element with
 * strides 0): axes ordered by the target's strides, those that continue each
 * other joined, the innermost one run by a loop for the element's size.
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

typedef struct loop {
    int64_t n, to, from; /* trips, steps in bytes */
} loop;

typedef struct nest {
    int depth;
    size_t bytes; /* that the innermost one copies at a time */
    loop loop[ILEX_MAX_RANK + 1];
} nest;

/* Inserts a loop so that the target's steps decrease. */
static void
insert_loop(nest *x, loop l)
{
    int at = x->depth++;
    for (; at > 0 && llabs(x->loop[at - 1].to) < llabs(l.to); at--)
        x->loop[at] = x->loop[at - 1];
    x->loop[at] = l;
}

/* Joins each loop with the one inside it where both operands continue. */
static void
join_loops(nest *x)
{
    int out = 0;
    for (int i = 1; i < x->depth; i++) {
        loop *a = &x->loop[out], *b = &x->loop[i];
        if (a->to == b->n * b->to && a->from == b->n * b->from)
            *a = (loop){a->n * b->n, b->to, b->from};
        else
            x->loop[++out] = *b;
    }
    x->depth = out + 1;
}

/* A few elements side by side are one: the faces of a halo have such rows. */
static void
join_elements(nest *x)
{
    const loop *l = &x->loop[x->depth - 1];
    size_t row = (size_t)l->n * x->bytes;
    if (x->depth == 1 || l->to != (int64_t)x->bytes || l->from != l->to ||
        l->n > 16 || row > 16 || (row & (row - 1)))
        return;
    x->bytes = row;
    x->depth--;
}

/* The nest that visits "to" and "from" (of equal shape) together. */
static nest
make_nest(const ilex_storage *to, const ilex_storage *from)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(to->dtype);
    nest x = {.depth = 0, .bytes = (size_t)bytes};
    for (int k = 0; k < to->rank; k++)
        if (to->shape[k] != 1)
            insert_loop(&x, (loop){to->shape[k], to->stride[k] * bytes,
                                   from->stride[k] * bytes});
    if (x.depth == 0)
        x.loop[x.depth++] = (loop){1, bytes, bytes};
    join_loops(&x);
    join_elements(&x);
    return x;
}

/* One run of a loop, with "bytes" a constant after inlining. */
static inline __attribute__((always_inline)) void
run(const loop *l, char *to, const char *from, int64_t step, size_t bytes)
{
    char element[16];
    memcpy(element, from, bytes);
    if (l->from == 0)
        for (int64_t i = 0; i < l->n; i++)
            memcpy(to + i * step, element, bytes);
    else
        for (int64_t i = 0; i < l->n; i++)
            memcpy(to + i * step, from + i * l->from, bytes);
}

static inline __attribute__((always_inline)) void
run_sized(const loop *l, char *to, const char *from, size_t bytes)
{
    if (l->to == (int64_t)bytes)
        run(l, to, from, (int64_t)bytes, bytes);
    else
        run(l, to, from, l->to, bytes);
}

/* The innermost loop. */
static void
run_inner(const loop *l, char *to, const char *from, size_t bytes)
{
    if (l->to == (int64_t)bytes && l->from == l->to) {
        memcpy(to, from, (size_t)l->n * bytes);
        return;
    }
    switch (bytes) {
    case 1:
        run_sized(l, to, from, 1);
        break;
    case 2:
        run_sized(l, to, from, 2);
        break;
    case 4:
        run_sized(l, to, from, 4);
        break;
    case 8:
        run_sized(l, to, from, 8);
        break;
    default:
        run_sized(l, to, from, 16);
    }
}

void
ix_storage_move(const ilex_storage *to, const ilex_storage *from)
{
    if (ix_storage_count(to) == 0)
        return;
    nest x = make_nest(to, from);
    int64_t index[ILEX_MAX_RANK + 1] = {0};
    char *t = to->data;
    const char *f = from->data;
    for (int k = 0; k >= 0;) {
        run_inner(&x.loop[x.depth - 1], t, f, x.bytes);
        for (k = x.depth - 2; k >= 0; k--) {
            t += x.loop[k].to;
            f += x.loop[k].from;
            if (++index[k] < x.loop[k].n)
                break;
            index[k] = 0;
            t -= x.loop[k].n * x.loop[k].to;
            f -= x.loop[k].n * x.loop[k].from;
        }
    }
}

void
ix_storage_fill(const ilex_storage *s, const void *element)
{
    ilex_storage from;
    char copy[16];
    ix_storage_clone(&from, s);
    memcpy(copy, element, ilex_dtype_bytes(s->dtype));
    from.data = copy;
    memset(from.stride, 0, sizeof from.stride);
    ix_storage_move(s, &from);
}
