/* SPDX-License-Identifier: MIT
 *
 * `ilexc cache`: looks after the disk cache of compiled programs. Actions are
 * rows of actions.def.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/ilexc/ilexc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cache/cache.h"
#include "runtime/cache/directory.h"

/* The directory that the options name, open. */
typedef struct folder {
    ilex_context *ctx;
    ix_cache_setup setup;
    ix_text path;
    int dir; /* -1: there is none yet */
    ix_cache_files files;
} folder;

/* Lists the directory; a folder that does not exist is empty. */
static ix_cli_exit
open_folder(folder *f, ilex_context *ctx)
{
    ix_error why;
    ix_error_clear(&why);
    memset(f, 0, sizeof *f);
    f->ctx = ctx;
    f->dir = -1;
    f->setup = ix_cache_setup_of(ctx);
    f->files.mem = ix_mem_default;
    ix_text_init(&f->path, &ix_mem_default);
    if (ix_cache_directory_path(f->setup.directory, &f->path, &why))
        f->dir =
            ix_cache_directory_open(&ix_mem_default, f->path.data, false, &why);
    if (f->dir >= 0)
        ix_cache_list(f->dir, &ix_mem_default, "", &f->files, &why);
    if (why.code == ILEX_OK || why.code == ILEX_E_UNKNOWN)
        return IX_EXIT_OK;
    return ix_cli_fail(ix_cli_exit_of(why.code), "the disk cache: %s",
                       why.text);
}

static void
close_folder(folder *f)
{
    ix_cache_files_free(&f->files);
    ix_text_free(&f->path);
    if (f->dir >= 0)
        close(f->dir);
}

/* ---- showing ---- */

