/* SPDX-License-Identifier: MIT
 *
 * Scalar expressions as text: bodies of maps, and field expressions (let).
 * Constants are bare where the reader gives a literal their dtype.
 */
#include "lib/base/stack.h"
#include "lib/build/foreign.h"
#include "lib/build/random.h"
#include "lib/build/scan.h"
#include "lib/ops/dtype.h"
#include "lib/syntax/print_text.h"

enum { MAX_DEPTH = 3000 };

static bool
is_field(const ix_writer *w)
{
    return w->mode == IX_WRITE_FIELD || w->mode == IX_WRITE_TRIAL;
}

/* ---- operators ---- */

/* An operand as the writer shows it: field operators convert by themselves. */
static const ilex_array *
shown(const ix_writer *w, const ilex_array *x)
{
    return is_field(w) && x->kind == IX_CAST && x->ops[0]->kind == IX_LOAD
               ? x->ops[0]
               : x;
}

/* May all constants among the operands be bare literals? */
static bool
constants_bare(const ix_writer *w, const ilex_array *n)
{
    bool any = false;
    int first = ix_op_of(n) == IX_OP_WHERE;
    ilex_dtype strong = ILEX_BOOL;
    for (int i = first; i < n->nops; i++) {
        const ilex_array *x = shown(w, n->ops[i]);
        if (x->kind == IX_CONST)
            continue;
        strong = any ? ilex_dtype_promote(strong, (ilex_dtype)x->dtype)
                     : (ilex_dtype)x->dtype;
        any = true;
    }
    for (int i = first; i < n->nops; i++)
        if (n->ops[i]->kind == IX_CONST &&
            !ix_write_literal_becomes(n->ops[i], strong))
            return false;
    return any;
}

/* Is "n" what an operator on f16 (bf16) gives, which rounds by itself? */
static bool
rounds_by_itself(const ix_writer *w, const ilex_array *n)
{
    const ilex_array *op = n->ops[0];
    bool all = ix_dtype_is_half((ilex_dtype)n->dtype) && op->kind == IX_OP;
    for (int i = 0; all && i < op->nops; i++) {
        const ilex_array *x = shown(w, op->ops[i]);
        all = x->kind == IX_CONST || x->dtype == n->dtype;
    }
    return all && constants_bare(w, op);
}

static void
write_operand(ix_writer *w, const ilex_array *x, int precedence, bool bare)
{
    x = shown(w, x);
    if (x->kind == IX_CONST)
        ix_write_const(w->t, x, bare);
    else
        ix_write_scalar(w, x, precedence);
}

static void
open_parenthesis(ix_writer *w, int own, int precedence)
{
    if (own < precedence)
        ix_text_char(w->t, '(');
}

static void
close_parenthesis(ix_writer *w, int own, int precedence)
{
    if (own < precedence)
        ix_text_char(w->t, ')');
}

static void
write_infix(ix_writer *w, const ilex_array *n, int precedence, bool bare)
{
    const ix_op_info *info = ix_op_info_of(ix_op_of(n));
    int own = info->precedence;
    bool chains = own != 6 && own != 7;
    const char *blank = ix_print_blank(ix_op_of(n), w->tight);
    open_parenthesis(w, own, precedence);
    if (info->arity == 1) {
        ix_text_put(w->t, info->infix);
        write_operand(w, n->ops[0], own, bare);
    } else {
        write_operand(w, n->ops[0], own + !chains, bare);
        ix_text_format(w->t, "%s%s%s", blank, info->infix, blank);
        write_operand(w, n->ops[1], own + 1, bare);
    }
    close_parenthesis(w, own, precedence);
}

/* random(key, i, …), if "n" is that. */
static bool
write_random(ix_writer *w, const ilex_array *n)
{
    ix_random_parts r;
    if (!ix_random_parts_of(n, &r))
        return false;
    ix_text_put(w->t, r.single ? "random_f32(" : "random(");
    write_operand(w, r.key, 1,
                  r.key->kind != IX_CONST || ix_const_value(r.key).i >= 0);
    for (int i = 0; i < r.count; i++) {
        ix_text_put(w->t, ", ");
        if (r.word[i]->kind == IX_CONST)
            ix_text_uint(w->t, ix_const_value(r.word[i]).u);
        else
            write_operand(w, r.word[i], 1, false);
    }
    ix_text_char(w->t, ')');
    return true;
}

