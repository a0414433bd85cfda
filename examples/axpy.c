/* SPDX-License-Identifier: MIT
 *
 * First steps: z = a*x + y for vectors of any length. An expression is built
 * from named inputs, compiled once, and run over storages. Errors need one
 * check: whatever went wrong while building is reported by ilex_compile().
 */
#include <ilex.h>
#include <stdio.h>

int
main(void)
{
    enum { N = 1000 };
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;

    ilex_array *a = ilex_input(ctx, "a", ILEX_F64, "");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_input(ctx, "y", ILEX_F64, "n");
    ilex_array *z = ilex_add(ilex_multiply(a, x), y);

    const char *names[] = {"z"};
    ilex_compile_spec spec = {.size = sizeof spec, .names = names};
    ilex_program *p = ilex_compile(ctx, 1, &z, &spec);
    if (!p) {
        fprintf(stderr, "%s\n", ilex_error_text(ctx));
        ilex_context_free(ctx);
        return 1;
    }

    double av = 2, xv[N], yv[N], zv[N];
    for (int i = 0; i < N; i++) {
        xv[i] = i;
        yv[i] = 1;
    }
    int64_t n = N;
    ilex_storage *as =
        ilex_storage_wrap(ctx, ILEX_F64, 0, NULL, NULL, &av, NULL, NULL);
    ilex_storage *xs =
        ilex_storage_wrap(ctx, ILEX_F64, 1, &n, NULL, xv, NULL, NULL);
    ilex_storage *ys =
        ilex_storage_wrap(ctx, ILEX_F64, 1, &n, NULL, yv, NULL, NULL);
    ilex_storage *zs =
        ilex_storage_wrap(ctx, ILEX_F64, 1, &n, NULL, zv, NULL, NULL);

    ilex_binding args[] = {ILEX_BIND("a", as), ILEX_BIND("x", xs),
                           ILEX_BIND("y", ys), ILEX_BIND("z", zs)};
    ilex_call call = {.size = sizeof call};
    int failed = ilex_run(p, args, 4, &call) != ILEX_OK;
    if (failed)
        fprintf(stderr, "%s\n", call.error);

    for (int i = 0; i < N && !failed; i++)
        failed = zv[i] != 2 * xv[i] + 1;
    printf("z = a*x + y over %d elements by %s: z[%d] = %g, %s\n", N,
           ilex_program_backend(p), N - 1, zv[N - 1],
           failed ? "WRONG" : "as it should be");

    ilex_storage_release(as);
    ilex_storage_release(xs);
    ilex_storage_release(ys);
    ilex_storage_release(zs);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return failed;
}
