/* SPDX-License-Identifier: MIT
 *
 * `ilexc replay`: compiles and runs what ilex_repro() wrote, and tells whether
 * it goes as recorded; what runs is run on the reference back end, too.
 */
#include "runtime/ilexc/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One way to run it, and what came of it. */
typedef struct outcome {
    const char *jit; /* NULL: as recorded */
    ilex_status code;
    char error[4096]; /* "": none */
    const char *backend;
    uint64_t *checksum; /* of each binding */
    ilex_storage **storage;
    ilex_context *ctx;
    ilex_program *program;
} outcome;

static ilex_status
failed(outcome *o, ilex_status code, const char *text)
{
    o->code = code ? code : ILEX_E_MEMORY;
    snprintf(o->error, sizeof o->error, "%s", *text ? text : "out of memory");
    return o->code;
}

static ilex_status
context_failed(outcome *o)
{
    return failed(o, ilex_error_code(o->ctx), ilex_error_text(o->ctx));
}

static ilex_status
set_options(outcome *o, const ix_replay *r, const ix_cli_command *c)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->noptions; i++)
        rc = ilex_option_set(o->ctx, r->option[i].name, r->option[i].value);
    for (size_t i = 0; !rc && i < c->nsettings; i++)
        if (c->setting[i].name)
            rc = ilex_option_set(o->ctx, c->setting[i].name,
                                 c->setting[i].value);
    if (!rc && o->jit)
        rc = ilex_option_set(o->ctx, "jit", o->jit);
    return rc ? context_failed(o) : ILEX_OK;
}

static ilex_status
compile(outcome *o, const ix_replay *r)
{
    ilex_module *m = ilex_module_parse(o->ctx, r->program, "program");
    if (m)
        o->program = ilex_compile_module(m);
    ilex_module_free(m);
    return o->program ? ILEX_OK : context_failed(o);
}

static ilex_status
run(outcome *o, const ix_replay *r)
{
    ilex_call call = ILEX_CALL(.threads = r->threads, .sizes = r->size,
                               .size_count = r->nsizes, .box = r->box);
    ilex_binding *b = calloc(r->nbindings + 1, sizeof *b);
    if (!b)
        return failed(o, ILEX_E_MEMORY, "");
    for (size_t i = 0; i < r->nbindings; i++) {
        const ix_replay_binding *from = &r->binding[i];
        b[i] = from->b;
        if (from->same >= 0)
            o->storage[i] = ilex_storage_retain(o->storage[from->same]);
        else if (from->element)
            o->storage[i] = ix_replay_storage(o->ctx, from);
        b[i].storage = o->storage[i];
        if (b[i].kind == ILEX_BOUND_STORAGE && !b[i].storage) {
            free(b);
            return context_failed(o);
        }
    }
    ilex_status rc = ilex_run(o->program, b, r->nbindings, &call);
    free(b);
    return rc ? failed(o, rc, call.error) : ILEX_OK;
}

/* Does it once, all of it. */
static void
play(outcome *o, const ix_replay *r, const ix_cli_command *c)
{
    o->ctx = ilex_context_new(NULL);
    o->checksum = calloc(r->nbindings + 1, sizeof *o->checksum);
    o->storage = calloc(r->nbindings + 1, sizeof(ilex_storage *));
    if (!o->ctx || !o->checksum || !o->storage) {
        failed(o, ILEX_E_MEMORY, "");
        return;
    }
    if (set_options(o, r, c) || compile(o, r))
        return;
    o->backend = ilex_program_backend(o->program);
    if (r->nbindings == 0 || run(o, r))
        return;
    for (size_t i = 0; i < r->nbindings; i++)
        if (o->storage[i])
            o->checksum[i] = ix_replay_checksum(o->storage[i]);
}

static void
forget(outcome *o, const ix_replay *r)
{
    for (size_t i = 0; o->storage && i < r->nbindings; i++)
        ilex_storage_release(o->storage[i]);
    free(o->storage);
    free(o->checksum);
    ilex_program_release(o->program);
    ilex_context_free(o->ctx);
}

/* ---- what is said ---- */

/* Behind a place in the source, " (p.ilx:4:9)", if "s" begins with one: texts
 * of a recorded program are others. */
static const char *
behind_place(const char *s)
{
    const char *end = strncmp(s, " (", 2) ? NULL : strchr(s, ')');
    for (const char *at = s; end && at < end; at++)
        if (*at == ':' && at[1] >= '0' && at[1] <= '9')
            return end + 1;
    return s;
}

static bool
same_words(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = behind_place(a);
        b = behind_place(b);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* Compares the error with the recorded one. */
static ix_cli_exit
tell_error(const outcome *o, const ix_replay *r)
{
    bool text = r->error && same_words(o->error, r->error);
    bool code = r->error && (r->code ? r->code == (int)o->code : text);
    printf("error[E%d]: %s\n%s\n", (int)o->code, o->error,
           !r->error      ? "no error was recorded"
           : text && code ? "the error that was recorded"
           : code         ? "the recorded error in other words:"
                          : "another error was recorded:");
    if (r->error && !(text && code))
        printf("error[E%d]: %s\n", r->code, r->error);
    return code ? IX_EXIT_OK : IX_EXIT_MISMATCH;
}

/* Is the argument of that name an output? */
static bool
is_output(const ilex_program *p, const char *name)
{
    ilex_argument_info info = ILEX_ARGUMENT_INFO();
    for (size_t i = 0; ilex_program_argument_get(p, i, &info) == ILEX_OK; i++)
        if (strcmp(info.name, name) == 0)
            return info.output;
    return false;
}

/* Prints the outputs' checksums beside those of the reference. */
static ix_cli_exit
tell_outputs(const outcome *o, const outcome *reference, const ix_replay *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nbindings; i++) {
        const char *name = r->binding[i].b.name;
        if (!o->storage[i] || !is_output(o->program, name))
            continue;
        bool same = o->checksum[i] == reference->checksum[i];
        printf("%s: checksum %016" PRIx64 ", %s\n", name, o->checksum[i],
               reference->code ? "the reference back end fails"
               : same          ? "as the reference back end"
                               : "the reference back end gives another");
        if (!reference->code && !same)
            status = IX_EXIT_MISMATCH;
    }
    if (reference->code)
        printf("reference: error[E%d]: %s\n", (int)reference->code,
               reference->error);
    if (r->error)
        printf("the recorded error does not come:\nerror[E%d]: %s\n", r->code,
               r->error);
    return r->error || reference->code ? IX_EXIT_MISMATCH : status;
}

ix_cli_exit
ix_cli_verb_replay(const ix_cli_command *c)
{
    ix_replay r = {.bytes = NULL};
    ix_cli_exit status = ix_replay_read(&r, c->file);
    if (status == IX_EXIT_OK) {
        outcome o = {.jit = NULL}, reference = {.jit = "reference"};
        printf("recorded with version %s, replayed with %s\n", r.version,
               ilex_version());
        play(&o, &r, c);
        if (o.code) {
            status = tell_error(&o, &r);
        } else {
            play(&reference, &r, c);
            printf("it %s with %s\n", r.nbindings ? "runs" : "compiles",
                   o.backend);
            status = tell_outputs(&o, &reference, &r);
        }
        forget(&o, &r);
        forget(&reference, &r);
    }
    ix_replay_free(&r);
    return status;
}
