/* SPDX-License-Identifier: MIT
 *
 * Canonical program text: sizes, assumptions, inputs, one statement for each
 * array that is not inlined, operands first, then the outputs in order.
 */
#include "lib/print.h"

#include <stdio.h>

#include "lib/print_text.h"

/* ---- names ---- */

/* Is there an input or output called "text"? */
static bool
is_given_name(const ix_printer *p, const char *text)
{
    const ilex_module *m = p->module;
    for (size_t i = 0; i < m->ninputs; i++)
        if (!strcmp(ix_symbol_text(p->ctx, (int32_t)m->input[i]->attr[0]),
                    text))
            return true;
    for (size_t i = 0; i < m->noutputs; i++)
        if (!strcmp(ix_symbol_text(p->ctx, m->output[i].name), text))
            return true;
    return false;
}

/* Is "text" a t followed by digits? */
static bool
is_temp_name(const char *text)
{
    size_t n = strspn(text + (text[0] == 't'), "0123456789");
    return text[0] == 't' && n > 0 && n < 10 && text[n + 1] == 0;
}

bool
ix_print_is_array_name(ix_printer *p, const char *text)
{
    return is_temp_name(text) || is_given_name(p, text);
}

void
ix_print_name(ix_printer *p, const ix_item *item, ix_text *t)
{
    const ilex_array *n = item->node;
    if (n->kind == IX_INPUT)
        ix_text_put(t, ix_symbol_text(p->ctx, (int32_t)n->attr[0]));
    else if (n->kind == IX_DATA)
        ix_text_format(t, "_ilex_data%lld", (long long)n->attr[0]);
    else
        ix_text_format(t, "t%d", (int)item->temp);
}

/* Gives an array the next temporary name that no input or output has. */
static void
give_name(ix_printer *p, ix_item *item)
{
    char text[16];
    do {
        item->temp = p->next_temp++;
        snprintf(text, sizeof text, "t%d", (int)item->temp);
    } while (p->given_temps && is_given_name(p, text));
}

/* ---- expressions ---- */

static void
too_large(ix_printer *p)
{
    p->status =
        ix_fail(&p->ctx->error, ILEX_E_LIMIT,
                "the body of an index lambda has more than %d operations or "
                "nests too deep to be written as one expression",
                (int)IX_WRITE_BUDGET);
}

static void
write(ix_printer *p, ix_write_mode mode, const ix_item *item, bool bare)
{
    ilex_array *n = item->node;
    bool lambda = n->kind == IX_LAMBDA;
    ix_writer w = {.ctx = p->ctx,
                   .printer = p,
                   .mode = mode,
                   .lambda = lambda ? n : NULL,
                   .t = p->t,
                   .budget = IX_WRITE_BUDGET,
                   .bare = bare};
    if (mode == IX_WRITE_FIELD)
        ix_write_field(&w, n, 1);
    else
        ix_write_scalar(&w, n->ops[0], 1);
    if (w.failed && p->status == ILEX_OK)
        too_large(p);
}

/* "dtype[domain]" */
static void
write_type(ix_printer *p, const ilex_array *n)
{
    ix_text_put(p->t, ilex_dtype_name((ilex_dtype)n->dtype));
    if (n->interior->rank == 0)
        return;
    ix_text_char(p->t, '[');
    ix_domain_print(p->ctx, n->interior, p->t);
    ix_text_char(p->t, ']');
}

/* ---- maps ---- */

/* Numbers of operands in the order in which a body meets them. */
typedef struct slot_order {
    ix_map seen;
    int next;
    bool sorted;
} slot_order;

static bool
order_slots(ilex_context *ctx, slot_order *o, const ilex_array *n, int depth)
{
    if (!(n->flags & IX_HAS_LOAD) || ix_map_find(&o->seen, n))
        return true;
    if (depth > IX_WRITE_BUDGET / 16 || !ix_map_set(&o->seen, &ctx->mem, n, 1))
        return false;
    if (n->kind == IX_LOAD) {
        o->sorted &= n->attr[0] <= o->next;
        o->next += n->attr[0] == o->next;
    }
    bool ok = true;
    for (int i = 0; ok && i < n->nops; i++)
        ok = order_slots(ctx, o, n->ops[i], depth + 1);
    return ok;
}

/* Does reading the body by names give the same slots: all used, in order of
 * first use, no array twice? */
static bool
slots_follow_text(ix_printer *p, const ilex_array *n)
{
    slot_order o = {.sorted = true};
    bool ok = order_slots(p->ctx, &o, n->ops[0], 0);
    ix_map_free(&o.seen, &p->ctx->mem);
    ok = ok && o.sorted && o.next == n->nops - 1;
    for (int i = 1; ok && i < n->nops; i++) {
        ok = ix_is_array(n->ops[i]);
        for (int k = 1; k < i; k++)
            ok = ok && n->ops[k] != n->ops[i];
    }
    return ok;
}

