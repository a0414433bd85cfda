/* SPDX-License-Identifier: MIT
 *
 * The statement `scan`: results that name themselves. Each is read with a SELF
 * under its name. A result without a type is read until its dtype is known:
 * first its own reads are like literals, which take the dtype of what they
 * meet, then they have the dtype that came out.
 */
#include "lib/build/scan.h"
#include "lib/syntax/parse.h"

#include <stdio.h>

enum { ROUNDS = 5 };

/* The scan that is read. */
typedef struct scan {
    ix_parser *p;
    const ix_statement *s;
    const ix_domain *dom;
    ix_indices indices;          /* of the results with brackets */
    const ix_statement *bracket; /* the first of them; NULL: none */
    int count;
    const ix_statement **result;
    ilex_array **self, **value;
} scan;

static int32_t
symbol_of(scan *c, const ix_word *word)
{
    int32_t symbol = ix_symbol_of(c->p->ctx, word->text, (size_t)word->length);
    if (symbol < 0)
        ix_lex_abort(&c->p->reader);
    return symbol;
}

/* Result "i" has a dtype, declared or found out. */
static ilex_array *
new_self(scan *c, int i, ilex_dtype dtype, bool untyped)
{
    const ix_word *name = &c->result[i]->name;
    ix_parser_at(c->p, name);
    return ix_parser_array(c->p, ix_build_self(c->p->ctx, symbol_of(c, name),
                                               dtype, untyped, c->dom));
}

/* What the name of result "i" stands for from now on. */
static void
rename_result(scan *c, int i, ilex_array *array)
{
    const ix_word *w = &c->result[i]->name;
    ix_parser_find(c->p, w, IX_NAME_ARRAY)->array = array;
}

/* What the brackets of a result say is what those of others do. */
static void
open_brackets(scan *c, const ix_statement *r)
{
    ix_indices in;
    ix_parse_indices(c->p, &r->type, &in);
    if (!c->bracket) {
        c->indices = in;
        c->bracket = r;
    }
    if (!ix_indices_same(c->p->ctx, &in, &c->indices) ||
        in.box != c->indices.box)
        ix_lex_fail(&c->p->reader, ILEX_E_SHAPE, &r->name,
                    "the results of a scan have one domain; [%s] is not [%s], "
                    "or has other indices",
                    ix_domain_show(c->p->ctx, in.box).s,
                    ix_domain_show(c->p->ctx, c->indices.box).s);
}

static bool
has_dtype(const ix_statement *r)
{
    return r->type.dtype.length > 0;
}

/* What result "i" is called by: a SELF of the dtype that is declared, if one
 * is. */
static void
open_result(scan *c, int i)
{
    const ix_statement *r = c->result[i];
    ilex_dtype dtype =
        has_dtype(r) ? ix_parse_dtype(c->p, &r->type.dtype) : ILEX_I64;
    c->self[i] = new_self(c, i, dtype, !has_dtype(r));
    rename_result(c, i, c->self[i]);
}

/* The names of the axes, from what results with brackets read but themselves:
 * before that they stand for arrays without names. */
static void
name_axes(scan *c)
{
    for (int i = 0; i < c->count; i++)
        open_result(c, i);
    for (int i = 0; i < c->count; i++)
        if (c->result[i]->absolute)
            ix_parse_reads(c->p, &c->indices, c->result[i]->expr);
    ix_indices_settle(c->p, &c->bracket->name, &c->indices);
    c->dom = c->indices.box;
}

static void
open_results(scan *c)
{
    ix_parser *p = c->p;
    for (int i = 0; i < c->count; i++) {
        const ix_statement *r = c->result[i];
        ix_parser_check_name(p, "array", &r->name);
        if (r->absolute)
            open_brackets(c, r);
        ix_parser_define(p, &r->name, NULL);
    }
    if (c->bracket) {
        c->dom = c->indices.box;
        name_axes(c);
    }
    for (int i = 0; i < c->count; i++) {
        const ix_statement *r = c->result[i];
        const ix_domain *dom =
            r->absolute ? c->dom : ix_parse_type_domain(p, &r->type);
        c->dom = c->dom ? c->dom : dom;
        if (dom != c->dom)
            ix_lex_fail(&p->reader, ILEX_E_SHAPE, &r->name,
                        "the results of a scan have one domain; [%s] is not "
                        "[%s]",
                        ix_domain_show(p->ctx, dom).s,
                        ix_domain_show(p->ctx, c->dom).s);
        open_result(c, i);
    }
}

static ilex_array *
value_of(scan *c, int i)
{
    const ix_statement *r = c->result[i];
    ilex_dtype dtype = (ilex_dtype)c->self[i]->dtype;
    if (!r->absolute)
        return ix_parse_typed_value(c->p, r);
    return ix_parse_body(
        c->p, ix_symbol_text(c->p->ctx, symbol_of(c, &r->name)), &c->indices,
        r->type.dtype.length ? &dtype : NULL, r->expr);
}

