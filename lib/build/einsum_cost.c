/* SPDX-License-Identifier: MIT
 *
 * What an einsum costs along its path, as text: each product, its operations
 * and the elements of what it makes, as products of lengths, which are never
 * multiplied out: they are true for all sizes, however many there are.
 */
#include "lib/build/einsum.h"

#include <stdio.h>

#include "ilex/expr.h"

enum { NOMINAL = 64 };

/* A product of some operands. */
typedef struct term {
    uint32_t operands;
    ix_labels labels;
    char text[8 * ILEX_MAX_RANK]; /* "(0*1)*2", of operands' numbers */
} term;

typedef struct account {
    ilex_context *ctx;
    ix_einsum e;
    ix_label_axes axes;
    ix_text *t;
    ix_text flops;   /* of all products, with "+" between */
    ix_labels large; /* labels of the largest array that one makes */
    double largest;
} account;

/* ---- figures ---- */

static const ix_lin *
length_of(const account *a, int label)
{
    const ix_axis *ax = &a->axes.interior[label];
    return ix_lin_try_fma(a->ctx, ax->hi, -1, ax->lo);
}

/* How large a set of labels is, a symbolic length counting as 64. */
static double
nominal(const account *a, uint64_t set)
{
    double size = 1;
    for (int l = 0; l < IX_EINSUM_LABELS; l++) {
        const ix_lin *n = set >> l & 1 ? length_of(a, l) : NULL;
        if (set >> l & 1)
            size *= !n || n->n ? NOMINAL : (double)n->c;
    }
    return size;
}

/* "2*n*(m + 1)": "factor" times the lengths of the labels. */
static void
write_product(const account *a, int factor, uint64_t set, ix_text *t)
{
    bool any = false;
    if (factor != 1 || !set) {
        ix_text_int(t, factor);
        any = true;
    }
    for (int l = 0; l < IX_EINSUM_LABELS; l++) {
        const ix_lin *n = set >> l & 1 ? length_of(a, l) : NULL;
        if (!n)
            continue;
        bool sum = n->n + (n->c != 0) > 1;
        ix_text_put(t, any ? "*" : "");
        ix_text_put(t, sum ? "(" : "");
        ix_lin_print(a->ctx, n, t);
        ix_text_put(t, sum ? ")" : "");
        any = true;
    }
}

/* ---- products ---- */

/* One line: a product of "count" factors over the labels of "all". */
static void
write_step(account *a, const term *x, int count, uint64_t all)
{
    uint64_t kept = ix_labels_set(&x->labels);
    int flops = count - 1 + ((all & ~kept) != 0);
    double size = nominal(a, kept);
    ix_text_format(a->t, "%s: ", x->text);
    write_product(a, flops, flops ? all : 0, a->t);
    ix_text_put(a->t, " flops, ");
    write_product(a, 1, kept, a->t);
    ix_text_put(a->t, " elements\n");
    ix_text_put(&a->flops, a->flops.length ? " + " : "");
    write_product(a, flops, flops ? all : 0, &a->flops);
    if (size > a->largest) {
        a->largest = size;
        a->large = x->labels;
    }
}

/* "a*b", parts of several factors in parentheses. */
static void
join_text(term *a, const term *b)
{
    char text[sizeof a->text];
    bool p = (b->operands & (b->operands - 1)) != 0;
    snprintf(text, sizeof text, "%s*%s%s%s", a->text, p ? "(" : "", b->text,
             p ? ")" : "");
    memcpy(a->text, text, sizeof text);
}

/* The product of two terms in the place of the first. */
static void
multiply(account *a, term *x, const term *y)
{
    uint64_t all = ix_labels_set(&x->labels) | ix_labels_set(&y->labels);
    ix_labels keep;
    x->operands |= y->operands;
    join_text(x, y);
    ix_einsum_keep(&x->labels, &y->labels, ix_einsum_needed(&a->e, x->operands),
                   &keep);
    x->labels = keep;
    write_step(a, x, 2, all);
}

/* All operands at once. */
static void
multiply_all(account *a)
{
    uint64_t all = 0;
    term x = {.labels = a->e.result};
    for (int i = 0; i < a->e.count; i++) {
        size_t n = strlen(x.text);
        all |= ix_labels_set(&a->e.labels[i]);
        snprintf(x.text + n, sizeof x.text - n, "%s%d", i ? "*" : "", i);
    }
    write_step(a, &x, a->e.count, all);
}

