/* SPDX-License-Identifier: MIT
 *
 * A function of one's own inside of a program: implicit diffusion of heat in a
 * rod. Each step solves a symmetric system, by a Cholesky factorisation that is
 * written here and called between the loops that Ilex makes.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>

enum { N = 64, STEPS = 200 };

static const char text[] =
    "ilex 1\n"
    "program rod\n"
    "size n\n"
    "assume n >= 2\n"
    "in u : f64[n]\n"
    "in r : f64\n"
    "extern spd_solve(a : f64[m, m], b : f64[m]) -> f64[m] pure cost 100\n"
    "map a[n, n] = where(_0 == _1, 1 + 2*r, "
    "where(_0 == _1+1 || _1 == _0+1, -r, 0.0))\n"
    "map rim[n] = where(_0 == 0, r, 0.0)\n" /* 1 at the left, 0 at the right */
    "out v : f64[n] = spd_solve(a, u + rim)\n";

/* A status other than 0 makes the run fail; the text is in its error. */
static int
refuse(const ilex_function_call *call, const char *why)
{
    snprintf(call->error, call->error_bytes, "%s", why);
    return 1;
}

/* x with a x = b, for a symmetric and positive definite. Arrays may lie in any
 * order: element (i, j) is i*stride[0] + j*stride[1] elements from the first.
 */
static int
solve(const ilex_function_call *call)
{
    const ilex_function_array *a = &call->argument[0], *b = &call->argument[1],
                              *x = &call->result[0];
    const double *m = a->data, *from = b->data;
    double *to = x->data, l[N][N];
    int64_t n = a->shape[0];
    if (n > N)
        return refuse(call, "too many equations");
    for (int64_t i = 0; i < n; i++) {
        double y = from[i * b->stride[0]];
        for (int64_t j = 0; j <= i; j++) {
            double sum = m[i * a->stride[0] + j * a->stride[1]];
            for (int64_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && sum <= 0)
                return refuse(call, "the matrix is not positive definite");
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
        for (int64_t j = 0; j < i; j++)
            y -= l[i][j] * to[j * x->stride[0]];
        to[i * x->stride[0]] = y / l[i][i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        double y = to[i * x->stride[0]];
        for (int64_t k = i + 1; k < n; k++)
            y -= l[k][i] * to[k * x->stride[0]];
        to[i * x->stride[0]] = y / l[i][i];
    }
    return 0;
}

static ilex_program *
compile(ilex_context *ctx)
{
    ilex_function_spec spec = {.size = sizeof spec, .host = solve};
    ilex_module *m = ilex_module_parse(ctx, text, "rod.ilx");
    if (!m || ilex_function_register(ctx, "spd_solve", &spec) != ILEX_OK)
        return NULL;
    ilex_program *p = ilex_compile_module(m);
    ilex_module_free(m);
    return p;
}

/* The steady state is a straight line from 1 to 0. */
static double
distance(const double *u)
{
    double worst = 0;
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(u[i] - (1 - (i + 1.0) / (N + 1))));
    return worst;
}

int
main(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_program *p = compile(ctx);
    if (!p)
        return fprintf(stderr, "%s\n", ilex_error_text(ctx)), 1;
    ilex_storage *u = ilex_storage_zeros(ctx, ILEX_F64, 1, (int64_t[]){N});
    ilex_storage *v = ilex_storage_zeros(ctx, ILEX_F64, 1, (int64_t[]){N});
    ilex_binding bound[] = {ILEX_BIND("u", u), ILEX_BIND("v", v),
                            ILEX_BIND_F64("r", 100.0)};
    ilex_call call = {.size = sizeof call};
    if (ilex_run_steps(p, bound, 3, STEPS, "u=v", &call) != ILEX_OK)
        return fprintf(stderr, "%s\n", call.error), 1;
    double off = distance(ilex_storage_const_data(bound[0].storage));
    printf("%d implicit steps: %.2g from the straight line\n", STEPS, off);
    ilex_storage_release(u);
    ilex_storage_release(v);
    ilex_program_release(p);
    ilex_context_free(ctx);
    return off < 1e-6 ? 0 : 1;
}
