/* SPDX-License-Identifier: MIT
 *
 * Tags: what stands behind "@" as a text of one form, from text and from C. An
 * axis is written by its name, or by its number if it has none, a reduced one
 * as _r and the number of its index in the body, or, of an einsum, of its label
 * among those that the result lacks.
 */
#include "lib/build/einsum.h"
#include "lib/graph/annotation.h"
#include "lib/syntax/fmt.h"
#include "lib/syntax/parse.h"

/* ---- reduced axes ---- */

/* How many reduced axes "x" has; which of them is called "name": one that reads
 * an axis of this name, or, the next best, one that is staggered to it. */
typedef struct reduced {
    const ilex_array *x;
    int64_t count, found, partner; /* -1: none */
    const char *name;              /* "": it is not asked for */
} reduced;

static void
meet_axis(reduced *r, const char *name, int64_t number)
{
    if (r->found < 0 && *name && !strcmp(name, r->name))
        r->found = number;
    if (r->partner < 0 && ix_axis_is_partner(r->name, name))
        r->partner = number;
}

static ix_walk_step
meet_reduction(ix_walk *w, ilex_array *n, size_t *value)
{
    reduced *r = w->user;
    (void)value;
    if (n->kind == IX_REDUCE && n->attr[1] + n->interior->rank > r->count)
        r->count = n->attr[1] + n->interior->rank;
    for (int k = 0; n->kind == IX_LOAD && k < n->nops; k++) {
        const ilex_array *from = r->x->ops[n->attr[0] + 1];
        if (n->ops[k]->kind == IX_RINDEX)
            meet_axis(r, ix_symbol_text(w->ctx, from->interior->ax[k].name),
                      n->ops[k]->attr[0]);
    }
    return IX_WALK_IN;
}

static void
find_reduced(ix_parser *p, const ilex_array *x, reduced *r)
{
    ix_walk w = {
        .ctx = p->ctx, .mem = &p->mem, .enter = meet_reduction, .user = r};
    r->x = x;
    r->found = r->partner = -1;
    if (ix_has_body(x) && !ix_walk_body(&w, x->ops[0], NULL))
        ix_lex_abort(&p->reader);
    if (x->kind != IX_EINSUM)
        return;
    ix_einsum e;
    uint64_t labels = 0;
    ix_einsum_read(x, &e);
    for (int i = 0; i < e.count; i++)
        labels |= ix_labels_set(&e.labels[i]);
    for (labels &= ~ix_labels_set(&e.result); labels; labels &= labels - 1)
        r->count++;
}

/* ---- axes ---- */

static _Noreturn void
no_axis(ix_parser *p, const ix_syntax *place, const ilex_array *x, int64_t n)
{
    ix_lex_fail(&p->reader, ILEX_E_AXIS, &place->word,
                "the tag names no axis of [%s], nor one of the %lld that the "
                "array reduces (_r0, ...)",
                ix_domain_show(p->ctx, x->interior).s, (long long)n);
}

static void
put_axis(ix_parser *p, const ilex_array *x, int k, ix_text *t)
{
    int32_t name = x->interior->ax[k].name;
    if (name)
        ix_text_put(t, ix_symbol_text(p->ctx, name));
    else
        ix_text_format(t, "%d", k);
}

/* The axis of "x" itself that is meant, unless a reduced one is called so. */
static int
result_axis(ix_parser *p, const ilex_array *x, const reduced *r)
{
    int k = ix_domain_axis(p->ctx, x->interior, r->name, strlen(r->name));
    const char *is =
        k < 0 ? "" : ix_symbol_text(p->ctx, x->interior->ax[k].name);
    return r->found >= 0 && strcmp(is, r->name) != 0 ? -1 : k;
}

static void
put_place(ix_parser *p, const ilex_array *x, const ix_syntax *place, ix_text *t)
{
    reduced r = {.name = ""};
    int64_t k = place->kind == IX_SYNTAX_NAME
                    ? ix_parse_numbered(&place->word, "_r")
                    : -1;
    bool number =
        place->kind == IX_SYNTAX_INT || place->kind == IX_SYNTAX_PREFIX;
    if (k < 0 && !number)
        r.name = ix_symbol_text(p->ctx, ix_parse_axis(p, place));
    find_reduced(p, x, &r);
    int axis = result_axis(p, x, &r);
    if (number) {
        int64_t given = ix_parse_int(p, place);
        given += given < 0 ? ix_rank(x) : 0;
        axis = given >= 0 && given < ix_rank(x) ? (int)given : -1;
    }
    k = r.found >= 0 ? r.found : r.partner >= 0 ? r.partner : k;
    if (axis >= 0)
        put_axis(p, x, axis, t);
    else if (k >= 0 && k < r.count)
        ix_text_format(t, "_r%lld", (long long)k);
    else
        no_axis(p, place, x, r.count);
}