static void
write_op(ix_writer *w, const ilex_array *n, int precedence)
{
    if (write_random(w, n))
        return;
    const ix_op_info *info = ix_op_info_of(ix_op_of(n));
    bool bare = constants_bare(w, n);
    if (info->infix) {
        write_infix(w, n, precedence, bare);
        return;
    }
    ix_text_format(w->t, "%s(", info->name);
    for (int i = 0; i < n->nops; i++) {
        if (i)
            ix_text_put(w->t, ", ");
        write_operand(w, n->ops[i], 1, bare);
    }
    ix_text_char(w->t, ')');
}

/* A foreign function of numbers; operands have its dtype as they stand. */
static void
write_apply(ix_writer *w, const ilex_array *n)
{
    ix_text_format(w->t, "%s(", ix_symbol_text(w->ctx, ix_foreign_name(n)));
    for (int i = 0; i < n->nops; i++) {
        const ilex_array *x = n->ops[i];
        ix_text_put(w->t, i ? ", " : "");
        if (x->kind == IX_CONST)
            ix_write_const(w->t, x,
                           ix_write_literal_becomes(x, (ilex_dtype)x->dtype));
        else
            ix_write_scalar(w, x, 1);
    }
    ix_text_char(w->t, ')');
}

/* ---- index arithmetic ---- */

/* One term k*atom with its sign; "first" has no blanks around it. */
static void
write_term(ix_writer *w, int64_t k, const ilex_array *atom, bool first)
{
    bool minus = k < 0 && k != INT64_MIN;
    if (first)
        ix_text_put(w->t, minus ? "-" : "");
    else if (w->tight)
        ix_text_put(w->t, minus ? "-" : "+");
    else
        ix_text_put(w->t, minus ? " - " : " + ");
    int64_t size = minus ? -k : k;
    if (!atom) {
        ix_text_int(w->t, size);
        return;
    }
    if (size != 1) {
        ix_text_int(w->t, size);
        ix_text_char(w->t, '*');
    }
    ix_write_scalar(w, atom,
                    size != 1 || (first && minus) ? IX_PRECEDENCE_PREFIX
                                                  : IX_PRECEDENCE_PRODUCT);
}

/* Finds x - c*(x // c) in "form": takes it out and returns the quotient, which
 * the caller writes as x % c; NULL if there is none. */
static const ilex_array *
take_remainder(ix_index_form *form)
{
    for (int i = 0; i < form->n; i++) {
        const ilex_array *q = form->t[i].atom;
        ix_index_form rest = *form, x, quotient;
        if (!ix_index_is_quotient(q) || form->t[i].k != -q->ops[1]->attr[0])
            continue;
        ix_index_form_of(q->ops[0], &x);
        ix_index_form_of(q, &quotient);
        if (!ix_index_form_add(&rest, -1, &x) ||
            !ix_index_form_add(&rest, -form->t[i].k, &quotient) ||
            rest.n != form->n - 1 - x.n)
            continue;
        *form = rest;
        return q;
    }
    return NULL;
}

static void
write_remainder(ix_writer *w, const ilex_array *quotient)
{
    const char *blank = ix_print_blank(IX_OP_REMAINDER, w->tight);
    ix_write_scalar(w, quotient->ops[0], IX_PRECEDENCE_PRODUCT);
    ix_text_format(w->t, "%s%%%s%lld", blank, blank,
                   (long long)quotient->ops[1]->attr[0]);
}

