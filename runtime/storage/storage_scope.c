/* SPDX-License-Identifier: MIT
 *
 * Storages that a context gives back: those of a scope, which is where the list
 * of them began.
 */
#include "lib/graph/context.h"
#include "runtime/storage/storage.h"

/* Gives back the newest ones until "n" are left. */
static void
unwind(ilex_context *ctx, size_t n)
{
    while (ctx->ntemporaries > n)
        ilex_storage_release(ctx->temporary[--ctx->ntemporaries]);
}

static void
free_all(ilex_context *ctx)
{
    unwind(ctx, 0);
    ix_mem_free(&ctx->mem, ctx->temporary);
}

size_t
ilex_storage_scope_begin(ilex_context *ctx)
{
    return ctx->ntemporaries;
}

ilex_storage *
ilex_storage_temporary(ilex_context *ctx, ilex_storage *s)
{
    if (!s)
        return NULL;
    ctx->temporaries_free = free_all;
    if (ix_mem_grow(&ctx->mem, &ctx->temporary, &ctx->temporary_capacity,
                    ctx->ntemporaries + 1, sizeof *ctx->temporary)) {
        ctx->temporary[ctx->ntemporaries++] = s;
        return s;
    }
    ix_fail_memory(&ctx->error);
    ilex_storage_release(s);
    return NULL;
}

void
ilex_storage_scope_end(ilex_context *ctx, size_t scope)
{
    unwind(ctx, scope);
}
