/* SPDX-License-Identifier: MIT
 *
 * Steps that are calls of functions of whole arrays, with random attributes of
 * the types that the rows of functions.def say.
 */
#include <string.h>

#include "tests/differential/differential.h"

/* ---- attributes ---- */

/* The length of an axis of the pool. */
static const ix_lin *
pool_length(diff_shop *shop, diff_random *r)
{
    int from = shop->pool.large ? DIFF_POOL - 1 : 0;
    const diff_extent *e =
        &shop->pool.extent[from + diff_draw(r, DIFF_POOL - from)];
    const ix_lin *c = ix_lin_const(shop->ctx, e->c);
    const char *name = e->param < 0 ? NULL : diff_param_names[e->param];
    return name ? ix_lin_fma(
                      shop->ctx, c, e->k,
                      ix_lin_param(
                          shop->ctx,
                          ix_param_of(shop->ctx, ix_symbol_of(shop->ctx, name,
                                                              strlen(name)))))
                : c;
}

/* A width or a number of times: small, now and then a size. */
static const ix_lin *
small_bound(diff_shop *shop, diff_random *r)
{
    if (shop->pool.large || diff_chance(r, 85))
        return ix_lin_const(shop->ctx, diff_draw(r, 4));
    const char *name = diff_param_names[diff_draw(r, DIFF_PARAMS)];
    return ix_lin_param(
        shop->ctx,
        ix_param_of(shop->ctx, ix_symbol_of(shop->ctx, name, strlen(name))));
}

static void
random_places(diff_random *r, int rank, ix_given *given)
{
    given->n = 1 + diff_draw(r, 2);
    for (int i = 0; i < given->n; i++)
        given->number[i] = diff_between(r, -rank, rank);
}

/* Lengths: of nothing those of the pool, of an array its own, with others in
 * front or, if "hole", with one of them to be found. */
static void
random_shape(diff_shop *shop, diff_random *r, const ilex_array *x, bool hole,
             ix_given *given)
{
    given->n = 0;
    for (int i = diff_draw(r, x ? 2 : 3); i >= 0 && !hole; i--)
        if (!x || i)
            given->form[given->n++] = pool_length(shop, r);
    for (int k = 0; x && k < ix_rank(x); k++)
        given->form[given->n++] = x->interior->ax[k].hi;
    if (hole && given->n > 1 && diff_chance(r, 50))
        given->n = 1;
    if (hole && given->n)
        given->form[diff_draw(r, given->n)] = ix_lin_const(shop->ctx, -1);
}

static ilex_array *
random_value(diff_shop *shop, diff_random *r, const ilex_array *x)
{
    if (diff_chance(r, 60))
        return ilex_lit_int(shop->ctx, diff_between(r, 0, 9));
    return ix_scalar_const(shop->ctx, x ? (ilex_dtype)x->dtype : ILEX_F32,
                           (ix_value){.i = 0});
}

static const char *
random_word(diff_random *r, const char *attribute)
{
    static const char *const orders[] = {"C", "F"};
    static const char *const modes[] = {"wrap", "edge", "reflect", "symmetric"};
    return strcmp(attribute, "order") ? modes[diff_draw(r, 4)]
                                      : orders[diff_draw(r, 2)];
}

/* One attribute of a call over "x", which is NULL if there are no operands. */
static void
random_attribute(diff_shop *shop, diff_random *r, const ix_signature *s,
                 const ix_attribute_info *a, const ilex_array *x,
                 ix_given *given)
{
    int d = x ? ix_rank(x) : 0;
    given->present = true;
    switch (a->type) {
    case IX_ATTRIBUTE_AXIS:
        given->number[0] = diff_between(r, -d, d ? d - 1 : 0);
        break;
    case IX_ATTRIBUTE_SET:
        given->n = 1;
        given->number[0] = diff_draw(r, d + 1);
        break;
    case IX_ATTRIBUTE_PLACES:
        random_places(r, d, given);
        break;
    case IX_ATTRIBUTE_PAIRS:
        given->n = 1 + diff_draw(r, 2);
        for (int k = 0; k < 2; k++)
            given->number[k] = diff_between(r, given->n == 1 ? 0 : -d, d);
        break;
    case IX_ATTRIBUTE_AXES:
        for (int k = 0; k < d; k++)
            given->number[k] = d - 1 - k;
        break;
    case IX_ATTRIBUTE_INT:
        given->number[0] = diff_between(r, -2, 2);
        break;
    case IX_ATTRIBUTE_LIN:
        given->form[0] = small_bound(shop, r);
        break;
    case IX_ATTRIBUTE_LINS:
        for (int k = 0; k < d; k++)
            given->form[k] = small_bound(shop, r);
        break;
    case IX_ATTRIBUTE_SHAPE:
        random_shape(shop, r, x, !strcmp(s->text, "reshape"), given);
        for (int k = 0; !strcmp(a->name, "by") && k < given->n; k++)
            given->form[k] = small_bound(shop, r);
        if (!strcmp(a->name, "bounds") && given->n > 2)
            given->form[2] =
                ix_lin_const(shop->ctx, diff_chance(r, 50) ? 1 : -2);
        break;
    case IX_ATTRIBUTE_VALUE:
        given->value = random_value(shop, r, x);
        break;
    case IX_ATTRIBUTE_WORD:
        given->word = random_word(r, a->name);
        given->length = strlen(given->word);
        break;
    case IX_ATTRIBUTE_DTYPE:
        given->number[0] = diff_draw(r, ILEX_NDTYPES);
        break;
    default:
        given->present = false;
    }
}