static void
write_linear(ix_writer *w, const ilex_array *n, int precedence)
{
    ix_index_form form;
    ix_index_form_of(n, &form);
    const ilex_array *quotient = take_remainder(&form);
    bool first = !quotient;
    bool sum = form.n + !first > 1 || form.c != 0;
    int own = sum ? IX_PRECEDENCE_SUM : IX_PRECEDENCE_PRODUCT;
    open_parenthesis(w, own, precedence);
    if (quotient)
        write_remainder(w, quotient);
    for (int i = 0; i < form.n; i++, first = false)
        write_term(w, form.t[i].k, form.t[i].atom, first);
    if (form.c || (first && form.n == 0))
        write_term(w, form.c, NULL, first);
    close_parenthesis(w, own, precedence);
}

/* ---- names ---- */

/* The name by which index _k may be written; NULL: only as _k. */
static const char *
axis_variable(const ix_writer *w, int64_t k)
{
    if (!w->lambda || w->mode == IX_WRITE_DUMP)
        return NULL;
    const ix_domain *dom = w->lambda->interior;
    if (k >= dom->rank || !dom->ax[k].name)
        return NULL;
    const char *name = ix_symbol_text(w->ctx, dom->ax[k].name);
    bool plain = !strchr(name, '+') && strcmp(name, "true") &&
                 strcmp(name, "false") && strcmp(name, "nan") &&
                 strcmp(name, "inf");
    return plain || is_field(w) ? name : NULL;
}

static void
write_index(ix_writer *w, const ilex_array *n)
{
    const char *name = axis_variable(w, n->attr[0]);
    if (is_field(w) && name)
        ix_text_format(w->t, "index(%.*s%s)", (int)strcspn(name, "+"), name,
                       strchr(name, '+') ? " + 1/2" : "");
    else if (name)
        ix_text_put(w->t, name);
    else if (is_field(w))
        w->failed = true;
    else
        ix_text_format(w->t, "_%lld", (long long)n->attr[0]);
}

/* Does an index variable of the map hide "name"? */
static bool
is_hidden(const ix_writer *w, const char *name)
{
    if (is_field(w) || !w->lambda)
        return false;
    const ix_domain *dom = w->lambda->interior;
    for (int k = 0; k < dom->rank; k++)
        if (dom->ax[k].name &&
            !strcmp(ix_symbol_text(w->ctx, dom->ax[k].name), name))
            return true;
    return false;
}

/* Does the name of a size mean something else here? What has arms is a value's,
 * but in dumps and bounds. */
static bool
is_taken(const ilex_context *ctx, int32_t size, const void *user)
{
    const ix_writer *w = user;
    const char *name = ix_param_name(ctx, size);
    return (w->printer && ctx->param[size].narms > 0) || is_hidden(w, name) ||
           !strcmp(name, "true") || !strcmp(name, "false") ||
           !strcmp(name, "nan") || !strcmp(name, "inf") ||
           (w->printer && ix_print_is_array_name(w->printer, name));
}

static void
write_size(ix_writer *w, const ilex_array *n, int precedence)
{
    int32_t param = (int32_t)n->attr[0];
    const ix_param *p = &w->ctx->param[param];
    bool taken = ix_param_needs(w->ctx, param, is_taken, w);
    int own =
        taken || p->degree <= 1 ? IX_PRECEDENCE_ATOM : IX_PRECEDENCE_PRODUCT;
    bool closed = p->narms == 1 && *ix_symbol_text(w->ctx, p->symbol) == '(';
    open_parenthesis(w, own, precedence);
    ix_text_put(w->t, !taken ? "" : closed ? "size" : "size(");
    ix_param_print(w->ctx, param, w->tight, w->t);
    ix_text_put(w->t, taken && !closed ? ")" : "");
    close_parenthesis(w, own, precedence);
}

/* ---- operands ---- */

/* The operand of a map by name or slot. */
static void
write_operand_name(ix_writer *w, const ilex_array *load)
{
    if (w->mode == IX_WRITE_MAP)
        ix_print_name(w->printer,
                      ix_print_item(w->printer, ix_write_operand_of(w, load)),
                      w->t);
    else if (w->operand)
        ix_text_format(w->t, "v%d", w->operand[load->attr[0]]);
    else
        ix_text_format(w->t, "_in%lld", (long long)load->attr[0]);
}

