/* SPDX-License-Identifier: MIT
 *
 * Programs: from a module to something that runs.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "runtime/program/program.h"

#include <stdio.h>
#include <time.h>

#include "lib/base/fpenv.h"

static const ix_backend backends[] = {
#define IX_BACKEND(name, dialect, compile, command, several, engine, meaning)  \
    {#name, meaning, dialect, compile, command, several, &ix_engine_##engine},
#include "runtime/jit/backends.def"
};

static const ix_backend *
find_backend(const char *name)
{
    for (size_t i = 0; i < IX_COUNT(backends); i++)
        if (!strcmp(backends[i].name, name))
            return &backends[i];
    return NULL;
}

const ix_backend *
ix_backend_choose(ilex_context *ctx)
{
    const char *jit = ix_option_text(ctx, IX_OPTION_jit);
    if (strcmp(jit, "auto") != 0)
        return find_backend(jit);
    if (ix_jit_tcc_available())
        return find_backend("tcc");
    ix_log(ctx, ILEX_INFO, "jit=auto: built without libtcc; using cc");
    return find_backend("cc");
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- compiling ---- */

/* Compiles the source and finds the kernels. */
static ilex_status
load_code(ilex_context *ctx, ilex_program *p)
{
    ix_compiled *c = p->c;
    const char **names =
        ix_mem_new(&ctx->mem, (c->nkernels + 1) * sizeof *names);
    void **entries = ix_mem_new(&ctx->mem, (c->nkernels + 1) * sizeof *entries);
    p->kernel = ix_mem_new(&p->mem, (c->nkernels + 1) * sizeof *p->kernel);
    const char *cc = ix_option_text(ctx, IX_OPTION_cc);
    const char *flags = ix_option_text(ctx, IX_OPTION_cflags);
    const ix_sources *source = &c->source[p->backend->dialect];
    ix_jit_request req = {.sources = source->unit,
                          .nsources = source->nunits,
                          .symbols = names,
                          .nsymbols = c->nkernels,
                          .needs_math = source->uses_math,
                          .cc = *cc ? cc : NULL,
                          .cflags_opt = *flags ? flags : NULL,
                          .timeout_ms =
                              1000 * ix_option_int(ctx, IX_OPTION_cc_timeout)};
    double start = now();
    for (size_t i = 0; names && i < c->nkernels; i++)
        names[i] = c->kernel[source->layout[i].function].name;
    if (names && entries && p->kernel)
        p->code = p->backend->compile(&p->mem, &req, entries, &ctx->error);
    else
        ix_fail_memory(&ctx->error);
    for (size_t i = 0; p->code && i < c->nkernels; i++)
        memcpy(&p->kernel[i], &entries[i], sizeof p->kernel[i]);
    if (p->code && p->backend->command)
        p->command = p->backend->command(&p->mem, &req, &ctx->error);
    p->jit_seconds = now() - start;
    ix_mem_free(&ctx->mem, names);
    ix_mem_free(&ctx->mem, entries);
    return p->code ? ILEX_OK : ctx->error.code;
}

static ilex_program *
compile_as_is(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    ilex_program *p = ix_mem_new(ix_context_mem(ctx), sizeof *p);
    if (!p) {
        ix_fail_memory(&ctx->error);
        return NULL;
    }
    atomic_init(&p->count, 1);
    p->mem = *ix_context_mem(ctx);
    p->backend = ix_backend_choose(ctx);
    p->threads = (int)ix_option_int(ctx, IX_OPTION_threads);
    ix_compile_request request = {.reference = p->backend->dialect < 0,
                                  .several = p->backend->several};
    if (!request.reference)
        request.dialect[p->backend->dialect] = true;
    p->c = ix_compile(module, &request);
    p->workspaces = ix_workspaces_new(&p->mem);
    if (p->backend->engine == &ix_engine_device)
        p->device_codes = ix_device_codes_new(&p->mem);
    p->equations = p->c ? ix_equations_new(&p->mem, p->c) : NULL;
    bool complete =
        p->workspaces && p->equations &&
        (p->device_codes || p->backend->engine != &ix_engine_device);
    if (p->c && !complete)
        ix_fail_memory(&ctx->error);
    else if (p->c && p->backend->compile)
        load_code(ctx, p);
    if (p->c)
        p->most_arguments = ix_most_arguments(p->c, p->backend->dialect);
    if (p->c && ctx->error.code == ILEX_OK)
        return p;
    ilex_program_release(p);
    return NULL;
}

