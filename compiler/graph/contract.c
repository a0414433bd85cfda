/* SPDX-License-Identifier: MIT
 *
 * Pass contract: an einsum of more than two operands becomes a tree of pairs
 * when that is cheaper. Greedy: at each step the pair whose result takes the
 * fewest multiplications to form, ties by operand order, so that the tree is
 * a function of the graph alone. Symbolic lengths count as 64.
 *
 * Only exact dtypes are regrouped (integers wrap and bool is and/or): floating
 * products and sums keep the order the user wrote, which is what fp=strict
 * means. needs, gives: a graph; breaks: nothing.
 */
#include "compiler/unit.h"
#include "lib/ops/dtype.h"

enum { LABELS = 64, NOMINAL = 64 };

typedef struct term {
    ilex_array *array;
    ix_labels labels;
} term;

/* The einsum under work: what is left to multiply. */
typedef struct network {
    ix_unit *u;
    term term[ILEX_MAX_RANK];
    int count;
    ix_labels result;
    double length[LABELS];
    ilex_dtype acc;
} network;

static int64_t
nominal_length(ilex_context *ctx, const ix_axis *ax)
{
    const ix_lin *length = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    if (!length || length->n)
        return NOMINAL;
    return length->c < 1 ? 1 : length->c;
}

static void
read_network(ilex_array *n, network *w)
{
    int at = 2;
    w->result.n = (int)n->attr[1];
    for (int k = 0; k < w->result.n; k++)
        w->result.label[k] = (int)n->attr[at++];
    w->count = n->nops;
    w->acc = (ilex_dtype)n->attr[0];
    for (int i = 0; i < n->nops; i++) {
        term *t = &w->term[i];
        t->array = n->ops[i];
        t->labels.n = ix_rank(n->ops[i]);
        for (int k = 0; k < t->labels.n; k++) {
            int label = (int)n->attr[at++];
            double length =
                (double)nominal_length(n->ctx, &t->array->interior->ax[k]);
            t->labels.label[k] = label;
            if (length > w->length[label])
                w->length[label] = length;
        }
    }
}

static bool
has_label(const ix_labels *l, int label)
{
    for (int k = 0; k < l->n; k++)
        if (l->label[k] == label)
            return true;
    return false;
}

/* Is a label still needed when terms "i" and "j" are multiplied? */
static bool
needed(const network *w, int i, int j, int label)
{
    if (has_label(&w->result, label))
        return true;
    for (int t = 0; t < w->count; t++)
        if (t != i && t != j && has_label(&w->term[t].labels, label))
            return true;
    return false;
}

/* Labels of the product of two terms, and what it costs to form; -1 when it
 * has too many axes. */
static double
pair(const network *w, int i, int j, ix_labels *keep)
{
    double cost = 1;
    const ix_labels *side[2] = {&w->term[i].labels, &w->term[j].labels};
    bool seen[LABELS] = {false};
    keep->n = 0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < side[s]->n; k++) {
            int label = side[s]->label[k];
            if (seen[label])
                continue;
            seen[label] = true;
            cost *= w->length[label];
            if (!needed(w, i, j, label))
                continue;
            if (keep->n == ILEX_MAX_RANK)
                return -1;
            keep->label[keep->n++] = label;
        }
    return cost;
}

/* Multiplies the cheapest pair; the product takes the place of the first. */
static bool
contract_cheapest(network *w)
{
    double best = -1;
    int bi = 0, bj = 1;
    ix_labels keep, best_keep = {0};
    for (int i = 0; i < w->count; i++)
        for (int j = i + 1; j < w->count; j++) {
            double cost = pair(w, i, j, &keep);
            if (cost >= 0 && (best < 0 || cost < best)) {
                best = cost;
                bi = i;
                bj = j;
                best_keep = keep;
            }
        }
    if (best < 0)
        return false;
    ix_labels labels[2] = {w->term[bi].labels, w->term[bj].labels};
    ilex_array *ops[2] = {w->term[bi].array, w->term[bj].array};
    w->term[bi].array =
        ix_build_einsum(w->u->ctx, &best_keep, 2, labels, ops, &w->acc);
    w->term[bi].labels = best_keep;
    w->count--;
    memmove(w->term + bj, w->term + bj + 1,
            (size_t)(w->count - bj) * sizeof *w->term);
    return !ix_is_poison(w->term[bi].array);
}

static ilex_array *
contract(ix_unit *u, ilex_array *n)
{
    char kind = ix_dtype_kind((ilex_dtype)n->dtype);
    if (n->kind != IX_EINSUM || n->nops < 3 || kind == 'f' || kind == 'c' ||
        n->attr[0] != n->dtype)
        return n;
    network w = {.u = u};
    read_network(n, &w);
    for (int i = 0; i < n->nops; i++)
        if (n->ops[i]->dtype != n->dtype)
            w.term[i].array =
                ix_build_cast(u->ctx, (ilex_dtype)n->dtype, n->ops[i]);
    while (w.count > 2)
        if (!contract_cheapest(&w))
            return ix_is_poison(w.term[0].array) ? u->ctx->poison : n;
    ix_labels labels[2] = {w.term[0].labels, w.term[1].labels};
    ilex_array *ops[2] = {w.term[0].array, w.term[1].array};
    ilex_array *r = ix_build_einsum(u->ctx, &w.result, 2, labels, ops, &w.acc);
    return r->interior == n->interior ? r : n;
}

bool
ix_pass_contract(ix_unit *u)
{
    return u->reference || ix_unit_rewrite(u, contract);
}
