/* SPDX-License-Identifier: MIT
 *
 * Linear forms as text: of programs, and of messages, which call a counted
 * length without a name by what is counted.
 */
#include <stdio.h>

#include "lib/graph/counted.h"

/* What stands around the name of a mask, of a counted size without a name. */
typedef struct around_mask {
    const char *before, *after;
} around_mask;

static const around_mask as_count = {"count_nonzero(", ")"},
                         as_size = {"n_", ""};

/* Is it a counted size without a name? */
bool
ix_is_counted_name(const char *text, size_t length)
{
    size_t n = sizeof IX_NAMELESS - 1;
    return length == n + 8 && !strncmp(text, IX_NAMELESS, n) &&
           strspn(text + n, "0123456789abcdef") >= 8;
}

static bool
is_nameless(const ilex_context *ctx, int32_t param)
{
    const char *name = ix_param_name(ctx, param);
    return ix_is_counted_name(name, strlen(name));
}

/* The name of the input that a size without a name counts; NULL: there is none,
 * or it counts another array. */
static const char *
mask_name(const ilex_context *ctx, int32_t param)
{
    const ilex_array *mask = ctx->param[param].mask;
    return is_nameless(ctx, param) && mask->kind == IX_INPUT
               ? ix_symbol_text(ctx, (int32_t)mask->attr[0])
               : NULL;
}

static void
print_name(const ilex_context *ctx, int32_t param, const around_mask *around,
           ix_text *t)
{
    const char *mask = around ? mask_name(ctx, param) : NULL;
    ix_text_put(t, mask ? around->before : "");
    ix_text_put(t, mask ? mask : ix_param_name(ctx, param));
    ix_text_put(t, mask ? around->after : "");
}

/* One term with its sign; "first" drops a leading '+'. */
static void
print_term(const ilex_context *ctx, ix_term term, bool first,
           const around_mask *around, ix_text *t)
{
    if (!first || term.k < 0)
        ix_text_char(t, term.k < 0 ? '-' : '+');
    uint64_t k = term.k < 0 ? 0 - (uint64_t)term.k : (uint64_t)term.k;
    if (k != 1) {
        ix_text_uint(t, k);
        ix_text_char(t, '*');
    }
    print_name(ctx, term.param, around, t);
}

/* The place of the term that is written "i"-th: by rank among the others. */
static int32_t
written(const ilex_context *ctx, const ix_lin *a, int32_t i)
{
    for (int32_t k = 0; k < a->n; k++) {
        int32_t before = 0;
        for (int32_t j = 0; j < a->n; j++)
            before += ix_param_before(ctx, a->t[j].param, a->t[k].param);
        if (before == i)
            return k;
    }
    return i;
}

static bool
is_negative(const ix_lin *a)
{
    bool negative = a->c < 0;
    for (int32_t i = 0; i < a->n; i++)
        negative |= a->t[i].k < 0;
    return negative;
}

/* What stands beside term "i" of a form. */
static bool
find_rest(const ix_lin *a, int32_t i, ix_lin_loose *rest)
{
    ix_lin_loose own = {.lin = {.n = 1}};
    own.lin.t[0] = a->t[i];
    return ix_lin_loose_sum(rest, a, -1, &own.lin);
}

/* Does an arm of "p" swallow what is negative in "rest"? False, too, where some
 * arm has no room for it. */
static bool
takes(const ix_param *p, const ix_lin *rest)
{
    bool fits = is_negative(rest), swallows = false;
    for (int k = 0; fits && k < p->narms; k++) {
        ix_lin_loose arm;
        fits = ix_lin_loose_sum(&arm, p->arm[k], 1, rest);
        swallows |= fits && !is_negative(&arm.lin);
    }
    return fits && swallows;
}

/* A quotient that stands alone needs no parentheses: n//2. */
static bool
print_alone(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    const ix_param *p =
        a->n == 1 && a->c == 0 ? &ctx->param[a->t[0].param] : NULL;
    const char *s = p ? ix_symbol_text(ctx, p->symbol) : "";
    if (!p || p->narms != 1 || a->t[0].k != 1 || s[0] != '(')
        return false;
    for (s++; s[1]; s++)
        ix_text_char(t, *s);
    return true;
}

static void print_form(const ilex_context *ctx, const ix_lin *a,
                       const around_mask *around, ix_text *t);

/* A form whose one min or max swallows what is negative beside it:
 * min(n, m+1)-1 is written min(n-1, m). */
