/* SPDX-License-Identifier: MIT
 *
 * Quotients of forms by numbers. Each that is no form itself is a parameter,
 * ceil(a/d) of an a > -d, so that it is >= 0 as all sizes are; isl is told what
 * it is (lib/shape/affine_sets.c).
 *
 * What programs divide is brought into a normal form: multiples of d are taken
 * out, what is left has numbers of 0 to d-1, common divisors go, a quotient of
 * a quotient is one by the product:
 *
 *     (n - 5)//2 = (n + 1)//2 - 3,   (4*n + 2)//6 = (2*n + 1)//3,
 *     (n//2 + 1)//2 = (n + 2)//4.
 */
#include "lib/graph/env.h"

/* ---- parameters ---- */

/* "ceil(a/d)", or where a is a number less than what rounds up, "(b//d)": as
 * programs write it; of what names are the same in all contexts, a key. */
static int32_t
symbol_of(ilex_context *ctx, const ix_lin *a, int64_t d, bool key)
{
    bool up = a->c >= 0;
    const ix_lin *of = up ? a : ix_lin_offset(ctx, a, d - 1);
    if (!of)
        return -1;
    bool sum = of->n + (of->c != 0) > 1;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_text_put(&t, up ? "ceil(" : "(");
    ix_text_put(&t, sum ? "(" : "");
    (key ? ix_lin_write_key : ix_lin_print)(ctx, of, &t);
    ix_text_put(&t, sum ? ")" : "");
    ix_text_format(&t, up ? "/%lld)" : "//%lld)", (long long)d);
    const char *s = ix_text_string(&t);
    int32_t symbol = s ? ix_symbol_of(ctx, s, strlen(s)) : -1;
    ix_text_free(&t);
    return symbol;
}

/* The parameter ceil(a/d), made if new; -1 when there is no memory. */
static int32_t
param_of(ilex_context *ctx, const ix_lin *a, int64_t d)
{
    ix_param p = {.narms = 1, .arm = {a}, .divisor = d};
    int32_t found = ix_param_find(ctx, &p);
    if (found >= 0)
        return found;
    p.symbol = symbol_of(ctx, a, d, false);
    p.key = symbol_of(ctx, a, d, true);
    return p.symbol < 0 || p.key < 0 ? -1 : ix_param_add(ctx, p);
}

const ix_lin *
ix_lin_quotient(ilex_context *ctx, const ix_lin *a, int64_t divisor)
{
    if (!a || divisor == 1)
        return a;
    if (a->n == 0)
        return ix_lin_const(ctx, a->c > 0 ? (a->c - 1) / divisor + 1 : 0);
    int32_t size = param_of(ctx, a, divisor);
    return size < 0 ? NULL : ix_lin_param(ctx, size);
}

/* ---- the normal form ---- */

/* The form of a's numbers, each divided by k and rounded down, or what is left
 * of them by that. */
static const ix_lin *
divide_numbers(ilex_context *ctx, const ix_lin *a, int64_t k, bool rest)
{
    const ix_lin *r =
        ix_lin_const(ctx, rest ? ix_floormod(a->c, k) : ix_floordiv(a->c, k));
    for (int32_t i = 0; r && i < a->n; i++) {
        int64_t by = a->t[i].k;
        r = ix_lin_fma(ctx, r, rest ? ix_floormod(by, k) : ix_floordiv(by, k),
                       ix_lin_param(ctx, a->t[i].param));
    }
    return r;
}

/* The greatest number that divides k and what sizes are multiplied by. */
static int64_t
common_divisor(const ix_lin *a, int64_t k)
{
    for (int32_t i = 0; i < a->n; i++)
        k = ix_gcd(k, a->t[i].k);
    return k;
}

/* Of a quotient by d plus a number, what is divided by "*k" times d instead;
 * "a" itself where it is none, or numbers get too large. */
static const ix_lin *
of_quotient(ilex_context *ctx, const ix_lin *a, int64_t *k)
{
    const ix_param *p = a->n == 1 ? &ctx->param[a->t[0].param] : NULL;
    int64_t both, c;
    if (!p || *k == 1 || p->narms != 1 || a->t[0].k != 1 ||
        !ix_mul(p->divisor, *k, &both) || both > IX_UNBOUNDED ||
        !ix_mul(a->c, p->divisor, &c))
        return a;
    const ix_lin *of = ix_lin_try_offset(ctx, p->arm[0], p->divisor - 1);
    of = of ? ix_lin_try_offset(ctx, of, c) : NULL;
    *k = of ? both : *k;
    return of ? of : a;
}

const ix_lin *
ix_lin_floordiv(ilex_context *ctx, const ix_lin *a, int64_t k)
{
    const ix_lin *whole = ix_lin_const(ctx, 0), *more, *flat;
    while (a && whole && k > 1) {
        more = divide_numbers(ctx, a, k, false);
        a = divide_numbers(ctx, a, k, true);
        whole = more ? ix_lin_add(ctx, whole, more) : NULL;
        if (!a || !whole || a->n == 0)
            return whole;
        int64_t by = common_divisor(a, k);
        a = divide_numbers(ctx, a, by, false);
        k /= by;
        flat = a ? of_quotient(ctx, a, &k) : NULL;
        if (flat == a)
            break;
        a = flat;
    }
    if (a && k > 1)
        a = ix_lin_quotient(ctx, ix_lin_offset(ctx, a, 1 - k), k);
    return a && whole ? ix_lin_add(ctx, whole, a) : NULL;
}
