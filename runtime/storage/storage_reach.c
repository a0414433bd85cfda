/* SPDX-License-Identifier: MIT
 *
 * Which bytes a view touches: count, reach, density, and whether two views
 * share a byte.
 *
 * Two views share a byte if the offsets of their first bytes differ by a sum
 * of steps, each taken a bounded number of times: an integer equation, solved
 * by trying the largest step first and pruning by the reach and the common
 * divisor of the rest. A budget bounds the work; running out means "yes".
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

int64_t
ix_storage_count(const ilex_storage *s)
{
    int64_t count = 1;
    for (int k = 0; k < s->rank; k++)
        count *= s->shape[k];
    return count;
}

bool
ix_storage_span(int rank, const int64_t *shape, const int64_t *stride,
                int64_t *lo, int64_t *hi)
{
    *lo = *hi = 0;
    for (int k = 0; k < rank; k++) {
        int64_t last;
        if (shape[k] == 0) {
            *lo = 0;
            *hi = -1;
            return true;
        }
        if (!ix_mul(shape[k] - 1, stride[k], &last) ||
            !ix_add(last < 0 ? *lo : *hi, last, last < 0 ? lo : hi))
            return false;
    }
    return true;
}

bool
ix_storage_reach(const ilex_storage *s, const char **lo, const char **hi)
{
    int64_t first, last, bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    ix_storage_span(s->rank, s->shape, s->stride, &first, &last);
    if (last < first)
        return false;
    *lo = s->data + first * bytes;
    *hi = s->data + last * bytes + bytes;
    return true;
}

bool
ix_storage_dense(const ilex_storage *s, const int *axes)
{
    int64_t want = 1;
    for (int p = s->rank - 1; p >= 0; p--) {
        int k = axes ? axes[p] : p;
        if (s->shape[k] != 1 && s->stride[k] != want)
            return false;
        want *= s->shape[k];
    }
    return true;
}

/* ---- the bounded equation: target = sum of x * step, 0 <= x <= most ---- */

enum { BUDGET = 4096 };

typedef struct term {
    int64_t step, most;      /* step > 0, most > 0 */
    int64_t reach, step_gcd; /* of this and all later terms */
} term;

typedef struct equation {
    term term[2 * ILEX_MAX_RANK + 2];
    int n, budget;
} equation;

static int64_t
gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static int
by_step_descending(const void *a, const void *b)
{
    int64_t x = ((const term *)a)->step, y = ((const term *)b)->step;
    return (x < y) - (x > y);
}

/* Adds "most" times "step" bytes; equal steps become one term. */
static void
add_term(equation *e, int64_t step, int64_t most)
{
    if (step == 0 || most == 0)
        return;
    for (int i = 0; i < e->n; i++)
        if (e->term[i].step == step) {
            e->term[i].most += most;
            return;
        }
    e->term[e->n++] = (term){.step = step, .most = most};
}

/* The axes of "s" as terms of their absolute strides in bytes. */
static void
add_axes(equation *e, const ilex_storage *s)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    for (int k = 0; k < s->rank; k++)
        add_term(e, llabs(s->stride[k]) * bytes, s->shape[k] - 1);
}

/* Sorts the terms and computes what prunes the search. */
static void
prepare(equation *e)
{
    qsort(e->term, (size_t)e->n, sizeof e->term[0], by_step_descending);
    int64_t reach = 0, divisor = 0;
    for (int i = e->n - 1; i >= 0; i--) {
        term *t = &e->term[i];
        int64_t own;
        if (!ix_mul(t->step, t->most, &own) || !ix_add(reach, own, &reach))
            reach = INT64_MAX;
        divisor = gcd(t->step, divisor);
        t->reach = reach;
        t->step_gcd = divisor;
    }
}

/* True if terms from "i" on can make "target", or if the budget is spent.
 * The depth of the recursion is the number of terms. */
static bool
solvable(equation *e, int i, int64_t target)
{
    if (target == 0)
        return true;
    if (i == e->n || target < 0 || target > e->term[i].reach ||
        target % e->term[i].step_gcd != 0)
        return false;
    const term *t = &e->term[i];
    int64_t rest = i + 1 < e->n ? e->term[i + 1].reach : 0;
    int64_t x = target / t->step < t->most ? target / t->step : t->most;
    for (; x >= 0 && target - x * t->step <= rest; x--) {
        if (--e->budget <= 0 || solvable(e, i + 1, target - x * t->step))
            return true;
    }
    return false;
}

bool
ix_storage_overlap(const ilex_storage *a, const ilex_storage *b)
{
    const char *alo, *ahi, *blo, *bhi;
    if (!ix_storage_reach(a, &alo, &ahi) || !ix_storage_reach(b, &blo, &bhi))
        return false;
    if ((uintptr_t)ahi <= (uintptr_t)blo || (uintptr_t)bhi <= (uintptr_t)alo)
        return false;
    equation e = {.budget = BUDGET};
    add_axes(&e, a);
    add_axes(&e, b);
    int64_t abytes = (int64_t)ilex_dtype_bytes(a->dtype);
    int64_t bbytes = (int64_t)ilex_dtype_bytes(b->dtype);
    add_term(&e, 1, abytes - 1 + bbytes - 1);
    prepare(&e);
    return solvable(&e, 0, (int64_t)((uintptr_t)bhi - (uintptr_t)alo) - 1);
}

/* Elements are distinct if each step exceeds the reach of all smaller ones. */
bool
ix_storage_self_overlap(const ilex_storage *s)
{
    if (ix_storage_count(s) <= 1)
        return false;
    term axis[ILEX_MAX_RANK];
    int n = 0;
    for (int k = 0; k < s->rank; k++)
        if (s->shape[k] > 1)
            axis[n++] =
                (term){.step = llabs(s->stride[k]), .most = s->shape[k] - 1};
    qsort(axis, (size_t)n, sizeof axis[0], by_step_descending);
    int64_t inner = 0;
    for (int i = n - 1; i >= 0; i--) {
        if (axis[i].step <= inner)
            return true;
        inner += axis[i].step * axis[i].most;
    }
    return false;
}
