/* SPDX-License-Identifier: MIT
 *
 * Meaning of what only field expressions (let, out) have: names of arrays and
 * reductions over axes. (Subscripts: lib/syntax/parse_subscript.c.)
 */
#include "lib/syntax/parse.h"

ilex_array *
ix_parse_field_name(ix_parser *p, const ix_word *w)
{
    ix_name *name = ix_parser_find(p, w->text, (size_t)w->length, false);
    if (name)
        return name->array;
    name = ix_parser_find(p, w->text, (size_t)w->length, true);
    if (name)
        return ix_scalar_size(p->ctx, name->param);
    ix_parser_unknown(p, w, "array or size");
}

/* The axis of "a" that an entry of a reduction names. */
static int
reduced_axis(ix_parser *p, const ilex_array *a, const ix_colons *r)
{
    const ix_syntax *x = r->part[0];
    if (r->n != 1 || !ix_parse_is_plain(r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "here a reduction names axes of its operand, for example "
                    "sum[I](u); ranges belong to map");
    bool number = x->kind == IX_SYNTAX_INT || x->kind == IX_SYNTAX_PREFIX;
    int64_t k = -1;
    if (number) {
        k = ix_parse_int(p, x);
        k += k < 0 ? ix_rank(a) : 0;
        k = k < ix_rank(a) ? k : -1;
    } else if (ix_rank(a) > 0) {
        k = ix_domain_find(a->interior, ix_parse_axis(p, x));
    }
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &x->word,
                    "the operand has no axis %.*s; its axes are [%s]",
                    (int)x->word.length, x->word.text,
                    ix_rank(a) ? ix_domain_show(p->ctx, a->interior).s : "");
    return (int)k;
}

/* The axes of "a" that a reduction lists; all of them without brackets. */
static uint32_t
reduced_axes(ix_parser *p, const ilex_array *a, const ix_colons_list *ranges)
{
    uint32_t mask = ranges ? 0 : ((uint32_t)1 << ix_rank(a)) - 1;
    for (size_t i = 0; ranges && i < ranges->n; i++) {
        const ix_colons *item = &ranges->item[i];
        int k = reduced_axis(p, a, item);
        if (mask >> k & 1)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &item->where,
                        "axis %d is listed twice", k);
        mask |= (uint32_t)1 << k;
    }
    return mask;
}

/* where=m, initial=v, keep=1 */
static void
reduce_attributes(ix_parser *p, const ix_syntax *x, ix_reduce_request *request)
{
    for (size_t i = 0; i < x->attributes.n; i++) {
        const ix_attribute *a = &x->attributes.item[i];
        bool where = ix_word_is(&a->name, "where");
        bool initial = ix_word_is(&a->name, "initial");
        if (a->n != 1 || (!where && !initial && !ix_word_is(&a->name, "keep")))
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX,
                        a->name.length ? &a->name : &x->word,
                        "a reduction has the attributes where, initial and "
                        "keep, for example %.*s[0](x; where=m, keep=1)",
                        (int)x->word.length, x->word.text);
        if (where)
            request->where = ix_parse_expr(p, a->value[0]);
        else if (initial)
            request->initial = ix_parse_expr(p, a->value[0]);
        else
            request->keep = ix_parse_int(p, a->value[0]) != 0;
    }
}

ilex_array *
ix_parse_field_reduce(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_array *a = ix_parse_expr(p, x->part[0]);
    ix_reduce_request request = {.mask = reduced_axes(p, a, x->ranges)};
    reduce_attributes(p, x, &request);
    ix_parser_at(p, &x->word);
    ilex_array *result =
        ix_parser_array(p, ix_build_reduce_with(p->ctx, r, a, &request));
    return ix_parser_depth(p, &x->word, 1, &a, result);
}
