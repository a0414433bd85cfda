/* SPDX-License-Identifier: MIT
 *
 * Foreign functions: what `extern` declares, and calls of it. Sizes are those
 * of the declaration alone, found from the arguments as those of `function`.
 */
#include "lib/build/foreign.h"
#include "lib/ops/dtype.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"

enum { MOST_COST = 1000000, ELEMENT_COST = 20 /* as much as exp */ };

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
    int64_t cost = s->expr          ? ix_parse_int(p, s->expr)
                   : s->elementwise ? ELEMENT_COST
                                    : 1;
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

/* Functions of numbers: what a C function takes and gives by value. */
static void
check_number(ix_parser *p, const ix_statement *s, const ix_type *type)
{
    bool plain = !type->ranges.n;
    ilex_dtype dtype = ix_parse_dtype(p, &type->dtype);
    bool word = ilex_dtype_bytes(dtype) >= 4 && !ix_dtype_is_complex(dtype);
    if (!plain)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &type->dtype,
                    "an elementwise function has numbers for parameters and "
                    "result, without ranges: %.*s(x : %s) -> %s",
                    (int)s->name.length, s->name.text, ilex_dtype_name(dtype),
                    ilex_dtype_name(dtype));
    if (!word)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &type->dtype,
                    "an elementwise function is of i32, i64, u32, u64, f32 or "
                    "f64, not of %s; convert what it is called with, or what "
                    "it gives",
                    ilex_dtype_name(dtype));
    if (dtype != ix_parse_dtype(p, &s->box[0].dtype))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &type->dtype,
                    "the parameters and the result of an elementwise function "
                    "have one dtype; here there are %s and %.*s",
                    ilex_dtype_name(dtype), (int)s->box[0].dtype.length,
                    s->box[0].dtype.text);
}

static void
check_elementwise(ix_parser *p, const ix_statement *s)
{
    size_t n = ix_parse_count_parameters(s);
    if (s->nboxes > 1 || n == 0 || n > IX_APPLY_OPERANDS)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->name,
                    "an elementwise function has 1 to %d parameters and one "
                    "result, not %zu and %zu",
                    (int)IX_APPLY_OPERANDS, n, s->nboxes);
    check_number(p, s, &s->box[0]);
    for (const ix_statement *t = s->more; t; t = t->more) {
        check_number(p, s, &t->type);
        if (t->has_halo)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &t->name,
                        "the parameters of an elementwise function are "
                        "numbers, which have no halo");
    }
}

void
ix_parse_extern(ix_parser *p, const ix_statement *s)
{
    ix_parse_new_function(p, &s->name);
    check_words(p, s);
    if (s->elementwise)
        check_elementwise(p, s);
    else
        check_types(p, s);
    ix_parser_declare(p, &s->name, IX_NAME_FUNCTION)->function = s;
}

/* ---- calls ---- */

int32_t
ix_parse_declaration(ix_parser *p, const ix_statement *s)
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
    spec.declaration = ix_parse_declaration(p, s);
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

/* ---- calls for each element ---- */

/* An argument of the parameter's dtype, which a literal takes. */
static ilex_array *
number_argument(ix_parser *p, const ix_statement *param, ilex_array *x)
{
    const ix_call *c = p->call;
    ilex_dtype dtype = ix_parse_dtype(p, &param->type.dtype);
    if (ix_is_weak(x))
        x = ix_parse_declared(p, c->at, x, dtype);
    if (x->dtype != dtype)
        ix_lex_fail(
            &p->reader, ILEX_E_DTYPE, c->at,
            "%.*s: the parameter %.*s is %s, the argument %s; convert "
            "it: %s(...)",
            (int)c->function->name.length, c->function->name.text,
            (int)param->name.length, param->name.text, ilex_dtype_name(dtype),
            ilex_dtype_name((ilex_dtype)x->dtype), ilex_dtype_name(dtype));
    return x;
}

void
ix_parse_elementwise_call(ix_parser *p, ilex_array *const *args)
{
    ix_call *c = p->call;
    const ix_statement *s = c->function;
    ilex_array *operand[IX_APPLY_OPERANDS];
    ix_apply f = {
        .name = ix_symbol_of(p->ctx, s->name.text, (size_t)s->name.length),
        .declaration = ix_parse_declaration(p, s),
        .cost = cost_of(p, s),
        .dtype = ix_parse_dtype(p, &s->box[0].dtype)};
    if (f.name < 0)
        ix_lex_abort(&p->reader);
    for (const ix_statement *t = s->more; t; t = t->more) {
        operand[f.noperands] = number_argument(p, t, args[f.noperands]);
        f.noperands++;
    }
    c->nresults = 1;
    c->result = ix_arena_new(&p->reader.arena, sizeof(ilex_array *));
    ix_parser_at(p, c->at);
    c->result[0] = ix_parser_array(p, ix_build_apply(p->ctx, &f, operand));
    ix_parser_depth(p, c->at, f.noperands, operand, c->result[0]);
}

/* ---- functions that a text does not declare itself ---- */

void
ix_parse_known_extern(ix_parser *p, const char *declaration)
{
    ix_reader *r = &p->reader;
    const char *text = r->text, *file = r->file;
    size_t length = (size_t)(r->end - text);
    ix_reader_init(r, p->ctx, declaration, strlen(declaration), NULL);
    const ix_statement *s = ix_syntax_whole_extern(r);
    ix_parser_declare(p, &s->name, IX_NAME_FUNCTION)->function = s;
    ix_reader_init(r, p->ctx, text, length, file);
}
