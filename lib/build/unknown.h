/* SPDX-License-Identifier: MIT */
#ifndef ILEX_LIB_UNKNOWN_H
#define ILEX_LIB_UNKNOWN_H

#include "lib/build/build.h"

/* Reports that "x" is not known on all of "box", a box on its axes: the read
 * further down that leaves its operand, with the arrays whose reads lead there.
 */
void ix_report_unknown(ilex_context *ctx, const char *what, const ilex_array *x,
                       const ix_domain *box);

#endif
