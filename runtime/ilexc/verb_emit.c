/* SPDX-License-Identifier: MIT
 *
 * `ilexc emit`: the source that a program is compiled from.
 */
#include "runtime/ilexc/ilexc.h"

ix_cli_exit
ix_cli_verb_emit(const ix_cli_command *c)
{
    ix_cli_session s;
    bool cuda = ix_cli_options_value(c, IX_FLAG_CUDA, NULL) != NULL;
    bool plain_c = ix_cli_options_value(c, IX_FLAG_C, NULL) != NULL;
    bool lines = ix_cli_options_value(c, IX_FLAG_LINE, NULL) != NULL;
    const char *dialect = cuda ? "cuda" : plain_c ? "c" : "jit";
    const char *name = ix_cli_options_value(c, IX_FLAG_OUTPUT, NULL);
    if (cuda && plain_c)
        return ix_cli_usage(c->verb, "either --c or --cuda");
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK)
        status = ix_cli_output(
            &s, c,
            lines ? ilex_module_emit_lines(s.module, dialect, name)
                  : ilex_module_emit(s.module, dialect));
    ix_cli_session_close(&s);
    return status;
}
