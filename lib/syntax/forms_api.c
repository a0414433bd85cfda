/* SPDX-License-Identifier: MIT
 *
 * Public functions on lengths, bounds and subscripts as numbers, for those who
 * would have to write text.
 */
#include "lib/build/box.h"
#include "lib/build/items.h"
#include "lib/build/structure.h"
#include "lib/syntax/parse.h"

/* ---- forms ---- */

/* What is written for a size, which lives as long as the context. */
static const char *
size_text(ilex_context *ctx, int32_t param)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    ix_param_print(ctx, param, false, &t);
    const char *s = ix_text_string(&t);
    int32_t symbol = s ? ix_symbol_of(ctx, s, t.length) : -1;
    ix_text_free(&t);
    return symbol < 0 ? NULL : ix_symbol_text(ctx, symbol);
}

static ilex_status
write_form(ilex_context *ctx, const ix_lin *a, ilex_form *form)
{
    if (!a)
        return ctx->error.code;
    if (a->n > ILEX_FORM_TERMS)
        return ix_fail(&ctx->error, ILEX_E_LIMIT,
                       "domain: %s has %d terms; a form has room for %d",
                       ix_lin_show(ctx, a).s, (int)a->n, ILEX_FORM_TERMS);
    *form = (ilex_form){.constant = a->c, .terms = a->n};
    for (int32_t i = 0; i < a->n; i++) {
        form->factor[i] = a->t[i].k;
        form->size[i] = size_text(ctx, a->t[i].param);
        if (!form->size[i])
            return ix_fail_memory(&ctx->error);
    }
    return ILEX_OK;
}

/* NULL after an error. */
static const ix_lin *
read_form(ilex_context *ctx, const ilex_form *form)
{
    const ix_lin *a = ix_lin_const(ctx, form->constant);
    if (form->terms < 0 || form->terms > ILEX_FORM_TERMS)
        return ix_fail_null(&ctx->error, ILEX_E_LIMIT,
                            "form: %d terms; there is room for 0 to %d",
                            form->terms, ILEX_FORM_TERMS);
    for (int i = 0; a && i < form->terms; i++) {
        const char *size = form->size[i] ? form->size[i] : "";
        const ix_lin *s = ix_parse_text_lin(ctx, size);
        a = s ? ix_lin_fma(ctx, a, form->factor[i], s) : NULL;
    }
    return a;
}

/* ---- domains ---- */

/* The axis; NULL after an error. */
static const ix_axis *
axis_at(ilex_context *ctx, const ilex_domain *d, int axis)
{
    const ix_domain *dom = ix_box_of(d);
    if (dom && axis >= 0 && axis < dom->rank)
        return &dom->ax[axis];
    return dom ? ix_fail_null(&ctx->error, ILEX_E_AXIS,
                              "domain: there is no axis %d in [%s]; they are "
                              "numbered from 0",
                              axis, ix_domain_show(ctx, dom).s)
               : NULL;
}

const char *
ilex_domain_axis(ilex_context *ctx, const ilex_domain *d, int axis)
{
    const ix_axis *ax = axis_at(ctx, d, axis);
    return !ax ? NULL : ax->name ? ix_symbol_text(ctx, ax->name) : "";
}

ilex_status
ilex_domain_range(ilex_context *ctx, const ilex_domain *d, int axis,
                  ilex_form *lower, ilex_form *upper)
{
    const ix_axis *ax = axis_at(ctx, d, axis);
    ilex_status rc = ax ? ILEX_OK : ILEX_E_AXIS;
    if (!rc && lower)
        rc = write_form(ctx, ax->lo, lower);
    if (!rc && upper)
        rc = write_form(ctx, ax->hi, upper);
    return rc;
}

ilex_status
ilex_domain_length(ilex_context *ctx, const ilex_domain *d, int axis,
                   ilex_form *length)
{
    const ix_axis *ax = axis_at(ctx, d, axis);
    return ax ? write_form(ctx, ix_axis_extent(ctx, ax), length) : ILEX_E_AXIS;
}

