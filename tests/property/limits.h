/* SPDX-License-Identifier: MIT
 *
 * Programs around the limits of the compiler: whatever `check` accepts is
 * compiled and gives the same on every back end. limits_texts.c and
 * limits_guards.c draw the texts, each by a row of limits.def; limits_main.c
 * compiles, runs, compares and reports in TAP.
 */
#ifndef ILEX_TESTS_LIMITS_H
#define ILEX_TESTS_LIMITS_H

#include "lib/base/text.h"
#include "tests/differential/differential.h"

/* Writes one random program: inputs of i64, whose arithmetic is exact; sizes
 * s0, s1, ... may be 0 or 1, others 1 to 7. */
#define LIMIT(name, chance, meaning)                                           \
    void limit_##name(diff_random *r, ix_text *t);
#include "tests/property/limits.def"

#endif
