/* SPDX-License-Identifier: MIT
 *
 * Canonical program text: sizes, assumptions, inputs, one statement for each
 * array that is not inlined, operands first, then the outputs in order.
 */
#include "lib/syntax/print.h"

#include <stdio.h>

#include "lib/build/scan.h"
#include "lib/graph/annotation.h"
#include "lib/graph/counted.h"
#include "lib/syntax/print_text.h"

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
    for (size_t i = 0; p->labels && i < p->n; i++)
        if (p->item[i].label &&
            !strcmp(ix_symbol_text(p->ctx, p->item[i].label), text))
            return true;
    return is_temp_name(text) || is_given_name(p, text);
}

void
ix_print_result_name(const ix_item *item, int64_t k, ix_text *t)
{
    ix_text_format(t, "t%d", (int)(item->temp + k));
}

static void
print_carried(ix_printer *p, const ilex_array *n, ix_text *t)
{
    int k;
    const ix_item *loop = ix_print_carrier(p, n, &k);
    ix_print_result_name(loop, k, t);
}

void
ix_print_name(ix_printer *p, const ix_item *item, ix_text *t)
{
    const ilex_array *n = item->node;
    if (n->kind == IX_INPUT)
        ix_text_put(t, ix_symbol_text(p->ctx, (int32_t)n->attr[0]));
    else if (n->kind == IX_DATA)
        ix_text_format(t, "_ilex_data%lld", (long long)n->attr[0]);
    else if (n->kind == IX_RESULT)
        ix_print_result_name(ix_print_item(p, n->ops[0]), n->attr[0], t);
    else if (n->kind == IX_CARRIED)
        print_carried(p, n, t);
    else if (item->label)
        ix_text_put(t, ix_symbol_text(p->ctx, item->label));
    else
        ix_text_format(t, "t%d", (int)item->temp);
}

void
ix_print_give_name(ix_printer *p, ix_item *item)
{
    const ilex_array *n = item->node;
    if (item->label || item->temp >= 0)
        return;
    bool tuple =
        n->kind == IX_SCAN || n->kind == IX_FOREIGN || n->kind == IX_LOOP;
    int count = tuple ? ix_tuple_count(n) : 1;
    int free = 0;
    while (free < count) {
        char text[16];
        snprintf(text, sizeof text, "t%d", (int)p->next_temp++);
        free = p->given_temps && is_given_name(p, text) ? 0 : free + 1;
    }
    item->temp = p->next_temp - count;
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

void
ix_print_body(ix_printer *p, ix_write_mode mode, const ix_item *item,
              int result, bool bare)
{
    ilex_array *n = item->node;
    ix_writer w = {.ctx = p->ctx,
                   .printer = p,
                   .mode = mode,
                   .lambda = ix_has_body(n) ? n : NULL,
                   .result = result,
                   .t = p->t,
                   .budget = IX_WRITE_BUDGET,
                   .bare = bare};
    if (mode == IX_WRITE_FIELD)
        ix_write_field(&w, n, 1);
    else
        ix_write_scalar(
            &w, n->kind == IX_SCAN ? ix_tuple_body(n, result) : n->ops[0], 1);
    if (w.failed && p->status == ILEX_OK)
        too_large(p);
}

static void
write(ix_printer *p, ix_write_mode mode, const ix_item *item, bool bare)
{
    ix_print_body(p, mode, item, 0, bare);
}

void
ix_print_type(ix_printer *p, const ilex_array *n)
{
    ix_text_put(p->t, ilex_dtype_name((ilex_dtype)n->dtype));
    if (n->interior->rank == 0)
        return;
    ix_text_char(p->t, '[');
    ix_domain_print(p->ctx, n->interior, p->t);
    ix_text_char(p->t, ']');
}

/* ---- maps ---- */

void
ix_print_indices(ix_printer *p, const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++) {
        const char *name = ix_symbol_text(p->ctx, dom->ax[k].name);
        const ix_domain *one = ix_domain_new(p->ctx, 1, &dom->ax[k]);
        ix_text_put(p->t, k ? ", " : "");
        if (dom->ax[k].name && !strchr(name, '+'))
            ix_text_format(p->t, "%s=", name);
        p->t->failed |= !one;
        if (one)
            ix_domain_print(p->ctx, one, p->t);
    }
}

