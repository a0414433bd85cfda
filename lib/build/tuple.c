/* SPDX-License-Identifier: MIT
 *
 * Results of tuples.
 */
#include "lib/build/tuple.h"

ilex_array *
ix_build_result(ilex_array *tuple, int k)
{
    int64_t attr = k;
    if (ix_is_poison(tuple))
        return tuple;
    const ix_domain *dom = ix_tuple_domain(tuple, k);
    ix_node_spec spec = {.kind = IX_RESULT,
                         .dtype = (ilex_dtype)ix_tuple_body(tuple, k)->dtype,
                         .interior = dom,
                         .valid = dom,
                         .nops = 1,
                         .ops = &tuple,
                         .nattr = 1,
                         .attr = &attr};
    return ix_node_scoped(tuple->ctx, &spec);
}
