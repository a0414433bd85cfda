/* SPDX-License-Identifier: MIT
 *
 * Pass schedule: directives for each kernel, which transform its loops.
 */
#include "compiler/schedule/schedule.h"

/* needs: reductions as loops; gives: the same elements by other loops; breaks:
 * nothing. */
bool
ix_pass_schedule(ix_unit *u)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (!u->reference && !u->target->grid)
            ix_policy(u, k);
    return u->ctx->error.code == ILEX_OK;
}
