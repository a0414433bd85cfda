/* SPDX-License-Identifier: MIT
 *
 * Meaning of calls of functions of whole arrays: name(operands; attributes),
 * with the signatures of nodes.def and functions.def.
 */
#include "lib/build/items.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/suggest.h"

#include <stdio.h>

/* A call under reading. */
typedef struct reading {
    ix_parser *p;
    const ix_syntax *x;
    const ix_signature *signature;
    const ilex_array *first; /* operand, NULL if there is none */
} reading;

/* ---- values ---- */

/* An axis of the first operand, by its name or its number; whether there is
 * such a number is the constructor's question. */
static int64_t
axis_of(const reading *r, const ix_syntax *value)
{
    if (value->kind == IX_SYNTAX_INT || value->kind == IX_SYNTAX_PREFIX)
        return ix_parse_int(r->p, value);
    return r->first ? ix_parse_axis_of(r->p, r->first, value)
                    : ix_parse_axis_in(r->p, NULL, value);
}

/* A word: C, wrap. */
static void
read_word(const reading *r, const ix_syntax *value, ix_given *given)
{
    if (value->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&r->p->reader, ILEX_E_SYNTAX, &value->word,
                    "expected a word here");
    given->word = value->word.text;
    given->length = (size_t)value->word.length;
}

static void
read_value(const reading *r, ix_attribute_type type, const ix_syntax *value,
           ix_given *given, int k)
{
    ix_parser *p = r->p;
    switch (type) {
    case IX_ATTRIBUTE_AXIS:
    case IX_ATTRIBUTE_SET:
        given->number[k] = axis_of(r, value);
        break;
    case IX_ATTRIBUTE_AXES:
    case IX_ATTRIBUTE_INTS:
    case IX_ATTRIBUTE_PLACES:
    case IX_ATTRIBUTE_PAIRS:
    case IX_ATTRIBUTE_INT:
        given->number[k] = ix_parse_int(p, value);
        break;
    case IX_ATTRIBUTE_LIN:
    case IX_ATTRIBUTE_LINS:
    case IX_ATTRIBUTE_SHAPE:
        given->form[k] = ix_parse_lin(p, value);
        break;
    case IX_ATTRIBUTE_VALUE:
        given->value = ix_parse_expr(p, value);
        break;
    case IX_ATTRIBUTE_WORD:
        read_word(r, value, given);
        break;
    case IX_ATTRIBUTE_DTYPE:
        given->number[k] = ix_parse_dtype(p, &value->word);
        break;
    }
}

/* ---- attributes ---- */

static bool
is_list(ix_attribute_type type)
{
    return ix_attribute_per_axis(type) || type == IX_ATTRIBUTE_SET ||
           type == IX_ATTRIBUTE_PLACES || type == IX_ATTRIBUTE_SHAPE;
}

/* Is it what a value without a name gives: the word, or the value where there
 * is none? */
static bool
stands_alone(const ix_signature *s, const ix_attribute_info *info)
{
    bool word = false;
    for (int k = 0; k < s->nattributes; k++)
        word |= s->attribute[k].type == IX_ATTRIBUTE_WORD;
    return info->type == (word ? IX_ATTRIBUTE_WORD : IX_ATTRIBUTE_VALUE);
}

/* Does "a" give the attribute "info" of the function? */
static bool
gives(const ix_signature *s, const ix_attribute *a,
      const ix_attribute_info *info)
{
    return a->name.length ? ix_word_is(&a->name, info->name)
                          : stands_alone(s, info);
}

static const ix_word *
place_of(const ix_attribute *a)
{
    return a->name.length ? &a->name : &a->value[0]->word;
}

/* How many values the attribute is to have: one, one for each axis, any number
 * (then those that are there). */
