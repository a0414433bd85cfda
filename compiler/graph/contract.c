/* SPDX-License-Identifier: MIT
 *
 * Pass contract: an einsum of more than two operands becomes the tree of pairs
 * that its path says. The path is part of what the node means, so all back
 * ends walk it, the reference as well. Intermediate results have the
 * accumulator's dtype, with one conversion at the end. needs, gives: a graph;
 * breaks: nothing.
 */
#include "compiler/unit.h"
#include "lib/build/einsum.h"

/* A factor: an operand or the product of several. */
typedef struct term {
    ilex_array *array;
    ix_labels labels;
    uint32_t operands; /* as bits */
} term;

/* The einsum under work. */
typedef struct contraction {
    ilex_array *n;
    ix_einsum e;
    ix_label_axes axes;
    uint32_t all; /* operands */
} contraction;

/* Has "t" a longer axis than 1 with this label? */
static bool
is_long(const term *t, int label)
{
    for (int k = 0; k < t->labels.n; k++)
        if (t->labels.label[k] == label &&
            !ix_lin_is(t->array->interior->ax[k].hi, 1))
            return true;
    return false;
}

/* The range of a label in the product of two terms: that of the whole einsum,
 * but 1 where only other operands stretch it. */
static ix_axis
axis_of(const contraction *c, const term *a, const term *b, int label,
        const ix_axis *whole)
{
    ix_axis ax = *whole;
    if (!ax.name && !is_long(a, label) && !is_long(b, label))
        ax.hi = ix_lin_const(c->n->ctx, 1);
    return ax;
}

/* The domains of the product of two terms. */
static void
pair_domains(const contraction *c, const term *a, const term *b,
             const ix_labels *l, const ix_domain **interior,
             const ix_domain **valid)
{
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    for (int k = 0; k < l->n; k++) {
        int label = l->label[k];
        in[k] = axis_of(c, a, b, label, &c->axes.interior[label]);
        va[k] = axis_of(c, a, b, label, &c->axes.valid[label]);
    }
    *interior = ix_domain_new(c->n->ctx, l->n, in);
    *valid = ix_domain_new(c->n->ctx, l->n, va);
}

/* a = a*b; false on an error. */
static bool
multiply(const contraction *c, term *a, const term *b)
{
    ilex_context *ctx = c->n->ctx;
    ilex_array *factor[2] = {a->array, b->array};
    ix_einsum pair = {.acc = ix_einsum_sum(2, factor, c->e.acc),
                      .rounded = c->e.rounded,
                      .count = 2,
                      .labels = {a->labels, b->labels},
                      .operand = {a->array, b->array}};
    const ix_domain *interior = c->n->interior, *valid = c->n->valid;
    a->operands |= b->operands;
    if (a->operands == c->all) {
        pair.result = c->e.result;
    } else {
        ix_einsum_keep(&a->labels, &b->labels,
                       ix_einsum_needed(&c->e, a->operands), &pair.result);
        pair_domains(c, a, b, &pair.result, &interior, &valid);
    }
    if (!interior || !valid)
        return false;
    a->array = ix_einsum_node(ctx, &pair, pair.acc, interior, valid);
    a->labels = pair.result;
    return !ix_is_poison(a->array);
}

/* The tree, made by a stack of terms. */
static ilex_array *
expand(contraction *c)
{
    ilex_context *ctx = c->n->ctx;
    term stack[ILEX_MAX_RANK];
    int n = 0;
    for (int i = 0; i < c->e.path.n; i++) {
        int step = c->e.path.step[i];
        if (step == IX_MULTIPLY) {
            n--;
            if (!multiply(c, &stack[n - 1], &stack[n]))
                return ix_poison_again(ctx);
            continue;
        }
        stack[n].array = c->e.operand[step];
        stack[n].labels = c->e.labels[step];
        stack[n++].operands = UINT32_C(1) << step;
    }
    return ix_build_cast(ctx, (ilex_dtype)c->n->dtype, stack[0].array);
}

static ilex_array *
contract_einsum(ix_unit *u, ilex_array *n)
{
    contraction c = {.n = n};
    ix_einsum_read(n, &c.e);
    if (!c.e.path.n)
        return n;
    c.all = (UINT32_C(1) << c.e.count) - 1;
    return ix_einsum_axes(u->ctx, &c.e, &c.axes) ? expand(&c)
                                                 : ix_poison_again(u->ctx);
}

static ilex_array *
contract(ix_unit *u, void *user, ilex_array *n)
{
    (void)user;
    return n->kind == IX_EINSUM ? contract_einsum(u, n) : n;
}

bool
ix_pass_contract(ix_unit *u)
{
    return ix_unit_rewrite(u, contract, NULL);
}
