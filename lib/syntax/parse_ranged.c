/* SPDX-License-Identifier: MIT
 *
 * Meaning of reductions in maps whose range is computed: its ends are data or
 * depend on indices, sum[k:row[i]:row[i+1]](val[k]*u[col[k]]).
 */
#include "lib/ops/dtype.h"
#include "lib/shape/access.h"
#include "lib/syntax/parse.h"

/* ---- what bounds the index ---- */

/* The axis that _r<number> is an index of, in the first read that has it
 * alone as an index. */
typedef struct search {
    int64_t number;
    ilex_array *const *operand;
    const ix_axis *found;
} search;

static ix_walk_step
find_axis(ix_walk *w, ilex_array *n, size_t *value)
{
    search *s = w->user;
    (void)value;
    for (int k = 0; n->kind == IX_LOAD && k < n->nops && !s->found; k++)
        if (n->ops[k]->kind == IX_RINDEX && n->ops[k]->attr[0] == s->number)
            s->found = &s->operand[n->attr[0]]->valid->ax[k];
    return s->found ? IX_WALK_END : IX_WALK_IN;
}

/* The range of the axis that the index of the reduction runs along. */
static const ix_domain *
hull_of(ix_parser *p, const ix_syntax *x, const ilex_array *body, int number)
{
    search s = {.number = number, .operand = p->lambda->operand};
    ix_walk w = {
        .ctx = p->ctx, .within = IX_HAS_RINDEX, .enter = find_axis, .user = &s};
    ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    const ix_word *name = &x->ranges->item[0].where;
    if (!s.found)
        ix_lex_fail(&p->reader, ILEX_E_EMPTY, name,
                    "the range of %.*s is computed, and no array is read at "
                    "%.*s alone, whose length would bound it",
                    (int)name->length, name->text, (int)name->length,
                    name->text);
    ix_axis ax = {0, s.found->lo, s.found->hi};
    const ix_domain *box = ix_domain_new(p->ctx, 1, &ax);
    if (!box)
        ix_lex_abort(&p->reader);
    return box;
}

/* ---- the ends ---- */

/* An end of the range, as i64. */
static ilex_array *
read_end(ix_parser *p, const ix_syntax *x)
{
    ilex_array *v = ix_parse_expr(p, x);
    if (!ix_dtype_is_integer((ilex_dtype)v->dtype))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &x->word,
                    "an end of a range is an integer, not %s",
                    ilex_dtype_name((ilex_dtype)v->dtype));
    v = ix_parser_array(p, ix_scalar_cast(p->ctx, ILEX_I64, v));
    return ix_parser_array(p, ix_index_normal(p->ctx, v));
}

/* The end, checked by runs unless it is known to be inside. */
static ilex_array *
checked_end(ix_parser *p, ilex_array *v, const ix_domain *hull)
{
    ix_frame frame = {.box = p->lambda->dom};
    const ix_lin *lo = hull->ax[0].lo,
                 *hi = ix_lin_offset(p->ctx, hull->ax[0].hi, 1);
    if (ix_index_is_affine(v) && !(v->flags & IX_HAS_RINDEX) &&
        ix_access_is_within(p->ctx, &frame, v, lo, hi))
        return v;
    const ix_checked c = {.what = IX_CHECKED_END,
                          .value = v,
                          .lo = ix_index_lin(p->ctx, lo),
                          .hi = ix_index_lin(p->ctx, hi)};
    return ix_parser_array(p, ix_scalar_checked_as(p->ctx, &c));
}

/* ---- the reduction ---- */

bool
ix_parse_is_ranged(ix_parser *p, const ix_syntax *x)
{
    bool computed = false;
    for (size_t i = 0; x->ranges && i < x->ranges->n; i++) {
        const ix_colons *r = &x->ranges->item[i];
        for (int k = 1; ix_parse_is_plain(r) && k < r->n; k++)
            computed |= ix_parse_is_computed(p, r->part[k]);
    }
    return computed;
}

static void
check_form(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    const ix_reduction_info *info = ix_reduction_info_of(r);
    const ix_colons *range = &x->ranges->item[0];
    if (x->ranges->n > 1 || range->part[0]->kind != IX_SYNTAX_NAME)
        ix_lex_fail(
            &p->reader, ILEX_E_UNSUPPORTED, &range->where,
            "a reduction whose range is computed has one index; nest "
            "reductions for more: sum[k:row[i]:row[i+1]](sum[s:3](...))");
    if (info->by_index || r == IX_REDUCTION_MEAN)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "%s over a range that is computed, which may be empty, is "
                    "not supported; sum, prod, max, min, all and any are",
                    info->name);
}

ilex_array *
ix_parse_ranged(ix_parser *p, const ix_syntax *x, ix_reduction r)
{
    ilex_context *ctx = p->ctx;
    ix_lambda_env *env = p->lambda;
    const ix_colons *range = &x->ranges->item[0];
    int depth = env->nrindex;
    int number = depth ? env->rindex[depth - 1].number + 1 : 0;
    check_form(p, x, r);
    if (number >= ILEX_MAX_RANK)
        ix_lex_fail(&p->reader, ILEX_E_RANK, &range->where,
                    "more than %d reduction indices", ILEX_MAX_RANK);
    ilex_array *lo =
        range->n == 3 ? read_end(p, range->part[1]) : ix_index_const(ctx, 0);
    ilex_array *hi = read_end(p, range->part[range->n - 1]);
    env->rindex[env->nrindex++] = (ix_rindex){range->part[0]->word, number};
    ilex_array *value = ix_parse_expr(p, x->part[0]);
    env->nrindex = depth;
    ix_parser_at(p, &x->word);
    ilex_dtype acc, result;
    ix_parse_reduction_type(p, x, r, value, &acc, &result);
    const ix_domain *hull = hull_of(p, x, value, number);
    ilex_array *ops[3] = {ix_parser_array(p, ix_scalar_cast(ctx, acc, value)),
                          checked_end(p, lo, hull), checked_end(p, hi, hull)};
    ilex_array *y = ix_parser_array(
        p, ix_scalar_reduce_ranged(ctx, r, acc, hull, number, ops));
    y = ix_parser_array(p, ix_scalar_cast(ctx, result, y));
    return ix_parser_depth(p, &x->word, 1, &value, y);
}