/* Operands in the order in which a body meets them. */
typedef struct slot_order {
    int64_t next;
    bool sorted;
} slot_order;

static ix_walk_step
meet_slot(ix_walk *w, ilex_array *n, size_t *value)
{
    slot_order *o = w->user;
    (void)value;
    if (n->kind != IX_LOAD)
        return IX_WALK_IN;
    o->sorted &= n->attr[0] <= o->next;
    o->next += n->attr[0] == o->next;
    return IX_WALK_OVER;
}

bool
ix_print_by_name(ix_printer *p, const ilex_array *n)
{
    slot_order o = {.sorted = true};
    ix_walk w = {
        .ctx = p->ctx, .within = IX_HAS_LOAD, .enter = meet_slot, .user = &o};
    bool ok = ix_walk_body(&w, n->ops[0], NULL);
    p->t->failed |= !ok;
    ix_walk_free(&w);
    ok = ok && o.sorted && o.next == n->nops - 1;
    for (int i = 1; ok && i < n->nops; i++) {
        ok = ix_is_array(n->ops[i]);
        for (int k = 1; k < i; k++)
            ok = ok && n->ops[k] != n->ops[i];
    }
    return ok;
}

/* Is the length of every axis >= 0 for all sizes that "n" rests on, as `map`
 * asks? With more assumptions it would rest on these as well. */
static bool
has_extents(ilex_context *ctx, const ilex_array *n)
{
    ix_error_mark errors = ix_errors_mark(&ctx->error);
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.in_force = n->env});
    bool ok = ix_domain_check_extents(ctx, "print", n->interior);
    ix_assume_instead(ctx, before);
    if (ix_errors_since(&ctx->error, errors) != ILEX_E_MEMORY)
        ix_errors_rewind(&ctx->error, errors);
    return ok;
}

