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

/* What the caller knew of the members; the others are zero. */
static ilex_function_spec
copy_spec(const ilex_function_spec *spec)
{
    ilex_function_spec copy = {.size = 0};
    memcpy(&copy, spec, spec->size < sizeof copy ? spec->size : sizeof copy);
    copy.size = sizeof copy;
    return copy;
}

const char *
ix_function_declared(const ilex_function_spec *spec)
{
    return spec && spec->size >= offsetof(ilex_function_spec, device)
               ? copy_spec(spec).declaration
               : NULL;
}

static ilex_status
check_spec(ilex_context *ctx, const char *name, const ilex_function_spec *spec)
{
    if (!spec || spec->size < offsetof(ilex_function_spec, device))
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "function %s: the size of the spec is not set; start it "
                       "with .size = sizeof(ilex_function_spec)",
                       name);
    ilex_function_spec s = copy_spec(spec);
    if (!s.host && !s.device && !s.elementwise && !s.elementwise_cuda)
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "function %s: there is no function for the host (host), "
                       "none for devices (device) and none of numbers "
                       "(elementwise, elementwise_cuda)",
                       name);
    return ILEX_OK;
}

/* Puts a symbol's text, which outlives the caller's, into "*text". */
static bool
keep_text(ilex_context *ctx, const char **text)
{
    if (!*text)
        return true;
    int32_t symbol = ix_symbol_of(ctx, *text, strlen(*text));
    *text = symbol < 0 ? NULL : ix_symbol_text(ctx, symbol);
    return *text != NULL;
}

ilex_status
ix_function_register(ilex_context *ctx, const char *name,
                     const ilex_function_spec *spec, const char *declaration)
{
    if (check_spec(ctx, name, spec) != ILEX_OK)
        return ctx->error.code;
    ilex_function_spec copy = copy_spec(spec);
    copy.declaration = declaration;
    if (!keep_text(ctx, &copy.elementwise_cuda) ||
        !keep_text(ctx, &copy.declaration))
        return ix_fail_memory(&ctx->error);
    struct ix_registered *f = entry(ctx, name);
    if (!f)
        return ix_fail_memory(&ctx->error);
    f->spec = copy;
    return ILEX_OK;
}

const char *
ix_function_name(const ilex_context *ctx, size_t i)
{
    return ix_symbol_text(ctx, ctx->function[i].name);
}

const char *
ix_function_declaration(const ilex_context *ctx, size_t i)
{
    return ctx->function[i].spec.declaration;
}
