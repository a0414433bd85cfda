/* SPDX-License-Identifier: MIT
 *
 * Functions of programs: `function` ... `end`, and their calls. A call reads
 * the body with the arguments under the names of the parameters, in a name
 * space of its own, so that a function is what its body is, for any axes and
 * dtypes that fit. Sizes of the parameters' types are found from the arguments.
 * A function whose parameters all have types is read once where it is defined,
 * too, so that its errors are found for all sizes, there.
 */
#include "lib/ops/dtype.h"
#include "lib/syntax/parse.h"

/* ---- names ---- */

ix_name *
ix_parser_function(ix_parser *p, const ix_word *w)
{
    return ix_parser_find(p, w, IX_NAME_FUNCTION);
}

ix_call *
ix_parse_open_call(ix_parser *p, const ix_statement *function,
                   const ix_word *at)
{
    for (const ix_call *c = p->call; c; c = c->outer)
        if (c->function == function)
            ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, at,
                        "%.*s calls itself; recurrences are scans",
                        (int)function->name.length, function->name.text);
    ix_call *c = ix_arena_new(&p->reader.arena, sizeof *c);
    *c = (ix_call){.function = function,
                   .at = at,
                   .outer = p->call,
                   .names = p->names,
                   .lambda = p->lambda};
    p->names = (ix_table){0};
    p->call = c;
    return c;
}

void
ix_parse_close_call(ix_parser *p)
{
    p->names = p->call->names;
    p->lambda = p->call->lambda;
    p->call = p->call->outer;
}

/* ---- sizes of parameters ---- */

/* Numbers and names have no parts. */
static bool
is_leaf(const ix_syntax *x)
{
    return x->kind == IX_SYNTAX_NAME || x->kind == IX_SYNTAX_INT ||
           x->kind == IX_SYNTAX_REAL || x->kind == IX_SYNTAX_IMAGINARY;
}

static bool
is_known(ix_parser *p, const ix_syntax *x)
{
    if (is_leaf(x))
        return x->kind != IX_SYNTAX_NAME ||
               ix_parser_find(p, &x->word, IX_NAME_SIZE);
    bool known = true;
    for (size_t i = 0; known && i < x->nparts; i++)
        known = is_known(p, x->part[i]);
    for (size_t i = 0; known && i < x->nlinks; i++)
        known = is_known(p, x->link[i].operand);
    return known;
}

static void
set_size(ix_parser *p, const ix_word *w, const ix_lin *value)
{
    ix_parser_check_name(p, "size", w);
    ix_parser_declare(p, w, IX_NAME_SIZE)->size = value;
}

/* "n", "n + 1", "n - m": finds n, which is new, from the value of the whole.
 * False if that is not its form, or all of it is known. */
static bool
solve(ix_parser *p, const ix_syntax *x, const ix_lin *value)
{
    if (x->kind == IX_SYNTAX_NAME && !is_known(p, x)) {
        set_size(p, &x->word, value);
        return true;
    }
    bool sum = x->kind == IX_SYNTAX_CHAIN &&
               x->part[0]->kind == IX_SYNTAX_NAME && !is_known(p, x->part[0]);
    for (size_t i = 0; sum && i < x->nlinks; i++)
        sum = (x->link[i].op == IX_OP_ADD || x->link[i].op == IX_OP_SUBTRACT) &&
              is_known(p, x->link[i].operand);
    for (size_t i = 0; sum && i < x->nlinks; i++) {
        ix_link back = x->link[i];
        back.op = back.op == IX_OP_ADD ? IX_OP_SUBTRACT : IX_OP_ADD;
        value = ix_parse_lin_link(p, value, &back);
    }
    if (sum)
        set_size(p, &x->part[0]->word, value);
    return sum;
}

/* The range of "x" that a parameter's range number "k" speaks of; NULL if there
 * is none. */
static const ix_axis *
argument_axis(ix_parser *p, const ix_colons *r, size_t k, const ilex_array *x)
{
    if (ix_rank(x) == 0)
        return NULL;
    if (r->n == 1)
        return k < (size_t)ix_rank(x) ? &x->interior->ax[k] : NULL;
    const char *name = ix_symbol_text(p->ctx, ix_parse_axis(p, r->part[0]));
    int j = ix_domain_axis(p->ctx, x->interior, name, strlen(name));
    return j < 0 ? NULL : &x->interior->ax[j];
}

