/* SPDX-License-Identifier: MIT
 *
 * Layout of program text. A sum has blanks around its operators except inside
 * brackets; a product has none; comments stand two blanks behind a statement;
 * one empty line is kept where there were some. What lib/syntax/print.c writes
 * is laid out like this already.
 */
#include "lib/syntax/fmt.h"

#include "lib/syntax/parse.h"
#include "lib/syntax/print.h"

/* ---- expressions ---- */

const char *
ix_print_blank(ix_op op, bool tight)
{
    int precedence = ix_op_info_of(op)->precedence;
    bool product = precedence == IX_PRECEDENCE_PRODUCT && op != IX_OP_REMAINDER;
    return product || (tight && precedence >= IX_PRECEDENCE_SUM) ? "" : " ";
}

static void
put_word(ix_text *t, const ix_word *w)
{
    if (w->length) /* one that is not there has no text */
        ix_text_put_n(t, w->text, (size_t)w->length);
}

static void write_expr(ix_text *t, const ix_syntax *x, bool tight);

static void
write_ranges(ix_text *t, const ix_colons_list *ranges)
{
    for (size_t i = 0; i < ranges->n; i++) {
        const ix_colons *r = &ranges->item[i];
        ix_text_put(t, i ? ", " : "");
        if (r->axis)
            write_expr(t, r->axis, true);
        ix_text_put(t, r->axis ? "=" : r->ellipsis ? "..." : "");
        for (int k = 0; k < r->n; k++) {
            ix_text_put(t, k ? ":" : "");
            if (r->part[k])
                write_expr(t, r->part[k], true);
        }
    }
}

static void
write_parts(ix_text *t, ix_syntax *const *part, size_t n, bool tight)
{
    for (size_t i = 0; i < n; i++) {
        ix_text_put(t, i ? ", " : "");
        write_expr(t, part[i], tight);
    }
}

static void
write_chain(ix_text *t, const ix_syntax *x, bool tight)
{
    write_expr(t, x->part[0], tight);
    for (size_t i = 0; i < x->nlinks; i++) {
        const ix_link *link = &x->link[i];
        const char *blank = ix_print_blank(link->op, tight);
        ix_text_put(t, blank);
        put_word(t, &link->word);
        ix_text_put(t, blank);
        write_expr(t, link->operand, tight);
    }
}

/* "; name=value, ...", if there are any. */
static void
write_attributes(ix_text *t, const ix_attributes *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const ix_attribute *a = &list->item[i];
        ix_text_put(t, i ? ", " : "; ");
        put_word(t, &a->name);
        ix_text_put(t, a->name.length ? "=" : "");
        ix_text_put(t, a->bare ? "" : "[");
        write_parts(t, a->value, a->n, true);
        ix_text_put(t, a->bare ? "" : "]");
    }
}

/* A name with brackets or parentheses behind it. */
static void
write_call(ix_text *t, const ix_syntax *x, bool tight)
{
    if (x->kind == IX_SYNTAX_INDEX)
        write_expr(t, x->part[0], tight);
    else
        put_word(t, &x->word);
    if (x->kind != IX_SYNTAX_CALL) {
        ix_text_char(t, '[');
        write_ranges(t, x->ranges);
        if (x->kind == IX_SYNTAX_INDEX)
            write_attributes(t, &x->attributes);
        ix_text_char(t, ']');
    }
    if (x->kind == IX_SYNTAX_INDEX)
        return;
    ix_text_char(t, '(');
    write_parts(t, x->part, x->nparts, tight);
    write_attributes(t, &x->attributes);
    ix_text_char(t, ')');
}

/* "tight": inside brackets, where sums have no blanks. */
static void
write_expr(ix_text *t, const ix_syntax *x, bool tight)
{
    switch (x->kind) {
    case IX_SYNTAX_INT:
    case IX_SYNTAX_REAL:
    case IX_SYNTAX_IMAGINARY:
    case IX_SYNTAX_STRING:
    case IX_SYNTAX_NAME:
        put_word(t, &x->word);
        return;
    case IX_SYNTAX_PAREN:
        ix_text_char(t, '(');
        write_expr(t, x->part[0], tight);
        ix_text_char(t, ')');
        return;
    case IX_SYNTAX_PREFIX:
        put_word(t, &x->word);
        write_expr(t, x->part[0], tight);
        return;
    case IX_SYNTAX_CHAIN:
        write_chain(t, x, tight);
        return;
    case IX_SYNTAX_CALL:
    case IX_SYNTAX_INDEX:
    case IX_SYNTAX_REDUCE:
        write_call(t, x, tight);
        return;
    case IX_SYNTAX_LET:
        ix_text_put(t, "let ");
        put_word(t, &x->word);
        ix_text_put(t, " = ");
        write_expr(t, x->part[0], tight);
        ix_text_put(t, "; ");
        write_expr(t, x->part[1], tight);
        return;
    case IX_SYNTAX_LIST:
        ix_text_char(t, '[');
        write_parts(t, x->part, x->nparts, true);
        ix_text_char(t, ']');
        return;
    }
}

