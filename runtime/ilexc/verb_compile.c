/* SPDX-License-Identifier: MIT
 *
 * `ilexc compile`: files that need no Ilex.
 */
#include "runtime/ilexc/ilexc.h"

ix_cli_exit
ix_cli_verb_compile(const ix_cli_command *c)
{
    ix_cli_session s;
    ilex_library_spec spec = {
        .size = sizeof spec,
        .directory = ix_cli_options_value(c, IX_FLAG_DIRECTORY, "."),
        .prefix = ix_cli_options_value(c, IX_FLAG_PREFIX, NULL)};
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK && ilex_emit_library(s.module, &spec) != ILEX_OK)
        status = ix_cli_library_error(s.ctx);
    ix_cli_session_close(&s);
    return status;
}
