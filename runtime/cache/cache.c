/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/cache/cache.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/cache/directory.h"

/* ---- the setup ---- */

static void
log_note(void *user, ilex_level level, const char *text)
{
    ix_log(user, level, "%s", text);
}

/* The modes are the choices of the option, in order. */
static ix_cache_mode
mode_of(const char *word)
{
    int mode = IX_CACHE_MODE_OFF;
    size_t n = strlen(word);
    for (const char *p = ix_option_rows[IX_OPTION_cache].choices;
         *p && (strncmp(p, word, n) != 0 || (p[n] && p[n] != '|'));
         p += strcspn(p, "|"), p += *p == '|')
        mode++;
    return (ix_cache_mode)mode;
}

ix_cache_setup
ix_cache_setup_of(ilex_context *ctx)
{
    return (ix_cache_setup){
        .mode = mode_of(ix_option_text(ctx, IX_OPTION_cache)),
        .directory = ix_option_text(ctx, IX_OPTION_cache_dir),
        .size = ix_option_int(ctx, IX_OPTION_cache_size),
        .note = log_note,
        .note_user = ctx};
}

void
ix_cache_note(const ix_cache_setup *setup, ilex_level level, const char *fmt,
              ...)
{
    char text[2000];
    va_list args;
    if (!setup->note)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    setup->note(setup->note_user, level, text);
}

/* ---- opening ---- */

/* Has nobody in this process said "text" before? After many texts everything
 * counts as said. */
static bool
is_news(const char *text)
{
    static _Atomic(uint64_t) said[32];
    uint64_t hash = ix_hash_bytes(1, text, strlen(text)) | 1;
    for (size_t i = 0; i < IX_COUNT(said); i++) {
        uint64_t empty = 0;
        if (atomic_compare_exchange_strong(&said[i], &empty, hash))
            return true;
        if (empty == hash)
            return false;
    }
    return false;
}

/* Tells why there is no directory; who stores would make one that is not there.
 */
static void
note_absence(const ix_cache_setup *setup, const ix_error *reason)
{
    bool none = reason->code == ILEX_E_UNKNOWN;
    bool empty = none && setup->looks && setup->mode == IX_CACHE_MODE_RW;
    if (is_news(reason->text))
        ix_cache_note(setup, none ? ILEX_INFO : ILEX_WARNING,
                      "the disk cache is %s: %s", empty ? "empty" : "not used",
                      reason->text);
}

void
ix_cache_open(ix_cache *c, const ix_mem *mem, const ix_cache_setup *setup,
              ix_error *why)
{
    ix_error reason;
    ix_text path;
    ix_error_clear(&reason);
    *c = (ix_cache){*mem, *setup, -1};
    if (setup->mode == IX_CACHE_MODE_OFF) {
        ix_fail(why, ILEX_E_FILE, "option cache is off");
        return;
    }
    ix_text_init(&path, mem);
    if (ix_cache_directory_path(setup->directory, &path, &reason))
        c->dir = ix_cache_directory_open(
            mem, path.data, setup->mode == IX_CACHE_MODE_RW && !setup->looks,
            &reason);
    if (c->dir < 0) {
        ix_fail(why, reason.code, "%s", reason.text);
        note_absence(setup, &reason);
    }
    ix_text_free(&path);
}

void
ix_cache_close(ix_cache *c)
{
    if (c->dir >= 0)
        close(c->dir);
    c->dir = -1;
}

/* ---- looking up ---- */

static bool
is_same(const ix_cache_entry *e, const ix_cache_key *key)
{
    return e->key_length == key->text.length &&
           !memcmp(e->key, key->text.data, e->key_length);
}

static bool
may_change(const ix_cache *c)
{
    return c->dir >= 0 && c->setup.mode == IX_CACHE_MODE_RW;
}

void
ix_cache_forget(const ix_cache *c, const ix_cache_key *key)
{
    if (may_change(c))
        ix_cache_entry_remove(c->dir, key->name);
}

bool
ix_cache_look_up(const ix_cache *c, const ix_cache_key *key, ix_cache_entry *e,
                 ix_error *why)
{
    int file = -1;
    if (c->dir < 0)
        return ix_fail_false(why, ILEX_E_FILE, "there is no cache");
    ix_cache_found found =
        ix_cache_entry_read(c->dir, key->name, &c->mem, e, &file, why);
    if (found == IX_CACHE_BAD)
        ix_cache_forget(c, key);
    if (found != IX_CACHE_VALID)
        return false;
    bool same = is_same(e, key);
    if (same && may_change(c))
        ix_cache_touch(file);
    close(file);
    if (!same) {
        ix_fail(why, ILEX_E_FILE, "an entry of the same name has another key");
        ix_cache_entry_free(e);
    }
    return same;
}

/* Appends in what the entry "name" differs from the key. */
static void
explain_by(const ix_cache *c, const ix_cache_key *key, const char *name,
           ix_text *t, ix_error *why)
{
    ix_cache_entry e;
    if (ix_cache_entry_read(c->dir, name, &c->mem, &e, NULL, why) !=
        IX_CACHE_VALID)
        return;
    ix_text_put(t, "; an entry of the same source differs: ");
    ix_cache_key_differences(key, e.key, e.key_length, t);
    ix_cache_entry_free(&e);
}

void
ix_cache_explain(const ix_cache *c, const ix_cache_key *key, ix_text *t)
{
    ix_cache_files l;
    ix_error why;
    char source[IX_CACHE_SOURCE_NAME + 1] = "";
    const ix_cache_file *newest = NULL;
    ix_error_clear(&why);
    memcpy(source, key->name, IX_CACHE_SOURCE_NAME);
    if (ix_cache_list(c->dir, &c->mem, source, &l, &why))
        for (size_t i = 0; i < l.n; i++)
            if (l.file[i].kind == IX_CACHE_ENTRY &&
                strcmp(l.file[i].name, key->name) != 0)
                newest = &l.file[i];
    if (newest)
        explain_by(c, key, newest->name, t, &why);
    else
        ix_text_put(t, "; no entry has the same source");
    if (why.code == ILEX_E_MEMORY)
        t->failed = true;
    ix_cache_files_free(&l);
}

/* ---- storing ---- */

/* Under the lock. */
static bool
store(const ix_cache *c, const ix_cache_content *content, ix_error *why)
{
    ix_cache_removed removed = {0};
    bool ok = ix_cache_make_room(c->dir, &c->mem, c->setup.size,
                                 ix_cache_entry_size(content), &removed, why) &&
              ix_cache_entry_write(c->dir, content, why);
    if (removed.entries + removed.temporaries > 0)
        ix_cache_note(&c->setup, ILEX_INFO,
                      "cache: removed %zu entries, %zu temporary files, %lld "
                      "bytes",
                      removed.entries, removed.temporaries,
                      (long long)removed.bytes);
    return ok;
}

bool
ix_cache_store(const ix_cache *c, const ix_cache_content *content)
{
    ix_error why;
    if (!may_change(c))
        return true;
    ix_error_clear(&why);
    int lock = ix_cache_lock(c->dir, &why);
    bool ok = lock >= 0 && store(c, content, &why);
    if (lock >= 0)
        ix_cache_unlock(lock);
    if (ok)
        ix_cache_note(&c->setup, ILEX_INFO, "cache: stored %s",
                      content->key->name);
    else
        ix_cache_note(&c->setup, ILEX_INFO, "cache: not stored: %s", why.text);
    return why.code != ILEX_E_MEMORY;
}
