/* SPDX-License-Identifier: MIT
 *
 * Loops that are equal: the same but for which leaves stand for what they
 * carry. A loop that is built again, as a text that is read again does, is the
 * one that is there, so that what depends on it is the same as well.
 */
#include "lib/graph/merkle.h"
#include "lib/graph/repeats.h"

/* Leaves that a walk has numbered, by number. */
typedef struct leaves {
    const void **item;
    size_t n;
} leaves;

static bool
list(const ix_mem *mem, const ix_map *numbers, leaves *l)
{
    l->n = numbers->count;
    l->item = ix_mem_new(mem, (l->n + 1) * sizeof *l->item);
    if (l->item)
        ix_map_list(numbers, l->item);
    return l->item != NULL;
}

/* Are two leaves the same one, or carried by these two loops at one place? */
static bool
alike(const ilex_array *a, const ilex_array *b, const ilex_array *x,
      const ilex_array *y)
{
    bool same = x == y;
    for (int k = 0; !same && k < ix_repeat_carries(a); k++)
        same = ix_repeat_carried(a, k) == x && ix_repeat_carried(b, k) == y;
    return same;
}

static bool
same_leaves(const ilex_array *a, const ilex_array *b, const ix_map *of_a,
            const ix_map *of_b)
{
    const ix_mem *mem = &a->ctx->mem;
    leaves p = {0}, q = {0};
    bool same = list(mem, of_a, &p) && list(mem, of_b, &q) && p.n == q.n;
    for (size_t i = 0; same && i < p.n; i++)
        same = alike(a, b, p.item[i], q.item[i]);
    ix_mem_free(mem, p.item);
    ix_mem_free(mem, q.item);
    return same;
}

/* Are two loops of one hash equal? "w" has hashed the first. Steps of loops
 * around them are told apart by what they rest on. */
static bool
is_equal(const ix_merkle *w, const ilex_array *a, ilex_array *b)
{
    ix_merkle other = {.ctx = w->ctx};
    ix_digest h;
    bool same = a->env == b->env && ix_merkle_node(&other, b, &h) &&
                same_leaves(a, b, &w->data, &other.data) &&
                same_leaves(a, b, &w->carried, &other.carried);
    ix_merkle_free(&other);
    return same;
}

/* A loop as a result of this scope, too. */
static ilex_array *
in_scope(ilex_array *n)
{
    ix_node_retain(n); /* recording may drop others */
    bool ok = ix_scope_record_array(n->ctx, n);
    ix_node_release(n);
    return ok ? n : ix_poison_again(n->ctx);
}

ilex_array *
ix_repeat_known(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *known = NULL;
    ix_merkle w = {.ctx = ctx};
    ix_digest h;
    bool ok = ix_merkle_node(&w, n, &h);
    for (size_t i = 0; ok && !known && i < ctx->nparams; i++) {
        ilex_array *loop = ctx->param[i].loop;
        if (loop && loop != n && !memcmp(loop->merkle, h.h, sizeof h.h) &&
            is_equal(&w, n, loop))
            known = loop;
    }
    ix_merkle_free(&w);
    memcpy(n->merkle, h.h, sizeof h.h);
    return !ok ? ix_poison_again(ctx) : known ? in_scope(known) : n;
}
