/* SPDX-License-Identifier: MIT
 *
 * Random numbers: a number in [0, 1) for a key and one to four words of 32
 * bits, by Philox 4x32-10. It is a scalar expression of the operator philox.
 */
#ifndef ILEX_LIB_RANDOM_H
#define ILEX_LIB_RANDOM_H

#include "lib/build/build.h"

enum { IX_RANDOM_WORDS = 4 };

/* The scalar random(key, word...), f64 or f32. Words are integer scalars: those
 * that may be none of 32 bits over "box" (NULL: not known) are checked by a
 * run. */
ilex_array *ix_random_scalar(ilex_context *ctx, bool single,
                             const ix_domain *box, ilex_array *key, int count,
                             ilex_array *const *word);

/* The same of arrays, which are broadcast; the key has rank 0. */
ilex_array *ix_build_random(ilex_context *ctx, bool single, ilex_array *key,
                            int count, ilex_array *const *word);

/* What a scalar is random of. */
typedef struct ix_random_parts {
    bool single;
    const ilex_array *key, *word[IX_RANDOM_WORDS];
    int count;
} ix_random_parts;

/* Is "n" what ix_random_scalar makes? Then of what. */
bool ix_random_parts_of(const ilex_array *n, ix_random_parts *parts);

#endif