int32_t
ix_parse_tag(ix_parser *p, const ix_tag *tag, const ilex_array *x)
{
    ix_text t;
    ix_text_init(&t, &p->mem);
    ix_text_put_n(&t, tag->name.text, (size_t)tag->name.length);
    if (tag->place) {
        ix_text_char(&t, '[');
        put_place(p, x, tag->place, &t);
        ix_text_char(&t, ']');
    }
    ix_fmt_tag_values(&t, tag);
    const char *s = ix_text_string(&t);
    int32_t symbol = s ? ix_symbol_of(p->ctx, s, strlen(s)) : -1;
    if (symbol < 0)
        ix_lex_abort(&p->reader);
    return symbol;
}

void
ix_parse_tags(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    for (size_t i = 0; i < s->ntags && ix_is_array(x); i++)
        if (!ix_tag_note(x, ix_parse_tag(p, &s->tag[i], x)))
            ix_lex_abort(&p->reader);
}

/* ---- from C ---- */

/* A tag that is read for an array. */
typedef struct tagging {
    const ilex_array *x;
    int32_t tag;
} tagging;

static void
read_tag(ix_parser *p, void *user)
{
    tagging *w = user;
    ix_tag tag;
    ix_syntax_whole_tag(&p->reader, &tag);
    w->tag = ix_parse_tag(p, &tag, w->x);
}

/* The symbol of a tag in a text; -1 with an error. */
static int32_t
tag_of(const ilex_array *x, const char *what, const char *tag)
{
    tagging w = {.x = x};
    if (!x || !tag || ix_is_poison(x) || !ix_is_array(x)) {
        ix_fail(x ? &x->ctx->error : NULL, ILEX_E_ARGUMENT,
                "%s: the array is NULL, poison or a number, or the tag is NULL",
                what);
        return -1;
    }
    return ix_parse_text(x->ctx, tag, read_tag, &w) ? w.tag : -1;
}

/* A value of a tag that is a number from 1 on, else 0. */
static int
line_number(const ix_tag *t, size_t i)
{
    int n = 0;
    const ix_word *w = i < t->nvalues ? &t->value[i].word : NULL;
    bool digits = w && w->length < 10 && !t->value[i].negative;
    for (int k = 0; digits && k < w->length; k++) {
        digits = w->text[k] >= '0' && w->text[k] <= '9';
        n = 10 * n + (w->text[k] - '0');
    }
    return digits ? n : 0;
}

ix_location
ix_parse_place(ix_parser *p, const ix_statement *s)
{
    for (size_t i = 0; i < s->ntags; i++) {
        const ix_tag *t = &s->tag[i];
        const ix_word *file = t->nvalues ? &t->value[0].word : NULL;
        if (!file || t->place || !ix_word_is(&t->name, "loc") ||
            file->text[0] != '"' || !line_number(t, 1))
            continue;
        ix_location at = {.file = ix_symbol_of(p->ctx, file->text + 1,
                                               (size_t)file->length - 2),
                          .line = line_number(t, 1),
                          .column = line_number(t, 2)};
        if (at.file >= 0)
            return at;
    }
    return (ix_location){0};
}

/* What the functions return that could not do their work. */
static ilex_status
failed(const ilex_array *x)
{
    return x && x->ctx->error.code ? x->ctx->error.code : ILEX_E_ARGUMENT;
}

ilex_status
ilex_tag(ilex_array *x, const char *tag)
{
    int32_t symbol = tag_of(x, "tag", tag);
    return symbol < 0 || !ix_tag_note(x, symbol) ? failed(x) : ILEX_OK;
}

ilex_status
ilex_untag(ilex_array *x, const char *tag)
{
    int32_t symbol = tag_of(x, "untag", tag);
    if (symbol < 0)
        return failed(x);
    ix_tag_drop(x, symbol);
    return ILEX_OK;
}

size_t
ilex_tag_count(const ilex_array *x)
{
    return x && !ix_is_poison(x) ? ix_tag_count(x) : 0;
}

size_t
ilex_tag_text(const ilex_array *x, size_t i, char *text, size_t size)
{
    const char *tag = i < ilex_tag_count(x) ? ix_tag_get(x, i) : "";
    size_t n = strlen(tag);
    if (size > 0) {
        size_t part = n < size - 1 ? n : size - 1;
        memcpy(text, tag, part);
        text[part] = 0;
    }
    return n;
}
