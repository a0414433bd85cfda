/* SPDX-License-Identifier: MIT
 *
 * Indices of maps and bracket scans, and the names of the axes that they make:
 * an index is a bound variable, whose axis is called as the axes that are read
 * at it. Names are given on purpose by [I=i:n], [I+1/2:n] and `on D`.
 */
#include "lib/syntax/parse.h"

#include <stdio.h>

/* ---- what the brackets say ---- */

/* Does "x" call index "k" by its number, _<k>? */
static bool
is_number(const ix_syntax *x, int k)
{
    char text[8];
    snprintf(text, sizeof text, "_%d", k);
    return x->kind == IX_SYNTAX_NAME && ix_word_is(&x->word, text);
}

/* "i:n", "I=i:n", "I+1/2:n", "I+1/2=i:n", "n" */
static void
read_index(ix_parser *p, const ix_colons *r, int k, ix_index_axis *at)
{
    *at = (ix_index_axis){0};
    if (r->axis)
        at->name = ix_parse_axis(p, r->axis);
    if (r->n < 2 || is_number(r->part[0], k))
        return;
    int32_t symbol = ix_parse_axis(p, r->part[0]);
    bool variable = r->part[0]->kind == IX_SYNTAX_NAME;
    if (!variable && at->name)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "an index is a name; write [I+1/2=i:n], or [I+1/2:n], "
                    "whose index is _%d",
                    k);
    at->variable = symbol;
    at->inherits = variable && !at->name;
    if (!variable)
        at->name = symbol;
}

/* The range alone, as a domain without a name reads it. */
static ix_colons
range_of(ix_parser *p, const ix_colons *r)
{
    ix_colons range = *r;
    range.axis = NULL;
    if (!ix_parse_is_plain(&range) || (r->axis && r->n < 2))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &r->where,
                    "an axis is an index and its range, [i:n] or [i:1:n], with "
                    "the name of the axis [I=i:n], or a length, [n]");
    for (int k = r->n > 1; k < r->n; k++)
        range.part[k - (r->n > 1)] = r->part[k];
    range.n = r->n > 1 ? r->n - 1 : 1;
    return range;
}

/* Fails for an index without a range, which reads as a length. */
static void
check_length(ix_parser *p, const ix_colons *r)
{
    const ix_word *w = &r->where;
    if (r->n > 1 || r->part[0]->kind != IX_SYNTAX_NAME || p->new_sizes ||
        ix_parser_find(p, w, IX_NAME_SIZE))
        return;
    ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, w,
                "there is no size '%.*s'; an index has its range behind it, "
                "for example %.*s:n",
                (int)w->length, w->text, (int)w->length, w->text);
}

/* Fails where an end of a range is one of the indices: as a size, which it
 * would come to be, it has nothing to do with them. */
static void
check_ends(ix_parser *p, const ix_colons_list *ranges, const ix_indices *in)
{
    for (int k = 0; k < in->box->rank; k++) {
        const ix_lin *ends[] = {in->box->ax[k].lo, in->box->ax[k].hi};
        for (int i = 0; i < ends[0]->n + ends[1]->n; i++) {
            const ix_lin *end = ends[i >= ends[0]->n];
            int at = end == ends[0] ? i : i - ends[0]->n;
            const char *size = ix_param_name(p->ctx, end->t[at].param);
            for (int j = 0; j < in->box->rank; j++)
                if (in->at[j].variable &&
                    !strcmp(size, ix_symbol_text(p->ctx, in->at[j].variable)))
                    ix_lex_fail(&p->reader, ILEX_E_UNKNOWN,
                                &ranges->item[k].where,
                                "%s is an index here, and the ends of a range "
                                "are made of sizes; a range that depends on an "
                                "index is one of a reduction",
                                size);
        }
    }
}

static void
read_ranges(ix_parser *p, const ix_colons_list *ranges, ix_indices *in)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (size_t k = 0; k < ranges->n; k++) {
        const ix_colons *r = &ranges->item[k];
        if (k == ILEX_MAX_RANK)
            ix_lex_fail(&p->reader, ILEX_E_RANK, &r->where,
                        "%zu axes; at most %d are supported", ranges->n,
                        ILEX_MAX_RANK);
        ix_colons range = range_of(p, r);
        check_length(p, r);
        read_index(p, r, (int)k, &in->at[k]);
        ax[k].name = in->at[k].name;
        ax[k].lo = range.n == 2 ? ix_parse_lin(p, range.part[0])
                                : ix_lin_const(p->ctx, 0);
        ax[k].hi = ix_parse_lin(p, range.part[range.n - 1]);
        for (size_t j = 0; j < k; j++)
            if (in->at[k].variable && in->at[j].variable == in->at[k].variable)
                ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &r->where,
                            "index %s appears twice",
                            ix_symbol_text(p->ctx, in->at[k].variable));
    }
    in->box = ix_domain_new(p->ctx, (int)ranges->n, ax);
    if (!in->box)
        ix_lex_abort(&p->reader);
    if (p->new_sizes)
        check_ends(p, ranges, in);
}

