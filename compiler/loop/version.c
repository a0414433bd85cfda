/* SPDX-License-Identifier: MIT
 *
 * version K when COND: the kernel is there twice. A run launches the first one
 * where the condition holds, else the other one, K:else, which is behind it:
 *
 *     kernel k0 on [n], when k <= 4096
 *         for i in [0, n)
 *             ...                           one chunk of elements, no stack
 *     kernel k1 on [n], k0:else
 *         for i in [0, n)
 *             for q in [0, (k + 4095)//4096)
 *                 ...
 *
 * Each is made anew from what it stores, where proofs know the condition, or
 * that it does not hold; a size that has to be a number is that number. What
 * directives made of a kernel stays; they then know more. K:else may have
 * versions, so there are several of which the first that fits is launched.
 */
#include "compiler/loop/loop.h"

#include "compiler/lower/reduce.h"
#include "lib/graph/env.h"

enum { MOST_VERSIONS = 4 };

/* ---- a size that is a number ---- */

typedef struct number {
    ilex_context *ctx;
    int32_t param;
    int64_t value;
} number;

/* Does the condition say that a size is a number? */
static bool
find_number(ilex_context *ctx, const ix_condition *c, number *x)
{
    const ix_lin *f = c->form;
    if (!c->equal || f->n != 1 || f->c % f->t[0].k != 0 ||
        ix_param_is_derived(ctx, f->t[0].param))
        return false;
    *x = (number){ctx, f->t[0].param, -(f->c / f->t[0].k)};
    return true;
}

/* Which factor of a product the size is, -1: none. */
static int
factor_of(const number *x, int32_t product)
{
    const ix_param *p = &x->ctx->param[product];
    int i = ix_param_is_product(x->ctx, product) ? p->degree - 1 : -1;
    while (i >= 0 && p->factor[i] != x->param)
        i--;
    return i;
}

/* A size, or a product, with the number: a form; itself where that is too
 * large. */
static const ix_lin *
size_with(const number *x, int32_t param)
{
    ilex_context *ctx = x->ctx;
    const ix_lin *own = ix_lin_param(ctx, param), *r = own;
    int64_t k = 1;
    for (int i; (i = factor_of(x, param)) >= 0;) {
        param = ix_param_without(ctx, param, i);
        if (param < 0 || !ix_mul(k, x->value, &k))
            return own;
    }
    if (param != x->param)
        r = ix_lin_param(ctx, param);
    else if (ix_mul(k, x->value, &k))
        r = ix_lin_const(ctx, 1);
    else
        return own;
    r = ix_lin_try_fma(ctx, ix_lin_const(ctx, 0), k, r);
    return r ? r : own;
}

/* The form with the number; as it is where that is too large. */
static const ix_lin *
form_with(const number *x, const ix_lin *a)
{
    const ix_lin *r = ix_lin_const(x->ctx, a->c);
    for (int32_t i = 0; r && i < a->n; i++)
        r = ix_lin_try_fma(x->ctx, r, a->t[i].k, size_with(x, a->t[i].param));
    return r ? r : a;
}

/* A reduction over ranges with the number. */
static ilex_array *
range_with(void *user, ilex_array *n)
{
    const number *x = user;
    ix_axis ax[ILEX_MAX_RANK];
    if (n->kind != IX_REDUCE)
        return n;
    for (int k = 0; k < n->interior->rank; k++) {
        ax[k] = n->interior->ax[k];
        ax[k].lo = form_with(x, ax[k].lo);
        ax[k].hi = form_with(x, ax[k].hi);
    }
    return ix_with_interior(n, ix_domain_new(x->ctx, n->interior->rank, ax));
}

static ix_stmt *
with_number(ix_unit *u, number *x, const ix_stmt *list)
{
    ix_substitution s = {.ctx = x->ctx,
                         .mem = &u->mem,
                         .rewrite = range_with,
                         .became = ix_origin_keep,
                         .user = x,
                         .listener = u};
    for (int32_t p = 0; p < (int32_t)x->ctx->nparams; p++) {
        const ix_lin *a = size_with(x, p);
        if (a != ix_lin_param(x->ctx, p))
            ix_substitution_set(&s, ix_scalar_size(x->ctx, p),
                                ix_index_lin(x->ctx, a));
    }
    ix_stmt *made = ix_stmt_substitute(u, &s, list);
    ix_substitution_free(&s);
    return made;
}

/* ---- what is known ---- */

/* Adds form >= 0; false: it never holds with what is known. */
static bool
assume(ix_unit *u, const ix_env **facts, const ix_lin *form)
{
    const ix_assumption *a =
        form && form->n ? ix_assumption_of(u->ctx, form, 0) : NULL;
    return a ? ix_env_add(u->ctx, facts, a) != IX_NO : form && form->c >= 0;
}

/* What is known where the condition holds, and where not. Of products of sizes
 * proofs do not know that they are such, so it is not known what they are. */
static ix_refusal
find_facts(ix_unit *u, const ix_condition *c, const ix_env **holds,
           const ix_env **fails)
{
    ilex_context *ctx = u->ctx;
    const ix_lin *f = c->form;
    if (!f || ix_lin_has_product(ctx, f))
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    const ix_lin *back = ix_lin_try_fma(ctx, ix_lin_const(ctx, 0), -1, f);
    const ix_lin *less = back ? ix_lin_try_offset(ctx, back, -1) : NULL;
    if (!assume(u, holds, f) || (c->equal && !assume(u, holds, back)))
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it never holds");
    if (c->equal ? f->n == 0 : !assume(u, fails, less))
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it always holds");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- the kernels ---- */

/* The statements of a version; "x" is NULL or a number that it knows. */
static void
make(ix_unit *u, ix_kernel *k, number *x)
{
    ix_stmt **from = k->directed ? &k->body : &k->nests;
    const ix_env *before = ix_kernel_known(u, k);
    if (x)
        *from = with_number(u, x, *from);
    else if (k->directed)
        k->body = ix_stmt_clone(u, NULL, k->body);
    if (!k->directed)
        ix_reduce_kernel(u, k);
    u->ctx->facts = before;
}

/* The kernel's copy, behind it. */
static ix_kernel *
other_of(ix_unit *u, ix_kernel *k)
{
    ix_kernel *other = ix_arena_new(&u->arena, sizeof *other);
    size_t bytes = k->nvariables * sizeof *k->variable;
    *other = *k;
    other->variable =
        memcpy(ix_arena_new(&u->arena, bytes + 1), k->variable, bytes);
    other->variable_capacity = k->nvariables;
    other->version++;
    k->next = other;
    return other;
}

ix_refusal
ix_kernels_version(ix_unit *u, const ix_directive *d, ix_kernel **kernel)
{
    ix_kernel *k = *kernel;
    ix_condition *c = ix_arena_new(&u->arena, sizeof *c);
    const ix_env *holds = k->facts ? k->facts : u->ctx->facts, *fails = holds;
    number x;
    if (k->condition || k->version + 2 > MOST_VERSIONS)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "%s",
                         k->condition ? "it has versions; what they leave is "
                                        "its last one"
                                      : "there are four versions of it");
    ix_refusal r = ix_condition_read(u, k, d->name, c);
    if (r.class == IX_REFUSAL_NONE)
        r = find_facts(u, c, &holds, &fails);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_kernel *other = other_of(u, k);
    k->condition = c;
    k->facts = holds;
    other->facts = fails;
    ix_unit_number(u);
    make(u, k, c->form && find_number(u->ctx, c, &x) ? &x : NULL);
    make(u, other, NULL);
    return r;
}
