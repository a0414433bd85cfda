/* SPDX-License-Identifier: MIT
 *
 * Index arithmetic by sizes: products, quotients and remainders. They are no
 * sums of indices; each is an atom of which bounds are known. A product is
 * distributed over sums, so that its atom is one index, or one other atom,
 * times one parameter, which may itself be a product.
 */
#include "lib/graph/scalar.h"

/* ---- recognition ---- */

/* Is "x" a form in sizes that is no number? */
static bool
is_size_form(const ilex_array *x)
{
    bool sizes = x->kind == IX_SIZE || x->kind == IX_LINEAR;
    for (int i = 0; sizes && i < x->nops; i++)
        sizes = x->ops[i]->kind == IX_SIZE;
    return sizes;
}

static bool
is_op(const ilex_array *n, ix_op op)
{
    return n->kind == IX_OP && n->dtype == ILEX_I64 && ix_op_of(n) == op;
}

bool
ix_index_is_by_size(const ilex_array *n)
{
    if (is_op(n, IX_OP_MULTIPLY)) {
        const ilex_array *x = n->ops[0];
        return n->ops[1]->kind == IX_SIZE && x->kind != IX_CONST &&
               x->kind != IX_SIZE && x->kind != IX_LINEAR &&
               !is_op(x, IX_OP_MULTIPLY);
    }
    return (is_op(n, IX_OP_FLOOR_DIVIDE) || is_op(n, IX_OP_REMAINDER)) &&
           is_size_form(n->ops[1]);
}

bool
ix_index_has_by_size(const ilex_array *x)
{
    bool found = x->weight > 0 && ix_index_is_by_size(x);
    for (int i = 0; !found && x->weight > 0 && i < x->nops; i++)
        found = ix_index_has_by_size(x->ops[i]);
    return found;
}

/* ---- products ---- */

static ilex_array *
operation(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_I64, ILEX_I64, ops);
}

/* atom * param; NULL for too many sizes. */
static ilex_array *
times_param(ilex_context *ctx, ilex_array *atom, int32_t param)
{
    ilex_array *size = ix_scalar_size(ctx, param);
    bool product = is_op(atom, IX_OP_MULTIPLY);
    const ilex_array *own = product ? atom->ops[1] : atom;
    if (own->kind != IX_SIZE)
        return operation(ctx, IX_OP_MULTIPLY, atom, size);
    int32_t both = ix_param_product(ctx, (int32_t)own->attr[0], param);
    if (both < 0)
        return NULL;
    size = ix_scalar_size(ctx, both);
    return product ? operation(ctx, IX_OP_MULTIPLY, atom->ops[0], size) : size;
}

/* sum += k * atom * s; false where that does not fit. */
static bool
add_product(ilex_context *ctx, ix_index_form *sum, int64_t k, ilex_array *atom,
            const ix_lin *s)
{
    for (int32_t i = -1; i < s->n; i++) {
        int64_t c = i < 0 ? s->c : s->t[i].k;
        ilex_array *x = atom;
        ix_index_form form;
        if (c == 0)
            continue;
        if (i >= 0)
            x = times_param(ctx, atom, s->t[i].param);
        if (!x || ix_is_poison(x) || !ix_mul(c, k, &c))
            return false;
        ix_index_form_of(x, &form);
        if (!ix_index_form_add(sum, c, &form))
            return false;
    }
    return true;
}

ilex_array *
ix_index_mul_lin(ilex_context *ctx, ilex_array *a, const ix_lin *s)
{
    ix_index_form x, sum = {0}, sizes;
    if (ix_is_poison(a) || !s)
        return ix_poison_again(ctx);
    ix_index_form_of(a, &x);
    ix_index_form_of(ix_index_lin(ctx, s), &sizes);
    bool ok = ix_index_form_add(&sum, x.c, &sizes);
    for (int i = 0; ok && i < x.n; i++)
        ok = add_product(ctx, &sum, x.t[i].k, x.t[i].atom, s);
    return ok ? ix_index_from(ctx, &sum) : NULL;
}

/* ---- quotients and remainders ---- */

/* term / s, where s is one parameter times a number: k and atom are replaced;
 * false if s does not divide it. */
