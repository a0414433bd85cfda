/* SPDX-License-Identifier: MIT
 *
 * Meaning of what only field expressions (let, out) have: names of arrays and
 * reductions over axes. (Subscripts: lib/syntax/parse_subscript.c.)
 */
#include "lib/syntax/parse.h"

ilex_array *
ix_parse_field_name(ix_parser *p, const ix_word *w)
{
    ix_name *name = ix_parser_find(p, w, IX_NAME_ARRAY);
    if (name)
        return name->array;
    name = ix_parser_find(p, w, IX_NAME_SIZE);
    return name ? ix_index_lin(p->ctx, name->size) : NULL;
}

/* The axis of "a" that an entry of a reduction names. */
static int
reduced_axis(ix_parser *p, const ilex_array *a, const ix_colons *r)
{
    const ix_syntax *x = r->part[0];
    if (r->axis)
        return ix_parse_axis_of(p, a, r->axis);
    if (r->n != 1 || !ix_parse_is_plain(r))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "here a reduction names axes of its operand, for example "
                    "sum[I](u) or sum[I=1:n](u); other ranges belong to map");
    if (x->kind != IX_SYNTAX_INT && x->kind != IX_SYNTAX_PREFIX)
        return ix_parse_axis_of(p, a, x);
    int64_t k = ix_parse_int(p, x);
    k += k < 0 ? ix_rank(a) : 0;
    if (k < 0 || k >= ix_rank(a))
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &x->word,
                    "there is no axis %s in [%s]", ix_parse_shown(p, x),
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

/* Fails because a reduction does not have an attribute. */
_Noreturn static void
no_attribute(ix_parser *p, const ix_syntax *x, const ix_reducer *r,
             const ix_attribute *a)
{
    bool axis = ix_word_is(&a->name, "axis") || ix_word_is(&a->name, "axes");
    if (axis && !x->ranges && a->n == 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &a->name,
                    "the axes of a reduction stand in brackets: %s[%s](%s)",
                    r->name, ix_parse_shown(p, a->value[0]),
                    ix_parse_shown(p, x->part[0]));
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, a->name.length ? &a->name : &x->word,
                "%s has the attributes where, %s, for example %s[0](x; %s)",
                r->name, r->variance ? "keep and ddof" : "initial and keep",
                r->name, r->variance ? "ddof=1" : "where=m, keep=1");
}

/* where=m, initial=v, keep=1, ddof=1 */
static void
reduce_attributes(ix_parser *p, const ix_syntax *x, const ix_reducer *r,
                  ix_reduce_request *request)
{
    for (size_t i = 0; i < x->attributes.n; i++) {
        const ix_attribute *a = &x->attributes.item[i];
        if (a->n != 1)
            no_attribute(p, x, r, a);
        if (ix_word_is(&a->name, "where"))
            request->where = ix_parse_expr(p, a->value[0]);
        else if (ix_word_is(&a->name, "initial") && !r->variance)
            request->initial = ix_parse_expr(p, a->value[0]);
        else if (ix_word_is(&a->name, "keep"))
            request->keep = ix_parse_int(p, a->value[0]) != 0;
        else if (ix_word_is(&a->name, "ddof") && r->variance)
            request->ddof = ix_parse_int(p, a->value[0]);
        else
            no_attribute(p, x, r, a);
    }
}

ilex_array *
ix_parse_field_reduce(ix_parser *p, const ix_syntax *x, const ix_reducer *r)
{
    ilex_array *a =
        ix_parse_ranges_of(p, x->ranges, ix_parse_expr(p, x->part[0]));
    ix_reduce_request request = {.mask = reduced_axes(p, a, x->ranges)};
    reduce_attributes(p, x, r, &request);
    ix_parser_at(p, &x->word);
    ilex_array *result =
        ix_parser_array(p, ix_build_reducer(p->ctx, r, a, &request));
    return ix_parser_depth(p, &x->word, 1, &a, result);
}

/* ---- what loops carry ---- */

ilex_array *
ix_parse_next_value(ix_parser *p, const ix_syntax *x)
{
    ix_parse_outside_map(p, &x->word);
    if (x->nparts != 1 || x->part[0]->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "next(u) takes the name of a carried array");
    const ix_word *word = &x->part[0]->word;
    int k = 0;
    const ix_loop_scope *l = ix_parser_carrier(p, word, &k);
    if (!l)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "no loop around this carries an array %.*s",
                    (int)word->length, word->text);
    if (!l->next[k])
        ix_lex_fail(
            &p->reader, ILEX_E_UNKNOWN, word,
            "next(%.*s) is known behind the statement `next %.*s = ...`",
            (int)word->length, word->text, (int)word->length, word->text);
    return l->next[k];
}
