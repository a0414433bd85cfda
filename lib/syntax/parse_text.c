/* SPDX-License-Identifier: MIT
 *
 * Single texts of the C API: an expression, a domain, a bound, a condition,
 * each read in a session of its own.
 */
#include "lib/build/foreign.h"
#include "lib/graph/counted.h"
#include "lib/graph/function.h"
#include "lib/syntax/parse.h"

static void
add_known_size(ix_parser *p, int32_t param)
{
    const char *text = ix_param_name(p->ctx, param);
    if (!ix_parser_find_text(p, text, IX_NAME_SIZE))
        ix_parser_add(p, text, strlen(text), IX_NAME_SIZE)->size =
            ix_counted_form(p->ctx, param);
}

/* Sizes that the context knows may be used. */
static void
add_known_sizes(ix_parser *p)
{
    ilex_context *ctx = p->ctx;
    for (size_t i = ctx->ncounted; i-- > ctx->first_counted;)
        add_known_size(p, ctx->counted[i]);
    for (size_t i = 0; i < ctx->nparams; i++) {
        const char *text = ix_param_name(ctx, (int32_t)i);
        if (ctx->param[i].mask ? ix_is_counted_name(text, strlen(text))
                               : !ctx->param[i].steps)
            add_known_size(p, (int32_t)i);
    }
}

/* An expression, its operands, and the result. */
typedef struct expr_work {
    const ilex_array *calls; /* whose functions it may call; NULL: those that
                                the context knows by their declarations */
    size_t count;
    const char *const *names;
    ilex_array *const *operands;
    ilex_array *result;
} expr_work;

static bool
declare_called(void *user, const ilex_array *apply)
{
    ix_parser *p = user;
    const char *name = ix_symbol_text(p->ctx, ix_foreign_name(apply));
    if (!ix_parser_find_text(p, name, IX_NAME_FUNCTION))
        ix_parse_known_extern(
            p, ix_symbol_text(p->ctx, ix_foreign_declaration(apply)));
    return true;
}

static void
declare_functions(ix_parser *p, const expr_work *w)
{
    if (w->calls && !ix_apply_each(w->calls, &p->mem, declare_called, p))
        ix_lex_abort(&p->reader);
    for (size_t i = 0; i < p->ctx->nfunctions && !w->calls; i++)
        if (ix_function_declaration(p->ctx, i))
            ix_parse_known_extern(p, ix_function_declaration(p->ctx, i));
}

/* What the text may speak of. */
static void
define_operands(ix_parser *p, const expr_work *w)
{
    declare_functions(p, w);
    add_known_sizes(p);
    for (size_t i = 0; i < w->count; i++) {
        ix_word word = {w->names[i], (int32_t)strlen(w->names[i]), 1, 1};
        ix_parser_define(p, &word, w->operands[i]);
    }
}

static void
read_expr(ix_parser *p, void *user)
{
    expr_work *w = user;
    define_operands(p, w);
    w->result = ix_parse_expr(p, ix_syntax_whole_expr(&p->reader));
}

ilex_array *
ix_parse_text_expr(ilex_context *ctx, const char *text, size_t length,
                   size_t count, const char *const *names,
                   ilex_array *const *operands, const ilex_array *calls)
{
    ix_parser p;
    expr_work w = {calls, count, names, operands, NULL};
    ix_parser_text whole = {text, length, NULL};
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, read_expr, &w))
        return ix_parser_fail(&p);
    return ix_parser_end(&p, w.result);
}

/* An index lambda, its domain, and the result. */
typedef struct map_work {
    ix_indices indices;
    expr_work body;
} map_work;

static void
read_indices(ix_parser *p, void *user)
{
    ix_type type = {.brackets = true};
    p->new_sizes = true;
    ix_syntax_whole_indices(&p->reader, &type.ranges);
    ix_parse_indices(p, &type, user);
}

