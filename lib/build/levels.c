/* SPDX-License-Identifier: MIT
 *
 * The levels of a scan, counted as they come, and its chunks.
 */
#include "lib/build/scan.h"

const char *
ix_combining_text(ix_combining chunks)
{
    static const char *const text[] = {[IX_COMBINE_NOT] = "",
                                       [IX_COMBINE_SUM] = " chunked sum",
                                       [IX_COMBINE_PROD] = " chunked prod"};
    return text[chunks];
}

ilex_array *
ix_scan_index(ilex_context *ctx, ilex_array *level, const ix_axis *ax,
              bool backward)
{
    ilex_array *first =
        ix_index_lin(ctx, backward ? ix_lin_offset(ctx, ax->hi, -1) : ax->lo);
    return ix_index_fma(ctx, first, backward ? -1 : 1, level);
}

ilex_array *
ix_scan_level(ilex_context *ctx, int axis, const ix_axis *ax, bool backward)
{
    ilex_array *index = ix_scalar_index(ctx, axis);
    ilex_array *first =
        ix_scan_index(ctx, ix_index_const(ctx, 0), ax, backward);
    return backward ? ix_index_fma(ctx, first, -1, index)
                    : ix_index_fma(ctx, index, -1, first);
}
