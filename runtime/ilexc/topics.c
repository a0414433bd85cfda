/* SPDX-License-Identifier: MIT
 *
 * The topics: one array over the rows of all tables.
 */
#include "runtime/ilexc/topics.h"

#include <string.h>
#include <strings.h>

#include "lib/ops/op.h"

const ix_topic_list_info ix_topic_lists[IX_NTOPICLISTS] = {
#define IX_TOPICS(list, title, meaning) {#list, title, meaning},
#include "runtime/ilexc/topics.def"
};

/* What rules.def says of dtypes. */
enum {
#define IX_RULE(NAME, bools, integers, real, complex, result, doc) RULE_##NAME,
#include "lib/ops/rules.def"
    NRULES
};
static const char *const rules[NRULES] = {
#define IX_RULE(NAME, bools, integers, real, complex, result, doc) doc,
#include "lib/ops/rules.def"
};

/* The dtype sentence of each operator, in the order of ops.def. */
static const unsigned char rule_of[] = {
#define ILEX_OP(ENUM, name, arity, infix, precedence, rule, ...) RULE_##rule,
#include "ilex/ops.def"
};

#define WORD_function IX_TOPICS_functions
#define WORD_reduction IX_TOPICS_reductions
#define WORD_clause IX_TOPICS_words
#define WORD_mode IX_TOPICS_words
#define WORD_constant IX_TOPICS_words

#define NODE_own(function, text, meaning)
#define NODE_later(function, text, meaning)                                    \
    {IX_TOPICS_functions, text, NULL, NULL, meaning, "Not in this version."},
