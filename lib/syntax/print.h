/* SPDX-License-Identifier: MIT
 *
 * Canonical text of graphs (grammar: doc/ilx.md). Reading it back in the same
 * context gives the same nodes.
 */
#ifndef ILEX_LIB_PRINT_H
#define ILEX_LIB_PRINT_H

#include "lib/base/text.h"
#include "lib/build/module.h"

/* The whole program. ILEX_E_ARGUMENT for poison, ILEX_E_LIMIT for the body of
 * an index lambda that is too large to write. */
ilex_status ix_print_module(ilex_module *m, ix_text *t);

/* The same with the names of the source: what a `let` names is a statement of
 * that name. Reads back as the same program; not what is hashed. For dumps. */
ilex_status ix_print_labelled(ilex_module *m, ix_text *t);

/* As ix_print_module for outputs without a module; they are called v0, v1,
 * ... or, if "names" is not NULL, as it says. For dumps. */
ilex_status ix_print_arrays(ilex_context *ctx, size_t count,
                            ilex_array *const *outputs,
                            const char *const *names, ix_text *t);

/* The body of an index lambda with _0, _r0, _in0[_0 + 1, _1]; ends with "..."
 * if it is too large. For dumps. */
void ix_print_scalar(ilex_context *ctx, const ilex_array *body, ix_text *t);

/* The same for the body of an array that reads others by load slots: slot k is
 * written v<operand[k]>. */
void ix_print_body_of(ilex_context *ctx, const ilex_array *body,
                      const int *operand, ix_text *t);

/* What a node says beside its operands, as ilex_array_attributes has it. */
void ix_print_attributes(ilex_context *ctx, const ilex_array *n, ix_text *t);

/* How tightly things bind, as in ops.def. */
enum {
    IX_PRECEDENCE_SUM = 9,
    IX_PRECEDENCE_PRODUCT = 10,
    IX_PRECEDENCE_PREFIX = 11,
    IX_PRECEDENCE_ATOM = 12
};

/* fmt.c: what stands on both sides of a binary operator: " " or "". "tight":
 * inside brackets. */
const char *ix_print_blank(ix_op op, bool tight);

#endif
