/* SPDX-License-Identifier: MIT
 *
 * Libraries of programs that are compiled ahead of time: the compiler makes an
 * object of each file, of several targets one for each and one that chooses;
 * they become one object, an archive or a shared library. What is only needed
 * on the way is removed. Of CUDA nvcc makes the objects.
 */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/files/file.h"
#include "runtime/jit/cc.h"
#include "runtime/jit/jit.h"
#include "runtime/library/library.h"

#ifndef ILEX_NVCC_PATH
#define ILEX_NVCC_PATH "/usr/local/cuda/bin/nvcc"
#endif

/* A command under construction, and the objects so far. */
typedef struct build {
    ix_library_job *job;
    const char *cc;   /* of the host */
    const char *nvcc; /* or NULL */
    char directory[PATH_MAX];
    char **argv;
    size_t argc, arg_capacity;
    char **object;
    size_t nobjects, object_capacity;
} build;

/* ---- commands ---- */

/* A text in the arena. */
static char *format(build *b, const char *fmt, ...) IX_PRINTF(2, 3);

static char *
format(build *b, const char *fmt, ...)
{
    va_list args;
    ix_text t;
    ix_mem mem = ix_arena_mem(b->job->arena);
    ix_text_init(&t, &mem);
    va_start(args, fmt);
    ix_text_vformat(&t, fmt, args);
    va_end(args);
    ix_text_put_n(&t, "", 0);
    return t.data;
}

static void
add(build *b, const char *arg)
{
    ix_arena_grow(b->job->arena, &b->argv, &b->arg_capacity, b->argc + 2,
                  sizeof *b->argv);
    b->argv[b->argc++] = ix_arena_string(b->job->arena, arg);
    b->argv[b->argc] = NULL;
}

/* Words separated by blanks. */
static void
add_words(build *b, const char *words)
{
    while (*(words += strspn(words, " "))) {
        size_t n = strcspn(words, " ");
        add(b, format(b, "%.*s", (int)n, words));
        words += n;
    }
}

/* Runs the command in directory "dir"; "log" gets what it says, unless NULL. */
static ilex_status
run_in(build *b, const char *dir, char log[IX_PROCESS_LOG], ix_error *err)
{
    int64_t limit = 1000 * ix_option_int(b->job->ctx, IX_OPTION_cc_timeout);
    ix_process p = {.argv = b->argv,
                    .dir = dir,
                    .limit_ms = limit,
                    .deadline = limit ? ix_process_clock() + limit : INT64_MAX};
    b->argc = 0;
    ilex_status rc = ix_process_run(&p, 1, 1, err);
    if (log)
        memcpy(log, p.log, sizeof p.log);
    return rc;
}

static ilex_status
run(build *b)
{
    return run_in(b, b->directory, NULL, &b->job->ctx->error);
}

static void
note_object(build *b, char *name)
{
    ix_arena_grow(b->job->arena, &b->object, &b->object_capacity,
                  b->nobjects + 1, sizeof *b->object);
    b->object[b->nobjects++] = name;
}

/* Compiles "source" to the object "name", and notes it. */
static ilex_status
make_object(build *b, const char *source, char *name)
{
    add(b, "-c");
    add(b, source);
    add(b, "-o");
    add(b, name);
    note_object(b, name);
    return run(b);
}

/* The same with the compiler of the host, and "flags". */
static ilex_status
compile(build *b, const char *source, const char *flags, char *name)
{
    add(b, b->cc);
    add_words(b, "-std=gnu99 -O3 -ffp-contract=off -fno-math-errno "
                 "-fno-trapping-math -fno-strict-aliasing "
                 "-falign-functions=32 -fPIC -w");
    add_words(b, b->job->freestanding ? "-ffreestanding" : "");
    add_words(b, ix_option_text(b->job->ctx, IX_OPTION_cflags));
    add_words(b, flags);
    return make_object(b, source, name);
}

/* ---- CUDA ---- */

static bool
is_nvcc(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, "nvcc", 4);
}