static void
write_map(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    bool plain = ix_print_by_name(p, n);
    ix_text_put(p->t, "map ");
    ix_print_name(p, item, p->t);
    ix_text_char(p->t, '[');
    ix_print_indices(p, n->interior);
    ix_text_char(p->t, ']');
    if (n->valid != n->interior || !has_extents(p->ctx, n)) {
        ix_text_put(p->t, " valid(");
        ix_print_indices(p, n->valid);
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

/* ---- statements ---- */

/* A result has a name from its tuple; its tags need a line of their own. */
static void
write_result_tags(ix_printer *p, const ix_item *item)
{
    if (item->node->kind != IX_RESULT || ix_tag_count(item->node) == 0)
        return;
    ix_text_format(p->t, "let t%d = ", (int)p->next_temp);
    ix_print_name(p, item, p->t);
    ix_tags_print(item->node, p->t);
    ix_text_char(p->t, '\n');
    p->next_temp++;
}

static void
write_item(ix_printer *p, ix_item *item)
{
    if (item->as == IX_AS_INPUT)
        write_result_tags(p, item);
    if (!item->named || item->as == IX_AS_INPUT)
        return;
    ix_print_give_name(p, item);
    if (item->node->kind != IX_LOOP)
        ix_print_indent(p, (size_t)(item - p->item));
    if (item->as == IX_AS_MAP) {
        write_map(p, item);
    } else if (item->as == IX_AS_NODE) {
        ix_print_node(p, item);
    } else {
        ix_text_put(p->t, "let ");
        ix_print_name(p, item, p->t);
        if (item->as == IX_AS_TYPED) {
            ix_text_put(p->t, " : ");
            ix_print_type(p, item->node);
        }
        ix_text_put(p->t, " = ");
        write(p, IX_WRITE_FIELD, item, item->as == IX_AS_TYPED);
    }
    ix_tags_print(item->node, p->t);
    ix_text_char(p->t, '\n');
}

/* Sizes that count what item "i" is. */
static void
write_counted(ix_printer *p, size_t i)
{
    for (; p->next_counted < p->ncounted; p->next_counted++) {
        int32_t size = p->counted[p->next_counted];
        const ix_item *mask = ix_print_item(p, p->ctx->param[size].mask);
        if (mask > &p->item[i])
            return;
        ix_print_indent(p, (size_t)(mask - p->item));
        ix_text_format(p->t, "size %s = count_nonzero(",
                       ix_param_name(p->ctx, size));
        ix_print_name(p, mask, p->t);
        ix_text_put(p->t, ")\n");
        ix_print_assumptions(p, p->next_counted);
    }
}

static void
write_output(ix_printer *p, const ix_output *out)
{
    const ix_item *item = ix_print_item(p, out->array);
    const ilex_array *n = item->node;
    ix_text_format(p->t, "out %s", ix_symbol_text(p->ctx, out->name));
    if (n->interior == n->valid) {
        ix_text_put(p->t, " : ");
        ix_print_type(p, n);
    }
    ix_text_put(p->t, " = ");
    if (item->named)
        ix_print_name(p, item, p->t);
    else
        write(p, IX_WRITE_FIELD, item, item->as == IX_AS_TYPED);
    if (out->inplace)
        ix_text_format(p->t, " inplace %s",
                       ix_symbol_text(p->ctx, out->inplace));
    if (!item->named)
        ix_tags_print(n, p->t);
    ix_text_char(p->t, '\n');
}

static void
write_messages(ix_printer *p)
{
    for (size_t i = 0; i < p->module->nmessages; i++) {
        const ix_module_message *x = &p->module->message[i];
        ix_text_format(p->t, "%s %s %s ", x->sends ? "send" : "recv",
                       ix_symbol_text(p->ctx, x->name),
                       x->sends ? "to" : "from");
        ix_lin_print(p->ctx, x->rank, p->t);
        if (x->tag)
            ix_text_format(p->t, " tag %d", x->tag);
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
    ix_print_heading(p);
    for (size_t i = 0; p->status == ILEX_OK && i < p->n; i++) {
        ix_print_loop_heads(p, i);
        write_item(p, &p->item[i]);
        write_counted(p, i);
    }
    for (size_t i = 0; p->status == ILEX_OK && i < m->noutputs; i++)
        write_output(p, &m->output[i]);
    write_messages(p);
}

static ilex_status
print_module(ilex_module *m, bool labels, ix_text *t)
{
    ilex_context *ctx = m->ctx;
    ix_printer p = {.ctx = ctx,
                    .order = {.ctx = ctx},
                    .module = m,
                    .t = t,
                    .labels = labels};
    bool clean = ctx->error.code == ILEX_OK;
    ilex_status rc = ix_module_collect(m);
    if (rc != ILEX_OK)
        return rc;
    size_t mark = ilex_scope_begin(ctx);
    /* texts are tried out as they will be read */
    ix_assumed before =
        ix_assume_instead(ctx, (ix_assumed){.in_force = m->env});
    if (ix_counted_name_only(ctx, m->env) && ix_print_collect(&p))
        write_program(&p);
    else
        p.status = ctx->error.code;
    ilex_scope_end(ctx, mark, NULL);
    ix_assume_instead(ctx, before);
    ix_order_free(&p.order);
    if (p.repeats.mem)
        ix_repeats_free(&p.repeats);
    ix_mem_free(&ctx->mem, p.item);
    ix_mem_free(&ctx->mem, p.param);
    ix_mem_free(&ctx->mem, p.counted);
    if (p.status == ILEX_OK && t->failed)
        p.status = ix_fail_memory(&ctx->error);
    return p.status == ILEX_OK && clean ? ctx->error.code : p.status;
}

ilex_status
ix_print_module(ilex_module *m, ix_text *t)
{
    return print_module(m, false, t);
}

ilex_status
ix_print_labelled(ilex_module *m, ix_text *t)
{
    return print_module(m, true, t);
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
