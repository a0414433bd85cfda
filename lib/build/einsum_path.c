/* SPDX-License-Identifier: MIT
 *
 * The path of an einsum: in which pairs more than two operands are multiplied.
 * It depends on labels, the order of operands and lengths alone, a symbolic
 * length counting as 64, so that it is part of what the einsum means: a
 * floating sum has other bits along another path.
 *
 * Up to ten operands: the least sum of multiplications over all trees, by
 * dynamic programming over sets of operands. More: at each step the pair that
 * takes the fewest. A product of more than 16 axes, or one that sums over more,
 * is on no path. Ties: the split with the smaller second part, then the one
 * whose second part comes later, so that equal operands are multiplied from
 * left to right; the greedy choice takes the first pair.
 */
#include "lib/build/einsum.h"

enum { MOST_EXACT = 10, NOMINAL = 64 };

typedef struct search {
    int count;
    uint64_t result;
    uint64_t labels[ILEX_MAX_RANK]; /* of each operand */
    double length[IX_EINSUM_LABELS];
} search;

uint64_t
ix_labels_set(const ix_labels *l)
{
    uint64_t set = 0;
    for (int k = 0; k < l->n; k++)
        set |= UINT64_C(1) << l->label[k];
    return set;
}

static int
size_of(uint64_t set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

uint64_t
ix_einsum_needed(const ix_einsum *e, uint32_t inside)
{
    uint64_t needed = ix_labels_set(&e->result);
    for (int i = 0; i < e->count; i++)
        if (!(inside >> i & 1))
            needed |= ix_labels_set(&e->labels[i]);
    return needed;
}

void
ix_einsum_keep(const ix_labels *a, const ix_labels *b, uint64_t needed,
               ix_labels *keep)
{
    uint64_t all = (ix_labels_set(a) | ix_labels_set(b)) & needed, left = all;
    bool b_first =
        (ix_labels_set(a) & all) != all && (ix_labels_set(b) & all) == all;
    const ix_labels *side[2] = {b_first ? b : a, b_first ? a : b};
    keep->n = 0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < side[s]->n; k++) {
            uint64_t bit = UINT64_C(1) << side[s]->label[k];
            if (left & bit)
                keep->label[keep->n++] = side[s]->label[k];
            left &= ~bit;
        }
}

/* ---- lengths ---- */

static double
nominal_length(ilex_context *ctx, const ix_axis *ax)
{
    const ix_lin *length = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    if (!length || length->n)
        return NOMINAL;
    return length->c < 1 ? 1 : (double)length->c;
}

static void
read_lengths(ilex_context *ctx, const ix_einsum *e, search *s)
{
    memset(s, 0, sizeof *s);
    s->count = e->count;
    s->result = ix_labels_set(&e->result);
    for (int i = 0; i < e->count; i++) {
        s->labels[i] = ix_labels_set(&e->labels[i]);
        for (int k = 0; k < e->labels[i].n; k++) {
            const ix_axis *ax = &e->operand[i]->interior->ax[k];
            double length = nominal_length(ctx, ax);
            double *have = &s->length[e->labels[i].label[k]];
            *have = length > *have ? length : *have;
        }
    }
}

/* Multiplications of a product with these labels. */
static double
cost_of(const search *s, uint64_t labels)
{
    double cost = 1;
    for (int l = 0; labels; l++, labels >>= 1)
        if (labels & 1)
            cost *= s->length[l];
    return cost;
}

/* Has a product of these labels, of which some are kept, few enough axes? */
static bool
fits(uint64_t labels, uint64_t kept)
{
    return size_of(labels & kept) <= ILEX_MAX_RANK &&
           size_of(labels & ~kept) <= ILEX_MAX_RANK;
}

/* ---- exact ---- */

/* The best tree for a set of operands. */
typedef struct choice {
    double cost; /* < 0: there is none */
    uint32_t right;
    uint64_t kept; /* labels */
} choice;

/* Labels that the product of the operands in "set" keeps. */
static uint64_t
kept_labels(const search *s, uint32_t set)
{
    uint64_t inside = 0, needed = s->result;
    for (int i = 0; i < s->count; i++)
        *(set >> i & 1 ? &inside : &needed) |= s->labels[i];
    return set & (set - 1) ? inside & needed : inside;
}

/* Is splitting "right" off better than what "best" says? */
static bool
better(double cost, uint32_t right, const choice *best)
{
    if (best->cost < 0 || cost != best->cost)
        return best->cost < 0 || cost < best->cost;
    int now = size_of(right), before = size_of(best->right);
    return now < before || (now == before && right > best->right);
}

