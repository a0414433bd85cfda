/* SPDX-License-Identifier: MIT
 *
 * Foreign functions: what `extern` declares, and calls of it. Sizes are those
 * of the declaration alone, found from the arguments as those of `function`.
 */
#include "lib/build/foreign.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"

enum { MOST_COST = 1000000 };

/* ---- declarations ---- */

/* Functions have types with ranges of their own; a result has no other. */
static void
check_type(ix_parser *p, const ix_statement *s, const ix_word *where,
           const ix_type *type)
{
    if (!type->dtype.length || type->on.length)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                    "a parameter or result of a foreign function has a type "
                    "with ranges, for example %.*s(x : f64[n]) -> f64[n]",
                    (int)s->name.length, s->name.text);
}

static int64_t
cost_of(ix_parser *p, const ix_statement *s)
{
    int64_t cost = s->expr ? ix_parse_int(p, s->expr) : 1;
    if (cost < 0 || cost > MOST_COST)
        ix_lex_fail(&p->reader, ILEX_E_ARGUMENT, &s->expr->word,
                    "the cost of a foreign function is the number of "
                    "operations for an element of its results, 0 to %d",
                    (int)MOST_COST);
    return cost;
}

static void
check_words(ix_parser *p, const ix_statement *s)
{
    for (const ix_statement *t = s->more; t; t = t->more)
        check_type(p, s, &t->name, &t->type);
    for (size_t i = 0; i < s->nboxes; i++)
        check_type(p, s, &s->box[i].dtype, &s->box[i]);
    if (!s->option.length)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->name,
                    "write `pure` behind the types of the results: %.*s has to "
                    "give the same results for the same arguments. Equal calls "
                    "are one call, and one that nothing needs is not made; "
                    "functions with effects are not supported",
                    (int)s->name.length, s->name.text);
    cost_of(p, s);
}

/* Do the types hang together, whatever the arguments? */
static void
check_types(ix_parser *p, const ix_statement *s)
{
    ix_parse_open_call(p, s, &s->name)->checking = true;
    for (const ix_statement *t = s->more; t; t = t->more)
        ix_parse_declare_sizes(p, &t->type);
    for (const ix_statement *t = s->more; t; t = t->more) {
        ix_parse_dtype(p, &t->type.dtype);
        ix_parse_type_domain(p, &t->type);
    }
    for (size_t i = 0; i < s->nboxes; i++) {
        ix_parse_check_sizes(p, &s->box[i]);
        ix_parse_dtype(p, &s->box[i].dtype);
        ix_parse_type_domain(p, &s->box[i]);
    }
    ix_parse_close_call(p);
}

void
ix_parse_extern(ix_parser *p, const ix_statement *s)
{
    ix_parse_new_function(p, &s->name);
    check_words(p, s);
    check_types(p, s);
    ix_parser_declare(p, &s->name, IX_NAME_FUNCTION)->function = s;
}

/* ---- calls ---- */

/* The symbol of what stands behind `extern`, laid out as `fmt` does. */
static int32_t
declaration_of(ix_parser *p, const ix_statement *s)
{
    ix_text t;
    ix_text_init(&t, &p->mem);
    ix_fmt_extern(&t, s);
    const char *text = ix_text_string(&t);
    int32_t symbol = text ? ix_symbol_of(p->ctx, text, strlen(text)) : -1;
    if (symbol < 0)
        ix_lex_abort(&p->reader);
    return symbol;
}

/* An argument as an array on the parameter's domain. */
static ilex_array *
argument(ix_parser *p, const ix_statement *param, ilex_array *x)
{
    x = ix_parse_argument(p, param, x);
    if (x->kind == IX_SKIPPED) {
        ix_fail_skipped(p->ctx, x);
        ix_lex_abort(&p->reader);
    }
    if (ix_is_array(x))
        return x;
    const ix_domain *point = ix_parse_type_domain(p, &param->type);
    ix_parser_at(p, p->call->at);
    return ix_parser_array(p, ix_build_restrict(p->ctx, "argument", x, point));
}

/* What the function is called with, its types solved. */
static void
fill_spec(ix_parser *p, ix_foreign_spec *spec, ilex_array *const *args)
{
    const ix_statement *s = p->call->function;
    ix_arena *arena = &p->reader.arena;
    size_t nresults = s->nboxes, nargs = ix_parse_count_parameters(s), i = 0;
    ix_foreign_type *type =
        ix_arena_new(arena, (nresults + nargs) * sizeof *type);
    ilex_array **argument_of = ix_arena_new(arena, (nargs + 1) * sizeof *args);
    for (; i < nresults; i++)
        type[i] = (ix_foreign_type){ix_parse_dtype(p, &s->box[i].dtype),
                                    ix_parse_type_domain(p, &s->box[i])};
    for (const ix_statement *t = s->more; t; t = t->more, i++) {
        ilex_array *x = argument(p, t, args[i - nresults]);
        argument_of[i - nresults] = x;
        type[i] = (ix_foreign_type){(ilex_dtype)x->dtype, x->valid};
    }
    spec->nresults = (int)nresults;
    spec->nparameters = (int)nargs;
    spec->type = type;
    spec->argument = argument_of;
}

void
ix_parse_extern_call(ix_parser *p, ilex_array *const *args)
{
    ix_call *c = p->call;
    const ix_statement *s = c->function;
    ix_foreign_spec spec = {.cost = cost_of(p, s)};
    spec.name = ix_symbol_of(p->ctx, s->name.text, (size_t)s->name.length);
    spec.declaration = declaration_of(p, s);
    if (spec.name < 0)
        ix_lex_abort(&p->reader);
    fill_spec(p, &spec, args);
    ix_parser_at(p, c->at);
    ilex_array *tuple = ix_parser_array(p, ix_build_foreign(p->ctx, &spec));
    c->nresults = s->nboxes;
    c->result =
        ix_arena_new(&p->reader.arena, c->nresults * sizeof(ilex_array *));
    for (size_t i = 0; i < c->nresults; i++)
        c->result[i] = ix_parser_array(p, ix_build_result(tuple, (int)i));
}
