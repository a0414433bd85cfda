/* SPDX-License-Identifier: MIT
 *
 * The text of the routines, for files that compile it for one kind of
 * processor: they say so, and how ix_call_routine is called there.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* In this order: */
/* clang-format off */
#include "lib/sort/keys.inc"
#include "lib/sort/network.inc"
#include "lib/sort/digits.inc"
#include "lib/sort/rows.inc"
#include "lib/sort/complex.inc"
#include "lib/sort/search.inc"
#include "lib/sort/top.inc"
#include "lib/sort/routine.inc"
/* clang-format on */
_Static_assert(sizeof ix_sorted_types / sizeof *ix_sorted_types == ILEX_NDTYPES,
               "a dtype is missing in keys.inc");
