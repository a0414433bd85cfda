/* SPDX-License-Identifier: MIT
 *
 * `ilexc check`: reads a program and takes it through the proofs: types,
 * domains, every access inside its operand, halos.
 */
#include "runtime/ilexc/ilexc.h"

ix_cli_exit
ix_cli_verb_check(const ix_cli_command *c)
{
    ix_cli_session s;
    ix_cli_exit status = ix_cli_session_parse(&s, c);
    if (status == IX_EXIT_OK) {
        char *text = ilex_module_stage(s.module, "extents");
        if (!text)
            status = ix_cli_library_error(s.ctx);
        else
            ilex_text_free(s.ctx, text);
    }
    ix_cli_session_close(&s);
    return status;
}
