/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/jit/cc.h"

#include <stdio.h>

#include "runtime/cache/directory.h"
#include "runtime/cache/key.h"
#include "runtime/jit/code.h"

/* ---- the key ---- */

/* Version of the library and of how kernels are called. */
enum { KERNEL_ABI = 1 };

/* For as long the lock of a process that does not go on holds others up. */
enum { MOST_WAIT_MS = 10000 };

/* Adds a part that "t" holds, and empties that. */
static void
add_text(ix_cache_key *key, const char *name, ix_text *t)
{
    const char *s = ix_text_string(t);
    if (s)
        ix_cache_key_add(key, name, s);
    else
        key->text.failed = true;
    ix_text_free(t);
}

static void
add_symbols(ix_cache_key *key, const ix_mem *mem, const ix_jit_request *req)
{
    ix_text t;
    ix_text_init(&t, mem);
    for (size_t i = 0; i < req->nsymbols; i++)
        ix_text_format(&t, "%s\n", req->symbols[i]);
    add_text(key, "symbols", &t);
}

/* False and "why" without memory or compiler, and for flags that are wrong. */
static bool
make_key(ix_cache_key *key, const ix_mem *mem, const ix_jit_request *req,
         const char *command, ix_error *why)
{
    ix_text t;
    ix_text_init(&t, mem);
    ix_text_format(&t, "ilex %s, kernels %d", ilex_version(), KERNEL_ABI);
    add_text(key, "version", &t);
    ix_cache_put_machine(&t);
    add_text(key, "machine", &t);
    if (!ix_cache_put_compiler(ix_jit_cc_path(req), &t, why))
        return false;
    add_text(key, "compiler", &t);
    ix_cache_key_add(key, "command", command);
    add_symbols(key, mem, req);
    for (size_t i = 0; i < req->nsources; i++)
        ix_cache_key_add(key, "source", req->sources[i]);
    if (ix_cache_key_end(key))
        return true;
    return ix_fail_memory_false(why);
}

/* ---- the cache ---- */

bool
ix_cc_cache_open(ix_cc_cache *c, const ix_mem *mem, const ix_jit_request *req,
                 ix_error *err)
{
    c->req = req;
    c->keyed = false;
    c->lock = -1;
    ix_error_clear(&c->why);
    ix_cache_key_init(&c->key, mem);
    ix_cache_open(&c->cache, mem, &req->cache, &c->why);
    if (c->cache.dir < 0)
        return true;
    char *command = ix_jit_cc_command(mem, req, err);
    if (command)
        c->keyed = make_key(&c->key, mem, req, command, &c->why);
    ix_mem_free(mem, command);
    return command != NULL;
}

void
ix_cc_cache_close(ix_cc_cache *c)
{
    ix_cache_unreserve(c->cache.dir, c->key.name, c->lock);
    ix_cache_key_free(&c->key);
    ix_cache_close(&c->cache);
}

/* The code of an entry; "why" if there is none, or it does not load. */
static ix_code *
load_entry(ix_cc_cache *c, void **entries)
{
    ix_cache_entry e;
    if (!c->keyed || !ix_cache_look_up(&c->cache, &c->key, &e, &c->why))
        return NULL;
    ix_code *code = NULL;
    if (ix_cc_is_maker(e.made, e.made_length, &c->cache.mem, &c->why))
        code = ix_code_of_object(&c->cache.mem, c->req, e.object,
                                 e.object_length, entries, &c->why);
    ix_cache_entry_free(&e);
    if (!code && c->why.code != ILEX_E_MEMORY)
        ix_cache_forget(&c->cache, &c->key);
    return code;
}

/* Appends why there was nothing; what stands near only where a compile follows,
 * beside which the search is short. */
static void
put_reason(const ix_cc_cache *c, ix_text *t)
{
    ix_text_put(t, c->why.text);
    if (c->keyed && !c->req->cache.looks)
        ix_cache_explain(&c->cache, &c->key, t);
}

/* What a miss leads to; false if that is an error. */
static bool
miss(ix_cc_cache *c, ix_error *err)
{
    const ix_cache_setup *setup = &c->req->cache;
    bool must = setup->mode == IX_CACHE_MODE_MUST_HIT, ok = !must;
    ix_text t;
    ix_text_init(&t, &c->cache.mem);
    put_reason(c, &t);
    if (c->why.code == ILEX_E_MEMORY || t.failed)
        ok = ix_fail_memory(err) == ILEX_OK;
    else if (must)
        ix_fail(err, ILEX_E_TOOLCHAIN,
                "the disk cache does not have this program: %s "
                "(cache=must_hit; cache=rw compiles and stores it)",
                t.data);
    else if (c->keyed)
        ix_cache_note(setup, ILEX_INFO, "cache: miss of %s: %s", c->key.name,
                      t.data);
    ix_text_free(&t);
    return ok;
}

bool
ix_cc_cache_find(ix_cc_cache *c, void **entries, ix_code **code, ix_error *err)
{
    *code = NULL;
    if (c->req->cache.mode == IX_CACHE_MODE_OFF)
        return true;
    *code = load_entry(c, entries);
    if (!*code)
        return miss(c, err);
    ix_cache_note(&c->req->cache, ILEX_INFO, "cache: %s is used", c->key.name);
    return true;
}

bool
ix_cc_cache_reserve(ix_cc_cache *c)
{
    int64_t limit = c->req->timeout_ms;
    bool waited = false;
    if (!c->keyed || c->req->cache.mode != IX_CACHE_MODE_RW)
        return false;
    if (limit <= 0 || limit > MOST_WAIT_MS)
        limit = MOST_WAIT_MS;
    c->lock = ix_cache_reserve(c->cache.dir, c->key.name, limit, c->req->stop,
                               &waited);
    if (waited)
        ix_error_clear(&c->why);
    return waited;
}

bool
ix_cc_cache_store(const ix_cc_cache *c, const void *image, size_t size,
                  ix_error *err)
{
    if (!c->keyed || c->req->cache.mode != IX_CACHE_MODE_RW)
        return true;
    ix_text made;
    ix_text_init(&made, &c->cache.mem);
    ix_cc_put_maker(ix_jit_cc_path(c->req), &made);
    ix_cache_content content = {.key = &c->key,
                                .made = ix_text_string(&made),
                                .object = image,
                                .object_length = size};
    bool ok = content.made && ix_cache_store(&c->cache, &content);
    ix_text_free(&made);
    if (!ok)
        ix_fail_memory(err);
    return ok;
}
