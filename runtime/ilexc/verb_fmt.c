/* SPDX-License-Identifier: MIT
 *
 * `ilexc fmt`: the canonical layout of a program's text. Comments and names
 * are kept; the graph is not looked at.
 */
#include "runtime/ilexc/ilexc.h"

#include <string.h>

ix_cli_exit
ix_cli_verb_fmt(const ix_cli_command *c)
{
    ix_cli_session s;
    bool in_place = ix_cli_options_value(c, IX_FLAG_INPLACE, NULL) != NULL;
    ix_cli_exit status = ix_cli_session_open(&s, c);
    if (status == IX_EXIT_OK && in_place && strcmp(c->file, "-") == 0)
        status = ix_cli_usage(c->verb, "-i wants a file, not standard input");
    if (status == IX_EXIT_OK) {
        char *text = ilex_text_fmt(s.ctx, s.text, ix_cli_session_file(c));
        if (!text || !in_place) {
            status = ix_cli_output(&s, c, text);
        } else {
            if (strcmp(text, s.text) != 0)
                status = ix_cli_output_replace(c->file, text);
            ilex_text_free(s.ctx, text);
        }
    }
    ix_cli_session_close(&s);
    return status;
}
