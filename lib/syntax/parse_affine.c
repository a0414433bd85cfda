/* SPDX-License-Identifier: MIT
 *
 * Meaning of what is affine in .ilx text: bounds, domains, halos,
 * assumptions.
 */
#include <stdio.h>

#include "lib/ops/dtype.h"
#include "lib/shape/affine.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/suggest.h"

/* ---- numbers ---- */

uint64_t
ix_parse_digits(ix_parser *p, const ix_word *word)
{
    uint64_t v = 0;
    for (int i = 0; i < word->length; i++)
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (unsigned)(word->text[i] - '0'), &v))
            ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                        "the integer %.*s does not fit 64 bits; real numbers "
                        "have a point or an exponent, as 1e20",
                        word->length < 40 ? (int)word->length : 40, word->text);
    return v;
}

/* The value of a literal known to be INT, with its sign. */
static int64_t
signed_value(ix_parser *p, const ix_word *word, bool negative)
{
    uint64_t v = ix_parse_digits(p, word);
    if (v > (uint64_t)INT64_MAX + negative)
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, word,
                    "the integer %s%.*s does not fit i64; write u64(...) for "
                    "an unsigned one",
                    negative ? "-" : "", (int)word->length, word->text);
    return (int64_t)(negative ? 0 - v : v);
}

/* Looks through parentheses. */
static const ix_syntax *
bare(const ix_syntax *x)
{
    while (x->kind == IX_SYNTAX_PAREN)
        x = x->part[0];
    return x;
}

int64_t
ix_parse_int(ix_parser *p, const ix_syntax *x)
{
    bool negative = x->kind == IX_SYNTAX_PREFIX && x->op == IX_OP_NEGATIVE;
    const ix_syntax *digits = negative ? x->part[0] : x;
    if (digits->kind != IX_SYNTAX_INT)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "expected an integer, for example 2 or -1");
    return signed_value(p, &digits->word, negative);
}

/* ---- linear forms ---- */

static const ix_lin *
checked(ix_parser *p, const ix_lin *a)
{
    if (!a)
        ix_lex_abort(&p->reader);
    return a;
}

_Noreturn static void
not_linear(ix_parser *p, const ix_word *where)
{
    ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, where,
                "bounds and conditions are sums of products of sizes and "
                "integers, for example 2*n*m - 1, min and max of these, "
                "quotients as (n + 1)//2 or ceil(n/2)");
}

/* "min(a, b, ...)" or "max(...)"? */
static bool
is_extremum(const ix_syntax *x)
{
    return x->kind == IX_SYNTAX_CALL && x->nparts > 1 && !x->attributes.n &&
           (ix_word_is(&x->word, "min") || ix_word_is(&x->word, "max"));
}

static const ix_lin *
parse_extremum(ix_parser *p, const ix_syntax *x)
{
    const ix_lin **arm =
        ix_arena_new(&p->reader.arena, x->nparts * sizeof *arm);
    for (size_t i = 0; i < x->nparts; i++)
        arm[i] = ix_parse_lin(p, x->part[i]);
    ix_parser_at(p, &x->word);
    return checked(p, ix_lin_extremum(p->ctx, ix_word_is(&x->word, "max"),
                                      (int)x->nparts, arm));
}

/* What bounds are divided by; "like": how to write it. */
static int64_t
divisor(ix_parser *p, const ix_word *where, const ix_lin *by, const char *like)
{
    if (by->n || by->c <= 0)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, where,
                    "bounds are divided by positive integers, for example %s; "
                    "give a quotient by a size a size of its own",
                    like);
    return by->c;
}

/* floor(a / by), or what that leaves of "a". */
static const ix_lin *
divide(ix_parser *p, const ix_link *link, const ix_lin *a, const ix_lin *by)
{
    bool rest = link->op == IX_OP_REMAINDER;
    int64_t d = divisor(p, &link->word, by, rest ? "n%2" : "(n + 1)//2");
    const ix_lin *q = checked(p, ix_lin_floordiv(p->ctx, a, d));
    return rest ? checked(p, ix_lin_fma(p->ctx, a, -d, q)) : q;
}

