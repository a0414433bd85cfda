/* SPDX-License-Identifier: MIT
 *
 * A small neural network learns which points lie inside a circle: one hidden
 * layer, gradients by hand, steepest descent. Each line is an expression on
 * storages.
 *
 *     network [STEPS]
 */
#include <ilex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 400, HIDDEN = 16 };

static ilex_context *ctx;

static ilex_storage *
need(ilex_storage *s)
{
    if (s)
        return s;
    fprintf(stderr, "network: %s\n", ilex_error_text(ctx));
    exit(1);
}

static void
set(ilex_storage **old, ilex_storage *new)
{
    ilex_storage_release(*old);
    *old = need(new);
}

/* Numbers in [-1, 1) that depend on the key alone. */
static ilex_storage *
noise(uint64_t key, int64_t rows, int64_t columns)
{
    const ilex_binding b[] = {ILEX_BIND_U64("key", key),
                              ILEX_BIND_I64("rows", rows),
                              ILEX_BIND_I64("columns", columns)};
    ilex_module *m = ilex_module_parse(
        ctx,
        "ilex 1\nprogram noise\nsize rows, columns\nin key : u64\n"
        "map y[rows, columns] = 2.0*random(key, _0, _1) - 1.0\nout z = y\n",
        "noise");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_storage *result = NULL;
    if (p)
        ilex_evaluate(ctx, p, b, 3, &result);
    ilex_module_free(m);
    ilex_program_release(p);
    return need(result);
}

/* A storage that is needed to the end of a step. */
static ilex_storage *
on_the_way(ilex_storage *s)
{
    return ilex_storage_temporary(ctx, need(s));
}

static double
number(ilex_storage *s)
{
    return *(const double *)ilex_storage_const_data(on_the_way(s));
}

int
main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 600;
    ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;
    ilex_storage *x = noise(1, POINTS, 2), *w = noise(2, 2, HIDDEN);
    ilex_storage *b = noise(3, 1, HIDDEN), *v = noise(4, HIDDEN, 1);
    ilex_storage *t = need(ilex_eval(
        ctx, "where(sum[1](x*x; keep=1) < 0.6, 1.0, -1.0)", "x", x, NULL));
    double share = 0;
    for (int step = 0; step <= steps; step++) {
        size_t scope = ilex_storage_scope_begin(ctx);
        ilex_storage *h = on_the_way(ilex_eval(
            ctx, "tanh(matmul(x, 3.0*w) + b)", "x", x, "w", w, "b", b, NULL));
        ilex_storage *e = on_the_way(
            ilex_eval(ctx, "matmul(h, v) - t", "h", h, "v", v, "t", t, NULL));
        ilex_storage *g =
            on_the_way(ilex_eval(ctx, "matmul(e, transpose(v))*(1.0 - h*h)",
                                 "e", e, "v", v, "h", h, NULL));
        if (step % 200 == 0 || step == steps) {
            double loss = number(ilex_eval(ctx, "mean(e*e)", "e", e, NULL));
            share =
                number(ilex_eval(ctx, "mean(f64((e + t > 0.0) == (t > 0.0)))",
                                 "e", e, "t", t, NULL));
            printf("step %4d: loss %.6f, %.1f %% of %d points on the right "
                   "side\n",
                   step, loss, 100 * share, POINTS);
        }
        set(&v, ilex_eval(ctx, "v - 3e-4*matmul(transpose(h), e)", "v", v, "h",
                          h, "e", e, NULL));
        set(&w, ilex_eval(ctx, "w - 3e-4*matmul(transpose(x), g)", "w", w, "x",
                          x, "g", g, NULL));
        set(&b,
            ilex_eval(ctx, "b - 3e-4*sum[0](g; keep=1)", "b", b, "g", g, NULL));
        ilex_storage_scope_end(ctx, scope);
    }
    ilex_storage *const all[] = {x, w, b, v, t};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ilex_storage_release(all[i]);
    ilex_context_free(ctx);
    return share < 0.9;
}
