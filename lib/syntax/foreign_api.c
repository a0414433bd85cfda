/* SPDX-License-Identifier: MIT
 *
 * Foreign functions from C: registering them, and calls.
 */
#include "lib/graph/function.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"

/* ---- registering ---- */

/* A declaration under reading: of which name it is to be, as a symbol. */
typedef struct declared {
    const char *name;
    int32_t symbol;
} declared;

static void
declare(ix_parser *p, void *user)
{
    declared *d = user;
    const ix_statement *s = ix_syntax_whole_extern(&p->reader);
    if (!ix_word_is(&s->name, d->name))
        ix_lex_fail(&p->reader, ILEX_E_NAME, &s->name,
                    "the function %.80s is declared by another name", d->name);
    ix_parse_extern(p, s);
    d->symbol = ix_parse_declaration(p, s);
}

ilex_status
ilex_function_register(ilex_context *ctx, const char *name,
                       const ilex_function_spec *spec)
{
    declared d = {.name = name};
    const char *text = ix_function_declared(spec);
    if (!ix_name_check(&ctx->error, "function", name, name ? strlen(name) : 0))
        return ctx->error.code;
    if (text && !ix_parse_text(ctx, text, declare, &d))
        return ctx->error.code;
    return ix_function_register(ctx, name, spec,
                                text ? ix_symbol_text(ctx, d.symbol) : NULL);
}

/* ---- calling ---- */

/* A call and its results, which the text's session gives to the scope around
 * it. */
typedef struct foreign {
    size_t narguments, nresults;
    ilex_array *const *argument;
    ilex_array **result;
} foreign;

static void
check_count(ix_parser *p, const ix_statement *s, size_t wanted, size_t given,
            const char *what)
{
    if (wanted != given)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->name,
                    "%.*s has %zu %s%s, not %zu", (int)s->name.length,
                    s->name.text, wanted, what, wanted == 1 ? "" : "s", given);
}

static void
call(ix_parser *p, void *user)
{
    foreign *f = user;
    ilex_array **result;
    const ix_statement *s = ix_syntax_whole_extern(&p->reader);
    check_count(p, s, ix_parse_count_parameters(s), f->narguments, "parameter");
    check_count(p, s, s->nboxes, f->nresults, "result");
    ix_parse_extern(p, s);
    ix_parse_apply(p, s, &s->name, f->argument, &result);
    for (size_t i = 0; i < f->nresults; i++)
        f->result[i] = ix_node_retain(result[i]);
}

/* The error that the arguments are in; ILEX_OK if there is none. */
static ilex_status
check_arguments(ilex_context *ctx, const char *declaration, const foreign *f)
{
    if (!declaration || (f->narguments && !f->argument) || !f->result)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "foreign: the declaration, the arguments or the results "
                       "are NULL");
    for (size_t i = 0; i < f->narguments; i++) {
        ilex_array *x = f->argument[i];
        if (!x || x->ctx != ctx) {
            ix_poison_stranger(ctx, "foreign", (int)i, x, "argument %zu", i);
            return ctx->error.code;
        }
        if (ix_is_poison(x)) {
            ix_poison_again(ctx);
            return ctx->error.code;
        }
    }
    return ILEX_OK;
}

ilex_status
ilex_foreign(ilex_context *ctx, const char *declaration, size_t argument_count,
             ilex_array *const *argument, size_t result_count,
             ilex_array **result)
{
    foreign f = {argument_count, result_count, argument, result};
    for (size_t i = 0; i < result_count && result; i++)
        result[i] = ctx->poison;
    if (check_arguments(ctx, declaration, &f) != ILEX_OK ||
        !ix_parse_text(ctx, declaration, call, &f))
        return ctx->error.code;
    bool recorded = true;
    for (size_t i = 0; i < result_count; i++) {
        recorded = recorded && ix_scope_record_array(ctx, result[i]);
        ix_node_release(result[i]);
    }
    for (size_t i = 0; i < result_count && !recorded; i++)
        result[i] = ctx->poison;
    return recorded ? ILEX_OK : ctx->error.code;
}