const ix_lin *
ix_parse_lin_link(ix_parser *p, const ix_lin *a, const ix_link *link)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *b = ix_parse_lin(p, link->operand);
    ix_parser_at(p, &link->word);
    if (link->op == IX_OP_ADD)
        return checked(p, ix_lin_add(ctx, a, b));
    if (link->op == IX_OP_SUBTRACT)
        return checked(p, ix_lin_sub(ctx, a, b));
    if (link->op == IX_OP_MULTIPLY)
        return checked(p, ix_lin_mul(ctx, a, b));
    if (link->op != IX_OP_FLOOR_DIVIDE && link->op != IX_OP_REMAINDER)
        not_linear(p, &link->word);
    return divide(p, link, a, b);
}

/* "ceil(a/b)"? */
static bool
is_ceil(const ix_syntax *x)
{
    const ix_syntax *of = x->nparts == 1 ? x->part[0] : NULL;
    return x->kind == IX_SYNTAX_CALL && !x->attributes.n &&
           ix_word_is(&x->word, "ceil") && of && of->kind == IX_SYNTAX_CHAIN &&
           of->link[of->nlinks - 1].op == IX_OP_TRUE_DIVIDE;
}

/* ceil(a / b) */
static const ix_lin *
parse_ceil(ix_parser *p, const ix_syntax *x)
{
    ilex_context *ctx = p->ctx;
    ix_syntax above = *x->part[0];
    const ix_link *by = &above.link[--above.nlinks];
    const ix_lin *a = ix_parse_lin(p, above.nlinks ? &above : above.part[0]);
    int64_t d =
        divisor(p, &by->word, ix_parse_lin(p, by->operand), "ceil(n/2)");
    a = checked(p, ix_lin_offset(ctx, a, d - 1));
    return checked(p, ix_lin_floordiv(ctx, a, d));
}

const ix_lin *
ix_parse_lin(ix_parser *p, const ix_syntax *x)
{
    ilex_context *ctx = p->ctx;
    x = bare(x);
    ix_parser_at(p, &x->word);
    if (x->kind == IX_SYNTAX_INT)
        return checked(p, ix_lin_const(ctx, signed_value(p, &x->word, false)));
    if (x->kind == IX_SYNTAX_NAME)
        return ix_parser_size(p, &x->word);
    if (x->kind == IX_SYNTAX_PREFIX && x->op == IX_OP_NEGATIVE) {
        if (x->part[0]->kind == IX_SYNTAX_INT)
            return checked(p, ix_lin_const(ctx, ix_parse_int(p, x)));
        return checked(p, ix_lin_scale(ctx, ix_parse_lin(p, x->part[0]), -1));
    }
    if (is_extremum(x))
        return parse_extremum(p, x);
    if (is_ceil(x))
        return parse_ceil(p, x);
    if (x->kind != IX_SYNTAX_CHAIN)
        not_linear(p, &x->word);
    const ix_lin *a = ix_parse_lin(p, x->part[0]);
    for (size_t i = 0; i < x->nlinks; i++)
        a = ix_parse_lin_link(p, a, &x->link[i]);
    return a;
}

/* Is it an operator of forms, of ceil(a/b) the division? */
static bool
is_form_op(ix_op op, bool ceil)
{
    return op == IX_OP_ADD || op == IX_OP_SUBTRACT || op == IX_OP_MULTIPLY ||
           op == IX_OP_REMAINDER ||
           op == (ceil ? IX_OP_TRUE_DIVIDE : IX_OP_FLOOR_DIVIDE);
}

bool
ix_parse_is_form(const ix_syntax *x)
{
    x = bare(x);
    if (x->kind == IX_SYNTAX_INT || x->kind == IX_SYNTAX_NAME)
        return true;
    bool ceil = is_ceil(x);
    bool negative = x->kind == IX_SYNTAX_PREFIX && x->op == IX_OP_NEGATIVE;
    bool is = negative || x->kind == IX_SYNTAX_CHAIN || is_extremum(x) || ceil;
    x = ceil ? x->part[0] : x;
    for (size_t i = 0; is && i < x->nparts; i++)
        is = ix_parse_is_form(x->part[i]);
    for (size_t i = 0; is && i < x->nlinks; i++)
        is = is_form_op(x->link[i].op, ceil) &&
             ix_parse_is_form(x->link[i].operand);
    return is;
}

/* ---- assumptions ---- */