#define NODE_node(function, text, meaning)                                     \
    {IX_TOPICS_functions,                                                      \
     text,                                                                     \
     NULL,                                                                     \
     NULL,                                                                     \
     meaning,                                                                  \
     "In C: ilex_" #function " (ilex/kinds.h)."},

static const ix_topic topics[] = {
#define ILEX_OP(ENUM, name, arity, infix, precedence, rule, laws, ulp,         \
                on_bool, on_int, on_real, on_complex, doc)                     \
    {IX_TOPICS_ops, #name, infix, NULL, doc, NULL},
#include "ilex/ops.def"
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    {IX_TOPICS_reductions, #name, NULL, #name "[0](x)", doc, NULL},
#include "ilex/reductions.def"
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, lower, meaning, attributes)                              \
    NODE_##form(function, text, meaning)
#include "lib/graph/nodes.def"
#define IX_FUNCTION(function, text, least, most, names, meaning, attributes)   \
    NODE_node(function, text, meaning)
#include "lib/build/functions.def"
#define IX_STATEMENT(NAME, keyword, example, meaning)                          \
    {IX_TOPICS_statements, keyword, NULL, example, meaning, NULL},
#include "lib/syntax/statements.def"
#define IX_WORD(word, class, example, meaning)                                 \
    {WORD_##class, word, NULL, example, meaning, NULL},
#include "lib/syntax/words.def"
#define ILEX_DTYPE(name, text, numpy, kind, bytes, ctype, part)                \
    {IX_TOPICS_dtypes,                                                         \
     text,                                                                     \
     NULL,                                                                     \
     NULL,                                                                     \
     "In C ILEX_" #name ", made of " #ctype ", in NumPy \"" numpy "\".",       \
     NULL},
#include "ilex/dtypes.def"
#define IX_PASS(name, before, after, meaning)                                  \
    {IX_TOPICS_passes,                                                         \
     #name,                                                                    \
     NULL,                                                                     \
     NULL,                                                                     \
     meaning,                                                                  \
     "From level " #before " to " #after "; `ilexc print FILE --stage=" #name  \
     "` shows a program after it."},
#include "compiler/passes.def"
#define IX_LOOP(name, text, meaning)                                           \
    {IX_TOPICS_directives, #name, NULL, text, meaning, NULL},
#define IX_KERNELS(name, n, text, meaning)                                     \
    {IX_TOPICS_directives, #name, NULL, text, meaning, "For the program."},
#include "compiler/loop/loops.def"
#define IX_OPTION(name, value, choices, meaning)                               \
    {IX_TOPICS_options,      #name,   NULL,                                    \
     "--" #name "=" choices, meaning, "Default: \"" value "\"."},
#include "lib/graph/options.def"
#define IX_FLAG(NAME, spelling, value, verbs, meaning)                         \
    {IX_TOPICS_flags,    spelling, NULL,                                       \
     spelling " " value, meaning,  "Of the verbs:" verbs},
#include "runtime/ilexc/flags.def"
#define IX_BACKEND(name, dialect, compile, find, command, several, engine,     \
                   meaning)                                                    \
    {IX_TOPICS_backends, #name, NULL, "--jit=" #name, meaning, NULL},
#include "runtime/jit/backends.def"
#define IX_TARGET(name, meaning, grid, ...)                                    \
    {IX_TOPICS_targets, #name, NULL, grid ? NULL : "--target=" #name,          \
     meaning,           NULL},
#include "compiler/target/targets.def"
#define IX_TARGET_FIELD(name, kind, least, most, meaning)                      \
    {IX_TOPICS_fields,                                                         \
     #name,                                                                    \
     NULL,                                                                     \
     NULL,                                                                     \
     meaning,                                                                  \
     most ? NULL : "Not of a CPU."},
#include "compiler/target/fields.def"
#define ILEX_ERROR(name, number, family, kind, meaning)                        \
    {IX_TOPICS_errors, "E" #number,                                            \
     "ILEX_E_" #name,  NULL,                                                   \
     meaning,          "In C: ILEX_E_" #name ", of the family " #family "."},
#include "ilex/errors.def"
};

const ix_topic *
ix_topic_at(size_t i)
{
    return i < IX_COUNT(topics) ? &topics[i] : NULL;
}

/* The operator of a topic of ops. */
static ix_op
op_of(const ix_topic *t)
{
    return (ix_op)(t - topics); /* its rows are the first */
}

const char *
ix_topic_more(const ix_topic *t)
{
    return t->list == IX_TOPICS_ops ? rules[rule_of[op_of(t)]] : t->more;
}

/* Without the dashes or the ILEX_ before the name of an option. */
static const char *
bare(const char *name)
{
    if (strncmp(name, "--", 2) == 0)
        return name + 2;
    return strncasecmp(name, "ILEX_", 5) == 0 ? name + 5 : name;
}

/* "BOUNDS" and "401" are ILEX_E_BOUNDS and E401. */
static bool
is_error(const ix_topic *t, const char *name)
{
    return strcasecmp(t->name, name) == 0 || strcasecmp(t->sign, name) == 0 ||
           strcasecmp(t->sign + strlen("ILEX_E_"), name) == 0 ||
           strcmp(t->name + 1, name) == 0;
}

bool
ix_topic_is(const ix_topic *t, const char *name)
{
    ix_op op;
    switch (t->list) {
    case IX_TOPICS_ops:
        return (t->sign && strcmp(t->sign, name) == 0) ||
               (ix_op_find(name, strlen(name), &op) && op == op_of(t));
    case IX_TOPICS_options:
        return strcasecmp(t->name, bare(name)) == 0;
    case IX_TOPICS_flags:
        return strcmp(t->name, name) == 0 || strcmp(bare(t->name), name) == 0;
    case IX_TOPICS_errors:
        return is_error(t, name);
    default:
        return strcmp(t->name, name) == 0;
    }
}

void
ix_topic_suggest(ix_suggestion *s)
{
    for (size_t i = 0; i < IX_COUNT(topics); i++) {
        ix_suggest_name(s, topics[i].name, strlen(topics[i].name));
        if (topics[i].list == IX_TOPICS_errors)
            ix_suggest_name(s, topics[i].sign, strlen(topics[i].sign));
    }
}
