/* SPDX-License-Identifier: MIT
 *
 * The machine that kernels are for, as passes see it: a record, which is a row
 * of targets.def, or that of the machine that the process runs on, or given
 * field by field.
 */
#ifndef ILEX_COMPILER_TARGET_H
#define ILEX_COMPILER_TARGET_H

#include "lib/base/machine.h"
#include "lib/graph/context.h"

typedef struct ix_target {
    const char *name;
#define IX_TARGET_FIELD(name, kind, least, most, meaning) int64_t name;
#include "compiler/target/fields.def"
} ix_target;

typedef enum ix_target_name {
#define IX_TARGET(name, ...) IX_TARGET_##name,
#include "compiler/target/targets.def"
    IX_NTARGETS
} ix_target_name;

extern const ix_target ix_targets[IX_NTARGETS];

/* The target of kernels for a GPU, or for the CPU that option target names:
 * without one that of this machine, and of source that stands "alone" any. It
 * is a row, or "*own" is filled; NULL after recording an error. */
const ix_target *ix_target_of(ilex_context *ctx, ix_target_name kind,
                              bool alone, ix_target *own);

/* The record of a processor, a row, in the machine "m". */
ix_target ix_target_on(ix_target_name processor, const ix_machine *m);

/* The value of a field of that name, of "L2" that of l2_bytes; false: there is
 * none. */
bool ix_target_figure(const ix_target *t, const char *name, int64_t *value);

/* Appends its fields as option target reads them. */
void ix_target_put(const ix_target *t, struct ix_text *text);

#endif
