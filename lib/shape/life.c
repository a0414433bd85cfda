/* SPDX-License-Identifier: MIT
 *
 * Contexts are made and freed, in the highest room that they own something of.
 */
#include "lib/graph/annotation.h"
#include "lib/graph/env.h"
#include "lib/graph/node.h"
#include "lib/shape/affine.h"

_Atomic(void (*)(void)) ix_context_last;
static atomic_size_t ncontexts;

/* The user's allocator; no failure stays unseen. */
static void *
resize_recording(void *user, void *block, size_t bytes)
{
    ilex_context *ctx = user;
    void *p = ctx->host.resize(ctx->host.user, block, bytes);
    if (!p && bytes > 0)
        ix_fail_memory(&ctx->error);
    return p;
}

ilex_context *
ilex_context_new(const ilex_context_spec *spec)
{
    ilex_context_spec s = {0};
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    ix_mem mem = s.allocator.resize ? s.allocator : ix_mem_default;
    ilex_context *ctx = ix_mem_new(&mem, sizeof *ctx);
    if (!ctx)
        return NULL;
    atomic_fetch_add(&ncontexts, 1);
    ctx->mem = (ix_mem){resize_recording, ctx};
    ctx->host = mem;
    ctx->log = s.log;
    ctx->log_user = s.log_user;
    ctx->possible = ix_affine_facts_possible;
    ix_errors_init(&ctx->error, &ctx->errors, &mem);
    atomic_init(&ctx->later, NULL);
    ctx->remains = ix_remains_new(&mem);
    if (!ctx->remains || ix_symbol_of(ctx, "", 0) != 0 ||
        !ix_node_make_poison(ctx)) {
        ilex_context_free(ctx);
        return NULL;
    }
    ix_options_read(ctx);
    if (spec && spec->size < offsetof(ilex_context_spec, allocator))
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "context: the size of the spec is not set; start it with "
                ".size = sizeof(ilex_context_spec)");
    return ctx;
}

void
ilex_context_free(ilex_context *ctx)
{
    if (!ctx)
        return;
    if (ctx->temporaries_free)
        ctx->temporaries_free(ctx);
    ix_scope_free(ctx);
    ix_annotation_free_all(ctx);
    if (ctx->modules_end)
        ctx->modules_end(ctx);
    ix_node_free_all(ctx);
    ix_affine_end(ctx);
    ix_env_free_all(ctx);
    ix_lin_free_all(ctx);
    for (size_t i = 0; i < ctx->nsymbols; i++)
        ix_mem_free(&ctx->mem, ctx->symbol[i]);
    for (size_t i = 0; i < IX_NOPTIONS; i++)
        ix_mem_free(&ctx->mem, ctx->option[i]);
    ix_table_free(&ctx->symbols, &ctx->mem);
    ix_mem_free(&ctx->mem, ctx->symbol);
    ix_mem_free(&ctx->mem, ctx->param);
    ix_mem_free(&ctx->mem, ctx->counted);
    ix_mem_free(&ctx->mem, ctx->function);
    ix_errors_free(&ctx->errors);
    ix_mem host = ctx->host;
    if (ctx->remains)
        ix_remains_let_go(ctx->remains, NULL);
    ix_mem_free(&host, ctx);
    void (*last)(void) = atomic_load(&ix_context_last);
    if (atomic_fetch_sub(&ncontexts, 1) == 1 && last)
        last();
}

size_t
ilex_context_leaked(const ilex_context *ctx)
{
    return ctx ? ctx->leaked : 0;
}
