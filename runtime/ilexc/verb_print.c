/* SPDX-License-Identifier: MIT
 *
 * `ilexc print`: a program as text after one of the compiler's passes.
 */
#include "runtime/ilexc/ilexc.h"

#include <string.h>

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
    return strcmp(name, "parsed") == 0 || strcmp(name, "steps") == 0 ||
           strcmp(name, "hash") == 0 || strcmp(name, "paths") == 0 ||
           strcmp(name, "counts") == 0;
}

ix_cli_exit
ix_cli_verb_print(const ix_cli_command *c)
{
    ix_cli_session s;
    const char *stage = ix_cli_options_value(c, IX_FLAG_STAGE, "parsed");
    if (!is_pass(stage))
        return ix_cli_usage(
            c->verb, "there is no pass %s; `ilexc --passes` lists them", stage);
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK)
        status = ix_cli_output(&s, c, ilex_module_stage(s.module, stage));
    ix_cli_session_close(&s);
    return status;
}
