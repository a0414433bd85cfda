/* SPDX-License-Identifier: MIT
 *
 * Registering functions of the host.
 */
#include "lib/graph/function.h"

/* Symbol and what it stands for. */
struct ix_registered {
    int32_t name;
    ilex_function_spec spec;
};

static struct ix_registered *
find(const ilex_context *ctx, const char *name)
{
    for (size_t i = 0; i < ctx->nfunctions; i++)
        if (!strcmp(ix_symbol_text(ctx, ctx->function[i].name), name))
            return &ctx->function[i];
    return NULL;
}

const ilex_function_spec *
ix_function_find(const ilex_context *ctx, const char *name)
{
    const struct ix_registered *f = find(ctx, name);
    return f ? &f->spec : NULL;
}

/* The entry of "name", a new one if there is none; NULL: no memory. */
static struct ix_registered *
entry(ilex_context *ctx, const char *name)
{
    struct ix_registered *f = find(ctx, name);
    if (f)
        return f;
    int32_t symbol = ix_symbol_of(ctx, name, strlen(name));
    if (symbol < 0 ||
        !ix_mem_grow(&ctx->mem, &ctx->function, &ctx->function_capacity,
                     ctx->nfunctions + 1, sizeof *ctx->function))
        return NULL;
    f = &ctx->function[ctx->nfunctions++];
    *f = (struct ix_registered){.name = symbol};
    return f;
}

static ilex_status
check_spec(ilex_context *ctx, const char *name, const ilex_function_spec *spec)
{
    if (!spec || spec->size < offsetof(ilex_function_spec, device))
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "function %s: the size of the spec is not set; start it "
                       "with .size = sizeof(ilex_function_spec)",
                       name);
    bool device = spec->size > offsetof(ilex_function_spec, device) &&
                  spec->device != NULL;
    if (!spec->host && !device)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "function %s: there is no function for the host (host) "
                       "and none for devices (device)",
                       name);
    return ILEX_OK;
}

ilex_status
ilex_function_register(ilex_context *ctx, const char *name,
                       const ilex_function_spec *spec)
{
    if (!ix_name_check(&ctx->error, "function", name,
                       name ? strlen(name) : 0) ||
        check_spec(ctx, name, spec) != ILEX_OK)
        return ctx->error.code;
    struct ix_registered *f = entry(ctx, name);
    if (!f)
        return ix_fail_memory(&ctx->error);
    f->spec = (ilex_function_spec){.size = sizeof f->spec};
    memcpy(&f->spec, spec,
           spec->size < sizeof f->spec ? spec->size : sizeof f->spec);
    return ILEX_OK;
}
