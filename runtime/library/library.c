/* SPDX-License-Identifier: MIT
 *
 * Files of programs that are compiled ahead of time: which, under which names.
 */
#include "runtime/library/library.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/files/file.h"

/* A file of a program, and what of the job has to be asked for, or not. */
static const struct {
    ix_library_file file;
    const char *suffix;
    size_t wanted, unwanted; /* members of the job, 0: none */
} files[] = {
#define JOB(member) offsetof(ix_library_job, member)
    {IX_LIBRARY_HEADER, ".h", 0, 0},
    {IX_LIBRARY_SOURCE, ".c", 0, JOB(cuda)},
    {IX_LIBRARY_SOURCE, ".cu", JOB(cuda), 0},
    {IX_LIBRARY_JSON, ".json", 0, 0},
    {IX_LIBRARY_FORTRAN, ".f90", JOB(fortran), 0},
    {IX_LIBRARY_PYTHON, ".py", JOB(python), 0}};

static bool
has(const ix_library_job *j, size_t member)
{
    int value;
    memcpy(&value, (const char *)j + member, sizeof value);
    return value != 0;
}

static bool
is_wanted(const ix_library_job *j, size_t file)
{
    return (files[file].wanted == 0 || has(j, files[file].wanted)) &&
           (files[file].unwanted == 0 || !has(j, files[file].unwanted));
}

/* ---- files of one program ---- */

/* Files are printed first and written when no program was refused. */
struct ix_library_printed {
    const char *name, *suffix;
    ix_text text;
    ix_library_printed *next;
};

static ilex_status
print_file(ix_library_job *j, const ix_library *library, ix_library_file file,
           const char *suffix)
{
    ix_mem *mem = &j->ctx->mem;
    ix_library_printed *f = ix_mem_new(mem, sizeof *f);
    if (!f)
        return ix_fail_memory(&j->ctx->error);
    *f = (ix_library_printed){library->prefix, suffix, .next = j->printed};
    ix_text_init(&f->text, mem);
    j->printed = f;
    return ix_library_print(library, file, &f->text, &j->ctx->error);
}

static void
free_printed(ix_library_job *j)
{
    while (j->printed) {
        ix_library_printed *f = j->printed;
        j->printed = f->next;
        ix_text_free(&f->text);
        ix_mem_free(&j->ctx->mem, f);
    }
}

/* What all share comes with the last one. */
static ilex_status
print_support(ix_library_job *j, const ix_library *library)
{
    ix_library support = *library;
    support.prefix = j->support;
    ilex_status rc = print_file(j, &support, IX_LIBRARY_SUPPORT_HEADER, ".h");
    return rc ? rc : print_file(j, &support, IX_LIBRARY_SUPPORT_SOURCE, ".c");
}

static ilex_status
print_files(ix_library_job *j, const ix_library *library, size_t number)
{
    ilex_status rc = ix_library_check(library, j->fortran, &j->ctx->error);
    if (!rc && j->support && number + 1 == j->count)
        rc = print_support(j, library);
    for (size_t i = 0; !rc && i < IX_COUNT(files); i++)
        if (is_wanted(j, i))
            rc = print_file(j, library, files[i].file, files[i].suffix);
    return rc;
}

static ilex_status
write_file(const ix_library_job *j, const ix_library_printed *f)
{
    char path[IX_FILE_PATH];
    ix_file_out out;
    ix_error *err = &j->ctx->error;
    int n = snprintf(path, sizeof path, "%s/%s%s", j->directory, f->name,
                     f->suffix);
    if (n < 0 || (size_t)n >= sizeof path)
        return ix_fail(err, ILEX_E_FILE,
                       "compile: the name of the directory is too long");
    ilex_status rc = ix_file_begin(&out, path, err);
    return rc ? rc
              : ix_file_end(&out,
                            ix_file_put(&out, f->text.data, f->text.length));
}

