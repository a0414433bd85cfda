/* SPDX-License-Identifier: MIT
 *
 * What arrays of a program with messages need, and which are kept for parts
 * other than theirs (cut.h).
 */
#ifndef ILEX_LIB_CUT_KEPT_H
#define ILEX_LIB_CUT_KEPT_H

#include "lib/build/module.h"
#include "lib/graph/order.h"
#include "lib/graph/repeats.h"

/* The arrays that outputs reach, and of each of them by number: */
typedef struct ix_cut_arrays {
    ilex_module *m;
    ilex_context *ctx;
    ix_order order;
    ix_repeats loops;
    size_t words;
    uint64_t *needs; /* messages, words of bits */
    bool *wanted;    /* it is read by what needs more */
    bool *stays;     /* it is no array that can be given to a part */
    int *own, *work; /* operations of an element, without what it is made of
                        and with it */
    bool *kept;
} ix_cut_arrays;

/* Finds all of it; "m" is set. False after an error, which may be that there is
 * no memory and is not recorded then; to be ended also then. */
bool ix_cut_arrays_begin(ix_cut_arrays *x);
void ix_cut_arrays_end(ix_cut_arrays *x);

static inline uint64_t *
ix_cut_needs(const ix_cut_arrays *x, size_t i)
{
    return x->needs + i * x->words;
}

static inline bool
ix_cut_same(const ix_cut_arrays *x, const uint64_t *a, const uint64_t *b)
{
    return !memcmp(a, b, x->words * sizeof *a);
}

/* The number of an array. */
static inline size_t
ix_cut_number(const ix_cut_arrays *x, const ilex_array *n)
{
    return *ix_map_find(&x->order.number, n);
}

#endif