/* Finds sizes of one type from its argument; whether there were any. */
static bool
solve_type(ix_parser *p, const ix_statement *param, const ilex_array *x)
{
    bool any = false;
    for (size_t k = 0; k < param->type.ranges.n; k++) {
        const ix_colons *r = &param->type.ranges.item[k];
        const ix_axis *ax =
            ix_parse_is_plain(r) ? argument_axis(p, r, k, x) : NULL;
        if (!ax)
            continue;
        if (r->n == 3)
            any |= solve(p, r->part[1], ax->lo);
        any |= solve(p, r->part[r->n - 1], ax->hi);
    }
    return any;
}

/* Fails for a size that no argument gives. */
static void
check_bound(ix_parser *p, const ix_syntax *x)
{
    if (!is_known(p, x))
        ix_lex_fail(&p->reader, ILEX_E_SIZE, &x->word,
                    "the arguments do not say the sizes in this bound; a size "
                    "is found where an axis ends at it, or at it and sizes "
                    "that are found: x : f64[n], y : f64[n+m]");
}

void
ix_parse_check_sizes(ix_parser *p, const ix_type *type)
{
    for (size_t k = 0; k < type->ranges.n; k++) {
        const ix_colons *r = &type->ranges.item[k];
        for (int i = r->n > 1; i < r->n; i++)
            check_bound(p, r->part[i]);
    }
}

static void
check_type(ix_parser *p, const ix_statement *param, const ilex_array *x)
{
    const ix_type *type = &param->type;
    size_t rank = (size_t)ix_rank(x);
    if (type->dtype.length && !type->on.length && type->ranges.n != rank)
        ix_lex_fail(&p->reader, ILEX_E_RANK, p->call->at,
                    "%.*s: the parameter %.*s has %zu axes, the argument [%s] "
                    "has %zu",
                    (int)p->call->function->name.length,
                    p->call->function->name.text, (int)param->name.length,
                    param->name.text, type->ranges.n,
                    rank ? ix_domain_show(p->ctx, x->interior).s : "", rank);
    ix_parse_check_sizes(p, type);
}

static void
solve_sizes(ix_parser *p, const ix_statement *function, ilex_array *const *args)
{
    bool again = true;
    int k = 0;
    while (again) {
        again = false;
        int i = 0;
        for (const ix_statement *s = function->more; s; s = s->more)
            again |= solve_type(p, s, args[i++]);
    }
    for (const ix_statement *s = function->more; s; s = s->more)
        check_type(p, s, args[k++]);
}

/* Where a function is defined, sizes of its types are any sizes. */
static void
declare_sizes(ix_parser *p, const ix_syntax *x)
{
    if (!is_known(p, x) && x->kind == IX_SYNTAX_NAME)
        set_size(p, &x->word,
                 ix_lin_param(p->ctx, ix_parser_param(p, &x->word)));
    if (is_leaf(x))
        return;
    for (size_t i = 0; i < x->nparts; i++)
        declare_sizes(p, x->part[i]);
    for (size_t i = 0; i < x->nlinks; i++)
        declare_sizes(p, x->link[i].operand);
}

void
ix_parse_declare_sizes(ix_parser *p, const ix_type *type)
{
    for (size_t k = 0; k < type->ranges.n; k++) {
        const ix_colons *r = &type->ranges.item[k];
        for (int i = r->n > 1; i < r->n; i++)
            if (r->part[i])
                declare_sizes(p, r->part[i]);
    }
}

/* ---- parameters ---- */

/* What a parameter is inside: the argument on the declared domain, which may be
 * read in the declared halo. */
static ilex_array *
on_domain(ix_parser *p, const ix_statement *param, ilex_array *x)
{
    ilex_context *ctx = p->ctx;
    int64_t halo[2 * ILEX_MAX_RANK];
    const char *what = ix_parser_string(p, &param->name);
    const ix_domain *dom = ix_parse_type_domain(p, &param->type);
    if (param->has_halo)
        ix_parse_halo(p, dom, &param->halo, halo);
    ix_parser_at(p, p->call->at);
    if (!param->has_halo)
        return ix_parser_array(p, ix_build_restrict(ctx, what, x, dom));
    if (halo[0] == IX_HALO_AUTO)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &param->halo.item[0].where,
                    "a parameter's halo has widths; without a type it may be "
                    "read where the argument may");
    return ix_parser_array(p, ix_build_with_halo(ctx, what, x, dom, halo));
}

