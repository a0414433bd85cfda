/* SPDX-License-Identifier: MIT
 *
 * The compression function exists twice: in C, and in the instructions that
 * x86-64 has for it, eight times as fast where there are any.
 */
#include "lib/base/sha256.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

enum { BLOCK = 64, ROUNDS = 64 };

/* The first 32 bits of the fractions of the cube roots of the first primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t
rotate(uint32_t v, int by)
{
    return v >> by | v << (32 - by);
}

static uint32_t
load(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static void
store(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* The words of a block and those that follow from them. */
static void
schedule(uint32_t w[ROUNDS], const unsigned char *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = load(block + 4 * i);
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void
compress_plain(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[ROUNDS], v[8];
    schedule(w, block);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                     ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
        uint32_t u = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

#if defined(__x86_64__)

/* The instructions keep a to h as (f, e, b, a) and (h, g, d, c), lowest first,
 * and take four words with their constants added. */
__attribute__((target("sha,sse4.1"))) static void
compress_instructions(uint32_t h[8], const unsigned char *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_loadu_si128((const __m128i *)h);
    __m128i high = _mm_loadu_si128((const __m128i *)(h + 4));
    __m128i cdab = _mm_shuffle_epi32(low, 0xb1);
    __m128i efgh = _mm_shuffle_epi32(high, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i first = abef, second = cdgh, w[4];
    for (int i = 0; i < 4; i++)
        w[i] = _mm_shuffle_epi8(
            _mm_loadu_si128((const __m128i *)(block + 16 * i)), swap);
    for (int i = 0; i < ROUNDS / 4; i++) {
        __m128i now = w[i % 4];
        __m128i k = _mm_add_epi32(
            now, _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
        __m128i last = w[(i + 3) % 4];
        w[i % 4] = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                          _mm_alignr_epi8(last, w[(i + 2) % 4], 4)),
            last);
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Asked once a process: cpuid takes microseconds in a virtual machine. */
static bool
has_instructions(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    unsigned a, b, c, d;
    if (answer != UNKNOWN)
        return answer == YES;
    bool has = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) &&
               __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
    atomic_store_explicit(&known, has ? YES : NO, memory_order_relaxed);
    return has;
}

#else

static bool
has_instructions(void)
{
    return false;
}

#endif

static void
compress(ix_sha256 *s, const unsigned char *block)
{
#if defined(__x86_64__)
    if (s->instructions) {
        compress_instructions(s->h, block);
        return;
    }
#endif
    compress_plain(s->h, block);
}

void
ix_sha256_start(ix_sha256 *s)
{
    /* the same of the square roots */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, start, sizeof start);
    s->length = 0;
    s->instructions = has_instructions();
}

void
ix_sha256_add(ix_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    while (n > 0) {
        size_t used = (size_t)(s->length % BLOCK);
        size_t take = BLOCK - used < n ? BLOCK - used : n;
        if (take == BLOCK) {
            compress(s, p);
        } else {
            memcpy(s->block + used, p, take);
            if (used + take == BLOCK)
                compress(s, s->block);
        }
        s->length += take;
        p += take;
        n -= take;
    }
}

/* A bit that is set, zeros, and the length in bits fill the last block. */
void
ix_sha256_end(ix_sha256 *s, unsigned char out[IX_SHA256_BYTES])
{
    static const unsigned char fill[BLOCK] = {0x80};
    unsigned char bits[8];
    size_t used = (size_t)(s->length % BLOCK);
    store(bits, (uint32_t)(s->length >> 29));
    store(bits + 4, (uint32_t)(s->length << 3));
    ix_sha256_add(s, fill, (used < 56 ? 56 : 120) - used);
    ix_sha256_add(s, bits, sizeof bits);
    for (int i = 0; i < 8; i++)
        store(out + 4 * i, s->h[i]);
}