void
ix_parse_indices(ix_parser *p, const ix_type *type, ix_indices *in)
{
    if (!type->on.length) {
        read_ranges(p, &type->ranges, in);
        return;
    }
    in->box = ix_parse_type_domain(p, type);
    for (int k = 0; k < in->box->rank; k++) {
        int32_t name = in->box->ax[k].name;
        in->at[k] = (ix_index_axis){.variable = name, .name = name};
    }
}

int
ix_indices_find(const ilex_context *ctx, const ix_indices *in, const char *name)
{
    const char *variable[ILEX_MAX_RANK];
    size_t length = strlen(name);
    for (int k = 0; k < in->box->rank; k++)
        variable[k] = ix_symbol_text(ctx, in->at[k].variable);
    int k = ix_axis_find(in->box->rank, variable, name, length);
    return k < 0 ? ix_domain_axis(ctx, in->box, name, length) : k;
}

bool
ix_indices_same(const ilex_context *ctx, const ix_indices *a,
                const ix_indices *b)
{
    bool same = a->box->rank == b->box->rank;
    for (int k = 0; same && k < a->box->rank; k++) {
        int32_t own = a->at[k].variable, name = a->at[k].name;
        same = own == b->at[k].variable ||
               (own && ix_indices_find(ctx, b, ix_symbol_text(ctx, own)) == k);
        same = same && (!name || name == b->at[k].name);
    }
    return same;
}

/* ---- what is read at an index ---- */

/* Which index "x" is, with coefficient 1 or -1, but for sizes and a constant;
 * -1: none. */
static int
index_in(const ilex_array *x)
{
    int found = -1;
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++) {
        if (f.t[i].atom->kind == IX_SIZE)
            continue;
        if (f.t[i].atom->kind != IX_INDEX || found >= 0 ||
            (f.t[i].k != 1 && f.t[i].k != -1))
            return -1;
        found = (int)f.t[i].atom->attr[0];
    }
    return found;
}

void
ix_indices_read(ix_indices *in, const ilex_array *x, ilex_array *const *index)
{
    for (int k = 0; k < ix_rank(x); k++) {
        int32_t name = x->interior->ax[k].name;
        int i = name ? index_in(index[k]) : -1;
        if (i < 0 || !in->at[i].inherits)
            continue;
        ix_index_axis *at = &in->at[i];
        at->own |= name == at->variable;
        if (at->nread == 0 || (at->nread == 1 && at->read[0] != name))
            at->read[at->nread++] = name;
    }
}

/* ---- the names of the axes ---- */

/* "box" with the names of the axes, or of their indices. */
static const ix_domain *
rename_axes(ix_parser *p, const ix_indices *in, const ix_domain *box,
            bool indices)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < box->rank; k++) {
        ax[k] = box->ax[k];
        ax[k].name = indices ? in->at[k].variable : in->at[k].name;
    }
    const ix_domain *named = ix_domain_new(p->ctx, box->rank, ax);
    if (!named)
        ix_lex_abort(&p->reader);
    return named;
}

const ix_domain *
ix_indices_called(ix_parser *p, const ix_indices *in)
{
    return rename_axes(p, in, in->box, true);
}

/* The brackets with a name for each axis: those that are known, else what the
 * index is called. */
static const char *
propose(ix_parser *p, const ix_indices *in, const int32_t *name)
{
    ix_text t;
    ix_text_init(&t, &p->mem);
    for (int k = 0; k < in->box->rank; k++) {
        int32_t own = name[k], variable = in->at[k].variable;
        for (int j = 0; j < k; j++)
            own = own == name[j] ? 0 : own;
        ix_text_put(&t, k ? ", " : "[");
        if (own || variable)
            ix_text_put(&t, ix_symbol_text(p->ctx, own ? own : variable));
        else
            ix_text_format(&t, "a%d", k);
        if (variable && !strchr(ix_symbol_text(p->ctx, variable), '+'))
            ix_text_format(&t, "=%s:", ix_symbol_text(p->ctx, variable));
        else
            ix_text_format(&t, variable ? ":" : "=_%d:", k);
        ix_axis ax = {0, in->box->ax[k].lo, in->box->ax[k].hi};
        const ix_domain *range = ix_domain_new(p->ctx, 1, &ax);
        if (range)
            ix_domain_print(p->ctx, range, &t);
    }
    ix_text_char(&t, ']');
    const char *s = ix_text_string(&t);
    return s ? s : "";
}

