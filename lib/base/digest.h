/* SPDX-License-Identifier: MIT
 *
 * Digests of 128 bits: MurmurHash3_x64_128 (Austin Appleby, public domain) with
 * seed 0, over bytes that come in pieces; numbers are taken as eight bytes,
 * lowest first, so that a digest is the same everywhere. It spreads well and is
 * fast; it does not resist somebody who looks for two inputs with one digest.
 */
#ifndef ILEX_LIB_DIGEST_H
#define ILEX_LIB_DIGEST_H

#include "lib/base/prelude.h"

enum { IX_DIGEST_BYTES = 16 };

typedef struct ix_digest {
    uint64_t h[2];
} ix_digest;

/* A digest in the making; zero it to start. */
typedef struct ix_digester {
    uint64_t h[2], length;
    /* length % 16 bytes that wait, and room for a number behind them */
    unsigned char block[IX_DIGEST_BYTES + 8];
} ix_digester;

void ix_digest_bytes(ix_digester *d, const void *bytes, size_t n);
void ix_digest_number(ix_digester *d, uint64_t v);
/* The length and the bytes. */
void ix_digest_text(ix_digester *d, const char *s);
void ix_digest_add(ix_digester *d, const ix_digest *part);

/* The digest of what came so far. */
ix_digest ix_digest_end(const ix_digester *d);

/* As bytes, those of h[0] first, each lowest first. */
void ix_digest_write(const ix_digest *d, uint8_t out[IX_DIGEST_BYTES]);

/* An order of digests: <0, 0, >0. */
int ix_digest_compare(const ix_digest *a, const ix_digest *b);

#endif
