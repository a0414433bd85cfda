/* SPDX-License-Identifier: MIT
 *
 * The disk cache seen from a request to the C compiler: its key, loading what
 * was found, storing what was made.
 */
#ifndef ILEX_RUNTIME_CC_CACHE_H
#define ILEX_RUNTIME_CC_CACHE_H

#include "runtime/jit/jit.h"

typedef struct ix_cc_cache {
    const ix_jit_request *req;
    ix_cache cache;
    ix_cache_key key;
    int lock;     /* that others wait for, or -1 */
    bool keyed;   /* false: there is nothing to look up or to store */
    ix_error why; /* then, and after a miss */
} ix_cc_cache;

/* Opens the cache and makes the key; false and "err" for a request that is
 * wrong. A cache that cannot be used is not an error. To be closed in any case.
 */
bool ix_cc_cache_open(ix_cc_cache *c, const ix_mem *mem,
                      const ix_jit_request *req, ix_error *err);
void ix_cc_cache_close(ix_cc_cache *c);

/* "*code" if the cache has it and it loads; else NULL, and a note says why.
 * False and "err" without memory, and with mode must_hit if there is none. */
bool ix_cc_cache_find(ix_cc_cache *c, void **entries, ix_code **code,
                      ix_error *err);

/* Before compiling what is to be stored: others who want the same wait until
 * the cache is closed, or for ten seconds. True if another process was
 * compiling it: it is to be looked up again. */
bool ix_cc_cache_reserve(ix_cc_cache *c);

/* Stores what was compiled and could be loaded; false and "err" without memory.
 */
bool ix_cc_cache_store(const ix_cc_cache *c, const void *image, size_t size,
                       ix_error *err);

#endif
