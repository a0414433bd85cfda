/* SPDX-License-Identifier: MIT
 *
 * `ilexc explain`: what the compiler made of a program, and why.
 */
#include "runtime/ilexc/ilexc.h"

ix_cli_exit
ix_cli_verb_explain(const ix_cli_command *c)
{
    ix_cli_session s;
    bool json = ix_cli_options_value(c, IX_FLAG_JSON, NULL) != NULL;
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK && ix_cli_options_value(c, IX_FLAG_GRID, NULL))
        status = ix_cli_explain_grid(&s, c);
    else if (status == IX_EXIT_OK)
        status = ix_cli_output(
            &s, c, ilex_module_stage(s.module, json ? "json" : "explain"));
    ix_cli_session_close(&s);
    return status;
}