static void
write_map(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    bool plain = slots_follow_text(p, n);
    ix_text_put(p->t, "map ");
    ix_print_name(p, item, p->t);
    ix_text_char(p->t, '[');
    ix_domain_print(p->ctx, n->interior, p->t);
    ix_text_char(p->t, ']');
    if (n->valid != n->interior) {
        ix_text_put(p->t, " valid(");
        ix_domain_print(p->ctx, n->valid, p->t);
        ix_text_char(p->t, ')');
    }
    for (int i = 1; !plain && i < n->nops; i++) {
        ix_text_put(p->t, i == 1 ? " reads(" : ", ");
        ix_print_name(p, ix_print_item(p, n->ops[i]), p->t);
    }
    ix_text_put(p->t, plain || n->nops == 1 ? " = " : ") = ");
    ilex_dtype dtype = (ilex_dtype)n->dtype;
    write(p, plain ? IX_WRITE_MAP : IX_WRITE_SLOTS, item,
          dtype == ILEX_F64 || dtype == ILEX_I64);
}

/* ---- structural nodes ---- */

/* A label as the reader numbers it: letters are 0 to 51. */
static void
write_label(ix_text *t, int64_t label)
{
    if (label < 26)
        ix_text_char(t, (char)('A' + label));
    else if (label < 52)
        ix_text_char(t, (char)('a' + label - 26));
    else
        ix_text_format(t, "_%lld", (long long)label);
}

static void
write_labels(ix_text *t, const int64_t *label, int n)
{
    ix_text_char(t, '[');
    for (int k = 0; k < n; k++) {
        ix_text_put(t, k ? ", " : "");
        write_label(t, label[k]);
    }
    ix_text_char(t, ']');
}

static void
write_einsum(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    const int64_t *label = n->attr + 2;
    ix_text_put(p->t, "einsum ");
    ix_print_name(p, item, p->t);
    write_labels(p->t, label, (int)n->attr[1]);
    label += n->attr[1];
    for (int i = 0; i < n->nops; i++) {
        ix_text_put(p->t, i ? "*" : " = ");
        ix_print_name(p, ix_print_item(p, n->ops[i]), p->t);
        write_labels(p->t, label, ix_rank(n->ops[i]));
        label += ix_rank(n->ops[i]);
    }
    if (n->attr[0] != n->dtype)
        ix_text_format(p->t, " acc %s",
                       ilex_dtype_name((ilex_dtype)n->attr[0]));
}

static void
write_reshape(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    ix_text_put(p->t, "reshape ");
    ix_print_name(p, item, p->t);
    ix_text_char(p->t, '[');
    ix_domain_print(p->ctx, n->interior, p->t);
    ix_text_put(p->t, "] = ");
    ix_print_name(p, ix_print_item(p, n->ops[0]), p->t);
    if (n->attr[0])
        ix_text_put(p->t, " order F");
}

/* ", name=[" or "; name=[" for the first attribute. */
static void
open_attribute(ix_text *t, const char *name, bool first)
{
    ix_text_format(t, "%s %s=[", first ? ";" : ",", name);
}

static void
write_permute(ix_printer *p, const ilex_array *n)
{
    open_attribute(p->t, "axes", true);
    for (int k = 0; k < n->nattr; k++)
        ix_text_format(p->t, "%s%lld", k ? ", " : "", (long long)n->attr[k]);
    ix_text_char(p->t, ']');
}

/* start + step*length: the stop that gives this length again. */
static void
write_slice(ix_printer *p, const ilex_array *n)
{
    static const char *const names[] = {"start", "stop", "step"};
    ilex_context *ctx = p->ctx;
    for (int part = 0; part < 3; part++) {
        open_attribute(p->t, names[part], part == 0);
        for (int k = 0; k < n->nattr; k++) {
            ilex_array *at = n->ops[k + 1];
            ilex_array *length = ix_index_lin(ctx, n->interior->ax[k].hi);
            if (part == 1)
                at = ix_index_fma(ctx, at, n->attr[k], length);
            ix_text_put(p->t, k ? ", " : "");
            ix_writer w = {.ctx = ctx,
                           .mode = IX_WRITE_MAP,
                           .t = p->t,
                           .budget = IX_WRITE_BUDGET,
                           .bare = true,
                           .tight = true};
            if (part == 2)
                ix_text_int(p->t, n->attr[k]);
            else
                ix_write_scalar(&w, at, 1);
        }
        ix_text_char(p->t, ']');
    }
}

static void
write_node(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    if (n->kind == IX_EINSUM) {
        write_einsum(p, item);
        return;
    }
    if (n->kind == IX_RESHAPE) {
        write_reshape(p, item);
        return;
    }
    ix_text_put(p->t, "node ");
    ix_print_name(p, item, p->t);
    ix_text_format(p->t, " = %s(", ix_kind_infos[n->kind].text);
    ix_print_name(p, ix_print_item(p, n->ops[0]), p->t);
    if (n->kind == IX_PERMUTE)
        write_permute(p, n);
    else
        write_slice(p, n);
    ix_text_char(p->t, ')');
}

/* ---- statements ---- */

