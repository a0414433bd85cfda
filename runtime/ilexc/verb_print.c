/* SPDX-License-Identifier: MIT
 *
 * `ilexc print`: a program as text after one of the compiler's passes.
 */
#include "runtime/ilexc/ilexc.h"

#include <string.h>

#include "lib/base/suggest.h"

/* What can be printed beside passes. */
static const char *const others[] = {"parsed", "steps",   "hash", "paths",
                                     "counts", "explain", "json"};

/* Is there a pass of that name, or another thing to print? */
static bool
is_pass(const char *name)
{
    const char *at = ilex_table("passes");
    while (at && *at) {
        size_t word = strcspn(at, "\t\n");
        if (strlen(name) == word && strncmp(at, name, word) == 0)
            return true;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return false;
}

/* The pass that is meant. */
static ix_suggestion_text
suggest(const char *name)
{
    ix_suggestion s = ix_suggest(name, strlen(name));
    ix_suggest_lines(&s, ilex_table("passes"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ix_suggest_name(&s, others[i], strlen(others[i]));
    return ix_suggestion_show(&s);
}

ix_cli_exit
ix_cli_verb_print(const ix_cli_command *c)
{
    ix_cli_session s;
    const char *stage = ix_cli_options_value(c, IX_FLAG_STAGE, "parsed");
    if (!is_pass(stage))
        return ix_cli_usage(
            c->verb, "there is no pass %s%s%s", stage, suggest(stage).s,
            *suggest(stage).s ? "" : "; `ilexc --passes` lists them");
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK)
        status = ix_cli_output(&s, c, ilex_module_stage(s.module, stage));
    ix_cli_session_close(&s);
    return status;
}
