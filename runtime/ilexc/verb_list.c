/* SPDX-License-Identifier: MIT
 *
 * `ilexc list`: the tables, a line for each row.
 */
#include "runtime/ilexc/ilexc.h"

#include <stdio.h>
#include <string.h>

#include "runtime/ilexc/help.h"

/* Length of the first sentence. */
static int
sentence(const char *text)
{
    const char *end = strstr(text, ". ");
    return end ? (int)(end - text) + 1 : (int)strlen(text);
}

static void
list_lists(void)
{
    for (int i = 0; i < IX_NTOPICLISTS; i++)
        printf("%-12s%s\n", ix_topic_lists[i].name, ix_topic_lists[i].meaning);
}

/* Prints the rows of a list: names, signs if they have some, and a sentence. */
static void
list_rows(ix_topic_list list)
{
    const ix_topic *t;
    bool signs = list == IX_TOPICS_ops || list == IX_TOPICS_errors;
    for (size_t i = 0; (t = ix_topic_at(i)); i++) {
        if (t->list != list)
            continue;
        printf("%-16s ", t->name);
        if (signs)
            printf("%-*s ", list == IX_TOPICS_ops ? 2 : 22,
                   t->sign ? t->sign : "");
        printf("%.*s\n", sentence(t->meaning), t->meaning);
    }
}

ix_cli_exit
ix_cli_verb_list(const ix_cli_command *c)
{
    if (!c->file) {
        list_lists();
        return IX_EXIT_OK;
    }
    ix_suggestion near = ix_suggest(c->file, strlen(c->file));
    for (int i = 0; i < IX_NTOPICLISTS; i++) {
        const char *name = ix_topic_lists[i].name;
        if (strcmp(name, c->file) == 0) {
            list_rows((ix_topic_list)i);
            return IX_EXIT_OK;
        }
        ix_suggest_name(&near, name, strlen(name));
    }
    return ix_cli_usage(c->verb, "there is no list %s%s", c->file,
                        ix_suggestion_show(&near).s);
}