void
ix_fmt_expr(ix_text *t, const ix_syntax *x)
{
    write_expr(t, x, true);
}

/* ---- statements ---- */

static void
write_words(ix_text *t, const ix_statement *s)
{
    for (size_t i = 0; i < s->nwords; i++) {
        ix_text_put(t, i ? ", " : "");
        put_word(t, &s->words[i]);
    }
}

/* The axes of a type: their ranges, or the name of a domain. */
static void
write_axes(ix_text *t, const ix_type *type)
{
    if (type->on.length) {
        ix_text_put(t, " on ");
        put_word(t, &type->on);
    }
    if (!type->brackets)
        return;
    ix_text_char(t, '[');
    write_ranges(t, &type->ranges);
    ix_text_char(t, ']');
}

/* " : type", if there is one. */
static void
write_type(ix_text *t, const ix_type *type)
{
    if (!type->dtype.length)
        return;
    ix_text_put(t, " : ");
    put_word(t, &type->dtype);
    write_axes(t, type);
}

/* "[ranges] : dtype" */
static void
write_result(ix_text *t, const ix_type *type)
{
    write_axes(t, type);
    ix_text_put(t, type->dtype.length ? " : " : "");
    put_word(t, &type->dtype);
}

static void
write_halo(ix_text *t, const char *word, const ix_statement *s)
{
    if (!s->has_halo)
        return;
    ix_text_format(t, " %s(", word);
    write_ranges(t, &s->halo);
    ix_text_char(t, ')');
}

static void
write_option(ix_text *t, const char *word, const ix_statement *s)
{
    if (!s->option.length)
        return;
    ix_text_format(t, " %s ", word);
    put_word(t, &s->option);
}

static void
write_value(ix_text *t, const ix_statement *s)
{
    ix_text_put(t, " = ");
    write_expr(t, s->expr, false);
}

static void
fmt_ILEX(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
}

static void
fmt_PROGRAM(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
}

static void
fmt_SIZE(ix_text *t, const ix_statement *s)
{
    write_words(t, s);
    if (!s->expr)
        return;
    ix_text_put(t, " = ");
    write_expr(t, s->expr, false);
}

static void
fmt_DOMAIN(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    for (size_t i = 0; i < s->nboxes; i++) {
        ix_text_put(t, i ? " & " : " = ");
        if (s->box[i].on.length)
            put_word(t, &s->box[i].on);
        else
            write_axes(t, &s->box[i]);
    }
}

static void
fmt_ASSUME(ix_text *t, const ix_statement *s)
{
    write_expr(t, s->expr, false);
}

static void
fmt_IN(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_type(t, &s->type);
    write_halo(t, "halo", s);
    if (s->axis) {
        ix_text_put(t, " -> ");
        write_expr(t, s->axis, true);
    }
    if (s->expr) {
        ix_text_put(t, " skip ");
        write_expr(t, s->expr, false);
    }
}

static void
fmt_CONST(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_type(t, &s->type);
    ix_text_put(t, " = {");
    write_parts(t, s->values.value, s->values.n, false);
    ix_text_char(t, '}');
}

static void
fmt_LET(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    if (s->nwords)
        ix_text_put(t, ", ");
    write_words(t, s);
    write_type(t, &s->type);
    write_value(t, s);
}

static void
fmt_MAP(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_axes(t, &s->type);
    write_halo(t, "valid", s);
    if (s->nwords) {
        ix_text_put(t, " reads(");
        write_words(t, s);
        ix_text_char(t, ')');
    }
    write_value(t, s);
}

/* One result a line. */
static void
fmt_SCAN(ix_text *t, const ix_statement *s)
{
    write_expr(t, s->axis, true);
    ix_text_char(t, ' ');
    put_word(t, &s->option);
    ix_text_char(t, ' ');
    for (const ix_statement *r = s; r; r = r->more) {
        ix_text_put(t, r == s ? "" : ",\n     ");
        put_word(t, &r->name);
        if (r->absolute)
            write_result(t, &r->type);
        else
            write_type(t, &r->type);
        write_value(t, r);
    }
    if (s->chunks.length) {
        ix_text_put(t, " chunked ");
        put_word(t, &s->chunks);
    }
}

static void
fmt_EINSUM(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_result(t, &s->type);
    write_value(t, s);
    write_option(t, "acc", s);
    ix_text_put(t, s->rounded ? " rounded" : "");
}

static void
fmt_RESHAPE(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_axes(t, &s->type);
    ix_text_put(t, " = ");
    write_words(t, s);
    write_option(t, "order", s);
}

static void
fmt_NODE(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_value(t, s);
}

/* "name(parameter, ...)" */
static void
write_heading(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    ix_text_char(t, '(');
    for (const ix_statement *r = s->more; r; r = r->more) {
        ix_text_put(t, r == s->more ? "" : ", ");
        put_word(t, &r->name);
        write_type(t, &r->type);
        write_halo(t, "halo", r);
    }
    ix_text_char(t, ')');
}

