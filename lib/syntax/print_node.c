/* SPDX-License-Identifier: MIT
 *
 * Structural nodes as statements: einsum, reshape, the kinds of form node.
 */
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
        bool one = type == IX_ATTRIBUTE_AXIS || type == IX_ATTRIBUTE_LIN;
        ix_text_format(p->t, "%s%s=%s", i ? ", " : "; ",
                       info->attribute[i].name, one ? "" : "[");
        for (int k = 0; k < ix_attribute_count(type, n->ops[0]); k++) {
            ix_text_put(p->t, k ? ", " : "");
            if (type == IX_ATTRIBUTE_LIN || type == IX_ATTRIBUTE_LINS)
                write_bound(p, n->ops[bound++]);
            else if (type == IX_ATTRIBUTE_AXIS)
                write_axis(p, n->ops[0], n->attr[number++]);
            else
                ix_text_int(p->t, n->attr[number++]);
        }
        ix_text_put(p->t, one ? "" : "]");
    }
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
    ix_text_put(p->t, "node ");
    ix_print_name(p, item, p->t);
    ix_text_format(p->t, " = %s(", ix_kind_infos[n->kind].text);
    for (int i = 0; i < ix_operand_count(n); i++) {
        ix_text_put(p->t, i ? ", " : "");
        ix_print_name(p, ix_print_item(p, n->ops[i]), p->t);
    }
    write_attributes(p, n);
    ix_text_char(p->t, ')');
}
