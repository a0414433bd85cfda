/* SPDX-License-Identifier: MIT
 *
 * Meaning of the statement `const`: a map that selects among values.
 */
#include "lib/syntax/parse.h"

/* Values for index "from" to "to"-1, chosen by halving. */
static ilex_array *
choose(ix_parser *p, ilex_dtype dtype, ilex_array *at, ilex_array **value,
       int64_t from, int64_t to)
{
    ilex_context *ctx = p->ctx;
    if (to - from == 1)
        return value[from];
    int64_t middle = from + (to - from) / 2;
    ilex_array *below[2] = {at, ix_index_const(ctx, middle)};
    ilex_array *ops[3];
    ops[0] = ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, below);
    ops[1] = choose(p, dtype, at, value, from, middle);
    ops[2] = choose(p, dtype, at, value, middle, to);
    return ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype, ops);
}

/* The C-order position of an index in a domain of constant lengths; "*count"
 * takes the number of elements. */
static ilex_array *
position(ix_parser *p, const ix_statement *s, const ix_domain *dom,
         int64_t *count)
{
    ilex_array *at = ix_index_const(p->ctx, 0);
    *count = 1;
    for (int k = 0; k < dom->rank; k++) {
        const ix_lin *length = ix_axis_extent(p->ctx, &dom->ax[k]);
        if (!length || length->n || !ix_lin_is(dom->ax[k].lo, 0) ||
            !ix_mul(*count, length->c, count))
            ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->name,
                        "the axes of a constant start at 0 and have constant "
                        "lengths; [%s] is not of that kind",
                        ix_domain_show(p->ctx, dom).s);
        at = ix_index_fma(p->ctx, ix_scalar_index(p->ctx, k), length->c, at);
    }
    return ix_parser_array(p, at);
}

ilex_array *
ix_parse_const(ix_parser *p, const ix_statement *s)
{
    const ix_attribute *list = &s->values;
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_type_domain(p, &s->type);
    int64_t count;
    ilex_array *at = position(p, s, dom, &count);
    if (count != (int64_t)list->n || count == 0)
        ix_lex_fail(&p->reader, ILEX_E_SHAPE, &s->name,
                    "[%s] has %lld elements, and %zu values are given",
                    ix_domain_show(p->ctx, dom).s, (long long)count, list->n);
    ilex_array **value =
        ix_arena_new(&p->reader.arena, list->n * sizeof *value);
    for (int64_t i = 0; i < count; i++)
        value[i] = ix_parse_constant(p, dtype, list->value[i]);
    ilex_array *body = choose(p, dtype, at, value, 0, count);
    ix_parser_at(p, &s->name);
    return ix_parser_array(p, ix_build_lambda(p->ctx,
                                              ix_parser_string(p, &s->name),
                                              dom, body, 0, NULL));
}