static int
check_count(const reading *r, const ix_attribute_info *info,
            const ix_attribute *a)
{
    ix_reader *reader = &r->p->reader;
    if (!is_list(info->type) && (!a->bare || a->n != 1))
        ix_lex_fail(reader, ILEX_E_RANK, place_of(a),
                    "%s lists %zu values; it is one", info->name, a->n);
    if (!ix_attribute_per_axis(info->type)) {
        if (a->n > ILEX_MAX_RANK)
            ix_lex_fail(reader, ILEX_E_RANK, place_of(a),
                        "%s lists %zu values; at most %d are supported",
                        info->name, a->n, ILEX_MAX_RANK);
        return (int)a->n;
    }
    int d = r->first ? ix_rank(r->first) : 0;
    bool same = a->bare && info->type != IX_ATTRIBUTE_AXES;
    if (!same && a->n != (size_t)d)
        ix_lex_fail(reader, ILEX_E_RANK, place_of(a),
                    "%s lists %zu values; the operand has %d axes", info->name,
                    a->n, d);
    return d;
}

void
ix_parse_pairs(ix_parser *p, const ix_attribute *a, ix_given *given)
{
    ix_syntax *const *side = a->value;
    bool lists = a->n == 2 && side[0]->kind == IX_SYNTAX_LIST &&
                 side[1]->kind == IX_SYNTAX_LIST;
    size_t n = lists ? side[0]->nparts : a->n;
    if (lists ? n != side[1]->nparts || n > ILEX_MAX_RANK : n > 2)
        ix_lex_fail(&p->reader, ILEX_E_RANK, place_of(a),
                    "axes is their number, axes=2, one axis of each operand, "
                    "axes=[1, 0], or two lists of equally many, "
                    "axes=[[0, 1], [1, 0]]");
    given->n = (int)(lists ? 2 * n : n);
    for (size_t k = 0; k < n; k++) {
        given->number[k] =
            ix_parse_int(p, lists ? side[0]->part[k] : a->value[k]);
        if (lists)
            given->number[n + k] = ix_parse_int(p, side[1]->part[k]);
    }
}

/* Reads the attribute "info" if the call has it; one value without brackets is
 * that of every axis. */
static void
read_attribute(const reading *r, const ix_attribute_info *info, ix_given *given)
{
    const ix_attributes *list = &r->x->attributes;
    const ix_attribute *a = NULL;
    for (size_t i = 0; i < list->n; i++)
        a = gives(r->signature, &list->item[i], info) ? &list->item[i] : a;
    if (!a && !info->optional)
        ix_lex_fail(&r->p->reader, ILEX_E_SYNTAX, &r->x->word,
                    "the attribute %s is missing; write %s", info->name,
                    ix_signature_example(r->p, r->signature));
    given->present = a != NULL;
    if (!a)
        return;
    if (info->type == IX_ATTRIBUTE_PAIRS) {
        ix_parse_pairs(r->p, a, given);
        return;
    }
    given->n = check_count(r, info, a);
    for (int k = 0; k < given->n; k++)
        read_value(r, info->type, a->value[a->bare ? 0 : k], given, k);
}

/* Every attribute is one of the function, once. */
static void
check_attributes(const reading *r)
{
    const ix_signature *s = r->signature;
    const ix_attributes *list = &r->x->attributes;
    for (size_t i = 0; i < list->n; i++) {
        const ix_attribute *a = &list->item[i];
        int k = 0;
        while (k < s->nattributes && !gives(s, a, &s->attribute[k]))
            k++;
        bool known = k < s->nattributes, twice = false;
        for (size_t j = 0; known && j < i; j++)
            twice |= gives(s, &list->item[j], &s->attribute[k]);
        const ix_word *w = place_of(a);
        if (twice)
            ix_lex_fail(&r->p->reader, ILEX_E_SYNTAX, w,
                        "the attribute %s is given twice",
                        s->attribute[k].name);
        if (!known)
            ix_lex_fail(&r->p->reader, ILEX_E_SYNTAX, w,
                        "the attribute %.*s does not belong here; write %s",
                        (int)w->length, w->text, ix_signature_example(r->p, s));
    }
}