static void
follow_path(account *a)
{
    term x[ILEX_MAX_RANK];
    int n = 0;
    for (int i = 0; i < a->e.path.n; i++) {
        int operand = a->e.path.step[i];
        if (operand == IX_MULTIPLY) {
            n--;
            multiply(a, &x[n - 1], &x[n]);
            continue;
        }
        x[n] = (term){.operands = UINT32_C(1) << operand,
                      .labels = a->e.labels[operand]};
        snprintf(x[n++].text, sizeof x->text, "%d", operand);
    }
}

/* ---- whole einsums ---- */

static bool
write_account(ilex_context *ctx, const ilex_array *n, ix_text *t)
{
    account a = {.ctx = ctx, .t = t, .largest = -1};
    ix_einsum_read(n, &a.e);
    if (!ix_einsum_axes(ctx, &a.e, &a.axes))
        return false;
    ix_text_init(&a.flops, &ctx->mem);
    if (a.e.path.n)
        follow_path(&a);
    else
        multiply_all(&a);
    const char *flops = ix_text_string(&a.flops);
    ix_text_format(t, "flops: %s\nlargest: ", flops ? flops : "");
    write_product(&a, 1, ix_labels_set(&a.large), t);
    ix_text_put(t, " elements\n");
    t->failed |= !flops;
    ix_text_free(&a.flops);
    return true;
}

char *
ilex_einsum_path(ilex_array *x)
{
    ix_text t;
    if (!x || ix_is_poison(x))
        return NULL;
    ilex_context *ctx = x->ctx;
    if (x->kind != IX_EINSUM)
        return ix_fail_null(&ctx->error, ILEX_E_ARGUMENT,
                            "einsum: the array is of kind %s; a path has what "
                            "einsum, matmul and other products of arrays give",
                            ix_node_text(x));
    ix_text_init(&t, &ctx->mem);
    bool ok = write_account(ctx, x, &t);
    ix_text_put_n(&t, "", 0);
    if (ok && !t.failed)
        return t.data;
    ix_text_free(&t);
    return NULL;
}

/* ---- programs ---- */

/* What the source calls an array; NULL: nothing. */
static const char *
label_of(const ilex_module *m, const ilex_array *x)
{
    for (size_t i = 0; i < m->nlabels; i++)
        if (m->label[i].array == x)
            return ix_symbol_text(m->ctx, m->label[i].name);
    for (size_t i = 0; i < m->noutputs; i++)
        if (m->output[i].array == x)
            return ix_symbol_text(m->ctx, m->output[i].name);
    return "an array without a name";
}

/* Arrays still to be looked at. */
typedef struct search {
    ilex_context *ctx;
    ix_map seen;
    ilex_array **stack;
    size_t n, capacity;
} search;

static bool
push(search *s, ilex_array *x)
{
    const ix_mem *mem = &s->ctx->mem;
    if (ix_map_find(&s->seen, x))
        return true;
    if (!ix_map_set(&s->seen, mem, x, 1) ||
        !ix_mem_grow(mem, &s->stack, &s->capacity, s->n + 1, sizeof *s->stack))
        return false;
    s->stack[s->n++] = x;
    return true;
}

/* The einsums that "root" reaches and that were not met before. */
static bool
write_reached(ilex_module *m, search *s, ilex_array *root, ix_text *t)
{
    bool ok = push(s, root);
    while (ok && s->n) {
        ilex_array *x = s->stack[--s->n];
        if (x->kind == IX_EINSUM) {
            ix_text_format(t, "einsum %s\n", label_of(m, x));
            ok = write_account(m->ctx, x, t);
        }
        for (int i = ix_operand_count(x); ok && i-- > 0;)
            ok = push(s, ix_operand(x, i));
    }
    return ok;
}

void
ix_einsum_print_paths(ilex_module *m, ix_text *t)
{
    search s = {.ctx = m->ctx};
    bool ok = true;
    for (size_t i = 0; ok && i < m->noutputs; i++)
        ok = write_reached(m, &s, m->output[i].array, t);
    t->failed |= !ok;
    ix_map_free(&s.seen, &m->ctx->mem);
    ix_mem_free(&m->ctx->mem, s.stack);
}
