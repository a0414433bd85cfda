/* SPDX-License-Identifier: MIT
 *
 * Structural nodes as statements: einsum, reshape, the kinds of form node.
 */
#include "lib/build/einsum.h"
#include "lib/build/foreign.h"
#include "lib/build/scan.h"
#include "lib/syntax/print_text.h"

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
write_labels(ix_text *t, const ix_labels *l)
{
    ix_text_char(t, '[');
    for (int k = 0; k < l->n; k++) {
        ix_text_put(t, k ? ", " : "");
        write_label(t, l->label[k]);
    }
    ix_text_char(t, ']');
}

static void
write_operand(ix_printer *p, const ix_einsum *e, int i)
{
    ix_print_name(p, ix_print_item(p, e->operand[i]), p->t);
    write_labels(p->t, &e->labels[i]);
}

/* Where the factor that ends before step "end" of a path starts. */
static int
factor_start(const ix_einsum_path *path, int end)
{
    int missing = 1;
    while (missing)
        missing += path->step[--end] == IX_MULTIPLY ? 1 : -1;
    return end;
}

/* The factor that ends before step "end", a product in parentheses unless the
 * text is read in that order anyway. */
static void
write_factor(ix_printer *p, const ix_einsum *e, int end, bool bare)
{
    int step = e->path.step[end - 1];
    if (step != IX_MULTIPLY) {
        write_operand(p, e, step);
        return;
    }
    ix_text_put(p->t, bare ? "" : "(");
    write_factor(p, e, factor_start(&e->path, end - 1), false);
    ix_text_char(p->t, '*');
    write_factor(p, e, end - 1, false);
    ix_text_put(p->t, bare ? "" : ")");
}

/* Is the path the one that is taken where none is given? */
static bool
default_path(ilex_context *ctx, const ix_einsum *e)
{
    ix_einsum_path chosen;
    ix_einsum_choose(ctx, e, &chosen);
    return chosen.n == e->path.n &&
           !memcmp(chosen.step, e->path.step,
                   (size_t)chosen.n * sizeof *chosen.step);
}

/* " : i32"; false: it is what the operands have in common and not written. */
static bool
write_dtype(const ilex_array *n, ix_text *t)
{
    bool own = n->dtype != (int)ix_common_dtype(n->nops, n->ops);
    if (own)
        ix_text_format(t, " : %s", ilex_dtype_name((ilex_dtype)n->dtype));
    return own;
}

/* Is the dtype of sums another than by default? */
static bool
has_acc(const ilex_array *n, const ix_einsum *e)
{
    ilex_dtype factors = ix_common_dtype(n->nops, n->ops);
    return e->acc != ix_einsum_acc(factors, (ilex_dtype)n->dtype);
}