/* The range of axis k of a new domain. */
static bool
read_axis(ilex_context *ctx, int k, const char *const *axes,
          const ilex_form *lower, const ilex_form *upper, ix_axis *ax)
{
    const char *name = axes ? axes[k] : NULL;
    size_t n = name ? strlen(name) : 0;
    if (axes && !ix_name_check(&ctx->error, "domain: axis", name,
                               name ? ix_axis_stem(name, n) : 0))
        return false;
    *ax = (ix_axis){axes ? ix_symbol_of(ctx, name, n) : 0,
                    lower ? read_form(ctx, &lower[k]) : ix_lin_const(ctx, 0),
                    read_form(ctx, &upper[k])};
    return ax->name >= 0 && ax->lo && ax->hi;
}

const ilex_domain *
ilex_domain_new(ilex_context *ctx, int rank, const char *const *axes,
                const ilex_form *lower, const ilex_form *upper)
{
    ix_axis ax[ILEX_MAX_RANK];
    if (rank < 0 || rank > ILEX_MAX_RANK || (rank > 0 && !upper))
        return ix_fail_null(&ctx->error, upper ? ILEX_E_RANK : ILEX_E_ARGUMENT,
                            "domain: %d axes, with%s upper bounds; there may "
                            "be 0 to %d",
                            rank, upper ? "" : "out", ILEX_MAX_RANK);
    for (int k = 0; k < rank; k++)
        if (!read_axis(ctx, k, axes, lower, upper, &ax[k]))
            return NULL;
    const ix_domain *d = ix_domain_new(ctx, rank, ax);
    const ix_env *proof = ix_proof_open(ctx);
    bool ok = d && ix_build_check_names(ctx, "domain", d) &&
              ix_domain_check_extents(ctx, "domain", d);
    ix_proof_close(ctx, proof, NULL);
    return ix_box_public(ok ? d : NULL);
}

ilex_array *
ilex_input_on(ilex_context *ctx, const char *name, ilex_dtype dtype,
              const ilex_domain *d)
{
    return d ? ix_build_input(ctx, name, name ? strlen(name) : 0, dtype,
                              ix_box_of(d), NULL)
             : ix_poison(ctx, "input", -1, ILEX_E_ARGUMENT,
                         "input: the domain is NULL");
}

/* ---- subscripts ---- */

/* Reads an item; false for what is none. */
static bool
read_item(ilex_context *ctx, const ilex_item *from, ix_item *to)
{
    static const ix_item_kind kinds[] = {IX_ITEM_AT, IX_ITEM_RANGE,
                                         IX_ITEM_ARRAY, IX_ITEM_NEW,
                                         IX_ITEM_ELLIPSIS};
    if ((unsigned)from->kind >= IX_COUNT(kinds))
        return false;
    *to = (ix_item){.kind = kinds[from->kind],
                    .step = from->step ? from->step : 1};
    bool range = to->kind == IX_ITEM_RANGE;
    if ((range || to->kind == IX_ITEM_AT) && from->start)
        to->lo = read_form(ctx, from->start);
    if (range && from->stop)
        to->hi = read_form(ctx, from->stop);
    if (to->kind == IX_ITEM_ARRAY)
        to->array = from->array;
    return (to->kind != IX_ITEM_AT || to->lo) &&
           (!range || ((to->lo || !from->start) && (to->hi || !from->stop))) &&
           (to->kind != IX_ITEM_ARRAY ||
            (to->array && to->array->ctx == ctx && !ix_is_poison(to->array)));
}

ilex_array *
ilex_subscript(ilex_array *x, size_t count, const ilex_item *items)
{
    ix_item item[IX_MOST_ITEMS];
    if (!x || ix_is_poison(x))
        return x;
    ilex_context *ctx = x->ctx;
    if (count > IX_MOST_ITEMS || (count > 0 && !items))
        return ix_poison(ctx, "subscript", 0, ILEX_E_RANK,
                         "subscript: %zu items%s; there may be %d", count,
                         items ? "" : ", which are NULL", IX_MOST_ITEMS);
    for (size_t i = 0; i < count; i++) {
        const ilex_array *array = items[i].array;
        if (items[i].kind == ILEX_ITEM_ARRAY && array && ix_is_poison(array))
            return ctx->poison;
        if (!read_item(ctx, &items[i], &item[i]))
            return ctx->error.code
                       ? ix_poison_again(ctx)
                       : ix_poison(ctx, "subscript", (int)i, ILEX_E_ARGUMENT,
                                   "subscript: item %zu is no index, slice, "
                                   "array of this context, new axis or rest",
                                   i);
    }
    x = ix_structure_unnamed(ctx, "subscript", x);
    return ix_is_poison(x) ? x : ix_build_items(ctx, x, (int)count, item);
}
