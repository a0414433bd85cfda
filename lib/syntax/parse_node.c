/* SPDX-License-Identifier: MIT
 *
 * Meaning of the structural statements einsum and reshape.
 */
#include "lib/ops/dtype.h"
#include "lib/syntax/parse.h"

/* ---- einsum ---- */

/* Letters are labels 0 to 51, other names get the next numbers; "_53" is a
 * number. */
enum { FIRST_NAMED = 52, LAST_LABEL = 63 };

typedef struct label_names {
    int n; /* of more than one letter */
    ix_word name[LAST_LABEL + 1];
    int count[LAST_LABEL + 1]; /* how often each stands in operands */
    bool dots;                 /* so does `...` */
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
    int v = ix_parse_numbered(w, "_");
    return v <= LAST_LABEL ? v : -1;
}

/* In alphabetical order, capitals first. */
static int
compare(const ix_word *a, const ix_word *b)
{
    int n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, (size_t)n);
    return order ? order : a->length - b->length;
}

static int
label_of(ix_parser *p, label_names *all, const ix_colons *r)
{
    const ix_word *w = &r->where;
    if (r->n != 1 || !ix_parse_is_plain(r) ||
        r->part[0]->kind != IX_SYNTAX_NAME)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "the axes of an einsum are labels, for example "
                    "einsum C[i, j] = A[i, k]*B[k, j]");
    int label = letter(w);
    label = label < 0 ? numbered_label(w) : label;
    for (int i = FIRST_NAMED; label < 0 && i < FIRST_NAMED + all->n; i++)
        if (!compare(&all->name[i], w))
            label = i;
    if (label >= 0) {
        if (!all->name[label].length)
            all->name[label] = *w;
        return label;
    }
    label = FIRST_NAMED + all->n++;
    if (label > LAST_LABEL)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, w,
                    "an einsum has at most %d labels of more than one letter",
                    LAST_LABEL - FIRST_NAMED + 1);
    all->name[label] = *w;
    return label;
}

static void
read_labels(ix_parser *p, label_names *all, const ix_word *where,
            const ix_colons_list *ranges, ix_labels *labels)
{
    int dots = 0;
    for (size_t k = 0; k < ranges->n; k++)
        dots += ranges->item[k].ellipsis;
    if (dots > 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, where,
                    "'...' stands once among labels, for all axes without one");
    if (ranges->n > (size_t)(ILEX_MAX_RANK + dots))
        ix_lex_fail(&p->reader, ILEX_E_RANK, where,
                    "%zu axes; at most %d are supported", ranges->n,
                    ILEX_MAX_RANK);
    labels->n = (int)ranges->n;
    for (int k = 0; k < labels->n; k++)
        labels->label[k] = ranges->item[k].ellipsis
                               ? IX_LABEL_DOTS
                               : label_of(p, all, &ranges->item[k]);
}

/* Labels of an operand, which count for what is implied. */
static void
count_labels(label_names *all, const ix_labels *l)
{
    for (int k = 0; k < l->n; k++)
        if (l->label[k] == IX_LABEL_DOTS)
            all->dots = true;
        else
            all->count[l->label[k]]++;
}

/* Where the result has no brackets: `...`, then the labels that stand once in
 * operands, in alphabetical order. */
static void
imply_result(ix_parser *p, const label_names *all, const ix_word *where,
             ix_labels *result)
{
    int first = all->dots;
    result->n = first;
    result->label[0] = IX_LABEL_DOTS;
    for (int label = 0; label <= LAST_LABEL; label++) {
        if (all->count[label] != 1)
            continue;
        if (result->n == ILEX_MAX_RANK + first)
            ix_lex_fail(&p->reader, ILEX_E_RANK, where,
                        "the result has more than %d axes", ILEX_MAX_RANK);
        int at = result->n++;
        for (; at > first && compare(&all->name[label],
                                     &all->name[result->label[at - 1]]) < 0;
             at--)
            result->label[at] = result->label[at - 1];
        result->label[at] = label;
    }
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

/* Is it an operator or a conversion of one value? */
static bool
is_function(const ix_syntax *x)
{
    const ix_word *w = &x->word;
    ilex_dtype dtype;
    ix_op op;
    return x->kind == IX_SYNTAX_PREFIX ||
           (x->kind == IX_SYNTAX_CALL && x->nparts == 1 &&
            (ix_op_find(w->text, (size_t)w->length, &op) ||
             ix_dtype_find(w->text, (size_t)w->length, &dtype)));
}

_Noreturn static void
no_factor(ix_parser *p, const ix_syntax *x, const ix_syntax *function)
{
    if (x->kind == IX_SYNTAX_CHAIN && function)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &function->word,
                    "in an einsum %.*s is of one factor; a dtype of the whole "
                    "product stands before '=', for example einsum C[i, j] : "
                    "i32 = A[i, k]*B[k, j]",
                    (int)function->word.length, function->word.text);
    ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                "an einsum is a product of arrays with labels, for example "
                "A[i, k]*B[k, j]; name what else there is by let before it");
}