/* What the text of one `assume` says, until all of it is read. */
static void
note(ix_parser *p, const ix_word *where, const ix_assumption *a)
{
    ilex_context *ctx = p->ctx;
    for (size_t i = 0; i < p->nassumed; i++)
        if (p->assumed[i] == a)
            return;
    size_t all = p->nassumed + (size_t)ix_env_count(ctx->in_force);
    if (all >= IX_TEXT_MAX_ASSUMPTIONS && !ix_env_has(ctx->in_force, a))
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, where,
                    "more than %d assumptions in one scope or program",
                    (int)IX_TEXT_MAX_ASSUMPTIONS);
    ix_arena_grow(&p->reader.arena, &p->assumed, &p->assumed_capacity,
                  p->nassumed + 1, sizeof *p->assumed);
    p->assumed[p->nassumed++] = a;
}

static void assume(ix_parser *p, const ix_word *where, const ix_lin *form,
                   int64_t modulus);

/* What is assumed of the least that a min or max makes a form holds with each
 * of its arms, and that says all: min(n, m) >= 2. Is the form such a one? */
static bool
assume_arms(ix_parser *p, const ix_word *where, const ix_lin *form)
{
    const ilex_context *ctx = p->ctx;
    for (int32_t i = 0; i < form->n; i++) {
        const ix_param *param = &ctx->param[form->t[i].param];
        int n = param->narms;
        if (n < 2 || !ix_term_is_least(ctx, &form->t[i]))
            continue;
        for (int k = 0; k < n; k++)
            assume(p, where, ix_lin_with_arm(p->ctx, form, i, k), 0);
        return true;
    }
    return false;
}

/* Notes form >= 0, or divisibility, unless it holds for all sizes. */
static void
assume(ix_parser *p, const ix_word *where, const ix_lin *form, int64_t modulus)
{
    if (!modulus && assume_arms(p, where, checked(p, form)))
        return;
    checked(p, form);
    if (form->n == 0) {
        if (modulus ? ix_floormod(form->c, modulus) == 0 : form->c >= 0)
            return;
        ix_lex_fail(&p->reader, ILEX_E_ASSUME, where,
                    "the assumption is false for all sizes");
    }
    const ix_assumption *a = ix_assumption_of(p->ctx, form, modulus);
    if (!a)
        ix_lex_abort(&p->reader);
    note(p, where, a);
}

/* In a call an assumption of the function has to hold. */
static void
require(ix_parser *p, const ix_word *where, const ix_assumption *a)
{
    ilex_context *ctx = p->ctx;
    const ix_env *proof = ix_proof_open(ctx);
    bool holds = ix_env_has(ctx->in_force, a) ||
                 (!a->modulus && ix_lin_nonneg(ctx, a->form) == IX_YES);
    ix_proof_close(ctx, proof, NULL);
    if (!holds)
        ix_lex_fail(&p->reader, ILEX_E_ASSUME, where,
                    "%.*s assumes what is not known where it is called%s",
                    (int)p->call->function->name.length,
                    p->call->function->name.text,
                    a->modulus ? "" : ix_lin_propose(ctx, a->form, false).s);
}

/* Puts what was noted in force. */
static void
enforce(ix_parser *p, const ix_word *where)
{
    ilex_context *ctx = p->ctx;
    ix_parser_at(p, where);
    for (size_t i = 0; i < p->nassumed; i++) {
        if (p->call && !p->call->checking) {
            require(p, where, p->assumed[i]);
            continue;
        }
        ix_tri fits = ix_env_add(ctx, &ctx->in_force, p->assumed[i]);
        if (fits == IX_NO)
            ix_lex_fail(&p->reader, ILEX_E_ASSUME, where,
                        "no sizes satisfy this together with the assumptions "
                        "made before");
        if (fits == IX_UNKNOWN ||
            (p->module && !p->call &&
             ix_module_assume(p->module, p->assumed[i]) != ILEX_OK))
            ix_lex_abort(&p->reader);
    }
    p->nassumed = 0;
}

/* "affine % m == r" */
static void
assume_divisible(ix_parser *p, const ix_syntax *left, const ix_link *link)
{
    ix_syntax what = *left;
    const ix_link *by = &what.link[--what.nlinks];
    const ix_lin *form = ix_parse_lin(p, what.nlinks ? &what : what.part[0]);
    const ix_lin *m = ix_parse_lin(p, by->operand);
    const ix_lin *r = ix_parse_lin(p, link->operand);
    if (m->n || m->c <= 0 || r->n || link->op != IX_OP_EQUAL)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &by->word,
                    "a divisibility is written size %% m == r with integers "
                    "m > 0 and r, for example n %% 8 == 0");
    assume(p, &link->word, ix_lin_offset(p->ctx, form, -r->c), m->c);
}