/* The options that generated source depends on, an object of JSON. */
static void
put_options(const ix_library_job *j, const ilex_context *ctx, ix_text *t)
{
    static const ix_option options[] = {IX_OPTION_fuse, IX_OPTION_order,
                                        IX_OPTION_schedule, IX_OPTION_quota};
    ix_json json = {.t = t};
    ix_text target;
    ix_text_init(&target, &t->mem);
    ix_target_put_option(ctx, true, &target);
    const char *text = ix_text_string(&target);
    t->failed |= !text;
    ix_json_open(&json, NULL, '{', true);
    for (size_t i = 0; i < IX_COUNT(options); i++) {
        bool turned = j->fortran && options[i] == IX_OPTION_order;
        ix_json_string(&json, ix_option_rows[options[i]].name,
                       turned ? "F" : ix_option_text(ctx, options[i]));
    }
    ix_json_string(&json, "target", text);
    if (j->lines)
        ix_json_string(&json, "lines", "1");
    ix_json_close(&json, '}');
    ix_text_free(&target);
}

/* An error of another context is one of the caller's. */
static ilex_status
take_error(const ix_library_job *j, const ilex_context *from)
{
    if (from != j->ctx && from->error.code)
        ix_fail(&j->ctx->error, from->error.code, "%s", from->error.text);
    return j->ctx->error.code;
}

/* nvcc links functions of the device when it links all of a program. */
static ilex_status
check_device_functions(const ix_library_job *j, const ix_compiled *c)
{
    bool built = j->cuda && j->kind != ILEX_LIBRARY_FILES;
    for (size_t i = 0; built && i < c->nfunctions; i++)
        if (!c->function[i].in_cuda)
            return ix_fail(&j->ctx->error, ILEX_E_UNSUPPORTED,
                           "program %s: %s is a function of the device that a "
                           "library cannot leave to others; ask for the files "
                           "alone and link both with nvcc -rdc=true, or "
                           "register its text (elementwise_cuda)",
                           c->name, c->function[i].name);
    return ILEX_OK;
}

static ilex_status
emit_module(ix_library_job *j, ilex_module *module, size_t i)
{
    ilex_context *ctx = module->ctx;
    ix_compile_request request = {.names = true,
                                  .facts = true,
                                  .inlined = j->sizes != NULL,
                                  .headless = j->support != NULL,
                                  .fortran = j->fortran != 0,
                                  .lines = j->lines != 0};
    ix_text options;
    request.dialect[j->cuda ? IX_DIALECT_grid : IX_DIALECT_aot] = true;
    ix_compiled *c = ix_compile(module, &request);
    ix_text_init(&options, &ctx->mem);
    put_options(j, ctx, &options);
    j->routines |= c && c->nroutines > 0;
    j->loops |= c && c->nloops > 0;
    if (c && !ctx->error.code && !check_device_functions(j, c)) {
        ix_library library = {.program = c,
                              .prefix = j->prefix[i],
                              .name = j->name,
                              .support = j->support,
                              .cuda = j->cuda != 0,
                              .freestanding = j->freestanding != 0,
                              .lines = j->lines != 0,
                              .routines = j->routines,
                              .loops = j->loops,
                              .options = ix_text_string(&options)};
        if (!library.options)
            ix_fail_memory(&j->ctx->error);
        else if (!ix_library_variants(j, &library, i + 1 == j->count))
            print_files(j, &library, i);
    }
    ix_text_free(&options);
    ix_compiled_free(c);
    return take_error(j, ctx);
}

/* ---- names ---- */

/* The prefix of a program's names. */
static ilex_status
make_prefix(ix_library_job *j, const ilex_module *m, const char *prefix,
            size_t i)
{
    ix_text t;
    ix_mem mem = ix_arena_mem(j->arena);
    const char *name = j->names ? j->names[i] : m->name;
    ix_text_init(&t, &mem);
    ix_text_put(&t, prefix ? prefix : name);
    if (prefix && (j->names || j->count > 1))
        ix_text_format(&t, "_%s", name);
    j->prefix[i] = ix_text_string(&t);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(j->prefix[k], j->prefix[i]))
            return ix_fail(&j->ctx->error, ILEX_E_DUPLICATE,
                           "compile: two programs are called %s", name);
    return ix_name_check(&j->ctx->error, "prefix", j->prefix[i],
                         strlen(j->prefix[i]))
               ? ILEX_OK
               : j->ctx->error.code;
}

