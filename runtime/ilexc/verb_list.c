/* SPDX-License-Identifier: MIT
 *
 * `ilexc list`: the tables, a line for each row.
 */
#include "runtime/ilexc/ilexc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/ilexc/help.h"
#include "runtime/jit/jit.h"
#include "runtime/memory/space.h"

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

/* Is the back end there? */
static const char *
state_of(const char *backend)
{
    ix_error none;
    ix_error_clear(&none);
    if (strcmp(backend, "tcc") == 0)
        return ix_jit_tcc_available() ? "built in" : "not built";
    if (strcmp(backend, "cc") == 0)
        return access(ix_jit_cc_path(&(ix_jit_request){0}), X_OK) == 0
                   ? "found"
                   : "missing";
    if (strcmp(backend, "nvrtc") == 0)
        return !ix_nvrtc_available()    ? "missing"
               : !ix_cuda_driver(&none) ? "no device"
                                        : "found";
    return "built in";
}

/* Prints the rows of a list: names, signs if they have some, of back ends
 * whether they are there, and a sentence. */
static void
list_rows(ix_topic_list list)
{
    const ix_topic *t;
    bool signs = list == IX_TOPICS_ops || list == IX_TOPICS_errors;
    for (size_t i = 0; (t = ix_topic_at(i)); i++) {
        if (t->list != list)
            continue;
        printf("%-17s ", t->name);
        if (signs)
            printf("%-*s ", list == IX_TOPICS_ops ? 2 : 22,
                   t->sign ? t->sign : "");
        if (list == IX_TOPICS_backends)
            printf("%-9s ", state_of(t->name));
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
