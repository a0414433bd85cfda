/* SPDX-License-Identifier: MIT
 *
 * Sizes that a run counts, until it has: their ranges, and those of forms.
 */
#include "runtime/program/program.h"

/* The form with each size at the end of its range that makes it largest, or
 * smallest. */
static bool
extreme(const ix_lin *a, const int64_t *least, const int64_t *most, bool large,
        int64_t *value)
{
    int64_t sum = a->c, v;
    for (int32_t i = 0; i < a->n; i++) {
        bool top = (a->t[i].k > 0) == large;
        if (!ix_mul(a->t[i].k, (top ? most : least)[a->t[i].param], &v) ||
            !ix_add(sum, v, &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool
ix_lin_least(const ix_lin *a, const int64_t *least, const int64_t *most,
             int64_t *value)
{
    return extreme(a, least, most, false, value);
}

bool
ix_lin_most(const ix_lin *a, const int64_t *least, const int64_t *most,
            int64_t *value)
{
    return extreme(a, least, most, true, value);
}

bool
ix_counts_open(const ix_compiled *c, int64_t *least, int64_t *size,
               const ix_compiled_size **what)
{
    const ix_compiled_size *bad = ix_compiled_products(c, size);
    if (least != size)
        memcpy(least, size, c->nsizes * sizeof *least);
    for (size_t i = 0; !bad && i < c->ncounts; i++) {
        const ix_compiled_count *count = &c->count[i];
        int64_t most;
        least[count->size] = size[count->size] = 0;
        if (!ix_lin_most(count->most, least, size, &most))
            bad = &c->size[count->size];
        else
            size[count->size] = most < 0 ? 0 : most;
        bad = bad ? bad : ix_compiled_products(c, size);
        bad = bad ? bad : ix_compiled_products(c, least);
    }
    if (bad && what)
        *what = bad;
    return !bad;
}