/* form >= 0 for left - right or right - left, moved by "offset". */
static void
assume_order(ix_parser *p, const ix_word *where, const ix_lin *large,
             const ix_lin *small, int64_t offset)
{
    const ix_lin *form = checked(p, ix_lin_sub(p->ctx, large, small));
    assume(p, where, ix_lin_offset(p->ctx, form, offset), 0);
}

static void
assume_comparison(ix_parser *p, const ix_syntax *left, const ix_link *link)
{
    static const ix_op known[] = {IX_OP_GREATER_EQUAL, IX_OP_GREATER,
                                  IX_OP_LESS_EQUAL, IX_OP_LESS, IX_OP_EQUAL};
    size_t k = 0;
    while (k < IX_COUNT(known) && known[k] != link->op)
        k++;
    if (k == IX_COUNT(known))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &link->word,
                    "assumptions are comparisons with >=, >, <=, < or ==, "
                    "joined by &&");
    const ix_lin *a = ix_parse_lin(p, left);
    const ix_lin *b = ix_parse_lin(p, link->operand);
    bool strict = link->op == IX_OP_GREATER || link->op == IX_OP_LESS;
    if (link->op != IX_OP_LESS && link->op != IX_OP_LESS_EQUAL)
        assume_order(p, &link->word, a, b, -strict);
    if (link->op != IX_OP_GREATER && link->op != IX_OP_GREATER_EQUAL)
        assume_order(p, &link->word, b, a, -strict);
}

static bool
is_remainder(const ix_syntax *x)
{
    return x->kind == IX_SYNTAX_CHAIN &&
           x->link[x->nlinks - 1].op == IX_OP_REMAINDER;
}

/* Notes what a condition says. */
static void
read_condition(ix_parser *p, const ix_syntax *x)
{
    x = bare(x);
    if (x->kind != IX_SYNTAX_CHAIN)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "expected a comparison of sizes, for example n >= 4");
    const ix_link *link = &x->link[0];
    if (link->op == IX_OP_LOGICAL_AND) {
        read_condition(p, x->part[0]);
        for (size_t i = 0; i < x->nlinks; i++)
            read_condition(p, x->link[i].operand);
        return;
    }
    const ix_syntax *left = bare(x->part[0]);
    ix_parser_at(p, &link->word);
    if (is_remainder(left))
        assume_divisible(p, left, link);
    else
        assume_comparison(p, x->part[0], link);
}

void
ix_parse_assume(ix_parser *p, const ix_word *where, const ix_syntax *x)
{
    read_condition(p, x);
    enforce(p, where);
}

/* ---- axes and domains ---- */

int32_t
ix_parse_axis(ix_parser *p, const ix_syntax *x)
{
    ilex_context *ctx = p->ctx;
    bool staggered = x->kind == IX_SYNTAX_CHAIN;
    const ix_syntax *name = staggered ? x->part[0] : x;
    if (!ix_syntax_is_axis(x))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "expected the name of an axis, for example I, or I+1/2 "
                    "for a staggered one");
    ix_parser_at(p, &name->word);
    if (!ix_name_check(&ctx->error, "axis", name->word.text,
                       (size_t)name->word.length))
        ix_lex_abort(&p->reader);
    char text[80];
    size_t n = (size_t)name->word.length;
    memcpy(text, name->word.text, n);
    if (staggered) {
        memcpy(text + n, "+1/2", 4);
        n += 4;
    }
    int32_t symbol = ix_symbol_of(ctx, text, n);
    if (symbol < 0)
        ix_lex_abort(&p->reader);
    return symbol;
}

int
ix_parse_axis_in(ix_parser *p, const ix_domain *dom, const ix_syntax *x)
{
    const char *name = ix_symbol_text(p->ctx, ix_parse_axis(p, x));
    int k = ix_domain_axis(p->ctx, dom, name, strlen(name));
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &x->word,
                    "there is no axis %s in [%s]%s", name,
                    dom ? ix_domain_show(p->ctx, dom).s : "",
                    ix_domain_suggest(p->ctx, dom, name, strlen(name)).s);
    return k;
}

int
ix_parse_axis_of(ix_parser *p, const ilex_array *a, const ix_syntax *x)
{
    return ix_parse_axis_in(p, ix_rank(a) > 0 ? a->interior : NULL, x);
}

