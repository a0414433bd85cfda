/* SPDX-License-Identifier: MIT */
#include "lib/base/digest.h"

/* The constants of MurmurHash3_x64_128: multipliers of the two halves of a
 * block, what is added to the state after each, and those of fmix64. */
#define C1 0x87c37b91114253d5u
#define C2 0x4cf5ad432745937fu
#define ADD1 0x52dce729u
#define ADD2 0x38495ab5u
#define FMIX1 0xff51afd7ed558ccdu
#define FMIX2 0xc4ceb9fe1a85ec53u

static uint64_t
rotate(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

/* Eight bytes, lowest first; written out, it is one instruction. */
static uint64_t
load(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
           (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static void
store(unsigned char *p, uint64_t v)
{
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
    p[2] = (unsigned char)(v >> 16);
    p[3] = (unsigned char)(v >> 24);
    p[4] = (unsigned char)(v >> 32);
    p[5] = (unsigned char)(v >> 40);
    p[6] = (unsigned char)(v >> 48);
    p[7] = (unsigned char)(v >> 56);
}

/* What the halves of a block change in the state. */
static uint64_t
first_half(uint64_t k)
{
    return rotate(k * C1, 31) * C2;
}

static uint64_t
second_half(uint64_t k)
{
    return rotate(k * C2, 33) * C1;
}

static void
mix_block(uint64_t h[2], const unsigned char *block)
{
    h[0] ^= first_half(load(block));
    h[0] = (rotate(h[0], 27) + h[1]) * 5 + ADD1;
    h[1] ^= second_half(load(block + 8));
    h[1] = (rotate(h[1], 31) + h[0]) * 5 + ADD2;
}

void
ix_digest_bytes(ix_digester *d, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    while (n > 0) {
        size_t used = (size_t)(d->length % IX_DIGEST_BYTES);
        size_t take = IX_DIGEST_BYTES - used < n ? IX_DIGEST_BYTES - used : n;
        memcpy(d->block + used, p, take);
        d->length += take;
        p += take;
        n -= take;
        if (used + take == IX_DIGEST_BYTES)
            mix_block(d->h, d->block);
    }
}

void
ix_digest_number(ix_digester *d, uint64_t v)
{
    size_t used = (size_t)(d->length % IX_DIGEST_BYTES);
    store(d->block + used, v);
    d->length += sizeof v;
    if (used + sizeof v < IX_DIGEST_BYTES)
        return;
    mix_block(d->h, d->block);
    memcpy(d->block, d->block + IX_DIGEST_BYTES, sizeof v);
}

void
ix_digest_text(ix_digester *d, const char *s)
{
    size_t n = strlen(s);
    ix_digest_number(d, n);
    ix_digest_bytes(d, s, n);
}

void
ix_digest_add(ix_digester *d, const ix_digest *part)
{
    ix_digest_number(d, part->h[0]);
    ix_digest_number(d, part->h[1]);
}

static uint64_t
fmix(uint64_t k)
{
    k = (k ^ k >> 33) * FMIX1;
    k = (k ^ k >> 33) * FMIX2;
    return k ^ k >> 33;
}

ix_digest
ix_digest_end(const ix_digester *d)
{
    ix_digest r = {{d->h[0], d->h[1]}};
    unsigned char tail[IX_DIGEST_BYTES] = {0};
    memcpy(tail, d->block, (size_t)(d->length % IX_DIGEST_BYTES));
    r.h[1] ^= second_half(load(tail + 8));
    r.h[0] ^= first_half(load(tail));
    r.h[0] ^= d->length;
    r.h[1] ^= d->length;
    r.h[0] += r.h[1];
    r.h[1] += r.h[0];
    r.h[0] = fmix(r.h[0]);
    r.h[1] = fmix(r.h[1]);
    r.h[0] += r.h[1];
    r.h[1] += r.h[0];
    return r;
}

void
ix_digest_write(const ix_digest *d, uint8_t out[IX_DIGEST_BYTES])
{
    store(out, d->h[0]);
    store(out + 8, d->h[1]);
}

int
ix_digest_compare(const ix_digest *a, const ix_digest *b)
{
    int i = a->h[0] == b->h[0];
    return (a->h[i] > b->h[i]) - (a->h[i] < b->h[i]);
}
