/* SPDX-License-Identifier: MIT
 *
 * einsum as a record: labels, operands and the path in which they are
 * multiplied. What the constructor, the printer and the pass `contract` share.
 */
#ifndef ILEX_LIB_EINSUM_H
#define ILEX_LIB_EINSUM_H

#include "lib/base/text.h"
#include "lib/build/module.h"

enum { IX_EINSUM_LABELS = 64 };

typedef struct ix_einsum {
    ilex_dtype acc;
    bool rounded; /* products are rounded before they are added */
    ix_labels result;
    int count;
    ix_labels labels[ILEX_MAX_RANK];
    ilex_array *operand[ILEX_MAX_RANK];
    ix_einsum_path path;
} ix_einsum;

/* What the node "n" says. */
void ix_einsum_read(const ilex_array *n, ix_einsum *e);

/* The dtype in which sums are formed by default, of operands with the promoted
 * dtype "factors" and a result of "dtype": what both have in common. */
ilex_dtype ix_einsum_acc(ilex_dtype factors, ilex_dtype dtype);

/* In which they are formed for accumulator "acc": of real factors alone in the
 * dtype of its real part. */
ilex_dtype ix_einsum_sum(int count, ilex_array *const *factor, ilex_dtype acc);

/* The node, without checks. */
ilex_array *ix_einsum_node(ilex_context *ctx, const ix_einsum *e,
                           ilex_dtype dtype, const ix_domain *interior,
                           const ix_domain *valid);

/* The range of every label over all operands. */
typedef struct ix_label_axes {
    bool used[IX_EINSUM_LABELS];
    ix_axis interior[IX_EINSUM_LABELS], valid[IX_EINSUM_LABELS];
} ix_label_axes;
bool ix_einsum_axes(ilex_context *ctx, const ix_einsum *e, ix_label_axes *all);

/* ---- einsum_dots.c ---- */

/* Gives the axes under `...` labels of their own, which take its place; false
 * after an error. */
bool ix_einsum_dots(ilex_context *ctx, ix_einsum *e);

/* ---- einsum_path.c ---- */

/* Labels as bits. */
uint64_t ix_labels_set(const ix_labels *l);

/* Labels of the result and of the operands that are not in "inside", a set of
 * operand numbers: what a product of those inside must keep. */
uint64_t ix_einsum_needed(const ix_einsum *e, uint32_t inside);

/* Labels of the product of two terms, of which "needed" are kept: in the order
 * of the first term that has them all, else in order of first appearance. */
void ix_einsum_keep(const ix_labels *a, const ix_labels *b, uint64_t needed,
                    ix_labels *keep);

/* The path with the fewest multiplications; none (n = 0) for less than three
 * operands, and where every path has a product of too many axes. */
void ix_einsum_choose(ilex_context *ctx, const ix_einsum *e,
                      ix_einsum_path *path);

/* Has every product on the path at most ILEX_MAX_RANK axes, and sums over no
 * more? */
bool ix_einsum_path_fits(const ix_einsum *e);

/* ---- einsum_cost.c ---- */

/* What ilex_einsum_path says of every einsum that the outputs reach, each
 * behind a line with its name. */
void ix_einsum_print_paths(ilex_module *m, ix_text *t);

#endif