static void
write_item(ix_printer *p, ix_item *item)
{
    if (!item->named || item->form == IX_FORM_INPUT)
        return;
    give_name(p, item);
    if (item->form == IX_FORM_MAP) {
        write_map(p, item);
    } else if (item->form == IX_FORM_NODE) {
        write_node(p, item);
    } else {
        ix_text_put(p->t, "let ");
        ix_print_name(p, item, p->t);
        if (item->form == IX_FORM_TYPED) {
            ix_text_put(p->t, " : ");
            write_type(p, item->node);
        }
        ix_text_put(p->t, " = ");
        write(p, IX_WRITE_FIELD, item, item->form == IX_FORM_TYPED);
    }
    ix_text_char(p->t, '\n');
}

static void
write_output(ix_printer *p, const ix_output *out)
{
    const ix_item *item = ix_print_item(p, out->array);
    const ilex_array *n = item->node;
    ix_text_format(p->t, "out %s", ix_symbol_text(p->ctx, out->name));
    if (n->interior == n->valid) {
        ix_text_put(p->t, " : ");
        write_type(p, n);
    }
    ix_text_put(p->t, " = ");
    if (item->named)
        ix_print_name(p, item, p->t);
    else
        write(p, IX_WRITE_FIELD, item, item->form == IX_FORM_TYPED);
    if (out->inplace)
        ix_text_format(p->t, " inplace %s",
                       ix_symbol_text(p->ctx, out->inplace));
    ix_text_char(p->t, '\n');
}

static void
write_sizes(ix_printer *p)
{
    int n = 0;
    for (size_t i = 0; i < p->nparams; i++) {
        if (!p->param[i])
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
        ix_text_put(p->t, ix_param_name(p->ctx, form->t[i].param));
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

static void
write_assumptions(ix_printer *p)
{
    const ilex_context *ctx = p->ctx;
    for (size_t i = 0; i < ctx->nassumptions; i++) {
        const ix_assumption *a = &ctx->assumption[i];
        if (!p->param[a->form->t[0].param])
            continue;
        ix_text_put(p->t, "assume ");
        if (a->modulus) {
            write_dividend(p, a->form);
            ix_text_format(p->t, " %% %lld == 0", (long long)a->modulus);
        } else {
            bool equal = i + 1 < ctx->nassumptions && !a[1].modulus &&
                         is_negative(a->form, a[1].form);
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
        write_type(p, x);
        write_halo(p, x);
        ix_text_char(p->t, '\n');
    }
}

/* ---- programs ---- */

static void
write_program(ix_printer *p)
{
    const ilex_module *m = p->module;
    for (size_t i = 0; i < m->ninputs; i++)
        p->given_temps |=
            is_temp_name(ix_symbol_text(p->ctx, (int32_t)m->input[i]->attr[0]));
    for (size_t i = 0; i < m->noutputs; i++)
        p->given_temps |=
            is_temp_name(ix_symbol_text(p->ctx, m->output[i].name));
    ix_text_format(p->t, "ilex 1\nprogram %s\n", m->name);
    write_sizes(p);
    write_assumptions(p);
    write_inputs(p);
    for (size_t i = 0; p->status == ILEX_OK && i < p->n; i++)
        write_item(p, &p->item[i]);
    for (size_t i = 0; p->status == ILEX_OK && i < m->noutputs; i++)
        write_output(p, &m->output[i]);
}

ilex_status
ix_print_module(ilex_module *m, ix_text *t)
{
    ilex_context *ctx = m->ctx;
    ix_printer p = {.ctx = ctx, .module = m, .t = t};
    ilex_status rc = ix_module_collect(m);
    if (rc != ILEX_OK)
        return rc;
    size_t mark = ilex_scope_begin(ctx);
    if (ix_print_collect(&p))
        write_program(&p);
    else
        p.status = ctx->error.code;
    ilex_scope_end(ctx, mark, NULL);
    ix_map_free(&p.index, &ctx->mem);
    ix_mem_free(&ctx->mem, p.item);
    ix_mem_free(&ctx->mem, p.param);
    if (p.status == ILEX_OK && t->failed)
        p.status = ix_fail_memory(&ctx->error);
    return p.status;
}

ilex_status
ix_print_arrays(ilex_context *ctx, size_t count, ilex_array *const *outputs,
                const char *const *names, ix_text *t)
{
    ilex_status rc = ILEX_OK;
    ilex_module *m = ilex_module_new(ctx, "dump");
    if (!m)
        return ctx->error.code;
    for (size_t i = 0; rc == ILEX_OK && i < count; i++) {
        ix_text name;
        ix_text_init(&name, &ctx->mem);
        if (names)
            ix_text_put(&name, names[i]);
        else
            ix_text_format(&name, "v%zu", i);
        const char *s = ix_text_string(&name);
        rc = s ? ilex_module_output(m, s, outputs[i], NULL)
               : ix_fail_memory(&ctx->error);
        ix_text_free(&name);
    }
    if (rc == ILEX_OK)
        rc = ix_print_module(m, t);
    ilex_module_free(m);
    return rc;
}
