/* SPDX-License-Identifier: MIT
 *
 * Steps without operands: inputs, literals, sizes, indices; and the extents
 * they are made of.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/graph/counted.h"
#include "tests/differential/differential.h"

enum { QUICK_STEPS = 4 << 20 };

static const char *const axis_names[DIFF_POOL] = {"I", "J", "K", "Cell"};

/* ---- extents ---- */

/* "n", "2*m+1", "I:-1:n": an axis as in a domain. */
void
diff_extent_text(const diff_extent *e, bool named, const char *axis, char *text,
                 size_t size)
{
    char hi[40], lo[24] = "";
    if (e->param < 0)
        snprintf(hi, sizeof hi, "%d", (int)e->c);
    else
        snprintf(hi, sizeof hi, "%d*%s%+d", (int)e->k,
                 diff_param_names[e->param], (int)e->c);
    if (e->lo)
        snprintf(lo, sizeof lo, "%d:", (int)e->lo);
    snprintf(text, size, "%s%s%s%s", named ? axis : "", named ? ":" : "",
             named ? lo : "", hi);
}

static int64_t value_of(const diff_shop *shop, const ix_lin *a);

/* The least or largest of a size's arms. */
static int64_t
value_of_arms(const diff_shop *shop, const ix_param *p)
{
    int64_t value = 0;
    for (int i = 0; i < p->narms; i++) {
        int64_t v = value_of(shop, p->arm[i]);
        value = i == 0 || (v > value) == p->largest ? v : value;
    }
    return value;
}

/* The value of a size, or of what is computed from some, for the recipe's
 * sizes; the most that counted ones may be. */
static int64_t
value_of_param(const diff_shop *shop, int32_t param)
{
    const ix_param *p = &shop->ctx->param[param];
    const ix_lin *most = p->bound ? p->bound->form : NULL;
    int64_t v = most ? most->c : 1;
    for (int32_t i = 0; most && i < most->n; i++)
        if (most->t[i].param != param)
            v += most->t[i].k * value_of_param(shop, most->t[i].param);
    if (most || p->narms)
        return most ? v : value_of_arms(shop, p);
    for (int i = 0; i < p->degree; i++)
        v *= p->degree > 1 ? value_of_param(shop, p->factor[i]) : 1;
    for (int i = 0; i < p->degree && p->degree == 1; i++)
        for (int k = 0; k < DIFF_PARAMS; k++)
            if (!strcmp(ix_param_name(shop->ctx, p->factor[i]),
                        diff_param_names[k]))
                v *= shop->recipe->sizes.value[k];
    return v;
}

/* The value of a form. */
static int64_t
value_of(const diff_shop *shop, const ix_lin *a)
{
    int64_t v = a->c;
    for (int32_t i = 0; i < a->n; i++)
        v += a->t[i].k * value_of_param(shop, a->t[i].param);
    return v;
}

bool
diff_axis_range(const diff_shop *shop, const ix_axis *ax, int64_t *lo,
                int64_t *hi)
{
    *lo = value_of(shop, ax->lo);
    *hi = value_of(shop, ax->hi);
    return *lo > -IX_UNBOUNDED / 2 && *hi < IX_UNBOUNDED / 2;
}

bool
diff_is_counted(const diff_shop *shop, const ix_axis *ax)
{
    bool counted = false;
    for (int32_t i = 0; i < ax->hi->n; i++)
        counted |= ix_is_counted(shop->ctx, ax->hi->t[i].param);
    return counted;
}

int64_t
diff_domain_count(const diff_shop *shop, const ix_domain *dom)
{
    int64_t n = 1, lo, hi;
    for (int k = 0; k < dom->rank; k++) {
        if (!diff_axis_range(shop, &dom->ax[k], &lo, &hi))
            return -1;
        n *= hi > lo ? hi - lo : 0;
    }
    return n;
}

bool
diff_is_quick(const diff_shop *shop, const ix_domain *dom, const ix_domain *box)
{
    return (double)diff_domain_count(shop, dom) *
               (double)diff_domain_count(shop, box) <=
           QUICK_STEPS;
}

/* ---- inputs ---- */

static ilex_dtype
random_dtype(diff_random *r)
{
    static const ilex_dtype often[] = {ILEX_F64, ILEX_F32, ILEX_I64, ILEX_I32};
    return diff_chance(r, 50) ? often[diff_draw(r, 4)]
                              : (ilex_dtype)diff_draw(r, ILEX_NDTYPES);
}

