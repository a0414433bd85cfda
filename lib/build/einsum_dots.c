/* SPDX-License-Identifier: MIT
 *
 * `...` in an einsum: the axes of an operand that have no label of their own.
 * Those of two operands are one where they have the same name, or no name and
 * the same place from the right.
 */
#include "lib/build/einsum.h"

/* An axis under `...`. */
typedef struct dots_axis {
    int32_t name;
    int place; /* from the right; 0 of one with a name */
    int label;
} dots_axis;

typedef struct dots {
    ilex_context *ctx;
    uint64_t used; /* labels */
    int n;
    dots_axis axis[IX_EINSUM_LABELS];
    ix_labels under[ILEX_MAX_RANK]; /* of each operand */
} dots;

static int
find_dots(const ix_labels *l)
{
    int k = 0;
    while (k < l->n && l->label[k] != IX_LABEL_DOTS)
        k++;
    return k < l->n ? k : -1;
}

/* A new label for an axis; -1 after an error. */
static int
add_axis(dots *d, int32_t name, int place)
{
    int label = 0;
    if (d->n > 0 && !d->axis[0].name != !name) {
        ix_fail(&d->ctx->error, ILEX_E_EINSUM,
                "einsum: '...' stands for axis %.70s of one operand and for "
                "an axis without a name of another",
                ix_symbol_text(d->ctx, name ? name : d->axis[0].name));
        return -1;
    }
    while (label < IX_EINSUM_LABELS && d->used >> label & 1)
        label++;
    if (label == IX_EINSUM_LABELS) {
        ix_fail(&d->ctx->error, ILEX_E_LIMIT,
                "einsum: more than %d labels with those of '...'",
                IX_EINSUM_LABELS);
        return -1;
    }
    d->used |= UINT64_C(1) << label;
    d->axis[d->n++] = (dots_axis){name, place, label};
    return label;
}

/* The label of an axis; -1 after an error. */
static int
label_of(dots *d, int32_t name, int place)
{
    for (int i = 0; i < d->n; i++)
        if (d->axis[i].name == name && d->axis[i].place == place)
            return d->axis[i].label;
    return add_axis(d, name, place);
}

/* Puts labels in the place of `...`, which stands at "at". */
static bool
put_labels(dots *d, ix_labels *l, int at, const ix_labels *under)
{
    int behind = l->n - at - 1;
    if (at + under->n + behind > ILEX_MAX_RANK)
        return ix_fail_false(
            &d->ctx->error, ILEX_E_RANK,
            "einsum: the result has %d axes; at most %d are supported",
            at + under->n + behind, ILEX_MAX_RANK);
    memmove(l->label + at + under->n, l->label + at + 1,
            (size_t)behind * sizeof *l->label);
    memcpy(l->label + at, under->label, (size_t)under->n * sizeof *l->label);
    l->n = at + under->n + behind;
    return true;
}

static bool
expand_operand(dots *d, ix_einsum *e, int i)
{
    const ilex_array *x = e->operand[i];
    ix_labels *l = &e->labels[i], *under = &d->under[i];
    int at = find_dots(l), n = ix_rank(x) - (l->n - 1);
    if (at < 0)
        return true;
    if (n < 0)
        return ix_fail_false(
            &d->ctx->error, ILEX_E_EINSUM,
            "einsum: operand %d has %d axes and %d labels beside '...'", i,
            ix_rank(x), l->n - 1);
    for (; under->n < n; under->n++) {
        int32_t name = x->interior->ax[at + under->n].name;
        int label = label_of(d, name, name ? 0 : n - 1 - under->n);
        if (label < 0)
            return false;
        under->label[under->n] = label;
    }
    return put_labels(d, l, at, under);
}

/* Those of the first operand that has all of them, else as they were met. */
static bool
expand_result(dots *d, ix_einsum *e)
{
    ix_labels all = {.n = 0};
    int at = find_dots(&e->result);
    if (at < 0 && d->n > 0)
        return ix_fail_false(&d->ctx->error, ILEX_E_EINSUM,
                             "einsum: '...' stands for %d ax%cs of operands, "
                             "so the result needs '...' as well",
                             d->n, d->n == 1 ? 'i' : 'e');
    if (at < 0)
        return true;
    for (int i = 0; i < e->count; i++)
        if (d->under[i].n == d->n)
            return put_labels(d, &e->result, at, &d->under[i]);
    for (; all.n < d->n && all.n < ILEX_MAX_RANK; all.n++)
        all.label[all.n] = d->axis[all.n].label;
    return put_labels(d, &e->result, at, &all);
}

bool
ix_einsum_dots(ilex_context *ctx, ix_einsum *e)
{
    dots d = {.ctx = ctx};
    for (int i = 0; i < e->count; i++)
        for (int k = 0; k < e->labels[i].n; k++)
            if (e->labels[i].label[k] != IX_LABEL_DOTS)
                d.used |= UINT64_C(1) << e->labels[i].label[k];
    for (int i = 0; i < e->count; i++)
        if (!expand_operand(&d, e, i))
            return false;
    return expand_result(&d, e);
}