static ilex_status
make_names(ix_library_job *j, ilex_module *const *modules, const char *prefix)
{
    ilex_status rc = ILEX_OK;
    j->prefix = ix_arena_new(j->arena, j->count * sizeof *j->prefix);
    for (size_t i = 0; !rc && i < j->count; i++)
        rc = make_prefix(j, modules[i], prefix, i);
    j->name = prefix ? prefix : j->prefix[0];
    if (j->count > 1 && !j->cuda) {
        ix_text t;
        ix_mem mem = ix_arena_mem(j->arena);
        ix_text_init(&t, &mem);
        ix_text_format(&t, "%s_support", j->name);
        j->support = ix_text_string(&t);
    }
    if (!rc && !prefix && j->count > 1 && j->kind != ILEX_LIBRARY_FILES)
        return ix_fail(&j->ctx->error, ILEX_E_ARGUMENT,
                       "compile: how is the library of several programs "
                       "called? Give a prefix");
    return rc;
}

/* ---- all ---- */

/* Makes the directory, with those above it that are missing. */
static ilex_status
make_directory(const ix_library_job *j)
{
    char *path = ix_arena_string(j->arena, j->directory);
    bool made = true;
    for (char *p = path; made && *p; p++)
        if (p[0] != '/' && (p[1] == '/' || !p[1])) {
            char after = p[1];
            p[1] = '\0';
            made = mkdir(path, 0777) == 0 || errno == EEXIST || after;
            p[1] = after;
        }
    return made ? ILEX_OK
                : ix_fail(&j->ctx->error, ILEX_E_FILE, "compile: '%.200s': %s",
                          j->directory, strerror(errno));
}

static ilex_status
emit_all(ix_library_job *j, ilex_module *const *modules, const char *prefix)
{
    ilex_status rc = make_names(j, modules, prefix);
    rc = rc ? rc : ix_library_check_targets(j);
    if (!rc && j->python && j->cuda)
        rc = ix_fail(&j->ctx->error, ILEX_E_UNSUPPORTED,
                     "compile: there are no modules in Python for CUDA: their "
                     "arrays lie on the host; leave --python out, or write C");
    if (!rc && j->kind != ILEX_LIBRARY_FILES)
        rc = ix_library_check_compiler(j);
    for (size_t i = 0; !rc && i < j->count; i++)
        rc = emit_module(j, modules[i], i);
    rc = rc ? rc : make_directory(j);
    for (const ix_library_printed *f = j->printed; !rc && f; f = f->next)
        rc = write_file(j, f);
    if (!rc && j->kind != ILEX_LIBRARY_FILES)
        rc = ix_library_build(j);
    return rc;
}

/* All modules are there and without errors, the spec says how long it is. */
static ilex_status
check(ilex_context *ctx, ilex_module *const *modules, size_t count,
      const ilex_library_spec *spec)
{
    if (spec && spec->size < offsetof(ilex_library_spec, prefix))
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "emit_library: the size of the spec is not set; start "
                       "it with .size = sizeof(ilex_library_spec)");
    for (size_t i = 0; i < count; i++) {
        if (!modules || !modules[i])
            return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                           "emit_library: module %zu is NULL", i);
        if (modules[i]->ctx->error.code)
            return take_error(&(ix_library_job){.ctx = ctx}, modules[i]->ctx);
    }
    return count ? ctx->error.code
                 : ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                           "emit_library: there is no module");
}

ilex_status
ilex_emit_library(ilex_context *ctx, ilex_module *const *modules, size_t count,
                  const ilex_library_spec *spec)
{
    ilex_library_spec s = {0};
    ix_arena arena;
    ilex_status rc = check(ctx, modules, count, spec);
    if (rc)
        return rc;
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    if ((unsigned)s.kind > ILEX_LIBRARY_SHARED)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "emit_library: there is no kind %d", (int)s.kind);
    if (s.directory && !*s.directory)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "emit_library: the directory has no name; NULL or . is "
                       "the one that a process is in");
    ix_library_job j = {.ctx = ctx,
                        .arena = &arena,
                        .directory = s.directory ? s.directory : ".",
                        .names = s.names,
                        .count = count,
                        .kind = s.kind,
                        .targets = s.targets,
                        .fortran = s.fortran,
                        .python = s.python,
                        .freestanding = s.freestanding,
                        .sizes = s.sizes,
                        .cuda = s.cuda,
                        .lines = s.lines};
    ix_arena_init(&arena, &ctx->mem);
    rc = IX_ARENA_TRY(&arena) ? emit_all(&j, modules, s.prefix)
                              : ix_fail_memory(&ctx->error);
    free_printed(&j);
    ix_arena_free(&arena);
    return rc;
}
