/* SPDX-License-Identifier: MIT
 *
 * Eager reductions of storages on a grid: of the whole, by all ranks, by a
 * program with the names of its axes.
 */
#include "lib/base/text.h"
#include "runtime/eager/eager.h"

/* "in x0 : f64[I:l0:n0, J:l1:n1]" and "out y = sum[I](x0)". */
static void
put_program(ix_text *t, const char *name, const ilex_storage *x, uint32_t mask)
{
    const char *comma = "";
    ix_text_format(t, "ilex 1\nprogram reduce\n");
    for (int k = 0; k < x->rank; k++)
        ix_text_format(t, "size l%d, n%d\nassume l%d <= n%d\n", k, k, k, k);
    ix_text_format(t, "in x0 : %s[", ilex_dtype_name(x->dtype));
    for (int k = 0; k < x->rank; k++)
        ix_text_format(t, "%s%s:l%d:n%d", k ? ", " : "", x->axis[k], k, k);
    ix_text_format(t, "]\nout y = %s[", name);
    for (int k = 0; k < x->rank; k++) {
        if (!(mask >> k & 1))
            continue;
        ix_text_format(t, "%s%s", comma, x->axis[k]);
        comma = ", ";
    }
    ix_text_format(t, "](x0)\n");
}

static ilex_program *
compile(ilex_context *ctx, const char *name, const ilex_storage *x,
        uint32_t mask)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    put_program(&t, name, x, mask);
    const char *text = ix_text_string(&t);
    ilex_module *m = text ? ilex_module_parse(ctx, text, "reduce") : NULL;
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    if (!text)
        ix_fail_memory(&ctx->error);
    ilex_module_free(m);
    ix_text_free(&t);
    return p;
}

ilex_storage *
ix_eager_reduce_parts(ilex_context *ctx, const char *name, ilex_storage *x,
                      uint32_t mask, ilex_storage *out)
{
    ilex_binding b[] = {ILEX_BIND("x0", x), ILEX_BIND("y", out)};
    ilex_call call = {.size = sizeof call};
    if (mask == 0)
        return ix_fail_null(&ctx->error, ILEX_E_UNSUPPORTED,
                            "%s over no axes of a storage on a grid is not "
                            "supported",
                            name);
    ilex_program *p = compile(ctx, name, x, mask);
    ilex_storage *y = NULL;
    if (p && !out)
        ilex_evaluate(ctx, p, b, 1, &y);
    else if (p) {
        ilex_status rc = ilex_run(p, b, 2, &call);
        y = rc ? ix_fail_null(&ctx->error, rc, "%s", call.error)
               : ilex_storage_retain(out);
    }
    ilex_program_release(p);
    return y;
}
