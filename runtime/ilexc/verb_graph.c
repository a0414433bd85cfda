/* SPDX-License-Identifier: MIT
 *
 * `ilexc graph`: the graph of arrays as a picture description, or a page that
 * shows what became of each line.
 */
#include "runtime/ilexc/ilexc.h"

ix_cli_exit
ix_cli_verb_graph(const ix_cli_command *c)
{
    ix_cli_session s;
    bool html = ix_cli_options_value(c, IX_FLAG_HTML, NULL) != NULL;
    if (html && ix_cli_options_value(c, IX_FLAG_DOT, NULL))
        return ix_cli_usage(c->verb, "either --dot or --html");
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK)
        status = ix_cli_output(&s, c,
                               html ? ilex_module_html(s.module, s.text)
                                    : ilex_module_dot(s.module));
    ix_cli_session_close(&s);
    return status;
}
