/* SPDX-License-Identifier: MIT
 *
 * Meaning of the structural statements: einsum, reshape, node.
 */
#include "lib/syntax/parse.h"

#include <stdio.h>

/* The array that "word" names. */
static ilex_array *
operand(ix_parser *p, const ix_word *word)
{
    ix_name *name = ix_parser_find(p, word->text, (size_t)word->length, false);
    if (!name)
        ix_parser_unknown(p, word, "array");
    return name->array;
}

/* ---- einsum ---- */

/* Letters are labels 0 to 51, other names get the next numbers; "_53" is a
 * number. */
enum { FIRST_NAMED = 52, LAST_LABEL = 63 };

typedef struct label_names {
    int n;
    ix_word name[LAST_LABEL + 1];
} label_names;

static int
letter(const ix_word *w)
{
    char c = w->text[0];
    if (w->length != 1)
        return -1;
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* "_53" as 53, else -1. */
static int
numbered_label(const ix_word *w)
{
    if (w->length < 2 || w->length > 3 || w->text[0] != '_')
        return -1;
    int v = 0;
    for (int i = 1; i < w->length; i++) {
        if (w->text[i] < '0' || w->text[i] > '9')
            return -1;
        v = 10 * v + w->text[i] - '0';
    }
    return v <= LAST_LABEL ? v : -1;
}

static int
label_of(ix_parser *p, label_names *all, const ix_colons *r)
{
    const ix_word *w = &r->part[0]->word;
    if (r->n != 1 || r->part[0]->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "the axes of an einsum are labels, for example "
                    "einsum C[i, j] = A[i, k]*B[k, j]");
    int label = letter(w);
    label = label < 0 ? numbered_label(w) : label;
    for (int i = 0; label < 0 && i < all->n; i++)
        if (all->name[i].length == w->length &&
            !memcmp(all->name[i].text, w->text, (size_t)w->length))
            label = FIRST_NAMED + i;
    if (label >= 0)
        return label;
    if (all->n > LAST_LABEL - FIRST_NAMED)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, w,
                    "an einsum has at most %d labels of more than one letter",
                    LAST_LABEL - FIRST_NAMED + 1);
    all->name[all->n] = *w;
    return FIRST_NAMED + all->n++;
}

static void
read_labels(ix_parser *p, label_names *all, const ix_word *where,
            const ix_colons_list *ranges, ix_labels *labels)
{
    if (ranges->n > ILEX_MAX_RANK)
        ix_lex_fail(&p->reader, ILEX_E_RANK, where,
                    "%zu axes; at most %d are supported", ranges->n,
                    ILEX_MAX_RANK);
    labels->n = (int)ranges->n;
    for (size_t k = 0; k < ranges->n; k++)
        labels->label[k] = label_of(p, all, &ranges->item[k]);
}

/* An einsum under reading. */
typedef struct product {
    label_names all;
    int n;
    ix_labels labels[ILEX_MAX_RANK];
    ilex_array *operand[ILEX_MAX_RANK];
    ix_einsum_path path; /* by the parentheses; used if there are any */
    bool grouped;
} product;

static void
read_operand(ix_parser *p, product *e, const ix_syntax *x)
{
    static const ix_colons_list none;
    if (x->kind != IX_SYNTAX_INDEX && x->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "an einsum is a product of arrays with labels, for "
                    "example A[i, k]*B[k, j]");
    if (e->n == ILEX_MAX_RANK)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, &x->word,
                    "an einsum has at most %d operands", ILEX_MAX_RANK);
    read_labels(p, &e->all, &x->word,
                x->kind == IX_SYNTAX_INDEX ? x->ranges : &none,
                &e->labels[e->n]);
    e->operand[e->n] = operand(p, &x->word);
    e->path.step[e->path.n++] = e->n++;
}