static void
read_body(ix_parser *p, void *user)
{
    map_work *w = user;
    define_operands(p, &w->body);
    w->body.result = ix_parse_body(p, "map", &w->indices, NULL,
                                   ix_syntax_whole_body(&p->reader));
}

ilex_array *
ix_parse_text_map(ilex_context *ctx, const char *domain, const char *body,
                  size_t count, const char *const *names,
                  ilex_array *const *operands)
{
    ix_parser p;
    map_work w = {.body = {NULL, count, names, operands, NULL}};
    ix_parser_text whole = {body, strlen(body), NULL};
    if (!ix_parse_text(ctx, domain, read_indices, &w.indices))
        return ix_poison_again(ctx);
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, read_body, &w))
        return ix_parser_fail(&p);
    return ix_parser_end(&p, w.body.result);
}

typedef struct domain_work {
    int64_t *halo;
    bool *has_halo;
    const ix_domain *result;
} domain_work;

static void
read_domain(ix_parser *p, void *user)
{
    domain_work *w = user;
    ix_colons_list ranges = {0}, widths = {0};
    p->new_sizes = true;
    ix_syntax_whole_domain(&p->reader, &ranges, w->halo ? &widths : NULL);
    w->result = ix_parse_domain(p, &ranges);
    if (!w->halo)
        return;
    ix_parse_halo(p, w->result, &widths, w->halo);
    *w->has_halo = widths.n > 0;
}

const ix_domain *
ix_parse_text_domain(ilex_context *ctx, const char *text, int64_t *halo,
                     bool *has_halo)
{
    domain_work w = {halo, has_halo, NULL};
    return ix_parse_text(ctx, text, read_domain, &w) ? w.result : NULL;
}

static void
read_lin(ix_parser *p, void *user)
{
    const ix_lin **result = user;
    p->new_sizes = true;
    *result = ix_parse_lin(p, ix_syntax_whole_expr(&p->reader));
}

const ix_lin *
ix_parse_text_lin(ilex_context *ctx, const char *text)
{
    const ix_lin *a = NULL;
    return ix_parse_text(ctx, text, read_lin, &a) ? a : NULL;
}

static void
read_shape(ix_parser *p, void *user)
{
    ix_given *given = user;
    ix_colons_list ranges = {0};
    p->new_sizes = true;
    ix_syntax_whole_domain(&p->reader, &ranges, NULL);
    for (size_t k = 0; k < ranges.n; k++) {
        const ix_colons *r = &ranges.item[k];
        if (k == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &r->where,
                        "%zu axes; at most %d are supported", ranges.n,
                        ILEX_MAX_RANK);
        if (r->n != 1)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                        "a shape is lengths alone, for example \"n, 3\"");
        given->form[given->n++] = ix_parse_lin(p, r->part[0]);
    }
}

static void
read_pairs(ix_parser *p, void *user)
{
    ix_attribute values = {0};
    ix_syntax_whole_list(&p->reader, &values);
    ix_parse_pairs(p, &values, user);
}

bool
ix_parse_text_shape(ilex_context *ctx, const char *text, ix_given *given)
{
    return ix_parse_text(ctx, text, read_shape, given);
}

bool
ix_parse_text_pairs(ilex_context *ctx, const char *text, ix_given *given)
{
    return ix_parse_text(ctx, text, read_pairs, given);
}

static void
read_assume(ix_parser *p, void *user)
{
    const ix_env **in_force = user;
    p->new_sizes = true;
    const ix_syntax *x = ix_syntax_whole_expr(&p->reader);
    ix_parse_assume(p, &x->word, x);
    *in_force = p->ctx->in_force;
}

ilex_status
ix_parse_text_assume(ilex_context *ctx, const char *text)
{
    const ix_env *in_force = NULL;
    if (!ix_parse_text(ctx, text, read_assume, &in_force))
        return ctx->error.code;
    ctx->in_force = in_force; /* in the scope around the text's own */
    return ILEX_OK;
}
