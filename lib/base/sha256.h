/* SPDX-License-Identifier: MIT
 *
 * SHA-256 (FIPS 180-4), for what was written to a file and is trusted when it
 * is read again. lib/base/digest.h is faster and for keys.
 */
#ifndef ILEX_LIB_SHA256_H
#define ILEX_LIB_SHA256_H

#include "lib/base/prelude.h"

enum { IX_SHA256_BYTES = 32 };

/* A sum in the making. */
typedef struct ix_sha256 {
    uint32_t h[8];
    uint64_t length;
    unsigned char block[64]; /* length % 64 bytes that wait */
    bool instructions;       /* the processor has some for it */
} ix_sha256;

void ix_sha256_start(ix_sha256 *s);
void ix_sha256_add(ix_sha256 *s, const void *bytes, size_t n);
/* Ends the sum; "s" is used up. */
void ix_sha256_end(ix_sha256 *s, unsigned char out[IX_SHA256_BYTES]);

#endif
