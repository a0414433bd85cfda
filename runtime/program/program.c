/* SPDX-License-Identifier: MIT
 *
 * Programs: from a module to something that runs.
 */
#include "runtime/program/program.h"

#include <stdio.h>

#include "lib/base/fpenv.h"
#include "runtime/program/messages.h"

static const ix_backend backends[] = {
#define IX_BACKEND(name, dialect, compile, find, command, several, engine,     \
                   meaning)                                                    \
    {#name, meaning, dialect, compile,                                         \
     find,  command, several, &ix_engine_##engine},
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

/* The back end that takes over with jit=auto; NULL: none does. */
static const ix_backend *
choose_better(ilex_context *ctx, const ix_backend *first)
{
    bool automatic = !strcmp(ix_option_text(ctx, IX_OPTION_jit), "auto");
    const ix_backend *cc = find_backend("cc");
    return automatic && cc != first ? cc : NULL;
}

/* ---- compiling ---- */

/* The source of the back ends that are not NULL, or bytecode. */
static ix_compiled *
lower(ilex_module *module, const ix_backend *first, const ix_backend *better)
{
    const ix_backend *all[] = {first, better};
    ix_compile_request request = {.reference = first->dialect < 0,
                                  .facts = true};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        if (all[i] && all[i]->dialect >= 0) {
            request.dialect[all[i]->dialect] = true;
            request.several[all[i]->dialect] = all[i]->several;
        }
    return ix_compile(module, &request);
}

/* What a program needs beside its code. */
static bool
complete(ilex_program *p)
{
    bool device = p->backend->engine == &ix_engine_device;
    p->workspaces = ix_workspaces_new(&p->mem);
    p->meter = ix_meter_new(&p->mem);
    p->profile = ix_profile_new(&p->mem, ilex_program_kernel_count(p));
    if (device)
        p->device_codes = ix_device_codes_new(&p->mem);
    return p->workspaces && p->meter && p->profile &&
           (p->device_codes || !device);
}

/* The code of the first back end, and what it takes to get better code; the
 * better code at once if that was compiled before. */
static void
equip(ilex_program *p, const ix_backend *better, ilex_context *ctx)
{
    ix_toolchain tools = ix_toolchain_of(ctx);
    size_t most = ix_most_arguments(p->c, p->backend->dialect);
    size_t other = better ? ix_most_arguments(p->c, better->dialect) : 0;
    p->most_arguments = most > other ? most : other;
    if (better)
        p->first = ix_tier_find(&p->mem, p, better, &tools, &ctx->error);
    bool found = p->first != NULL;
    if (!found && ctx->error.code == ILEX_OK)
        p->first = ix_tier_new(&p->mem, p, p->backend, &tools, &ctx->error);
    atomic_init(&p->tier, p->first);
    if (found || !better || !p->first)
        return;
    p->promotion = ix_promotion_new(p, better, ctx);
    if (!p->promotion)
        ix_fail_memory(&ctx->error);
}

static ilex_program *
compile_as_is(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    ilex_program *p = ix_mem_new(ix_context_mem(ctx), sizeof *p);
    if (!p)
        return ix_fail_memory_null(&ctx->error);
    atomic_init(&p->count, 1);
    p->mem = *ix_context_mem(ctx);
    p->backend = ix_backend_choose(ctx);
    const char *nvrtc = ix_option_text(ctx, IX_OPTION_nvrtc);
    p->threads = (int)ix_option_int(ctx, IX_OPTION_threads);
    const ix_backend *better = choose_better(ctx, p->backend);
    if (p->backend->dialect == IX_DIALECT_cuda && *nvrtc)
        ix_nvrtc_ask(nvrtc, &ctx->error);
    p->c = lower(module, p->backend, better);
    if (p->c && !complete(p))
        ix_fail_memory(&ctx->error);
    else if (p->c && ix_link_functions(ctx, p))
        equip(p, better, ctx);
    if (p->c && ctx->error.code == ILEX_OK)
        return p;
    ilex_program_release(p);
    return NULL;
}

static ilex_program *
compile_anew(ilex_module *module)
{
    ilex_context *ctx = module->ctx;
    bool box = ix_option_int(ctx, IX_OPTION_box) && ctx->error.code == ILEX_OK;
    if (box && module->nmessages)
        return ix_fail_null(&ctx->error, ILEX_E_UNSUPPORTED,
                            "program %s: boxes (option box) of a program with "
                            "messages are not supported",
                            module->name);
    ilex_module *restricted = box ? ix_module_subdomain(module) : NULL;
    ilex_program *p =
        restricted || !box ? compile_as_is(box ? restricted : module) : NULL;
    ilex_module_free(restricted);
    if (p)
        p->layouts = ix_layouts_new(module, p);
    if (p && module->nmessages)
        p->messages = ix_messages_new(module, p);
    if (!p || !module->nmessages || p->messages)
        return p;
    ilex_program_release(p);
    return NULL;
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

/* All that the program depends on but for wrapped data; false if it is not to
 * be kept. */
static bool
write_key(ilex_module *module, ix_text *t, ix_held *held)
{
    if (!ix_module_key(module, t, held) || held->foreign)
        return false;
    ix_options_key(module->ctx, t);
    return true;
}

/* The program that is kept for "key", or one that is kept for it from now on.
 */
static ilex_program *
find_or_compile(ilex_module *module, const char *key, const ix_held *open)
{
    ilex_program *p = ix_kept_program(key);
    if (p)
        return p;
    p = compile_anew(module);
    if (p && open && !ix_program_open(p, open)) {
        ilex_program_release(p);
        return ix_fail_memory_null(&module->ctx->error);
    }
    if (p) {
        p->kept = true;
        ix_keep_program(key, p);
    }
    return p;
}

/* Wrapped data are arguments of the program if there is somebody who binds
 * them, else part of it: then it is kept for nobody. */
static ilex_program *
compile_module(ilex_module *module, ix_held *open)
{
    ilex_context *ctx = module->ctx;
    ix_held held = {0}, *data = open ? open : &held;
    ix_text t;
    ix_promotion_tell(ctx);
    if (ctx->error.code != ILEX_OK || !may_reuse(ctx))
        return compile_anew(module);
    ix_text_init(&t, &ctx->mem);
    bool kept = write_key(module, &t, data) && (open || held.n == 0);
    const char *key = kept ? ix_text_string(&t) : NULL;
    ilex_program *p =
        key ? find_or_compile(module, key, open) : compile_anew(module);
    ix_text_free(&t);
    ix_mem_free(&ctx->mem, held.data);
    return p;
}

/* Constants are folded and read while compiling: in the environment of runs. */
ilex_program *
ix_program_compile(ilex_module *module, ix_held *open)
{
    ix_fpenv before = ix_fpenv_enter();
    ilex_program *p = compile_module(module, open);
    ix_fpenv_leave(before);
    return p;
}

ilex_program *
ilex_compile_module(ilex_module *module)
{
    return module ? ix_program_compile(module, NULL) : NULL;
}

ilex_status
ix_program_output(ilex_module *m, size_t i, ilex_array *x, const char *inplace)
{
    char name[40];
    snprintf(name, sizeof name, "_ilex_out%zu", i);
    return ix_module_add_output(m, name, x, inplace);
}

static ilex_status
add_outputs(ilex_module *m, size_t count, ilex_array *const *outputs,
            const ilex_compile_spec *spec)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        const char *given = spec->names ? spec->names[i] : NULL;
        const char *inplace = spec->inplace ? spec->inplace[i] : NULL;
        if (!outputs || !outputs[i])
            return ix_fail(&m->ctx->error, ILEX_E_ARGUMENT,
                           "compile: output %zu is NULL", i);
        rc = given ? ilex_module_output(m, given, outputs[i], inplace)
                   : ix_program_output(m, i, outputs[i], inplace);
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
    if (spec && spec->size < offsetof(ilex_compile_spec, names))
        return ix_fail_null(&ctx->error, ILEX_E_ARGUMENT,
                            "compile: the size of the spec is not set; start "
                            "it with .size = sizeof(ilex_compile_spec)");
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
    ix_layouts_free(p->layouts);
    ix_messages_free(&mem, p->messages);
    ix_promotion_free(p->promotion);
    ix_tier_free(p->first);
    ix_mem_free(&mem, p->meter);
    ix_mem_free(&mem, p->profile);
    ix_mem_free(&mem, p->function);
    ix_mem_free(&mem, p->elementwise);
    ix_mem_free(&mem, p->data);
    ix_compiled_free(p->c);
    ix_workspaces_free(p->workspaces);
    ix_device_codes_free(&mem, p->device_codes);
    ix_mem_free(&mem, p);
}