static bool
print_extremum(const ilex_context *ctx, const ix_lin *a,
               const around_mask *around, ix_text *t)
{
    ix_lin_loose rest, arm;
    int32_t i = ix_lin_find_extremum(ctx, a);
    const ix_param *p = i < 0 ? NULL : &ctx->param[a->t[i].param];
    if (!p || a->t[i].k != 1 || !find_rest(a, i, &rest) || !takes(p, &rest.lin))
        return false;
    ix_text_put(t, p->largest ? "max(" : "min(");
    for (int k = 0; k < p->narms; k++) {
        ix_text_put(t, k ? ", " : "");
        ix_lin_loose_sum(&arm, p->arm[k], 1, &rest.lin);
        print_form(ctx, &arm.lin, around, t);
    }
    ix_text_char(t, ')');
    return true;
}

static void
print_form(const ilex_context *ctx, const ix_lin *a, const around_mask *around,
           ix_text *t)
{
    if (print_extremum(ctx, a, around, t) || print_alone(ctx, a, t))
        return;
    bool products = ix_lin_has_product(ctx, a);
    for (int32_t i = 0; i < a->n; i++)
        print_term(ctx, a->t[products ? written(ctx, a, i) : i], i == 0, around,
                   t);
    if (a->n && a->c > 0)
        ix_text_char(t, '+');
    if (!a->n || a->c)
        ix_text_int(t, a->c);
}

void
ix_param_print(const ilex_context *ctx, int32_t param, bool tight, ix_text *t)
{
    const char *s = ix_param_name(ctx, param);
    for (const char *p = s; *p; p++) {
        bool sign = *p == '+' || *p == '-';
        bool binary = sign && p > s && p[-1] != '(' && p[-1] != ' ';
        if (binary && !tight)
            ix_text_format(t, " %c ", *p);
        else
            ix_text_char(t, *p);
    }
}

void
ix_lin_print(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    print_form(ctx, a, NULL, t);
}

ix_lin_text
ix_lin_text_end(ix_text *t)
{
    ix_lin_text r = {""};
    const char *s = ix_text_string(t);
    snprintf(r.s, sizeof r.s, "%s", s ? s : "?");
    ix_text_free(t);
    return r;
}

ix_lin_text
ix_lin_show(const ilex_context *ctx, const ix_lin *a)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    if (a)
        print_form(ctx, a, &as_count, &t);
    return ix_lin_text_end(&t);
}

/* The terms of "a" whose sign is that of "sign", made positive; its constant
 * too if "constant". */
static ix_lin_loose
side_of(const ix_lin *a, int64_t sign, bool constant)
{
    ix_lin_loose r = {.lin = {.n = 0}};
    r.lin.c = constant && (a->c > 0) == (sign > 0) ? sign * a->c : 0;
    for (int32_t i = 0; i < a->n; i++)
        if ((a->t[i].k > 0) == (sign > 0))
            r.lin.t[r.lin.n++] = (ix_term){a->t[i].param, sign * a->t[i].k};
    return r;
}

static void
print_condition(const ilex_context *ctx, const ix_lin *a, bool equal,
                const around_mask *around, ix_text *t)
{
    bool positive = side_of(a, 1, false).lin.n > 0;
    ix_lin_loose left = side_of(a, positive ? 1 : -1, true),
                 right = side_of(a, positive ? -1 : 1, true);
    print_form(ctx, &left.lin, around, t);
    ix_text_put(t, equal ? " == " : positive ? " >= " : " <= ");
    print_form(ctx, &right.lin, around, t);
}

void
ix_lin_print_condition(ilex_context *ctx, const ix_lin *a, bool equal,
                       ix_text *t)
{
    print_condition(ctx, a, equal, NULL, t);
}

/* "; size n_a = count_nonzero(a) names a counted length": the sizes to declare
 * before "a" can be spoken of. False: one counts what has no name. */
static bool
propose_names(const ilex_context *ctx, const ix_lin *a, ix_text *t)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < a->n; i++) {
        const char *mask = mask_name(ctx, a->t[i].param);
        ok = mask || !is_nameless(ctx, a->t[i].param);
        if (mask)
            ix_text_format(t, "; size n_%s = count_nonzero(%s)", mask, mask);
    }
    return ok;
}

ix_lin_text
ix_lin_propose(ilex_context *ctx, const ix_lin *a, bool equal)
{
    static const ix_lin_text nothing = {""};
    static const ix_lin_text name_it = {"; name the counted length, size c = "
                                        "count_nonzero(mask), and assume of "
                                        "c what holds"};
    if (!a || a->n == 0)
        return nothing;
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    bool named = propose_names(ctx, a, &t);
    ix_text_put(&t, "; assume ");
    print_condition(ctx, a, equal, &as_size, &t);
    ix_text_put(&t, " beforehand");
    ix_lin_text r = ix_lin_text_end(&t);
    return named ? r : name_it;
}