/* ---- calls ---- */

/* The function over "count" arrays, attributes that may be missing often are.
 */
static ilex_array *
random_call(diff_shop *shop, diff_random *r, const ix_signature *s, int count,
            ilex_array *const *x)
{
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    bool words = false;
    for (int i = 0; i < count; i++)
        if (ix_rank(x[i]) && diff_domain_count(shop, x[i]->interior) < 0)
            return NULL;
    for (int i = s->nattributes; i-- > 0;) {
        const ix_attribute_info *a = &s->attribute[i];
        bool other = words && a->type == IX_ATTRIBUTE_VALUE;
        if (other || (a->optional && diff_chance(r, 45)))
            continue;
        random_attribute(shop, r, s, a, count ? x[0] : NULL, &given[i]);
        words |= a->type == IX_ATTRIBUTE_WORD && given[i].present;
    }
    return ix_build_call(shop->ctx, s, x, count, given);
}

#define DIFF_KIND(name, operands, unnamed, named)
#define DIFF_NODE(NAME, name, operands, unnamed, named)
#define DIFF_CALL(function, name, operands, unnamed, named)                    \
    ilex_array *diff_build_##name(diff_shop *shop, diff_random *r,             \
                                  ilex_array *const *x)                        \
    {                                                                          \
        return random_call(shop, r, &ix_signatures[IX_SIGNATURE_##function],   \
                           operands, x);                                       \
    }
#include "tests/differential/kinds.def"

/* ---- concat ---- */

/* Can "x" stand beside "first" along axis "k"? */
static bool
fits(const ilex_array *first, const ilex_array *x, int k)
{
    if (ix_rank(x) != ix_rank(first) || ix_domain_named(x->interior))
        return false;
    for (int i = 0; i < ix_rank(x); i++)
        if (i != k && x->interior->ax[i].hi != first->interior->ax[i].hi)
            return false;
    return true;
}

/* A part made of "x": itself, something computed from it, a piece of it. */
static ilex_array *
part_of(diff_shop *shop, diff_random *r, ilex_array *x, int k)
{
    ix_given given[3] = {
        {.present = true}, {.present = true}, {.present = true}};
    int how = diff_draw(r, 4);
    if (how == 0)
        return x;
    if (how == 1)
        return ilex_add(x, x);
    for (int i = 0; i < ix_rank(x); i++) {
        given[2].number[i] = 1;
        given[1].form[i] = x->interior->ax[i].hi;
        given[0].form[i] = i == k && how == 2
                               ? ix_lin_offset(shop->ctx, given[1].form[i], -1)
                               : ix_lin_const(shop->ctx, i == k);
    }
    ilex_array *y = ix_build_kind(shop->ctx, IX_SLICE, &x, 1, given);
    return ix_is_poison(y) ? x : y;
}

/* Up to five parts, often of one array. */
ilex_array *
diff_build_concat(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_array *part[5];
    int n = 1 + diff_draw(r, 5), d = ix_rank(x[0]);
    if (d == 0 || ix_domain_named(x[0]->interior) ||
        diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    int k = diff_draw(r, d);
    for (int i = 0; i < n; i++) {
        ilex_array *from = x[diff_draw(r, 3)];
        part[i] = fits(x[0], from, k) && diff_chance(r, 60)
                      ? from
                      : part_of(shop, r, x[0], k);
    }
    bool clean = ilex_error_code(shop->ctx) == ILEX_OK;
    const ix_given axis = {.present = true,
                           .number = {k - diff_draw(r, 2) * d}};
    if (!clean) /* a slice that is not one: its array was taken */
        ilex_error_clear(shop->ctx);
    return ix_build_kind(shop->ctx, IX_CONCAT, part, n, &axis);
}