static ilex_program *
compile_anew(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    if (ctx->error.code != ILEX_OK || !ix_option_int(ctx, IX_OPTION_box))
        return compile_as_is(module);
    ilex_module *boxed = ix_module_boxed(module);
    ilex_program *p = boxed ? compile_as_is(boxed) : NULL;
    ilex_module_free(boxed);
    return p;
}

/* Can the program be one that was compiled before, or become one for others? It
 * outlives the context, so its memory is malloc's; it holds nothing of a
 * device; and who looks at passes wants them to run. */
static bool
may_reuse(ilex_context *ctx)
{
    const ix_mem *mem = ix_context_mem(ctx);
    return ix_option_int(ctx, IX_OPTION_reuse) &&
           ix_backend_choose(ctx)->engine != &ix_engine_device &&
           !memcmp(mem, &ix_mem_default, sizeof *mem) &&
           !*ix_option_text(ctx, IX_OPTION_dump) &&
           !*ix_option_text(ctx, IX_OPTION_stop) &&
           !ix_option_int(ctx, IX_OPTION_verify);
}

/* All that the program depends on; false if it is not to be kept. */
static bool
write_key(ilex_module *module, ix_text *t)
{
    bool data;
    if (!ix_module_key(module, t, &data) || data)
        return false;
    for (int i = 0; i < IX_NOPTIONS; i++)
        ix_text_format(t, "\n%s", ix_option_text(module->ctx, (ix_option)i));
    return true;
}

static ilex_program *
compile_module(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    ix_text t;
    if (ctx->error.code != ILEX_OK || !may_reuse(ctx))
        return compile_anew(module);
    ix_text_init(&t, &ctx->mem);
    const char *key = write_key(module, &t) ? ix_text_string(&t) : NULL;
    ilex_program *p = key ? ix_kept_program(key) : NULL;
    if (!p) {
        p = compile_anew(module);
        if (p && key) {
            p->kept = true;
            ix_keep_program(key, p);
        }
    }
    ix_text_free(&t);
    return p;
}

/* Constants are folded and read while compiling: in the environment of runs. */
ilex_program *
ilex_compile_module(ilex_module *module)
{
    ix_fpenv before = ix_fpenv_enter();
    ilex_program *p = compile_module(module);
    ix_fpenv_leave(before);
    return p;
}

/* "_ilex_out<i>" unless the spec names the output. */
static ilex_status
add_outputs(ilex_module *m, size_t count, ilex_array *const *outputs,
            const ilex_compile_spec *spec)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "_ilex_out%zu", i);
        const char *given = spec->names ? spec->names[i] : NULL;
        const char *inplace = spec->inplace ? spec->inplace[i] : NULL;
        if (!outputs || !outputs[i])
            return ix_fail(&m->ctx->error, ILEX_E_ARGUMENT,
                           "compile: output %zu is NULL", i);
        rc = given ? ilex_module_output(m, given, outputs[i], inplace)
                   : ix_module_add_output(m, name, outputs[i], inplace);
    }
    return rc;
}

ilex_program *
ilex_compile(ilex_context *ctx, size_t count, ilex_array *const *outputs,
             const ilex_compile_spec *spec)
{
    ilex_compile_spec s = {0};
    if (ctx->error.code != ILEX_OK)
        return NULL;
    if (spec && spec->size < offsetof(ilex_compile_spec, names)) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "compile: the size of the spec is not set; start it with "
                ".size = sizeof(ilex_compile_spec)");
        return NULL;
    }
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    ilex_module *m = ilex_module_new(ctx, s.name ? s.name : "program");
    if (!m)
        return NULL;
    ilex_program *p = NULL;
    if (add_outputs(m, count, outputs, &s) == ILEX_OK)
        p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

ilex_program *
ilex_program_retain(ilex_program *p)
{
    if (p)
        atomic_fetch_add(&p->count, 1);
    return p;
}

void
ilex_program_release(ilex_program *p)
{
    if (p && p->kept && atomic_load(&p->count) == 2)
        ilex_program_trim(p); /* to its users it is gone */
    if (!p || atomic_fetch_sub(&p->count, 1) != 1)
        return;
    ix_mem mem = p->mem;
    ix_code_release(p->code);
    ix_mem_free(&mem, p->kernel);
    ix_mem_free(&mem, p->command);
    ix_equations_free(&mem, p->equations);
    ix_compiled_free(p->c);
    ix_workspaces_free(p->workspaces);
    ix_device_codes_free(&mem, p->device_codes);
    ix_mem_free(&mem, p);
}