/* Factors are multiplied from left to right, those in parentheses first. */
static void
read_product(ix_parser *p, product *e, const ix_syntax *x, bool inside)
{
    if (x->kind == IX_SYNTAX_PAREN) {
        read_product(p, e, x->part[0], true);
        return;
    }
    if (x->kind != IX_SYNTAX_CHAIN) {
        read_operand(p, e, x);
        return;
    }
    e->grouped |= inside;
    read_product(p, e, x->part[0], false);
    for (size_t i = 0; i < x->nlinks; i++) {
        const ix_link *link = &x->link[i];
        if (link->op != IX_OP_MULTIPLY)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &link->word,
                        "an einsum is a product: join its operands by '*'");
        read_product(p, e, link->operand, false);
        e->path.step[e->path.n++] = IX_MULTIPLY;
    }
}

ilex_array *
ix_parse_einsum(ix_parser *p, const ix_statement *s)
{
    product e = {.n = 0};
    ix_labels result;
    read_labels(p, &e.all, &s->name, &s->type.ranges, &result);
    read_product(p, &e, s->expr, false);
    ilex_dtype acc = ILEX_F64;
    if (s->option.length)
        acc = ix_parse_dtype(p, &s->option);
    ix_parser_at(p, &s->name);
    return ix_build_einsum(p->ctx, &result, e.n, e.labels, e.operand,
                           s->option.length ? &acc : NULL,
                           e.grouped ? &e.path : NULL);
}

/* ---- reshape ---- */

ilex_array *
ix_parse_reshape(ix_parser *p, const ix_statement *s)
{
    bool fortran = s->option.length && ix_word_is(&s->option, "F");
    if (s->option.length && !fortran && !ix_word_is(&s->option, "C"))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->option,
                    "the order of elements is C or F");
    ilex_array *x = operand(p, &s->words[0]);
    const ix_domain *dom = ix_parse_domain(p, &s->type.ranges);
    ix_parser_at(p, &s->name);
    return ix_build_reshape(p->ctx, x, dom, fortran);
}

/* ---- node: the kinds of that form ---- */

/* An axis of "x", by its name or its number; whether there is such a number
 * is the constructor's question. */
static int64_t
axis_of(ix_parser *p, const ilex_array *x, const ix_syntax *value)
{
    if (value->kind == IX_SYNTAX_INT || value->kind == IX_SYNTAX_PREFIX)
        return ix_parse_int(p, value);
    int32_t name = ix_parse_axis(p, value);
    int k = ix_rank(x) ? ix_domain_find(x->interior, name) : -1;
    if (k < 0)
        ix_lex_fail(&p->reader, ILEX_E_AXIS, &value->word,
                    "there is no axis %s in [%s]", ix_symbol_text(p->ctx, name),
                    ix_rank(x) ? ix_domain_show(p->ctx, x->interior).s : "");
    return k;
}

static void
read_value(ix_parser *p, const ilex_array *x, ix_attribute_type type,
           const ix_syntax *value, ix_given *given, int k)
{
    switch (type) {
    case IX_ATTRIBUTE_AXIS:
        given->number[k] = axis_of(p, x, value);
        break;
    case IX_ATTRIBUTE_AXES:
    case IX_ATTRIBUTE_INTS:
        given->number[k] = ix_parse_int(p, value);
        break;
    case IX_ATTRIBUTE_LIN:
    case IX_ATTRIBUTE_LINS:
        given->form[k] = ix_parse_lin(p, value);
    }
}

/* Reads the attribute "info" of a node over "x", if the statement has it. */
static void
read_attribute(ix_parser *p, const ix_statement *s, const ilex_array *x,
               const ix_attribute_info *info, ix_given *given)
{
    bool one =
        info->type == IX_ATTRIBUTE_AXIS || info->type == IX_ATTRIBUTE_LIN;
    int n = ix_attribute_count(info->type, x);
    const ix_attribute *a = NULL;
    for (size_t i = 0; i < s->nattributes && !a; i++)
        if (ix_word_is(&s->attribute[i].name, info->name))
            a = &s->attribute[i];
    if (!a && !info->optional)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->option,
                    "the attribute %s=%s is missing", info->name,
                    one ? "..." : "[...]");
    if (a && a->n != (size_t)n && one)
        ix_lex_fail(&p->reader, ILEX_E_RANK, &a->name,
                    "%s lists %zu values; it is one", info->name, a->n);
    if (a && a->n != (size_t)n)
        ix_lex_fail(&p->reader, ILEX_E_RANK, &a->name,
                    "%s lists %zu values; the operand has %d axes", info->name,
                    a->n, n);
    given->present = a != NULL;
    for (int k = 0; a && k < n; k++)
        read_value(p, x, info->type, a->value[k], given, k);
}