/* The last axes of the pool, some of length 1. */
static void
unnamed_domain(const diff_pool *pool, diff_random *r, char *text, size_t size)
{
    int rank = pool->large ? 1 + diff_draw(r, 2) : diff_draw(r, DIFF_POOL + 1);
    size_t n = 0;
    text[0] = 0;
    for (int k = DIFF_POOL - rank; k < DIFF_POOL; k++) {
        char axis[64];
        diff_extent_text(&pool->extent[k], false, NULL, axis, sizeof axis);
        if (diff_chance(r, 12))
            snprintf(axis, sizeof axis, "1");
        n += (size_t)snprintf(text + n, size - n, "%s%s",
                              k > DIFF_POOL - rank ? ", " : "", axis);
    }
    if (pool->large && rank == 2 && diff_chance(r, 30)) {
        char a[64], b[64];
        diff_extent_text(&pool->extent[DIFF_POOL - 1], false, NULL, a,
                         sizeof a);
        diff_extent_text(&pool->extent[0], false, NULL, b, sizeof b);
        snprintf(text, size, "%s, %s", a, b);
    }
}

/* Some axes of the pool in any order, their bounds moved a little, with a
 * halo. */
static void
named_domain(const diff_pool *pool, diff_random *r, char *text, size_t size)
{
    char halo[160] = "";
    size_t n = 0, h = 0;
    unsigned used = 0;
    int first = pool->large ? 2 : 0, rank = diff_draw(r, pool->large ? 3 : 4);
    text[0] = 0;
    for (int i = 0; i < rank; i++) {
        int k = first + diff_draw(r, DIFF_POOL - first);
        char axis[64];
        diff_extent e = pool->extent[k];
        if (used >> k & 1)
            continue;
        e.lo += diff_chance(r, 15) ? diff_between(r, -1, 1) : 0;
        e.c += diff_chance(r, 20) ? diff_between(r, -1, 2) : 0;
        diff_extent_text(&e, true, axis_names[k], axis, sizeof axis);
        n += (size_t)snprintf(text + n, size - n, "%s%s", used ? ", " : "",
                              axis);
        used |= 1u << k;
        if (diff_chance(r, 60))
            h += (size_t)snprintf(halo + h, sizeof halo - h, "%s%s:%d:%d",
                                  h ? ", " : "", axis_names[k], diff_draw(r, 3),
                                  diff_draw(r, 3));
    }
    if (used && diff_chance(r, 15) && !pool->regions)
        snprintf(text + n, size - n, " halo(auto)");
    else if (h)
        snprintf(text + n, size - n, " halo(%s)", halo);
}

ilex_array *
diff_build_input(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    char name[40], domain[400];
    (void)x;
    snprintf(name, sizeof name, "c%d_x%d", shop->slot, shop->step);
    ilex_dtype dtype = random_dtype(r);
    if (shop->pool.named)
        named_domain(&shop->pool, r, domain, sizeof domain);
    else
        unnamed_domain(&shop->pool, r, domain, sizeof domain);
    return ilex_input(shop->ctx, name, dtype, domain);
}

/* ---- scalars and indices ---- */

ilex_array *
diff_build_literal(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ix_value v;
    unsigned char element[16];
    (void)x;
    if (diff_chance(r, 30))
        return ilex_lit_int(shop->ctx, diff_between(r, -3, 9));
    if (diff_chance(r, 30))
        return ilex_lit(shop->ctx, 0.125 * diff_between(r, -20, 20));
    ilex_dtype dtype = random_dtype(r);
    diff_element(r, dtype, diff_draw(r, 3), element);
    v = ix_value_load(dtype, element);
    return ix_scalar_const(shop->ctx, dtype, v);
}

ilex_array *
diff_build_size(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    const char *size = diff_param_names[diff_draw(r, DIFF_PARAMS)];
    char text[60];
    (void)x;
    snprintf(text, sizeof text, "size(%s(%s, %d, %s))",
             diff_chance(r, 50) ? "min" : "max", size, diff_draw(r, 9),
             diff_param_names[diff_draw(r, DIFF_PARAMS)]);
    return diff_chance(r, 20) ? ilex_expr(shop->ctx, text, NULL)
                              : ilex_size(shop->ctx, size);
}

ilex_array *
diff_build_index(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    (void)x;
    return shop->pool.named
               ? ilex_index(shop->ctx, axis_names[diff_draw(r, DIFF_POOL)])
               : NULL;
}

ilex_array *
diff_build_arange(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    char length[64];
    int from = shop->pool.large ? DIFF_POOL - 1 : 0;
    (void)x;
    diff_extent_text(&shop->pool.extent[from + diff_draw(r, DIFF_POOL - from)],
                     false, NULL, length, sizeof length);
    return ilex_arange(shop->ctx, length, diff_between(r, -5, 5),
                       diff_between(r, -3, 3));
}

/* A value of rank 0 on a domain of its own. */
ilex_array *
diff_build_full(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    char domain[400];
    if (ix_rank(x[0]) > 0)
        return NULL;
    if (shop->pool.named)
        named_domain(&shop->pool, r, domain, sizeof domain);
    else
        unnamed_domain(&shop->pool, r, domain, sizeof domain);
    domain[strcspn(domain, "h")] = 0;
    return ilex_full(shop->ctx, domain, x[0]);
}
