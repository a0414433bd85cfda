/* SPDX-License-Identifier: MIT
 *
 * The context of isl that a context has.
 */
#include "lib/shape/isl_context.h"

#include <isl/options.h>
#include <stdlib.h>

#include "lib/shape/gmp.h"

struct ix_affine {
    isl_ctx *isl;  /* NULL: there is none yet, or it was lost */
    void *reserve; /* for GMP when there is no memory */
};

enum { RESERVE = 1 << 16 }; /* bytes */

void
ix_affine_end(ilex_context *ctx)
{
    if (!ctx->affine)
        return;
    isl_ctx_free(ctx->affine->isl);
    free(ctx->affine->reserve);
    ix_mem_free(&ctx->mem, ctx->affine);
}

/* isl_ctx_alloc() crashes where it gets no memory: is there as much? */
static bool
probe(void)
{
    static const size_t sizes[] = {8,  8,  8,   8,   8,   8,   8,   16,
                                   64, 64, 128, 184, 256, 520, 1024};
    void *volatile block[IX_COUNT(sizes)]; /* no compiler leaves it out */
    bool ok = true;
    for (size_t i = 0; i < IX_COUNT(sizes); i++)
        ok &= (block[i] = malloc(sizes[i])) != NULL;
    for (size_t i = IX_COUNT(sizes); i-- > 0;)
        free(block[i]);
    return ok;
}

static void
make_isl(void *arg)
{
    struct ix_affine *a = arg;
    a->isl = isl_ctx_alloc();
    if (a->isl)
        isl_options_set_on_error(a->isl, ISL_ON_ERROR_CONTINUE);
}

isl_ctx *
ix_isl_of(ilex_context *ctx)
{
    struct ix_affine *a = ctx->affine;
    if (!a && (a = ix_mem_new(&ctx->mem, sizeof *a)) != NULL)
        ctx->affine = a;
    if (a && !a->reserve)
        a->reserve = malloc(RESERVE);
    if (!a || !a->reserve)
        return ix_fail_memory_null(&ctx->error);
    if (!a->isl && probe() && !ix_gmp_run(&a->reserve, make_isl, a))
        ctx->leaked++;
    if (!a->isl)
        ix_fail_memory(&ctx->error);
    return a->isl;
}

void
ix_isl_renew_quota(ilex_context *ctx)
{
    isl_ctx *isl = ctx->affine->isl;
    isl_ctx_reset_error(isl);
    isl_ctx_reset_operations(isl);
    isl_ctx_set_max_operations(
        isl, (unsigned long)ix_option_int(ctx, IX_OPTION_quota));
}

bool
ix_isl_run(ilex_context *ctx, void (*work)(void *arg), void *arg)
{
    struct ix_affine *a = ctx->affine;
    bool done = ix_gmp_run(&a->reserve, work, arg);
    if (done) {
        isl_ctx_set_max_operations(a->isl, 0);
    } else {
        a->isl = NULL;
        ctx->leaked++;
    }
    return done;
}