/* Every attribute is one of the kind, once. */
static void
check_attributes(ix_parser *p, const ix_statement *s, const ix_kind_info *info)
{
    for (size_t i = 0; i < s->nattributes; i++) {
        const ix_word *w = &s->attribute[i].name;
        int k = 0;
        while (k < info->nattributes && !ix_word_is(w, info->attribute[k].name))
            k++;
        bool known = k < info->nattributes, twice = false;
        for (size_t j = 0; known && j < i; j++)
            twice |= ix_word_is(&s->attribute[j].name, info->attribute[k].name);
        if (!known || twice)
            ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                        "the attribute %.*s %s here; the first one is %s",
                        (int)w->length, w->text,
                        twice ? "is given twice" : "does not belong",
                        info->attribute[0].name);
    }
}

static void
check_operands(ix_parser *p, const ix_statement *s, const ix_kind_info *info)
{
    size_t n = s->nwords;
    if (n >= (size_t)info->least && n <= (size_t)info->most)
        return;
    int want = n < (size_t)info->least ? info->least : info->most;
    const char *bound = info->least == info->most ? ""
                        : n < (size_t)info->least ? "at least "
                                                  : "at most ";
    if (info->most == 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->option,
                    "%s has one operand, not %zu", info->text, n);
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->option,
                "%s has %s%d operands, not %zu", info->text, bound, want, n);
}

/* Fails and shows every kind with an example of its attributes. */
_Noreturn static void
unknown_kind(ix_parser *p, const ix_word *w)
{
    static const char *const values[] = {"0", "[1, 0]", "[2]", "1", "[n]"};
    ix_mem mem = ix_arena_mem(&p->reader.arena);
    ix_text t;
    ix_text_init(&t, &mem);
    for (int kind = 0; kind < IX_NKINDS; kind++) {
        const ix_kind_info *info = &ix_kind_infos[kind];
        if (info->form != IX_FORM_OF_node)
            continue;
        ix_text_format(&t, " %s(x", info->text);
        for (int i = 0; i < info->nattributes; i++)
            ix_text_format(&t, "%s%s=%s", i ? ", " : "; ",
                           info->attribute[i].name,
                           values[info->attribute[i].type]);
        ix_text_char(&t, ')');
    }
    ix_lex_fail(
        &p->reader, ILEX_E_UNKNOWN, w, "there is no node '%.*s'; there are%s",
        w->length < 40 ? (int)w->length : 40, w->text, ix_text_string(&t));
}

ilex_array *
ix_parse_node(ix_parser *p, const ix_statement *s)
{
    ix_parser_later(p, &s->option);
    ix_kind kind = ix_kind_of_text(s->option.text, (size_t)s->option.length);
    if (kind == IX_NKINDS || ix_kind_infos[kind].form != IX_FORM_OF_node)
        unknown_kind(p, &s->option);
    const ix_kind_info *info = &ix_kind_infos[kind];
    check_operands(p, s, info);
    check_attributes(p, s, info);
    ilex_array **operands =
        ix_arena_new(&p->reader.arena, s->nwords * sizeof *operands);
    for (size_t i = 0; i < s->nwords; i++)
        operands[i] = operand(p, &s->words[i]);
    ix_given given[IX_KIND_ATTRIBUTES] = {{.present = false}};
    for (int i = 0; i < info->nattributes; i++)
        read_attribute(p, s, operands[0], &info->attribute[i], &given[i]);
    ix_parser_at(p, &s->option);
    return ix_build_kind(p->ctx, kind, operands, (int)s->nwords, given);
}
