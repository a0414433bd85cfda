/* SPDX-License-Identifier: MIT
 *
 * What field expressions (let, out) write in their own way: operands by name
 * or inlined, shifts along named axes, reductions over axes of an operand.
 */
#include "lib/build/shift_by.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"
#include "lib/syntax/print_text.h"

ilex_array *
ix_write_operand_of(const ix_writer *w, const ilex_array *load)
{
    int64_t slot = load->attr[0];
    return w->lambda && slot + 1 < w->lambda->nops ? w->lambda->ops[slot + 1]
                                                   : NULL;
}

static void write_field_operand(ix_writer *w, const ilex_array *load,
                                const ilex_array *x, int precedence);

/* The same by an amount that is data, which "by" reads. */
static bool
write_shift_by(ix_writer *w, const ilex_array *by, int32_t from, int32_t to,
               int *entries)
{
    const char *name = ix_symbol_text(w->ctx, from);
    const ilex_array *amount = ix_write_operand_of(w, by);
    if (!from || from != to || !amount)
        return false;
    ix_text_format(w->t, "%s%.*s+", ++*entries > 1 ? ", " : "[",
                   (int)strcspn(name, "+"), name);
    write_field_operand(w, by, amount, IX_PRECEDENCE_PRODUCT);
    return true;
}

/* Writes the entry of a shift along axis "j" of the operand, if it moves;
 * false when the load is no shift there. */
static bool
write_shift(ix_writer *w, const ilex_array *load, const ilex_array *x, int j,
            int *entries)
{
    int k;
    int64_t offset;
    const ix_domain *dom = w->lambda->interior;
    const ilex_array *by = ix_shift_by_of(load->ops[j], &k);
    if (by && k < dom->rank)
        return write_shift_by(w, by, x->interior->ax[j].name, dom->ax[k].name,
                              entries);
    if (!ix_index_is_shift(load->ops[j], &k, &offset) || k >= dom->rank)
        return load->ops[j]->kind == IX_CONST && !x->interior->ax[j].name;
    int32_t from = x->interior->ax[j].name, to = dom->ax[k].name;
    const char *name = ix_symbol_text(w->ctx, from);
    const char *sep = *entries ? ", " : "[";
    if (from == to && offset == 0)
        return true;
    if (!from || offset == INT64_MIN)
        return false;
    ++*entries;
    if (from == to) {
        int stem = (int)strcspn(name, "+");
        ix_text_format(w->t, "%s%.*s%s%lld", sep, stem, name,
                       offset > 0 ? "+" : "", (long long)offset);
        return true;
    }
    if (!to || !ix_axes_are_partners(w->ctx, from, to) ||
        offset > IX_UNBOUNDED || offset < -IX_UNBOUNDED)
        return false;
    bool back = strchr(name, '+') != NULL;
    ix_text_format(w->t, "%s%.*s%+lld/2", sep, (int)strcspn(name, "+"), name,
                   (long long)(2 * offset + (back ? 1 : -1)));
    return true;
}

/* The operand of a field expression: its name, or its own expression. */
static void
write_field_operand(ix_writer *w, const ilex_array *load, const ilex_array *x,
                    int precedence)
{
    if (w->mode == IX_WRITE_TRIAL) {
        ix_text_format(w->t, "_in%lld", (long long)load->attr[0]);
        return;
    }
    ix_item *item = ix_print_item(w->printer, x);
    if (item->named) {
        ix_print_name(w->printer, item, w->t);
        return;
    }
    ix_writer inner = *w;
    inner.lambda = item->node;
    inner.bare = false;
    ix_write_field(&inner, item->node, precedence);
    w->failed |= inner.failed;
}

void
ix_write_field_load(ix_writer *w, const ilex_array *n, int precedence)
{
    const ilex_array *x = ix_write_operand_of(w, n);
    int entries = 0;
    if (!x || n->nops != ix_rank(x)) {
        w->failed = true;
        return;
    }
    write_field_operand(w, n, x, precedence);
    for (int j = 0; j < n->nops && !w->failed; j++)
        w->failed = !write_shift(w, n, x, j, &entries);
    bool trusted = false;
    for (int j = 0; j < n->nops; j++)
        trusted |= n->ops[j]->kind == IX_CHECKED && ix_is_trusted(n->ops[j]);
    if (entries)
        ix_text_put(w->t, trusted ? "; unchecked]" : "]");
}

/* A reduction of a whole operand: the axes read at reduction indices. */
static void
write_field_reduce(ix_writer *w, const ilex_array *n, const char *name)
{
    const ilex_array *load =
        n->ops[0]->kind == IX_CAST ? n->ops[0]->ops[0] : n->ops[0];
    const ilex_array *x =
        load->kind == IX_LOAD ? ix_write_operand_of(w, load) : NULL;
    if (!x || ix_rank(x) != load->nops) {
        w->failed = true;
        return;
    }
    ix_text_put(w->t, name);
    int count = 0;
    for (int j = 0; j < load->nops; j++) {
        if (load->ops[j]->kind != IX_RINDEX)
            continue;
        ix_text_put(w->t, count++ ? ", " : "[");
        if (x->interior->ax[j].name)
            ix_text_put(w->t, ix_symbol_text(w->ctx, x->interior->ax[j].name));
        else
            ix_text_int(w->t, j);
    }
    ix_text_put(w->t, count ? "](" : "[](");
    write_field_operand(w, load, x, 1);
    ix_write_initial(w, n);
    ix_text_char(w->t, ')');
}

/* The sum inside a mean, which is a quotient; NULL if it is none. */
static const ilex_array *
mean_sum(const ilex_array *n)
{
    return n->kind == IX_OP && ix_op_of(n) == IX_OP_TRUE_DIVIDE &&
                   n->ops[0]->kind == IX_REDUCE &&
                   n->ops[0]->attr[0] == IX_REDUCTION_SUM
               ? n->ops[0]
               : NULL;
}

/* A body, or what it rounds, of f16 or bf16, if that is a reduction. */
static const ilex_array *
before_rounding(const ilex_array *body)
{
    const ilex_array *x = body->kind == IX_CAST ? body->ops[0] : body;
    bool half = ix_dtype_is_half((ilex_dtype)body->dtype);
    return half && (x->kind == IX_REDUCE || mean_sum(x)) ? x : body;
}

void
ix_write_field(ix_writer *w, const ilex_array *n, int precedence)
{
    const ilex_array *body =
        before_rounding(n->kind == IX_LAMBDA ? n->ops[0] : n);
    if (n->kind != IX_LAMBDA && ix_is_array(n))
        w->failed = true;
    else if (body->kind == IX_REDUCE)
        write_field_reduce(
            w, body, ix_reduction_info_of((ix_reduction)body->attr[0])->name);
    else if (mean_sum(body))
        write_field_reduce(w, mean_sum(body), "mean");
    else
        ix_write_scalar(w, body, precedence);
}
