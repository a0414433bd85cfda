/* SPDX-License-Identifier: MIT
 *
 * The context of isl that a context has, and its memory: no object of isl
 * outlives a question, so when GMP has no memory the context of isl is given up
 * with all that is in it, and the next question makes another.
 */
#ifndef ILEX_LIB_ISL_CONTEXT_H
#define ILEX_LIB_ISL_CONTEXT_H

#include <isl/ctx.h>

#include "lib/graph/context.h"

/* Made on first use; NULL when there is no memory, which is recorded. */
isl_ctx *ix_isl_of(ilex_context *ctx);

/* No operations are spent, and no error has been made. */
void ix_isl_renew_quota(ilex_context *ctx);

/* Calls "work", which asks isl, with "arg"; without a quota from then on. False
 * if there was no memory and what it had made of isl is lost. */
bool ix_isl_run(ilex_context *ctx, void (*work)(void *arg), void *arg);

#endif