void
ix_signature_write(const ix_signature *s, ix_text *t)
{
    static const char *const values[] = {
        [IX_ATTRIBUTE_AXIS] = "0",    [IX_ATTRIBUTE_AXES] = "[1, 0]",
        [IX_ATTRIBUTE_INTS] = "[2]",  [IX_ATTRIBUTE_LIN] = "1",
        [IX_ATTRIBUTE_LINS] = "[n]",  [IX_ATTRIBUTE_SET] = "0",
        [IX_ATTRIBUTE_PLACES] = "0",  [IX_ATTRIBUTE_PAIRS] = "[1, 0]",
        [IX_ATTRIBUTE_INT] = "1",     [IX_ATTRIBUTE_SHAPE] = "[n, 3]",
        [IX_ATTRIBUTE_VALUE] = "0.0", [IX_ATTRIBUTE_WORD] = "wrap",
        [IX_ATTRIBUTE_DTYPE] = "f64"};
    static const char *const operands[] = {"", "x", "x, y", "x, y, z",
                                           "x, y, z, w"};
    ix_text_format(t, "%s(", s->text);
    bool bounds = s->most == 0 && s->nattributes > 0;
    bool shape = bounds && !strcmp(s->attribute[0].name, "shape");
    ix_text_put(t, shape ? "n, 3" : bounds ? "n" : operands[s->least]);
    for (int i = bounds; i < s->nattributes; i++)
        ix_text_format(t, "%s%s=%s", i > bounds ? ", " : "; ",
                       s->attribute[i].name, values[s->attribute[i].type]);
    ix_text_char(t, ')');
}

const char *
ix_signature_example(ix_parser *p, const ix_signature *s)
{
    ix_mem mem = ix_arena_mem(&p->reader.arena);
    ix_text t;
    ix_text_init(&t, &mem);
    ix_signature_write(s, &t);
    const char *text = ix_text_string(&t);
    return text ? text : s->text;
}

/* ---- operands ---- */

/* update(x[i], v) stands for update(x, x[i], v). */
static bool
is_short(const reading *r)
{
    return ix_is_update(r->signature) && r->x->nparts == 2 &&
           r->x->part[0]->kind == IX_SYNTAX_INDEX;
}

static void
check_operands(const reading *r)
{
    const ix_signature *s = r->signature;
    if (is_short(r))
        return;
    size_t n = r->x->nparts;
    if (s->most == 0 || (n >= (size_t)s->least && n <= (size_t)s->most))
        return;
    int want = n < (size_t)s->least ? s->least : s->most;
    const char *bound = s->least == s->most    ? ""
                        : n < (size_t)s->least ? "at least "
                                               : "at most ";
    ix_lex_fail(&r->p->reader, ILEX_E_SYNTAX, &r->x->word,
                want == 1 ? "%s has %s%d operand, not %zu"
                          : "%s has %s%d operands, not %zu",
                s->text, bound, want, n);
}

/* Reads "n" operands; how many more there are: the array whose elements an
 * update's first operand reads, by its last subscript. */
static int
read_operands(const reading *r, ilex_array **operand, int n)
{
    ix_syntax *const *part = r->x->part;
    int more = is_short(r);
    if (more) {
        operand[0] = ix_parse_subscripted(r->p, part[0]);
        operand[1] = ix_parse_subscript(r->p, part[0], operand[0]);
        if (!ix_is_place(operand[0], operand[1]))
            ix_parse_refuse_new_axes(r->p, r->x);
    }
    for (int i = more; i < n; i++)
        operand[i + more] = ix_parse_expr(r->p, part[i]);
    return more;
}

/* A function without operands has its first attribute in their place. */
static void
read_bounds(const reading *r, ix_given *given)
{
    const ix_syntax *x = r->x;
    if (x->nparts > ILEX_MAX_RANK)
        ix_lex_fail(&r->p->reader, ILEX_E_RANK, &x->word,
                    "%s: %zu axes; at most %d are supported",
                    r->signature->text, x->nparts, ILEX_MAX_RANK);
    given->present = true;
    given->n = (int)x->nparts;
    for (int k = 0; k < given->n; k++)
        given->form[k] = ix_parse_lin(r->p, x->part[k]);
}