ilex_array *
ix_parse_argument(ix_parser *p, const ix_statement *param, ilex_array *x)
{
    const ix_word *w = &param->name, *at = p->call->at;
    if (!param->type.dtype.length)
        return x;
    ilex_dtype dtype = ix_parse_dtype(p, &param->type.dtype);
    if (ix_is_weak(x))
        x = ix_parse_declared(p, at, x, dtype);
    if (x->dtype != dtype)
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, at,
                    "%.*s: the parameter %.*s is %s, the argument %s",
                    (int)p->call->function->name.length,
                    p->call->function->name.text, (int)w->length, w->text,
                    ilex_dtype_name(dtype),
                    ilex_dtype_name((ilex_dtype)x->dtype));
    bool point =
        ix_rank(x) == 0 && param->type.ranges.n == 0 && !param->type.on.length;
    return point ? x : on_domain(p, param, x);
}

/* ---- bodies ---- */

/* Inside of a map a call is part of the body: the names of its indices are
 * hidden, their numbers stay. */
static void
hide_indices(ix_parser *p)
{
    ix_lambda_env *env = ix_arena_new(&p->reader.arena, sizeof *env);
    *env = *p->lambda;
    env->hidden = true;
    env->local = NULL;
    for (int i = 0; i < env->nrindex; i++)
        env->rindex[i].name.length = 0;
    p->lambda = env;
}

static void
read_body(ix_parser *p, const ix_statement *function)
{
    for (const ix_statement *s = function->body; s; s = s->next) {
        if (p->call->nresults && s->kind != IX_STATEMENT_COMMENT &&
            s->kind != IX_STATEMENT_END)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->keyword,
                        "nothing comes behind return");
        if (p->lambda && s->kind != IX_STATEMENT_LET &&
            s->kind != IX_STATEMENT_RETURN && s->kind != IX_STATEMENT_COMMENT &&
            s->kind != IX_STATEMENT_END)
            ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->keyword,
                        "%.*s is called inside of a map (line %d), where a "
                        "function consists of let and return",
                        (int)function->name.length, function->name.text,
                        (int)p->call->at->line);
        ix_parse_statement(p, s);
    }
    if (p->call->nresults == 0)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &function->name,
                    "the function returns nothing; write `return v` before "
                    "its end");
}

void
ix_parse_return(ix_parser *p, const ix_statement *s)
{
    ix_call *c = p->call;
    size_t n = s->values.n;
    ilex_array **result = ix_arena_new(&p->reader.arena, n * sizeof *result);
    for (size_t i = 0; i < n; i++) {
        ix_syntax *x = s->values.value[i];
        result[i] = x->kind == IX_SYNTAX_NAME ? ix_parser_named(p, &x->word)
                                              : ix_parse_expr(p, x);
    }
    c->result = result;
    c->nresults = n;
}

/* ---- calls ---- */

size_t
ix_parse_count_parameters(const ix_statement *function)
{
    size_t n = 0;
    for (const ix_statement *s = function->more; s; s = s->more)
        n++;
    return n;
}

/* Gives the parameters their arguments and reads the body. */
static void
call_body(ix_parser *p, const ix_statement *function, ilex_array *const *args)
{
    size_t i = 0;
    if (p->lambda)
        hide_indices(p);
    solve_sizes(p, function, args);
    for (const ix_statement *s = function->more; s; s = s->more) {
        ix_parser_check_name(p, "parameter", &s->name);
        ix_parser_define(p, &s->name, ix_parse_argument(p, s, args[i++]));
    }
    read_body(p, function);
}

size_t
ix_parse_apply(ix_parser *p, const ix_statement *function, const ix_word *at,
               ilex_array *const *args, ilex_array ***result)
{
    ix_call *c = ix_parse_open_call(p, function, at);
    if (function->elementwise) {
        ix_parse_elementwise_call(p, args);
    } else if (function->kind == IX_STATEMENT_EXTERN && !p->lambda) {
        solve_sizes(p, function, args);
        ix_parse_extern_call(p, args);
    } else if (function->kind == IX_STATEMENT_EXTERN) {
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, at,
                    "%.*s is a foreign function of whole arrays, which a map "
                    "does not call; call it outside: let y = %.*s(...), or "
                    "declare it `elementwise` if it is one of numbers",
                    (int)at->length, at->text, (int)at->length, at->text);
    } else {
        call_body(p, function, args);
    }
    ix_parse_close_call(p);
    *result = c->result;
    return c->nresults;
}

