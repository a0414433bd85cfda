/* SPDX-License-Identifier: MIT
 *
 * Sizes that a run counts, until it has: their ranges, and those of forms.
 */
#include "runtime/program/program.h"

/* Number "at" of the factors of size "p" that are counted, or -1. */
static int
counted_factor(const ix_compiled *c, int32_t p, int at)
{
    const ix_compiled_size *s = &c->size[p];
    if (s->degree == 1)
        return s->phase && at == 0 ? p : -1;
    for (int i = 0; i < s->degree; i++)
        if (c->size[s->factor[i]].phase && at-- == 0)
            return s->factor[i];
    return -1;
}

/* Are "p" and "q" the same but for factors that are known? */
static bool
counted_alike(const ix_compiled *c, int32_t p, int32_t q)
{
    for (int i = 0; i < IX_DEGREE; i++)
        if (counted_factor(c, p, i) != counted_factor(c, q, i))
            return false;
    return true;
}

/* The terms of "a" that are like term "i", which is the first of them, at the
 * end of the range of what is counted that makes their sum largest, or
 * smallest: (9 n^2 - 6 n + 1) c is that for the largest c. */
static bool
add_alike(const ix_compiled *c, const ix_lin *a, int32_t i,
          const int64_t *least, const int64_t *most, bool large, int64_t *sum)
{
    int64_t low = 0, high = 0, l, h;
    for (int32_t j = 0; j < a->n; j++) {
        if (!counted_alike(c, a->t[i].param, a->t[j].param))
            continue;
        if (j < i)
            return true;
        if (!ix_mul(a->t[j].k, least[a->t[j].param], &l) ||
            !ix_mul(a->t[j].k, most[a->t[j].param], &h) ||
            !ix_add(low, l, &low) || !ix_add(high, h, &high))
            return false;
    }
    return ix_add(*sum, (low > high) == large ? low : high, sum);
}

static bool
extreme(const ix_compiled *c, const ix_lin *a, const int64_t *least,
        const int64_t *most, bool large, int64_t *value)
{
    if (c->ncounts == 0) /* it has one value */
        return ix_lin_eval(a, most, value);
    *value = a->c;
    for (int32_t i = 0; i < a->n; i++)
        if (!add_alike(c, a, i, least, most, large, value))
            return false;
    return true;
}

bool
ix_lin_least(const ix_compiled *c, const ix_lin *a, const int64_t *least,
             const int64_t *most, int64_t *value)
{
    return extreme(c, a, least, most, false, value);
}

bool
ix_lin_most(const ix_compiled *c, const ix_lin *a, const int64_t *least,
            const int64_t *most, int64_t *value)
{
    return extreme(c, a, least, most, true, value);
}

bool
ix_counts_open(const ix_compiled *c, int64_t *least, int64_t *size,
               const ix_compiled_size **what)
{
    const ix_compiled_size *bad = ix_compiled_derive_all(c, size);
    if (least != size)
        memcpy(least, size, c->nsizes * sizeof *least);
    for (size_t i = 0; !bad && i < c->ncounts; i++) {
        const ix_compiled_count *count = &c->count[i];
        int64_t most;
        least[count->size] = size[count->size] = 0;
        if (!ix_lin_most(c, count->most, least, size, &most))
            bad = &c->size[count->size];
        else
            size[count->size] = most < 0 ? 0 : most;
        bad = bad ? bad : ix_compiled_derive_all(c, size);
        bad = bad ? bad : ix_compiled_derive_all(c, least);
    }
    if (bad && what)
        *what = bad;
    return !bad;
}