/* The best split of "set"; the first part has its first operand. */
static void
choose_split(const search *s, choice *best, uint32_t set)
{
    choice *c = &best[set];
    uint32_t rest = set & (set - 1);
    *c = (choice){.cost = rest ? -1 : 0, .kept = kept_labels(s, set)};
    for (uint32_t right = rest; right; right = (right - 1) & rest) {
        const choice *x = &best[set & ~right], *y = &best[right];
        uint64_t labels = x->kept | y->kept;
        if (x->cost < 0 || y->cost < 0 || !fits(labels, c->kept))
            continue;
        double cost = x->cost + y->cost + cost_of(s, labels);
        if (!better(cost, right, c))
            continue;
        c->cost = cost;
        c->right = right;
    }
}

static void
write_tree(const choice *best, uint32_t set, ix_einsum_path *path)
{
    uint32_t right = best[set].right;
    if (!right) {
        int operand = 0;
        while (!(set >> operand & 1))
            operand++;
        path->step[path->n++] = operand;
        return;
    }
    write_tree(best, set & ~right, path);
    write_tree(best, right, path);
    path->step[path->n++] = IX_MULTIPLY;
}

static void
choose_exactly(const search *s, ix_einsum_path *path)
{
    choice best[1 << MOST_EXACT];
    uint32_t all = (UINT32_C(1) << s->count) - 1;
    for (uint32_t set = 1; set <= all; set++)
        choose_split(s, best, set);
    if (best[all].cost >= 0)
        write_tree(best, all, path);
}

/* ---- greedy ---- */

/* A product of some operands and its own path. */
typedef struct term {
    uint32_t operands;
    uint64_t labels;
    ix_einsum_path path;
} term;

/* The pair of terms that is cheapest to multiply; false: none fits. */
static bool
cheapest_pair(const search *s, const term *t, int count, int *i, int *j)
{
    double best = -1;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            uint64_t labels = t[a].labels | t[b].labels;
            double cost = cost_of(s, labels);
            if (!fits(labels, kept_labels(s, t[a].operands | t[b].operands)) ||
                (best >= 0 && cost >= best))
                continue;
            best = cost;
            *i = a;
            *j = b;
        }
    return best >= 0;
}

/* Puts the product of terms "i" and "j" in the place of the first. */
static void
multiply(const search *s, term *t, int count, int i, int j)
{
    term *a = &t[i], *b = &t[j];
    memcpy(a->path.step + a->path.n, b->path.step,
           (size_t)b->path.n * sizeof *b->path.step);
    a->path.n += b->path.n;
    a->path.step[a->path.n++] = IX_MULTIPLY;
    a->operands |= b->operands;
    a->labels = kept_labels(s, a->operands);
    memmove(b, b + 1, (size_t)(count - j - 1) * sizeof *b);
}

static void
choose_greedily(const search *s, ix_einsum_path *path)
{
    term t[ILEX_MAX_RANK];
    int i, j;
    for (int k = 0; k < s->count; k++)
        t[k] = (term){UINT32_C(1) << k, s->labels[k], {1, {k}}};
    for (int count = s->count; count > 1; count--) {
        if (!cheapest_pair(s, t, count, &i, &j))
            return;
        multiply(s, t, count, i, j);
    }
    *path = t[0].path;
}

/* ---- both ---- */

void
ix_einsum_choose(ilex_context *ctx, const ix_einsum *e, ix_einsum_path *path)
{
    search s;
    path->n = 0;
    if (e->count < 3)
        return;
    read_lengths(ctx, e, &s);
    if (s.count <= MOST_EXACT)
        choose_exactly(&s, path);
    else
        choose_greedily(&s, path);
}

bool
ix_einsum_path_fits(const ix_einsum *e)
{
    uint64_t labels[ILEX_MAX_RANK];
    uint32_t operands[ILEX_MAX_RANK];
    int n = 0;
    for (int i = 0; i < e->path.n; i++) {
        int step = e->path.step[i];
        if (step != IX_MULTIPLY) {
            labels[n] = ix_labels_set(&e->labels[step]);
            operands[n++] = UINT32_C(1) << step;
            continue;
        }
        n--;
        operands[n - 1] |= operands[n];
        labels[n - 1] |= labels[n];
        uint64_t needed = ix_einsum_needed(e, operands[n - 1]);
        if (!fits(labels[n - 1], needed))
            return false;
        labels[n - 1] &= needed;
    }
    return true;
}
