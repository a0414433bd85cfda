/* SPDX-License-Identifier: MIT
 *
 * Scopes: who holds the arrays that constructors return.
 *
 * A scope is a range of the context's list of recorded arrays; each record is
 * one count. An array is recorded in the outermost open scope that holds it:
 * meeting it again adds nothing. What is assumed in a scope ends with it.
 */
#include "lib/graph/node.h"

/* Is "n" recorded by an open scope? A bit says "perhaps"; as records go, the
 * bit goes, so it is exact. */
bool
ix_scope_record_array(ilex_context *ctx, ilex_array *n)
{
    if (n->scope_hint || n == ctx->poison)
        return true;
    if (atomic_load_explicit(&ctx->later, memory_order_relaxed))
        ix_keep_drain(ctx);
    if (!ix_mem_grow(&ctx->mem, &ctx->scoped, &ctx->scoped_capacity,
                     ctx->nscoped + 1, sizeof *ctx->scoped))
        return false;
    ctx->scoped[ctx->nscoped++] = ix_node_retain(n);
    n->scope_hint = 1;
    return true;
}

size_t
ilex_scope_begin(ilex_context *ctx)
{
    size_t mark = ctx->nscopes;
    if (!ix_mem_grow(&ctx->mem, &ctx->scope, &ctx->scope_capacity, mark + 1,
                     sizeof *ctx->scope))
        return SIZE_MAX;
    ctx->scope[ctx->nscopes++] = (ix_scope){ctx->nscoped, ctx->in_force,
                                            ctx->first_counted, ctx->ncounted};
    return mark;
}

/* Releases the records from "start" on, newest first. */
static void
unwind(ilex_context *ctx, size_t start)
{
    while (ctx->nscoped > start) {
        ilex_array *n = ctx->scoped[--ctx->nscoped];
        n->scope_hint = 0;
        ix_node_release(n);
    }
}

ilex_array *
ilex_scope_end(ilex_context *ctx, size_t mark, ilex_array *result)
{
    ix_keep_drain(ctx);
    if (mark >= ctx->nscopes) {
        if (mark != SIZE_MAX) /* a begin that failed gave SIZE_MAX */
            ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                    "scope_end: scope %zu is not open (%zu are); pass what "
                    "ilex_scope_begin returned",
                    mark, ctx->nscopes);
        return result;
    }
    if (result && result->ctx != ctx)
        result = ix_poison(ctx, "scope_end", 0, ILEX_E_CONTEXT,
                           "scope_end: the result belongs to another context");
    if (result)
        ix_node_retain(result);
    unwind(ctx, ctx->scope[mark].start);
    ctx->in_force = ctx->scope[mark].in_force;
    ctx->first_counted = ctx->scope[mark].first_counted;
    ctx->ncounted = ctx->scope[mark].ncounted;
    ctx->nscopes = mark;
    if (result) {
        bool ok = ix_scope_record_array(ctx, result);
        ix_node_release(result);
        if (!ok)
            return ix_poison_again(ctx);
    }
    return result;
}

void
ix_scope_free(ilex_context *ctx)
{
    ix_keep_drain(ctx);
    unwind(ctx, 0);
    ix_mem_free(&ctx->mem, ctx->scoped);
    ix_mem_free(&ctx->mem, ctx->scope);
    ctx->scoped = NULL;
    ctx->scope = NULL;
}