/* The value of factor "x" and its labels. "x" is an array with labels, or an
 * element-wise "function" of one: that of the array, the labels taken off. */
static ix_syntax *
read_factor(ix_parser *p, product *e, ix_syntax *x, const ix_syntax *function)
{
    static const ix_colons_list none;
    bool labels = x->kind == IX_SYNTAX_INDEX;
    if (is_function(x)) {
        ix_syntax *bare = ix_arena_new(&p->reader.arena, sizeof *bare);
        *bare = *x;
        bare->part = ix_arena_new(&p->reader.arena, sizeof *bare->part);
        bare->part[0] = read_factor(p, e, x->part[0], x);
        return bare;
    }
    if (x->kind == IX_SYNTAX_PAREN && function)
        return read_factor(p, e, x->part[0], function);
    if ((labels ? x->part[0] : x)->kind != IX_SYNTAX_NAME)
        no_factor(p, x, function);
    read_labels(p, &e->all, &x->word, labels ? x->ranges : &none,
                &e->labels[e->n]);
    return labels ? x->part[0] : x;
}

static void
read_operand(ix_parser *p, product *e, ix_syntax *x)
{
    if (e->n == ILEX_MAX_RANK)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, &x->word,
                    "an einsum has at most %d operands", ILEX_MAX_RANK);
    ix_syntax *value = read_factor(p, e, x, NULL);
    count_labels(&e->all, &e->labels[e->n]);
    e->operand[e->n] = value->kind == IX_SYNTAX_NAME
                           ? ix_parser_named(p, &value->word)
                           : ix_parse_expr(p, value);
    e->path.step[e->path.n++] = e->n++;
}

/* Factors are multiplied from left to right, those in parentheses first. */
static void
read_product(ix_parser *p, product *e, ix_syntax *x, bool inside)
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

/* The dtype that "word" names, in its place; NULL: there is no word. */
static const ilex_dtype *
optional_dtype(ix_parser *p, const ix_word *word, ilex_dtype *dtype)
{
    if (!word->length)
        return NULL;
    *dtype = ix_parse_dtype(p, word);
    return dtype;
}

ilex_array *
ix_parse_einsum(ix_parser *p, const ix_statement *s)
{
    product e = {.n = 0};
    ix_labels result;
    read_labels(p, &e.all, &s->name, &s->type.ranges, &result);
    read_product(p, &e, s->expr, false);
    if (!s->type.brackets)
        imply_result(p, &e.all, &s->name, &result);
    ilex_dtype dtype, acc;
    ix_einsum_request request = {.dtype =
                                     optional_dtype(p, &s->type.dtype, &dtype),
                                 .acc = optional_dtype(p, &s->option, &acc),
                                 .path = e.grouped ? &e.path : NULL,
                                 .rounded = s->rounded};
    ix_parser_at(p, &s->name);
    return ix_build_einsum(p->ctx, &result, e.n, e.labels, e.operand, &request);
}

ilex_array *
ix_parse_einsum_call(ix_parser *p, const ix_syntax *x)
{
    ilex_array *operand[ILEX_MAX_RANK];
    ix_parse_outside_map(p, &x->word);
    if (x->nparts < 2 || x->part[0]->kind != IX_SYNTAX_STRING)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &x->word,
                    "einsum takes subscripts and arrays: "
                    "einsum(\"ij,jk->ik\", a, b)");
    int n = (int)x->nparts - 1;
    if (n > ILEX_MAX_RANK)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, &x->word,
                    "an einsum has at most %d operands", ILEX_MAX_RANK);
    for (int i = 0; i < n; i++)
        operand[i] = ix_parse_expr(p, x->part[i + 1]);
    ix_word subscripts = x->part[0]->word; /* without its quotes */
    subscripts.text++;
    subscripts.length -= 2;
    ix_parser_at(p, &x->word);
    return ilex_einsum(p->ctx, ix_parser_string(p, &subscripts), n, operand);
}

/* ---- reshape ---- */

ilex_array *
ix_parse_reshape(ix_parser *p, const ix_statement *s)
{
    bool fortran = s->option.length && ix_word_is(&s->option, "F");
    if (s->option.length && !fortran && !ix_word_is(&s->option, "C"))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->option,
                    "the order of elements is C or F");
    ilex_array *x = ix_parser_named(p, &s->words[0]);
    const ix_domain *dom = ix_parse_domain(p, &s->type.ranges);
    ix_parser_at(p, &s->name);
    return ix_build_reshape(p->ctx, x, dom, fortran);
}
