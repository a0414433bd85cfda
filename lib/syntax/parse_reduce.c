/* SPDX-License-Identifier: MIT
 *
 * Meaning of reductions in bodies of index lambdas, over ranges of indices of
 * their own. (Ends that are computed: lib/syntax/parse_ranged.c.)
 */
#include "lib/shape/access.h"
#include "lib/syntax/parse.h"

/* ---- ranges ---- */

/* Opens the ranges of a reduction; returns their box and the first number. */
static const ix_domain *
open_ranges(ix_parser *p, const ix_colons_list *ranges, int *first)
{
    ix_lambda_env *env = p->lambda;
    ix_axis ax[ILEX_MAX_RANK];
    int depth = env->nrindex;
    *first = depth ? env->rindex[depth - 1].number + 1 : 0;
    for (size_t i = 0; i < ranges->n; i++) {
        const ix_colons *r = &ranges->item[i];
        const ix_syntax *name = r->part[0];
        if (r->n < 2 || !ix_parse_is_plain(r) || name->kind != IX_SYNTAX_NAME)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "a reduction in a map names an index and its range, "
                        "for example sum[s:3](x[i + s])");
        if (depth + (int)i == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &name->word,
                        "more than %d reduction indices", ILEX_MAX_RANK);
        int number = ix_parse_numbered(&name->word, "_r");
        *first = number >= 0 && i == 0 ? number : *first;
        env->rindex[depth + (int)i] = (ix_rindex){name->word, *first + (int)i};
        ax[i].name = 0;
        ax[i].lo =
            r->n == 3 ? ix_parse_lin(p, r->part[1]) : ix_lin_const(p->ctx, 0);
        ax[i].hi = ix_parse_lin(p, r->part[r->n - 1]);
    }
    const ix_domain *box = ix_domain_new(p->ctx, (int)ranges->n, ax);
    if (!box)
        ix_lex_abort(&p->reader);
    env->nrindex += (int)ranges->n;
    return box;
}

/* Numbers of reduction indices are new and small. */
static void
check_numbers(ix_parser *p, const ix_syntax *x, int depth, int first)
{
    const ix_lambda_env *env = p->lambda;
    bool ok = first + env->nrindex - depth <= ILEX_MAX_RANK;
    for (int i = 0; i < depth; i++)
        ok &= env->rindex[i].number < first ||
              env->rindex[i].number >= first + env->nrindex - depth;
    if (!ok)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &x->word,
                    "the index _r%d belongs to a reduction around this one or "
                    "is beyond _r%d",
                    first, ILEX_MAX_RANK - 1);
}

/* Refuses what has no value: max, min, argmax and argmin over nothing. */
static void
check_box(ix_parser *p, const ix_syntax *x, ix_reduction r,
          const ix_domain *box, bool initial)
{
    const ix_reduction_info *info = ix_reduction_info_of(r);
    ix_parser_at(p, &x->word);
    if (!ix_domain_check_extents(p->ctx, info->name, box))
        ix_lex_abort(&p->reader);
    for (int k = 0; k < box->rank && !info->empty && !initial; k++)
        if (box->ax[k].lo == box->ax[k].hi)
            ix_lex_fail(&p->reader, ILEX_E_EMPTY_REDUCTION, &x->word,
                        "%s over an empty range has no value", info->name);
}

/* The number of points of "box" as "dtype". */
static ilex_array *
count_points(ix_parser *p, const ix_domain *box, ilex_dtype dtype)
{
    ilex_context *ctx = p->ctx;
    ilex_array *product = ix_scalar_cast(ctx, dtype, ix_index_const(ctx, 1));
    for (int k = 0; k < box->rank; k++) {
        ilex_array *length =
            ix_index_lin(ctx, ix_axis_extent(ctx, &box->ax[k]));
        ilex_array *ops[2] = {product, ix_scalar_cast(ctx, dtype, length)};
        product = k == 0 ? ops[1]
                         : ix_scalar_op(ctx, IX_OP_MULTIPLY, dtype, dtype, ops);
    }
    return ix_parser_array(p, product);
}

void
ix_parse_reduction_type(ix_parser *p, const ix_syntax *x, ix_reduction r,
                        const ilex_array *value, ilex_dtype *acc,
                        ilex_dtype *result)
{
    if (!ix_reduction_type(r, (ilex_dtype)value->dtype, acc, result))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &x->word,
                    "%s is not defined for %s", ix_reduction_info_of(r)->name,
                    ilex_dtype_name((ilex_dtype)value->dtype));
}

/* A reduction over ranges of sizes; with an initial value max and min may be
 * over nothing. */