/* An index, or an end of a range. */
static void
write_entry(ix_writer *w, const ilex_array *x)
{
    bool tight = w->tight;
    w->tight = true;
    if (x->kind == IX_CONST)
        ix_write_const(w->t, x, true);
    else
        ix_write_scalar(w, x, 1);
    w->tight = tight;
}

/* A load in a map: the operand with absolute indices. */
static void
write_map_load(ix_writer *w, const ilex_array *n)
{
    size_t start = w->t->length;
    write_operand_name(w, n);
    bool hidden = n->nops == 0 && w->mode == IX_WRITE_MAP && w->t->data &&
                  is_hidden(w, w->t->data + start);
    if (n->nops == 0 && !hidden)
        return;
    ix_text_char(w->t, '[');
    bool trusted = false;
    for (int k = 0; k < n->nops; k++) {
        if (k)
            ix_text_put(w->t, ", ");
        write_entry(w, n->ops[k]);
        trusted |= n->ops[k]->kind == IX_CHECKED && ix_is_trusted(n->ops[k]);
    }
    ix_text_put(w->t, trusted ? "; unchecked]" : "]");
}

/* ---- scans ---- */

/* Result "k" of the scan, "levels" before the level that is computed. */
static void
write_self(ix_writer *w, int64_t k, int64_t levels)
{
    const ilex_array *n = w->lambda;
    if (w->printer)
        ix_print_result_name(ix_print_item(w->printer, n), k, w->t);
    else
        ix_text_format(w->t, "_self%lld", (long long)k);
    if (!n) {
        ix_text_format(w->t, "[-%lld]", (long long)levels);
        return;
    }
    for (int i = 0; i < n->interior->rank; i++) {
        ilex_array *index = ix_scalar_index(w->ctx, i);
        if (i == ix_scan_axis(n))
            index = ix_index_offset(w->ctx, index,
                                    ix_scan_is_backward(n) ? levels : -levels);
        ix_text_put(w->t, i ? ", " : "[");
        write_entry(w, index);
    }
    ix_text_char(w->t, ']');
}

/* The result listed before whose body "n" is, -1: none, or a leaf. */
static int
result_before(const ix_writer *w, const ilex_array *n)
{
    if (!w->lambda || w->lambda->kind != IX_SCAN || n->nops == 0)
        return -1;
    for (int k = 0; k < w->result; k++)
        if (ix_tuple_body(w->lambda, k) == n)
            return k;
    return -1;
}

/* ---- reductions ---- */

/* In dumps of passes alone. */
static void
write_product(ix_writer *w, const ilex_array *n)
{
    ix_text_put(w->t, "product(");
    ix_write_scalar(w, n->ops[0], 1);
    ix_text_put(w->t, ", ");
    ix_write_scalar(w, n->ops[1], 1);
    ix_text_char(w->t, ')');
}

/* A reduction in a map: ranges of _r0, ... */
static void
write_map_reduce(ix_writer *w, const ilex_array *n)
{
    const ix_domain *box = n->interior;
    ix_text_format(w->t, "%s[",
                   ix_reduction_info_of((ix_reduction)n->attr[0])->name);
    if (ix_is_ranged(n)) {
        ix_text_format(w->t, "_r%lld:", (long long)n->attr[1]);
        write_entry(w, n->ops[1]);
        ix_text_char(w->t, ':');
        write_entry(w, n->ops[2]);
    }
    for (int k = 0; k < box->rank && !ix_is_ranged(n); k++) {
        ix_text_format(w->t, "%s_r%lld:", k ? ", " : "",
                       (long long)n->attr[1] + k);
        if (!ix_lin_is(box->ax[k].lo, 0)) {
            ix_lin_print(w->ctx, box->ax[k].lo, w->t);
            ix_text_char(w->t, ':');
        }
        ix_lin_print(w->ctx, box->ax[k].hi, w->t);
    }
    ix_text_put(w->t, "](");
    write_operand(w, n->ops[0], 1, false);
    ix_write_initial(w, n);
    ix_text_char(w->t, ')');
}