static void
write_einsum(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    ix_einsum e;
    ix_einsum_read(n, &e);
    ix_text_put(p->t, "einsum ");
    ix_print_name(p, item, p->t);
    write_labels(p->t, &e.result);
    write_dtype(n, p->t);
    ix_text_put(p->t, " = ");
    bool given = e.path.n && !default_path(p->ctx, &e);
    for (int i = 0; i < e.count && !given; i++) {
        ix_text_put(p->t, i ? "*" : "");
        write_operand(p, &e, i);
    }
    if (given)
        write_factor(p, &e, e.path.n, true);
    if (has_acc(n, &e))
        ix_text_format(p->t, " acc %s", ilex_dtype_name(e.acc));
    ix_text_put(p->t, e.rounded ? " rounded" : "");
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

static void
write_bound(ix_printer *p, const ilex_array *bound)
{
    ix_writer w = {.ctx = p->ctx,
                   .mode = IX_WRITE_MAP,
                   .t = p->t,
                   .budget = IX_WRITE_BUDGET,
                   .bare = true,
                   .tight = true};
    ix_write_scalar(&w, bound, 1);
}

/* An axis by its name, or its number if it has none. */
static void
write_axis(ix_printer *p, const ilex_array *x, int64_t k)
{
    int32_t name = x->interior->ax[k].name;
    if (name)
        ix_text_put(p->t, ix_symbol_text(p->ctx, name));
    else
        ix_text_int(p->t, k);
}

/* The attributes of a node; integers and bounds stand in the order of the
 * row. */
static void
write_attributes(ix_printer *p, const ilex_array *n)
{
    const ix_kind_info *info = &ix_kind_infos[n->kind];
    int number = 0, bound = ix_operand_count(n);
    for (int i = 0; i < info->nattributes; i++) {
        ix_attribute_type type = info->attribute[i].type;
        bool one = !ix_attribute_per_axis(type);
        ix_text_format(p->t, "%s%s=%s", i ? ", " : "", info->attribute[i].name,
                       one ? "" : "[");
        for (int k = 0; k < ix_attribute_count(type, n->ops[0]); k++) {
            ix_text_put(p->t, k ? ", " : "");
            if (type == IX_ATTRIBUTE_LIN || type == IX_ATTRIBUTE_LINS)
                write_bound(p, n->ops[bound++]);
            else if (type == IX_ATTRIBUTE_WORD)
                ix_text_put(p->t, n->attr[number++] ? "right" : "left");
            else if (type == IX_ATTRIBUTE_AXIS)
                write_axis(p, n->ops[0], n->attr[number++]);
            else
                ix_text_int(p->t, n->attr[number++]);
        }
        ix_text_put(p->t, one ? "" : "]");
    }
}

/* One result a line, under names that follow each other. */
static void
write_scan(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    const ix_axis *ax = &n->interior->ax[ix_scan_axis(n)];
    ix_write_mode mode = ix_print_by_name(p, n) ? IX_WRITE_MAP : IX_WRITE_SLOTS;
    ix_text_put(p->t, "scan ");
    if (ax->name)
        ix_text_put(p->t, ix_symbol_text(p->ctx, ax->name));
    else
        ix_text_format(p->t, "_%d", ix_scan_axis(n));
    ix_text_put(p->t, ix_scan_is_backward(n) ? " backward " : " forward ");
    for (int i = 0; i < ix_tuple_count(n); i++) {
        ilex_dtype dtype = (ilex_dtype)ix_tuple_body(n, i)->dtype;
        ix_text_put(p->t, i ? ",\n     " : "");
        ix_print_result_name(item, i, p->t);
        ix_text_char(p->t, '[');
        ix_print_indices(p, n->interior);
        ix_text_format(p->t, "] : %s = ", ilex_dtype_name(dtype));
        ix_print_body(p, mode, item, i, dtype == ILEX_F64 || dtype == ILEX_I64);
    }
    ix_text_put(p->t, ix_combining_text(ix_scan_chunks(n)));
}

static void
write_operands(ix_printer *p, const ilex_array *n)
{
    ilex_array *x;
    for (int i = 0; (x = ix_operand(n, i)); i++) {
        ix_text_put(p->t, i ? ", " : "");
        ix_print_name(p, ix_print_item(p, x), p->t);
    }
}

static void
write_foreign(ix_printer *p, const ix_item *item)
{
    const ilex_array *n = item->node;
    ix_text_put(p->t, "let ");
    for (int i = 0; i < ix_tuple_count(n); i++) {
        ix_text_put(p->t, i ? ", " : "");
        ix_print_result_name(item, i, p->t);
    }
    ix_text_format(p->t, " = %s(", ix_symbol_text(p->ctx, ix_foreign_name(n)));
    write_operands(p, n);
    ix_text_char(p->t, ')');
}

/* "ij,jk->ik : i32" */
static void
write_subscripts(const ilex_array *n, ix_text *t)
{
    ix_einsum e;
    ix_einsum_read(n, &e);
    for (int i = 0; i <= e.count; i++) {
        const ix_labels *l = i < e.count ? &e.labels[i] : &e.result;
        ix_text_put(t, i == e.count ? "->" : i ? "," : "");
        for (int k = 0; k < l->n; k++)
            ix_text_char(
                t, (char)((l->label[k] < 26 ? 'A' : 'a' - 26) + l->label[k]));
    }
    bool dtype = write_dtype(n, t), acc = has_acc(n, &e);
    if (acc)
        ix_text_format(t, "%s acc %s", dtype ? "" : " :",
                       ilex_dtype_name(e.acc));
    if (e.rounded)
        ix_text_put(t, dtype || acc ? " rounded" : " : rounded");
}

void
ix_print_attributes(ilex_context *ctx, const ilex_array *n, ix_text *t)
{
    ix_printer p = {.ctx = ctx, .t = t};
    if (n->kind == IX_EINSUM)
        write_subscripts(n, t);
    else if (n->kind == IX_RESHAPE)
        ix_text_char(t, n->attr[0] ? 'F' : 'C');
    else if (n->kind == IX_SCAN)
        ix_text_format(t, "%d %s%s", ix_scan_axis(n),
                       ix_scan_is_backward(n) ? "backward" : "forward",
                       ix_combining_text(ix_scan_chunks(n)));
    else if (n->kind == IX_INPUT)
        ix_text_put(t, ix_symbol_text(ctx, (int32_t)n->attr[0]));
    else if (n->kind == IX_RESULT)
        ix_text_int(t, n->attr[0]);
    else if (ix_kind_infos[n->kind].nattributes > 0)
        write_attributes(&p, n);
}

void
ix_print_node(ix_printer *p, const ix_item *item)
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
    if (n->kind == IX_SCAN) {
        write_scan(p, item);
        return;
    }
    if (n->kind == IX_FOREIGN) {
        write_foreign(p, item);
        return;
    }
    if (n->kind == IX_LOOP) {
        ix_print_loop_end(p, item);
        return;
    }
    ix_text_put(p->t, "node ");
    ix_print_name(p, item, p->t);
    ix_text_format(p->t, " = %s(", ix_node_text(n));
    write_operands(p, n);
    ix_text_put(p->t, ix_kind_infos[n->kind].nattributes > 0 ? "; " : "");
    write_attributes(p, n);
    ix_text_char(p->t, ')');
}
