/* SPDX-License-Identifier: MIT
 *
 * A program's code from one back end.
 */
#include "runtime/program/program.h"

ix_toolchain
ix_toolchain_of(ilex_context *ctx)
{
    const char *cc = ix_option_text(ctx, IX_OPTION_cc);
    const char *flags = ix_option_text(ctx, IX_OPTION_cflags);
    return (ix_toolchain){.cc = *cc ? cc : NULL,
                          .cflags = *flags ? flags : NULL,
                          .timeout_ms =
                              1000 * ix_option_int(ctx, IX_OPTION_cc_timeout),
                          .cache = ix_cache_setup_of(ctx)};
}

/* Gets the code of the source by "get" and finds the kernels. */
static bool
load_code(const ix_compiled *c, ix_tier *t, ix_code_fn *get,
          const ix_toolchain *tools, ix_error *err)
{
    const ix_sources *source = &c->source[t->backend->dialect];
    const char **names = ix_mem_new(&t->mem, (c->nkernels + 1) * sizeof *names);
    void **entries = ix_mem_new(&t->mem, (c->nkernels + 1) * sizeof *entries);
    t->kernel = ix_mem_new(&t->mem, (c->nkernels + 1) * sizeof *t->kernel);
    ix_jit_request req = {.sources = source->unit,
                          .nsources = source->nunits,
                          .symbols = names,
                          .nsymbols = c->nkernels,
                          .needs_math = source->uses_math,
                          .cc = tools->cc,
                          .cflags_opt = tools->cflags,
                          .timeout_ms = tools->timeout_ms,
                          .stop = tools->stop,
                          .load_seconds = &t->load_seconds,
                          .cache = tools->cache};
    for (size_t i = 0; names && i < c->nkernels; i++)
        names[i] = c->kernel[source->layout[i].function].name;
    if (names && entries && t->kernel)
        t->code = get(&t->mem, &req, entries, err);
    else
        ix_fail_memory(err);
    for (size_t i = 0; t->code && i < c->nkernels; i++)
        memcpy(&t->kernel[i], &entries[i], sizeof t->kernel[i]);
    if (t->code && t->backend->command)
        t->command = t->backend->command(&t->mem, &req, err);
    ix_mem_free(&t->mem, names);
    ix_mem_free(&t->mem, entries);
    return t->code && (t->command || !t->backend->command);
}

/* With the code that "get" gets, if it is not NULL. */
static ix_tier *
tier_with(const ix_mem *mem, const ilex_program *p, const ix_backend *backend,
          ix_code_fn *get, const ix_toolchain *tools, ix_error *err)
{
    ix_tier *t = ix_mem_new(mem, sizeof *t);
    double start = ix_clock();
    if (!t)
        return ix_fail_memory_null(err);
    t->mem = *mem;
    t->backend = backend;
    if (get && !load_code(p->c, t, get, tools, err)) {
        ix_tier_free(t);
        return NULL;
    }
    t->seconds = ix_clock() - start;
    return t;
}

ix_tier *
ix_tier_new(const ix_mem *mem, const ilex_program *p, const ix_backend *backend,
            const ix_toolchain *tools, ix_error *err)
{
    return tier_with(mem, p, backend, backend->compile, tools, err);
}

ix_tier *
ix_tier_find(const ix_mem *mem, const ilex_program *p,
             const ix_backend *backend, const ix_toolchain *tools,
             ix_error *err)
{
    return backend->find ? tier_with(mem, p, backend, backend->find, tools, err)
                         : NULL;
}

void
ix_tier_free(ix_tier *t)
{
    if (!t)
        return;
    ix_mem mem = t->mem;
    ix_code_release(t->code);
    ix_mem_free(&mem, t->kernel);
    ix_mem_free(&mem, t->command);
    ix_mem_free(&mem, t);
}