static ilex_array *
parse_reduction(ix_parser *p, const ix_syntax *x, ix_reduction r,
                const ilex_array *initial)
{
    ilex_context *ctx = p->ctx;
    int first, depth = p->lambda->nrindex;
    bool mean = r == IX_REDUCTION_MEAN;
    const ix_domain *box = open_ranges(p, x->ranges, &first);
    check_box(p, x, r, box, initial != NULL);
    check_numbers(p, x, depth, first);
    ilex_array *value = ix_parse_expr(p, x->part[0]);
    p->lambda->nrindex = depth;
    ix_parser_at(p, &x->word);
    ilex_dtype acc, result;
    ix_parse_reduction_type(p, x, r, value, &acc, &result);
    ilex_dtype own = ix_reduction_info_of(r)->by_index ? result : acc;
    value = ix_parser_array(p, ix_scalar_cast(ctx, acc, value));
    ilex_array *body =
        initial ? ix_scalar_reduce_total(ctx, r, own, box, first, value)
                : ix_scalar_reduce(ctx, mean ? IX_REDUCTION_SUM : r, own, box,
                                   first, value);
    ix_parser_array(p, body);
    if (mean) {
        ilex_array *ops[2] = {body, count_points(p, box, acc)};
        body = ix_scalar_op(ctx, IX_OP_TRUE_DIVIDE, acc, acc, ops);
    }
    body = ix_parser_array(p, ix_scalar_cast(ctx, result, body));
    return ix_parser_depth(p, &x->word, 1, &value, body);
}

/* Fails for sum(a[i, :]): shows the reduction over indices of its own. */
static void
refuse_slices(ix_parser *p, const ix_syntax *x)
{
    const ix_syntax *of = x->part[0];
    bool named = of->kind == IX_SYNTAX_INDEX && !of->attributes.n &&
                 of->part[0]->kind == IX_SYNTAX_NAME && !x->ranges;
    const ix_word *w = &of->word;
    ix_name *name = named ? ix_parser_find(p, w, IX_NAME_ARRAY) : NULL;
    if (!name || (size_t)ix_rank(name->array) != of->ranges->n)
        return;
    ix_text ranges, indices;
    ix_text_init(&ranges, &p->mem);
    ix_text_init(&indices, &p->mem);
    int whole = 0;
    for (size_t k = 0; k < of->ranges->n; k++) {
        const ix_colons *r = &of->ranges->item[k];
        bool all = r->n == 2 && !r->part[0] && !r->part[1];
        if (!all && (r->n != 1 || !ix_parse_is_plain(r)))
            return;
        ix_text_put(&indices, k ? ", " : "");
        if (!all) {
            ix_text_put(&indices, ix_parse_shown(p, r->part[0]));
            continue;
        }
        ix_text_format(&indices, "_r%d", whole);
        ix_text_format(&ranges, "%s_r%d:%s", whole ? ", " : "", whole,
                       ix_lin_show(p->ctx, name->array->interior->ax[k].hi).s);
        whole++;
    }
    if (whole)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "in a map a reduction has indices of its own: "
                    "%.*s[%s](%.*s[%s])",
                    (int)x->word.length, x->word.text, ix_text_string(&ranges),
                    (int)w->length, w->text, ix_text_string(&indices));
}

/* The attribute initial=v of a reduction in a map, NULL if it has none. */
static ilex_array *
parse_initial(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    const ix_attribute *a = x->attributes.item;
    const ix_reduction_info *info = ix_reduction_info_of(r);
    refuse_slices(p, x);
    if (!x->ranges || x->attributes.n > 1 ||
        (x->attributes.n && (a->n != 1 || !ix_word_is(&a->name, "initial"))))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "a reduction in a map names indices and their ranges, and "
                    "has the attribute initial alone, for example "
                    "sum[s:3](x[i + s]) or max[s:n](x[s]; initial=0)");
    if (x->attributes.n && (info->by_index || r == IX_REDUCTION_MEAN))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "%s: has no initial value", info->name);
    return x->attributes.n ? ix_parse_expr(p, a->value[0]) : NULL;
}

ilex_array *
ix_parse_lambda_reduce(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_array *v = parse_initial(p, x, r);
    ilex_array *y = ix_parse_is_ranged(p, x) ? ix_parse_ranged(p, x, r)
                                             : parse_reduction(p, x, r, v);
    if (!v)
        return y;
    ix_parser_at(p, &x->word);
    ilex_array *args[2] = {v, y};
    return ix_parser_depth(
        p, &x->word, 2, args,
        ix_parser_array(p, ix_build_initial(p->ctx, r, v, y)));
}