static bool
divide_term(ilex_context *ctx, const ix_lin *s, int64_t *k, ilex_array **atom)
{
    bool product = is_op(*atom, IX_OP_MULTIPLY);
    const ilex_array *own = product ? (*atom)->ops[1] : *atom;
    const ix_lin *rest, *one = ix_lin_const(ctx, 1), *q;
    if (own->kind != IX_SIZE || *k % s->t[0].k)
        return false;
    q = ix_lin_divide(ctx, ix_lin_param(ctx, (int32_t)own->attr[0]),
                      ix_lin_param(ctx, s->t[0].param), &rest);
    if (!q || !ix_lin_is(rest, 0))
        return false;
    if (product)
        *atom = q == one ? (*atom)->ops[0]
                         : times_param(ctx, (*atom)->ops[0], q->t[0].param);
    else
        *atom = ix_index_lin(ctx, q);
    *k /= s->t[0].k;
    return true;
}

/* Splits "a" into whole*s + rest, as far as terms are multiples of s. Only of
 * an s that is at least 1. */
static bool
split_multiples(ilex_context *ctx, ilex_array *a, const ix_lin *s,
                ix_index_form *whole, ix_index_form *rest)
{
    ix_index_form x, term;
    bool simple = s->n == 1 && s->c == 0 &&
                  ix_lin_nonneg_fast(ctx, ix_lin_try_offset(ctx, s, -1));
    ix_index_form_of(a, &x);
    *whole = *rest = (ix_index_form){0};
    rest->c = x.c;
    for (int i = 0; i < x.n; i++) {
        int64_t k = x.t[i].k;
        ilex_array *atom = x.t[i].atom;
        bool divides = simple && divide_term(ctx, s, &k, &atom);
        ix_index_form_of(atom, &term);
        if (!ix_index_form_add(divides ? whole : rest, k, &term))
            return false;
    }
    return true;
}

ilex_array *
ix_index_floordiv_lin(ilex_context *ctx, ilex_array *a, const ix_lin *s)
{
    ix_index_form whole, rest, quotient;
    if (ix_is_poison(a) || !s)
        return ix_poison_again(ctx);
    if (s->n == 0 && s->c > 0)
        return ix_index_floordiv(ctx, a, s->c);
    if (!split_multiples(ctx, a, s, &whole, &rest))
        return ix_index_too_large(ctx);
    if (rest.n == 0 && rest.c == 0)
        return ix_index_from(ctx, &whole);
    ilex_array *q = operation(ctx, IX_OP_FLOOR_DIVIDE,
                              ix_index_from(ctx, &rest), ix_index_lin(ctx, s));
    if (ix_is_poison(q))
        return q;
    ix_index_form_of(q, &quotient);
    return ix_index_form_add(&whole, 1, &quotient) ? ix_index_from(ctx, &whole)
                                                   : ix_index_too_large(ctx);
}

ilex_array *
ix_index_mod_lin(ilex_context *ctx, ilex_array *a, const ix_lin *s)
{
    ix_index_form whole, rest;
    if (ix_is_poison(a) || !s)
        return ix_poison_again(ctx);
    if (s->n == 0 && s->c > 0)
        return ix_index_fma(ctx, a, -s->c, ix_index_floordiv(ctx, a, s->c));
    if (!split_multiples(ctx, a, s, &whole, &rest))
        return ix_index_too_large(ctx);
    if (rest.n == 0 && rest.c == 0)
        return ix_index_const(ctx, 0);
    return operation(ctx, IX_OP_REMAINDER, ix_index_from(ctx, &rest),
                     ix_index_lin(ctx, s));
}

ilex_array *
ix_index_by_size(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    bool product = op == IX_OP_MULTIPLY && a->kind != IX_CONST;
    bool quotient = op == IX_OP_FLOOR_DIVIDE || op == IX_OP_REMAINDER;
    if (product && !is_size_form(b)) {
        ilex_array *other = a;
        a = b;
        b = other;
    }
    const ix_lin *s = (product || quotient) && is_size_form(b)
                          ? ix_index_to_lin(ctx, b)
                          : NULL;
    if (!s || s->n == 0)
        return NULL;
    if (op == IX_OP_MULTIPLY)
        return ix_index_mul_lin(ctx, a, s);
    return op == IX_OP_REMAINDER ? ix_index_mod_lin(ctx, a, s)
                                 : ix_index_floordiv_lin(ctx, a, s);
}