size_t
ix_parse_user_call(ix_parser *p, const ix_syntax *x, ilex_array ***result)
{
    const ix_statement *f = ix_parser_function(p, &x->word)->function;
    size_t n = ix_parse_count_parameters(f);
    if (x->attributes.n || x->nparts != n)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s takes %zu argument%s and no attributes, not %zu",
                    (int)x->word.length, x->word.text, n, n == 1 ? "" : "s",
                    x->nparts);
    ilex_array **args = ix_arena_new(&p->reader.arena, (n + 1) * sizeof *args);
    for (size_t i = 0; i < n; i++)
        args[i] = ix_parse_expr(p, x->part[i]);
    return ix_parse_apply(p, f, &x->word, args, result);
}

ilex_array *
ix_parse_user_value(ix_parser *p, const ix_syntax *x)
{
    ilex_array **result;
    size_t n = ix_parse_user_call(p, x, &result);
    if (n != 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "%.*s returns %zu arrays; write let a, b = %.*s(...)",
                    (int)x->word.length, x->word.text, n, (int)x->word.length,
                    x->word.text);
    return result[0];
}

/* ---- definitions ---- */

/* An argument has a length, so the lengths of a type are >= 0. */
static void
assume_lengths(ix_parser *p, const ix_domain *dom)
{
    ilex_context *ctx = p->ctx;
    for (int k = 0; k < dom->rank; k++) {
        const ix_lin *length = ix_axis_extent(ctx, &dom->ax[k]);
        if (length && length->n == 0)
            continue;
        const ix_assumption *a =
            length ? ix_assumption_of(ctx, length, 0) : NULL;
        if (!a || ix_env_add(ctx, &ctx->in_force, a) == IX_UNKNOWN)
            ix_lex_abort(&p->reader);
    }
}

/* What stands for an argument where the function is defined. */
static void
bind_any(ix_parser *p, const ix_statement *param)
{
    int64_t halo[2 * ILEX_MAX_RANK];
    const ix_word *w = &param->name;
    const ix_domain *dom = ix_parse_type_domain(p, &param->type);
    if (param->has_halo)
        ix_parse_halo(p, dom, &param->halo, halo);
    assume_lengths(p, dom);
    ix_parser_check_name(p, "parameter", w);
    ilex_array *x = ix_build_parameter(p->ctx, w->text, (size_t)w->length,
                                       ix_parse_dtype(p, &param->type.dtype),
                                       dom, param->has_halo ? halo : NULL);
    ix_parser_define(p, w, ix_parser_array(p, x));
}

/* Reads the body with placeholders for the arguments. */
static void
check_body(ix_parser *p, const ix_statement *f)
{
    ilex_context *ctx = p->ctx;
    const ix_env *in_force = ctx->in_force;
    ctx->in_force = NULL;
    ix_parse_open_call(p, f, &f->name)->checking = true;
    for (const ix_statement *s = f->more; s; s = s->more)
        ix_parse_declare_sizes(p, &s->type);
    for (const ix_statement *s = f->more; s; s = s->more)
        bind_any(p, s);
    read_body(p, f);
    ix_parse_close_call(p);
    ctx->in_force = in_force;
}

void
ix_parse_new_function(ix_parser *p, const ix_word *w)
{
    ix_op op;
    ix_reducer r;
    ilex_dtype dtype;
    size_t n = (size_t)w->length;
    ix_parser_check_name(p, "function", w);
    if (ix_op_find(w->text, n, &op) || ix_signature_find(w->text, n) ||
        ix_reducer_find(w->text, n, &r) || ix_dtype_find(w->text, n, &dtype) ||
        ix_parse_is_builtin(w))
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, w,
                    "%.*s is a function of the language", (int)w->length,
                    w->text);
}

void
ix_parse_function(ix_parser *p, const ix_statement *s)
{
    ix_parse_new_function(p, &s->name);
    bool typed = true;
    for (const ix_statement *t = s->more; t; t = t->more)
        typed &= t->type.dtype.length > 0 && !t->type.on.length;
    if (typed)
        check_body(p, s);
    ix_parser_declare(p, &s->name, IX_NAME_FUNCTION)->function = s;
}