bool
ix_parse_is_plain(const ix_colons *r)
{
    bool plain = !r->ellipsis && !r->axis;
    for (int k = 0; plain && k < r->n; k++)
        plain = r->part[k] != NULL;
    return plain;
}

const ix_domain *
ix_parse_domain(ix_parser *p, const ix_colons_list *ranges)
{
    ilex_context *ctx = p->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    for (size_t k = 0; k < ranges->n; k++) {
        const ix_colons *r = &ranges->item[k];
        if (k == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &r->part[0]->word,
                        "%zu axes; at most %d are supported", ranges->n,
                        ILEX_MAX_RANK);
        ax[k].name = r->n > 1 ? ix_parse_axis(p, r->part[0]) : 0;
        ax[k].lo = r->n == 3 ? ix_parse_lin(p, r->part[1])
                             : checked(p, ix_lin_const(ctx, 0));
        ax[k].hi = ix_parse_lin(p, r->part[r->n - 1]);
    }
    const ix_domain *dom = ix_domain_new(ctx, (int)ranges->n, ax);
    if (!dom)
        ix_lex_abort(&p->reader);
    return dom;
}

const ix_domain *
ix_parse_type_domain(ix_parser *p, const ix_type *type)
{
    const ix_word *w = &type->on;
    if (!w->length)
        return ix_parse_domain(p, &type->ranges);
    ix_name *name = ix_parser_find(p, w, IX_NAME_DOMAIN);
    if (!name)
        ix_parser_unknown(p, w, "domain");
    return name->domain;
}

/* "halo(auto)"? */
static bool
is_auto(const ix_colons_list *ranges)
{
    const ix_colons *r = ranges->item;
    return ranges->n == 1 && r->n == 1 && ix_parse_is_plain(r) &&
           r->part[0]->kind == IX_SYNTAX_NAME &&
           ix_word_is(&r->part[0]->word, "auto");
}

void
ix_parse_halo(ix_parser *p, const ix_domain *dom, const ix_colons_list *ranges,
              int64_t *halo)
{
    memset(halo, 0, 2 * ILEX_MAX_RANK * sizeof *halo);
    uint32_t seen = 0;
    if (is_auto(ranges) && ix_domain_named(dom)) {
        for (int k = 0; k < 2 * dom->rank; k++)
            halo[k] = IX_HALO_AUTO;
        return;
    }
    for (size_t i = 0; i < ranges->n; i++) {
        const ix_colons *r = &ranges->item[i];
        const ix_word *where = &r->part[0]->word;
        if (r->n != 3)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                        "a halo is written axis:lower:upper, for example "
                        "halo(I:2:2); halo(auto) for named axes is what "
                        "the program reads");
        int k = ix_parse_axis_in(p, dom, r->part[0]);
        if (seen >> k & 1)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, where,
                        "the halo of axis %.*s is given twice",
                        (int)where->length, where->text);
        seen |= 1u << k;
        for (int side = 0; side < 2; side++) {
            halo[2 * k + side] = ix_parse_int(p, r->part[side + 1]);
            if (halo[2 * k + side] < 0)
                ix_lex_fail(&p->reader, ILEX_E_ARGUMENT,
                            &r->part[side + 1]->word,
                            "the width of a halo is negative");
        }
    }
}

/* The dtype that may be meant: of another language, or spelt wrong. */
static ix_suggestion_text
dtype_hint(const ix_word *word)
{
    ix_suggestion near = ix_suggest_word(word);
    const char *other =
        ix_spelling_hint(IX_SPELLING_DTYPE, word->text, (size_t)word->length);
    for (int d = 0; !*other && d < ILEX_NDTYPES; d++) {
        const char *name = ilex_dtype_name((ilex_dtype)d);
        ix_suggest_name(&near, name, strlen(name));
    }
    ix_suggestion_text t = ix_suggestion_show(&near);
    if (*other)
        snprintf(t.s, sizeof t.s, "%s", other);
    return t;
}

ilex_dtype
ix_parse_dtype(ix_parser *p, const ix_word *word)
{
    ilex_dtype dtype;
    if (!ix_dtype_find(word->text, (size_t)word->length, &dtype))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, word,
                    "'%.*s' is not a dtype; there are bool, i8 to i64, u8 to "
                    "u64, f16, bf16, f32, f64, c64 and c128%s",
                    word->length < 40 ? (int)word->length : 40, word->text,
                    dtype_hint(word).s);
    return dtype;
}