static void
fmt_FUNCTION(ix_text *t, const ix_statement *s)
{
    write_heading(t, s);
}

void
ix_fmt_extern(ix_text *t, const ix_statement *s)
{
    write_heading(t, s);
    for (size_t i = 0; i < s->nboxes; i++) {
        ix_text_put(t, i ? ", " : " -> ");
        put_word(t, &s->box[i].dtype);
        write_axes(t, &s->box[i]);
    }
    ix_text_put(t, s->option.length ? " pure" : "");
    ix_text_put(t, s->elementwise ? " elementwise" : "");
    if (!s->expr)
        return;
    ix_text_put(t, " cost ");
    write_expr(t, s->expr, false);
}

static void
fmt_EXTERN(ix_text *t, const ix_statement *s)
{
    ix_fmt_extern(t, s);
}

/* "t[0:n] u : f64[I:n] = u0, v = v0 steps k" */
static void
fmt_LOOP(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->option);
    ix_text_char(t, '[');
    write_ranges(t, &s->box[0].ranges);
    if (s->axis) {
        ix_text_put(t, " max ");
        write_expr(t, s->axis, false);
    }
    ix_text_char(t, ']');
    for (const ix_statement *r = s; r; r = r->more) {
        ix_text_put(t, r == s ? " " : ", ");
        put_word(t, &r->name);
        write_type(t, &r->type);
        write_value(t, r);
    }
    if (s->chunks.length) {
        ix_text_put(t, " steps ");
        put_word(t, &s->chunks);
    }
}

static void
fmt_NEXT(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_value(t, s);
}

static void
fmt_UNTIL(ix_text *t, const ix_statement *s)
{
    write_expr(t, s->expr, false);
}

static void
fmt_STACK(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    ix_text_char(t, '[');
    put_word(t, &s->option);
    ix_text_char(t, ']');
    write_value(t, s);
    ix_text_put(t, s->chunks.length ? " whole" : "");
    if (s->axis) {
        ix_text_put(t, " every ");
        write_expr(t, s->axis, false);
    }
}

static void
fmt_RETURN(ix_text *t, const ix_statement *s)
{
    write_parts(t, s->values.value, s->values.n, false);
}

static void
fmt_END(ix_text *t, const ix_statement *s)
{
    (void)t, (void)s;
}

static void
fmt_OUT(ix_text *t, const ix_statement *s)
{
    put_word(t, &s->name);
    write_type(t, &s->type);
    write_value(t, s);
    write_option(t, "inplace", s);
}

static void
write_message(ix_text *t, const char *way, const ix_statement *s)
{
    put_word(t, &s->name);
    ix_text_format(t, " %s ", way);
    write_expr(t, s->expr, true);
    if (!s->number)
        return;
    ix_text_put(t, " tag ");
    write_expr(t, s->number, true);
}

static void
fmt_RECV(ix_text *t, const ix_statement *s)
{
    write_message(t, "from", s);
}

static void
fmt_SEND(ix_text *t, const ix_statement *s)
{
    write_message(t, "to", s);
}

static void
fmt_COMMENT(ix_text *t, const ix_statement *s)
{
    (void)t, (void)s;
}

static void (*const fmt_of[IX_NSTATEMENTS])(ix_text *, const ix_statement *) = {
#define IX_STATEMENT(NAME, keyword, example, meaning) fmt_##NAME,
#include "lib/syntax/statements.def"
};

/* ---- tags ---- */

void
ix_fmt_tag_values(ix_text *t, const ix_tag *tag)
{
    for (size_t i = 0; i < tag->nvalues; i++) {
        ix_text_put(t, i ? ", " : "(");
        ix_text_put(t, tag->value[i].negative ? "-" : "");
        put_word(t, &tag->value[i].word);
    }
    ix_text_put(t, tag->nvalues ? ")" : "");
}

static void
write_tags(ix_text *t, const ix_statement *s)
{
    for (size_t i = 0; i < s->ntags; i++) {
        const ix_tag *tag = &s->tag[i];
        ix_text_put(t, " @");
        put_word(t, &tag->name);
        if (tag->place) {
            ix_text_char(t, '[');
            write_expr(t, tag->place, true);
            ix_text_char(t, ']');
        }
        ix_fmt_tag_values(t, tag);
    }
}

void
ix_fmt_statement(ix_text *t, const ix_statement *s)
{
    if (s->kind != IX_STATEMENT_COMMENT) {
        ix_text_put(t, ix_statement_keywords[s->kind]);
        ix_text_put(t, s->kind == IX_STATEMENT_END ? "" : " ");
        fmt_of[s->kind](t, s);
        write_tags(t, s);
        ix_text_put(t, s->comment.length ? "  " : "");
    }
    put_word(t, &s->comment);
    ix_text_char(t, '\n');
}