/* Fails where the names are not those of one array's axes. */
static void
check_names(ix_parser *p, const ix_word *where, const ix_indices *in,
            const int32_t *name)
{
    int named = -1, unnamed = -1;
    for (int k = 0; k < in->box->rank; k++) {
        for (int j = 0; j < k && name[k]; j++)
            if (name[j] == name[k])
                ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, where,
                            "axis %s appears twice: axes are called as those "
                            "that are read at their indices; name them: %s",
                            ix_symbol_text(p->ctx, name[k]),
                            propose(p, in, name));
        named = name[k] ? k : named;
        unnamed = name[k] ? unnamed : k;
    }
    if (named >= 0 && unnamed >= 0)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, where,
                    "axis %d is called %s, as what is read at its index, axis "
                    "%d has no name; name all of them: %s",
                    named, ix_symbol_text(p->ctx, name[named]), unnamed,
                    propose(p, in, name));
    if (unnamed >= 0 && !ix_lin_is(in->box->ax[unnamed].lo, 0))
        ix_lex_fail(&p->reader, ILEX_E_SHAPE, where,
                    "axis %d starts at %s and has no name, as nothing named is "
                    "read at its index; unnamed axes start at 0; name it: %s",
                    unnamed, ix_lin_show(p->ctx, in->box->ax[unnamed].lo).s,
                    propose(p, in, name));
}

static int32_t
name_of(const ix_index_axis *at)
{
    return at->own ? at->variable : at->nread == 1 ? at->read[0] : at->name;
}

/* Fails because axis "k" could be called in two ways. */
_Noreturn static void
ambiguous(ix_parser *p, const ix_word *where, const ix_indices *in, int k,
          int32_t *name)
{
    const ix_index_axis *at = &in->at[k];
    name[k] = at->read[0];
    for (int j = k + 1; j < in->box->rank; j++)
        name[j] = name_of(&in->at[j]);
    ix_lex_fail(&p->reader, ILEX_E_EINSUM, where,
                "axes %s and %s are read at index %s, and its axis could be "
                "called either; name it: %s",
                ix_symbol_text(p->ctx, at->read[0]),
                ix_symbol_text(p->ctx, at->read[1]),
                ix_symbol_text(p->ctx, at->variable), propose(p, in, name));
}

void
ix_indices_settle(ix_parser *p, const ix_word *where, ix_indices *in)
{
    int32_t name[ILEX_MAX_RANK];
    for (int k = 0; k < in->box->rank; k++) {
        if (in->at[k].nread > 1 && !in->at[k].own)
            ambiguous(p, where, in, k, name);
        name[k] = name_of(&in->at[k]);
    }
    check_names(p, where, in, name);
    for (int k = 0; k < in->box->rank; k++) {
        in->at[k].name = name[k];
        in->at[k].inherits = false;
    }
    in->box = rename_axes(p, in, in->box, false);
}

void
ix_indices_call(ilex_context *ctx, const ix_indices *in, int32_t *called)
{
    memset(called, 0, ILEX_MAX_RANK * sizeof *called);
    for (int k = 0; k < in->box->rank; k++)
        called[k] = in->at[k].variable;
    ctx->called = called;
}

ilex_array *
ix_indices_lambda(ix_parser *p, const ix_indices *in, const ix_domain *valid,
                  const char *what, ilex_array *body, const ix_lambda_env *env)
{
    ilex_context *ctx = p->ctx;
    int32_t called[ILEX_MAX_RANK];
    if (valid)
        valid = rename_axes(p, in, valid, false);
    ix_indices_call(ctx, in, called);
    ilex_array *y = valid
                        ? ix_build_wide_lambda(ctx, what, in->box, valid, body,
                                               env->noperands, env->operand)
                        : ix_build_lambda(ctx, what, in->box, body,
                                          env->noperands, env->operand);
    ctx->called = NULL;
    return ix_parser_array(p, y);
}