/* nvcc may be the compiler that option cc names; another one is the host's. */
static ilex_status
find_nvcc(build *b, const char *cc)
{
    b->nvcc = is_nvcc(cc) ? cc : ILEX_NVCC_PATH;
    if (is_nvcc(cc))
        b->cc = ix_jit_cc_path(&(ix_jit_request){0});
    return access(b->nvcc, X_OK) == 0
               ? ILEX_OK
               : ix_fail(&b->job->ctx->error, ILEX_E_TOOLCHAIN,
                         "compile: libraries of CUDA are built by nvcc, which "
                         "is not at %.200s; name the one of your CUDA, for "
                         "example cc=/usr/local/cuda/bin/nvcc, or ask for the "
                         "files alone and build them yourself",
                         b->nvcc);
}

/* nvcc, with the compiler of the host that was asked for. */
static void
add_nvcc(build *b)
{
    const char *cc = ix_option_text(b->job->ctx, IX_OPTION_cc);
    add(b, b->nvcc);
    if (*cc && !is_nvcc(cc))
        add(b, format(b, "-ccbin=%s", cc));
}

/* Code of each architecture in "list", and of the last one what devices that
 * are newer compile when they load it. */
static void
add_architectures(build *b, const char *list)
{
    while (list && *list) {
        int n = (int)strcspn(list, ",") - 3;
        const char *number = list + 3;
        add(b, format(b, "-gencode=arch=compute_%.*s,code=sm_%.*s", n, number,
                      n, number));
        list = number + n;
        if (*list++)
            continue;
        add(b, format(b, "-gencode=arch=compute_%.*s,code=compute_%.*s", n,
                      number, n, number));
        return;
    }
}

/* Flags of option cflags are for the compiler of the host. */
static ilex_status
compile_cuda(build *b, const char *prefix)
{
    const char *words = ix_option_text(b->job->ctx, IX_OPTION_cflags);
    add_nvcc(b);
    add_words(b, "-O3 -fmad=false -w -Xcompiler=-fPIC,-w");
    while (*(words += strspn(words, " "))) {
        size_t n = strcspn(words, " ");
        add(b, format(b, "-Xcompiler=%.*s", (int)n, words));
        words += n;
    }
    add_architectures(b, b->job->targets);
    return make_object(b, format(b, "%s.cu", prefix),
                       format(b, "%s.part.o", prefix));
}

/* ---- several targets ---- */

static ilex_status
write_choice(build *b, const char *prefix, const char *name)
{
    ix_file_out out;
    ix_text t;
    ix_error *err = &b->job->ctx->error;
    ix_mem mem = ix_arena_mem(b->job->arena);
    ix_text_init(&t, &mem);
    ix_library_put_choice(b->job, prefix, &t);
    ilex_status rc =
        ix_file_begin(&out, format(b, "%s/%s", b->directory, name), err);
    return rc ? rc : ix_file_end(&out, ix_file_put(&out, t.data, t.length));
}

static ilex_status
compile_targets(build *b, const char *prefix)
{
    ix_library_job *j = b->job;
    char *choice = format(b, "%s_targets.c", prefix);
    ilex_status rc = write_choice(b, prefix, choice);
    for (int i = 0; !rc && i < IX_NPROCESSORS; i++)
        if (ix_library_has_target(j, i))
            rc = compile(b, format(b, "%s.c", prefix),
                         format(b, "%s -DILEX_ENTRY=%s_for_%s%s",
                                ix_processors[i].flags, prefix,
                                ix_processors[i].name,
                                i ? " -DILEX_ENTRY_ALONE" : ""),
                         format(b, "%s_%s.o", prefix, ix_processors[i].name));
    if (!rc)
        rc = compile(b, choice, "", format(b, "%s_targets.o", prefix));
    unlink(format(b, "%s/%s", b->directory, choice));
    return rc;
}

static ilex_status
compile_all(build *b)
{
    ilex_status rc = ILEX_OK;
    if (b->job->support)
        rc = compile(b, format(b, "%s.c", b->job->support), "",
                     format(b, "%s.part.o", b->job->support));
    for (size_t i = 0; !rc && i < b->job->count; i++) {
        const char *prefix = b->job->prefix[i];
        rc = b->nvcc           ? compile_cuda(b, prefix)
             : b->job->targets ? compile_targets(b, prefix)
                               : compile(b, format(b, "%s.c", prefix),
                                         ix_library_flags(b->job),
                                         format(b, "%s.part.o", prefix));
    }
    return rc;
}

/* ---- putting together ---- */

