/* SPDX-License-Identifier: MIT
 *
 * Structural constructors: generated from nodes.def and
 * functions.def by lib/build/kinds.sh.
 *
 * Axes are text: a name, "I", or a number from either end, "-1". Bounds are
 * text, affine in sizes: "n-1". NULL operands give NULL, poison gives poison.
 * Operands stay the caller's; the result belongs to the current scope. Context
 * thread.
 */
#ifndef ILEX_KINDS_H
#define ILEX_KINDS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y's axis k is x's axis axes[k]; NULL reverses. */
ILEX_API ilex_array *ilex_permute(ilex_array *x, const int *axes);

/* y(i) = x(start + step*i), for i in [0, length), length so that Python's
 * start:stop:step is covered. One triple for each axis; bounds are text
 * affine in sizes, e.g. "1", "n-1"; step != 0 constant. NULL for a bound:
 * from the end where the slice starts, to the other one; for all steps: 1.
 * Result axes start at 0. */
ILEX_API ilex_array *ilex_slice(ilex_array *x, const char *const *start,
                                const char *const *stop, const int64_t *step);

/* y(i) = x(i - by) along one axis, round its ends, as NumPy's roll; y is
 * defined where x nominally is. On an axis of constant length `by` is
 * anything; on a symbolic one it must be known to stay within 8 lengths,
 * else ILEX_E_UNSUPPORTED: assume "n >= k". */
ILEX_API ilex_array *ilex_roll(ilex_array *x, const char *axis, const char *by);

/* y(i) = x(lo + hi - 1 - i) along the axes, NULL for all: the order of the
 * elements reversed, on the same domain. */
ILEX_API ilex_array *ilex_flip(ilex_array *x, const char *axes);

/* ---- kinds that this version does not have ----
 *
 * With a context they report ILEX_E_UNSUPPORTED and return poison (an
 * operand's poison without a new error). What else they take comes with them.
 */

/* "concat": arrays one after another along an axis */
ILEX_API ilex_array *ilex_concat(ilex_context *ctx, int count,
                                 ilex_array *const *operands);

/* "stack": arrays along a new axis */
ILEX_API ilex_array *ilex_stack(ilex_context *ctx, int count,
                                ilex_array *const *operands);

/* "gather": elements at indices that are data */
ILEX_API ilex_array *ilex_gather(ilex_context *ctx, int count,
                                 ilex_array *const *operands);

/* "remap": elements at the neighbours that a connectivity lists */
ILEX_API ilex_array *ilex_remap(ilex_context *ctx, int count,
                                ilex_array *const *operands);

/* "combine": fields on adjacent domains as one */
ILEX_API ilex_array *ilex_combine(ilex_context *ctx, int count,
                                  ilex_array *const *operands);

/* "compress": elements where a mask is true */
ILEX_API ilex_array *ilex_compress(ilex_context *ctx, int count,
                                   ilex_array *const *operands);

/* "scan": a recurrence along one axis, forward or backward */
ILEX_API ilex_array *ilex_scan(ilex_context *ctx, int count,
                               ilex_array *const *operands);

/* "csr_matmul": a sparse matrix in compressed rows times an array */
ILEX_API ilex_array *ilex_csr_matmul(ilex_context *ctx, int count,
                                     ilex_array *const *operands);

/* "call": an outlined function of arrays */
ILEX_API ilex_array *ilex_invoke(ilex_context *ctx, int count,
                                 ilex_array *const *operands);

/* "extern": a C or CUDA function of the user */
ILEX_API ilex_array *ilex_foreign(ilex_context *ctx, int count,
                                  ilex_array *const *operands);

/* "send": an array to another process */
ILEX_API ilex_array *ilex_send(ilex_context *ctx, int count,
                               ilex_array *const *operands);

/* "recv": an array from another process */
ILEX_API ilex_array *ilex_recv(ilex_context *ctx, int count,
                               ilex_array *const *operands);

#ifdef __cplusplus
}
#endif
#endif
