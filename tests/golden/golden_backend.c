/* SPDX-License-Identifier: MIT
 *
 * Back ends of the runner: those of the library, by its option "jit"; CUDA
 * source that the C compiler makes run on the CPU; CUDA source on a device.
 */
#include <string.h>

#include "lib/graph/context.h"
#include "tests/cuda/cuda_device.h"
#include "tests/differential/cuda_shim.h"
#include "tests/golden/golden.h"

/* ---- the library's ---- */

static void *
compile_library(ilex_context *ctx, size_t count, ilex_array *const *values,
                const char *const *names)
{
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    const char *jit = ix_option_text(ctx, IX_OPTION_jit);
    ilex_program *p = ilex_compile(ctx, count, values, &spec);
    if (!p || !strcmp(ilex_program_backend(p), jit))
        return p;
    ix_fail(&ctx->error, ILEX_E_INTERNAL, "the program is for back end %s",
            ilex_program_backend(p));
    ilex_program_release(p);
    return NULL;
}

static ilex_status
run_library(const void *program, const ilex_binding *bindings, size_t count,
            ilex_call *call)
{
    return ilex_run(program, bindings, count, call);
}

static void
release_library(void *program)
{
    ilex_program_release(program);
}

/* ---- CUDA source ---- */

/* The values as a module, which the caller frees; NULL after an error. */
static ilex_module *
make_module(ilex_context *ctx, size_t count, ilex_array *const *values,
            const char *const *names)
{
    ilex_module *m = ilex_module_new(ctx, "golden");
    ilex_status status = m ? ILEX_OK : ILEX_E_MEMORY;
    for (size_t i = 0; i < count && status == ILEX_OK; i++)
        status = ilex_module_output(m, names[i], values[i], NULL);
    if (status == ILEX_OK)
        return m;
    ilex_module_free(m);
    return NULL;
}

static void *
compile_shim(ilex_context *ctx, size_t count, ilex_array *const *values,
             const char *const *names)
{
    ilex_module *m = make_module(ctx, count, values, names);
    ilex_program *p = m ? cuda_shim_compile(m, NULL) : NULL;
    ilex_module_free(m);
    return p;
}

static void *
compile_device(ilex_context *ctx, size_t count, ilex_array *const *values,
               const char *const *names)
{
    ilex_module *m = make_module(ctx, count, values, names);
    ilex_program *p = m ? cuda_device_compile(ctx, m) : NULL;
    ilex_module_free(m);
    return p;
}

static ilex_status
run_device(const void *program, const ilex_binding *bindings, size_t count,
           ilex_call *call)
{
    return cuda_device_run(program, bindings, count, call);
}

/* ---- the table ---- */

static const golden_backend backends[] = {
    {"reference", true, false, compile_library, run_library, release_library},
    {"tcc", true, false, compile_library, run_library, release_library},
    {"cc", true, true, compile_library, run_library, release_library},
    {"cuda-cpu", false, false, compile_shim, run_library, release_library},
    {"cuda", false, false, compile_device, run_device, release_library},
};

const golden_backend *
golden_backend_find(const char *name)
{
    for (size_t i = 0; i < GOLDEN_COUNT(backends); i++)
        if (!strcmp(backends[i].name, name))
            return &backends[i];
    return NULL;
}