static void
print_time(int64_t seconds)
{
    char text[40] = "?";
    time_t t = (time_t)seconds;
    struct tm parts;
    if (localtime_r(&t, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    fputs(text, stdout);
}

/* Of the first line. */
static size_t
line_length(const char *text, size_t length)
{
    const char *end = memchr(text, '\n', length);
    return end ? (size_t)(end - text) : length;
}

/* Prints what made an entry, or what is wrong with it; is it good? */
static bool
print_entry(const folder *f, const ix_cache_file *file)
{
    ix_cache_entry e;
    ix_error why;
    ix_error_clear(&why);
    if (ix_cache_entry_read(f->dir, file->name, &ix_mem_default, &e, NULL,
                            &why) != IX_CACHE_VALID) {
        printf("%s: %s\n", file->name, why.text);
        return false;
    }
    print_time(file->used);
    printf(" %9" PRId64 "  %s  %.*s\n", file->bytes, file->name,
           (int)line_length(e.made, e.made_length), e.made);
    ix_cache_entry_free(&e);
    return true;
}

static ix_cli_exit
do_ls(folder *f)
{
    for (size_t i = f->files.n; i-- > 0;)
        if (f->files.file[i].kind == IX_CACHE_ENTRY)
            print_entry(f, &f->files.file[i]);
    return IX_EXIT_OK;
}

/* How many files are of that kind. */
static size_t
count(const folder *f, ix_cache_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < f->files.n; i++)
        n += f->files.file[i].kind == kind;
    return n;
}

static ix_cli_exit
do_stat(folder *f)
{
    printf("directory  %s%s\n", f->path.data,
           f->dir < 0 ? " (not there yet)" : "");
    printf("mode       %s\n", ilex_option_get(f->ctx, "cache"));
    printf("limit      %" PRId64 " bytes\n", f->setup.size);
    printf("in use     %" PRId64 " bytes\n", f->files.bytes);
    printf("entries    %zu\n", count(f, IX_CACHE_ENTRY));
    printf("temporary  %zu\n", count(f, IX_CACHE_TEMPORARY));
    printf("other      %zu\n", count(f, IX_CACHE_OTHER));
    return IX_EXIT_OK;
}

/* ---- removing ---- */

typedef enum { EXCESS, EVERYTHING } which;

/* Names what is not the cache's. */
static void
print_others(folder *f)
{
    ix_error why;
    ix_error_clear(&why);
    ix_cache_files_free(&f->files);
    ix_cache_list(f->dir, &ix_mem_default, "", &f->files, &why);
    for (size_t i = 0; i < f->files.n; i++)
        if (f->files.file[i].kind == IX_CACHE_OTHER)
            printf("%s stays: it is not the cache's\n", f->files.file[i].name);
}

static ix_cli_exit
remove_files(folder *f, which what)
{
    ix_error why;
    ix_cache_removed removed = {0};
    ix_error_clear(&why);
    int lock = f->dir < 0 ? -1 : ix_cache_lock(f->dir, &why);
    if (lock >= 0 && what == EXCESS)
        ix_cache_make_room(f->dir, &ix_mem_default, f->setup.size, 0, &removed,
                           &why);
    else if (lock >= 0)
        ix_cache_clear(f->dir, &ix_mem_default, &removed, &why);
    if (lock >= 0)
        ix_cache_unlock(lock);
    printf("removed %zu entries, %zu temporary files, %" PRId64 " bytes\n",
           removed.entries, removed.temporaries, removed.bytes);
    if (lock >= 0 && what == EVERYTHING)
        print_others(f);
    if (why.code == ILEX_OK)
        return IX_EXIT_OK;
    return ix_cli_fail(ix_cli_exit_of(why.code), "the disk cache: %s",
                       why.text);
}

static ix_cli_exit
do_gc(folder *f)
{
    return remove_files(f, EXCESS);
}

static ix_cli_exit
do_clear(folder *f)
{
    return remove_files(f, EVERYTHING);
}

static ix_cli_exit
do_verify(folder *f)
{
    size_t good = 0, bad = 0;
    for (size_t i = 0; i < f->files.n; i++) {
        const ix_cache_file *file = &f->files.file[i];
        ix_error why;
        if (file->kind != IX_CACHE_ENTRY)
            continue;
        ix_error_clear(&why);
        if (ix_cache_verify(f->dir, file->name,
                            f->setup.mode == IX_CACHE_MODE_RW, &why)) {
            good++;
        } else {
            printf("%s: %s\n", file->name, why.text);
            bad++;
        }
    }
    printf("%zu good, %zu bad\n", good, bad);
    return bad > 0 ? IX_EXIT_MISMATCH : IX_EXIT_OK;
}

/* ---- asking ---- */

/* Compiles as a run would, but no compiler is started. */
static ix_cli_exit
do_why(ix_cli_session *s)
{
    bool off = strcmp(ilex_option_get(s->ctx, "cache"), "off") == 0;
    ilex_option_set(s->ctx, "jit", "cc");
    ilex_option_set(s->ctx, "cache", "must_hit");
    ilex_program *p = off ? NULL : ilex_compile_module(s->module);
    bool hit = p != NULL;
    ilex_program_release(p);
    if (hit)
        puts("hit");
    else if (off)
        puts("miss: option cache is off");
    else if (ilex_error_code(s->ctx) == ILEX_E_TOOLCHAIN)
        printf("miss: %s\n", ilex_error_text(s->ctx));
    else
        return ix_cli_library_error(s->ctx);
    return hit ? IX_EXIT_OK : IX_EXIT_MISMATCH;
}

/* ---- the verb ---- */

/* An action is about the directory, or about a program. */
typedef struct action {
    const char *name;
    ix_cli_exit (*look)(folder *f);
    ix_cli_exit (*ask)(ix_cli_session *s);
} action;

static const action actions[] = {
#define IX_ACTION(name, does, operand, meaning) {#name, .does = do_##name},
#include "runtime/ilexc/actions.def"
};

static ix_cli_exit
with_folder(ix_cli_session *s, ix_cli_exit (*look)(folder *f))
{
    folder f;
    ix_cli_exit status = open_folder(&f, s->ctx);
    if (status == IX_EXIT_OK)
        status = look(&f);
    close_folder(&f);
    return status;
}

ix_cli_exit
ix_cli_verb_cache(const ix_cli_command *c)
{
    ix_cli_session s;
    ix_cli_exit status =
        c->file ? ix_cli_session_parse(&s, c) : ix_cli_session_open(&s, c);
    for (size_t i = 0; status == IX_EXIT_OK && i < IX_COUNT(actions); i++)
        if (strcmp(actions[i].name, c->action) == 0) {
            status = actions[i].ask ? actions[i].ask(&s)
                                    : with_folder(&s, actions[i].look);
            break;
        }
    ix_cli_session_close(&s);
    return status;
}
