/* SPDX-License-Identifier: MIT
 *
 * Parts of fields by name and by condition: restrict(u, domain) and
 * concat_where(I < n, a, b).
 */
#include "lib/build/box.h"
#include "lib/build/build.h"
#include "lib/syntax/parse.h"

/* ---- conditions on axes ---- */

_Noreturn static void
no_region(ix_parser *p, const ix_word *where)
{
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                "a condition compares indices of axes with sizes: I < 3, "
                "1 <= I && J != n-1, I+1/2 < 1 || J >= n");
}

/* The axis in "I", "I+1/2" or "index(I)"; NULL for anything else. */
static const ix_syntax *
axis_of(const ix_syntax *x)
{
    while (x->kind == IX_SYNTAX_PAREN)
        x = x->part[0];
    if (x->kind == IX_SYNTAX_CALL && ix_word_is(&x->word, "index") &&
        x->nparts == 1)
        x = x->part[0];
    return ix_syntax_is_axis(x) ? x : NULL;
}

/* What the fields call the axis whose index "x" is; 0: neither has it. */
static int32_t
axis_in(ix_parser *p, const ix_syntax *x, ilex_array *const *v)
{
    x = axis_of(x);
    const char *name = x ? ix_symbol_text(p->ctx, ix_parse_axis(p, x)) : "";
    for (int i = 0; i < 2; i++) {
        const ix_domain *dom = ix_rank(v[i]) > 0 ? v[i]->interior : NULL;
        int k = ix_domain_axis(p->ctx, dom, name, strlen(name));
        if (k >= 0)
            return dom->ax[k].name;
    }
    return 0;
}

/* "a" where the comparison of an axis with "at" holds, else "b"; NULL if "op"
 * is none. */
static ilex_array *
compared(ilex_context *ctx, ix_op op, int32_t axis, const ix_lin *at,
         ilex_array *a, ilex_array *b)
{
    const ix_lin *next = ix_lin_offset(ctx, at, 1);
    switch ((int)op) {
    case IX_OP_LESS:
        return ix_build_meet(ctx, axis, at, a, b);
    case IX_OP_LESS_EQUAL:
        return ix_build_meet(ctx, axis, next, a, b);
    case IX_OP_GREATER:
        return ix_build_meet(ctx, axis, next, b, a);
    case IX_OP_GREATER_EQUAL:
        return ix_build_meet(ctx, axis, at, b, a);
    case IX_OP_EQUAL:
        return ix_build_meet(ctx, axis, at, b,
                             ix_build_meet(ctx, axis, next, a, b));
    case IX_OP_NOT_EQUAL:
        return ix_build_meet(ctx, axis, at, a,
                             ix_build_meet(ctx, axis, next, b, a));
    default:
        return NULL;
    }
}

/* A comparison with its sides exchanged. */
static ix_op
mirrored(ix_op op)
{
    switch ((int)op) {
    case IX_OP_LESS:
        return IX_OP_GREATER;
    case IX_OP_LESS_EQUAL:
        return IX_OP_GREATER_EQUAL;
    case IX_OP_GREATER:
        return IX_OP_LESS;
    case IX_OP_GREATER_EQUAL:
        return IX_OP_LESS_EQUAL;
    default:
        return op;
    }
}

/* "I < n", "n > I": v[0] where it holds, else v[1]; of the call at "call". */
static ilex_array *
comparison(ix_parser *p, const ix_word *call, const ix_syntax *x,
           ilex_array *const *v)
{
    if (x->kind != IX_SYNTAX_CHAIN || x->nlinks != 1)
        no_region(p, &x->word);
    const ix_syntax *side[2] = {x->part[0], x->link[0].operand};
    int32_t name = axis_in(p, side[0], v);
    bool right = !name && (axis_in(p, side[1], v) || !axis_of(side[0]));
    const ix_syntax *axis = axis_of(side[right]);
    if (!axis)
        no_region(p, &x->word);
    name = axis_in(p, axis, v);
    name = name ? name : ix_parse_axis(p, axis);
    const ix_lin *at = ix_parse_lin(p, side[!right]);
    ix_op op = right ? mirrored(x->link[0].op) : x->link[0].op;
    ix_parser_at(p, call);
    ilex_array *y = compared(p->ctx, op, name, at, v[0], v[1]);
    if (!y)
        no_region(p, &x->link[0].word);
    return ix_parser_array(p, y);
}

/* v[0] where the condition holds, else v[1]. */
static ilex_array *
chosen(ix_parser *p, const ix_word *call, const ix_syntax *x,
       ilex_array *const *v)
{
    while (x->kind == IX_SYNTAX_PAREN)
        x = x->part[0];
    ix_op op = x->kind == IX_SYNTAX_CHAIN ? x->link[0].op : IX_OP_ADD;
    if (op != IX_OP_LOGICAL_AND && op != IX_OP_LOGICAL_OR)
        return comparison(p, call, x, v);
    bool either = op == IX_OP_LOGICAL_OR;
    ilex_array *w[2] = {v[0], v[1]};
    for (size_t i = x->nlinks + 1; i-- > 0;)
        w[either] = chosen(p, call, i ? x->link[i - 1].operand : x->part[0], w);
    return w[either];
}

/* ---- calls ---- */

static ilex_array *
concat_where(ix_parser *p, const ix_syntax *x)
{
    if (x->nparts != 3)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "concat_where takes a condition and two fields, for "
                    "example concat_where(I < 3, a, b)");
    ilex_array *v[2] = {ix_parse_expr(p, x->part[1]),
                        ix_parse_expr(p, x->part[2])};
    ilex_array *y = chosen(p, &x->word, x->part[0], v);
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

typedef struct choice {
    ilex_array *v[2], *result;
} choice;

static void
read_choice(ix_parser *p, void *user)
{
    choice *c = user;
    p->new_sizes = true;
    const ix_syntax *x = ix_syntax_whole_expr(&p->reader);
    c->result = chosen(p, &x->word, x, c->v);
}

ilex_array *
ilex_concat_where(const char *condition, ilex_array *a, ilex_array *b)
{
    choice c = {.v = {a, b}};
    ilex_context *ctx = a ? a->ctx : b ? b->ctx : NULL;
    if (!ctx)
        return NULL;
    if (!a || !b || a->ctx != b->ctx)
        return ix_poison_stranger(ctx, "concat_where", !!a, a ? b : a,
                                  "operand %d", !!a);
    if (ix_is_poison(a) || ix_is_poison(b))
        return ctx->poison;
    condition = condition ? condition : "";
    ix_parser p;
    ix_parser_text whole = {condition, strlen(condition), NULL};
    ix_parser_init(&p, ctx);
    return ix_parser_try(&p, &whole, read_choice, &c)
               ? ix_parser_end(&p, c.result)
               : ix_parser_fail(&p);
}
