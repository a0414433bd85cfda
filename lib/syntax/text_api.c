/* SPDX-License-Identifier: MIT
 *
 * Public functions that take domains, bounds, conditions, expressions or
 * whole programs as text.
 */
#include <stdio.h>

#include "lib/base/clock.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/print.h"

/* ---- sizes and leaves ---- */

ilex_status
ilex_assume(ilex_context *ctx, const char *condition)
{
    if (!condition)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "assume: the condition is NULL");
    return ix_parse_text_assume(ctx, condition);
}

ilex_array *
ilex_input(ilex_context *ctx, const char *name, ilex_dtype dtype,
           const char *domain)
{
    int64_t halo[2 * ILEX_MAX_RANK];
    bool has_halo = false;
    size_t n = name ? strlen(name) : 0;
    if (name && ix_is_constant_name(name, n))
        return ix_poison(ctx, "input", -1, ILEX_E_NAME,
                         "input: '%s' is a constant and cannot name anything "
                         "else",
                         name);
    const ix_domain *dom =
        ix_parse_text_domain(ctx, domain ? domain : "", halo, &has_halo);
    if (!dom)
        return ix_poison_again(ctx);
    return ix_build_input(ctx, name, n, dtype, dom, has_halo ? halo : NULL);
}

ilex_array *
ilex_full(ilex_context *ctx, const char *domain, ilex_array *value)
{
    if (!value || value->ctx != ctx)
        return ix_poison_stranger(ctx, "full", 0, value, "the value");
    if (ix_is_poison(value))
        return value;
    if (ix_rank(value) != 0)
        return ix_poison(ctx, "full", 0, ILEX_E_RANK,
                         "full: the value has %d axes; it must have none",
                         ix_rank(value));
    const ix_domain *dom =
        ix_parse_text_domain(ctx, domain ? domain : "", NULL, NULL);
    return ix_build_restrict(ctx, "full", value, dom);
}

ilex_array *
ilex_arange(ilex_context *ctx, const char *length, int64_t start, int64_t step)
{
    const ix_lin *n = ix_parse_text_lin(ctx, length ? length : "");
    if (!n)
        return ix_poison_again(ctx);
    ix_axis ax = {0, ix_lin_const(ctx, 0), n};
    ilex_array *body = ix_index_fma(ctx, ix_index_const(ctx, start), step,
                                    ix_scalar_index(ctx, 0));
    return ix_build_lambda(ctx, "arange", ix_domain_new(ctx, 1, &ax), body, 0,
                           NULL);
}

/* ---- structural constructors ---- */

ilex_array *
ilex_restrict(ilex_array *x, const char *domain)
{
    if (!x || ix_is_poison(x))
        return x;
    const ix_domain *dom =
        ix_parse_text_domain(x->ctx, domain ? domain : "", NULL, NULL);
    return ix_build_restrict(x->ctx, "restrict", x, dom);
}

ilex_array *
ilex_reshape(ilex_array *x, const char *domain, const char *order)
{
    if (!x || ix_is_poison(x))
        return x;
    bool fortran = order && !strcmp(order, "F");
    if (order && !fortran && strcmp(order, "C") != 0)
        return ix_poison(x->ctx, "reshape", -1, ILEX_E_ARGUMENT,
                         "reshape: the order '%.20s' is neither C nor F",
                         order);
    const ix_domain *dom =
        ix_parse_text_domain(x->ctx, domain ? domain : "", NULL, NULL);
    return ix_build_reshape(x->ctx, x, dom, fortran);
}

/* ---- expressions and index lambdas ---- */

/* Are operands and their names what text may speak of? Else "*bad" is what to
 * return. */
static bool
check_named(ilex_context *ctx, const char *what, size_t count,
            const char *const *names, ilex_array *const *operands,
            ilex_array **bad)
{
    *bad = ctx->poison;
    if (count > 0 && (!names || !operands))
        return ix_poison_false(ctx, what, -1, ILEX_E_ARGUMENT,
                               "%s: names or operands are NULL", what);
    for (size_t i = 0; i < count; i++) {
        char role[40];
        snprintf(role, sizeof role, "%s: operand", what);
        if (!ix_name_check(&ctx->error, role, names[i],
                           names[i] ? strlen(names[i]) : 0))
            return false;
        if (!operands[i] || operands[i]->ctx != ctx) {
            ix_poison_stranger(ctx, what, (int)i, operands[i], "operand '%s'",
                               names[i]);
            return false;
        }
        if (ix_is_poison(operands[i]))
            return false;
    }
    return true;
}

ilex_array *
ilex_expr_n(ilex_context *ctx, const char *text, size_t count,
            const char *const *names, ilex_array *const *operands)
{
    ilex_array *bad;
    if (!text)
        return ix_poison(ctx, "expr", -1, ILEX_E_ARGUMENT,
                         "expr: the text is NULL");
    return check_named(ctx, "expr", count, names, operands, &bad)
               ? ix_parse_text_expr(ctx, text, strlen(text), count, names,
                                    operands, NULL)
               : bad;
}

