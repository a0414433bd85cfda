/* SPDX-License-Identifier: MIT
 *
 * Help about names of the language, the library and the command: what their
 * rows say, in lines of a terminal.
 */
#include "runtime/ilexc/help.h"

#include <stdio.h>
#include <string.h>

#include "lib/ops/op.h"
#include "lib/syntax/parse.h"

enum { WIDTH = 78, INDENT = 4 };

static const char *const operands[] = {"", "x", "x, y", "x, y, z"};

/* The operator or function that a topic is; NULL if it is none. */
static const ix_op_info *
operator_of(const ix_topic *topic)
{
    ix_op op;
    return topic->list == IX_TOPICS_ops &&
                   ix_op_find(topic->name, strlen(topic->name), &op)
               ? ix_op_info_of(op)
               : NULL;
}

static const ix_signature *
signature_of(const ix_topic *topic)
{
    return topic->list == IX_TOPICS_functions && !topic->example
               ? ix_signature_find(topic->name, strlen(topic->name))
               : NULL;
}

void
ix_help_example(const ix_topic *topic, ix_text *t)
{
    const ix_op_info *op = operator_of(topic);
    const ix_signature *s = signature_of(topic);
    if (s)
        ix_signature_write(s, t);
    else if (!op)
        ix_text_put(t, topic->example ? topic->example : topic->name);
    else if (op->infix)
        ix_text_format(t, op->arity == 1 ? "%sx" : "x %s y", op->infix);
    else
        ix_text_format(t, "%s(%s)", op->name, operands[op->arity]);
}

/* Writes what operators alone have: accuracy, and their names in C. */
static void
about_operator(const ix_op_info *op, ix_text *t)
{
    const char *x = operands[op->arity];
    if (op->ulp > 0)
        ix_text_format(t, " At most %d unit%s of the last place off.", op->ulp,
                       op->ulp == 1 ? "" : "s");
    ix_text_format(t,
                   "\nIn C: ilex_%s(%s), on storages "
                   "ilex_storage_%s(ctx, %s).",
                   op->name, x, op->name, x);
}

/* Writes which attributes of a function may be left out. */
static void
about_function(const ix_signature *s, ix_text *t)
{
    const char *before = "\nMay be left out: ";
    for (int i = 0; i < s->nattributes; i++)
        if (s->attribute[i].optional) {
            ix_text_format(t, "%s%s", before, s->attribute[i].name);
            before = ", ";
        }
    if (*before == ',')
        ix_text_char(t, '.');
}

/* Writes all that is known of a topic, a paragraph a line. */
static void
explain(const ix_topic *topic, ix_text *t)
{
    const ix_op_info *op = operator_of(topic);
    const ix_signature *s = signature_of(topic);
    const char *more = ix_topic_more(topic);
    ix_text_put(t, topic->meaning);
    if (more)
        ix_text_format(t, "\n%s", more);
    if (op)
        about_operator(op, t);
    if (s)
        about_function(s, t);
}

/* Prints paragraphs, each indented and at most WIDTH columns wide. */
static void
print_paragraphs(const char *text)
{
    int column = 0;
    while (*text) {
        int word = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + word > WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += printf("%*s%.*s", column ? 1 : INDENT, "", word, text);
        text += word;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += strspn(text, " \n");
    }
    putchar('\n');
}

/* Is the name said first, and how it is written behind it? */
static bool
by_name(const ix_topic *topic)
{
    return topic->list == IX_TOPICS_statements ||
           topic->list == IX_TOPICS_words || topic->list == IX_TOPICS_errors;
}

/* Prints "roll(x; axis=0, by=1): a function" and what it does, or "let: a
 * statement" with an example. */
static void
print_topic(const ix_topic *topic)
{
    ix_text t;
    const char *title = ix_topic_lists[topic->list].title;
    ix_text_init(&t, &ix_mem_default);
    if (by_name(topic))
        ix_text_put(&t, topic->name);
    else
        ix_help_example(topic, &t);
    ix_text_format(&t, ": %s %s\n", strchr("aeio", title[0]) ? "an" : "a",
                   title);
    if (by_name(topic) && topic->example &&
        strcmp(topic->name, topic->example) != 0)
        ix_text_format(&t, "%*s%s\n", INDENT, "", topic->example);
    fputs(ix_text_string(&t) ? ix_text_string(&t) : "", stdout);
    ix_text_free(&t);
    ix_text_init(&t, &ix_mem_default);
    explain(topic, &t);
    print_paragraphs(ix_text_string(&t) ? ix_text_string(&t) : "");
    ix_text_free(&t);
}

size_t
ix_help_print(const char *name, bool behind)
{
    size_t found = 0;
    const ix_topic *topic;
    for (size_t i = 0; (topic = ix_topic_at(i)); i++)
        if (ix_topic_is(topic, name)) {
            if (found++ > 0 || behind)
                putchar('\n');
            print_topic(topic);
        }
    return found;
}
