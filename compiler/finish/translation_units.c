/* SPDX-License-Identifier: MIT
 *
 * Pass translation_units: which kernels share a translation unit, for compilers
 * that are slow on long ones and may run side by side. needs: flat statements;
 * gives: kernels that start a unit: a large kernel stands alone, small ones
 * fill one; breaks: nothing.
 */
#include "compiler/tree/tree.h"

bool
ix_pass_translation_units(ix_unit *u)
{
    int sum = 0;
    bool alone = true;
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        k->starts_unit = false;
        if (k->like)
            continue;
        int count = ix_stmt_count(k->body);
        bool large = count >= IX_LARGE_KERNEL;
        k->starts_unit = alone || large || sum + count > IX_UNIT;
        sum = k->starts_unit ? count : sum + count;
        alone = large;
    }
    return true;
}