/* Reads the values; true if the dtype of a result became another one. */
static bool
read_values(scan *c)
{
    bool changed = false;
    for (int i = 0; i < c->count; i++)
        c->value[i] = value_of(c, i);
    for (int i = 0; i < c->count; i++) {
        ilex_dtype dtype = (ilex_dtype)c->value[i]->dtype;
        bool typed = has_dtype(c->result[i]);
        bool same = c->self[i]->dtype == dtype && !ix_is_untyped(c->self[i]);
        if (typed || same)
            continue;
        c->self[i] = new_self(c, i, dtype, false);
        rename_result(c, i, c->self[i]);
        changed = true;
    }
    return changed;
}

/* The axis that is called "text" by its number, as those without names are;
 * -1: none. */
static int
numbered_axis(const scan *c, const char *text)
{
    char number[16];
    for (int k = 0; k < c->dom->rank; k++) {
        snprintf(number, sizeof number, "_%d", k);
        if (!c->dom->ax[k].name && !strcmp(text, number))
            return k;
    }
    return -1;
}

static int
axis_of(scan *c)
{
    const ilex_context *ctx = c->p->ctx;
    const char *text = ix_parse_shown(c->p, c->s->axis);
    int k = numbered_axis(c, text);
    if (k < 0)
        k = c->bracket ? ix_indices_find(ctx, &c->indices, text)
                       : ix_domain_axis(ctx, c->dom, text, strlen(text));
    if (k >= 0)
        return k;
    const ix_domain *called =
        c->bracket ? ix_indices_called(c->p, &c->indices) : c->dom;
    ix_lex_fail(&c->p->reader, ILEX_E_AXIS, &c->s->axis->word,
                "[%s] has no axis %s; without names axes are _0, _1, ...%s",
                ix_domain_show(c->p->ctx, called).s, text,
                ix_domain_suggest(c->p->ctx, called, text, strlen(text)).s);
}

static bool
is_backward(scan *c)
{
    const ix_word *w = &c->s->option;
    if (!ix_word_is(w, "forward") && !ix_word_is(w, "backward"))
        ix_lex_fail(&c->p->reader, ILEX_E_SYNTAX, w,
                    "a scan runs forward or backward along its axis, not "
                    "'%.*s'",
                    (int)w->length, w->text);
    return ix_word_is(w, "backward");
}

static ix_combining
chunks_of(scan *c)
{
    const ix_word *w = &c->s->chunks;
    if (!w->length)
        return IX_COMBINE_NOT;
    if (!ix_word_is(w, "sum") && !ix_word_is(w, "prod"))
        ix_lex_fail(&c->p->reader, ILEX_E_SYNTAX, w,
                    "chunks of a scan are combined by sum or prod, not '%.*s'",
                    (int)w->length, w->text);
    return ix_word_is(w, "sum") ? IX_COMBINE_SUM : IX_COMBINE_PROD;
}

static void
define_results(scan *c, ilex_array *tuple)
{
    for (int i = 0; i < c->count; i++) {
        ilex_array *x = ix_parser_array(c->p, ix_build_result(tuple, i));
        rename_result(c, i, x);
        ix_parse_tags(c->p, c->s, x);
        if (!c->p->call &&
            ix_module_label(c->p->module, symbol_of(c, &c->result[i]->name),
                            x) != ILEX_OK)
            ix_lex_abort(&c->p->reader);
    }
}

void
ix_parse_scan(ix_parser *p, const ix_statement *s)
{
    scan c = {.p = p, .s = s};
    for (const ix_statement *r = s; r; r = r->more)
        c.count++;
    size_t n = (size_t)c.count;
    c.result = ix_arena_new(&p->reader.arena, n * sizeof *c.result);
    c.self = ix_arena_new(&p->reader.arena, n * sizeof(ilex_array *));
    c.value = ix_arena_new(&p->reader.arena, n * sizeof(ilex_array *));
    n = 0;
    for (const ix_statement *r = s; r; r = r->more)
        c.result[n++] = r;
    bool backward = is_backward(&c);
    open_results(&c);
    int axis = axis_of(&c);
    for (int round = 0; read_values(&c); round++)
        if (round == ROUNDS)
            ix_lex_fail(&p->reader, ILEX_E_DTYPE, &s->name,
                        "the dtypes of this scan do not settle; convert what "
                        "it computes, for example f64(...)");
    ix_parser_at(p, &s->keyword);
    ix_scan_spec spec = {axis,   backward, c.count,
                         c.self, c.value,  chunks_of(&c)};
    int32_t called[ILEX_MAX_RANK];
    if (c.bracket)
        ix_indices_call(p->ctx, &c.indices, called);
    ilex_array *tuple = ix_build_scan(p->ctx, &spec);
    p->ctx->called = NULL;
    define_results(&c, ix_parser_array(p, tuple));
}
