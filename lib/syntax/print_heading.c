/* SPDX-License-Identifier: MIT
 *
 * The beginning of canonical text: sizes, assumptions, inputs.
 */
#include "lib/build/foreign.h"
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"
#include "lib/syntax/print_text.h"

static void
write_sizes(ix_printer *p)
{
    int n = 0;
    for (size_t i = 0; i < p->nparams; i++) {
        if (!p->param[i] || ix_param_is_derived(p->ctx, (int32_t)i) ||
            ix_is_counted(p->ctx, (int32_t)i))
            continue;
        const char *sep = n % 16 ? ", " : n ? "\nsize " : "size ";
        ix_text_put(p->t, sep);
        ix_text_put(p->t, ix_param_name(p->ctx, (int32_t)i));
        n++;
    }
    if (n)
        ix_text_char(p->t, '\n');
}

/* The terms with positive ("sign" 1) or negative (-1) coefficients, and the
 * constant "c" behind them. */
static void
write_side(ix_printer *p, const ix_lin *form, int sign, int64_t c)
{
    bool any = false;
    for (int32_t i = 0; i < form->n; i++) {
        int64_t k = form->t[i].k;
        if ((k < 0) != (sign < 0))
            continue;
        uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
        ix_text_put(p->t, any ? " + " : "");
        if (size != 1) {
            ix_text_uint(p->t, size);
            ix_text_char(p->t, '*');
        }
        ix_param_print(p->ctx, form->t[i].param, false, p->t);
        any = true;
    }
    if (any && c)
        ix_text_put(p->t, c < 0 ? " - " : " + ");
    if (any && c)
        ix_text_uint(p->t, c < 0 ? 0 - (uint64_t)c : (uint64_t)c);
    if (!any)
        ix_text_int(p->t, c);
}

/* form >= 0 (or == 0) with positive terms on the left. */
static void
write_comparison(ix_printer *p, const ix_lin *form, bool equal)
{
    bool positive = false;
    for (int32_t i = 0; i < form->n; i++)
        positive |= form->t[i].k > 0;
    if (positive) {
        write_side(p, form, 1, 0);
        ix_text_put(p->t, equal ? " == " : " >= ");
        write_side(p, form, -1, -form->c);
    } else {
        write_side(p, form, -1, 0);
        ix_text_put(p->t, equal ? " == " : " <= ");
        ix_text_int(p->t, form->c);
    }
}

/* Is "b" the negative of "a"? Together they are an equation. */
static bool
is_negative(const ix_lin *a, const ix_lin *b)
{
    bool ok = a->n == b->n && a->c == -b->c;
    for (int32_t i = 0; ok && i < a->n; i++)
        ok = a->t[i].param == b->t[i].param && a->t[i].k == -b->t[i].k;
    return ok;
}

/* A linear form in parentheses unless it is one size. */
static void
write_dividend(ix_printer *p, const ix_lin *form)
{
    ix_writer w = {.ctx = p->ctx,
                   .mode = IX_WRITE_MAP,
                   .t = p->t,
                   .budget = IX_WRITE_BUDGET};
    ix_write_scalar(&w, ix_index_lin(p->ctx, form), 11);
}

static bool
is_size(const ilex_context *ctx, int32_t param, const void *size)
{
    (void)ctx;
    return param == *(const int32_t *)size;
}

/* Which of the counted sizes an assumption has to come behind; -1: none. */
static int32_t
comes_behind(const ix_printer *p, const ix_assumption *a)
{
    int32_t last = -1;
    for (int32_t k = 0; k < p->ncounted; k++)
        if (ix_lin_needs(p->ctx, a->form, is_size, &p->counted[k]))
            last = k;
    return last;
}

void
ix_print_assumptions(ix_printer *p, int32_t counted)
{
    const ilex_module *m = p->module;
    for (size_t i = 0; i < m->nassumptions; i++) {
        const ix_assumption *a = m->assumption[i];
        const ix_assumption *next =
            i + 1 < m->nassumptions ? m->assumption[i + 1] : NULL;
        if (!p->param[a->form->t[0].param] || ix_counted_by(p->ctx, a) >= 0 ||
            comes_behind(p, a) != counted)
            continue;
        ix_text_put(p->t, "assume ");
        if (a->modulus) {
            write_dividend(p, a->form);
            ix_text_format(p->t, " %% %lld == 0", (long long)a->modulus);
        } else {
            bool equal =
                next && !next->modulus && is_negative(a->form, next->form);
            write_comparison(p, a->form, equal);
            i += equal;
        }
        ix_text_char(p->t, '\n');
    }
}

/* Halo widths, from the two domains of an input. */
static void
write_halo(ix_printer *p, const ilex_array *x)
{
    if (x->interior == x->valid)
        return;
    const char *sep = " halo(";
    if (x->valid->rank && ix_lin_is(x->valid->ax[0].hi, IX_UNBOUNDED)) {
        ix_text_put(p->t, " halo(auto)");
        return;
    }
    for (int k = 0; k < x->interior->rank; k++) {
        const ix_axis *in = &x->interior->ax[k], *va = &x->valid->ax[k];
        const ix_lin *low = ix_lin_sub(p->ctx, in->lo, va->lo);
        const ix_lin *high = ix_lin_sub(p->ctx, va->hi, in->hi);
        if (!low || !high || (ix_lin_is(low, 0) && ix_lin_is(high, 0)))
            continue;
        ix_text_format(p->t, "%s%s:%lld:%lld", sep,
                       ix_symbol_text(p->ctx, in->name), (long long)low->c,
                       (long long)high->c);
        sep = ", ";
    }
    ix_text_char(p->t, ')');
}

static void
write_inputs(ix_printer *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const ilex_array *x = p->item[i].node;
        if (x->kind != IX_INPUT && x->kind != IX_DATA)
            continue;
        ix_text_put(p->t, x->kind == IX_DATA ? "data " : "in ");
        ix_print_name(p, &p->item[i], p->t);
        ix_text_put(p->t, " : ");
        ix_print_type(p, x);
        write_halo(p, x);
        ix_tags_print(x, p->t);
        ix_text_char(p->t, '\n');
    }
}

/* The foreign functions that are written. */
typedef struct externs {
    ix_printer *p;
    ix_map written; /* texts of names */
} externs;

/* The declaration of what "n" calls, once. */
static bool
write_extern(void *user, const ilex_array *n)
{
    externs *e = user;
    ilex_context *ctx = e->p->ctx;
    const char *name = ix_symbol_text(ctx, ix_foreign_name(n));
    if (ix_map_find(&e->written, name))
        return true;
    ix_text_format(e->p->t, "extern %s\n",
                   ix_symbol_text(ctx, ix_foreign_declaration(n)));
    return ix_map_set(&e->written, &ctx->mem, name, 1) ||
           ix_fail_memory(&ctx->error) == ILEX_OK;
}

/* Each foreign function once; ix_module_collect has seen that there is one
 * declaration of each name. */
static void
write_externs(ix_printer *p)
{
    externs e = {.p = p};
    bool ok = true;
    for (size_t i = 0; ok && i < p->n; i++) {
        const ilex_array *x = p->item[i].node;
        ok = x->kind == IX_FOREIGN ? write_extern(&e, x)
                                   : ix_apply_each(x, NULL, write_extern, &e);
    }
    p->t->failed |= !ok;
    ix_map_free(&e.written, &p->ctx->mem);
}

void
ix_print_heading(ix_printer *p)
{
    write_sizes(p);
    ix_print_assumptions(p, -1);
    write_inputs(p);
    write_externs(p);
}
