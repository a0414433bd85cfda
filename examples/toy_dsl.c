/* SPDX-License-Identifier: MIT
 *
 * A language of one's own: formulas on points I, one a line, the last one is
 * the result. u is given, u(+1) is u at I + 1. The parser knows nothing of
 * domains: it says at which line it is, and errors of Ilex name that.
 */
#include <ilex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *const heat[] = {"f = u(+1) - u", "v = u + 0.1*(f - f(-1))", NULL};
static char *const too_wide[] = {"far = u(+2)", "v = far + u", NULL};
static char *const misspelt[] = {"a = 2*u", "v = a + b", NULL};
enum { NAMES = 16, LENGTH = 16, N = 8 };
typedef struct parser {
    ilex_context *ctx;
    const char *file;
    char *text, *at; /* the line, and how far it is read */
    int line, count;
    char name[NAMES][LENGTH];
    ilex_array *value[NAMES];
} parser;

/* Arrays made from now on, and errors, are of this place. */
static void
here(parser *p)
{
    ilex_location(p->ctx, p->file, p->line, (int)(p->at - p->text) + 1);
}

static ilex_array *
fail(parser *p, const char *what)
{
    printf("%s:%d:%d: %s\n", p->file, p->line, (int)(p->at - p->text) + 1,
           what);
    return NULL;
}

/* The next character, if it is one of these. */
static char
take(parser *p, const char *set)
{
    p->at += strspn(p->at, " ");
    return *p->at && strchr(set, *p->at) ? *p->at++ : 0;
}

/* name, name(+1) */
static ilex_array *
parse_name(parser *p)
{
    size_t n = strspn(p->at, "abcdefghijklmnopqrstuvwxyz");
    int i = p->count - 1;
    while (i >= 0 && (strlen(p->name[i]) != n || strncmp(p->name[i], p->at, n)))
        i--;
    if (i < 0)
        return fail(p, "nothing of this name was defined before");
    here(p);
    p->at += n;
    if (!take(p, "("))
        return p->value[i];
    long offset = strtol(p->at, &p->at, 10);
    return take(p, ")") ? ilex_shift(p->value[i], "I", offset)
                        : fail(p, "a shift is written u(+1)");
}

/* Level 0: sums, 1: products, 2: numbers, names, parentheses. */
static ilex_array *
parse(parser *p, int level)
{
    if (level < 2) {
        ilex_array *x = parse(p, level + 1);
        for (char op; x && (op = take(p, level ? "*" : "+-"));) {
            ilex_array *y = parse(p, level + 1);
            here(p);
            x = !y          ? NULL
                : op == '*' ? ilex_multiply(x, y)
                : op == '+' ? ilex_add(x, y)
                            : ilex_subtract(x, y);
        }
        return x;
    }
    if (take(p, "(")) {
        ilex_array *x = parse(p, 0);
        return !x || take(p, ")") ? x : fail(p, "')' is missing");
    }
    if (*p->at >= 'a' && *p->at <= 'z')
        return parse_name(p);
    char *start = p->at;
    double number = strtod(start, &p->at);
    return p->at > start ? ilex_lit(p->ctx, number)
                         : fail(p, "a number, a name or '(' is missing");
}

/* name = formula */
static ilex_array *
parse_line(parser *p)
{
    char *name = p->name[p->count];
    if (p->count == NAMES - 1 || sscanf(p->at, "%15[a-z]", name) != 1)
        return fail(p, "a line is 'name = formula'; there are at most 14");
    p->at += strlen(name);
    ilex_array *x = take(p, "=") ? parse(p, 0) : fail(p, "'=' is missing");
    if (x && *p->at)
        return fail(p, "the line goes on behind the formula");
    return x ? p->value[p->count++] = x : NULL;
}

/* v of a program that has no error; those of others are told. */
static void
try(ilex_context *ctx, ilex_storage *u, const char *file, char *const *lines)
{
    parser p = {.ctx = ctx, .file = file, .count = 1, .name = {"u"}};
    ilex_array *v = ilex_input(ctx, "u", ILEX_F64, "I:n halo(I:1:1)");
    p.value[0] = v;
    for (p.line = 1; v && lines[p.line - 1]; p.line++) {
        p.text = p.at = lines[p.line - 1];
        v = parse_line(&p);
    }
    ilex_location(ctx, NULL, 0, 0); /* of no line from here on */
    if (!(v = ilex_restrict(v, "I:n")))
        return;
    ilex_program *program = ilex_compile(ctx, 1, &v, NULL);
    ilex_binding bound[] = {ILEX_BIND("u", u)};
    ilex_storage *out = NULL;
    if (program && !ilex_evaluate(ctx, program, bound, 1, &out))
        for (int64_t i = 0; i < N; i++)
            printf("%g ", ((const double *)ilex_storage_const_data(out))[i]);
    printf("%s\n", ilex_error_text(ctx));
    ilex_error_clear(ctx);
    ilex_storage_release(out);
    ilex_program_release(program);
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_storage_spec spec = {.size = sizeof spec, .rank = 1, .axes = "I"};
    spec.shape = (int64_t[]){N + 2};
    spec.halo = (int64_t[]){1, 1};
    ilex_storage *u = ilex_storage_new(ctx, &spec);
    for (int i = 0; u && i < N + 2; i++)
        ((double *)ilex_storage_data(u))[i] = i * i;
    try(ctx, u, "heat", heat);
    try(ctx, u, "too_wide", too_wide);
    try(ctx, u, "misspelt", misspelt);
    ilex_storage_release(u);
    ilex_context_free(ctx);
}