/* The archiver beside the compiler, else the system's. */
static const char *
find_archiver(build *b)
{
    const char *slash = strrchr(b->cc, '/');
    char *ar = format(b, "%.*s/ar", (int)(slash - b->cc), b->cc);
    return access(ar, X_OK) == 0 ? ar : "/usr/bin/ar";
}

static ilex_status
link_all(build *b)
{
    const char *name = b->job->name;
    if (b->job->kind == ILEX_LIBRARY_STATIC) {
        char *archive = format(b, "lib%s.a", name);
        unlink(format(b, "%s/%s", b->directory, archive));
        add(b, find_archiver(b));
        add(b, "rcsD");
        add(b, archive);
    } else {
        bool shared = b->job->kind == ILEX_LIBRARY_SHARED;
        if (shared && b->nvcc)
            add_nvcc(b);
        else
            add(b, b->cc);
        add_words(b, shared ? "-shared -o" : "-r -nostdlib -o");
        add(b, shared ? format(b, "lib%s.so", name) : format(b, "%s.o", name));
    }
    for (size_t i = 0; i < b->nobjects; i++)
        add(b, b->object[i]);
    if (b->job->kind == ILEX_LIBRARY_SHARED)
        add_words(b, b->nvcc ? "-Xlinker=--exclude-libs,ALL" : "-lm");
    return run(b);
}

/* ---- what can be said before anything is written ---- */

/* Does the compiler know the flags of a target? */
static ilex_status
try_target(build *b, const char *name, const char *flags)
{
    ix_error why;
    ix_error_clear(&why);
    add(b, b->cc);
    add_words(b, ix_option_text(b->job->ctx, IX_OPTION_cflags));
    add_words(b, flags);
    add_words(b, "-fsyntax-only -x c /dev/null");
    return run_in(b, "/", NULL, &why)
               ? ix_fail(&b->job->ctx->error, why.code,
                         "compile: target %s: %s", name, why.text)
               : ILEX_OK;
}

/* Does it compile for processors that have targets? One that does not say is
 * believed. */
static ilex_status
check_machine(build *b)
{
    char machine[IX_PROCESS_LOG] = "";
    ix_error why;
    ix_error_clear(&why);
    add(b, b->cc);
    add_words(b, ix_option_text(b->job->ctx, IX_OPTION_cflags));
    add(b, "-dumpmachine");
    return run_in(b, "/", machine, &why) || !strncmp(machine, "x86_64", 6)
               ? ILEX_OK
               : ix_fail(&b->job->ctx->error, ILEX_E_UNSUPPORTED,
                         "compile: targets are known for x86-64 only; '%.200s' "
                         "compiles for %.*s",
                         b->cc, (int)strcspn(machine, "\n"), machine);
}

/* The compilers of the job. */
static ilex_status
find_compilers(ix_library_job *j, build *b)
{
    const char *cc = ix_option_text(j->ctx, IX_OPTION_cc);
    *b =
        (build){.job = j,
                .cc = ix_jit_cc_path(&(ix_jit_request){.cc = *cc ? cc : NULL})};
    return j->cuda ? find_nvcc(b, cc) : ILEX_OK;
}

ilex_status
ix_library_check_compiler(ix_library_job *j)
{
    build b;
    const char *flags = ix_library_flags(j);
    if (j->cuda || (!j->targets && !*flags))
        return ILEX_OK;
    ilex_status rc = find_compilers(j, &b);
    if (!rc && !j->targets)
        return try_target(&b, ix_option_text(j->ctx, IX_OPTION_target), flags);
    rc = rc ? rc : check_machine(&b);
    for (int i = IX_PROCESSOR_generic + 1; !rc && i < IX_NPROCESSORS; i++)
        if (ix_library_has_target(j, i))
            rc = try_target(&b, ix_processors[i].name, ix_processors[i].flags);
    return rc;
}

ilex_status
ix_library_build(ix_library_job *j)
{
    build b;
    ilex_status rc = find_compilers(j, &b);
    if (!rc && !realpath(j->directory, b.directory))
        rc = ix_fail(&j->ctx->error, ILEX_E_FILE, "compile: '%.200s': %s",
                     j->directory, strerror(errno));
    rc = rc ? rc : compile_all(&b);
    rc = rc ? rc : link_all(&b);
    for (size_t i = 0; i < b.nobjects; i++)
        unlink(format(&b, "%s/%s", b.directory, b.object[i]));
    return rc;
}