/* remap(u, c) takes from c's declaration what is not said. */
static void
read_connectivity(const reading *r, ix_given *given)
{
    ix_parser *p = r->p;
    const ix_word *w = &r->x->part[1]->word;
    ix_name *name = r->x->part[1]->kind == IX_SYNTAX_NAME
                        ? ix_parser_find(p, w, IX_NAME_ARRAY)
                        : NULL;
    if (!name || !name->target)
        return;
    ix_given *to = &given[0], *skip = &given[1];
    if (!to->present && ix_rank(r->first) > 0) {
        const ix_domain *dom = r->first->interior;
        const char *axis = ix_symbol_text(p->ctx, name->target);
        to->number[0] = ix_domain_axis(p->ctx, dom, axis, strlen(axis));
        if (to->number[0] < 0)
            ix_lex_fail(&p->reader, ILEX_E_AXIS, w,
                        "%.*s leads to the axis %s; the axes of the field are "
                        "[%s]",
                        (int)w->length, w->text, axis,
                        ix_domain_show(p->ctx, dom).s);
        to->present = true;
        to->n = 1;
    }
    if (!skip->present && name->skip) {
        skip->form[0] = ix_parse_lin(p, name->skip);
        skip->present = true;
        skip->n = 1;
    }
}

void
ix_parse_outside_map(ix_parser *p, const ix_word *word)
{
    if (p->lambda)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, word,
                    "%.*s makes a whole array; give it a name with let before "
                    "the map, and read that at an index",
                    (int)word->length, word->text);
}

ilex_array *
ix_parse_call(ix_parser *p, const ix_syntax *x, const ix_signature *s)
{
    reading r = {.p = p, .x = x, .signature = s};
    ix_parse_outside_map(p, &x->word);
    bool bounds = s->most == 0 && s->nattributes > 0;
    int n = bounds ? 0 : (int)x->nparts;
    check_operands(&r);
    check_attributes(&r);
    ilex_array **operand =
        ix_arena_new(&p->reader.arena, ((size_t)n + 3) * sizeof *operand);
    n += read_operands(&r, operand, n);
    r.first = n ? operand[0] : NULL;
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    if (bounds)
        read_bounds(&r, &given[0]);
    for (int i = bounds; i < s->nattributes; i++)
        read_attribute(&r, &s->attribute[i], &given[i]);
    if (s == &ix_signatures[IX_SIGNATURE_remap])
        read_connectivity(&r, given);
    ix_parser_at(p, &x->word);
    ilex_array *y =
        ix_parser_array(p, ix_build_call(p->ctx, s, operand, n, given));
    return n ? ix_parser_depth(p, &x->word, n, operand, y) : y;
}

/* ---- the statement node ---- */

/* Fails: shows the function that is meant, or every one with an example of its
 * attributes. */
_Noreturn static void
unknown_kind(ix_parser *p, const ix_word *w)
{
    ix_mem mem = ix_arena_mem(&p->reader.arena);
    ix_text t;
    ix_suggestion near = ix_suggest_word(w);
    ix_text_init(&t, &mem);
    ix_text_put(&t, "; there are");
    for (int i = 0; i < IX_NSIGNATURES; i++) {
        const ix_signature *s = &ix_signatures[i];
        if (!s->build)
            continue;
        ix_text_format(&t, " %s", ix_signature_example(p, s));
        ix_suggest_name(&near, s->text, strlen(s->text));
    }
    const char *text = ix_text_string(&t);
    ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, w, "there is no node '%.*s'%s",
                w->length < 40 ? (int)w->length : 40, w->text,
                near.best ? ix_suggestion_show(&near).s
                : text    ? text
                          : "");
}

ilex_array *
ix_parse_node(ix_parser *p, const ix_statement *s)
{
    const ix_word *w = &s->expr->word;
    ix_parser_later(p, w);
    const ix_signature *signature =
        ix_signature_find(w->text, (size_t)w->length);
    if (!signature)
        unknown_kind(p, w);
    return ix_parse_call(p, s->expr, signature);
}