ilex_array *
ilex_map_n(ilex_context *ctx, const char *domain, const char *body,
           size_t count, const char *const *names, ilex_array *const *operands)
{
    ilex_array *bad;
    if (!body || !domain)
        return ix_poison(ctx, "map", -1, ILEX_E_ARGUMENT,
                         "map: the %s is NULL (for example: \"i:n\", "
                         "\"2*x[i]\")",
                         body ? "domain" : "body");
    return check_named(ctx, "map", count, names, operands, &bad)
               ? ix_parse_text_map(ctx, domain, body, count, names, operands)
               : bad;
}

enum { MAX_OPERANDS = 64 };

/* Pairs of name and array that end with NULL. */
typedef struct pairs {
    const char *names[MAX_OPERANDS];
    ilex_array *operands[MAX_OPERANDS];
    size_t n;
} pairs;

static bool
read_pairs(ilex_context *ctx, const char *what, va_list args, pairs *p)
{
    p->n = 0;
    const char *name = va_arg(args, const char *);
    for (; name && p->n < MAX_OPERANDS; name = va_arg(args, const char *)) {
        p->names[p->n] = name;
        p->operands[p->n++] = va_arg(args, ilex_array *);
    }
    if (name)
        ix_poison(ctx, what, -1, ILEX_E_LIMIT,
                  "%s: more than %d operands, or the list does not end with "
                  "NULL; use ilex_%s_n",
                  what, (int)MAX_OPERANDS, what);
    return !name;
}

ilex_array *
ilex_expr(ilex_context *ctx, const char *text, ...)
{
    pairs p;
    va_list args;
    va_start(args, text);
    bool ok = read_pairs(ctx, "expr", args, &p);
    va_end(args);
    return ok ? ilex_expr_n(ctx, text, p.n, p.names, p.operands)
              : ix_poison_again(ctx);
}

ilex_array *
ilex_map(ilex_context *ctx, const char *domain, const char *body, ...)
{
    pairs p;
    va_list args;
    va_start(args, body);
    bool ok = read_pairs(ctx, "map", args, &p);
    va_end(args);
    return ok ? ilex_map_n(ctx, domain, body, p.n, p.names, p.operands)
              : ix_poison_again(ctx);
}

/* ---- programs ---- */

ilex_module *
ilex_module_parse(ilex_context *ctx, const char *text, const char *file)
{
    if (!text)
        return ix_fail_null(&ctx->error, ILEX_E_ARGUMENT,
                            "parse: the text is NULL");
    double start = ix_clock();
    ilex_module *m = ix_module_parse(ctx, text, strlen(text), file);
    if (!m)
        return NULL;
    m->parse_seconds = ix_clock() - start;
    m->ntext = m->noutputs;
    m->text = ix_mem_new(&ctx->mem, strlen(text) + 1);
    if (m->text)
        strcpy(m->text, text);
    return m;
}

/* The string of a sink, which is emptied; NULL when memory ran out. */
static char *
take_string(ix_text *t)
{
    if (!t->failed)
        return t->data;
    ix_text_free(t);
    return NULL;
}

char *
ilex_module_print(ilex_module *module)
{
    ix_text t;
    ix_text_init(&t, &module->ctx->mem);
    if (ix_print_module(module, &t) == ILEX_OK)
        return take_string(&t);
    ix_text_free(&t);
    return NULL;
}

char *
ilex_text_fmt(ilex_context *ctx, const char *text, const char *file)
{
    ix_text t;
    if (!text)
        return ix_fail_null(&ctx->error, ILEX_E_ARGUMENT,
                            "fmt: the text is NULL");
    ix_text_init(&t, &ctx->mem);
    if (ix_fmt_text(ctx, text, strlen(text), file, &t) == ILEX_OK)
        return take_string(&t);
    ix_text_free(&t);
    return NULL;
}

void
ilex_text_free(ilex_context *ctx, char *text)
{
    ix_mem_free(&ctx->mem, text);
}

/* ---- messages ---- */

static ilex_status
add_message(ilex_module *m, const char *name, bool sends, const char *rank,
            int64_t tag)
{
    ilex_context *ctx = m->ctx;
    size_t n = name ? strlen(name) : 0;
    if (!ix_name_check(&ctx->error, sends ? "send" : "recv", name, n))
        return ctx->error.code;
    return ix_module_add_message(m, ix_symbol_of(ctx, name, n), sends,
                                 ix_parse_text_lin(ctx, rank ? rank : ""), tag);
}

ilex_status
ilex_module_recv(ilex_module *m, const char *name, const char *rank,
                 int64_t tag)
{
    return add_message(m, name, false, rank, tag);
}

ilex_status
ilex_module_send(ilex_module *m, const char *name, const char *rank,
                 int64_t tag)
{
    return add_message(m, name, true, rank, tag);
}
