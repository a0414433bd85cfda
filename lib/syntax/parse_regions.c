/* SPDX-License-Identifier: MIT
 *
 * Parts of fields by name and by condition: restrict(u, domain) and
 * concat_where(I < n, a, b).
 */
#include "lib/build/build.h"
#include "lib/syntax/parse.h"

/* ---- conditions on one axis ---- */

_Noreturn static void
no_region(ix_parser *p, const ix_word *where)
{
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                "a condition compares the index of one axis with sizes, in up "
                "to three pieces: I < 3, I >= 1 && I < n-1, I < 1 || I >= n-1");
}

/* The axis in "I" or "index(I)"; NULL for anything else. */
static const ix_syntax *
axis_of(const ix_syntax *x)
{
    if (x->kind == IX_SYNTAX_CALL && ix_word_is(&x->word, "index") &&
        x->nparts == 1)
        x = x->part[0];
    return x->kind == IX_SYNTAX_NAME ? x : NULL;
}

static const ix_lin *
behind(ix_parser *p, const ix_lin *a)
{
    a = ix_lin_offset(p->ctx, a, 1);
    if (!a)
        ix_lex_abort(&p->reader);
    return a;
}

/* "I < n" */
static ix_region
comparison(ix_parser *p, const ix_syntax *x)
{
    ix_region r = {.axis = 0};
    const ix_syntax *axis = x->kind == IX_SYNTAX_CHAIN && x->nlinks == 1
                                ? axis_of(x->part[0])
                                : NULL;
    if (!axis)
        no_region(p, &x->word);
    ix_op op = x->link[0].op;
    const ix_lin *v = ix_parse_lin(p, x->link[0].operand);
    r.axis = ix_parse_axis(p, axis);
    r.outside = op == IX_OP_NOT_EQUAL;
    if (op == IX_OP_LESS || op == IX_OP_LESS_EQUAL)
        r.hi = op == IX_OP_LESS ? v : behind(p, v);
    else if (op == IX_OP_GREATER || op == IX_OP_GREATER_EQUAL)
        r.lo = op == IX_OP_GREATER ? behind(p, v) : v;
    else if (op == IX_OP_EQUAL || r.outside) {
        r.lo = v;
        r.hi = behind(p, v);
    } else
        no_region(p, &x->link[0].word);
    return r;
}

/* What is not in a half-open side, or the other way round. */
static ix_region
complement(ix_region r)
{
    ix_region c = {r.axis, r.hi, r.lo, false};
    if (!r.lo || !r.hi)
        return c;
    r.outside = !r.outside;
    return r;
}

/* The points in both, which are one piece. */
static ix_region
both(ix_parser *p, const ix_word *where, ix_region a, ix_region b)
{
    if (a.axis != b.axis || a.outside || b.outside || (a.lo && b.lo) ||
        (a.hi && b.hi))
        no_region(p, where);
    return (ix_region){a.axis, a.lo ? a.lo : b.lo, a.hi ? a.hi : b.hi, false};
}

/* The points in one or the other: all but those in neither, which are one
 * piece. */
static ix_region
either(ix_parser *p, const ix_word *where, ix_region a, ix_region b)
{
    return complement(both(p, where, complement(a), complement(b)));
}

static ix_region
region(ix_parser *p, const ix_syntax *x)
{
    while (x->kind == IX_SYNTAX_PAREN)
        x = x->part[0];
    ix_op op = x->kind == IX_SYNTAX_CHAIN ? x->link[0].op : IX_OP_ADD;
    if (op != IX_OP_LOGICAL_AND && op != IX_OP_LOGICAL_OR)
        return comparison(p, x);
    if (x->nlinks != 1)
        no_region(p, &x->link[1].word);
    ix_region a = region(p, x->part[0]), b = region(p, x->link[0].operand);
    return op == IX_OP_LOGICAL_AND ? both(p, &x->link[0].word, a, b)
                                   : either(p, &x->link[0].word, a, b);
}

/* ---- calls ---- */

static ilex_array *
concat_where(ix_parser *p, const ix_syntax *x)
{
    if (x->nparts != 3)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "concat_where takes a condition and two fields, for "
                    "example concat_where(I < 3, a, b)");
    ix_region r = region(p, x->part[0]);
    ilex_array *v[2] = {ix_parse_expr(p, x->part[1]),
                        ix_parse_expr(p, x->part[2])};
    ix_parser_at(p, &x->word);
    ilex_array *y =
        ix_parser_array(p, ix_build_concat_where(p->ctx, &r, v[0], v[1]));
    return ix_parser_depth(p, &x->word, 2, v, y);
}

static ilex_array *
restricted(ix_parser *p, const ix_syntax *x)
{
    if (x->nparts != 2 || x->part[1]->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "restrict takes a field and the name of a domain: "
                    "`domain inner = [I:1:n-1]`, restrict(u, inner); or write "
                    "u[I=1:n-1]");
    ilex_array *u = ix_parse_expr(p, x->part[0]);
    ix_type type = {.on = x->part[1]->word};
    const ix_domain *dom = ix_parse_type_domain(p, &type);
    ix_parser_at(p, &x->word);
    return ix_parser_array(p, ix_build_restrict(p->ctx, "restrict", u, dom));
}

ilex_array *
ix_parse_region(ix_parser *p, const ix_syntax *x)
{
    ix_parse_outside_map(p, &x->word);
    return ix_word_is(&x->word, "restrict") ? restricted(p, x)
                                            : concat_where(p, x);
}

static void
read_region(ix_parser *p, void *user)
{
    p->new_sizes = true;
    *(ix_region *)user = region(p, ix_syntax_whole_expr(&p->reader));
}

bool
ix_parse_text_region(ilex_context *ctx, const char *text, ix_region *r)
{
    return ix_parse_text(ctx, text, read_region, r);
}

ilex_array *
ilex_concat_where(const char *condition, ilex_array *a, ilex_array *b)
{
    ix_region r;
    ilex_context *ctx = a ? a->ctx : b ? b->ctx : NULL;
    if (!ctx)
        return NULL;
    if (!a || !b || a->ctx != b->ctx)
        return ix_poison(ctx, "concat_where", !!a, ILEX_E_CONTEXT,
                         "concat_where: operand %d is NULL or of another "
                         "context",
                         !!a);
    if (ix_is_poison(a) || ix_is_poison(b))
        return ctx->poison;
    return ix_parse_text_region(ctx, condition ? condition : "", &r)
               ? ix_build_concat_where(ctx, &r, a, b)
               : ix_poison_again(ctx);
}
