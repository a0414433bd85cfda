/* SPDX-License-Identifier: MIT
 *
 * split L BY: strip-mines a loop. With [min] the last strip is shorter:
 *
 *     for o in [lo, hi) step BY
 *         w = min(hi - o, BY)
 *         for i in [0, w)
 *             ...[o + i]
 *
 * with [peel] the rest is a loop of its own:
 *
 *     m = lo + BY * ((hi - lo) // BY)
 *     for o in [lo, m) step BY
 *         for i in [0, BY)
 *             ...[o + i]
 *     for t in [m, hi)
 *         ...[t]
 */
#include "compiler/loop/loop.h"

ix_refusal
ix_refuse(ix_unit *u, ix_refusal_class class, const char *format, ...)
{
    ix_text t;
    ix_mem mem = ix_arena_mem(&u->arena);
    va_list args;
    ix_text_init(&t, &mem);
    va_start(args, format);
    ix_text_vformat(&t, format, args);
    va_end(args);
    return (ix_refusal){class, ix_text_string(&t)};
}