void
ix_write_initial(ix_writer *w, const ilex_array *n)
{
    ilex_dtype dtype = (ilex_dtype)n->dtype;
    if (!ix_is_total(n))
        return;
    ix_text_put(w->t, "; initial=");
    ix_write_const(
        w->t,
        ix_scalar_const(w->ctx, dtype,
                        ix_reduction_identity(ix_reduction_of(n), dtype)),
        false);
}

/* ---- everything ---- */

static void
write_cast(ix_writer *w, const ilex_array *n, int precedence)
{
    if (rounds_by_itself(w, n)) {
        ix_write_scalar(w, n->ops[0], precedence);
        return;
    }
    ix_text_format(w->t, "%s(", ilex_dtype_name((ilex_dtype)n->dtype));
    ix_write_scalar(w, n->ops[0], 1);
    ix_text_char(w->t, ')');
}

/* In dumps. */
static void
write_tuple(ix_writer *w, const ilex_array *n)
{
    for (int i = 0; i < n->nops; i++) {
        ix_text_put(w->t, i ? ", " : "(");
        ix_write_scalar(w, n->ops[i], 1);
    }
    ix_text_char(w->t, ')');
}

static void
write_kind(ix_writer *w, const ilex_array *n, int precedence)
{
    switch (n->kind) {
    case IX_CONST:
        ix_write_const(w->t, n, w->bare);
        return;
    case IX_SIZE:
        write_size(w, n, precedence);
        return;
    case IX_INDEX:
        write_index(w, n);
        return;
    case IX_RINDEX:
        ix_text_format(w->t, "_r%lld", (long long)n->attr[0]);
        return;
    case IX_LINEAR:
        write_linear(w, n, precedence);
        return;
    case IX_LOAD:
        if (is_field(w))
            ix_write_field_load(w, n, precedence);
        else
            write_map_load(w, n);
        return;
    case IX_OP:
        write_op(w, n, precedence);
        return;
    case IX_APPLY:
        write_apply(w, n);
        return;
    case IX_PRODUCT:
        write_product(w, n);
        return;
    case IX_CAST:
        write_cast(w, n, precedence);
        return;
    case IX_REDUCE:
        write_map_reduce(w, n);
        return;
    case IX_CHECKED:
        ix_write_scalar(w, n->ops[0], precedence);
        return;
    case IX_CARRY:
        write_self(w, n->attr[0], n->attr[1]);
        return;
    case IX_TUPLE:
        write_tuple(w, n);
        return;
    default:
        w->failed = true;
    }
}

/* A body that is not for a small stack. */
typedef struct deep {
    ix_writer *w;
    const ilex_array *n;
    int precedence;
} deep;

static void
write_deep(void *arg)
{
    const deep *d = arg;
    write_kind(d->w, d->n, d->precedence);
}

void
ix_write_scalar(ix_writer *w, const ilex_array *n, int precedence)
{
    bool small = w->budget > 0 && w->depth < MAX_DEPTH;
    if (w->failed || !small || (is_field(w) && n->kind == IX_REDUCE)) {
        w->failed = true;
        return;
    }
    int before = result_before(w, n);
    if (before >= 0) {
        write_self(w, before, 0);
        return;
    }
    bool bare = w->bare;
    w->bare = bare && n->kind == IX_CONST;
    w->budget--;
    w->depth++;
    if (w->depth == IX_SHALLOW && n->depth > IX_SHALLOW)
        ix_on_stack(write_deep, &(deep){w, n, precedence});
    else
        write_kind(w, n, precedence);
    w->depth--;
    w->bare = bare;
}

void
ix_print_body_of(ilex_context *ctx, const ilex_array *body, const int *operand,
                 ix_text *t)
{
    ix_writer w = {.ctx = ctx,
                   .mode = IX_WRITE_DUMP,
                   .operand = operand,
                   .t = t,
                   .budget = IX_WRITE_BUDGET};
    ix_write_scalar(&w, body, 1);
    if (w.failed)
        ix_text_put(t, "...");
}

void
ix_print_scalar(ilex_context *ctx, const ilex_array *body, ix_text *t)
{
    ix_print_body_of(ctx, body, NULL, t);
}
